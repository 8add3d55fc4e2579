package mcp

import (
	"slices"

	"github.com/mcpgen/mcpgen/runtime/internal/toolfind"
)

// This file narrows the features of a request to the groups that its URL names.

// inGroups reports whether a feature is in one of the groups, of which there may be none. The tools
// that find others have no group: they find what the request sees.
func (s *Server) inGroups(groups []string, f *FeatureInfo) bool {
	if len(groups) == 0 || s.finder != nil && f.Kind == KindTool && toolfind.Is(f.Name) {
		return true
	}
	return slices.ContainsFunc(f.Groups, func(group string) bool { return slices.Contains(groups, group) })
}
