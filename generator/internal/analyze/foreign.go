package analyze

import (
	"go/types"
	"strings"

	"github.com/mcpgen/mcpgen/generator/internal/diag"
)

// foreignKind is a kind of declaration in another package that a directive of the package comment
// names.
type foreignKind struct {
	what, kinds string // "error", "type or variable"
	hint        string // the form of the directive
	is          func(types.Object) bool
}

// foreign finds a declaration of another package: pkg.Name as the file would write it, or with the
// import path in front of the name. The package may be an indirectly imported one. foreign returns
// nil after adding a diagnostic.
func (a *analyzer) foreign(d declared, name string, kind *foreignKind) types.Object {
	pos := d.dir.TextPos
	if words := d.dir.Words(); len(words) > 0 {
		pos = words[0].Pos
	}
	fail := func(hint, format string, args ...any) types.Object {
		a.diags.Errorf(pos, "//mcp:"+d.dir.Word, format, args...).Hint = hint
		return nil
	}
	i := strings.LastIndexByte(name, '.')
	if i <= 0 || strings.HasPrefix(name, "{") {
		return fail(kind.hint, "%q is not "+article(kind.what)+" of another package", name)
	}
	qualifier, declared := name[:i], name[i+1:]
	if path := a.importNames(d.set)[qualifier]; path != "" {
		qualifier = path
	}
	from, found := a.pkg, a.pkg.Find(qualifier)
	for _, source := range a.sources { // packages with emitted features may be the only importers
		if len(found) > 0 || a.from != nil {
			break
		}
		from, found = source.pkg, source.pkg.Find(qualifier)
	}
	if len(found) == 0 {
		return fail("write the whole import path: example.com/units."+declared, "the package does not import %s", qualifier)
	}
	var objs []types.Object
	var names []string
	for _, p := range found {
		if err := from.Complete(p); err != nil {
			return fail("see what go build "+p.Path()+" says", "the declarations of package %s cannot be read: %v", p.Path(), err)
		}
		for _, name := range p.Scope().Names() {
			if obj := p.Scope().Lookup(name); kind.is(obj) {
				if names = append(names, name); name == declared {
					objs = append(objs, obj)
				}
			}
		}
	}
	switch {
	case len(objs) == 0:
		hint := "write the name of a declared " + kind.kinds
		if near := diag.Nearest(declared, names); near != "" {
			hint = "did you mean " + near + "?"
		}
		return fail(hint, "package %s has no %s %s", found[0].Path(), kind.kinds, declared)
	case len(objs) > 1:
		return fail("write the whole import path: "+objs[0].Pkg().Path()+"."+declared, "there are several packages with the name %s", qualifier)
	}
	return objs[0]
}

func article(what string) string {
	if strings.ContainsRune("aeiou", rune(what[0])) {
		return "an " + what
	}
	return "a " + what
}
