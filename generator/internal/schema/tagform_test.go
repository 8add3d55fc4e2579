package schema

import (
	"reflect"
	"slices"
	"strings"
	"testing"
)

// TestTagPairs compares tagPairs with package reflect.
func TestTagPairs(t *testing.T) {
	for _, tag := range []string{
		"", " ", `json:"a"`, `json:"a,omitempty" xml:"b"`, ` json:"a"  xml:"b" `, `json:"a"xml:"b"`, `json:"a\"b" x:"\\"`,
		`json:"line",omitempty xml:"b"`, `json: "a"`, `json:a`, `json`, "json:\"a\"\txml:\"b\"", "json:\"a\"\nxml:\"b\"",
		`json:"a`, `json:"a\x"`, `:"a"`, `"a"`, "json:`a`", `json:"a" the name`, `x:"1" json:"a", validate:"required"`, `é:"1" json:"a"`,
	} {
		pairs, rest := tagPairs(tag)
		read := func(key string) bool {
			return slices.ContainsFunc(pairs, func(p tagPair) bool { return p.key == key && !p.broken })
		}
		for _, key := range []string{"json", "xml", "x", "validate", "é"} {
			value, ok := reflect.StructTag(tag).Lookup(key)
			if ok != read(key) {
				t.Errorf("%s: key %s is read: %v, by reflect: %v", tag, key, read(key), ok)
			}
			if ok && !slices.Contains(pairs, tagPair{key: key, value: value}) {
				t.Errorf("%s: got %v, reflect has %s:%q", tag, pairs, key, value)
			}
		}
		if probe := tag + ` probe:"1"`; (reflect.StructTag(probe).Get("probe") == "1") != (rest == "") {
			t.Errorf("%s: the rest is %q", tag, rest)
		}
	}
}

// TestUnreadableTags covers tags that package reflect reads only in part.
func TestUnreadableTags(t *testing.T) {
	const what = "a.go:3:2: tool X: field F: the tag has "
	for _, tt := range []struct{ field, want string }{
		{"F int `json:\"line\",omitempty jsonschema:\"minimum=1\"`",
			what + `,omitempty jsonschema:"minimum=1", which package reflect cannot read, and nothing behind it` + "\n\thint: put options inside of the quotes: `json:\"name,omitempty\"`\n"},
		{"F int `json: \"line\"`", what + `json: "line", which package reflect cannot read, and nothing behind it` + "\n\thint: write the value directly behind the colon: `json:\"…\"`\n"},
		{"F int `jsonschema:\"minimum=1`", what + `jsonschema:"minimum=1, which package reflect cannot read, and nothing behind it` + "\n\thint: close the quotes of jsonschema, and write \\\" for quotes inside of them\n"},
		{"F int `jsonschema:\"pattern=\\d\" json:\"f\"`", "a.go:3:2: tool X: field F: package reflect cannot read the tag jsonschema, whose value has an escape that Go does not have\n\thint: write \\\\ for a backslash\n"},
		{"F int \"json:\\\"f\\\"\\tvalidate:\\\"min=1\\\"\"", what + "\tvalidate:\"min=1\", which package reflect cannot read, and nothing behind it\n\thint: separate the pairs by a space, on one line\n"},
		{"F int `the number of lines`", what + "the number of lines, which package reflect cannot read, and nothing behind it\n\thint: write pairs such as `json:\"name\" jsonschema:\"minLength=1\"`, separated by a space\n"},
		{"F int `validate:\"min=1\", json:\"-\"`", what + `, json:"-", which package reflect cannot read, and nothing behind it` + "\n\thint: put options inside of the quotes: `json:\"name,omitempty\"`\n"},
		{"F int `json:\"a\" json:\"b\"`", "a.go:3:2: tool X: field F: the tag has the key json twice, and package reflect reads the first alone\n\thint: join them into one\n"},
		{"Y `json;\"y\"`", "a.go:3:2: tool X: field Y: the tag has json;\"y\", which package reflect cannot read, and nothing behind it\n\thint: write pairs such as `json:\"name\" jsonschema:\"minLength=1\"`, separated by a space\n"},
		{"F struct{ A int `json:\"a\" json` }", "a.go:3:12: tool X: field F.A: the tag has json, which package reflect cannot read, and nothing behind it\n\thint: write pairs such as `json:\"name\" jsonschema:\"minLength=1\"`, separated by a space\n"},
		{"Z", "a.go:7:2: tool X: field Z.F: the tag has json, which package reflect cannot read, and nothing behind it\n\thint: write pairs such as `json:\"name\" jsonschema:\"minLength=1\"`, separated by a space\n"},
		{"F int `json:\"-\" the number`; G int", ""},
		{"f int `the number`; G int", ""},
		{"F int `json:\"f\"xml:\"g\"`", ""},
	} {
		s := check(t, "type X struct {\n\t"+tt.field+"\n}\ntype Y struct{ A int }\ntype Z struct {\n\tF int `json`\n}")
		plan := s.Type(s.typeOf(t, "X"), Anywhere, s.place("X"))
		if got := s.printed(); got != tt.want {
			t.Errorf("%s: got\n%s\nwant\n%s", tt.field, got, tt.want)
		}
		if (plan == nil) != (tt.want != "") {
			t.Errorf("%s: plan %v", tt.field, plan)
		}
	}
}

// TestTagsElsewhere checks that tags of another module are read as encoding/json reads them.
func TestTagsElsewhere(t *testing.T) {
	s := checkSource(t, map[string]string{
		"a.go":       "package main\nimport \"example.com/dep\"\ntype X struct{ D dep.T }",
		"dep/dep.go": "package dep\ntype T struct { A int `json:\"a\",omitempty`; B int `json:\"b,inline\" default:\"1\"` }",
	})
	s.modules = []string{"example.com/main"}
	if s.plan(t, "X"); s.printed() != "" || len(s.Unread()) > 0 {
		t.Error(s.printed(), s.Unread())
	}
	s = checkSource(t, map[string]string{
		"a.go":            "package main\nimport \"example.com/main/dep\"\ntype X struct{ D dep.T }",
		"main/dep/dep.go": "package dep\ntype T struct { A int `json:\"a\",omitempty`; }",
	})
	s.modules = []string{"example.com/main"}
	if plan := s.Type(s.typeOf(t, "X"), Anywhere, s.place("X")); plan != nil || !strings.Contains(s.printed(), "main/dep/dep.go:2:17: the field") {
		t.Error(s.printed())
	}
}
