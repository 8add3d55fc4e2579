package prove

import (
	"database/sql/driver"
	"encoding"
	"encoding/json"
	"go/token"
	"net/url"
	"reflect"
	"strings"
	"sync"
	"time"
)

var (
	textUnmarshaler   = reflect.TypeFor[encoding.TextUnmarshaler]()
	jsonUnmarshaler   = reflect.TypeFor[json.Unmarshaler]()
	binaryUnmarshaler = reflect.TypeFor[encoding.BinaryUnmarshaler]()
	textMarshaler     = reflect.TypeFor[encoding.TextMarshaler]()
	jsonMarshaler     = reflect.TypeFor[json.Marshaler]()
	urlType           = reflect.TypeFor[url.URL]()
	timeType          = reflect.TypeFor[time.Time]()
	durationType      = reflect.TypeFor[time.Duration]()
	rawType           = reflect.TypeFor[json.RawMessage]()
	valuer            = reflect.TypeFor[driver.Valuer]()
	numberType        = reflect.TypeFor[json.Number]()
)

// behind returns a type without leading pointers, or nil for nil.
func behind(t reflect.Type) reflect.Type {
	for t != nil && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t
}

// flagged returns the type of the value beside a flag, as in sql.Null[T], or nil for other types.
func flagged(t reflect.Type) reflect.Type {
	if t.Kind() != reflect.Struct || t.NumField() != 2 || t.Field(1).Name != "Valid" || !t.Implements(valuer) || methodical(t) {
		return nil
	}
	return t.Field(0).Type
}

// methodical reports whether a method of the type reads its JSON form.
func methodical(t reflect.Type) bool {
	if t == nil || t == timeType || t == rawType {
		return false
	}
	p := reflect.PointerTo(t)
	return p.Implements(textUnmarshaler) || p.Implements(jsonUnmarshaler)
}

// unnameable reports whether generated code cannot name a type, because another package does not
// export it; encoding/json then reads and writes it.
func unnameable(t reflect.Type) bool {
	return t != nil && t.PkgPath() != "" && t.Name() != "" && !token.IsExported(t.Name())
}

// asKey reports whether UnmarshalText reads keys of a type.
func asKey(t reflect.Type) bool { return reflect.PointerTo(t).Implements(textUnmarshaler) }

// anyKey reports whether a map somewhere in a type has a key type for which is returns true.
func anyKey(t reflect.Type, is func(reflect.Type) bool) bool {
	seen := map[reflect.Type]bool{}
	var visit func(t reflect.Type) bool
	visit = func(t reflect.Type) bool {
		if seen[t] {
			return false
		}
		seen[t] = true
		switch t.Kind() {
		case reflect.Map:
			return is(t.Key()) || visit(t.Elem())
		case reflect.Pointer, reflect.Slice, reflect.Array:
			return visit(t.Elem())
		case reflect.Struct:
			for f := range t.Fields() {
				if visit(f.Type) {
					return true
				}
			}
		}
		return false
	}
	return visit(t)
}

// twoForms reports whether a type has different forms as a key and as a value; encoding/json writes
// one and reads the other.
func twoForms(t reflect.Type) bool {
	return asKey(t) && reflect.PointerTo(t).Implements(jsonUnmarshaler)
}

// shy reports whether only a pointer method writes the type: encoding/json calls it only for
// addressable values, and generated code always.
func shy(t reflect.Type) bool {
	if t == nil || t.Kind() == reflect.Interface {
		return false
	}
	p := reflect.PointerTo(t)
	return p.Implements(jsonMarshaler) && !t.Implements(jsonMarshaler) ||
		p.Implements(textMarshaler) && !t.Implements(textMarshaler) && !t.Implements(jsonMarshaler)
}

// child returns the type of a member, or nil if it is unknown.
func child(t reflect.Type, name string) reflect.Type {
	t = behind(t)
	switch {
	case t == nil:
		return nil
	case t.Kind() == reflect.Map:
		return t.Elem()
	case t.Kind() != reflect.Struct:
		return nil
	}
	key := member{t, name}
	if found, ok := members.Load(key); ok {
		f, _ := found.(reflect.Type)
		return f
	}
	if f, ok := fieldOf(t, name); ok {
		members.Store(key, f.Type)
		return f.Type
	}
	return nil
}

// members caches the types of members.
var members sync.Map // of member to reflect.Type

type member struct {
	t    reflect.Type
	name string
}

// fieldOf returns the field of a struct with a JSON name: the least deeply embedded one, and among
// several the one with a tag.
func fieldOf(t reflect.Type, name string) (reflect.StructField, bool) {
	seen := map[reflect.Type]bool{}
	for level := []reflect.Type{t}; len(level) > 0; {
		var next []reflect.Type
		var best *reflect.StructField
		bestTagged := false
		for _, t := range level {
			if seen[t] {
				continue
			}
			seen[t] = true
			for i := range t.NumField() {
				f := t.Field(i)
				option := f.Tag.Get("json")
				tag, _, _ := strings.Cut(option, ",")
				if b := behind(f.Type); f.Anonymous && tag == "" && b.Kind() == reflect.Struct {
					next = append(next, b)
					continue
				}
				is := tag
				if is == "" || strings.ContainsAny(is, "\"\\`'") {
					is = f.Name
				}
				if is != name || option == "-" || !f.IsExported() {
					continue
				}
				if tagged := is == tag; best == nil || tagged && !bestTagged {
					best, bestTagged = &f, tagged
				}
			}
		}
		if best != nil {
			return *best, true
		}
		level = next
	}
	return reflect.StructField{}, false
}

// element returns the type of an item.
func element(t reflect.Type) reflect.Type {
	if t = behind(t); t != nil && (t.Kind() == reflect.Slice || t.Kind() == reflect.Array) {
		return t.Elem()
	}
	return nil
}
