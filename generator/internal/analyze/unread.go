package analyze

import (
	"go/ast"
	"go/token"
	"slices"

	"github.com/mcpgen/mcpgen/generator/internal/schema"
)

// collectUnread takes over what tags say without effect. //mcp:ignore in the comment of the
// package, or of the one that declares the field, suppresses it.
func (a *analyzer) collectUnread() {
	for _, t := range a.types.Unread() {
		t.Ignored = slices.ContainsFunc(a.sources, func(s *analyzer) bool {
			return (s == a || s.holds(t.Pos)) && s.ignored(declared{}, schema.UnreadTag)
		})
		a.out.UnreadTags = append(a.out.UnreadTags, t)
	}
}

// holds reports whether a position is in a file of the package.
func (a *analyzer) holds(pos token.Position) bool {
	return slices.ContainsFunc(a.pkg.Files, func(f *ast.File) bool { return a.position(f.Package).Filename == pos.Filename })
}
