package show

import (
	"encoding"
	"fmt"
	"log/slog"
	"reflect"
	"slices"
)

const (
	maxDepth  = 32      // of groups
	maxGroups = 4096    // attributes of one record, including attributes in groups
	maxLevels = 200     // of a value
	maxParts  = 200_000 // of a value
)

// endless replaces a value that nests without end.
var endless = slog.StringValue("!ERROR: the value contains itself, or has too many parts")

// Safe returns attributes that every handler of slog can print: text handlers use fmt, which
// follows maps and slices that contain themselves until the stack overflows, and all handlers
// follow groups that make new groups. Usually it returns the attributes unchanged.
func Safe(attrs []slog.Attr) []slog.Attr {
	left := maxGroups
	return safe(attrs, 0, &left)
}

func safe(attrs []slog.Attr, depth int, left *int) []slog.Attr {
	copied := false
	for i, a := range attrs {
		*left--
		v, changed := safeValue(a.Value, depth, left)
		if !changed {
			continue
		}
		if !copied {
			attrs, copied = slices.Clone(attrs), true
		}
		attrs[i].Value = v
	}
	return attrs
}

// safeValue returns the value to log, and whether it differs from v.
func safeValue(v slog.Value, depth int, left *int) (_ slog.Value, changed bool) {
	switch v.Kind() {
	case slog.KindLogValuer:
		v, _ = safeValue(v.Resolve(), depth, left)
		return v, true
	case slog.KindGroup:
		group := v.Group()
		if depth >= maxDepth || *left < len(group) {
			return endless, true
		}
		// A new slice means that safe has changed an attribute.
		if inner := safe(group, depth+1, left); len(inner) > 0 && &inner[0] != &group[0] {
			return slog.GroupValue(inner...), true
		}
	case slog.KindAny:
		if v := v.Any(); !hasText(v) && !new(walk).ends(reflect.ValueOf(v), 0) {
			return endless, true
		}
	}
	return v, false
}

// hasText reports whether a value has a method that returns its printed form.
func hasText(v any) bool {
	switch v.(type) {
	case error, fmt.Stringer, fmt.Formatter, encoding.TextMarshaler:
		return true
	}
	return false
}

// walk visits the parts of a value that fmt prints, and the parts behind pointers that
// encoding/json writes.
type walk struct {
	parts  int
	inside []uintptr // pointers that are being followed
}

// ends reports whether the parts of a value are finite. A cycle through a pointer does no harm: fmt
// prints pointers inside of values as addresses, and encoding/json detects it.
func (w *walk) ends(v reflect.Value, level int) bool {
	if w.parts++; level > maxLevels || w.parts > maxParts {
		return false
	}
	switch v.Kind() {
	case reflect.Pointer:
		if slices.Contains(w.inside, v.Pointer()) {
			return true
		}
		w.inside = append(w.inside, v.Pointer())
		ok := w.ends(v.Elem(), level+1)
		w.inside = w.inside[:len(w.inside)-1]
		return ok
	case reflect.Interface:
		return v.IsNil() || w.ends(v.Elem(), level+1)
	case reflect.Struct:
		for i := range v.NumField() {
			if !w.ends(v.Field(i), level+1) {
				return false
			}
		}
	case reflect.Slice, reflect.Array:
		if flatKind(v.Type().Elem().Kind()) {
			return true
		}
		for i := range v.Len() {
			if !w.ends(v.Index(i), level+1) {
				return false
			}
		}
	case reflect.Map:
		for at := v.MapRange(); at.Next(); {
			if !w.ends(at.Key(), level+1) || !w.ends(at.Value(), level+1) {
				return false
			}
		}
	}
	return true
}
