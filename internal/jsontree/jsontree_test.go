package jsontree

import (
	"strings"
	"testing"
)

func read(t *testing.T, text string) *Value {
	t.Helper()
	all, err := Read([]byte(text))
	if err != nil || len(all) != 1 {
		t.Fatalf("%s: %d values, %v", text, len(all), err)
	}
	return all[0]
}

// TestRead reads values and writes them: members keep their order, numbers and strings their text.
func TestRead(t *testing.T) {
	const text = `{"b": [1.0, -0, 1e400, "<é\u0000"], "a": {"": null}, "c": [], "d": {}, "e": [true, false]}`
	if got := read(t, text).Compact(); got != text {
		t.Errorf("got %s", got)
	}
	if all, err := Read([]byte(" 1 [2]\n{}")); err != nil || len(all) != 3 {
		t.Errorf("a sequence: %d values, %v", len(all), err)
	}
	deep := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	read(t, deep(maxDepth))
	for text, want := range map[string]string{
		deep(maxDepth + 2):          "nested more than 1000 levels",
		"{\"a\":1,\n\"a\":2}":       `line 2: the member "a" is there twice`,
		`[{"\u0061":1,"a":2}]`:      `the member "a" is there twice`,
		`{"a":`:                     "ends in the middle",
		`[1`:                        "ends in the middle",
		"{}\n\n]":                   "line 3",
		`{"a" 1}`:                   "line 1",
		`{"a":{"b":1},"c":{"b":2}}`: "",
	} {
		_, err := Read([]byte(text))
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%.40s: %v, want %q", text, err, want)
		}
	}
}

// TestTarget follows references.
func TestTarget(t *testing.T) {
	root := read(t, `{"a":{"x":1},"b/c~":{"x":2},"é d":{"x":3},"l":[{"x":4},true],"":{"x":5},"%":{"x":6}}`)
	for ref, want := range map[string]string{
		"#/a": `{"x": 1}`, "#/a/x": "1", "#/b~1c~0": `{"x": 2}`, "#/%C3%A9%20d": `{"x": 3}`, "#/é d": `{"x": 3}`, "#/l/0": `{"x": 4}`, "#/l/1": "true",
		"#/": `{"x": 5}`, "#/%": `{"x": 6}`, "#": root.Compact(),
		"#a": "", "a": "", "": "", "other.json#/a": "", "#/l/2": "", "#/l/-1": "", "#/l/x": "", "#/a/x/y": "", "#/z": "", "#/z/y": "",
	} {
		got := ""
		if v := root.Target(ref); v != nil {
			got = v.Compact()
		}
		if got != want {
			t.Errorf("%q: %q, want %q", ref, got, want)
		}
	}
	if v := (*Value)(nil).Target("#/a"); v != nil {
		t.Errorf("without a document: %v", v)
	}
}

// TestEqual compares values like JSON Schema.
func TestEqual(t *testing.T) {
	for _, c := range []struct {
		a, b string
		same bool
	}{
		{"1", "1.0", true}, {"1e2", "100", true}, {"-0", "0", true}, {"0.1", "0.10000000000000000001", false}, {"1e5000", "1e5000", true}, {"1e5000", "10e4999", false},
		{`{"a":1,"b":2}`, `{"b":2,"a":1}`, true}, {`[1,2]`, `[2,1]`, false}, {`"1"`, "1", false}, {"null", `"null"`, false}, {`[["a"]]`, `["a"]`, false}, {`{}`, `[]`, false},
		{`["a,b"]`, `["a","b"]`, false},
	} {
		if got := Equal(read(t, c.a), read(t, c.b)); got != c.same {
			t.Errorf("%s and %s: %v", c.a, c.b, got)
		}
	}
	if Equal(nil, read(t, "null")) || !Equal(nil, nil) {
		t.Error("no value equals only no value")
	}
}
