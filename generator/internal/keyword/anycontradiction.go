package keyword

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/generator/internal/jsontext"
)

// concerns reports whether a keyword applies to values of a type.
func concerns(name, typ string) bool {
	of := checked[name]
	return of == "" || of == typ || of == "number" && typ == "integer"
}

// suits refuses keywords that apply to none of the types.
func (c *schemaChecker) suits(members map[string]any, at string) {
	types := typesOf(members)
	for _, name := range slices.Sorted(maps.Keys(members)) {
		if types != nil && checked[name] != "" && !slices.ContainsFunc(types, func(typ string) bool { return concerns(name, typ) }) {
			c.fail(at, "leave it out", "%s does not apply to the type %s", name, strings.Join(types, " or "))
		}
	}
	if members["uniqueItems"] == true {
		items, _ := members["items"].(map[string]any)
		if !holdsScalars(items) {
			c.fail(at, "say in items that they are strings, numbers or booleans", "uniqueItems is for lists of strings, numbers and booleans")
		}
	}
}

// holdsScalars reports whether a schema allows neither lists nor objects.
func holdsScalars(members map[string]any) bool {
	if types := typesOf(members); types != nil {
		return !slices.Contains(types, "array") && !slices.Contains(types, "object")
	}
	values, _ := members["enum"].([]any)
	if v, ok := members["const"]; ok {
		values = []any{v}
	}
	if values != nil {
		return !slices.ContainsFunc(values, func(v any) bool {
			switch v.(type) {
			case []any, map[string]any:
				return true
			}
			return false
		})
	}
	for _, name := range []string{"anyOf", "oneOf"} {
		parts, _ := members[name].([]any)
		if len(parts) > 0 && !slices.ContainsFunc(parts, func(part any) bool {
			members, _ := part.(map[string]any)
			return !holdsScalars(members)
		}) {
			return true
		}
	}
	return false
}

// contradiction refuses bounds that exclude every value, values that the schema itself excludes,
// and names that no object can contain.
func (c *schemaChecker) contradiction(members map[string]any, at string) {
	number := func(name string) string { n, _ := members[name].(json.Number); return string(n) }
	if of := number("multipleOf"); of != "" {
		if x, _ := jsontext.Number(of); x.Sign() <= 0 {
			c.fail(at, "write a number above 0", "multipleOf %s is not positive", of)
		}
	}
	for _, low := range []string{"minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties"} {
		highs := []string{countKeywords[low]}
		if countKeywords[low] == "" {
			highs = []string{"maximum", "exclusiveMaximum"}
		}
		for _, high := range highs {
			a, ok1 := jsontext.Number(number(low))
			b, ok2 := jsontext.Number(number(high))
			open := low == "exclusiveMinimum" || high == "exclusiveMaximum"
			if ok1 && ok2 && (a.Cmp(b) > 0 || open && a.Cmp(b) == 0) {
				c.fail(at, "swap them, or leave one out", "no value is allowed by %s %s and %s %s", low, number(low), high, number(high))
			}
		}
	}
	values, _ := members["enum"].([]any)
	for i, v := range values {
		if slices.ContainsFunc(values[:i], func(before any) bool { return equalJSON(before, v) }) {
			c.fail(at, "leave one out", "enum has the value %s twice", jsontext.Show(v))
		}
	}
	if v, ok := members["const"]; ok {
		values = append(values, v)
	}
	rest := maps.Clone(members)
	delete(rest, "enum")
	for _, v := range values {
		if !allows(rest, v) {
			c.fail(at, "change the value, or the keyword that excludes it", "the value %s is excluded by the rest of the schema", jsontext.Show(v))
		}
	}
	c.requirable(members, at)
}

// requirable refuses required names that additionalProperties excludes.
func (c *schemaChecker) requirable(members map[string]any, at string) {
	names, _ := members["required"].([]any)
	parts, _ := members["properties"].(map[string]any)
	for i, name := range names {
		if slices.Contains(names[:i], name) {
			c.fail(at, "leave one out", "required has the name %s twice", jsontext.Show(name))
		}
		if _, ok := parts[name.(string)]; !ok && members["additionalProperties"] == false {
			c.fail(at, "describe it in properties", "%s is required, but not among the properties", jsontext.Show(name))
		}
	}
}

// annotated refuses examples and defaults that are not valid.
func (c *schemaChecker) annotated(members map[string]any, at string) {
	examples, _ := members["examples"].([]any)
	for _, v := range examples {
		if !allows(members, v) {
			c.fail(at, "change the value, or the keyword that excludes it", "the example %s is not valid", jsontext.Show(v))
		}
	}
	if v, ok := members["default"]; ok && !allows(members, v) {
		c.fail(at, "change the value, or the keyword that excludes it", "the default %s is not valid", jsontext.Show(v))
	}
}
