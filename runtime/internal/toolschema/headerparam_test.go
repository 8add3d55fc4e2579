package toolschema_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/internal/proof/spec"
	"github.com/mcpgen/mcpgen/runtime/internal/toolschema"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

func TestHeaderParams(t *testing.T) {
	for _, test := range []struct {
		name, schema string
		want         string // header=path:kind
	}{
		{"none", `{"type":"object","properties":{"a":{"type":"string"}}}`, ""},
		{"string", `{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"}}}`, "Mcp-Param-Region=region:0"},
		{"keyword first", `{"properties":{"region":{"x-mcp-header":"REGION","type":"string"}},"type":"object"}`, "Mcp-Param-Region=region:0"},
		{"integer", `{"properties":{"n":{"type":"integer","x-mcp-header":"n"}}}`, "Mcp-Param-N=n:1"},
		{"bounded", `{"properties":{"n":{"type":"integer","minimum":-9007199254740991,"maximum":9007199254740991,"x-mcp-header":"n"}}}`, "Mcp-Param-N=n:1"},
		{"boolean", `{"properties":{"dry":{"type":"boolean","x-mcp-header":"dry-run"}}}`, "Mcp-Param-Dry-Run=dry:2"},
		{"several", `{"properties":{"b":{"type":"string","x-mcp-header":"B"},"a":{"type":"string","x-mcp-header":"A"}}}`, "Mcp-Param-B=b:0 Mcp-Param-A=a:0"},
		{"inside", `{"properties":{"where":{"type":"object","properties":{"zone":{"type":"string","x-mcp-header":"Zone"}}}}}`, "Mcp-Param-Zone=where/zone:0"},
		{"inside what may be null", `{"properties":{"where":{"type":["object","null"],"properties":{"zone":{"type":"string","x-mcp-header":"Zone"}}}}}`, "Mcp-Param-Zone=where/zone:0"},
		{"siblings", `{"properties":{"a":{"properties":{"x":{"type":"string","x-mcp-header":"1"},"y":{"type":"string","x-mcp-header":"2"}}},"z":{"type":"string","x-mcp-header":"3"}}}`,
			"Mcp-Param-1=a/x:0 Mcp-Param-2=a/y:0 Mcp-Param-3=z:0"},
		{"siblings further down", `{"properties":{"a":{"properties":{"b":{"properties":{"c":{"properties":{"d":{"type":"string","x-mcp-header":"d"},"e":{"type":"string","x-mcp-header":"e"}}}}}}}}}`,
			"Mcp-Param-D=a/b/c/d:0 Mcp-Param-E=a/b/c/e:0"},
		{"property named properties", `{"properties":{"properties":{"properties":{"items":{"type":"string","x-mcp-header":"a"}}}}}`, "Mcp-Param-A=properties/items:0"},
		{"property named x-mcp-header", `{"properties":{"x-mcp-header":{"type":"string"}}}`, ""},
		{"name that is escaped", `{"properties":{"\u0061":{"type":"\u0073tring","x-mcp-header":"\u0061"}}}`, "Mcp-Param-A=a:0"},
		{"all that is a token", "{\"properties\":{\"a\":{\"type\":\"string\",\"x-mcp-header\":\"!#$%&'*+-.^_`|~09aZ\"}}}", "Mcp-Param-!#$%&'*+-.^_`|~09az=a:0"},
		{"data", `{"properties":{"a":{"default":{"x-mcp-header":1},"enum":[{"x-mcp-header":1}],"const":{"x-mcp-header":1},"examples":[{"x-mcp-header":1}]}}}`, ""},
		{"closed schemas", `{"properties":{"a":true,"x-mcp-header":false},"additionalProperties":false}`, ""},
	} {
		found, err := toolschema.HeaderParams(test.schema)
		var got []string
		for _, p := range found {
			got = append(got, fmt.Sprintf("%s=%s:%d", p.Header, strings.Join(p.Path, "/"), p.Kind))
		}
		if err != nil || strings.Join(got, " ") != test.want {
			t.Errorf("%s: %v, %v, want %s", test.name, got, err, test.want)
		}
	}
}

func TestHeaderParamsRefused(t *testing.T) {
	spec.Holds(t, "S158", "S159", "S160", "S161", "S162", "S163", "S164")
	const (
		unreachable = "only an argument that is reached by way of properties alone can be mirrored in a header field"
		wrongType   = `needs "type":"string", "integer" or "boolean", and no other type besides`
		annotated   = `{"type":"string","x-mcp-header":"A"}`
	)
	for _, test := range []struct{ name, schema, want string }{
		{"root", `{"type":"object","x-mcp-header":"A"}`, "at the root: " + unreachable},
		{"items", `{"properties":{"l":{"items":` + annotated + `}}}`, "at l.items: " + unreachable},
		{"prefixItems", `{"properties":{"l":{"prefixItems":[` + annotated + `]}}}`, "at l.prefixItems: " + unreachable},
		{"properties of items", `{"properties":{"l":{"items":{"properties":{"a":` + annotated + `}}}}}`, "at l.items.properties.a: " + unreachable},
		{"map values", `{"properties":{"m":{"additionalProperties":` + annotated + `}}}`, "at m.additionalProperties: " + unreachable},
		{"patterns", `{"patternProperties":{"^a":` + annotated + `}}`, "at patternProperties.^a: " + unreachable},
		{"definitions", `{"$defs":{"A":` + annotated + `}}`, "at $defs.A: " + unreachable},
		{"older definitions", `{"definitions":{"A":{"properties":{"a":` + annotated + `}}}}`, "at definitions.A.properties.a: " + unreachable},
		{"oneOf", `{"oneOf":[{"properties":{"a":` + annotated + `}}]}`, "at oneOf.properties.a: " + unreachable},
		{"anyOf", `{"properties":{"a":{"anyOf":[` + annotated + `]}}}`, "at a.anyOf: " + unreachable},
		{"allOf", `{"allOf":[{"properties":{"a":` + annotated + `}}]}`, "at allOf.properties.a: " + unreachable},
		{"not", `{"not":{"properties":{"a":` + annotated + `}}}`, "at not.properties.a: " + unreachable},
		{"if", `{"if":{"properties":{"a":` + annotated + `}}}`, "at if.properties.a: " + unreachable},
		{"then", `{"then":{"properties":{"a":` + annotated + `}}}`, "at then.properties.a: " + unreachable},
		{"dependentSchemas", `{"dependentSchemas":{"b":{"properties":{"a":` + annotated + `}}}}`, "at dependentSchemas.b.properties.a: " + unreachable},

		{"empty", `{"properties":{"a":{"type":"string","x-mcp-header":""}}}`, `at a: "" is not a name of a header field: use letters, digits and hyphens`},
		{"blank", `{"properties":{"a":{"type":"string","x-mcp-header":"A B"}}}`, `at a: "A B" is not a name of a header field: use letters, digits and hyphens`},
		{"colon", `{"properties":{"a":{"type":"string","x-mcp-header":"A:"}}}`, `at a: "A:" is not a name of a header field: use letters, digits and hyphens`},
		{"line end", `{"properties":{"a":{"type":"string","x-mcp-header":"A\r\nB"}}}`, `at a: "A\r\nB" is not a name of a header field: use letters, digits and hyphens`},
		{"not ASCII", `{"properties":{"a":{"type":"string","x-mcp-header":"\u00c4"}}}`, "at a: \"\u00c4\" is not a name of a header field: use letters, digits and hyphens"},
		{"number", `{"properties":{"a":{"type":"string","x-mcp-header":1}}}`, `at a: must be a string`},
		{"null", `{"properties":{"a":{"type":"string","x-mcp-header":null}}}`, `at a: must be a string`},
		{"twice", `{"properties":{"a":{"type":"string","x-mcp-header":"A"},"b":{"properties":{"c":{"type":"string","x-mcp-header":"A"}}}}}`,
			`at b.c: "A" is taken by a: the case of letters makes no difference`},
		{"twice but for case", `{"properties":{"a":{"properties":{"b":{"type":"string","x-mcp-header":"dry-run"}}},"c":{"type":"string","x-mcp-header":"Dry-RUN"}}}`,
			`at c: "Dry-RUN" is taken by a.b: the case of letters makes no difference`},

		{"type number", `{"properties":{"a":{"type":"number","x-mcp-header":"A"}}}`, "at a: " + wrongType},
		{"type object", `{"properties":{"a":{"type":"object","x-mcp-header":"A"}}}`, "at a: " + wrongType},
		{"type array", `{"properties":{"a":{"type":"array","x-mcp-header":"A"}}}`, "at a: " + wrongType},
		{"type null", `{"properties":{"a":{"type":"null","x-mcp-header":"A"}}}`, "at a: " + wrongType},
		{"no type", `{"properties":{"a":{"x-mcp-header":"A"}}}`, "at a: " + wrongType},
		{"reference", `{"properties":{"a":{"$ref":"#/$defs/A","x-mcp-header":"A"}}}`, "at a: " + wrongType},
		{"or null", `{"properties":{"a":{"type":["string","null"],"x-mcp-header":"A"}}}`, "at a: " + wrongType},
		{"list of one type", `{"properties":{"a":{"type":["string"],"x-mcp-header":"A"}}}`, "at a: " + wrongType},
		{"large maximum", `{"properties":{"a":{"type":"integer","maximum":9007199254740992,"x-mcp-header":"A"}}}`,
			"at a: 9007199254740992 is beyond 9007199254740991, up to which clients write integers exactly"},
		{"small minimum", `{"properties":{"a":{"x-mcp-header":"A","type":"integer","minimum":-9223372036854775808}}}`,
			"at a: -9223372036854775808 is beyond 9007199254740991, up to which clients write integers exactly"},
		{"large value", `{"properties":{"a":{"type":"integer","enum":[1,1e400],"x-mcp-header":"A"}}}`,
			"at a: 1e400 is beyond 9007199254740991, up to which clients write integers exactly"},
	} {
		found, err := toolschema.HeaderParams(test.schema)
		if err == nil || err.Error() != "x-mcp-header "+test.want || found != nil {
			t.Errorf("%s: %v, %v\nwant x-mcp-header %s", test.name, found, err, test.want)
		}
	}
}

// FuzzHeaderParams compares with a walk over the schema as encoding/json decodes it.
func FuzzHeaderParams(f *testing.F) {
	for _, schema := range []string{
		`{"properties":{"a":{"type":"string","x-mcp-header":"A"}}}`, `{"properties":{"a":{"properties":{"b":{"type":"integer","x-mcp-header":"A-b"}}}}}`,
		`{"x-mcp-header":"A"}`, `{"properties":{"a":{"items":{"x-mcp-header":"A"}}}}`, `{"properties":{"a":{"default":{"x-mcp-header":"A"}}}}`,
		`{"properties":[{"x-mcp-header":"A"}]}`, `{"anyOf":{"x-mcp-header":"A"}}`, `{"properties":{"a":{"type":["string"],"x-mcp-header":"A"}}}`, `[]`, `{`,
	} {
		f.Add(schema)
	}
	f.Fuzz(func(t *testing.T, schema string) {
		found, err := toolschema.HeaderParams(schema) // must not panic on invalid JSON either
		if err != nil || wire.Valid([]byte(schema), 0) != nil {
			return
		}
		var root any
		if err := json.Unmarshal([]byte(schema), &root); err != nil {
			t.Fatal(err)
		}
		var seen []string
		for _, p := range found {
			at := root
			for _, name := range p.Path {
				properties := at.(map[string]any)["properties"].(map[string]any)
				at = properties[name]
			}
			annotation := at.(map[string]any)["x-mcp-header"].(string)
			if key := strings.ToLower(annotation); slices.Contains(seen, key) || "mcp-param-"+key != strings.ToLower(p.Header) {
				t.Fatalf("%s: %v", schema, found)
			} else {
				seen = append(seen, key)
			}
			kind := at.(map[string]any)["type"]
			if kind != [...]string{toolschema.StringParam: "string", toolschema.IntegerParam: "integer", toolschema.BooleanParam: "boolean"}[p.Kind] {
				t.Fatalf("%s: %v", schema, found)
			}
		}
	})
}
