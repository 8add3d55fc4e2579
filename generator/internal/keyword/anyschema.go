package keyword

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/invopop/jsonschema"

	"github.com/mcpgen/mcpgen/generator/internal/diag"
	"github.com/mcpgen/mcpgen/generator/internal/jsontext"
)

// maxNesting limits the nesting of the parts of an argument's schema.
const maxNesting = 32

// maxCount is the largest length or count in the schema of an argument.
const maxCount = 1<<31 - 1

// checked contains the keywords that are allowed in the schema of an argument of type any, each
// with the types that it applies to; runtime/wire enforces all of them. The types are in order.
var checked = map[string]string{
	"type": "", "enum": "", "const": "", "anyOf": "", "oneOf": "",
	"minimum": "number", "maximum": "number", "exclusiveMinimum": "number", "exclusiveMaximum": "number", "multipleOf": "number",
	"minLength": "string", "maxLength": "string", "pattern": "string", "format": "string",
	"items": "array", "minItems": "array", "maxItems": "array", "uniqueItems": "array",
	"properties": "object", "required": "object", "additionalProperties": "object", "minProperties": "object", "maxProperties": "object",
}

// annotations are the keywords that describe a value without restricting it.
var annotations = []string{"title", "description", "examples", "default", "deprecated"}

// SchemaError describes a fault in the schema of an argument, and how to fix it.
type SchemaError struct{ message, hint string }

func (e *SchemaError) Error() string { return e.message }

// Hint returns the text to write instead.
func (e *SchemaError) Hint() string { return e.hint }

// ParseSchema checks the schema of an argument of type any, and returns its published form:
// compact, and with alternatives instead of lists of types, which some clients refuse.
func ParseSchema(text string) (string, error) {
	const example = `write an object in one line, such as {"type":["string","number"]}`
	if !jsontext.Valid(text) {
		return "", &SchemaError{"the schema is not JSON", example}
	}
	if name := jsontext.Repeated(text); name != "" {
		return "", &SchemaError{"the schema has the member " + name + " twice", "leave one out"}
	}
	v, err := jsontext.Decode(text)
	if err != nil {
		return "", &SchemaError{"the schema is not JSON: " + err.Error(), example}
	}
	if _, ok := v.(map[string]any); !ok {
		return "", &SchemaError{"the schema is " + jsontext.Show(v), example}
	}
	c := schemaChecker{}
	parsed := c.schema(v, "", 1)
	if c.err != nil {
		return "", c.err
	}
	if !c.changed {
		return jsontext.Compact(text), nil // members in the order of the source
	}
	return jsontext.Show(parsed), nil
}

// EnforcedSchema returns the part of a schema that the runtime needs: all keywords except
// annotations.
func EnforcedSchema(text string) string {
	v, _ := jsontext.Decode(text)
	return jsontext.Show(enforced(v))
}

func enforced(v any) any {
	members, ok := v.(map[string]any)
	if !ok {
		return v
	}
	out := map[string]any{}
	for name, v := range members {
		switch name {
		case "items", "additionalProperties":
			v = enforced(v)
		case "anyOf", "oneOf":
			var list []any
			for _, part := range v.([]any) {
				list = append(list, enforced(part))
			}
			v = list
		case "properties":
			parts := map[string]any{}
			for name, part := range v.(map[string]any) {
				parts[name] = enforced(part)
			}
			v = parts
		default:
			if slices.Contains(annotations, name) {
				continue
			}
			if _, count := countKeywords[name]; count {
				n, _ := jsontext.Number(string(v.(json.Number)))
				v = json.Number(n.Num().String()) // not 1.0
			}
		}
		out[name] = v
	}
	return out
}

// countKeywords are the keywords whose values are lengths and counts, with their counterparts.
var countKeywords = map[string]string{
	"minLength": "maxLength", "minItems": "maxItems", "minProperties": "maxProperties", "maxLength": "", "maxItems": "", "maxProperties": "",
}

// schemaChecker reads a schema and keeps the first error.
type schemaChecker struct {
	changed bool // the published schema differs from the source
	err     *SchemaError
}

func (c *schemaChecker) fail(at, hint, format string, args ...any) {
	if c.err != nil {
		return
	}
	if at != "" {
		at = " at " + at
	}
	c.err = &SchemaError{"the schema is wrong" + at + ": " + fmt.Sprintf(format, args...), hint}
}

// schema checks a schema at a place, and returns it without lists of types.
func (c *schemaChecker) schema(v any, at string, depth int) map[string]any {
	members, ok := v.(map[string]any)
	switch {
	case !ok:
		c.fail(at, "write an object", "a schema cannot be %s", jsontext.Show(v))
	case depth > maxNesting:
		c.fail("", "make it flatter", "its parts nest deeper than %d", maxNesting)
	}
	if c.err != nil {
		return nil
	}
	out := maps.Clone(members)
	for _, name := range slices.Sorted(maps.Keys(members)) {
		place := strings.TrimPrefix(at+"."+name, ".")
		if part := c.keyword(name, members[name], at, place, depth); part != nil {
			out[name] = part
		}
	}
	if c.err == nil {
		c.suits(members, at)
	}
	if c.err == nil {
		c.contradiction(members, at)
	}
	if c.err == nil {
		c.annotated(members, at)
	}
	if _, list := members["type"].([]any); list && c.err == nil {
		c.changed = true
		return alternatives(out)
	}
	return out
}

// keyword checks the value of one keyword, and returns the value of one with parts.
func (c *schemaChecker) keyword(name string, v any, at, place string, depth int) any {
	_, known := checked[name]
	ok := true
	switch name {
	case "type":
		c.types(v, place)
	case "enum":
		var list []any
		if list, ok = v.([]any); ok && len(list) == 0 {
			c.fail(place, "write the values", "it has no values")
		}
		for _, e := range list {
			c.exact(e, place)
		}
	case "const":
		c.exact(v, place)
	case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf":
		if _, ok = v.(json.Number); ok {
			c.exact(v, place)
		}
	case "minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties":
		ok = c.count(v)
	case "pattern":
		var text string
		if text, ok = v.(string); ok {
			if err := CheckPattern(text); err != nil {
				c.fail(place, PatternHint(err), "%s", err)
			}
		}
	case "format":
		var text string
		if text, ok = v.(string); ok && FormatFunc(text) == "" {
			c.fail(place, FormatHint(text), "the format %q is not checked", text)
		}
	case "uniqueItems", "deprecated":
		_, ok = v.(bool)
	case "title", "description":
		_, ok = v.(string)
	case "examples":
		_, ok = v.([]any)
	case "required":
		ok = areStrings(v)
	case "items":
		return c.schema(v, place, depth+1)
	case "additionalProperties":
		if _, flag := v.(bool); !flag {
			return c.schema(v, place, depth+1)
		}
	case "properties":
		var parts map[string]any
		if parts, ok = v.(map[string]any); ok {
			out := map[string]any{}
			for _, name := range slices.Sorted(maps.Keys(parts)) {
				out[name] = c.schema(parts[name], place+"."+name, depth+1)
			}
			return out
		}
	case "anyOf", "oneOf":
		var parts []any
		if parts, ok = v.([]any); ok && len(parts) > 0 {
			var out []any
			for i, part := range parts {
				out = append(out, c.schema(part, fmt.Sprintf("%s[%d]", place, i), depth+1))
			}
			return out
		}
		ok = false
	default:
		if !known && !slices.Contains(annotations, name) {
			c.unknown(name, at)
		}
	}
	if !ok {
		c.fail(place, "see the keyword in JSON Schema, draft 2020-12", "it cannot be %s", jsontext.Show(v))
	}
	return nil
}

// unknown refuses a keyword that the decoder would not enforce.
func (c *schemaChecker) unknown(name, at string) {
	names := append(slices.Collect(maps.Keys(checked)), annotations...)
	hint := "the keywords are " + strings.Join(slices.Sorted(slices.Values(names)), ", ")
	if near := diag.Nearest(name, names); near != "" && Vocabulary[name] == "" {
		hint = "did you mean " + near + "? " + strings.ToUpper(hint[:1]) + hint[1:]
	}
	c.fail(at, hint, "arguments are not checked by the keyword %s", name)
}

func (c *schemaChecker) types(v any, place string) {
	list, ok := v.([]any)
	if !ok {
		list = []any{v}
	}
	for i, name := range list {
		text, _ := name.(string)
		if !slices.Contains(typeNames, text) {
			c.fail(place, "the types are "+strings.Join(typeNames, ", "), "%s is not a type", jsontext.Show(name))
		} else if slices.Contains(list[:i], name) {
			c.fail(place, "leave one out", "%s is there twice", jsontext.Show(name))
		}
	}
	if len(list) == 0 {
		c.fail(place, "the types are "+strings.Join(typeNames, ", "), "it has no types")
	}
}

var typeNames = []string{"string", "number", "integer", "boolean", "array", "object", "null"}

// exact refuses numbers that a float64 argument cannot represent.
func (c *schemaChecker) exact(v any, place string) {
	switch v := v.(type) {
	case json.Number:
		x, ok := jsontext.Number(string(v))
		f, err := strconv.ParseFloat(string(v), 64)
		if ok && err == nil {
			near, _ := jsontext.Number(strconv.FormatFloat(f, 'g', -1, 64))
			ok = near != nil && near.Cmp(x) == 0
		}
		if !ok || err != nil {
			c.fail(place, "write it with fewer digits, or take the argument as json.Number", "%s has more digits than a float64, which numbers of type any are", v)
		}
	case []any:
		for _, e := range v {
			c.exact(e, place)
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			c.exact(v[name], place)
		}
	}
}

func (c *schemaChecker) count(v any) bool {
	n, _ := v.(json.Number)
	x, ok := jsontext.Number(string(n))
	return ok && x.IsInt() && x.Sign() >= 0 && x.Num().IsInt64() && x.Num().Int64() <= maxCount
}

func areStrings(v any) bool {
	list, ok := v.([]any)
	return ok && !slices.ContainsFunc(list, func(e any) bool { _, text := e.(string); return !text })
}

// typesOf returns the types that a schema names, or nil for all.
func typesOf(members map[string]any) []string {
	switch v := members["type"].(type) {
	case string:
		return []string{v}
	case []any:
		var out []string
		for _, name := range v {
			out = append(out, name.(string))
		}
		return out
	}
	return nil
}

// SchemaMembers returns the members of a schema, for package jsonschema. Keywords that a field may
// change are stored in the struct fields that renderers read.
func SchemaMembers(s *jsonschema.Schema, text string) {
	var members map[string]json.RawMessage
	_ = json.Unmarshal([]byte(text), &members) // checked before
	for key, raw := range members {
		var str string
		isString := json.Unmarshal(raw, &str) == nil
		switch {
		case key == "type" && isString:
			s.Type = str
		case key == "description" && isString:
			s.Description = str
		case key == "title" && isString:
			s.Title = str
		default:
			if s.Extras == nil {
				s.Extras = map[string]any{}
			}
			s.Extras[key] = json.RawMessage(jsontext.Compact(string(raw)))
		}
	}
}
