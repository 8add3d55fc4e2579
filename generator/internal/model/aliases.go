package model

import (
	"go/types"

	"golang.org/x/tools/go/types/typeutil"
)

// Aliases are the names by which a file calls declared types that it cannot call by their own,
// because their packages are internal or do not export them.
type Aliases struct {
	declared  map[*types.TypeName]*types.TypeName
	instances typeutil.Map // of generic types, to *types.TypeName
}

// Add keeps the alias of a declared type. Where the alias is generic, it takes the type arguments
// that the type itself would; where it is not, and the type is an instance, it stands for that
// instance alone. The first one stays.
func (a *Aliases) Add(t *types.Named, alias *types.TypeName) {
	if t.TypeArgs().Len() > 0 && !generic(alias) {
		if a.instances.At(t) == nil {
			a.instances.Set(t, alias)
		}
		return
	}
	if a.declared[t.Obj()] == nil {
		if a.declared == nil {
			a.declared = map[*types.TypeName]*types.TypeName{}
		}
		a.declared[t.Obj()] = alias
	}
}

// Of is the alias of a declared type, nil where there is none. Type arguments are part of an alias
// that is not generic.
func (a *Aliases) Of(t *types.Named) (alias *types.TypeName, args *types.TypeList) {
	if a == nil {
		return nil, nil
	}
	if alias, ok := a.instances.At(t).(*types.TypeName); ok {
		return alias, nil
	}
	if alias = a.declared[t.Obj()]; alias != nil {
		return alias, t.TypeArgs()
	}
	return nil, nil
}

func generic(alias *types.TypeName) bool {
	a, ok := alias.Type().(*types.Alias)
	return ok && a.TypeParams().Len() > 0
}
