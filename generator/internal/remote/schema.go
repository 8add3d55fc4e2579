package remote

import (
	"encoding/json"
	"math"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/internal/pattern"
)

// A server may send any schema. These constants limit the output.
const (
	maxDepth = 24
	maxParts = 20_000
)

// document is a server's schema, for resolving its references.
type document struct {
	root  map[string]any
	parts int
}

// parse reads a schema. A schema that is not an object does not restrict values.
func parse(schema json.RawMessage) *document {
	d := &document{}
	if json.Unmarshal(schema, &d.root) != nil || d.root == nil {
		d.root = map[string]any{}
	}
	return d
}

// resolve follows references within the schema. name is the definition's name, or "".
func (d *document) resolve(schema any) (s map[string]any, name string) {
	s, _ = schema.(map[string]any)
	for range maxDepth {
		ref, ok := s["$ref"].(string)
		if !ok {
			return s, name
		}
		var at any = d.root
		path, local := strings.CutPrefix(ref, "#/")
		if !local {
			return nil, ""
		}
		for _, step := range strings.Split(path, "/") {
			object, _ := at.(map[string]any)
			name = strings.NewReplacer("~1", "/", "~0", "~").Replace(step)
			at = object[name]
		}
		s, _ = at.(map[string]any)
	}
	return nil, ""
}

// single returns the only type in a choice between one type and null, and reports whether null is
// possible.
func (d *document) single(schema any) (s map[string]any, name string, null bool) {
	s, name = d.resolve(schema)
	for _, keyword := range []string{"anyOf", "oneOf"} {
		all, _ := s[keyword].([]any)
		if len(all) != 2 {
			continue
		}
		for i, one := range all {
			if o, _ := d.resolve(one); o["type"] == "null" {
				s, name = d.resolve(all[1-i])
				return s, name, true
			}
		}
	}
	return s, name, false
}

// typeOf returns the type of a schema, or "" if it has none or several other than null.
func typeOf(s map[string]any) string {
	switch t := s["type"].(type) {
	case string:
		return t
	case []any:
		t = slices.DeleteFunc(slices.Clone(t), func(one any) bool { return one == "null" })
		if len(t) == 1 {
			name, _ := t[0].(string)
			return name
		}
	}
	if _, ok := s["properties"].(map[string]any); ok && s["type"] == nil {
		return "object"
	}
	return ""
}

// Checkable returns the part of a schema that package wire can check values with. It admits at
// least all values that the schema admits: a keyword that is unknown, malformed, or optional for
// servers (format) is left out.
func Checkable(schema json.RawMessage) string {
	d := parse(schema)
	s, _ := d.reduce(d.root, 0)
	text, err := json.Marshal(s)
	if err != nil {
		return "{}"
	}
	return string(text)
}

// reduce returns the known part of a schema, and reports whether nothing was left out.
func (d *document) reduce(schema any, depth int) (out map[string]any, whole bool) {
	out = map[string]any{}
	in, _ := d.resolve(schema)
	if d.parts++; in == nil || depth > maxDepth || d.parts > maxParts {
		return out, schema == true
	}
	whole = true
	for name, v := range in {
		if !d.keyword(out, in, name, v, depth) {
			whole = false
		}
	}
	return out, whole
}

// keyword adds one keyword. It returns false if the keyword is left out, or weakened.
func (d *document) keyword(out, in map[string]any, name string, v any, depth int) bool {
	switch name {
	case "$schema", "$id", "$defs", "definitions", "$comment", "title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly":
		return true
	case "type":
		return addType(out, in, v)
	case "const":
		out[name] = v
		return in["enum"] == nil
	case "enum":
		if all, ok := v.([]any); ok && in["const"] == nil {
			out[name] = all
			return true
		}
	case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum":
		if _, ok := v.(float64); ok {
			out[name] = v
			return true
		}
	case "multipleOf":
		if n, ok := v.(float64); ok && n > 0 {
			out[name] = v
			return true
		}
	case "minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties":
		if n, ok := v.(float64); ok && n >= 0 && n == math.Trunc(n) && n < 1<<31 {
			out[name] = v
			return true
		}
	case "pattern":
		if text, ok := v.(string); ok {
			if _, err := pattern.Compile(text); err == nil {
				out[name] = v
				return true
			}
		}
	case "uniqueItems":
		if _, ok := v.(bool); ok {
			out[name] = v
			return true
		}
	case "items":
		if in["prefixItems"] == nil {
			items, whole := d.reduce(v, depth+1)
			out[name] = items
			return whole
		}
	case "properties":
		return d.properties(out, v, depth)
	case "required":
		if all, ok := v.([]any); ok && !slices.ContainsFunc(all, func(one any) bool { _, text := one.(string); return !text }) {
			out[name] = all
			return true
		}
	case "additionalProperties":
		return d.additional(out, in, v, depth)
	case "anyOf", "oneOf":
		return d.choice(out, name, v, depth)
	}
	return false
}

func addType(out, in map[string]any, v any) bool {
	switch v := v.(type) {
	case string:
		out["type"] = v
		return true
	case []any:
		if in["anyOf"] != nil || len(v) == 0 {
			return false
		}
		var all []any
		for _, one := range v {
			all = append(all, map[string]any{"type": one})
		}
		out["anyOf"] = all
		return true
	}
	return false
}

func (d *document) properties(out map[string]any, v any, depth int) bool {
	in, ok := v.(map[string]any)
	if !ok {
		return false
	}
	whole, all := true, map[string]any{}
	for name, one := range in {
		var same bool
		all[name], same = d.reduce(one, depth+1)
		whole = whole && same
	}
	out["properties"] = all
	return whole
}

func (d *document) additional(out, in map[string]any, v any, depth int) bool {
	if in["patternProperties"] != nil {
		return false
	}
	if allowed, ok := v.(bool); ok {
		if !allowed && in["properties"] == nil {
			out["properties"] = map[string]any{}
		}
		out["additionalProperties"] = allowed
		return true
	}
	others, whole := d.reduce(v, depth+1)
	out["additionalProperties"] = others
	return whole
}

func (d *document) choice(out map[string]any, name string, v any, depth int) bool {
	in, ok := v.([]any)
	if !ok || len(in) == 0 || out[name] != nil {
		return false
	}
	whole, all := true, []any{}
	for _, one := range in {
		part, same := d.reduce(one, depth+1)
		all = append(all, part)
		whole = whole && same
	}
	if name == "oneOf" && !whole {
		return false // several weakened schemas may admit one value
	}
	out[name] = all
	return whole
}
