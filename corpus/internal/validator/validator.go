// Package validator compiles published schemas with an independent JSON Schema validator.
package validator

import (
	"bytes"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Open compiles a schema as published. It checks formats and encodings.
func Open(text []byte) (*jsonschema.Schema, error) { return compile(text, false) }

// Closed compiles the schema of a result, and refuses undeclared members: published schemas of
// results are open, which would hide them.
func Closed(text []byte) (*jsonschema.Schema, error) { return compile(text, true) }

func compile(text []byte, closed bool) (*jsonschema.Schema, error) {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	if closed {
		closeObjects(doc)
	}
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	c.AssertFormat()
	c.AssertContent()
	if err := c.AddResource("schema.json", doc); err != nil {
		return nil, err
	}
	return c.Compile("schema.json")
}

// closeObjects adds additionalProperties to the schemas of objects that lack it.
func closeObjects(v any) {
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			closeObjects(e)
		}
	case map[string]any:
		for _, e := range v {
			closeObjects(e)
		}
		_, named := v["properties"].(map[string]any)
		if _, said := v["additionalProperties"]; named && !said && v["type"] == "object" {
			v["additionalProperties"] = false
		}
	}
}
