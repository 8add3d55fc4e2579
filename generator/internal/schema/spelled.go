package schema

import (
	"go/token"
	"go/types"
)

// jsontextValue is the type that json.RawMessage is an alias for from Go 1.27 on.
const jsontextValue = "encoding/json/jsontext.Value"

// spelled returns a type under the name that it has in every supported version of Go, so that the
// generated file is the same with each version, and compiles with it.
func spelled(t types.Type) types.Type {
	if _, ok := t.(*types.Named); !ok || typeKey(t) != jsontextValue {
		return t
	}
	pkg := types.NewPackage("encoding/json", "json")
	return types.NewAlias(types.NewTypeName(token.NoPos, pkg, "RawMessage", nil), t)
}

// unaliased returns a type without the aliases that a program declares. The predeclared alias any
// stays: types.TypeString writes the type behind it as "any" up to Go 1.26, and as "interface{}"
// from Go 1.27 on.
func unaliased(t types.Type) types.Type {
	for {
		alias, ok := t.(*types.Alias)
		if !ok || alias.Obj().Pkg() == nil {
			return spelled(t)
		}
		t = alias.Rhs()
	}
}
