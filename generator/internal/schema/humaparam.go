package schema

import (
	"go/types"

	"github.com/mcpgen/mcpgen/generator/internal/model"
)

// resolveMember resolves the type of a member. The type of a huma parameter may tell a handler
// whether it was sent: huma.ParamWrapper and huma.ParamReactor, in the form of their documentation.
func (r *Resolver) resolveMember(s site, m *member) *model.Type {
	t := m.v.Type()
	if r.Tags != HumaTags || s.use != Argument || m.in == "" || m.in == "body" || r.converters.At(t) != nil || !isParamWrapper(t) {
		return r.resolve(s, t)
	}
	value, flag := optionalParam(t)
	if value == nil {
		r.errorf(s, "make it a struct of Value and IsSet bool with the methods Receiver and OnParamSet, or a pointer; or write an //mcp:decode function for it",
			"huma sets type %s by its method Receiver, which a tool does not call", r.typeString(t))
		return nil
	}
	plan := &model.Type{Go: t, Value: value.Name(), Flag: flag.Name(), Sent: true}
	if !r.fillElem(s, plan, model.Flagged, value.Type()) {
		return nil
	}
	return plan
}

// isParamWrapper recognises types with huma.ParamWrapper's method, which is a method of the
// pointer.
func isParamWrapper(t types.Type) bool {
	sig := pointerMethod(t, "Receiver")
	return sig != nil && sig.Params().Len() == 0 && sig.Results().Len() == 1 && types.TypeString(sig.Results().At(0).Type(), nil) == "reflect.Value"
}

// optionalParam returns the fields of a struct with a value and a flag for its presence, which its
// method OnParamSet sets, or nil.
func optionalParam(t types.Type) (value, flag *types.Var) {
	st, ok := t.Underlying().(*types.Struct)
	set := pointerMethod(t, "OnParamSet")
	if !ok || st.NumFields() != 2 || set == nil || set.Params().Len() != 2 || set.Results().Len() != 0 || !isBool(set.Params().At(0).Type()) {
		return nil, nil
	}
	value, flag = st.Field(0), st.Field(1)
	if !value.Exported() || !flag.Exported() || value.Embedded() || flag.Embedded() || !isBool(flag.Type()) {
		return nil, nil
	}
	return value, flag
}

func isBool(t types.Type) bool { return types.Identical(t, types.Typ[types.Bool]) }

// pointerMethod returns the signature of a method of the pointer to a type, or nil.
func pointerMethod(t types.Type, name string) *types.Signature {
	obj, _, _ := types.LookupFieldOrMethod(types.NewPointer(t), true, nil, name)
	if fn, ok := obj.(*types.Func); ok {
		return fn.Signature()
	}
	return nil
}

// refuseMultipart refuses the files of a form in arguments: they are sent in an HTTP request, but
// calls of tools are JSON.
func (r *Resolver) refuseMultipart(s site, t *types.Named) bool {
	if s.use != Argument {
		return false
	}
	switch typeKey(t) {
	case "mime/multipart.Form", "mime/multipart.FileHeader", "mime/multipart.Reader", "github.com/danielgtaylor/huma.MultipartFormFiles", "github.com/danielgtaylor/huma.FormFile":
	default:
		return false
	}
	r.errorf(s, "annotate a function that takes the bytes of a file as []byte, which is base64 in JSON, or a URI to fetch, and calls what both need",
		"type %s is of multipart forms, and calls of tools are JSON", r.typeString(t))
	return true
}
