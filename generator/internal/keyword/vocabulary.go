package keyword

// Vocabulary contains the keywords of JSON Schema, draft 2020-12, each with the kind of its value;
// schemas written by hand use them. The kind "root" marks keywords that are allowed only at the
// root of a document, which the schema of a type never is.
var Vocabulary = map[string]string{
	"type": "type", "enum": "array", "const": "any", "title": "string", "description": "string", "default": "any", "examples": "array",
	"format": "string", "pattern": "pattern", "contentEncoding": "string", "contentMediaType": "string", "$comment": "string",
	"deprecated": "boolean", "readOnly": "boolean", "writeOnly": "boolean", "uniqueItems": "boolean",
	"minimum": "number", "maximum": "number", "exclusiveMinimum": "number", "exclusiveMaximum": "number", "multipleOf": "number",
	"minLength": "count", "maxLength": "count", "minItems": "count", "maxItems": "count", "minProperties": "count", "maxProperties": "count",
	"minContains": "count", "maxContains": "count", "required": "strings", "dependentRequired": "any",
	"items": "schema", "additionalProperties": "schema", "propertyNames": "schema", "contains": "schema", "not": "schema",
	"if": "schema", "then": "schema", "else": "schema", "unevaluatedItems": "schema", "unevaluatedProperties": "schema", "contentSchema": "schema",
	"properties": "schemas", "patternProperties": "schemas", "dependentSchemas": "schemas",
	"allOf": "list", "anyOf": "list", "oneOf": "list", "prefixItems": "list",

	"$schema": "root", "$id": "root", "$anchor": "root", "$dynamicAnchor": "root", "$dynamicRef": "root", "$ref": "root",
	"$defs": "root", "definitions": "root", "$vocabulary": "root",
}
