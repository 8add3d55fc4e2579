package values

import (
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// unmarshal is like json.Unmarshal, but returns an error for a panic, like a call.
func unmarshal(text []byte, v any) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	return json.Unmarshal(text, v)
}

// hasForm reports whether a type implements JSON or text methods.
func hasForm(t reflect.Type) bool {
	t = reflect.PointerTo(t)
	for _, method := range []reflect.Type{
		reflect.TypeFor[json.Marshaler](), reflect.TypeFor[json.Unmarshaler](),
		reflect.TypeFor[encoding.TextMarshaler](), reflect.TypeFor[encoding.TextUnmarshaler](),
	} {
		if t.Implements(method) {
			return true
		}
	}
	return false
}

// byMethods reports whether a value is invalid only in places of types with JSON or text methods,
// and these methods accept it: they take precedence (exception 6 of docs/write/types.md).
func byMethods(t reflect.Type, value any, invalid error) bool {
	var e *jsonschema.ValidationError
	if !errors.As(invalid, &e) {
		return false
	}
	if len(e.Causes) == 0 {
		return takes(t, value, e.InstanceLocation)
	}
	for _, cause := range e.Causes {
		if !byMethods(t, value, cause) {
			return false
		}
	}
	return true
}

// takes reports whether a type on the way to a place in a value accepts its part by a method of its
// own.
func takes(t reflect.Type, value any, place []string) bool {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if hasForm(t) {
		text, err := json.Marshal(value)
		return err == nil && unmarshal(text, reflect.New(t).Interface()) == nil
	}
	if len(place) == 0 {
		return false
	}
	switch value := value.(type) {
	case map[string]any:
		member, ok := value[place[0]]
		if t.Kind() == reflect.Struct {
			if t = fieldOf(t, place[0]); t == nil {
				return false
			}
			return ok && takes(t, member, place[1:])
		}
		return ok && t.Kind() == reflect.Map && takes(t.Elem(), member, place[1:])
	case []any:
		var i int
		_, err := fmt.Sscan(place[0], &i)
		return err == nil && i < len(value) && (t.Kind() == reflect.Slice || t.Kind() == reflect.Array) && takes(t.Elem(), value[i], place[1:])
	}
	return false
}

// fieldOf returns the type of a struct member, or nil.
func fieldOf(t reflect.Type, member string) reflect.Type {
	for i := range t.NumField() {
		f := t.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		inner := f.Type
		if inner.Kind() == reflect.Pointer {
			inner = inner.Elem()
		}
		switch {
		case f.Anonymous && name == "" && inner.Kind() == reflect.Struct:
			if found := fieldOf(inner, member); found != nil {
				return found
			}
		case f.IsExported() && (name == member || name == "" && f.Name == member):
			return f.Type
		}
	}
	return nil
}
