package keyword

import (
	"encoding/json"
	"maps"
	"slices"
	"unicode/utf8"

	"github.com/mcpgen/mcpgen/generator/internal/jsontext"
)

// SchemaAllows reports whether a decoded JSON value is valid by a schema that ParseSchema returned.
func SchemaAllows(schema string, v any) bool {
	s, err := jsontext.Decode(schema)
	members, ok := s.(map[string]any)
	return err == nil && ok && allows(members, v)
}

// allows is like SchemaAllows, for a decoded schema, which may contain lists of types.
func allows(members map[string]any, v any) bool {
	for name, limit := range members {
		if !allowsBy(members, name, limit, v) {
			return false
		}
	}
	return true
}

// allowsBy checks a value by one keyword.
func allowsBy(members map[string]any, name string, limit, v any) bool {
	switch name {
	case "type":
		return slices.ContainsFunc(typesOf(members), func(name string) bool { return isType(v, name) })
	case "enum":
		return slices.ContainsFunc(limit.([]any), func(e any) bool { return equalJSON(e, v) })
	case "const":
		return equalJSON(limit, v)
	case "anyOf", "oneOf":
		n := 0
		for _, part := range limit.([]any) {
			if allows(part.(map[string]any), v) {
				n++
			}
		}
		return n == 1 || n > 1 && name == "anyOf"
	}
	switch v := v.(type) {
	case string:
		return allowsText(name, limit, v)
	case json.Number:
		return allowsNumber(name, limit, v)
	case []any:
		return allowsItems(name, limit, v)
	case map[string]any:
		return allowsMembers(members, name, limit, v)
	}
	return true
}

func allowsText(name string, limit any, v string) bool {
	switch name {
	case "minLength":
		return utf8.RuneCountInString(v) >= countOf(limit)
	case "maxLength":
		return utf8.RuneCountInString(v) <= countOf(limit)
	case "pattern":
		return matches(limit.(string), v)
	case "format":
		return IsFormat(limit.(string), v)
	}
	return true
}

func allowsNumber(name string, limit any, v json.Number) bool {
	if checked[name] != "number" {
		return true
	}
	n, _ := limit.(json.Number)
	x, ok1 := jsontext.Number(string(v))
	y, ok2 := jsontext.Number(string(n))
	if !ok1 || !ok2 {
		return false
	}
	switch c := x.Cmp(y); name {
	case Minimum:
		return c >= 0
	case ExclusiveMinimum:
		return c > 0
	case Maximum:
		return c <= 0
	case ExclusiveMaximum:
		return c < 0
	}
	return y.Sign() > 0 && x.Quo(x, y).IsInt()
}

// countOf returns a length or a count, which may be written as 1.0.
func countOf(limit any) int {
	n, _ := limit.(json.Number)
	x, ok := jsontext.Number(string(n))
	if !ok {
		return 0
	}
	return int(x.Num().Int64())
}

func allowsItems(name string, limit any, v []any) bool {
	switch name {
	case "minItems":
		return len(v) >= countOf(limit)
	case "maxItems":
		return len(v) <= countOf(limit)
	case "items":
		return !slices.ContainsFunc(v, func(e any) bool { return !allows(limit.(map[string]any), e) })
	case "uniqueItems":
		for i, e := range v {
			if limit == true && slices.ContainsFunc(v[:i], func(before any) bool { return equalJSON(before, e) }) {
				return false
			}
		}
	}
	return true
}

func allowsMembers(members map[string]any, name string, limit any, v map[string]any) bool {
	switch name {
	case "minProperties":
		return len(v) >= countOf(limit)
	case "maxProperties":
		return len(v) <= countOf(limit)
	case "required":
		return !slices.ContainsFunc(limit.([]any), func(name any) bool { _, ok := v[name.(string)]; return !ok })
	case "properties":
		for name, part := range limit.(map[string]any) {
			if e, ok := v[name]; ok && !allows(part.(map[string]any), e) {
				return false
			}
		}
	case "additionalProperties":
		known, _ := members["properties"].(map[string]any)
		for name, e := range v {
			if _, ok := known[name]; ok || limit == true {
				continue
			}
			if part, ok := limit.(map[string]any); !ok || !allows(part, e) {
				return false
			}
		}
	}
	return true
}

// isType reports whether a decoded value has a type of JSON Schema.
func isType(v any, name string) bool {
	switch v := v.(type) {
	case nil:
		return name == "null"
	case bool:
		return name == "boolean"
	case string:
		return name == "string"
	case json.Number:
		x, ok := jsontext.Number(string(v))
		return name == "number" || name == "integer" && ok && x.IsInt()
	case []any:
		return name == "array"
	case map[string]any:
		return name == "object"
	}
	return false
}

// equalJSON compares two decoded values as JSON Schema does.
func equalJSON(a, b any) bool {
	switch a := a.(type) {
	case []any:
		b, ok := b.([]any)
		return ok && slices.EqualFunc(a, b, equalJSON)
	case map[string]any:
		b, ok := b.(map[string]any)
		return ok && maps.EqualFunc(a, b, equalJSON)
	case json.Number:
		b, ok := b.(json.Number)
		x, ok1 := jsontext.Number(string(a))
		y, ok2 := jsontext.Number(string(b))
		return ok && ok1 && ok2 && x.Cmp(y) == 0
	}
	switch b.(type) {
	case []any, map[string]any:
		return false
	}
	return a == b
}
