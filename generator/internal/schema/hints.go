package schema

import (
	"fmt"
	"go/types"
	"strings"

	"github.com/mcpgen/mcpgen/generator/internal/model"
)

// remedy returns a hint for a value without a JSON form. own describes a change of its type, or is
// "" if no change helps; it is ignored if the field belongs to a type of another package.
func (r *Resolver) remedy(s site, t types.Type, own string) string {
	var ways []string
	if own != "" && !s.far.IsValid() {
		ways = append(ways, own)
	}
	param := s.param
	switch {
	case s.union != nil:
		ways = append(ways, "use a type of this package in place of "+r.typeString(s.union))
	case s.far.IsValid():
		ways = append(ways, "use a struct of this package without the field")
	case s.path != "" && own == "":
		ways = append(ways, "leave the field out with `json:\"-\"`")
	case s.path != "":
	case param != "" && param != "_" && s.variadic:
		ways = append(ways, "hide it with //mcp:arg "+param+" omit, which passes none")
	case param != "" && param != "_":
		if own == "" {
			ways = append(ways, "annotate a function without it that calls this one")
		}
		ways = append(ways, "hide it with //mcp:arg "+param+" omit, which passes its zero value")
	case own == "" && s.use == Result:
		ways = append(ways, "return something else")
	case own == "":
		ways = append(ways, "leave it out of the signature")
	}
	of := "for it"
	switch {
	case s.union != nil:
		of = "for " + r.typeString(s.union) // a directive for the type around it is not possible in a union
	case s.far.IsValid():
		of = "for a type that holds it"
	}
	switch {
	case s.union == nil && !s.far.IsValid() && !convertible(t):
	case s.use == Argument:
		ways = append(ways, "write an //mcp:decode function "+of)
	case s.use == Result:
		ways = append(ways, "write an //mcp:encode function "+of)
	}
	return alternatives(ways)
}

// convertible reports whether //mcp:decode and //mcp:encode can handle a type.
func convertible(t types.Type) bool {
	if p, ok := types.Unalias(t).(*types.Pointer); ok && endless(p) {
		return false
	}
	_, basic := types.Unalias(t).(*types.Basic)
	return !basic && !types.Identical(t, types.Universe.Lookup("error").Type())
}

// alternatives joins the possible changes.
func alternatives(ways []string) string {
	if len(ways) < 2 {
		return strings.Join(ways, "")
	}
	last := len(ways) - 1
	return strings.Join(ways[:last], "; ") + "; or " + ways[last]
}

// concrete describes a replacement for a parameter or field of an interface type.
func concrete(t types.Type) string {
	if named, ok := types.Unalias(t).(*types.Named); ok && named.Obj().Pkg() != nil && named.Obj().Pkg().Path() == "io" {
		switch name := named.Obj().Name(); {
		case strings.Contains(name, "Read") && !strings.Contains(name, "Writ"):
			return "take a string or a []byte, and read from that"
		case strings.Contains(name, "Writ") && !strings.Contains(name, "Read"):
			return "return the written string or []byte"
		}
	}
	return "use a concrete type, or an interface with an unexported method that types of its own package implement"
}

// unreadable refuses a type with a given schema that neither its methods nor encoding/json can read
// or write.
func (r *Resolver) unreadable(s site, plan *model.Type, t *types.Named) bool {
	if plan.Kind != model.Reflect {
		return false
	}
	switch u := t.Underlying().(type) {
	case *types.Chan, *types.Signature:
	case *types.Basic:
		if u.Info()&types.IsComplex == 0 && u.Kind() != types.UnsafePointer {
			return false
		}
	default:
		return false
	}
	r.errorf(s, r.remedy(s, t, r.methodsOn(t, "give it the methods MarshalJSON and UnmarshalJSON")),
		"type %s has an //mcp:schema, but nothing can make JSON of it, or one of JSON", r.typeString(t))
	return true
}

// methodsOn returns the advice to give a type methods, or "" if the type is declared elsewhere.
func (r *Resolver) methodsOn(t types.Type, advice string) string {
	named, ok := types.Unalias(t).(*types.Named)
	if !ok || r.sources[named.Obj().Pkg()] == nil {
		return ""
	}
	return advice
}

// warnEmpty warns about a value that is always written as an empty object, since all its fields are
// unexported: handles, and types with accessor methods.
func (r *Resolver) warnEmpty(s site, plan *model.Type) {
	for plan.Kind == model.Pointer || plan.Kind == model.Slice {
		if plan.Name != "" {
			return // a list of itself is infinite
		}
		plan = plan.Elem
	}
	if plan.Kind != model.Struct || len(plan.Fields)+len(plan.Hidden) > 0 {
		return
	}
	st, ok := plan.Go.Underlying().(*types.Struct)
	if !ok || st.NumFields() == 0 {
		return
	}
	name := r.typeString(plan.Go)
	if s.use == Result {
		r.warnf(s, "return the values of its methods, or write an //mcp:encode function for it",
			"type %s shows none of its fields, so all that a client ever gets is {}", name)
		return
	}
	hint := "make the value in the function, or write an //mcp:decode function for it"
	if s.param != "" {
		hint = fmt.Sprintf("make the value in the function; hide it with //mcp:arg %s omit; or write an //mcp:decode function for it", s.param)
	}
	r.warnf(s, hint, "type %s shows none of its fields, so all that a client can send is {}", name)
}
