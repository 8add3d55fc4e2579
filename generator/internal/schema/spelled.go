package schema

import (
	"go/token"
	"go/types"
)

// jsontextValue is the type that json.RawMessage is an alias of from Go 1.27 on.
const jsontextValue = "encoding/json/jsontext.Value"

// spelled is a type by the name that it has in every supported version of Go, so that what is
// generated with one of them is the same as with another, and compiles with it.
func spelled(t types.Type) types.Type {
	if _, ok := t.(*types.Named); !ok || typeKey(t) != jsontextValue {
		return t
	}
	pkg := types.NewPackage("encoding/json", "json")
	return types.NewAlias(types.NewTypeName(token.NoPos, pkg, "RawMessage", nil), t)
}

// unaliased is a type without the aliases that a program declares. The predeclared alias any stays:
// behind it, types.TypeString has "any" up to Go 1.26, and "interface{}" from Go 1.27 on.
func unaliased(t types.Type) types.Type {
	for {
		alias, ok := t.(*types.Alias)
		if !ok || alias.Obj().Pkg() == nil {
			return spelled(t)
		}
		t = alias.Rhs()
	}
}
