package frontmatter_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/internal/frontmatter"
)

// Read gives every value the meaning of the core schema.
func TestRead(t *testing.T) {
	for _, row := range []struct{ yaml, want string }{
		{"a: 017", `{"a":17}`},
		{"a: 0o17", `{"a":15}`},
		{"a: 0xfF", `{"a":255}`},
		{"a: +1", `{"a":1}`},
		{"a: -.5", `{"a":-0.5}`},
		{"a: 5.", `{"a":5}`},
		{"a: 1.10", `{"a":1.10}`},
		{"a: 1e3", `{"a":1e3}`},
		{"a: 12345678901234567890", `{"a":12345678901234567890}`},
		{"a: 1_000", `{"a":"1_000"}`},
		{"a: 12:30", `{"a":"12:30"}`},
		{"a: 0b1", `{"a":"0b1"}`},
		{"a: 2025-01-01", `{"a":"2025-01-01"}`},
		{"a: yes\nb: No\nc: on\nd: y", `{"a":"yes","b":"No","c":"on","d":"y"}`},
		{"a: True\nb: FALSE\nc: true\nd: tRUE", `{"a":true,"b":false,"c":true,"d":"tRUE"}`},
		{"a: ~\nb: Null\nc:\nd: ''", `{"a":null,"b":null,"c":null,"d":""}`},
		{"a: !!str 1\nb: \"2\"\nc: '3'", `{"a":"1","b":"2","c":"3"}`},
		{"1: a\ntrue: b", `{"1":"a","true":"b"}`},
		{"a: &x [1, 2]\nb: *x", `{"a":[1,2],"b":[1,2]}`},
		{"<<: {a: 1}", `{"<<":{"a":1}}`},
		{"a:\n  - b: c\n    d: {e: f}", `{"a":[{"b":"c","d":{"e":"f"}}]}`},
		{"a: |-\n  x\n  y\nb: >-\n  x\n  y", `{"a":"x\ny","b":"x y"}`},
		{"a: <b> & \"c\"", `{"a":"<b> & \"c\""}`},
	} {
		for _, text := range []string{
			"---\n" + row.yaml + "\n---\nbody", "\ufeff--- \r\n" + strings.ReplaceAll(row.yaml, "\n", "\r\n") + "\r\n---\t\r\nbody",
		} {
			object, other, body, err := frontmatter.Read([]byte(text))
			if err != nil || string(object) != row.want || other != nil || text[body:] != "body" {
				t.Errorf("%q: %s, %s, %d, %v, want %s", text, object, other, body, err, row.want)
			}
		}
	}
	// The last line break belongs to the value for some readers.
	object, other, _, err := frontmatter.Read([]byte("---\na: >\n  x\n---\n"))
	if err != nil || string(object) != `{"a":"x\n"}` || string(other) != `{"a":"x"}` {
		t.Errorf("%s, %s, %v", object, other, err)
	}
}

// Read refuses what has no form in JSON or no single meaning, and bounds what aliases repeat.
func TestReadRefuses(t *testing.T) {
	bomb := "a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]\n"
	for i := range 9 {
		bomb += strings.ReplaceAll("aB: &aB [*aA, *aA, *aA, *aA, *aA, *aA, *aA, *aA, *aA, *aA]\n", "A", string(rune('0'+i)))
		bomb = strings.ReplaceAll(bomb, "B", string(rune('1'+i)))
	}
	for name, yaml := range map[string]string{
		"infinity": "a: .inf", "not a number": "a: .NaN", "binary": "a: !!binary aGk=", "a tag": "a: !x y", "a date": "a: !!timestamp 2025-01-01",
		"a list": "- a", "text": "a", "nothing": "", "a name twice": "a: 1\na: 2", "a list as name": "[a]: b",
		"a bomb": bomb, "a circle": "a: &x [*x]", "nesting": "a: " + deep(100, "[", "]"), "a long number": "a: " + strings.Repeat("1", 500),
		"no YAML": "a: [", "no UTF-8": "a: \xff",
	} {
		if object, _, _, err := frontmatter.Read([]byte("---\n" + yaml + "\n---\n")); err == nil {
			t.Errorf("%s: %.100s", name, object)
		}
	}
	for _, text := range []string{"", "---", "---\n", "---\na: b", "# Title\n---\na: b\n---\n", " ---\na: b\n---\n", "---x\na: b\n---\n", "---\na: " + large + "\n---\n"} {
		if object, _, _, err := frontmatter.Read([]byte(text)); err == nil {
			t.Errorf("%.40q: %.100s", text, object)
		}
	}
}

// Read accepts what Parse accepts, with the same result, and otherwise returns JSON or an error.
func FuzzRead(f *testing.F) {
	for _, yaml := range []string{"name: a\ndescription: b", "a: 017", "a: &x b\nc: *x", "a: |\n  b", "a: 1.5\nb: -0.0", "? a\n: b", "a: \"\\ud800\""} {
		f.Add([]byte("---\n" + yaml + "\n---\nbody"))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		object, other, body, err := frontmatter.Read(text)
		if err == nil && (!json.Valid(object) || other != nil && !json.Valid(other) || body > len(text)) {
			t.Errorf("%q: %s, %s, %d", text, object, other, body)
		}
		if block, errParse := frontmatter.Parse(text); errParse == nil && (err != nil || !bytes.Equal(block.JSON, object) || block.Size != body || other != nil) {
			t.Errorf("%q: %s, %s, %d, %v, want %s, %d", text, object, other, body, err, block.JSON, block.Size)
		}
	})
}
