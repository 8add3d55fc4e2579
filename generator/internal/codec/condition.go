package codec

import (
	"go/types"

	"github.com/mcpgen/mcpgen/generator/internal/model"
)

// Test is a test for the presence of a value.
type Test int

const (
	TestTrue     Test = iota // v
	TestNotZero              // v != 0
	TestNotBlank             // v != ""
	TestNotNil               // v != nil
	TestLen                  // len(v) != 0
	TestNotEqual             // v != T{}
	TestIsZero               // !v.IsZero()
	TestSet                  // v != nil && !v.IsZero()
	TestSetInner             // like TestSet, for an interface that may hold a nil pointer
	TestReflect              // needs reflection: hidden fields that cannot be compared, types without a name
	TestNever                // never written
)

// Condition holds if one of its terms holds.
type Condition []Term

// Term is a test of a value or of a part of it.
type Term struct {
	Test Test
	Path []string // selectors below the value
	Type types.Type
}

// conditions returns the conditions under which a field is written. They are encoding/json's,
// except that a nil pointer is always left out.
func conditions(f *model.Field, from *types.Package) []Condition {
	var out []Condition
	t := f.Type.Go
	if f.OmitEmpty {
		if c, ok := notEmpty(t); ok {
			out = append(out, c)
		}
	}
	if f.OmitZero {
		if c := notZero(t, nil, from); !equalCondition(out, c) {
			out = append(out, c)
		}
	}
	switch {
	case f.Nullable || !f.Type.IsNilable():
	case f.Type.Kind == model.Flagged:
		out = append(out, Condition{{Test: TestTrue, Path: []string{f.Type.Flag}}})
	default:
		c := Condition{{Test: TestNotNil}}
		if !equalCondition(out, c) && !f.OmitZero {
			out = append(out, c)
		}
	}
	return out
}

func equalCondition(list []Condition, c Condition) bool {
	for _, other := range list {
		if len(other) == 1 && len(c) == 1 && other[0].Test == c[0].Test && len(other[0].Path) == 0 && len(c[0].Path) == 0 {
			return true
		}
	}
	return false
}

// notEmpty returns the negation of encoding/json's isEmptyValue, or false if the value is never
// empty.
func notEmpty(t types.Type) (Condition, bool) {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return basic(u, t), true
	case *types.Pointer, *types.Interface:
		return Condition{{Test: TestNotNil}}, true
	case *types.Slice, *types.Map:
		return Condition{{Test: TestLen}}, true
	case *types.Array:
		if u.Len() == 0 {
			return Condition{{Test: TestNever}}, true
		}
	}
	return nil, false
}

// notZero returns the negation of encoding/json's test for omitzero: the IsZero method if the type
// has one, otherwise reflect.Value.IsZero.
func notZero(t types.Type, path []string, from *types.Package) Condition {
	if len(path) == 0 {
		if test, ok := isZeroMethod(t); ok {
			return Condition{{Test: test, Type: t}}
		}
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		c := basic(u, t)
		c[0].Path = path
		return c
	case *types.Pointer, *types.Interface, *types.Slice, *types.Map, *types.Signature, *types.Chan:
		return Condition{{Test: TestNotNil, Path: path}}
	case *types.Array:
		if u.Len() == 0 {
			return Condition{{Test: TestNever, Path: path}}
		}
	case *types.Struct:
		if !types.Comparable(t) {
			return notZeroFields(t, u, path, from)
		}
		if u.NumFields() == 0 {
			return Condition{{Test: TestNever, Path: path}}
		}
	}
	if types.Comparable(t) && nameable(t, from, map[types.Type]bool{}) {
		return Condition{{Test: TestNotEqual, Path: path, Type: t}}
	}
	return Condition{{Test: TestReflect, Path: path, Type: t}}
}

// notZeroFields tests each field of a struct that cannot be compared.
func notZeroFields(t types.Type, u *types.Struct, path []string, from *types.Package) Condition {
	var out Condition
	for f := range u.Fields() {
		if f.Name() == "_" || !f.Exported() && f.Pkg() != from {
			return Condition{{Test: TestReflect, Path: path, Type: t}}
		}
		for _, term := range notZero(f.Type(), append(path[:len(path):len(path)], f.Name()), from) {
			if term.Test == TestReflect {
				return Condition{{Test: TestReflect, Path: path, Type: t}}
			}
			if term.Test != TestNever {
				out = append(out, term)
			}
		}
	}
	return out
}

func basic(b *types.Basic, t types.Type) Condition {
	switch {
	case b.Info()&types.IsBoolean != 0:
		return Condition{{Test: TestTrue}}
	case b.Info()&types.IsString != 0:
		return Condition{{Test: TestNotBlank}}
	case b.Info()&types.IsNumeric != 0:
		return Condition{{Test: TestNotZero}}
	}
	return Condition{{Test: TestNotNil, Type: t}}
}

// isZeroMethod returns the test that calls the IsZero method of t, or false if t has no such
// method.
func isZeroMethod(t types.Type) (Test, bool) {
	obj, _, _ := types.LookupFieldOrMethod(t, true, nil, "IsZero")
	fn, ok := obj.(*types.Func)
	if !ok {
		return 0, false
	}
	sig := fn.Signature()
	if sig.Params().Len() != 0 || sig.Results().Len() != 1 || !types.Identical(sig.Results().At(0).Type(), types.Typ[types.Bool]) {
		return 0, false
	}
	switch t.Underlying().(type) {
	case *types.Interface:
		return TestSetInner, true
	case *types.Pointer:
		return TestSet, true
	}
	return TestIsZero, true
}
