package wire

import (
	"cmp"
	"reflect"
	"slices"
	"strings"
	"unicode"
)

// structField is a field of a struct, or of a struct embedded in it.
type structField struct {
	name   string // JSON string without its quotes
	index  []int
	tagged bool // the name is from the tag
	writer *writer

	omitEmpty bool
	omitZero  func(reflect.Value) bool // nil if a zero value is written
	quoted    bool
}

// in returns the field of a struct. It does not exist if the path leads through a nil pointer to an
// embedded struct.
func (f *structField) in(v reflect.Value) (reflect.Value, bool) {
	for i, at := range f.index {
		if i > 0 && v.Kind() == reflect.Pointer {
			if v.IsNil() {
				return reflect.Value{}, false
			}
			v = v.Elem()
		}
		v = v.Field(at)
	}
	return v, true
}

// leftOut reports whether omitempty or omitzero omits a value.
func (f *structField) leftOut(v reflect.Value) bool {
	return f.omitEmpty && isEmpty(v) || f.omitZero != nil && f.omitZero(v)
}

func isEmpty(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Array, reflect.Map, reflect.Slice, reflect.String:
		return v.Len() == 0
	case reflect.Struct, reflect.Chan, reflect.Func, reflect.UnsafePointer, reflect.Complex64, reflect.Complex128:
		return false
	}
	return v.IsZero()
}

// isZeroer is implemented by types that define their zero value.
type isZeroer interface{ IsZero() bool }

// zeroTest returns a function that compares values of a type with zero.
func zeroTest(t reflect.Type) func(reflect.Value) bool {
	asks := reflect.TypeFor[isZeroer]()
	switch {
	case t.Implements(asks):
		return func(v reflect.Value) bool {
			switch {
			case v.Kind() != reflect.Interface && v.Kind() != reflect.Pointer:
			case v.IsNil(), v.Kind() == reflect.Interface && v.Elem().Kind() == reflect.Pointer && v.Elem().IsNil():
				return true
			}
			return v.Interface().(isZeroer).IsZero()
		}
	case reflect.PointerTo(t).Implements(asks):
		return func(v reflect.Value) bool {
			if !v.CanAddr() {
				at := reflect.New(t).Elem()
				at.Set(v)
				v = at
			}
			return v.Addr().Interface().(isZeroer).IsZero()
		}
	}
	return reflect.Value.IsZero
}

// structFields returns the fields of a struct that encoding/json writes, in its order: of several
// with the same name the least deeply embedded one, of these the one named by its tag, and none if
// several remain.
func structFields(t reflect.Type) []*structField {
	type embedded struct {
		t     reflect.Type
		index []int
	}
	var found []*structField
	visited := map[reflect.Type]bool{}
	for level := []embedded{{t: t}}; len(level) > 0; {
		var next []embedded
		times := map[reflect.Type]int{} // how often a struct is embedded at this level
		for _, s := range level {
			times[s.t]++
		}
		for _, s := range level {
			if visited[s.t] {
				continue
			}
			visited[s.t] = true
			for i := range s.t.NumField() {
				field := s.t.Field(i)
				inner := field.Type
				if inner.Kind() == reflect.Pointer && inner.Name() == "" {
					inner = inner.Elem()
				}
				if !field.IsExported() && !(field.Anonymous && inner.Kind() == reflect.Struct) {
					continue
				}
				tag := field.Tag.Get("json")
				if tag == "-" {
					continue
				}
				name, options, _ := strings.Cut(tag, ",")
				if !isTagName(name) {
					name = ""
				}
				index := append(slices.Clone(s.index), i)
				if name == "" && field.Anonymous && inner.Kind() == reflect.Struct {
					next = append(next, embedded{inner, index})
					continue
				}
				f := newStructField(field, inner, name, options, index)
				found = append(found, f)
				if times[s.t] > 1 {
					found = append(found, f) // the same name at the same level: both are ignored
				}
			}
		}
		level = next
	}
	return dominant(found)
}

func newStructField(field reflect.StructField, inner reflect.Type, name, options string, index []int) *structField {
	f := &structField{name: cmp.Or(name, field.Name), index: index, tagged: name != "", writer: writerOf(field.Type)}
	for option := range strings.SplitSeq(options, ",") {
		switch option {
		case "omitempty":
			f.omitEmpty = true
		case "omitzero":
			f.omitZero = zeroTest(field.Type)
		case "string":
			f.quoted = isQuotable(inner.Kind())
		}
	}
	return f
}

// dominant picks one field of each name.
func dominant(found []*structField) []*structField {
	slices.SortStableFunc(found, func(a, b *structField) int {
		return cmp.Or(cmp.Compare(a.name, b.name), cmp.Compare(len(a.index), len(b.index)), compareTagged(a, b))
	})
	var fields []*structField
	for i := 0; i < len(found); {
		first, end := found[i], i+1
		for end < len(found) && found[end].name == first.name {
			end++
		}
		if end == i+1 || len(found[i+1].index) != len(first.index) || found[i+1].tagged != first.tagged {
			fields = append(fields, first)
		}
		i = end
	}
	slices.SortFunc(fields, func(a, b *structField) int { return slices.Compare(a.index, b.index) })
	for _, f := range fields {
		quoted := AppendString(nil, f.name)
		f.name = string(quoted[1 : len(quoted)-1])
	}
	return fields
}

func compareTagged(a, b *structField) int {
	switch {
	case a.tagged == b.tagged:
		return 0
	case a.tagged:
		return -1
	}
	return 1
}

// isQuotable reports whether the option string applies to a kind.
func isQuotable(k reflect.Kind) bool {
	return k == reflect.Bool || k == reflect.String || k >= reflect.Int && k <= reflect.Float64
}

// isQuoted reports whether a value of the field is written inside a string: not if it is nil, nor
// if a method writes it.
func (f *structField) isQuoted(v reflect.Value) bool {
	switch {
	case !f.quoted:
		return false
	case v.Kind() == reflect.Pointer:
		return !v.IsNil() && !hasMethod(v.Type(), false)
	}
	return !hasMethod(v.Type(), v.CanAddr())
}

func hasMethod(t reflect.Type, addressable bool) bool {
	return t.Implements(jsonMarshaler) || t.Implements(textMarshaler) || addressable && hasMethod(reflect.PointerTo(t), false)
}

// isTagName reports whether encoding/json accepts a string as a name.
func isTagName(s string) bool {
	for _, c := range s {
		if !strings.ContainsRune("!#$%&()*+-./:;<=>?@[]^_{|}~ ", c) && !unicode.IsLetter(c) && !unicode.IsDigit(c) {
			return false
		}
	}
	return s != ""
}
