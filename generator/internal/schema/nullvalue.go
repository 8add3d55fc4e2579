package schema

import "go/types"

// nullValue returns the field that contains the value of a type that database/sql reads and writes
// as a value or NULL: a struct of a field and Valid, with the methods Scan and Value. sqlc
// generates one for each enumeration. It returns nil for other types, for types with their own JSON
// form, and for types whose fields have their own constraints.
func nullValue(t types.Type) *types.Var {
	st, ok := t.Underlying().(*types.Struct)
	if !ok || methodsOf(t).any() || !isScanner(t) || !isValuer(t) {
		return nil
	}
	if has, _ := streamed(t, Anywhere); len(has) > 0 {
		return nil
	}
	if st.NumFields() == 1 && st.Field(0).Embedded() {
		inner := flaggedValue(types.Unalias(st.Field(0).Type()))
		if inner == nil || st.Tag(0) != "" {
			return nil
		}
		return fieldOf(t, inner.Name())
	}
	flag := fieldOf(t, "Valid")
	if st.NumFields() != 2 || flag == nil || !types.Identical(flag.Type(), types.Typ[types.Bool]) {
		return nil
	}
	var value *types.Var
	for i := range st.NumFields() {
		f := st.Field(i)
		if f.Embedded() || !f.Exported() || constrained(st.Tag(i)) {
			return nil
		}
		if f != flag {
			value = f
		}
	}
	return value
}

// constrained reports whether the tag of a field contains more than its name in JSON.
func constrained(tag string) bool {
	pairs, rest := tagPairs(tag)
	for _, p := range pairs {
		switch p.key {
		case "jsonschema", "jsonschema_description", "jsonschema_extras", "validate", "binding":
			return true
		case "json":
			if p.value == "-" {
				return true
			}
		}
	}
	return rest != ""
}

// isScanner reports whether a type has the method of sql.Scanner.
func isScanner(t types.Type) bool {
	fn := methodOf(t, "Scan")
	if fn == nil || fn.Signature().Variadic() || fn.Signature().Params().Len() != 1 {
		return false
	}
	of, ok := fn.Signature().Params().At(0).Type().Underlying().(*types.Interface)
	return ok && of.Empty() && sameTypes(fn.Signature().Results(), []types.Type{types.Universe.Lookup("error").Type()})
}

// isValuer reports whether a type has the method of driver.Valuer.
func isValuer(t types.Type) bool {
	fn := methodOf(t, "Value")
	if fn == nil || fn.Signature().Params().Len() != 0 || fn.Signature().Results().Len() != 2 {
		return false
	}
	results := fn.Signature().Results()
	return isNamed(results.At(0).Type(), "database/sql/driver", "Value") &&
		types.Identical(results.At(1).Type(), types.Universe.Lookup("error").Type())
}

// methodOf returns an exported method of a type or of the pointer to it, or nil.
func methodOf(t types.Type, name string) *types.Func {
	obj, _, _ := types.LookupFieldOrMethod(t, true, nil, name)
	fn, _ := obj.(*types.Func)
	return fn
}
