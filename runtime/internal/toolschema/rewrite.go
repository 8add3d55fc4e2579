// Package toolschema reads and rewrites the JSON Schemas of tools, as text: it makes the changes
// that revisions need, checks schemas, and finds the arguments that clients repeat in header
// fields.
package toolschema

import (
	"strings"

	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Form describes the changes of a schema before it is published.
type Form struct {
	Wrap              bool // an object with the schema as its only property, result
	DropHeaderKeyword bool // without x-mcp-header
	ObjectProperties  bool // the schemas of the root's properties are objects, not true or false
}

const (
	headerKeyword = "x-mcp-header"
	resultPointer = "#/properties/result"
)

// HasObjectRoot reports whether a schema has "type":"object" at its root.
func HasObjectRoot(schema string) bool {
	if strings.HasPrefix(schema, `{"type":"object",`) {
		return true // nearly all schemas: nothing is copied for them
	}
	object := false
	jsonrpc.Members([]byte(schema), func(name, value []byte) bool {
		if string(name) == "type" {
			object = string(value) == `"object"`
			return false
		}
		return true
	})
	return object
}

// Append writes a schema on one line, in the form.
func Append(b []byte, schema string, form Form) []byte {
	spread := strings.ContainsAny(schema, "\n\r\t")
	rewriter := rewriter{
		dropHeaders: form.DropHeaderKeyword && strings.Contains(schema, headerKeyword),
		objects:     form.ObjectProperties && !form.Wrap && hasBooleanProperty(schema),
	}
	if !spread && !form.Wrap && !rewriter.dropHeaders && !rewriter.objects {
		return append(b, schema...) // true of nearly all schemas
	}
	text := []byte(schema)
	if spread {
		text = wire.AppendCompact(nil, text)
	}
	switch {
	case form.Wrap:
		return rewriter.wrap(b, text)
	case rewriter.dropHeaders, rewriter.objects:
		return rewriter.schema(b, text)
	}
	return append(b, text...)
}

// hasBooleanProperty reports whether the schema of a property of the root is true or false.
func hasBooleanProperty(schema string) bool {
	// Most schemas contain no true or false but the usual one at their end, and need not be parsed:
	// parsing was a third of the time of the first list of 1,000 tools.
	rest := strings.TrimSuffix(schema, `"additionalProperties":false}`)
	if !strings.Contains(rest, "true") && !strings.Contains(rest, "false") {
		return false
	}
	found := false
	jsonrpc.Members([]byte(schema), func(name, value []byte) bool {
		if string(name) == "properties" {
			jsonrpc.Members(value, func(_, property []byte) bool {
				found = found || isBoolean(property)
				return !found
			})
		}
		return !found
	})
	return found
}

func isBoolean(schema []byte) bool {
	return len(schema) > 0 && (schema[0] == 't' || schema[0] == 'f')
}

// rewriter copies schemas with changes. Order and spelling of everything else stay.
type rewriter struct {
	dropHeaders bool
	objects     bool // at the root, true and false among the properties become objects
	moveRefs    bool // the root moves below resultPointer; its definitions do not
}

// isDefinitions reports whether a keyword stays at the root when a schema is wrapped.
func isDefinitions(name []byte) bool {
	return string(name) == "$defs" || string(name) == "definitions"
}

// wrap writes an object schema whose one property is the given schema. Definitions are lifted to
// the new root, so that references to them hold; other local references are moved with their
// targets. A schema with an $id is a resource of its own, in which references hold wherever it is.
func (w rewriter) wrap(b, schema []byte) []byte {
	resource := false
	jsonrpc.Members(schema, func(name, _ []byte) bool {
		resource = resource || string(name) == "$id"
		return true
	})
	w.moveRefs = !resource
	b = append(b, `{"type":"object","properties":{"result":`...)
	b = w.members(b, schema, func(name, value []byte) bool {
		return resource || (!isDefinitions(name) && string(name) != "$schema")
	})
	b = append(b, `},"required":["result"]`...)
	if !resource {
		jsonrpc.Members(schema, func(name, value []byte) bool {
			switch {
			case isDefinitions(name):
				b = appendName(b, name)
				b = w.schemas(b, value, false)
			case string(name) == "$schema":
				b = appendName(b, name)
				b = append(b, value...)
			}
			return true
		})
	}
	return append(b, '}')
}

func appendName(b, name []byte) []byte {
	b = append(b, ',')
	b = wire.AppendString(b, string(name))
	return append(b, ':')
}

// members writes the members of a schema for which keep returns true.
func (w rewriter) members(b, schema []byte, keep func(name, value []byte) bool) []byte {
	if len(schema) == 0 || schema[0] != '{' {
		return append(b, schema...) // true or false
	}
	b = append(b, '{')
	start := len(b)
	jsonrpc.Members(schema, func(name, value []byte) bool {
		if !keep(name, value) {
			return true
		}
		if len(b) > start {
			b = append(b, ',')
		}
		b = wire.AppendString(b, string(name))
		b = append(b, ':')
		b = w.keyword(b, string(name), value)
		return true
	})
	return append(b, '}')
}

// schema writes one schema.
func (w rewriter) schema(b, schema []byte) []byte {
	return w.members(b, schema, func(name, _ []byte) bool {
		return !w.dropHeaders || string(name) != headerKeyword
	})
}

// keyword writes the value of one keyword. Only values that contain schemas are rewritten: the
// values of enum, const, default and the like are data.
func (w rewriter) keyword(b []byte, name string, value []byte) []byte {
	objects := w.objects && name == "properties"
	w.objects = false // below the root
	switch schemasIn(name) {
	case namedSchemas:
		return w.schemas(b, value, objects)
	case oneOrMoreSchemas:
		if len(value) > 0 && value[0] == '[' {
			return w.list(b, value)
		}
		return w.schema(b, value)
	}
	if name == "$ref" || name == "$dynamicRef" {
		if ref, ok := jsonrpc.String(value); ok && w.moveRefs {
			return wire.AppendString(b, movedRef(ref))
		}
	}
	return append(b, value...)
}

// content tells which schemas the value of a keyword contains.
type content byte

const (
	noSchemas        content = iota
	namedSchemas             // an object of schemas
	oneOrMoreSchemas         // one schema, or an array of schemas
)

func schemasIn(keyword string) content {
	switch keyword {
	case "properties", "patternProperties", "$defs", "definitions", "dependentSchemas":
		return namedSchemas
	case "items", "prefixItems", "additionalItems", "contains", "unevaluatedItems",
		"additionalProperties", "propertyNames", "unevaluatedProperties",
		"allOf", "anyOf", "oneOf", "not", "if", "then", "else", "contentSchema":
		return oneOrMoreSchemas
	}
	return noSchemas
}

// schemas writes an object whose values are schemas, under any name. If objects is set, it writes
// true and false as the objects with the same meaning.
func (w rewriter) schemas(b, object []byte, objects bool) []byte {
	if len(object) == 0 || object[0] != '{' {
		return append(b, object...)
	}
	b = append(b, '{')
	start := len(b)
	jsonrpc.Members(object, func(name, value []byte) bool {
		if len(b) > start {
			b = append(b, ',')
		}
		b = wire.AppendString(b, string(name))
		b = append(b, ':')
		switch {
		case !objects || !isBoolean(value):
			b = w.schema(b, value)
		case value[0] == 't':
			b = append(b, `{}`...)
		default:
			b = append(b, `{"not":{}}`...)
		}
		return true
	})
	return append(b, '}')
}

// list writes an array of schemas.
func (w rewriter) list(b, array []byte) []byte {
	b = append(b, '[')
	start := len(b)
	jsonrpc.Elements(array, func(value []byte) bool {
		if len(b) > start {
			b = append(b, ',')
		}
		b = w.schema(b, value)
		return true
	})
	return append(b, ']')
}

// movedRef returns the target of a local reference after its schema is wrapped.
func movedRef(ref string) string {
	switch {
	case ref == "#":
		return resultPointer
	case strings.HasPrefix(ref, "#/$defs/"), strings.HasPrefix(ref, "#/definitions/"):
		return ref
	case strings.HasPrefix(ref, "#/"):
		return resultPointer + ref[1:]
	}
	return ref
}
