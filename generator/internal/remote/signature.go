package remote

import (
	"encoding/json"
	"go/token"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/generator/internal/model"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// Signature returns a tool's Go declaration, made from its schemas. An optional argument is a
// pointer, or has its default.
func Signature(input, output json.RawMessage) string {
	d := parse(input)
	var params []string
	for _, name := range d.names(input) {
		params = append(params, name+" "+d.parameter(name))
	}
	text := "func(" + strings.Join(params, ", ") + ")"
	if len(output) > 0 && string(output) != "null" {
		text += d.results(output)
	}
	return text
}

// names returns the arguments in the order of the schema.
func (d *document) names(schema json.RawMessage) (names []string) {
	jsonrpc.Members(schema, func(name, value []byte) bool {
		if string(name) != "properties" {
			return true
		}
		jsonrpc.Members(value, func(name, _ []byte) bool {
			names = append(names, string(name))
			return true
		})
		return false
	})
	return names
}

// parameter returns the type of an argument.
func (d *document) parameter(name string) string {
	properties, _ := d.root["properties"].(map[string]any)
	typ := d.goType(properties[name], 0)
	required, _ := d.root["required"].([]any)
	if slices.Contains(required, any(name)) {
		return typ
	}
	s, _ := d.resolve(properties[name])
	if value, ok := s["default"]; ok && value != nil {
		if text, err := json.Marshal(value); err == nil {
			return typ + " = " + string(text)
		}
	}
	if strings.HasPrefix(typ, "*") || strings.HasPrefix(typ, "[]") || strings.HasPrefix(typ, "map[") || typ == "any" {
		return typ
	}
	return "*" + typ
}

// results returns the result list for a signature: several results if the root is an object.
func (d *document) results(output json.RawMessage) string {
	out := parse(output)
	properties, _ := out.root["properties"].(map[string]any)
	var named []string
	for _, name := range out.names(output) {
		named = append(named, name+" "+out.goType(properties[name], 0))
	}
	if len(named) == 0 {
		return " " + out.goType(out.root, 0)
	}
	return " (" + strings.Join(named, ", ") + ")"
}

// goType returns the Go type for a schema. A definition gives the type its name.
func (d *document) goType(schema any, depth int) string {
	s, name, null := d.single(schema)
	typ := d.plainType(s, name, depth)
	if null && !strings.HasPrefix(typ, "[]") && !strings.HasPrefix(typ, "map[") && typ != "any" {
		return "*" + typ
	}
	return typ
}

func (d *document) plainType(s map[string]any, name string, depth int) string {
	if d.parts++; depth > maxDepth || d.parts > maxParts {
		return "any"
	}
	switch typeOf(s) {
	case "string":
		if named := token.IsIdentifier(name); named && s["enum"] != nil {
			return name
		}
		return "string"
	case "integer":
		return "int"
	case "number":
		return "float64"
	case "boolean":
		return "bool"
	case "array":
		return "[]" + d.goType(s["items"], depth+1)
	case "object":
		if token.IsIdentifier(name) {
			return name
		}
		if _, ok := s["properties"].(map[string]any); ok {
			return "struct"
		}
		if values, ok := s["additionalProperties"].(map[string]any); ok {
			return "map[string]" + d.goType(values, depth+1)
		}
		return "map[string]any"
	}
	return "any"
}

// Input returns the plan by which words of a command line become the arguments of a tool.
func Input(schema json.RawMessage) *model.Input {
	d := parse(schema)
	properties, _ := d.root["properties"].(map[string]any)
	object := &model.Type{Kind: model.Struct}
	for _, name := range d.names(schema) {
		object.Fields = append(object.Fields, &model.Field{Name: name, Type: d.plan(properties[name], 0)})
	}
	return &model.Input{Object: object}
}

// plan returns the kind of a value.
func (d *document) plan(schema any, depth int) *model.Type {
	s, _, _ := d.single(schema)
	if d.parts++; depth > maxDepth || d.parts > maxParts {
		return &model.Type{Kind: model.Any}
	}
	switch typeOf(s) {
	case "string":
		return &model.Type{Kind: model.String}
	case "integer", "number":
		return &model.Type{Kind: model.Float}
	case "boolean":
		return &model.Type{Kind: model.Bool}
	case "array":
		return &model.Type{Kind: model.Slice, Elem: d.plan(s["items"], depth+1)}
	case "object":
		return &model.Type{Kind: model.Struct}
	}
	return &model.Type{Kind: model.Any}
}

// PromptSignature returns a prompt's Go declaration.
func PromptSignature(arguments []mcp.PromptArgument) string {
	var params []string
	for _, a := range arguments {
		typ := " *string"
		if a.Required {
			typ = " string"
		}
		params = append(params, a.Name+typ)
	}
	return "func(" + strings.Join(params, ", ") + ")"
}

// PromptInput is like [Input], for the arguments of a prompt, which are strings.
func PromptInput(arguments []mcp.PromptArgument) *model.Input {
	object := &model.Type{Kind: model.Struct}
	for _, a := range arguments {
		object.Fields = append(object.Fields, &model.Field{Name: a.Name, Type: &model.Type{Kind: model.String}})
	}
	return &model.Input{Object: object}
}
