package schema

import (
	"go/types"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/generator/internal/model"
)

// visible reports whether generated code can name a declaration or field, as far as capitalization
// determines it.
func (r *Resolver) visible(obj types.Object) bool {
	return obj.Exported() || obj.Pkg() == r.pkg.Types && !r.Outside
}

// Unnameable returns the reason why generated code cannot name a type, with a hint, or "" if it
// can.
func (r *Resolver) Unnameable(t types.Type) (problem, hint string) {
	hint, problem = r.unnameable(t, map[types.Type]bool{})
	return problem, hint
}

// usable reports whether generated code can name the type.
func (r *Resolver) usable(s site, t *types.Named) bool {
	hint, problem := r.unnameable(t, map[types.Type]bool{})
	if problem != "" {
		r.errorf(s, hint, "%s, so generated code cannot name it", problem)
	}
	return problem == ""
}

// unnameable returns the reason why generated code cannot name a type, or "" if it can. It examines
// the parts of unnamed types, and type arguments.
func (r *Resolver) unnameable(t types.Type, seen map[types.Type]bool) (hint, problem string) {
	t = types.Unalias(t)
	if seen[t] {
		return "", ""
	}
	seen[t] = true
	switch t := t.(type) {
	case *types.Named:
		hint, problem, args := r.hiddenName(t)
		if problem != "" {
			return hint, problem
		}
		for arg := range args.Types() {
			if hint, problem = r.unnameable(arg, seen); problem != "" {
				return hint, problem
			}
		}
	case *types.Map:
		if hint, problem = r.unnameable(t.Key(), seen); problem != "" {
			return hint, problem
		}
		return r.unnameable(t.Elem(), seen)
	case *types.Chan:
		// Another error refuses it.
	case *types.Signature:
		for _, list := range []*types.Tuple{t.Params(), t.Results()} {
			for v := range list.Variables() {
				if hint, problem = r.unnameable(v.Type(), seen); problem != "" {
					return hint, problem
				}
			}
		}
	case *types.Struct:
		for v := range t.Fields() {
			if !r.visible(v) {
				return "use a struct type with a name", "field " + v.Name() + " of a struct without a name is not exported by its package"
			}
			if hint, problem = r.unnameable(v.Type(), seen); problem != "" {
				return hint, problem
			}
		}
	case interface{ Elem() types.Type }:
		return r.unnameable(t.Elem(), seen)
	}
	return "", ""
}

// hiddenName returns the reason why a declared type cannot be named. If it can, it returns the type
// arguments that must be nameable, too.
func (r *Resolver) hiddenName(t *types.Named) (hint, problem string, args *types.TypeList) {
	hint, problem = r.ownName(t)
	if problem == "" {
		return "", "", t.TypeArgs()
	}
	if alias, args := r.alias(t); alias != nil {
		r.aliases.Add(t, alias)
		return "", "", args
	}
	return hint, problem, nil
}

// ownName is like hiddenName, for the name in its declaration.
func (r *Resolver) ownName(t *types.Named) (hint, problem string) {
	obj := t.Obj()
	pkg := obj.Pkg()
	switch {
	case pkg == nil: // error, comparable
	case obj.Parent() != nil && obj.Parent() != pkg.Scope():
		return "declare the type outside of the function", "type " + r.typeString(t) + " is declared inside of a function"
	case r.visible(obj) && pkg == r.pkg.Types:
	case !obj.Exported() && r.sources[pkg] != nil:
		return "export it", "type " + r.typeString(t) + " is not exported by its package"
	case !obj.Exported():
		return "use a type of this package, or an exported one", "type " + r.typeString(t) + " is not exported by its package"
	case !Importable(r.pkg.Types.Path(), pkg.Path()):
		return "use a type of this package, or one that can be imported", "type " + r.typeString(t) + " is in an internal package that this package cannot import"
	}
	return "", ""
}

// Importable applies the go command's rule for internal packages: only packages below the parent of
// "internal" may import them.
func Importable(from, path string) bool {
	i := strings.LastIndex("/"+path+"/", "/internal/")
	if i < 0 {
		return true
	}
	root := strings.TrimSuffix(path[:i], "/")
	return root != "" && (from == root || strings.HasPrefix(from, root+"/"))
}

// alias returns another name for a declared type that generated code cannot name directly, since
// its package is internal or does not export it, and the type arguments of that name. It looks in
// the packages that are read as source, and in those whose types the features reach. It returns nil
// if it finds no alias.
func (r *Resolver) alias(t *types.Named) (*types.TypeName, *types.TypeList) {
	if r.renamed == nil {
		r.renamed = &model.Aliases{}
		for _, p := range r.near() {
			for _, name := range p.Scope().Names() {
				obj, ok := p.Scope().Lookup(name).(*types.TypeName)
				if !ok || !obj.IsAlias() || !r.visible(obj) {
					continue
				}
				if named, ok := types.Unalias(obj.Type()).(*types.Named); ok && samePlaces(obj, named) {
					r.renamed.Add(named, obj)
				}
			}
		}
	}
	alias, args := r.renamed.Of(t)
	if args.Len() > 0 {
		// An alias may constrain its arguments more than the type does.
		if _, err := types.Instantiate(nil, alias.Type(), slices.Collect(args.Types()), true); err != nil {
			return nil, nil
		}
	}
	return alias, args
}

// samePlaces reports whether the target of an alias takes the parameters of the alias, in their
// order, as its only arguments. The target of an alias without parameters does.
func samePlaces(alias *types.TypeName, t *types.Named) bool {
	a, ok := alias.Type().(*types.Alias)
	if !ok || a.TypeParams().Len() == 0 {
		return true
	}
	if a.TypeParams().Len() != t.TypeArgs().Len() {
		return false
	}
	for i := range a.TypeParams().Len() {
		if t.TypeArgs().At(i) != a.TypeParams().At(i) {
			return false
		}
	}
	return true
}

// Aliases returns the aliases used so far for declared types that generated code cannot name
// directly.
func (r *Resolver) Aliases() *model.Aliases { return &r.aliases }
