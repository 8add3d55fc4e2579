// Package mcpfind serves servers with too many tools for a list. Instead of all tools, such a
// server lists three that find and call the others:
//
//   - search_tools finds tools by plain words, or all tools of a group
//   - use_readonly_tool calls a read-only tool
//   - use_tool calls any tool
//
// Calls use two tools so that a host which asks its user before changes need not ask before reads.
// A call through them is a call of the tool itself: access, limits, timeouts, tasks, questions,
// interceptors, logs and spans use its name. Callers cannot find tools that they may not see.
//
// The list does not depend on earlier requests (revision 2026-07-28, server/tools). Clients can
// also call unlisted tools directly by their names.
//
// A [mcp.Policy] or an [mcp.Access] that allows only some names must allow these three: they are
// ordinary tools, and give no access to others.
package mcpfind

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/internal/findtools"
	"github.com/mcpgen/mcpgen/runtime/internal/friend"
	"github.com/mcpgen/mcpgen/runtime/internal/glob"
	"github.com/mcpgen/mcpgen/runtime/internal/toolfind"
	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// The names of the tools that find and call others.
const (
	SearchTools     = toolfind.SearchTools
	UseReadOnlyTool = toolfind.UseReadOnlyTool
	UseTool         = toolfind.UseTool
)

// Option changes how tools are found.
type Option func(*settings)

type settings struct {
	threshold int
	names     []glob.Pattern
	groups    []glob.Pattern
	ranker    Ranker
}

// WithThreshold sets the number of tools, as the caller sees them, up to which the server lists all
// tools instead of the three. The default is 40, the number of tools that some clients accept from
// all servers together; with 0 the three are always listed.
func WithThreshold(n int) Option {
	return func(s *settings) { s.threshold = max(0, n) }
}

// WithListed lists tools beside the three: tools whose name matches a pattern, in which each star
// matches any text, or that are in a group, as in group:orders. It panics if a pattern is empty.
func WithListed(patterns ...string) Option {
	return func(s *settings) {
		for _, text := range patterns {
			group, ok := strings.CutPrefix(text, "group:")
			switch {
			case text == "" || ok && group == "":
				panic(fmt.Sprintf("mcpfind: pattern %q is empty", text))
			case ok:
				s.groups = append(s.groups, glob.New(group))
			default:
				s.names = append(s.names, glob.New(text))
			}
		}
	}
}

// WithRanker sets another ranking, such as one with embeddings. The default is BM25 over names,
// titles, groups, descriptions and arguments.
func WithRanker(r Ranker) Option {
	return func(s *settings) {
		if r != nil {
			s.ranker = r
		}
	}
}

// New returns the option of [mcp.NewServer] that lists the three tools, and the tools of
// WithListed, in place of all tools. It adds the groups of tools and their sizes to the server's
// instructions, in at most 300 tokens. Tools whose calls must be tasks remain in the list, since
// clients of revision 2025-11-25 need to read that there.
func New(options ...Option) mcp.Option {
	s := &settings{threshold: findtools.Threshold}
	for _, option := range options {
		option(s)
	}
	f := toolfind.Finder{Threshold: s.threshold, Keeps: s.keeps, Instructions: instructions, Nearest: nearest}
	return mcp.FindFuncs(friend.Key{}).With(f, func(server *mcp.Server, host toolfind.Host, tools func() []mcp.FeatureInfo) {
		ranker := s.ranker
		if ranker == nil {
			ranker = new(bm25) // one per server, although several servers may use the option
		}
		registerTools(server, &finder{host: host, all: tools, gate: newGate(), ranker: ranker})
	})
}

func (s *settings) keeps(name string, groups []string) bool {
	matches := func(text string) func(glob.Pattern) bool {
		return func(p glob.Pattern) bool { return p.Match(text) }
	}
	return slices.ContainsFunc(s.names, matches(name)) ||
		slices.ContainsFunc(groups, func(group string) bool { return slices.ContainsFunc(s.groups, matches(group)) })
}
