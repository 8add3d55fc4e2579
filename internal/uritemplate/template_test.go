package uritemplate

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

func TestParseErrors(t *testing.T) {
	for template, want := range map[string]string{
		"a{":          "expression { has no end",
		"a{x":         "expression {x has no end",
		"a}":          `literal "a}" has the character '}', which no URI has`,
		"a b":         `literal "a b" has the character ' ', which no URI has`,
		"a%2":         `literal "a%2" has a % that encodes nothing`,
		"\xff":        `literal "\xff" is not UTF-8`,
		"{}":          "expression {}: no variable",
		"{?}":         `expression {?}: "" is not a variable name`,
		"{a,}":        `expression {a,}: "" is not a variable name`,
		"{!a}":        `expression {!a}: operator '!' is reserved`,
		"{a:3}":       "expression {a:3}: prefix :3 is not supported",
		"{a:0}":       `expression {a:0}: "a:0" is not a variable`,
		"{a*}":        "expression {a*}: the list a* is supported in {/a*} only",
		"{?a*}":       "expression {?a*}: the list a* is supported in {/a*} only",
		"{/a*,b}":     "expression {/a*,b}: nothing can follow the list a",
		"{a}{/a*}":    "expression {/a*}: variable a is a list in one place only",
		"{a.}":        `expression {a.}: "a." is not a variable name`,
		"{%2x}":       `expression {%2x}: "%2x" is not a variable name`,
		"{a-b}":       `expression {a-b}: "a-b" is not a variable name`,
		"{hello{a}}":  `expression {hello{a}: "hello{a" is not a variable name`,
		"file:\\{a}":  `literal "file:\\" has the character '\\', which no URI has`,
		"x:{\u00e9}a": `expression {é}: "é" is not a variable name`,
	} {
		if _, err := Parse(template); err == nil || err.Error() != want {
			t.Errorf("Parse(%q): %v, want %s", template, err, want)
		}
	}
}

func TestMatch(t *testing.T) {
	for _, test := range []struct{ template, uri, want string }{
		{"book://{isbn}", "book://978-3", "isbn=978-3"},
		{"book://{isbn}", "book://", "no"},
		{"book://{isbn}", "book://a/b", "no"},
		{"book://{isbn}", "book://a%2Fb%20%C3%A9", "isbn=a/b é"},
		{"book://{isbn}", "book://a%2fb", "isbn=a/b"},
		{"book://{isbn}", "book://a%00", "no"},
		{"book://{isbn}", "book://%ff", "no"},
		{"book://{isbn}", "book://%zz", "no"},
		{"book://{isbn}", "book://%2", "no"},
		{"book://{isbn}", "book://é", "isbn=é"},
		{"book://{isbn}", "book://%c3%a9", "isbn=é"},
		{"book://{isbn}", "book://\xe9", "no"},
		{"book://{isbn}", "book://a\nb", "no"},
		{"book://{isbn}", "book://a\n", "no"},
		{"book://{isbn}", "BOOK://a", "no"},
		{"caf\u00e9:{x}", "caf%C3%A9:1", "x=1"},
		{"t://{id}/data", "t://123/data", "id=123"},
		{"t://{id}/data", "t://123/data/", "no"},
		{"file:///{+path}", "file:///a/b%20c.txt", "path=a/b c.txt"},
		{"file:///{+path}", "file:///", "no"},
		{"docs://x{/path*}", "docs://x/a/b%2Fc", "path=a|b/c"},
		{"docs://x{/path*}", "docs://x", ""},
		{"docs://x{/path*}", "docs://x/", "path="},
		{"docs://x{/path*}", "docs://xy", "no"},
		{"docs://x{/path*}", "docs://x/a/%C3/b", "no"},
		{"docs://x{/a,path*}", "docs://x/1/2/3", "a=1 path=2|3"},
		{"x:r{.format}", "x:r.json", "format=json"},
		{"x:r{.format}", "x:r", ""},
		{"x:r{.format}", "x:r.", "format="},
		{"x:s{?q,lang}", "x:s?q=a&lang=de", "q=a lang=de"},
		{"x:s{?q,lang}", "x:s?lang=de", "lang=de"},
		{"x:s{?q,lang}", "x:s?q=", "q="},
		{"x:s{?q,lang}", "x:s", ""},
		{"x:s{?q,lang}", "x:s&q=a", "no"},
		{"x:s{?q,lang}", "x:s?q=a?lang=de", "no"},
		{"x:s{?q,lang}", "x:s?q", "no"},
		{"x:s{?q,lang}", "x:s?", "no"},
		{"x:s{?q}{&lang}", "x:s?q=a&lang=de", "q=a lang=de"},
		{"x:s?f=y{&q}", "x:s?f=y&q=a%26b", "q=a&b"},
		{"x:m{;a,b}", "x:m;a=1;b", "a=1 b="},
		{"x:m{;a,b}", "x:m;b=2", "b=2"},
		{"x:{a,b}", "x:1,2", "a=1 b=2"},
		{"x:{a,b}", "x:1", "a=1"},
		{"x:p{#frag}", "x:p#a/b", "frag=a/b"},
		{"x:up{+path}{var}/here", "x:up/foo/barvalue/here", "path=/foo/barvalu var=e"},
		{"x:{a}{/a}", "x:1/1", "a=1"},
		{"x:{a}{/a}", "x:1/2", "no"},
		{"x:fixed", "x:fixed", ""},
		{"x:fixed", "x:fixe", "no"},
	} {
		tmpl, err := Parse(test.template)
		if err != nil {
			t.Fatal(err)
		}
		if got := show(tmpl, test.uri, false); got != test.want {
			t.Errorf("%s of %s: %s, want %s", test.template, test.uri, got, test.want)
		}
	}
}

func show(tmpl *Template, uri string, empty bool) string {
	values, ok := tmpl.Match(uri, empty)
	if !ok {
		return "no"
	}
	var all []string
	for i, v := range tmpl.Variables() {
		if values[i] != nil {
			all = append(all, v.Name+"="+strings.Join(values[i], "|"))
		}
	}
	return strings.Join(all, " ")
}

func TestVariables(t *testing.T) {
	tmpl, err := Parse("x://h/{a}{/b,c*}{?d}")
	if err != nil {
		t.Fatal(err)
	}
	want := []Variable{{"a", false, false}, {"b", true, false}, {"c", true, true}, {"d", true, false}}
	if got := tmpl.Variables(); !reflect.DeepEqual(got, want) {
		t.Errorf("variables are %v", got)
	}
	if tmpl.Prefix() != "x://h/" || tmpl.Literal() != 6 || tmpl.String() != "x://h/{a}{/b,c*}{?d}" {
		t.Errorf("prefix %q, literal %d", tmpl.Prefix(), tmpl.Literal())
	}
}

// The public cases of uri-templates/uritemplate-test, for all supported forms, expanded and
// matched.
func TestSuite(t *testing.T) {
	dir := os.Getenv("MCP_SPEC_DIR")
	if dir == "" {
		t.Skip("MCP_SPEC_DIR is not set; it names a folder with the folder uritemplate " +
			"(the cases of github.com/uri-templates/uritemplate-test)")
	}
	passed, unsupported := 0, 0
	for _, file := range []string{"spec-examples", "spec-examples-by-section", "extended-tests", "negative-tests"} {
		raw, err := os.ReadFile(filepath.Join(dir, "uritemplate", file+".json"))
		if err != nil {
			t.Fatal(err)
		}
		var sections map[string]suiteSection
		if err := json.Unmarshal(raw, &sections); err != nil {
			t.Fatal(err)
		}
		for name, section := range sections {
			for _, c := range section.Testcases {
				template := c[0].(string)
				tmpl, err := Parse(template)
				if c[1] == false {
					if err == nil {
						t.Errorf("%s: %s is accepted", name, template)
					}
					passed++
					continue
				}
				if err != nil && !strings.Contains(err.Error(), "supported") {
					t.Errorf("%s: %s: %v", name, template, err)
				}
				if err != nil || !section.fits(tmpl) {
					unsupported++
					continue
				}
				passed++
				value := func(name string) Value { return valueOf(section.Variables[name]) }
				want, ok := c[1].(string)
				if !ok {
					want = c[1].([]any)[0].(string)
				}
				uri := tmpl.Expand(value)
				if uri != want {
					t.Errorf("%s: %s becomes %s, want %s", name, template, uri, want)
				}
				values, ok := tmpl.Match(uri, true)
				if !ok {
					t.Errorf("%s: %s does not fit %s", name, template, uri)
					continue
				}
				if strings.Contains(uri, "%25") || strings.Contains(template, "+") || strings.Contains(template, "#") {
					continue // encoded and plain characters give the same URI
				}
				back := map[string]Value{}
				for i, v := range tmpl.Variables() {
					back[v.Name] = values[i]
				}
				if again := tmpl.Expand(func(name string) Value { return back[name] }); again != uri {
					t.Errorf("%s: %s of %s is %v, which makes %s", name, template, uri, back, again)
				}
			}
		}
	}
	t.Logf("%d cases, %d of forms that are not supported", passed, unsupported)
	if passed < 110 {
		t.Errorf("only %d cases", passed)
	}
}

type suiteSection struct {
	Variables map[string]any
	Testcases [][2]any
}

// fits reports whether the variables are strings, or lists where lists are allowed.
func (s *suiteSection) fits(t *Template) bool {
	for _, v := range t.Variables() {
		switch s.Variables[v.Name].(type) {
		case []any:
			if !v.Exploded {
				return false
			}
		case map[string]any:
			return false
		}
	}
	return true
}

func valueOf(v any) Value {
	switch v := v.(type) {
	case nil:
		return nil
	case []any:
		var all Value
		for _, s := range v {
			all = append(all, fmt.Sprint(s))
		}
		return all
	}
	return Value{fmt.Sprint(v)}
}

func FuzzMatch(f *testing.F) {
	for _, seed := range [][2]string{
		{"book://{isbn}", "book://a%2Fb"}, {"file:///{+path}", "file:///../etc/passwd"}, {"x{/p*}", "x/a//b"},
		{"x{?a,b}{&c}", "x?b=1&c=%zz"}, {"x{;a,b}", "x;a;b=1"}, {"{a,b}{.c}{#d}", "1,2.3#4"}, {"%41{a}", "%41%00"},
		{"{a}{b}{c}{d}{e}", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!"}, {"{/a,b*}", "/%C3%28"}, {"", ""},
	} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, template, uri string) {
		if len(template) > 200 {
			return
		}
		tmpl, err := Parse(template)
		if err != nil {
			return
		}
		if again, err := Parse(tmpl.String()); err != nil || !reflect.DeepEqual(again.Variables(), tmpl.Variables()) {
			t.Fatalf("%q is read in two ways: %v", template, err)
		}
		for _, empty := range []bool{false, true} {
			values, ok := tmpl.Match(uri, empty)
			if !ok {
				continue
			}
			back := map[string]Value{}
			for i, v := range tmpl.Variables() {
				for _, s := range values[i] {
					if strings.ContainsRune(s, 0) {
						t.Fatalf("%q of %q: a NUL in %q", template, uri, s)
					}
				}
				back[v.Name] = values[i]
			}
			// The expansion of the matched values matches again, even if its encoding differs.
			expanded := tmpl.Expand(func(name string) Value { return back[name] })
			if _, ok := tmpl.Match(expanded, empty); !ok && !reserving(values) && !repeating(tmpl) {
				t.Fatalf("%q of %q is %v, and %q does not fit", template, uri, back, expanded)
			}
		}
	})
}

// repeating reports whether a variable occurs twice. If it is missing at one position, the
// expansion contains it there.
func repeating(t *Template) bool {
	n := 0
	for _, p := range t.parts {
		n += len(p.variables)
	}
	return n > len(t.names)
}

// reserving reports whether {+x} writes a value without encoding, which can change how the
// expressions around it match.
func reserving(values []Value) bool {
	for _, v := range values {
		for _, s := range v {
			if strings.ContainsAny(s, "%/?#[]@!$&'()*+,;=:") {
				return true
			}
		}
	}
	return false
}

func BenchmarkMatch(b *testing.B) {
	tmpl, err := Parse("book://{shelf}/{isbn}{?lang}")
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, ok := tmpl.Match("book://fiction/978-3-16-148410-0?lang=de", false); !ok {
			b.Fatal("no match")
		}
	}
}
