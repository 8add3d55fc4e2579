package schema

import (
	"fmt"
	"go/types"
	"strings"

	"golang.org/x/tools/go/types/typeutil"
)

// streamMethods are the methods of encoding/json/v2. From Go 1.27 on, encoding/json calls them
// before all others; in earlier versions, and in versions without the experiment, it does not.
// Contracts must not depend on the version, so these methods never count: generated code calls
// MarshalJSON and UnmarshalJSON, and a type without these has no JSON form.
var streamMethods = []struct {
	use                  Use
	name, coder, instead string
}{
	{Result, "MarshalJSONTo", "Encoder", "MarshalJSON"},
	{Argument, "UnmarshalJSONFrom", "Decoder", "UnmarshalJSON"},
}

// streamed returns the methods of encoding/json/v2 that a type has in a direction, and the methods
// of encoding/json that it lacks instead. A method of encoding/json that is promoted from a deeper
// level does not count, since it is the form of another type.
func streamed(t types.Type, use Use) (has, lacks []string) {
	if types.IsInterface(t) {
		return nil, nil
	}
	for _, m := range streamMethods {
		if use != Anywhere && use != m.use {
			continue
		}
		obj, depth, _ := types.LookupFieldOrMethod(t, true, nil, m.name)
		if fn, ok := obj.(*types.Func); !ok || !isStreamMethod(fn.Signature(), m.coder) {
			continue
		}
		plain := methodsOf(t)
		_, other, _ := types.LookupFieldOrMethod(t, true, nil, m.instead)
		if found := m.use == Result && plain.marshalJSON || m.use == Argument && plain.unmarshalJSON; found && len(other) <= len(depth) {
			continue
		}
		has, lacks = append(has, m.name), append(lacks, m.instead)
	}
	return has, lacks
}

// isStreamMethod reports whether a method has one parameter, a pointer to the type of package
// jsontext, and returns an error. Before Go 1.27 the package belongs to a module.
func isStreamMethod(sig *types.Signature, coder string) bool {
	if sig.Params().Len() != 1 || sig.Variadic() || !sameTypes(sig.Results(), []types.Type{types.Universe.Lookup("error").Type()}) {
		return false
	}
	p, ok := types.Unalias(sig.Params().At(0).Type()).(*types.Pointer)
	return ok && (isNamed(p.Elem(), "encoding/json/jsontext", coder) || isNamed(p.Elem(), "github.com/go-json-experiment/json/jsontext", coder))
}

// refuseStreamed refuses a type that has only the methods of encoding/json/v2.
func (r *Resolver) refuseStreamed(s site, t types.Type) bool {
	has, lacks := streamed(t, s.use)
	if len(has) == 0 {
		return false
	}
	missing := strings.Join(lacks, " and ")
	r.errorf(s, r.remedy(s, t, r.methodsOn(t, "give it "+missing+" as well")),
		"type %s has %s without %s, so its JSON form would depend on the version of Go", r.typeString(t), strings.Join(has, " and "), missing)
	return true
}

// refuseStreamedInside refuses a type that is left to encoding/json if it is or contains a type
// with only the methods of encoding/json/v2.
func (r *Resolver) refuseStreamedInside(s site, t types.Type) bool {
	found := findStreamed(t, s.use, &typeutil.Map{})
	if found == nil {
		return false
	}
	has, lacks := streamed(found, s.use)
	what := fmt.Sprintf("type %s contains type %s, which", r.typeString(t), r.typeString(found))
	if types.Identical(t, found) {
		what = fmt.Sprintf("type %s", r.typeString(t))
	}
	r.errorf(s, r.remedy(s, t, ""), "%s has %s without %s, so its JSON form would depend on the version of Go", what, strings.Join(has, " and "), strings.Join(lacks, " and "))
	return true
}

// findStreamed finds, among the types that encoding/json examines, one with only the methods of
// encoding/json/v2, or returns nil.
func findStreamed(t types.Type, use Use, seen *typeutil.Map) types.Type {
	t = pointedTo(t)
	if seen.Set(t, true) != nil {
		return nil
	}
	if has, _ := streamed(t, use); len(has) > 0 {
		return t
	}
	if m := methodsOf(t).in(use); m.any() {
		return nil
	}
	switch u := t.Underlying().(type) {
	case interface{ Elem() types.Type }: // pointers, lists, maps
		return findStreamed(u.Elem(), use, seen)
	case *types.Struct:
		for _, m := range members(t) {
			if found := findStreamed(m.v.Type(), use, seen); found != nil {
				return found
			}
		}
	}
	return nil
}
