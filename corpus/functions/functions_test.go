package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/corpus/internal/validator"
	"github.com/mcpgen/mcpgen/generator"
)

// TestFunctions runs all steps with small packages: functions, types that are passed to
// RegisterMCP, types that are arguments, and some that are refused.
func TestFunctions(t *testing.T) {
	t.Chdir("..")
	m := module{name: "short", path: "std", packages: whole("mime", "path", "strings")}
	r, err := try(m, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll("out/functions/short"); err != nil {
			t.Error(err)
		}
	})
	var b strings.Builder
	r.progress(&b, true)
	if err := report(&b, []*row{r}); err != nil {
		t.Error(err)
	}
	o := r.outcome
	if o.tools < 75 || o.answered < 70 || o.checked < 50 || len(o.silent)+len(o.killed) > 0 {
		t.Errorf("%d tools, %d answered, %d results valid", o.tools, o.answered, o.checked)
	}
	for _, want := range []string{
		"refused: WordDecoder.", "argument d: field CharsetReader: type func", "hint: ", "| std | go", "mime, path, strings",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("the report lacks %q", want)
		}
	}
	if t.Failed() {
		t.Log(b.String())
	}
}

// TestWrongIsFound checks that wrong responses are detected.
func TestWrongIsFound(t *testing.T) {
	for text, want := range map[string]bool{
		"1 problem with the arguments of add:\n- a: must be an integer":  true,
		"2 problems with the arguments of add:\n- a: must be an integer": true,
		"the file has a problem": false,
		"":                       false,
	} {
		if got := isValidation(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
	s, err := validator.Open([]byte(`{"type":"object","properties":{"result":{"type":"integer"}},"required":["result"]}`))
	if err != nil {
		t.Fatal(err)
	}
	if valid(s, map[string]any{"result": 1}) != nil || valid(s, map[string]any{"result": "a"}) == nil || valid(s, map[string]any{}) == nil {
		t.Error("results are not held against the schema")
	}
}

// TestNameResults checks the //mcp:result lines that follow from errors about results.
func TestNameResults(t *testing.T) {
	const source = `package p
type Response struct { Body []byte; JSON201 *int }
func Two() (int, string, error)
func One() (*Response, error)`
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "p.go", source, 0)
	if err != nil {
		t.Fatal(err)
	}
	pkg, err := (&types.Config{IgnoreFuncBodies: true}).Check("p", fset, []*ast.File{file}, nil)
	if err != nil {
		t.Fatal(err)
	}
	about := func(subject, message string) []*generator.Diagnostic {
		return []*generator.Diagnostic{{Subject: subject, Message: message}}
	}
	for _, test := range []struct {
		function, before, subject, message string
		want                               string // "" for errors about other things
	}{
		{"Two", "", "tool Two", "result 1 of 2 has no name, so ...", "result1 result2"},
		{"Two", "result1 result2", "tool Two: result result2", "type chan int cannot be ...", "result1 _"},
		{"Two", "result1 _", "tool Two: argument result", "type func() cannot be ...", ""},
		{"One", "", "tool One: result", "field Body: ...", "JSON201"},
		{"One", "JSON201", "tool One: result", "type chan int cannot be ...", ""},
	} {
		w := &wrapper{fn: pkg.Scope().Lookup(test.function).(*types.Func), result: test.before}
		changed := w.nameResults(about(test.subject, test.message))
		if changed != (test.want != "") || changed && w.result != test.want {
			t.Errorf("%+v: %v, %q", test, changed, w.result)
		}
	}
}

// TestMatching checks that samples match the patterns of the types in the corpus.
func TestMatching(t *testing.T) {
	for pattern, want := range map[string]string{
		`^-?[0-9]+$`:                                "1",
		`^([0-9]+(\.[0-9]+)?(ns|us|µs|ms|s))+$`:     "1s",
		`^(-?infinity|[0-9]{4}-[0-9]{2}-[0-9]{2})$`: "2024-01-02",
		`^nothing that is known$`:                   "1",
	} {
		if got := matching(pattern); got != want {
			t.Errorf("%s: %q, want %q", pattern, got, want)
		}
	}
}
