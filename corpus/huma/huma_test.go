package huma

import (
	"encoding/json"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// object is a JSON object.
type object = map[string]any

// TestLikeOpenAPI compares the arguments of each tool with huma's own OpenAPI of the operation,
// field by field. The types ours and theirs contain the intended differences.
func TestLikeOpenAPI(t *testing.T) {
	api := humago.New(http.NewServeMux(), huma.DefaultConfig("Test", "1"))
	register(api)
	document := decoded(t, api.OpenAPI())
	tools := map[string]object{}
	for _, f := range NewServer(t).Features() {
		var schema object
		if err := json.Unmarshal([]byte(f.InputSchema), &schema); err != nil {
			t.Fatal(err)
		}
		tools[f.Name] = schema
	}
	count := 0
	for _, path := range document["paths"].(object) {
		op := path.(object)["put"].(object)
		name := op["operationId"].(string)
		count++
		t.Run(name, func(t *testing.T) {
			want := theirs{t, document}.arguments(op)
			got := ours{tools[name]}.schema(tools[name], 0)
			diff(t, "", want, got)
		})
	}
	if count != 20 || len(tools) != count {
		t.Errorf("%d operations and %d tools", count, len(tools))
	}
}

// NewServer returns a server with the tools.
func NewServer(t *testing.T) *mcp.Server {
	s := mcp.NewServer(mcp.ServerInfo{Name: "test", Version: "1"})
	RegisterMCP(s)
	return s
}

func decoded(t *testing.T, v any) object {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	var o object
	if err := json.Unmarshal(text, &o); err != nil {
		t.Fatal(err)
	}
	return o
}

// depth limits the nesting to which recursive types are compared.
const depth = 6

// theirs turns an operation of huma's OpenAPI into the schema of a tool's arguments.
type theirs struct {
	t        *testing.T
	document object
}

func (o theirs) arguments(op object) object {
	properties, required := object{}, []any{}
	parameters, _ := op["parameters"].([]any)
	for _, p := range parameters {
		p := p.(object)
		name := p["name"].(string)
		switch p["in"] {
		case "cookie":
			continue // no argument
		case "header":
			if name != "X-Tenant" { // the line //mcp:arg
				continue
			}
		}
		properties[name] = o.schema(p["schema"].(object), 1)
		if p["required"] == true {
			required = append(required, name)
		}
	}
	if body, ok := op["requestBody"].(object); ok {
		properties["Body"] = o.schema(body["content"].(object)["application/json"].(object)["schema"].(object), 1)
		if body["required"] == true {
			required = append(required, "Body")
		}
	}
	s := object{"type": "object", "properties": properties, "additionalProperties": false}
	if len(required) > 0 {
		s["required"] = sorted(required)
	}
	return s
}

// otherFormats are descriptive, or meant for clients of another kind.
var otherFormats = []string{"int64", "int32", "double", "float", "password"}

func (o theirs) schema(s object, level int) object {
	if level > depth {
		return object{}
	}
	if ref, ok := s["$ref"].(string); ok {
		name := ref[strings.LastIndex(ref, "/")+1:]
		named := o.schema(o.document["components"].(object)["schemas"].(object)[name].(object), level)
		for k, v := range s { // such as a description beside the reference
			if k != "$ref" {
				named[k] = v
			}
		}
		return named
	}
	out := object{}
	for k, v := range s {
		switch k {
		case "type":
			// Lists are nullable in huma, since encoding/json reads null as a nil slice: in mcpgen
			// they are missing instead.
			if list, ok := v.([]any); ok {
				v = list[0]
				if v != "array" {
					out["nullable"] = true
				}
			}
			out[k] = v
		case "format":
			if text, _ := v.(string); !slices.Contains(otherFormats, text) && text != "time" { // time of day, with an offset in RFC 3339
				out[k] = v
			}
		case "patternDescription":
			description, _ := s["description"].(string)
			out["description"] = strings.TrimSpace(description + " (" + v.(string) + ")")
		case "properties":
			properties := object{}
			for name, p := range v.(object) {
				if p := p.(object); name != "$schema" && p["readOnly"] != true { // no argument
					properties[name] = o.schema(p, level+1)
				}
			}
			out[k] = properties
		case "required":
			var names []any
			for _, name := range v.([]any) {
				if p := s["properties"].(object)[name.(string)].(object); p["readOnly"] != true {
					names = append(names, name)
				}
			}
			if len(names) > 0 {
				out[k] = sorted(names)
			}
		case "items", "additionalProperties":
			if inner, ok := v.(object); ok {
				v = o.schema(inner, level+1)
			}
			out[k] = v
		case "description":
			if _, set := out[k]; !set {
				out[k] = v
			}
		case "dependentRequired": // a warning
		default:
			out[k] = v
		}
	}
	return out
}

// ours converts the schema of a tool to the same form.
type ours struct{ root object }

func (o ours) schema(s object, level int) object {
	if level > depth {
		return object{}
	}
	if ref, ok := s["$ref"].(string); ok {
		return o.schema(o.root["$defs"].(object)[ref[strings.LastIndex(ref, "/")+1:]].(object), level)
	}
	if choices, ok := s["anyOf"].([]any); ok && len(choices) == 2 {
		out := o.schema(choices[0].(object), level)
		out["nullable"] = true
		if s["description"] != nil {
			out["description"] = s["description"]
		}
		return out
	}
	out := object{}
	for k, v := range s {
		switch k {
		case "$defs":
			continue
		case "properties":
			properties := object{}
			for name, p := range v.(object) {
				properties[name] = o.schema(p.(object), level+1)
			}
			v = properties
		case "required":
			v = sorted(v.([]any))
		case "items", "additionalProperties":
			if inner, ok := v.(object); ok {
				v = o.schema(inner, level+1)
			}
		case "description":
			// Types have no description in huma, and mcpgen describes type any.
			if first, _, _ := strings.Cut(v.(string), " "); slices.Contains([]string{"Any", "Derived", "Item", "Node", "Page", "Pointers", "Tag"}, first) {
				continue
			}
		case "format":
			if v == "time" {
				continue
			}
		}
		out[k] = v
	}
	return out
}

func sorted(names []any) []any {
	slices.SortFunc(names, func(a, b any) int { return strings.Compare(a.(string), b.(string)) })
	return names
}

func diff(t *testing.T, path string, want, got any) {
	t.Helper()
	w, isObject := want.(object)
	g, ok := got.(object)
	if !isObject || !ok {
		if !reflect.DeepEqual(want, got) {
			t.Errorf("%s: got %v, huma has %v", path, got, want)
		}
		return
	}
	for _, k := range slices.Sorted(maps.Keys(w)) {
		diff(t, path+"/"+k, w[k], g[k])
	}
	for _, k := range slices.Sorted(maps.Keys(g)) {
		if _, known := w[k]; !known {
			t.Errorf("%s/%s: got %v, huma has nothing", path, k, g[k])
		}
	}
}
