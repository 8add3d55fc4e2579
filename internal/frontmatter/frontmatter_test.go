package frontmatter_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/internal/frontmatter"
)

// TestParse reads values that all readers of YAML understand alike.
func TestParse(t *testing.T) {
	for _, test := range []struct{ yaml, want string }{
		{"name: a\ndescription: B c.", `{"name":"a","description":"B c."}`},
		{"a: null\nb: ~\nc:\nd: true\ne: false", `{"a":null,"b":null,"c":null,"d":true,"e":false}`},
		{"a: 0\nb: -17\nc: 9007199254740991\nd: 1.50", `{"a":0,"b":-17,"c":9007199254740991,"d":1.50}`},
		{`a: "yes"` + "\nb: '017'\n" + `c: "2026-01-02"`, `{"a":"yes","b":"017","c":"2026-01-02"}`},
		{"a: 1.2.3\nb: 3 items\nc: 2nd\nd: v1\ne: a-b", `{"a":"1.2.3","b":"3 items","c":"2nd","d":"v1","e":"a-b"}`},
		{"a:\n  - x\n  - [b, c]\n  - {k: v}", `{"a":["x",["b","c"],{"k":"v"}]}`},
		{"a: |-\n  x\n   y\nb: >-\n  x\n  y", `{"a":"x\n y","b":"x y"}`},
		{"a: |\n  x\nb: c", `{"a":"x\n","b":"c"}`},
		{"# comment\na: b # comment", `{"a":"b"}`},
		{`a: "\u00e9 \"<"`, `{"a":"é \"<"}`},
		{"a: Bash(git:*) Read", `{"a":"Bash(git:*) Read"}`},
		{`"yes": a` + "\n'1': b", `{"yes":"a","1":"b"}`},
		{"a: x\n  y", `{"a":"x y"}`},
	} {
		for _, eol := range []string{"\n", "\r\n"} {
			block := strings.ReplaceAll("---\n"+test.yaml+"\n---\n", "\n", eol)
			got, err := frontmatter.Parse([]byte(block + "# Body\n---\n"))
			if err != nil {
				t.Errorf("%q: %v", test.yaml, err)
				continue
			}
			sum := sha256.Sum256([]byte(block))
			if string(got.JSON) != test.want || got.Size != len(block) || got.Hash != hex.EncodeToString(sum[:]) {
				t.Errorf("%q: %s, %d bytes, want %s, %d", test.yaml, got.JSON, got.Size, test.want, len(block))
			}
		}
	}
}

// TestParseEnd reads a file that ends with its block.
func TestParseEnd(t *testing.T) {
	b, err := frontmatter.Parse([]byte("---\na: b\nc: |-\n  d\n---"))
	if err != nil || b.Size != 22 || b.Line("c") != 3 || b.Line("x") != 1 {
		t.Errorf("%+v, %v", b, err)
	}
}

// TestParseRefuses refuses what readers of YAML read differently, or not at all, at its place.
func TestParseRefuses(t *testing.T) {
	tests := map[string]string{ // by what is between the markers
		"":                         "2:1: the frontmatter is empty",
		"# nothing":                "2:1: the frontmatter is empty",
		"text":                     "2:1: the frontmatter is no mapping of names to values",
		"- a":                      "2:1: the frontmatter is no mapping of names to values",
		"a: b\na: c":               "3:1: a is written twice",
		"a: b\n\"a\": c":           "3:1: a is written twice",
		"a: {b: c, b: d}":          "2:11: b is written twice",
		"yes: a":                   "2:1: readers of YAML disagree whether yes is text",
		"1: a":                     "2:1: the name 1 is no text for every reader",
		"null: a":                  "2:1: the name null is no text for every reader",
		"? [a]\n: b":               "2:3: a name that is no text",
		"<<: {a: b}":               "2:1: readers of YAML disagree whether << is text",
		"a: &x b\nc: *x":           "2:4: an anchor, which readers may refuse",
		"a: !!str 1":               "2:4: a tag, which readers may ignore or refuse",
		"a: !x b":                  "2:4: a tag, which readers may ignore or refuse",
		"a: ! b":                   "2:4: a tag, which readers may ignore or refuse",
		"a: {b}":                   "2:5: b has no value",
		"a: 9007199254740992":      "2:4: the number 9007199254740992 is larger than some readers can read",
		"a: |\n  x":                "3:1: the last line break is a part of the last value for some readers, and not for others",
		"a: >+\n  x\n":             "4:1: the last line break is a part of the last value for some readers, and not for others",
		"a: b\n--- c":              "3:1: a line begins with --- and goes on",
		"a: b\n...":                "3:1: a line begins with ..., the end of a document in YAML",
		"%YAML 1.1":                "2:1: a line begins with %, a directive in YAML",
		"a: b\u2028c":              "2:5: the character U+2028 is a line break or forbidden, depending on the reader",
		"a: \u0085":                "2:4: the character U+0085 is a line break or forbidden, depending on the reader",
		"a: \x00":                  "2:4: the character U+0000 is a line break or forbidden, depending on the reader",
		"a: b\rc: d":               "2:5: the character U+000D is a line break or forbidden, depending on the reader",
		"a: \xff":                  "2:4: the text is not UTF-8",
		"a: " + deep(70, "[", "]"): "2:68: values are nested more than 64 times",
	}
	for _, number := range []string{
		"017", "08", "0o17", "0x1F", "0b1", "1_000", "1,000", "1e3", "1.5e+3", "1.", ".5", "+1", "-0", "-0.0", "190:20:30", "12:30",
		".inf", "-.INF", ".NaN", "1.23456789012345678",
	} {
		tests["a: "+number] = "2:4: readers of YAML disagree whether " + number + " is a number, and which one"
	}
	for _, day := range []string{"2026-01-02", "2026-1-2", "2026-01-02T03:04:05Z", "2026-01-02 03:04:05 +1"} {
		tests["a: "+day] = "2:4: readers of YAML disagree whether " + day + " is a date"
	}
	for _, word := range []string{"yes", "No", "ON", "off", "y", "N", "True", "FALSE", "Null"} {
		tests["a: "+word] = "2:4: readers of YAML disagree whether " + word + " is text"
	}
	for _, symbol := range []string{"=", "<<", ":a"} {
		tests["a: "+symbol] = "2:4: readers of YAML disagree whether " + symbol + " is text"
	}
	for inner, want := range tests {
		refused(t, "---\n"+inner+"\n---\n", want)
	}
	for text, want := range map[string]string{
		"":                      "1:1: the file does not begin with frontmatter",
		"# Title\n":             "1:1: the file does not begin with frontmatter",
		"---- \na: b\n---\n":    "1:1: the file does not begin with frontmatter",
		"--- \na: b\n---\n":     "1:4: white space follows ---",
		"\ufeff---\na: b\n---":  "1:1: the file begins with a byte order mark",
		"---\na: b\n":           "1:1: the frontmatter has no end",
		"---\na: b\n--- \nc":    "3:1: a line begins with --- and goes on",
		"---\na: " + large + "": "2:1: the frontmatter is larger than 65536 bytes",
	} {
		refused(t, text, want)
	}
}

// TestParseSyntax leaves errors of the syntax to the reader of YAML.
func TestParseSyntax(t *testing.T) {
	for _, inner := range []string{"a: b: c", "a: [b", "a:\n\tb: c", "a: 'b", `a: "\ud800"`, "a: b\n c: d", "\ta: b", "a: @b"} {
		var e *frontmatter.Error
		if _, err := frontmatter.Parse([]byte("---\nx: y\n" + inner + "\n---\n")); !errors.As(err, &e) {
			t.Errorf("%q: %v", inner, err)
		} else if !strings.HasPrefix(e.Problem, "YAML: ") || e.Line < 2 || e.Line > 5 || e.Hint == "" {
			t.Errorf("%q: %+v", inner, e)
		}
	}
}

var large = strings.Repeat("x", frontmatter.MaxBytes)

func deep(n int, open, end string) string { return strings.Repeat(open, n) + strings.Repeat(end, n) }

func refused(t *testing.T, text, want string) {
	t.Helper()
	var e *frontmatter.Error
	if _, err := frontmatter.Parse([]byte(text)); !errors.As(err, &e) {
		t.Errorf("%q: %v, want %s", text, err, want)
	} else if e.Error() != want || e.Hint == "" {
		t.Errorf("%q: %v (hint %q), want %s", text, e, e.Hint, want)
	}
}

// FuzzParse checks that a block is refused at a place of the text, or becomes a JSON object that is
// the same behind other bodies, and written as JSON, which is YAML too.
func FuzzParse(f *testing.F) {
	for _, inner := range []string{"name: a\ndescription: b", "a: {b: [c, 1, 1.5, null]}", "a: |\n  b\nc: >-\n  d", "a: &x 1\nb: *x", `a: "\x41"`, "? a\n: b", "a: b\r\nc: 'd'"} {
		f.Add("---\n" + inner + "\n---\nbody")
	}
	f.Fuzz(func(t *testing.T, text string) {
		b, err := frontmatter.Parse([]byte(text))
		if err != nil {
			var e *frontmatter.Error
			if !errors.As(err, &e) || e.Line < 1 || e.Column < 1 || e.Line > strings.Count(text, "\n")+1 || e.Problem == "" || e.Hint == "" {
				t.Fatalf("%q: %#v", text, err)
			}
			return
		}
		var members map[string]json.RawMessage
		if err := json.Unmarshal(b.JSON, &members); err != nil {
			t.Fatalf("%q: %s: %v", text, b.JSON, err)
		}
		for name := range members {
			if line := b.Line(name); line < 2 || line > strings.Count(text[:b.Size], "\n")+1 {
				t.Errorf("%q: %q is in line %d", text, name, line)
			}
		}
		again, err := frontmatter.Parse([]byte(text[:b.Size]))
		if err != nil || string(again.JSON) != string(b.JSON) || again.Hash != b.Hash {
			t.Errorf("%q without its body: %v", text, err)
		}
		if strings.Contains(string(b.JSON), "\u007f") || !fits(b.JSON) {
			return
		}
		asJSON, err := frontmatter.Parse(fmt.Appendf(nil, "---\n%s\n---\n", b.JSON))
		if err != nil || string(asJSON.JSON) != string(b.JSON) {
			t.Errorf("%q as JSON %s: %v", text, b.JSON, err)
		}
	})
}

// fits reports whether JSON text is accepted as YAML on one line: it is not too long, and has no
// character that is written only by an escape.
func fits(text []byte) bool {
	for _, r := range string(text) {
		if r >= 0x7f && r < 0xa0 || r == '\u2028' || r == '\u2029' || r == '\ufeff' || r > 0xffff || r == '\ufffe' || r == '\uffff' {
			return false
		}
	}
	return len(text) < 900
}
