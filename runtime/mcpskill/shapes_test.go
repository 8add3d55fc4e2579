package mcpskill_test

import (
	"bytes"
	"encoding/json"
	"os"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// resultShapes are the definitions of results, by method.
var resultShapes = map[string]string{
	"skills/list": "ListSkillsResult", "skills/get": "GetSkillResult", "resources/directory/read": "ReadResourceDirectoryResult",
}

var shapes = sync.OnceValues(func() (map[string]*jsonschema.Schema, error) {
	const file = "testdata/skills.schema.json"
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource(file, value); err != nil {
		return nil, err
	}
	all := map[string]*jsonschema.Schema{}
	for method, name := range resultShapes {
		if all[method], err = c.Compile(file + "#/$defs/" + name); err != nil {
			return nil, err
		}
	}
	return all, nil
})

// checkShape compares a result with the interfaces of the specification. Every result of a test
// passes it.
func checkShape(t testing.TB, method string, result json.RawMessage) {
	t.Helper()
	all, err := shapes()
	if err != nil {
		t.Fatal(err)
	}
	s := all[method]
	if s == nil {
		return
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(result))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Validate(value); err != nil {
		t.Errorf("%s: %v\n%s", method, err, result)
	}
}

// The schema refuses results that the specification does not have.
func TestShapesAreStrict(t *testing.T) {
	all, err := shapes()
	if err != nil {
		t.Fatal(err)
	}
	const entry = `{"uri":"skill://a/SKILL.md","frontmatter":{"name":"a","description":"d"},"resources":"dynamic"}`
	for result, method := range map[string]string{
		`{"skills":[],"resultType":"complete","ttlMs":0}`:                                                   "skills/list",
		`{"skills":[],"resultType":"complete","ttlMs":0,"cacheScope":"public","more":1}`:                    "skills/list",
		`{"skills":[{"uri":"skill://a/SKILL.md"}],"resultType":"complete","ttlMs":0,"cacheScope":"public"}`: "skills/list",
		`{"skill":` + entry + `,"ttlMs":0,"cacheScope":"public"}`:                                           "skills/get",
		`{"skill":` + entry + `,"resultType":"complete","ttlMs":0,"cacheScope":"public","nextCursor":"x"}`:  "skills/get",
		`{"resources":[{"uri":"skill://a"}],"resultType":"complete"}`:                                       "resources/directory/read",
		`{"resources":[],"resultType":"complete"}`:                                                          "resources/directory/read",
	} {
		value, err := jsonschema.UnmarshalJSON(bytes.NewReader([]byte(result)))
		if err != nil {
			t.Fatal(err)
		}
		if all[method].Validate(value) == nil {
			t.Errorf("%s: %s is valid", method, result)
		}
	}
}
