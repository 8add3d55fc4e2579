package values

import (
	"encoding/json"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
)

// schema contains the keywords that the generator uses.
type schema struct {
	Type                 any
	Properties           map[string]*schema
	Required             []string
	Items                *schema
	AdditionalProperties json.RawMessage
	Enum                 []any
	Const                any
	AnyOf, OneOf         []*schema
	Format, Pattern      string
	ContentEncoding      string
	Minimum, Maximum     json.Number
	MinItems, MaxItems   *int
	PropertyNames        *schema
	Ref                  string             `json:"$ref"`
	Defs                 map[string]*schema `json:"$defs"`
}

// parseSchema parses a schema and keeps numbers as text.
func parseSchema(text []byte) (*schema, error) {
	s := new(schema)
	d := json.NewDecoder(strings.NewReader(string(text)))
	d.UseNumber()
	return s, d.Decode(s)
}

// generator generates values from schemas.
type generator struct {
	*rand.Rand
	defs map[string]*schema
}

const maxDepth = 5

var strs = []string{"", "a", "Hello, 世界", "<b>&amp;</b>", "line\nbreak\ttab \"quoted\" \\", "\u2028\u2029", "0", "null", "\x00", "🎈", " "}

var formats = map[string][]string{
	"date-time": {"2024-02-29T12:34:56Z", "1999-12-31T23:59:59.999999999+05:30", "2024-02-30T00:00:00Z", "yesterday", "2024-02-29"},
	"date":      {"2024-02-29", "2023-02-29"},
	"uri":       {"https://example.com/a?b=c#d", "not a uri", "urn:isbn:0451450523"},
	"ipv4":      {"127.0.0.1", "256.1.1.1"},
	"ipv6":      {"::1", "::g"},
	"uuid":      {"123e4567-e89b-12d3-a456-426614174000", "123"},
	"email":     {"ada@example.com", "ada"},
}

// value generates a value, nearly always a valid one.
func (g *generator) value(s *schema, depth int) any {
	if s == nil {
		return g.anything()
	}
	if name, ok := strings.CutPrefix(s.Ref, "#/$defs/"); ok {
		return g.value(g.defs[name], depth)
	}
	if len(s.Enum) > 0 {
		return s.Enum[g.IntN(len(s.Enum))]
	}
	if s.Const != nil {
		return s.Const
	}
	for _, some := range [][]*schema{s.AnyOf, s.OneOf} {
		if len(some) > 0 {
			return g.value(some[g.IntN(len(some))], depth)
		}
	}
	types := typesOf(s.Type)
	if len(types) == 0 {
		return g.anything()
	}
	switch types[g.IntN(len(types))] {
	case "object":
		return g.object(s, depth)
	case "array":
		n := g.IntN(3)
		if depth >= maxDepth {
			n = 0
		}
		if s.MinItems != nil {
			n = max(n, *s.MinItems)
		}
		if s.MaxItems != nil {
			n = min(n, *s.MaxItems)
		}
		list := make([]any, n)
		for i := range list {
			list[i] = g.value(s.Items, depth+1)
		}
		return list
	case "string":
		switch {
		case s.ContentEncoding == "base64":
			return pick(g, "", "AA==", "aGVsbG8=", "//8=", "not base64")
		case s.Format != "" && formats[s.Format] != nil:
			return pick(g, formats[s.Format]...)
		case s.Pattern != "":
			return pick(g, "1h30m", "5", "0", "-3", "12.5")
		}
		return pick(g, strs...)
	case "integer":
		return g.number(s, "0", "1", "-1", "7", "127", "128", "255", "256", "32767", "-32769", "2147483647", "4294967295", "9007199254740993", "-9007199254740993")
	case "number":
		return g.number(s, "0", "1.5", "-0.25", "1e3", "3.4e38", "1e-7", "123456789.125")
	case "boolean":
		return g.IntN(2) == 0
	}
	return nil
}

func pick(g *generator, all ...string) string { return all[g.IntN(len(all))] }

// number returns one of the given numbers, or a bound.
func (g *generator) number(s *schema, all ...string) any {
	for _, bound := range []json.Number{s.Minimum, s.Maximum} {
		if bound != "" && g.IntN(4) == 0 {
			return bound
		}
	}
	return json.Number(pick(g, all...))
}

func (g *generator) object(s *schema, depth int) any {
	object := map[string]any{}
	share := g.IntN(4)
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		if slices.Contains(s.Required, name) || depth < maxDepth && g.IntN(4) < share {
			object[name] = g.value(s.Properties[name], depth+1)
		}
	}
	if len(s.AdditionalProperties) > 0 && s.AdditionalProperties[0] == '{' && depth < maxDepth {
		if elem, err := parseSchema(s.AdditionalProperties); err == nil {
			for range g.IntN(3) {
				object[g.key(s.PropertyNames)] = g.value(elem, depth+1)
			}
		}
	}
	return object
}

func (g *generator) key(names *schema) string {
	if names != nil {
		if text, ok := g.value(names, maxDepth).(string); ok {
			return text
		}
	}
	return pick(g, "a", "b", "1", "a.b/c", "é")
}

func (g *generator) anything() any {
	return []any{nil, true, json.Number("1.5"), "text", []any{}, map[string]any{"a": []any{json.Number("1")}}}[g.IntN(6)]
}

// wrong makes a value invalid in one place: a wrong type, an unknown name, a missing member.
func (g *generator) wrong(v any) any {
	switch v := v.(type) {
	case map[string]any:
		names := slices.Sorted(maps.Keys(v))
		if len(names) == 0 || g.IntN(4) == 0 {
			v["surplus_"+pick(g, "a", "b")] = json.Number("1")
			return v
		}
		name := names[g.IntN(len(names))]
		switch g.IntN(5) {
		case 0:
			delete(v, name)
		case 1:
			v[strings.ToUpper(name)+"x"] = v[name]
			delete(v, name)
		default:
			v[name] = g.wrong(v[name])
		}
		return v
	case []any:
		if len(v) > 0 && g.IntN(2) == 0 {
			i := g.IntN(len(v))
			v[i] = g.wrong(v[i])
			return v
		}
	case json.Number:
		return []any{json.Number("1e30"), json.Number("0.5"), string(v), true}[g.IntN(4)]
	case string:
		return []any{v + "x", json.Number("3"), []any{v}, false}[g.IntN(4)]
	}
	return []any{json.Number("17"), "wrong", []any{true}, map[string]any{"a": true}, false}[g.IntN(5)]
}

func typesOf(t any) (all []string) {
	switch t := t.(type) {
	case string:
		return []string{t}
	case []any:
		for _, one := range t {
			if name, ok := one.(string); ok {
				all = append(all, name)
			}
		}
	}
	return all
}
