package wire

import (
	"maps"
	"math"
	"slices"
	"strings"
)

// relax returns what a value is in lenient mode: the value in a text, or the list of it, where the
// schema has no text, as for values of other types. Texts are how many have been opened around it,
// and depth is how deep it may still nest.
func (s *valueSchema) relax(v any, depth, texts int) any {
	switch w := v.(type) {
	case string:
		v = s.relaxText(w, depth, texts)
	case float64:
		// The text of another number may not be the one that was sent.
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

// part is the schema of a member, nil if there is none for it.
func (s *valueSchema) part(name string) *valueSchema {
	if part := s.properties[name]; part != nil {
		return part
	}
	return s.others
}

// relaxText is relax for a text.
func (s *valueSchema) relaxText(text string, depth, texts int) any {
	kinds := s.kinds()
	if kinds&stringValue != 0 {
		return text
	}
	if v, ok := textValue(text, depth); ok && texts < maxTexts && kinds&typeOf(v) != 0 {
		return s.relax(v, depth, texts+1)
	}
	if kinds&arrayValue == 0 || s.items == nil && (s.anyOf != nil || s.oneOf != nil) { // the alternatives say what the items are
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

// itemOf is a text as an item: what it holds, if the items are of other types.
func (s *valueSchema) itemOf(text string, depth int) any {
	if s.items != nil && s.items.kinds()&stringValue == 0 {
		if v, ok := textValue(text, depth); ok {
			return v
		}
	}
	return text
}

// separate returns the items of a text with commas between them, nil if it has none: see the
// function separate.
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

// isAtomic reports whether all values are numbers, booleans or those of an enumeration.
func (s *valueSchema) isAtomic() bool {
	return s.values != nil || s.kinds()&(stringValue|arrayValue|objectValue) == 0
}

// advice says for a message which list to send in the place of a value, or "".
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

// textValue is the number, boolean, object or array that a text holds.
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

// choosesBlank reports whether an empty text shows that a value was left out: no text is valid, but
// for those of an enumeration, and no object or list, as for arguments of other types.
func (s *valueSchema) choosesBlank() bool {
	kinds := s.kinds()
	return kinds&(arrayValue|objectValue) == 0 && (kinds&stringValue == 0 || s.values != nil)
}

// equalValues compares two values as JSON Schema does.
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

// wanted names types for a message.
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

// describedValue is described for a value of type any.
func describedValue(v any) string {
	switch v.(type) {
	case []any:
		return "an array"
	case map[string]any:
		return "an object"
	}
	return described(appendValue(nil, v))
}

// appendShown appends a value as messages show it.
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
