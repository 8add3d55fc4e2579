package wire

import (
	"maps"
	"math"
	"slices"
	"strings"
)

// relax returns a value as lenient mode reads it: the value quoted in a string, or a list of it, if
// the schema allows no string, like for values of static types. texts is the number of strings
// opened around it, and depth the remaining nesting.
func (s *valueSchema) relax(v any, depth, texts int) any {
	switch w := v.(type) {
	case string:
		v = s.relaxText(w, depth, texts)
	case float64:
		// The digits of any other number may differ from the digits that were sent.
		if kinds := s.kinds(); kinds&stringValue != 0 && kinds&typeOf(v) == 0 && typeOf(v) == integerValue && math.Abs(w) < 1<<53 {
			v = string(AppendFloat(nil, w, 64))
		}
	case []any:
		if s.items != nil {
			list := make([]any, len(w))
			for i, item := range w {
				list[i] = s.items.relax(item, depth-1, texts)
			}
			v = list
		}
	case map[string]any:
		if s.properties != nil || s.others != nil {
			object := make(map[string]any, len(w))
			for name, member := range w {
				if part := s.part(name); part != nil {
					member = part.relax(member, depth-1, texts)
				}
				object[name] = member
			}
			v = object
		}
	}
	for _, list := range [][]*valueSchema{s.anyOf, s.oneOf} {
		for _, a := range list {
			if w := a.relax(v, depth, texts); a.check(w, nil) {
				return w
			}
		}
	}
	return v
}

// part returns the schema of a member, or nil.
func (s *valueSchema) part(name string) *valueSchema {
	if part := s.properties[name]; part != nil {
		return part
	}
	return s.others
}

// relaxText is like relax, for a string.
func (s *valueSchema) relaxText(text string, depth, texts int) any {
	kinds := s.kinds()
	if kinds&stringValue != 0 {
		return text
	}
	if v, ok := textValue(text, depth); ok && texts < maxTexts && kinds&typeOf(v) != 0 {
		return s.relax(v, depth, texts+1)
	}
	if kinds&arrayValue == 0 || s.items == nil && (s.anyOf != nil || s.oneOf != nil) { // the alternatives describe the items
		return text
	}
	one := s.itemOf(text, depth-1)
	if s.items != nil && !s.items.check(one, nil) {
		if list := s.separate(text, depth-1); list != nil {
			return list
		}
		if s.items.kinds()&typeOf(one) == 0 {
			return text
		}
	}
	return []any{one}
}

// itemOf returns a string as an item: the value that it contains, if the items are of other types.
func (s *valueSchema) itemOf(text string, depth int) any {
	if s.items != nil && s.items.kinds()&stringValue == 0 {
		if v, ok := textValue(text, depth); ok {
			return v
		}
	}
	return text
}

// separate returns the items of a string with commas between them, or nil: see the function
// separate.
func (s *valueSchema) separate(text string, depth int) []any {
	if !s.items.isAtomic() || !strings.Contains(text, ",") || opensJSON([]byte(text)) {
		return nil
	}
	var list []any
	for part := range strings.SplitSeq(text, ",") {
		v := s.itemOf(strings.Trim(part, " \t\r\n"), depth)
		if !s.items.check(v, nil) {
			return nil
		}
		list = append(list, v)
	}
	return list
}

// isAtomic reports whether all values are numbers, booleans or in an enumeration.
func (s *valueSchema) isAtomic() bool {
	return s.values != nil || s.kinds()&(stringValue|arrayValue|objectValue) == 0
}

// advice returns, for a message, the list to send in place of a value, or "".
func (s *valueSchema) advice(v any, depth int) string {
	if s.types&arrayValue == 0 || s.items == nil {
		return ""
	}
	switch v := v.(type) {
	case float64, bool:
	case string:
		if len(v) > shownList {
			return ""
		}
	default:
		return ""
	}
	list, ok := s.relax(v, depth, 0).([]any)
	if !ok {
		list = []any{s.items.relax(v, depth-1, 0)}
	}
	if text := appendValue(nil, list); len(text) <= shownList && s.check(list, nil) {
		return "; send " + string(text)
	}
	return ""
}

// textValue returns the number, boolean, object or array that a string contains.
func textValue(text string, depth int) (any, bool) {
	inner := strings.TrimLeft(text, " \t\r\n")
	if inner == "" || inner[0] == 'n' || inner[0] == '"' || depth < 1 {
		return nil, false
	}
	if inner[0] != '{' && inner[0] != '[' && (inner != text || isSpace(text[len(text)-1])) {
		return nil, false
	}
	var v any
	d := NewDecoder([]byte(inner), Options{MaxDepth: depth})
	Any(d, &v)
	return v, d.Finish() == nil
}

// choosesBlank reports whether an empty string means an omitted value: the schema allows no string,
// except from an enumeration, and no object or list, like for arguments of static types.
func (s *valueSchema) choosesBlank() bool {
	kinds := s.kinds()
	return kinds&(arrayValue|objectValue) == 0 && (kinds&stringValue == 0 || s.values != nil)
}

// equalValues compares two values with the equality of JSON Schema.
func equalValues(a, b any) bool {
	switch a := a.(type) {
	case []any:
		b, ok := b.([]any)
		return ok && slices.EqualFunc(a, b, equalValues)
	case map[string]any:
		b, ok := b.(map[string]any)
		return ok && maps.EqualFunc(a, b, equalValues)
	}
	switch b.(type) {
	case []any, map[string]any:
		return false
	}
	return a == b
}

func sortedNames[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// wanted returns the names of types for a message.
func wanted(types valueType) string {
	var list []string
	for _, t := range valueTypes {
		if types&t.bits == t.bits {
			list = append(list, t.want)
			types &^= t.bits
		}
	}
	if n := len(list); n > 1 {
		return strings.Join(list[:n-1], ", ") + " or " + list[n-1]
	}
	return strings.Join(list, "")
}

// describedValue is like described, for a value of type any.
func describedValue(v any) string {
	switch v.(type) {
	case []any:
		return "an array"
	case map[string]any:
		return "an object"
	}
	return described(appendValue(nil, v))
}

// appendShown appends a value in the format of messages.
func appendShown(b []byte, v any) []byte {
	if v, ok := v.(string); ok {
		return append(b, quote(v)...)
	}
	short, note := shorten(string(appendValue(nil, v)))
	return append(append(b, short...), note...)
}

// appendValue appends a value of type any as JSON.
func appendValue(b []byte, v any) []byte {
	switch v := v.(type) {
	case string:
		return AppendString(b, v)
	case float64:
		return AppendFloat(b, v, 64)
	case bool:
		if v {
			return append(b, "true"...)
		}
		return append(b, "false"...)
	case []any:
		b = append(b, '[')
		for i, item := range v {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendValue(b, item)
		}
		return append(b, ']')
	case map[string]any:
		b = append(b, '{')
		for i, name := range sortedNames(v) {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(AppendString(b, name), ':')
			b = appendValue(b, v[name])
		}
		return append(b, '}')
	}
	return append(b, "null"...)
}
