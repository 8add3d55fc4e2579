package skillentry_test

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/internal/skill"
	"github.com/mcpgen/mcpgen/internal/skillentry"
)

const uri = "skill://acme/refunds/SKILL.md"

func entry(t *testing.T, text string, files map[string]string) *skillentry.Entry {
	t.Helper()
	e, err := skillentry.ReadGet(uri, json.RawMessage(result(text, files)))
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// result returns a result of skills/get for SKILL.md with a text, and other files by their URIs.
func result(text string, files map[string]string) string {
	list := []string{file(uri, text)}
	for uri, text := range files {
		list = append(list, file(uri, text))
	}
	return fmt.Sprintf(`{"skill":{"uri":%q,"frontmatter":{"name":"refunds","description":"d"},"resources":[%s]}}`, uri, strings.Join(list, ","))
}

func file(uri, text string) string {
	return fmt.Sprintf(`{"uri":%q,"digest":%q,"size":%d}`, uri, skill.Digest([]byte(text)), len(text))
}

// A reference leads to the file that its path, its URI or another encoding of it names.
func TestFile(t *testing.T) {
	e := entry(t, "", map[string]string{
		"skill://acme/refunds/a%20b.md": "1", "skill://acme/refunds/100%25.md": "2", "skill://acme/refunds/ä/ö.md": "3", "skill://acme/refunds/c:d": "4",
	})
	for ref, want := range map[string]string{
		"a b.md": "1", "./a b.md#x": "1", "skill://acme/refunds/%61%20b.md": "1", "ä/../a b.md": "1",
		"100%.md": "2", "skill://acme/refunds/100%25.md": "2", "skill://acme/refunds/%C3%A4/ö.md": "3", "ä/ö.md": "3", "./c:d": "4", "SKILL.md": "",
	} {
		f, ok := e.File(ref)
		if err := f.Check([]byte(want)); !ok || err != nil {
			t.Errorf("%s: %+v, %v, %v", ref, f, ok, err)
		}
	}
	for _, ref := range []string{"a%20b.md", "b.md", "ä", "../refunds/a b.md", "/SKILL.md", "c:d", "SKILL.md/", "skill:/acme/refunds/SKILL.md"} {
		if f, ok := e.File(ref); ok && ref != "SKILL.md/" {
			t.Errorf("%s leads to %+v", ref, f)
		}
	}
}

// The frontmatter is compared by its values: order and notation do not matter, and the last line
// break of a block at its end may be missing.
func TestCheckMain(t *testing.T) {
	for frontmatter, want := range map[string]string{
		"name: refunds\ndescription: d":                      "",
		"description: >\n  d\nname: refunds":                 "description",
		"name: refunds\ndescription: >\n  d":                 "",
		"name: 'refunds'\ndescription: \"d\"":                "",
		"name: refunds\ndescription: d\nallowed-tools: Bash": "allowed-tools",
		"name: refunds\ndescription: !x d":                   "cannot be read",
	} {
		text := "---\n" + frontmatter + "\n---\nbody"
		body, err := entry(t, text, nil).CheckMain([]byte(text))
		if want == "" && (err != nil || text[body:] != "body") || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%q: %d, %v", frontmatter, body, err)
		}
	}
}

// Whatever a server sends is refused, or an entry whose files are inside of the skill, within the
// limits, and found by path and URI.
func FuzzReadGet(f *testing.F) {
	f.Add(uri, result("x", map[string]string{"skill://acme/refunds/a/b.md": ""}))
	f.Add("x:refunds/SKILL.md", strings.ReplaceAll(result("", nil), "skill://acme/refunds/", "x:refunds/"))
	f.Add(uri, `{"skill":{"uri":"`+uri+`","frontmatter":{"name":"refunds","description":"d"},"resources":"dynamic"}}`)
	f.Fuzz(func(t *testing.T, uri, text string) {
		e, err := skillentry.ReadGet(uri, json.RawMessage(text))
		if err != nil {
			return
		}
		if e.URI != uri || e.Name == "" || e.Description == "" || !json.Valid(e.Frontmatter) || !strings.HasSuffix("/"+e.Dir, "/"+e.Name) {
			t.Errorf("%q: %+v", text, e)
		}
		if e.Main().URI != uri || e.Dynamic != (e.Files == nil) || len(e.Files) > skill.MaxFiles {
			t.Errorf("%q: %+v", text, e)
		}
		var total int64
		for _, f := range e.Files {
			byURI, ok := e.File(f.URI)
			// A path that looks like a URI, or has a #, is found behind ./ alone.
			byPath, found := e.File("./" + f.Path)
			if !ok || byURI != f || (!found || byPath != f) && !strings.Contains(f.Path, "#") || !fs.ValidPath(f.Path) || f.Size < 0 {
				t.Errorf("%q: %+v, %+v, %+v", text, f, byURI, byPath)
			}
			total += f.Size
		}
		if total > skill.MaxBytes {
			t.Errorf("%q: %d bytes", text, total)
		}
	})
}
