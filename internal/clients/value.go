package clients

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
)

// Field is a member of an entry.
type Field struct {
	Name  string
	Value any // a string, bool, []string, or Fields; in a shown entry, also the values of plain
}

// Fields are the members of an entry in order.
type Fields []Field

// isEmpty reports whether a member has an empty text, or a list or an object that is nil.
func isEmpty(f Field) bool {
	switch v := f.Value.(type) {
	case string:
		return v == ""
	case []string:
		return v == nil
	case Fields:
		return v == nil
	}
	return false
}

// plain returns the same as [node.plain] for an equal value.
func plain(value any) any {
	switch v := value.(type) {
	case Fields:
		m := make(map[string]any, len(v))
		for _, f := range v {
			m[f.Name] = plain(f.Value)
		}
		return m
	case []string:
		list := make([]any, len(v))
		for i, s := range v {
			list[i] = s
		}
		return list
	case bool:
		if v {
			return scalar("true")
		}
		return scalar("false")
	}
	return value
}

// jsonString returns a string as JSON, without escapes for HTML.
func jsonString(s string) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(s); err != nil {
		panic(err) // every string has a JSON form
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// layout is the layout of a JSON text.
type layout struct {
	lineEnd string
	unit    string // of indentation
	compact bool   // on one line
	colon   string
}

// jsonValue returns a value as JSON. Lines after the first begin with indent.
func (l *layout) jsonValue(value any, indent string) string {
	switch v := value.(type) {
	case Fields:
		if len(v) == 0 {
			return "{}"
		}
		var b bytes.Buffer
		b.WriteByte('{')
		for i, f := range v {
			if i > 0 {
				b.WriteByte(',')
			}
			switch {
			case !l.compact:
				b.WriteString(l.lineEnd + indent + l.unit)
			case i > 0:
				b.WriteString(l.colon[1:])
			}
			b.WriteString(jsonString(f.Name) + l.colon + l.jsonValue(f.Value, indent+l.unit))
		}
		if !l.compact {
			b.WriteString(l.lineEnd + indent)
		}
		b.WriteByte('}')
		return b.String()
	case []string:
		return l.jsonValue(plain(v), indent)
	case []any:
		var items []string
		for _, item := range v {
			items = append(items, l.jsonValue(item, indent))
		}
		return "[" + strings.Join(items, ","+l.colon[1:]) + "]"
	case bool:
		return string(plain(v).(scalar))
	case scalar:
		return string(v)
	}
	return jsonString(value.(string))
}

// JSON returns fields as JSON text, on one line or on several.
func (f Fields) JSON(lines bool) string {
	l := &layout{lineEnd: "\n", unit: "  ", compact: !lines, colon: ":"}
	if lines {
		l.colon = ": "
	}
	return l.jsonValue(f, "")
}

// TOML returns fields as the table with a name.
func (f Fields) TOML(container, name, lineEnd string) string {
	var b bytes.Buffer
	b.WriteString("[" + tomlKey(container) + "." + tomlKey(name) + "]")
	for _, field := range f {
		b.WriteString(lineEnd + tomlKey(field.Name) + " = " + tomlValue(field.Value))
	}
	return b.String()
}

func tomlValue(value any) string {
	switch v := value.(type) {
	case Fields:
		var items []string
		for _, f := range v {
			items = append(items, tomlKey(f.Name)+" = "+tomlValue(f.Value))
		}
		if len(items) == 0 {
			return "{}"
		}
		return "{ " + strings.Join(items, ", ") + " }"
	case []string:
		return tomlValue(plain(v))
	case []any:
		var items []string
		for _, item := range v {
			items = append(items, tomlValue(item))
		}
		return "[" + strings.Join(items, ", ") + "]"
	case bool:
		return string(plain(v).(scalar))
	case scalar:
		return string(v)
	}
	return tomlString(value.(string))
}

// tomlString returns a basic TOML string. JSON strings have the same escapes, except for U+007F,
// which TOML requires to be escaped.
func tomlString(s string) string { return strings.ReplaceAll(jsonString(s), "\x7f", `\u007F`) }

func tomlKey(key string) string {
	if key != "" && !slices.ContainsFunc([]byte(key), func(c byte) bool { return !isBare(c) }) {
		return key
	}
	return tomlString(key)
}

func isBare(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_'
}
