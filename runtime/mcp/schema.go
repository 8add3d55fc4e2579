package mcp

import (
	"strings"

	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// schemaForm says how a schema must differ from the one that was given.
type schemaForm struct {
	wrap        bool // an object with the schema as its only property, result
	dropMirrors bool // without x-mcp-header
}

const (
	mirrorKey = "x-mcp-header"
	resultKey = "#/properties/result"
)

// objectRoot reports whether a schema says "type":"object" at its root.
func objectRoot(schema string) bool {
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

// appendSchema writes a schema on one line, in the form that is wanted.
func appendSchema(b []byte, schema string, form schemaForm) []byte {
	spread := strings.ContainsAny(schema, "\n\r\t")
	rewriter := schemaRewriter{dropMirrors: form.dropMirrors && strings.Contains(schema, mirrorKey)}
	if !spread && !form.wrap && !rewriter.dropMirrors {
		return append(b, schema...) // as nearly all are
	}
	text := []byte(schema)
	if spread {
		text = wire.AppendCompact(nil, text)
	}
	switch {
	case form.wrap:
		return rewriter.wrap(b, text)
	case rewriter.dropMirrors:
		return rewriter.schema(b, text)
	}
	return append(b, text...)
}

// schemaRewriter copies schemas with changes. Order and spelling of everything
// else stay.
type schemaRewriter struct {
	dropMirrors bool
	moveRefs    bool // the root moves below resultKey; its definitions do not
}

// definitions are the keywords that stay at the root when a schema is wrapped.
func isDefinitions(name []byte) bool {
	return string(name) == "$defs" || string(name) == "definitions"
}

// wrap writes an object schema whose one property is the given schema.
// Definitions are lifted to the new root, so that references to them hold; other
// local references are moved with what they point to. A schema with an $id is a
// resource of its own, in which references hold wherever it stands.
func (w schemaRewriter) wrap(b, schema []byte) []byte {
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
				b = w.schemas(b, value)
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

// members writes those members of a schema that keep wants.
func (w schemaRewriter) members(b, schema []byte, keep func(name, value []byte) bool) []byte {
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
func (w schemaRewriter) schema(b, schema []byte) []byte {
	return w.members(b, schema, func(name, _ []byte) bool {
		return !w.dropMirrors || string(name) != mirrorKey
	})
}

// keyword writes the value of one keyword. Only where schemas may stand is
// looked inside: the values of enum, const, default and the like are data.
func (w schemaRewriter) keyword(b []byte, name string, value []byte) []byte {
	switch holds(name) {
	case namedSchemas:
		return w.schemas(b, value)
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

// holding says which schemas are in the value of a keyword.
type holding byte

const (
	noSchemas        holding = iota
	namedSchemas             // an object of them
	oneOrMoreSchemas         // one, or an array of them
)

func holds(keyword string) holding {
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

// schemas writes an object whose values are schemas, under any name.
func (w schemaRewriter) schemas(b, object []byte) []byte {
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
		b = w.schema(b, value)
		return true
	})
	return append(b, '}')
}

// list writes an array of schemas.
func (w schemaRewriter) list(b, array []byte) []byte {
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

// movedRef is where a local reference leads once its schema is wrapped.
func movedRef(ref string) string {
	switch {
	case ref == "#":
		return resultKey
	case strings.HasPrefix(ref, "#/$defs/"), strings.HasPrefix(ref, "#/definitions/"):
		return ref
	case strings.HasPrefix(ref, "#/"):
		return resultKey + ref[1:]
	}
	return ref
}
