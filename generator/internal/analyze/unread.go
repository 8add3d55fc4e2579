package analyze

import (
	"go/ast"
	"go/token"
	"slices"

	"github.com/mcpgen/mcpgen/generator/internal/diag"
	"github.com/mcpgen/mcpgen/generator/internal/model"
	"github.com/mcpgen/mcpgen/generator/internal/schema"
)

// collectUnread adds the parts of tags that have no effect. //mcp:ignore in the comment of the
// package, or of the package that declares the field, suppresses them.
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

// dropUnpublished drops the entries for fields that omit=, only= and fixed= leave out at every use
// of their type. After an error these uses are unknown.
func (a *analyzer) dropUnpublished() {
	if a.diags.HasErrors() {
		return
	}
	var roots []*model.Type
	for _, call := range a.out.Calls() {
		if call.Input != nil {
			roots = append(roots, call.Input.Object)
		}
		roots = append(roots, call.Result.Output)
	}
	for _, form := range a.out.Forms {
		roots = append(roots, form.Type)
	}
	published := a.types.Published(roots)
	a.diags.Drop(func(d *diag.Diagnostic) bool { return a.types.Concerns(d.Member) && !published[d.Member] })
	a.out.UnreadTags = slices.DeleteFunc(a.out.UnreadTags, func(t model.UnreadTag) bool { return t.Member != "" && !published[t.Member] })
}
