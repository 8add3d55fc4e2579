package mcpfind

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/mcpgen/mcpgen/runtime/internal/toolfind"
	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// MaxQuery is the maximum length of a query in bytes.
const MaxQuery = 1000

// finder searches the tools of a server.
type finder struct {
	host toolfind.Host
	all  func() []mcp.FeatureInfo

	gate    gate // guards the fields below
	ranker  Ranker
	indexed bool
	changes uint64
	tools   []mcp.FeatureInfo
}

// enter indexes the tools if necessary, and enters the gate.
func (f *finder) enter(ctx context.Context) error {
	for {
		if err := f.gate.enter(ctx); err != nil {
			return err
		}
		now := f.host.Changes()
		if f.indexed && f.changes == now {
			return nil
		}
		f.gate.leave()
		if err := f.index(ctx); err != nil {
			return err
		}
	}
}

func (f *finder) index(ctx context.Context) error {
	leave, err := f.gate.enterAlone(ctx)
	if err != nil {
		return err
	}
	defer leave() // even if the ranker panics
	now := f.host.Changes()
	if f.indexed && f.changes == now {
		return nil
	}
	f.indexed = false
	f.tools = f.all()
	f.ranker.Index(f.tools)
	f.indexed, f.changes = true, now
	return nil
}

// found is the result of a search.
type found struct {
	tools []mcp.FeatureInfo
	more  bool // the limit cut the result
}

// search returns up to n tools that the request can see, best match first. Without a query it
// returns the tools of the group in order of registration.
func (f *finder) search(ctx context.Context, query, group string, n int) (found, error) {
	if err := f.enter(ctx); err != nil {
		return found{}, err
	}
	defer f.gate.leave()
	pick := func(indexes []int) found {
		var result found
		seen := map[int]bool{}
		for _, i := range indexes {
			if i < 0 || i >= len(f.tools) || seen[i] {
				continue // a ranker may be faulty
			}
			seen[i] = true
			t := f.tools[i]
			if group != "" && !slices.Contains(t.Groups, group) || !f.host.Searchable(ctx, t.Name) {
				continue
			}
			if result.more = len(result.tools) == n; result.more {
				break
			}
			result.tools = append(result.tools, t)
		}
		return result
	}
	if query == "" {
		all := make([]int, len(f.tools))
		for i := range all {
			all[i] = i
		}
		return pick(all), nil
	}
	for asked := n + 1; ; asked *= 4 {
		asked = min(asked, len(f.tools))
		indexes, err := f.ranker.Search(ctx, query, asked)
		if err != nil {
			return found{}, fmt.Errorf("search tools: %w", err)
		}
		if result := pick(indexes); result.more || len(indexes) < asked || asked == len(f.tools) {
			return result, nil
		}
	}
}

// groups returns the groups of the tools that the request can see, sorted by name. It returns nil
// if the request ends in the meantime.
func (f *finder) groups(ctx context.Context) []string {
	if f.enter(ctx) != nil {
		return nil
	}
	defer f.gate.leave()
	sees := map[string]bool{}
	for i := range f.tools {
		t := &f.tools[i]
		if len(t.Groups) > 0 && f.host.Searchable(ctx, t.Name) {
			for _, group := range t.Groups {
				sees[group] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(sees))
}
