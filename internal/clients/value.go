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
	Value any // a string, bool, []string, or Fields; of an entry that is shown, also what plain returns
}

// Fields are the members of an entry, in the order in which they are written.
type Fields []Field

// plain is what [node.plain] returns for the same value.
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
		panic(err) // a string has a form in JSON
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// layout is how a JSON text is written.
type layout struct {
	lineEnd string
	unit    string // of indentation
	compact bool   // in one line
	colon   string
}

// jsonValue returns a value as JSON. Its lines after the first begin with indent.
func (l *layout) jsonValue(value any, indent string) string {
	switch v := value.(type) {
	case Fields:
		if len(v) == 0 {
			return "{}"
		}
		var b strings.Builder
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
		var items []string
		for _, s := range v {
			items = append(items, jsonString(s))
		}
		return "[" + strings.Join(items, ","+l.colon[1:]) + "]"
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

// JSON returns fields as a JSON text in one line, or in several.
func (f Fields) JSON(lines bool) string {
	l := &layout{lineEnd: "\n", unit: "  ", compact: !lines, colon: ":"}
	if lines {
		l.colon = ": "
	}
	return l.jsonValue(f, "")
}

// TOML returns fields as the table of a name.
func (f Fields) TOML(container, name, lineEnd string) string {
	var b strings.Builder
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
		var items []string
		for _, s := range v {
			items = append(items, tomlString(s))
		}
		return "[" + strings.Join(items, ", ") + "]"
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

// tomlString is a basic string of TOML. Those of JSON have the same escapes, but for U+007F, which
// TOML does not have unescaped.
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
