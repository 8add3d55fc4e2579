package schema

import (
	"cmp"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/generator/internal/diag"
)

// declared returns the declarations of a package from which contracts are made, such as constants,
// in the order of the source. In packages whose source is not read only the exported ones count:
// whether others are known depends on the packages that mention them.
func declared[T types.Object](r *Resolver, pkg *types.Package, want func(T) bool) (all []T, err error) {
	own := r.sources[pkg] != nil
	if !own {
		if err := r.pkg.Complete(pkg); err != nil {
			return nil, err
		}
	}
	at := map[types.Object]token.Position{}
	for _, name := range pkg.Scope().Names() {
		obj, is := pkg.Scope().Lookup(name).(T)
		if !is || name == "_" || !own && !obj.Exported() || !want(obj) {
			continue
		}
		all = append(all, obj)
		pos := r.docs.Position(obj)
		if !pos.IsValid() {
			pos = r.pkg.Fset.PositionFor(obj.Pos(), false)
		}
		at[obj] = pos
	}
	slices.SortFunc(all, func(a, b T) int {
		x, y := at[a], at[b]
		return cmp.Or(strings.Compare(filepath.Base(x.Filename), filepath.Base(y.Filename)),
			cmp.Compare(x.Line, y.Line), cmp.Compare(x.Column, y.Column), strings.Compare(a.Name(), b.Name()))
	})
	return all, nil
}

// unread reports a package that is only partly known. The error remains after a failed attempt.
func (r *Resolver) unread(s site, pkg *types.Package, err error) {
	now := r.diags
	for _, r.diags = range []*diag.List{r.lasting, now} {
		r.errorf(s, "see what go build "+pkg.Path()+" says", "the declarations of package %s cannot be read: %v", pkg.Path(), err)
	}
}
