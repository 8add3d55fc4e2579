package clients

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"
)

var entry = Fields{
	{"type", "stdio"},
	{"command", `C:\Program Files\go.exe`},
	{"args", []string{"-C", "/home/ä \"x\"", "tool", "<mcpgen>"}},
	{"env", Fields{{"KEY", "a=b\n\x7f\u2028"}, {"dotted.key", ""}}},
	{"on", true},
}

// changed is the same entry with another value.
var changed = Fields{{"command", "other"}}

// long is a list of members that has some 2 MB.
func long(member string) string {
	var b strings.Builder
	for i := range 40_000 {
		fmt.Fprintf(&b, member, i)
	}
	return b.String()
}

// jsonTexts are files that can be changed.
var jsonTexts = map[string]string{
	"empty":                   "",
	"blank":                   " \n\n",
	"bom alone":               "\xef\xbb\xbf",
	"comment alone":           "// mine\n",
	"comment without end":     "/* mine */",
	"object":                  "{}",
	"object and line":         "{}\n",
	"object of lines":         "{\n}\n",
	"object with comment":     "{ // mine\n}\n",
	"object with block":       "{/* mine */}",
	"other members":           "{\n    \"a\": 1.50e+01, // one\n    \"b\": [1, 2,],\n    // last\n}\n",
	"no comma":                "{\n  \"a\": {\"x\": 1} // one\n}",
	"tabs":                    "{\n\t\"a\": 1,\n\t\"mcpServers\": {\n\t\t\"x\": {\n\t\t\t\"command\": \"x\"\n\t\t}\n\t}\n}\n",
	"minified":                `{"a":1,"mcpServers":{"x":{"command":"x"}}}`,
	"minified and empty":      `{"a":1,"mcpServers":{}}`,
	"minified without it":     `{"a":1}`,
	"one line":                `{ "a": 1, "mcpServers": { "x": { "command": "x" } }, }`,
	"crlf":                    "{\r\n  \"mcpServers\": {\r\n    \"x\": {}\r\n  }\r\n}\r\n",
	"crlf and bom":            "\xef\xbb\xbf{\r\n  \"a\": 1 // \"\r\n}\r\n",
	"empty entries":           "{\n  \"mcpServers\": {},\n  \"z\": null\n}\n",
	"empty entries, lines":    "{\n  \"mcpServers\": {\n  }\n}\n",
	"empty entries, comment":  "{\n  \"mcpServers\": {\n    // none yet\n  }\n}\n",
	"entries, comments":       "// top\n{\n  \"mcpServers\": {\n    // x\n    \"x\": {} /* behind */, // line\n    // tail\n  }, // after\n}\n// end\n",
	"comma on the next line":  "{\n  \"mcpServers\": {\n    \"x\": {}\n    , \"y\": {}\n  }\n}",
	"comment before comma":    "{\n  \"mcpServers\": {\n    \"x\": {} // c\n    ,\n  }\n}",
	"block over lines":        "{\n  \"mcpServers\": {\n    \"x\": {}, /* a\n b */ }\n}",
	"names with escapes":      `{"mcp\u0053ervers": {"\u0078": {"a": "\"}{,//"}}}`,
	"numbers as spelled":      `{"a": 1.0000000000000000000001, "b": 1E400, "c": -0}`,
	"text that looks like it": `{"a": "\"mcpServers\": {", "b": {"mcpServers": {"n": 1}}}`,
	"duplicates elsewhere":    `{"a": {"x": 1, "x": 2}}`,
	"large":                   "{\n" + long("  \"member%[1]d\": {\"a\": [%[1]d, \"some text\"]},\n") + "  \"z\": 1\n}\n",
}

// brokenJSON are files that must not be changed.
var brokenJSON = map[string]string{
	"unclosed":         `{"mcpServers": {"x": {}}`,
	"unclosed string":  `{"a": "b}`,
	"no comma":         `{"a": 1 "b": 2}`,
	"two values":       `{} {}`,
	"two commas":       `{"a": 1,, "b": 2}`,
	"array":            `[]`,
	"string":           `"x"`,
	"unclosed comment": `{} /* x`,
	"slash":            `{} /`,
	"entries array":    `{"mcpServers": []}`,
	"entries null":     `{"mcpServers": null}`,
	"entries twice":    `{"mcpServers": {}, "mcpServers": {}}`,
	"entry twice":      `{"mcpServers": {"n": 1, "n": 2}}`,
	"single quotes":    `{'a': 1}`,
	"bare name":        `{a: 1}`,
	"control":          "{\"a\": \"\x00\"}",
	"number":           `{"a": 01}`,
	"word":             `{"a": yes}`,
	"utf-16":           "\xff\xfe{\x00}\x00",
	"deep":             strings.Repeat("[", 5000),
	"deep object":      strings.Repeat(`{"a":`, 5000),
	"escape":           `{"a\q": 1}`,
}

var tomlTexts = map[string]string{
	"empty":               "",
	"blank":               "\n\n",
	"bom alone":           "\xef\xbb\xbf",
	"comment alone":       "# mine\n",
	"comment without end": "# mine",
	"keys":                "model = \"o\"\nn = 1_000\n",
	"no line end":         "model = \"o\"",
	"blanks at the end":   "model = \"o\"\n  ",
	"several lines":       "a = 1\n\n\n",
	"tables":              "a = 1 # one\n\n[b]\nc = 'd' # two\n\n# about e\n[[e]]\nx = 1\n[[e]]\nx = 2\n",
	"entries":             "[mcp_servers.x]\ncommand = \"x\"\n\n[mcp_servers.x.env]\nA = \"b\"\n\n# last\n[z]\n",
	"holder":              "[mcp_servers]\n\n[mcp_servers.x]\n",
	"inline beside":       "[mcp_servers]\nx = { command = \"x\" }\n",
	"dotted beside":       "[mcp_servers]\nx.command = \"x\"\n",
	"quoted":              "[\"mcp_servers\" . 'x y']\n",
	"crlf":                "a = 1\r\n\r\n[mcp_servers.x]\r\ncommand = 'x'\r\n",
	"bom and crlf":        "\xef\xbb\xbfa = 1\r\n",
	"tabs":                "\ta\t=\t1\t# c\n\t[b]\n\t\tc = 2\n",
	"strings":             "a = \"\"\"\n[mcp_servers.n]\n\\\n   x\"\"\"\"\"\nb = '''\n[[[''''\nc = \"#\\u00e4\\\"\"\n",
	"arrays":              "a = [ # c\n  1,\n  [\"]\"], # d\n  {x = 1, y.z = '}'},\n]\n",
	"values":              "a = +1.5e-3\nb = 0xdead_beef\nc = inf\nd = -nan\ne = 1979-05-27T07:32:00.5-07:00\nf = 1979-05-27 07:32:00\ng = 07:32:00\nh = 1979-05-27\ni = true\nj = 0\nk = 1979-05-27t07:32:00z\n",
	"dotted elsewhere":    "a.b.c = 1\na.d = 2\n[x]\ny.z = 3\n",
	"implicit":            "[a.b.c]\nx = 1\n[a]\ny = 2\n",
	"minified":            "a=1\n[mcp_servers.x]\ncommand='x'\nargs=['a','b']",
	"large":               long("[table%d]\na = [1, 2]\ntext = \"some text\"\n"),
}

var brokenTOML = map[string]string{
	"unclosed header":  "[mcp_servers",
	"no value":         "a =\n",
	"no key":           "= 1\n",
	"twice":            "a = 1\na = 2\n",
	"table twice":      "[a]\n[a]\n",
	"unclosed string":  "a = \"b\n",
	"unclosed lines":   "a = \"\"\"b\n",
	"unclosed array":   "a = [1,\n",
	"two values":       "a = 1 2\n",
	"word":             "a = yes\n",
	"json":             "{\"mcp_servers\": {}}\n",
	"encoding":         "a = \"\xff\"\n",
	"carriage return":  "a = 1\rb = 2\n",
	"control":          "a = 1 # \x01\n",
	"inline lines":     "a = {x = 1,\ny = 2}\n",
	"number":           "a = 01\n",
	"entries inline":   "mcp_servers = {}\n",
	"entries value":    "mcp_servers = 1\n",
	"entries array":    "[[mcp_servers]]\n",
	"entries dotted":   "mcp_servers.x.command = \"x\"\n",
	"entry inline":     "[mcp_servers]\nn = {command = \"x\"}\n",
	"entry dotted":     "[mcp_servers]\nn.command = \"x\"\n",
	"entry array":      "[[mcp_servers.n]]\ncommand = \"x\"\n",
	"extended value":   "a = 1\n[a.b]\n",
	"extended inline":  "a = {}\n[a.b]\n",
	"surrogate":        "a = \"\\ud800\"\n",
	"unknown escape":   "a = \"\\q\"\n",
	"deep":             "a = " + strings.Repeat("[", 5000),
	"key over lines":   "\"\"\"a\"\"\" = 1\n",
	"array then table": "[[a]]\n[a]\n",
}

// forms are what the tests below run through.
var forms = []struct {
	format
	container     string
	texts, broken map[string]string
}{
	{jsonFormat{}, "mcpServers", jsonTexts, brokenJSON},
	{tomlFormat{}, "mcp_servers", tomlTexts, brokenTOML},
}

// Adding an entry and removing it returns the same bytes, twice is once, and replacing an entry
// changes it alone.
func TestThereAndBack(t *testing.T) {
	for _, f := range forms {
		if len(f.texts) < 25 {
			t.Errorf("%T: %d texts", f.format, len(f.texts))
		}
		for name, text := range f.texts {
			if name == "large" { // TestInstall has it
				continue
			}
			if err := thereAndBack(f.format, f.container, []byte(text)); err != nil {
				t.Errorf("%T, %s: %v", f.format, name, err)
			}
		}
	}
}

func thereAndBack(f format, container string, text []byte) error {
	before, err := f.emptiness(text, container)
	if err != nil {
		return err
	}
	one, err := f.set(text, container, "n", entry)
	if err != nil {
		return err
	}
	if n := lost(text, one); n > 0 {
		return fmt.Errorf("%d bytes are lost in\n%.500s", n, one)
	}
	two, err := f.set(one, container, "n", entry)
	if err != nil || !bytes.Equal(one, two) {
		return fmt.Errorf("twice: %w\n%.500q\n%.500q", err, one, two)
	}
	other, err := f.set(one, container, "n", changed)
	if err != nil {
		return fmt.Errorf("replace: %w", err)
	}
	if back, err := f.set(other, container, "n", entry); err != nil || !bytes.Equal(one, back) {
		return fmt.Errorf("replaced twice: %w\n%.500q\n%.500q", err, one, back)
	}
	for _, changed := range [][]byte{one, other} {
		back, err := f.remove(changed, container, "n", before)
		if err != nil || !bytes.Equal(back, text) {
			return fmt.Errorf("removed: %w\n%.500q\n%.500q\n%.500q", err, text, changed, back)
		}
		if _, err := f.remove(back, container, "n", before); !errors.Is(err, errMissing) {
			return fmt.Errorf("removed twice: %w", err)
		}
	}
	// Two entries, removed in both orders.
	both, err := f.set(one, container, "m", changed)
	if err != nil {
		return fmt.Errorf("a second entry: %w", err)
	}
	for _, names := range [][2]string{{"n", "m"}, {"m", "n"}} {
		back := both
		for _, name := range names {
			if back, err = f.remove(back, container, name, before); err != nil {
				return fmt.Errorf("remove %s of two: %w", name, err)
			}
		}
		if !bytes.Equal(back, text) {
			return fmt.Errorf("two removed, %v:\n%.500q\n%.500q", names, text, back)
		}
	}
	// The first text may have an entry of any position.
	list, err := f.entries(both, container)
	if err != nil {
		return err
	}
	for _, e := range list {
		if e.Name == "n" && !equal(e.value, plain(entry)) {
			return fmt.Errorf("entry %v, want %v", e.value, plain(entry))
		}
		left, err := f.remove(both, container, e.Name, Before{})
		if serr := (*SyntaxError)(nil); errors.As(err, &serr) {
			continue // a form that cannot be changed
		}
		if err != nil {
			return fmt.Errorf("remove %q: %w", e.Name, err)
		}
		rest, err := f.entries(left, container)
		if err != nil || len(rest) != len(list)-1 {
			return fmt.Errorf("remove %q: %d of %d are left, %w", e.Name, len(rest), len(list), err)
		}
	}
	return nil
}

// lost counts the bytes of a text, other than white space, that are not in another one in the same order.
func lost(text, in []byte) int {
	n := 0
	for _, c := range text {
		if isSpace(c) {
			continue
		}
		if i := bytes.IndexByte(in, c); i >= 0 {
			in = in[i+1:]
		} else {
			n++
		}
	}
	return n
}

// A file that cannot be parsed, or has the entry in another form, is an error with its place.
func TestBroken(t *testing.T) {
	for _, f := range forms {
		for name, text := range f.broken {
			got, err := f.set([]byte(text), f.container, "n", entry)
			if wrong, ok := errors.AsType[*SyntaxError](err); !ok || wrong.Line < 1 || wrong.Column < 1 {
				t.Errorf("%T, %s: %q, %v", f.format, name, got, err)
			}
			if _, err := f.remove([]byte(text), f.container, "n", Before{}); err == nil {
				t.Errorf("%T, %s: removed", f.format, name)
			}
		}
	}
}

// What is written looks as it would by hand.
func TestText(t *testing.T) {
	for _, c := range []struct {
		format
		container, text, want string
	}{
		{jsonFormat{}, "mcpServers", "", "{\n  \"mcpServers\": {\n    \"n\": {\n      \"command\": \"other\"\n    }\n  }\n}\n"},
		{jsonFormat{}, "mcpServers", "{\n\t\"a\": 1 // one\n}", "{\n\t\"a\": 1, // one\n\t\"mcpServers\": {\n\t\t\"n\": {\n\t\t\t\"command\": \"other\"\n\t\t}\n\t}\n}"},
		{jsonFormat{}, "mcpServers", `{"mcpServers":{"x":{}},"z":1}`, `{"mcpServers":{"x":{},"n":{"command":"other"}},"z":1}`},
		{jsonFormat{}, "mcpServers", "{\r\n  \"mcpServers\": {\r\n    \"x\": {},\r\n  }\r\n}", "{\r\n  \"mcpServers\": {\r\n    \"x\": {},\r\n    \"n\": {\r\n      \"command\": \"other\"\r\n    },\r\n  }\r\n}"},
		{tomlFormat{}, "mcp_servers", "a = 1\n", "a = 1\n\n[mcp_servers.n]\ncommand = \"other\"\n"},
	} {
		got, err := c.set([]byte(c.text), c.container, "n", changed)
		if err != nil || string(got) != c.want {
			t.Errorf("%q: %v\n%s\nwant\n%s", c.text, err, got, c.want)
		}
	}
}

// No text loses a byte, and what can be parsed can still be parsed.
func FuzzJSON(f *testing.F) { fuzz(f, 0) }

func FuzzTOML(f *testing.F) { fuzz(f, 1) }

func fuzz(f *testing.F, form int) {
	c := forms[form]
	for _, texts := range []map[string]string{c.texts, c.broken} {
		for _, text := range texts {
			if len(text) < 10_000 {
				f.Add(text)
			}
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		list, err := c.entries([]byte(text), c.container)
		if err != nil {
			return
		}
		for _, e := range list {
			if e.Name == "n" || e.Name == "m" {
				return
			}
		}
		err = thereAndBack(c.format, c.container, []byte(text))
		if serr := (*SyntaxError)(nil); errors.As(err, &serr) || errors.Is(err, errDamage) {
			return // refused, which loses nothing
		}
		if err != nil {
			t.Error(err)
		}
	})
}
