package main

import (
	"os"
	"strings"
	"testing"
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

// TestWrongIsFound shows that answers are checked.
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
	s, err := compile([]byte(`{"type":"object","properties":{"result":{"type":"integer"}},"required":["result"]}`))
	if err != nil {
		t.Fatal(err)
	}
	if valid(s, map[string]any{"result": 1}) != nil || valid(s, map[string]any{"result": "a"}) == nil || valid(s, map[string]any{}) == nil {
		t.Error("results are not held against the schema")
	}
}
