// Package mcpfind is for servers with more tools than a list should have. Instead of all, a server
// lists three that find and call the others:
//
//   - search_tools finds tools by plain words, or all of a group
//   - use_readonly_tool calls a tool that changes nothing
//   - use_tool calls any tool
//
// There are two for calls so that a host which asks its user before changes need not ask before
// reads. What a client calls through them is a call of the tool itself: access, limits, timeouts,
// tasks, questions, interceptors, logs and spans have its name. What a caller may not see is not found.
//
// The list does not depend on earlier requests (revision 2026-07-28, server/tools). Tools that it
// leaves out can be called by their names, too.
//
// A [mcp.Policy] or an [mcp.Access] that lets only some names pass has to let pass
// those of these three: they are tools like others, and give no access to more.
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

// WithThreshold sets the number of tools up to which all are listed, and the three are not. Those
// count that the caller may see. The default is 40, of all servers together the number that some
// clients pass on; with 0 there is always a search.
func WithThreshold(n int) Option {
	return func(s *settings) { s.threshold = max(0, n) }
}

// WithListed lists tools beside the three: those with a name that matches a pattern, in which each
// star matches any text, or that are in a group, as group:orders. It panics if a pattern is empty.
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

// WithRanker sets another ranking, such as one by embeddings. Without the option it is BM25 over
// names, titles, groups, descriptions and arguments.
func WithRanker(r Ranker) Option {
	return func(s *settings) {
		if r != nil {
			s.ranker = r
		}
	}
}

// New returns the option of [mcp.NewServer] that lists, in the place of all tools, those to keep and
// the three that find and call the others. The instructions of the server get the groups of its tools
// and their sizes, in at most 300 tokens. Tools whose calls have to be tasks stay in the list, since
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
			ranker = new(bm25) // of one server, although the option may make several
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
