package mcp

import (
	"slices"

	"github.com/mcpgen/mcpgen/runtime/internal/toolfind"
)

// This file narrows the features of a request to the groups that its URL names.

// inGroups reports whether a feature is in one of the groups, or groups is empty. The tools that
// find others do not belong to a group: they find the tools that the request sees.
func (s *Server) inGroups(groups []string, f *FeatureInfo) bool {
	if len(groups) == 0 || s.finder != nil && f.Kind == KindTool && toolfind.Is(f.Name) {
		return true
	}
	return slices.ContainsFunc(f.Groups, func(group string) bool { return slices.Contains(groups, group) })
}
