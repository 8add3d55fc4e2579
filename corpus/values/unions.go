package values

import (
	"encoding/json"
	"fmt"
	"net/url"
	"reflect"
	"slices"
	"strings"
)

// Unions contains the sealed interfaces within types, each with its implementations: pointers if
// only pointers implement it.
type Unions map[reflect.Type][]reflect.Type

// Of returns the dynamic types of values, for a table of unions.
func Of(all ...any) (types []reflect.Type) {
	for _, v := range all {
		types = append(types, reflect.TypeOf(v))
	}
	return types
}

// discriminator is the member that names the type of a value in a sealed interface.
const discriminator = "type"

// marshal is like json.Marshal, but adds the discriminators, which encoding/json does not know. It
// returns an error for a panic, like a call.
func (u Unions) marshal(v reflect.Value) (tree any, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	text, err := json.Marshal(v.Interface())
	if err != nil {
		return nil, err
	}
	if tree, err = parse(text); err == nil {
		tree = u.mark(v, tree)
	}
	return tree, err
}

// mark adds the discriminators to the output of encoding/json, and replaces the fields of a url.URL
// with its string (23 in docs/write/types.md).
func (u Unions) mark(v reflect.Value, tree any) any {
	if v.Kind() == reflect.Interface {
		if object, ok := tree.(map[string]any); ok && slices.Contains(u[v.Type()], v.Elem().Type()) {
			t := v.Elem().Type()
			if t.Kind() == reflect.Pointer {
				t = t.Elem()
			}
			object[discriminator] = t.Name()
		}
	}
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			return u.mark(v.Elem(), tree)
		}
		return tree
	}
	if address, ok := v.Interface().(url.URL); ok {
		return address.String()
	}
	if hasForm(v.Type()) {
		return tree
	}
	switch tree := tree.(type) {
	case map[string]any:
		if v.Kind() == reflect.Map {
			for key, elem := range v.Seq2() {
				if name := fmt.Sprint(key); tree[name] != nil {
					tree[name] = u.mark(elem, tree[name])
				}
			}
		} else {
			u.markFields(v, tree)
		}
	case []any:
		for i := range tree {
			tree[i] = u.mark(v.Index(i), tree[i])
		}
	}
	return tree
}

func (u Unions) markFields(v reflect.Value, object map[string]any) {
	for i := range v.NumField() {
		f := v.Type().Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case name == "-":
		case f.Anonymous && name == "":
			if inner := reflect.Indirect(v.Field(i)); inner.Kind() == reflect.Struct {
				u.markFields(inner, object)
			}
		case f.IsExported():
			if name == "" {
				name = f.Name
			}
			if object[name] != nil {
				object[name] = u.mark(v.Field(i), object[name])
			}
		}
	}
}

// within reports whether values of a type may contain unions.
func (u Unions) within(t reflect.Type, seen map[reflect.Type]bool) bool {
	if seen[t] {
		return false
	}
	seen[t] = true
	switch t.Kind() {
	case reflect.Interface:
		return u[t] != nil
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map:
		return u.within(t.Elem(), seen)
	case reflect.Struct:
		for i := range t.NumField() {
			if f := t.Field(i); (f.IsExported() || f.Anonymous) && u.within(f.Type, seen) {
				return true
			}
		}
	}
	return false
}

// lost describes the part of an argument that the value created from it lacks, or returns "".
// Omitted members must be empty in the value.
func lost(path string, argument, value any) string {
	switch argument := argument.(type) {
	case nil:
		return "" // it counts as missing
	case map[string]any:
		object, ok := value.(map[string]any)
		if !ok {
			break
		}
		for name, member := range argument {
			if where := lost(path+"."+name, member, object[name]); where != "" {
				return where
			}
		}
		for name, member := range object {
			if _, there := argument[name]; !there && !isZero(member) {
				return fmt.Sprintf("%s.%s is too much: %s", path, name, short(member))
			}
		}
		return ""
	case []any:
		list, ok := value.([]any)
		if !ok || len(list) != len(argument) {
			break
		}
		for i := range argument {
			if where := lost(fmt.Sprintf("%s[%d]", path, i), argument[i], list[i]); where != "" {
				return where
			}
		}
		return ""
	}
	return differ(path, argument, value)
}

func isZero(v any) bool {
	if object, ok := v.(map[string]any); ok {
		for _, member := range object {
			if !isZero(member) {
				return false
			}
		}
		return true
	}
	return isEmpty(v) || v == false || v == json.Number("0") || v == "0001-01-01T00:00:00Z"
}
