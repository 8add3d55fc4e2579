package schema

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/invopop/jsonschema"

	"github.com/mcpgen/mcpgen/generator/internal/diag"
	"github.com/mcpgen/mcpgen/generator/internal/jsontext"
	"github.com/mcpgen/mcpgen/generator/internal/keyword"
)

// customSchema returns a schema written by hand, which is published unchanged.
func customSchema(text string) *jsonschema.Schema {
	s := &jsonschema.Schema{}
	keyword.SchemaMembers(s, text)
	return s
}

// goodSchema checks a schema in a directive.
func (r *Resolver) goodSchema(s site, form *SchemaForm) bool {
	if !jsontext.Valid(form.JSON) {
		r.errorf(s, `write it in one line, such as {"type":"string"}`, "the schema is not JSON")
		return false
	}
	v, err := jsontext.Decode(form.JSON)
	if err != nil {
		r.errorf(s, "write one JSON object", "the schema is not JSON: %s", err)
		return false
	}
	if _, ok := v.(map[string]any); !ok {
		r.errorf(s, `write an object, such as {"type":"string"}; {"description":"..."} allows everything`, "the schema is not a JSON object")
		return false
	}
	if members := v.(map[string]any); members["type"] != nil {
		if alternatives := anyOfTypes(members); alternatives != nil {
			v, form.JSON = alternatives, jsontext.Show(alternatives)
		}
	}
	form.JSON = jsontext.Compact(form.JSON)
	if hint, problem := malformed(v, ""); problem != "" {
		r.errorf(s, hint, "the schema is wrong: %s", problem)
		return false
	}
	return true
}

// anyOfTypes writes a list of types as alternatives, since some clients refuse the list: the
// description is outside, and null has no other keyword. It returns nil for schemas without a list,
// with a wrong one, or with their own alternatives.
func anyOfTypes(members map[string]any) map[string]any {
	list, ok := members["type"].([]any)
	if _, taken := members["anyOf"]; !ok || len(list) == 0 || taken {
		return nil
	}
	outer, rest := map[string]any{}, map[string]any{}
	for key, value := range members {
		switch key {
		case "type":
		case "title", "description", "deprecated", "examples", "default":
			outer[key] = value
		default:
			rest[key] = value
		}
	}
	var alternatives []any
	for _, name := range list {
		alternative := map[string]any{"type": name}
		if name != "null" {
			maps.Copy(alternative, rest)
		}
		alternatives = append(alternatives, alternative)
	}
	outer["anyOf"] = alternatives
	return outer
}

var typeNames = []string{"string", "number", "integer", "boolean", "object", "array", "null"}

// malformed returns the error in a schema, or "" if it is valid.
func malformed(v any, at string) (hint, problem string) {
	if _, ok := v.(bool); ok && at != "" {
		return "", ""
	}
	members, ok := v.(map[string]any)
	if !ok {
		return "a schema is an object", fmt.Sprintf("%s is %s", at, jsontext.Show(v))
	}
	for _, key := range sortedKeys(members) {
		place := strings.TrimPrefix(at+"."+key, ".")
		kind, known := keyword.Vocabulary[key]
		switch {
		case kind == "root":
			return "write the schema without references", place + " cannot be used, since the schema is used inside of others"
		case !known && !strings.HasPrefix(key, "x-"):
			hint := "keywords of your own begin with x-"
			if near := diag.Nearest(key, sortedKeys(keyword.Vocabulary)); near != "" {
				hint = "did you mean " + near + "?"
			}
			return hint, "unknown keyword " + place
		}
		if hint, problem := badKeyword(kind, members[key], place); problem != "" {
			return hint, problem
		}
	}
	return "", ""
}

// badKeyword returns the error in the value of a keyword, or "".
func badKeyword(kind string, v any, at string) (hint, problem string) {
	ok := true
	switch kind {
	case "type":
		var name string
		if name, ok = v.(string); ok && !slices.Contains(typeNames, name) {
			return "the types are " + strings.Join(typeNames, ", "), fmt.Sprintf("%s is %s", at, jsontext.Show(v))
		}
		if _, list := v.([]any); list {
			return "write anyOf: some clients refuse lists of types", at + " is a list"
		}
	case "string", "pattern":
		var text string
		if text, ok = v.(string); ok && kind == "pattern" {
			if err := keyword.CheckPattern(text); err != nil {
				return keyword.PatternHint(err), at + ": " + err.Error()
			}
		}
	case "boolean":
		_, ok = v.(bool)
	case "number", "count":
		var n json.Number
		if n, ok = v.(json.Number); ok && kind == "count" {
			x, isNumber := jsontext.Number(string(n))
			ok = isNumber && x.IsInt() && x.Sign() >= 0
		}
	case "array":
		_, ok = v.([]any)
	case "strings":
		var list []any
		list, ok = v.([]any)
		for _, e := range list {
			_, isString := e.(string)
			ok = ok && isString
		}
	case "schema":
		return malformed(v, at)
	case "schemas":
		var object map[string]any
		object, ok = v.(map[string]any)
		for _, name := range sortedKeys(object) {
			if hint, problem := malformed(object[name], at+"."+name); problem != "" {
				return hint, problem
			}
		}
	case "list":
		var list []any
		list, ok = v.([]any)
		ok = ok && len(list) > 0
		for i, e := range list {
			if hint, problem := malformed(e, fmt.Sprintf("%s[%d]", at, i)); problem != "" {
				return hint, problem
			}
		}
	}
	if !ok {
		return "see the keyword in JSON Schema, draft 2020-12", fmt.Sprintf("%s is %s", at, jsontext.Show(v))
	}
	return "", ""
}
