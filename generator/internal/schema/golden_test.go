package schema

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"go/types"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	validator "github.com/santhosh-tekuri/jsonschema/v6"
	"golang.org/x/tools/txtar"

	"github.com/mcpgen/mcpgen/internal/proof/spec"
)

var update = flag.Bool("update", false, "rewrite the golden parts of testdata")

// TestGolden renders the declarations that the line "show:" of each archive names: NAME.input and
// NAME.output are the schemas, diagnostics contains the reported diagnostics.
func TestGolden(t *testing.T) {
	spec.Holds(t, "S034", "S036", "S037", "S039")
	names, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(names) == 0 {
		t.Fatal("no archives", err)
	}
	for _, name := range names {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			files, want := map[string]string{}, map[string]string{}
			out := &txtar.Archive{Comment: archive.Comment}
			for _, f := range archive.Files {
				if strings.HasSuffix(f.Name, ".go") {
					files[f.Name] = string(f.Data)
					out.Files = append(out.Files, f)
				} else {
					want[f.Name] = string(f.Data)
				}
			}
			got := map[string]string{}
			for _, f := range golden(t, files, shown(string(archive.Comment))) {
				got[f.Name] = string(f.Data)
				out.Files = append(out.Files, f)
			}
			if *update {
				if err := os.WriteFile(name, txtar.Format(out), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("wrong (go test -update rewrites it):\n%s", d)
			}
		})
	}
}

// shown returns the list behind "show:".
func shown(comment string) []string {
	for line := range strings.Lines(comment) {
		if list, ok := strings.CutPrefix(line, "show:"); ok {
			return strings.Fields(list)
		}
	}
	return nil
}

func golden(t *testing.T, files map[string]string, names []string) []txtar.File {
	s := checkSource(t, files)
	var out []txtar.File
	for _, name := range names {
		if sig, ok := s.typeOf(t, name).(*types.Signature); ok {
			out = append(out, txtar.File{Name: name + ".params", Data: indent(t, inspectSchema(t, inputText(s.params(t, name, sig)), true))})
			continue
		}
		plan := s.plan(t, name)
		out = append(out,
			txtar.File{Name: name + ".input", Data: indent(t, inspectSchema(t, inputText(plan), false))},
			txtar.File{Name: name + ".output", Data: indent(t, inspectOutput(t, outputText(plan)))})
	}
	if report := s.printed(); report != "" {
		out = append(out, txtar.File{Name: "diagnostics", Data: []byte(report)})
	}
	return out
}

func indent(t *testing.T, text string) []byte {
	var b bytes.Buffer
	if err := json.Indent(&b, []byte(text), "", "  "); err != nil {
		t.Fatal(err)
	}
	b.WriteByte('\n')
	return b.Bytes()
}

// inspectSchema fails the test if a schema is not of draft 2020-12 or violates a rule of style, and
// returns it.
func inspectSchema(t testing.TB, text string, root bool) string {
	t.Helper()
	compile(t, text)
	doc, err := validator.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	if strings.ContainsAny(text, "`\n\r\ufeff") {
		t.Errorf("the text cannot stand in a raw string: %s", text)
	}
	if object := doc.(map[string]any); root && (object["type"] != "object" || object["properties"] == nil || object["additionalProperties"] != false) {
		t.Errorf("the root is no closed object: %s", text)
	}
	style(t, doc, "#")
	return text
}

// inspectOutput is like inspectSchema, for results, whose objects are open.
func inspectOutput(t testing.TB, text string) string {
	t.Helper()
	if strings.Contains(text, `"additionalProperties":false`) {
		t.Errorf("a result has a closed object: %s", text)
	}
	return inspectSchema(t, text, false)
}

// style visits all schemas within a schema.
func style(t testing.TB, v any, at string) {
	t.Helper()
	s, ok := v.(map[string]any)
	if !ok {
		t.Errorf("%s: boolean schema", at)
		return
	}
	if len(s) == 0 {
		t.Errorf("%s: empty schema", at)
	}
	if typ, ok := s["type"]; ok {
		if _, ok := typ.(string); !ok {
			t.Errorf("%s: list of types", at)
		}
		if _, ok := s["items"]; typ == "array" && !ok {
			t.Errorf("%s: array without items", at)
		}
	}
	for key, sub := range s {
		switch key {
		case "$schema", "$id", "oneOf", "allOf":
			t.Errorf("%s: %s", at, key)
		case "$defs":
			if at != "#" {
				t.Errorf("%s: $defs below the root", at)
			}
			fallthrough
		case "properties":
			for name, p := range sub.(map[string]any) {
				style(t, p, at+"/"+key+"/"+name)
			}
		case "items", "propertyNames":
			style(t, sub, at+"/"+key)
		case "additionalProperties":
			if sub != false {
				style(t, sub, at+"/"+key)
			}
		case "anyOf":
			for _, p := range sub.([]any) {
				style(t, p, at+"/"+key)
			}
		case "required":
			if len(sub.([]any)) == 0 {
				t.Errorf("%s: empty required", at)
			}
		}
	}
}

// compile compiles a schema under draft 2020-12, with formats asserted.
func compile(t testing.TB, text string) *validator.Schema {
	t.Helper()
	doc, err := validator.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	c := validator.NewCompiler()
	c.DefaultDraft(validator.Draft2020)
	c.AssertFormat()
	c.AssertContent()
	if err := c.AddResource("schema.json", doc); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	compiled, err := c.Compile("schema.json")
	if err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return compiled
}

// accepts reports whether a JSON text is valid against a schema.
func accepts(t testing.TB, schema *validator.Schema, text string) bool {
	t.Helper()
	v, err := validator.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return schema.Validate(v) == nil
}

// TestBig checks that types whose inlined schemas grow exponentially still get a schema that is
// small enough to publish.
func TestBig(t *testing.T) {
	var mutual, levels strings.Builder
	for i := range 25 {
		fmt.Fprintf(&mutual, "type M%d struct {", i)
		for j := range 25 {
			fmt.Fprintf(&mutual, " F%d *M%d;", j, j)
		}
		mutual.WriteString(" }\n")
		if i > 0 {
			fmt.Fprintf(&levels, "type L%d struct { A, B []L%d }\n", i, i-1)
		}
	}
	s := check(t, mutual.String()+levels.String()+"type L0 struct{}\n")
	for _, name := range []string{"M0", "L24"} {
		for _, text := range []string{inspectSchema(t, inputText(s.plan(t, name)), true), inspectOutput(t, outputText(s.plan(t, name)))} {
			if len(text) > 100_000 {
				t.Errorf("%s: %d bytes", name, len(text))
			}
		}
	}
	if text := inputText(s.plan(t, "L3")); strings.Contains(text, "$") {
		t.Errorf("references without need: %s", text)
	}
}
