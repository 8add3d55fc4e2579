package contracts

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// schemas generates random schemas.
type schemas struct {
	r *rand.Rand
	// habits omits additionalProperties, and keeps the keywords of an object in one schema.
	habits bool
}

func (g *schemas) one(n int) bool { return g.r.IntN(n) == 0 }

func (g *schemas) number() json.Number { return json.Number(fmt.Sprint(g.r.IntN(6))) }

func (g *schemas) schema(depth int) any {
	kinds := 11
	if depth == 0 {
		kinds = 5
	}
	m := map[string]any{}
	switch k := g.r.IntN(kinds); k {
	case 0, 1:
		m["type"] = []any{"string", "integer", "number", "boolean", "null"}[g.r.IntN(5)]
		g.limit(m)
	case 2:
		m["type"] = []any{"string", []any{"string", "null"}[g.r.IntN(2)], "integer"}[1:]
		if m["type"].([]any)[0] == "integer" || g.one(2) {
			m["type"] = []any{"integer", "string"}
		}
		g.limit(m)
	case 3:
		m["enum"] = g.enum()
		if g.one(2) {
			g.limit(m)
		}
	case 4:
		if g.one(4) {
			return g.one(3)
		}
		g.limit(m)
	case 5, 6:
		g.array(m, depth)
	case 7, 8:
		g.object(m, depth)
	case 9:
		g.union(m, depth)
	case 10:
		g.composed(m, depth)
	}
	return m
}

// definition generates the schema that $ref refers to, possibly recursive.
func (g *schemas) definition() any {
	m := map[string]any{}
	if g.one(2) {
		g.array(m, 2)
	} else {
		g.object(m, 2)
	}
	return m
}

func (g *schemas) enum() []any {
	var list []any
	for _, v := range []any{"a", "b", "abc", json.Number("1"), json.Number("5"), nil, true} {
		if g.one(3) {
			list = append(list, v)
		}
	}
	return append(list, "ab")
}

// limit adds a keyword for scalars of any type.
func (g *schemas) limit(m map[string]any) {
	for range g.r.IntN(3) {
		switch g.r.IntN(9) {
		case 0:
			m["minimum"] = g.number()
		case 1:
			m["maximum"] = g.number()
		case 2:
			m["exclusiveMinimum"] = g.number()
		case 3:
			m["exclusiveMaximum"] = g.number()
		case 4:
			m["multipleOf"] = []json.Number{"1", "2", "4", "0.5"}[g.r.IntN(4)]
		case 5:
			m["minLength"] = g.number()
		case 6:
			m["maxLength"] = g.number()
		case 7:
			m["pattern"] = []string{"^a", "b", "^.$"}[g.r.IntN(3)]
		case 8:
			m["format"] = []string{"date", "email"}[g.r.IntN(2)]
		}
	}
}

func (g *schemas) array(m map[string]any, depth int) {
	m["type"] = "array"
	if !g.one(5) {
		m["items"] = g.schema(depth - 1)
	}
	if g.one(8) {
		m["prefixItems"] = []any{g.schema(depth - 1)}
	}
	if g.one(3) {
		m["minItems"] = json.Number(fmt.Sprint(g.r.IntN(3)))
	}
	if g.one(3) {
		m["maxItems"] = json.Number(fmt.Sprint(g.r.IntN(3)))
	}
	if g.one(4) {
		m["uniqueItems"] = g.one(2)
	}
	if g.one(6) {
		m["contains"] = g.schema(0)
		if g.one(2) {
			m["minContains"] = json.Number(fmt.Sprint(g.r.IntN(3)))
		}
	}
}

func (g *schemas) object(m map[string]any, depth int) {
	m["type"] = "object"
	properties := map[string]any{}
	var required []any
	for _, name := range []string{"a", "b"} {
		if !g.one(3) {
			properties[name] = g.schema(depth - 1)
		}
		if g.one(3) {
			required = append(required, name)
		}
	}
	if len(properties) > 0 || g.one(2) {
		m["properties"] = properties
	}
	if len(required) > 0 {
		m["required"] = required
	}
	switch g.r.IntN(4) {
	case 0:
		m["additionalProperties"] = false
	case 1:
		m["additionalProperties"] = g.schema(0)
	case 2:
		m["additionalProperties"] = true
	case 3:
		if !g.habits || len(properties) == 0 {
			m["additionalProperties"] = false
		}
	}
	switch g.r.IntN(16) {
	case 0:
		m["minProperties"] = json.Number(fmt.Sprint(g.r.IntN(3)))
	case 1:
		m["propertyNames"] = map[string]any{"maxLength": json.Number("1")}
	case 2:
		m["dependentRequired"] = map[string]any{"a": []any{"b"}}
	case 3:
		if !g.habits {
			m["patternProperties"] = map[string]any{[]string{"^a", "z"}[g.r.IntN(2)]: g.schema(0)}
		}
	case 4:
		m["dependentSchemas"] = map[string]any{"a": g.schema(0)}
	case 5:
		if !g.habits {
			m["unevaluatedProperties"] = g.one(2)
		}
	}
}

func (g *schemas) union(m map[string]any, depth int) {
	if g.one(3) {
		// Discriminated by a member.
		var all []any
		for _, kind := range []string{"a", "b", "c"}[:1+g.r.IntN(3)] {
			all = append(all, map[string]any{
				"type": "object", "required": []any{"kind"}, "additionalProperties": false,
				"properties": map[string]any{"kind": map[string]any{"const": kind}, "a": g.schema(depth - 1)},
			})
		}
		m["oneOf"] = all
		return
	}
	// Objects that are disjoint when closed must not overlap when open: otherwise the members that
	// clients are assumed to ignore would make a difference.
	keyword, inside := "anyOf", depth-1
	if g.one(4) {
		keyword, inside = "oneOf", 0
	}
	var all []any
	for range 1 + g.r.IntN(3) {
		all = append(all, g.schema(inside))
	}
	m[keyword] = all
	if !g.habits && g.one(3) {
		g.limit(m)
	}
}

func (g *schemas) composed(m map[string]any, depth int) {
	switch {
	case g.one(4):
		m["type"] = "string"
		m["not"] = map[string]any{"enum": g.enum()}
	case g.habits || g.one(2):
		m["$ref"] = "#/$defs/d"
	case g.one(4):
		m["if"], m["then"] = g.schema(0), g.schema(depth-1)
	default:
		m["allOf"] = []any{g.schema(depth - 1), g.schema(depth - 1)}
		g.limit(m)
	}
}

// mutate makes one change in a schema.
func (g *schemas) mutate(v any) any {
	m, ok := v.(map[string]any)
	if !ok || g.one(10) {
		return g.schema(1)
	}
	// Deeper inside, if there are subschemas.
	for key, sub := range m {
		if g.one(2) {
			continue
		}
		switch key {
		case "items", "additionalProperties", "contains", "not", "if", "then":
			m[key] = g.mutate(sub)
			if key == "additionalProperties" && g.one(2) {
				m[key] = g.one(2)
			}
			return m
		case "properties", "patternProperties", "dependentSchemas":
			for name, s := range sub.(map[string]any) {
				if g.one(4) && name != "kind" {
					delete(sub.(map[string]any), name)
				} else if name != "kind" {
					sub.(map[string]any)[name] = g.mutate(s)
				}
				return m
			}
		case "anyOf", "oneOf", "allOf", "prefixItems":
			list := sub.([]any)
			switch i := g.r.IntN(len(list)); {
			case g.one(4) && len(list) > 1:
				m[key] = append(list[:i:i], list[i+1:]...)
			case g.one(4):
				m[key] = append(list, g.schema(0))
			case key == "oneOf" && !isObject(list[i]):
				list[i] = g.schema(0)
			default:
				list[i] = g.mutate(list[i])
			}
			return m
		}
	}
	switch {
	case m["enum"] != nil:
		m["enum"] = g.enum()
	case m["type"] == "object":
		g.mutateObject(m)
	case m["type"] == "array" && g.one(2):
		m["maxItems"] = json.Number(fmt.Sprint(g.r.IntN(4)))
	case m["type"] == "array":
		delete(m, "uniqueItems")
	case m["type"] == "integer" && g.one(2):
		m["type"] = "number"
	case m["type"] == "string" && g.one(2):
		m["type"] = []any{"string", "null"}
	case m["type"] == "string" && g.one(3):
		return map[string]any{"anyOf": []any{m, map[string]any{"type": "null"}}}
	default:
		for _, key := range []string{"minimum", "maximum", "pattern", "minLength"} {
			if g.one(3) {
				delete(m, key)
			}
		}
		g.limit(m)
	}
	return m
}

func isObject(v any) bool {
	m, ok := v.(map[string]any)
	return ok && m["type"] == "object"
}

func (g *schemas) mutateObject(m map[string]any) {
	switch {
	case g.one(2):
		properties, _ := m["properties"].(map[string]any)
		if properties == nil {
			properties = map[string]any{}
			if m["additionalProperties"] == nil {
				m["additionalProperties"] = false
			}
			m["properties"] = properties
		}
		name := []string{"a", "b"}[g.r.IntN(2)]
		if properties[name] == nil {
			properties[name] = g.schema(0)
		}
	case m["required"] != nil && g.one(2):
		delete(m, "required")
	default:
		m["required"] = []any{[]string{"a", "b"}[g.r.IntN(2)]}
	}
}

// defining adds the definition that $ref refers to, if any.
func defining(schema, definition any) any {
	m, ok := schema.(map[string]any)
	if !ok || !strings.Contains(text(schema), "$ref") {
		return schema
	}
	m["$defs"] = map[string]any{"d": definition}
	return m
}

func clone(v any) any {
	switch v := v.(type) {
	case map[string]any:
		m := map[string]any{}
		for key, sub := range v {
			m[key] = clone(sub)
		}
		return m
	case []any:
		var list []any
		for _, sub := range v {
			list = append(list, clone(sub))
		}
		return list
	}
	return v
}

// values returns values of all types, near the limits that schemas use.
func values(r *rand.Rand) []any {
	all := []any{nil, true, false, "", "a", "b", "ab", "abc", "a@b.c", "2024-01-02"}
	for _, n := range []string{"-1", "0", "0.5", "1", "1.0", "2", "3", "4", "5", "6", "10"} {
		all = append(all, json.Number(n))
	}
	scalars := len(all)
	for range 700 {
		size := r.IntN(4)
		if r.IntN(2) == 0 {
			list := make([]any, size)
			for i := range list {
				list[i] = all[r.IntN(min(len(all), scalars+40))]
			}
			all = append(all, list)
			continue
		}
		m := map[string]any{}
		for range size {
			m[[]string{"a", "b", "z", "kind"}[r.IntN(4)]] = all[r.IntN(min(len(all), scalars+40))]
		}
		if r.IntN(3) == 0 {
			m["kind"] = []string{"a", "b", "c"}[r.IntN(3)]
		}
		all = append(all, m)
	}
	// Many small ones are equal.
	seen := map[string]bool{}
	return slices.DeleteFunc(all, func(v any) bool {
		key := text(v)
		twice := seen[key]
		seen[key] = true
		return twice
	})
}
