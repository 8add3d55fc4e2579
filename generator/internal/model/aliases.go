package model

import (
	"go/types"

	"golang.org/x/tools/go/types/typeutil"
)

// Aliases contains the names by which a file refers to declared types that it cannot name directly,
// because their packages are internal or do not export them.
type Aliases struct {
	declared  map[*types.TypeName]*types.TypeName
	instances typeutil.Map // for generic types; values are *types.TypeName
}

// Add registers the alias of a declared type. A generic alias takes the type arguments of the type
// itself; an alias that is not generic and refers to an instance applies to that instance alone.
// Only the first alias of a type counts.
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

// Of returns the alias of a declared type, or nil. An alias that is not generic includes its type
// arguments.
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
