package load

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/packages"

	"github.com/mcpgen/mcpgen/generator/internal/diag"
)

// InvalidIn reports whether an invalid type is reachable from t: whether the type checker could not
// determine some part of it. In a signature the parameters and results count, not the receiver.
// Unexported fields do not count, unless embedded, as they are not encoded.
func InvalidIn(t types.Type) bool {
	w := walker{seen: map[types.Type]bool{}}
	w.walk(t)
	return w.invalid
}

// walker visits the types that a type consists of.
type walker struct {
	seen    map[types.Type]bool
	named   []*types.TypeName // in order of first visit
	invalid bool
}

func (w *walker) walk(t types.Type) {
	if t == nil || w.seen[t] {
		return
	}
	w.seen[t] = true
	switch t := t.(type) {
	case *types.Basic:
		w.invalid = w.invalid || t.Kind() == types.Invalid
	case *types.Alias:
		w.named = append(w.named, t.Obj())
		w.list(t.TypeArgs())
		w.walk(types.Unalias(t))
	case *types.Named:
		w.named = append(w.named, t.Obj())
		w.list(t.TypeArgs())
		w.walk(t.Underlying())
	case *types.Pointer:
		w.walk(t.Elem())
	case *types.Slice:
		w.walk(t.Elem())
	case *types.Array:
		w.walk(t.Elem())
	case *types.Chan:
		w.walk(t.Elem())
	case *types.Map:
		w.walk(t.Key())
		w.walk(t.Elem())
	case *types.Tuple:
		for v := range t.Variables() {
			w.walk(v.Type())
		}
	case *types.Signature:
		w.walk(t.Params())
		w.walk(t.Results())
	case *types.Struct:
		for f := range t.Fields() {
			if f.Exported() || f.Embedded() {
				w.walk(f.Type())
			}
		}
	case *types.Interface:
		for m := range t.ExplicitMethods() {
			w.walk(m.Type())
		}
		for e := range t.EmbeddedTypes() {
			w.walk(e)
		}
	case *types.Union:
		for term := range t.Terms() {
			w.walk(term.Type())
		}
	case *types.TypeParam:
		w.walk(t.Constraint())
	}
}

func (w *walker) list(args *types.TypeList) {
	for t := range args.Types() {
		w.walk(t)
	}
}

// maxExplained limits the errors that explain one declaration.
const maxExplained = 3

// Explain returns the errors of the package that explain why a declaration has an invalid type.
// decl is the declaration; only the signature of a function counts. Explain returns the errors
// inside it and the errors of imports that it names; without any, the same for the declarations of
// the types that t leads to; without any of those, the first errors of the package.
func (p *Package) Explain(decl ast.Node, t types.Type) []diag.Related {
	if fn, ok := decl.(*ast.FuncDecl); ok {
		decl = fn.Type
	}
	if found := p.errorsIn(decl); len(found) > 0 {
		return found
	}
	w := walker{seen: map[types.Type]bool{}}
	w.walk(t)
	var found []diag.Related
	for _, name := range w.named {
		if spec := p.typeSpec(name); spec != nil {
			found = append(found, p.errorsIn(spec)...)
		}
	}
	if len(found) == 0 {
		for _, e := range p.Errors {
			found = append(found, p.related(e))
		}
	}
	return found[:min(len(found), maxExplained)]
}

// errorsIn returns the errors in a node, or in the imports of the packages that it names.
func (p *Package) errorsIn(n ast.Node) []diag.Related {
	type span struct {
		file       string
		start, end token.Position
	}
	var spans []span
	var found []diag.Related
	add := func(n ast.Node) {
		start, end := p.Position(n.Pos()), p.Position(n.End())
		spans = append(spans, span{start.Filename, start, end})
	}
	add(n)
	ast.Inspect(n, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		if !ok || p.Info == nil {
			return true
		}
		if name, ok := p.Info.Uses[id].(*types.PkgName); ok {
			if name.Imported().Path() == "C" {
				found = append(found, diag.Related{Pos: p.Position(id.Pos()), Message: "types of C are not known"})
			}
			if spec := p.importSpec(id.Pos(), name); spec != nil {
				add(spec)
			}
		}
		return true
	})
	for _, e := range p.Errors {
		at := position(e.Pos)
		inside := slices.ContainsFunc(spans, func(s span) bool {
			return at.Filename == s.file && !before(at, s.start) && before(at, s.end)
		})
		if inside {
			found = append(found, p.related(e))
		}
	}
	return found[:min(len(found), maxExplained)]
}

func before(a, b token.Position) bool {
	return a.Line < b.Line || a.Line == b.Line && a.Column < b.Column
}

// related turns an error into a related place. For a failed import it uses the go command's
// message, which contains a hint.
func (p *Package) related(e packages.Error) diag.Related {
	at := position(e.Pos)
	for _, f := range p.Files {
		for _, spec := range f.Imports {
			if pos := p.Position(spec.Path.Pos()); pos.Filename != at.Filename || pos.Line != at.Line || pos.Column != at.Column {
				continue
			}
			if imp := p.Imports[importPath(spec)]; imp != nil && len(imp.Errors) > 0 {
				return diag.Related{Pos: at, Message: imp.Errors[0].Msg}
			}
		}
	}
	return diag.Related{Pos: at, Message: e.Msg}
}

// importSpec returns the import to which a package name at pos refers.
func (p *Package) importSpec(pos token.Pos, name *types.PkgName) *ast.ImportSpec {
	f := p.File(pos)
	if f == nil {
		return nil
	}
	for _, spec := range f.Imports {
		if spec.Pos() <= name.Pos() && name.Pos() <= spec.End() || importPath(spec) == name.Imported().Path() {
			return spec
		}
	}
	return nil
}

// typeSpec returns the declaration of a type of the package.
func (p *Package) typeSpec(name *types.TypeName) *ast.TypeSpec {
	f := p.File(name.Pos())
	if f == nil {
		return nil
	}
	var found *ast.TypeSpec
	ast.Inspect(f, func(n ast.Node) bool {
		if spec, ok := n.(*ast.TypeSpec); ok && spec.Name.Pos() == name.Pos() {
			found = spec
		}
		return found == nil
	})
	return found
}
