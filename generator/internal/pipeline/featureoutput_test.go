package pipeline_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// response is what a program sends: a response, or a request or notification.
type response struct {
	ID     json.RawMessage
	Result *struct {
		Tools             []struct{ Name, OutputSchema json.RawMessage }
		StructuredContent json.RawMessage
	}
}

// outputs are the output schemas of the tools of a program, by the names as JSON. Lists of tools
// add to them.
type outputs map[string]*jsonschema.Schema

// check reports a structured result that does not follow the output schema of its tool.
func (o *outputs) check(t *testing.T, request string, r *response) {
	t.Helper()
	if r.Result == nil {
		return
	}
	for _, tool := range r.Result.Tools {
		if tool.OutputSchema == nil {
			continue
		}
		if *o == nil {
			*o = outputs{}
		}
		document, err := jsonschema.UnmarshalJSON(bytes.NewReader(tool.OutputSchema))
		if err != nil {
			t.Fatal(err)
		}
		compiler := jsonschema.NewCompiler()
		if err := compiler.AddResource("schema.json", document); err != nil {
			t.Fatal(err)
		}
		schema, err := compiler.Compile("schema.json")
		if err != nil {
			t.Fatalf("%s: %v", tool.Name, err)
		}
		(*o)[string(tool.Name)] = schema
	}
	if r.Result.StructuredContent == nil {
		return
	}
	var call struct {
		Params struct{ Name json.RawMessage }
	}
	if err := json.Unmarshal([]byte(request), &call); err != nil {
		t.Fatal(err)
	}
	schema := (*o)[string(call.Params.Name)]
	if schema == nil {
		return // a result of another request, or one of use_tool
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(r.Result.StructuredContent))
	if err != nil {
		t.Fatal(err)
	}
	if err := schema.Validate(value); err != nil {
		t.Errorf("%v\n%s", err, r.Result.StructuredContent)
	}
}
