package skill

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/internal/valid"
)

func TestNames(t *testing.T) {
	for name, want := range map[string]bool{
		"a": true, "pdf-processing": true, "2fa": true, "a-1-b": true, strings.Repeat("n", 64): true,
		"": false, strings.Repeat("n", 65): false, "A": false, "a_b": false, "a.b": false, "a b": false, "é": false,
		"-a": false, "a-": false, "a--b": false, "a\n": false,
	} {
		if err := CheckName(name); (err == nil) != want {
			t.Errorf("%q: %v", name, err)
		}
	}
}

func TestURIs(t *testing.T) {
	for uri, want := range map[string]string{
		"skill://refunds": "refunds", "skill://acme/billing/refunds": "refunds", "github://o/r/skills/x": "x",
		"skill://acme/a%20b/x": "x", "skill://acme/A%C3%A4/x": "x",
		"refunds": "", "skill:refunds": "", "skill:///x": "", "skill://acme//x": "", "skill://acme/../x": "", "skill://acme/./x": "",
		"skill://acme/x/": "", "skill://acme/X": "", "skill://acme/x?q": "", "skill://acme/x#f": "", "skill://acme/a b/x": "",
		"skill://acme/a%c3%a4/x": "", "skill://ä/x": "", "skill://": "", "skill://acme/%zz/x": "",
		"skill://" + strings.Repeat("a/", valid.MaxURI/2) + "x": "",
	} {
		if name, err := CheckURI(uri); name != want || (err == nil) != (want != "") {
			t.Errorf("%q: %q, %v", uri, name, err)
		}
	}
	for prefix, want := range map[string]bool{"skill://": true, "skill://acme/": true, "skill://acme": false, "acme/": false, "skill://a//": false, "": false} {
		if err := CheckPrefix(prefix); (err == nil) != want {
			t.Errorf("%q: %v", prefix, err)
		}
	}
}

func TestFrontmatter(t *testing.T) {
	long := func(n int) string { return strings.Repeat("é", n) }
	for text, want := range map[string]string{
		`{"name":"x","description":"d"}`: "",
		`{"name":"x","description":"d","license":"MIT","compatibility":"c","metadata":{"a":"b"},"allowed-tools":"Read","more":[1,{"a":null}]}`: "",
		`{"name":"x","description":"` + long(1024) + `"}`:                       "",
		`{"name":"x","description":"` + long(1025) + `"}`:                       "1025 characters",
		`{"name":"x","description":" "}`:                                        "is empty",
		`{"name":"x","description":7}`:                                          "must be a text",
		`{"name":"x","description":null}`:                                       "must be a text",
		`{"name":"x"}`:                                                          "no description",
		`{"description":"d"}`:                                                   "no name",
		`{"name":"y","description":"d"}`:                                        "differs from",
		`{"name":"X","description":"d"}`:                                        "lower-case",
		`{"name":"x","description":"d","compatibility":""}`:                     "is empty",
		`{"name":"x","description":"d","compatibility":"` + long(501) + `"}`:    "501 characters",
		`{"name":"x","description":"d","license":[]}`:                           "license in the frontmatter must be a text",
		`{"name":"x","description":"d","allowed-tools":["Read"]}`:               "allowed-tools in the frontmatter must be a text",
		`{"name":"x","description":"d","metadata":[]}`:                          "metadata",
		`{"name":"x","description":"d","metadata":null}`:                        "metadata",
		`{"name":"x","description":"d","metadata":{"v":1}}`:                     "metadata",
		`{"name":"x","description":"d","metadata":{"v":null}}`:                  `"v" in metadata`,
		`{"name":"x","description":"d","name":"x"}`:                             `"name" twice`,
		`{"name":"x","description":"d","more":{"a":1,"a":2}}`:                   `"a" twice`,
		`{"name":"x","description":"d","more":` + strings.Repeat("[", 40) + `}`: "levels deep",
		`{"name":"x","description":"d"} {}`:                                     "behind",
		`{"name":"x","description":"d"`:                                         "not JSON",
		`["name"]`:                                                              "not an object",
		`null`:                                                                  "not an object",
		``:                                                                      "not an object",
		"{\"name\":\"x\",\"description\":\"\xff\"}":                             "UTF-8",
	} {
		f, err := ParseFrontmatter([]byte(text), "x")
		if want == "" && (err != nil || f.Name != "x" || f.Description == "") || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%.100s: %v, want %q", text, err, want)
		}
	}
}

func TestBlocks(t *testing.T) {
	for text, want := range map[string]string{
		"---\na: b\n---\nbody":          "---\na: b\n---\n",
		"---\n---":                      "---\n---",
		"---\r\na: b\r\n---\r\nbody":    "---\r\na: b\r\n---\r\n",
		"--- \t\na: b\n---  \nx\n---\n": "--- \t\na: b\n---  \n",
		"---\na: |\n  ---\n---\n":       "---\na: |\n  ---\n---\n",
		"---\na: b\n----\n---\n":        "---\na: b\n----\n---\n",
		"---\na: b\n":                   "",
		"\n---\na: b\n---\n":            "",
		"\ufeff---\na: b\n---\n":        "",
		" ---\na: b\n---\n":             "",
		"# body":                        "",
		"":                              "",
		"---":                           "",
	} {
		block, ok := Block([]byte(text))
		if string(block) != want || ok != (want != "") {
			t.Errorf("%q: %q, %v", text, block, ok)
		}
	}
}

func TestFileURIs(t *testing.T) {
	for path, want := range map[string]string{
		"SKILL.md": "skill://a/x/SKILL.md", "a b/é?#%.md": "skill://a/x/a%20b/%C3%A9%3F%23%25.md", "*": "skill://a/x/%2A",
	} {
		for _, dir := range []string{"skill://a/x", "skill://a/x/"} {
			if got := FileURI(dir, path); got != want || !valid.IsResourceURI(got) {
				t.Errorf("%q: %q", path, got)
			}
		}
		if got := Unescape(strings.TrimPrefix(want, "skill://a/x/")); got != path {
			t.Errorf("%q is read as %q", path, got)
		}
	}
	for path, want := range map[string]bool{"a/b.md": true, ".x": true, "..x": true, "a/../b": false, "/a": false, "": false, ".": false, "a//b": false, "a\\b": false, "a\nb": false, "\x7f": false, "\xff": false} {
		if err := CheckPath(path); (err == nil) != want {
			t.Errorf("%q: %v", path, err)
		}
	}
}

// What is accepted is an object with the two fields, and each block is the begin of its text.
func FuzzFrontmatter(f *testing.F) {
	f.Add(`{"name":"x","description":"d","metadata":{"a":"b"}}`, "---\nname: x\n---\n")
	f.Fuzz(func(t *testing.T, object, text string) {
		if front, err := ParseFrontmatter([]byte(object), "x"); err == nil {
			var fields map[string]any
			if err := json.Unmarshal([]byte(object), &fields); err != nil || fields["name"] != "x" || fields["description"] != front.Description || front.Description == "" {
				t.Errorf("%q is accepted: %v", object, err)
			}
		}
		block, ok := Block([]byte(text))
		if ok != (len(block) > 0) || !strings.HasPrefix(text, string(block)) || ok && !strings.HasPrefix(text, "---") {
			t.Errorf("%q has the block %q", text, block)
		}
		if again, same := Block(block); ok && (!same || string(again) != string(block)) {
			t.Errorf("the block %q of %q has the block %q", block, text, again)
		}
	})
}
