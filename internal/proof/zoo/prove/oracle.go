package prove

import (
	"encoding/json"
	"fmt"
	"math/big"
	"net/url"
	"reflect"
	"strconv"
	"strings"
	"time"
)

// excuse is called with the number of every accepted difference.
type excuse func(Exception)

// plain converts a valid value to one that encoding/json reads in the same way: exact integers in
// plain digits, without nulls that count as absent, with defaults for missing values, and with
// nanoseconds for durations that are encoded as text.
func plain(n *Node, s *Schema, t reflect.Type, excused excuse) *Node {
	s, t = s.of(n), behind(t)
	if s == nil || methodical(t) && t != bigIntType {
		return n
	}
	switch n.Kind {
	case '0':
		if x, ok := new(big.Rat).SetString(n.Text); ok && s.Type == "integer" && x.IsInt() && !isAny(t) {
			if n.Text != x.Num().String() {
				excused(Integers)
			}
			return numeral(x.Num().String())
		}
	case '"':
		if t == rawType {
			return n
		}
		if d, err := time.ParseDuration(n.Text); err == nil && t == durationType && s.travelsAsText() {
			excused(Durations)
			return numeral(strconv.FormatInt(int64(d), 10))
		}
		if t == timeType && n.Raw != "" {
			excused(EscapedTime)
			return text(n.Text)
		}
		return n
	case '[':
		if t == rawType {
			return n
		}
		out := list()
		for _, item := range n.Items {
			out.Items = append(out.Items, plain(item, s.Items, element(t), excused))
		}
		return out
	case '{':
		if t == rawType {
			return n
		}
		out := object()
		for _, m := range n.Members {
			if absent(s, m) {
				excused(AbsentNull)
				continue
			}
			out.Members = append(out.Members, Member{Name: m.Name, Raw: m.Raw, Value: plain(m.Value, s.property(m.Name), child(t, m.Name), excused)})
		}
		for _, p := range s.Properties {
			d := p.Schema.defaults()
			if d != nil && out.Get(p.Name) == nil {
				excused(Defaults)
				out.Members = append(out.Members, Member{Name: p.Name, Value: plain(d, p.Schema, child(t, p.Name), excused)})
			}
		}
		return out
	}
	return n
}

// bigIntType is a type whose own method reads only digits.
var bigIntType = reflect.TypeFor[big.Int]()

// travelsAsText reports whether the schema describes a duration such as "1h30m", rather than a
// number in a string.
func (s *Schema) travelsAsText() bool { return strings.Contains(s.Pattern, "µs") }

func (s *Schema) defaults() *Node {
	for ; s != nil; s = s.Ref {
		if s.Default != nil {
			return s.Default
		}
	}
	return nil
}

// absent reports whether a member is a null that counts as absent.
func absent(s *Schema, m Member) bool {
	if s == nil || m.Value.Kind != 'n' || s.Required[m.Name] {
		return false
	}
	for _, p := range s.Properties {
		if p.Name == m.Name {
			return !p.Schema.takesNull()
		}
	}
	return false
}

// reference returns the arguments as encoding/json decodes them.
func reference(n *Node, s *Schema, t reflect.Type, whole bool, excused excuse) (reflect.Value, error) {
	holder := holderOf(t, whole)
	data := plain(n, s, holder, excused).Append(nil)
	v := reflect.New(holder)
	if err := json.Unmarshal(data, v.Interface()); err != nil {
		return reflect.Value{}, fmt.Errorf("%w (of %s)", err, data)
	}
	if whole {
		return v.Elem(), nil
	}
	return v.Elem().Field(0), nil
}

// holderOf returns the type to which the arguments as a whole are decoded.
func holderOf(t reflect.Type, whole bool) reflect.Type {
	if whole {
		return t
	}
	return reflect.StructOf([]reflect.StructField{{Name: "Value", Type: t, Tag: `json:"value"`}})
}

// difference returns a description of the difference between two values, or "". If loose is set,
// empty slices and maps equal nil ones, and raw JSON is compared as JSON.
func difference(a, b reflect.Value, loose bool) string {
	return differ("", a, b, loose, 0)
}

func differ(path string, a, b reflect.Value, loose bool, depth int) string {
	if depth > 200 {
		return ""
	}
	if a.IsValid() != b.IsValid() {
		return fmt.Sprintf("%s: one is nil", path)
	}
	if !a.IsValid() {
		return ""
	}
	if a.Type() != b.Type() {
		return fmt.Sprintf("%s: type %s or %s", path, a.Type(), b.Type())
	}
	if a.Type() == timeType && a.CanInterface() {
		x, y := a.Interface().(time.Time), b.Interface().(time.Time)
		_, offset := x.Zone()
		_, other := y.Zone()
		if !x.Equal(y) || offset != other {
			return fmt.Sprintf("%s: %s or %s", path, x, y)
		}
		return ""
	}
	if a.Type() == urlType && a.CanInterface() {
		x, y := a.Interface().(url.URL), b.Interface().(url.URL)
		if x.String() != y.String() {
			return fmt.Sprintf("%s: %s or %s", path, &x, &y)
		}
		return ""
	}
	if loose && a.Type() == rawType {
		if respelt(a.Bytes()) == respelt(b.Bytes()) {
			return ""
		}
	}
	simple := func(equal bool) string {
		if equal {
			return ""
		}
		return fmt.Sprintf("%s: %v or %v", path, a, b)
	}
	switch a.Kind() {
	case reflect.Bool:
		return simple(a.Bool() == b.Bool())
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return simple(a.Int() == b.Int())
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return simple(a.Uint() == b.Uint())
	case reflect.Float32, reflect.Float64:
		x, y := a.Float(), b.Float()
		return simple(x == y && (loose || (1/x > 0) == (1/y > 0)) || x != x && y != y)
	case reflect.String:
		if a.String() != b.String() {
			return fmt.Sprintf("%s: %q or %q", path, a, b)
		}
	case reflect.Pointer, reflect.Interface:
		if a.IsNil() || b.IsNil() {
			return simple(a.IsNil() == b.IsNil())
		}
		return differ(path, a.Elem(), b.Elem(), loose, depth+1)
	case reflect.Slice:
		if !loose && a.IsNil() != b.IsNil() {
			return fmt.Sprintf("%s: nil or empty", path)
		}
		fallthrough
	case reflect.Array:
		if a.Len() != b.Len() {
			return fmt.Sprintf("%s: %d or %d elements", path, a.Len(), b.Len())
		}
		for i := range a.Len() {
			if d := differ(path+"["+strconv.Itoa(i)+"]", a.Index(i), b.Index(i), loose, depth+1); d != "" {
				return d
			}
		}
	case reflect.Map:
		if !loose && a.IsNil() != b.IsNil() {
			return fmt.Sprintf("%s: nil or empty", path)
		}
		if a.Len() != b.Len() {
			return fmt.Sprintf("%s: %d or %d entries", path, a.Len(), b.Len())
		}
		for it := a.MapRange(); it.Next(); {
			other := b.MapIndex(it.Key())
			if d := differ(fmt.Sprintf("%s[%v]", path, it.Key()), it.Value(), other, loose, depth+1); d != "" {
				return d
			}
		}
	case reflect.Struct:
		for i := range a.NumField() {
			if d := differ(path+"."+a.Type().Field(i).Name, a.Field(i), b.Field(i), loose, depth+1); d != "" {
				return d
			}
		}
	}
	return ""
}

// respelt returns JSON text without white space, with its strings in one spelling.
func respelt(data []byte) string {
	if len(data) == 0 {
		return "null"
	}
	n, err := ParseNode(string(data))
	if err != nil {
		return string(data)
	}
	return n.String()
}

// outputs returns a description of the difference between a result and the output of encoding/json,
// or "" if all differences have a number: nil slices and maps are empty, nil pointers are omitted,
// durations may be text, and pointer methods are called for values that are not addressable.
func outputs(path string, ours, theirs *Node, t reflect.Type, addressable bool, excused excuse) string {
	if behind(t) == durationType && ours.Kind == '"' && theirs.Kind == '0' {
		d, err := time.ParseDuration(ours.Text)
		if err == nil && strconv.FormatInt(int64(d), 10) == theirs.Text {
			excused(Durations)
			return ""
		}
	}
	b := behind(t)
	if addressable = addressable || t != nil && (t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice); !addressable && shy(b) {
		if ours.String() != theirs.String() {
			excused(PointerMethods)
		}
		return ""
	}
	if theirs.Kind == 'n' && ours.Kind != 'n' && b != nil {
		empty := ours.Kind == '[' && len(ours.Items) == 0 && b.Kind() == reflect.Slice ||
			ours.Kind == '{' && len(ours.Members) == 0 && b.Kind() == reflect.Map ||
			ours.Kind == '"' && ours.Text == "" && b.Kind() == reflect.Slice
		if empty {
			excused(EmptyForNil)
			return ""
		}
	}
	if ours.Kind != theirs.Kind {
		return fmt.Sprintf("%s: %s instead of %s", path, ours, theirs)
	}
	switch ours.Kind {
	case '[':
		if len(ours.Items) != len(theirs.Items) {
			return fmt.Sprintf("%s: %s instead of %s", path, ours, theirs)
		}
		for i := range ours.Items {
			if d := outputs(path+"["+strconv.Itoa(i)+"]", ours.Items[i], theirs.Items[i], element(t), addressable, excused); d != "" {
				return d
			}
		}
	case '{':
		isMap := b != nil && b.Kind() == reflect.Map
		if isMap && shy(b.Key()) && len(ours.Members) == len(theirs.Members) {
			if len(ours.Members) > 0 {
				excused(PointerMethods) // the names differ
			}
			return ""
		}
		return outputMembers(path, ours, theirs, t, addressable && !isMap, excused)
	default:
		if ours.Text != theirs.Text {
			return fmt.Sprintf("%s: %s instead of %s", path, ours, theirs)
		}
	}
	return ""
}

func outputMembers(path string, ours, theirs *Node, t reflect.Type, addressable bool, excused excuse) string {
	for _, m := range ours.Members {
		if theirs.Get(m.Name) == nil {
			return fmt.Sprintf("%s: has %s", path, m.Name)
		}
	}
	i := 0
	for _, m := range theirs.Members {
		c := child(t, m.Name)
		if i == len(ours.Members) || ours.Members[i].Name != m.Name {
			if m.Value.Kind == 'n' && c != nil && c.Kind() == reflect.Pointer && ours.Get(m.Name) == nil {
				excused(NilLeftOut)
				continue
			}
			return fmt.Sprintf("%s: member %s is missing or elsewhere", path, m.Name)
		}
		if d := outputs(joinPath(path, m.Name), ours.Members[i].Value, m.Value, c, addressable, excused); d != "" {
			return d
		}
		i++
	}
	return ""
}
