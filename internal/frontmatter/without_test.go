package frontmatter_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/internal/frontmatter"
)

func isTools(name string) bool { return name == "allowed-tools" }

// Without drops fields with all of their lines, and leaves every other byte.
func TestWithout(t *testing.T) {
	for _, row := range []struct{ yaml, want string }{
		{"name: a\n", "name: a\n"},
		{"name: a\nallowed-tools: Bash\n", "name: a\n"},
		{"allowed-tools: Bash\nname: a\n", "name: a\n"},
		{"# c\nname: a # d\n\nallowed-tools:\n  - Bash\n  # e\n  - Read\n\nx: >\n  allowed-tools: y\n", "# c\nname: a # d\n\nx: >\n  allowed-tools: y\n"},
		{"name: a\n? allowed-tools\n: Bash\nb:\n  allowed-tools: c\n", "name: a\nb:\n  allowed-tools: c\n"},
		{"name: a\n\"allowed-tools\": |\n  Bash\n\n  Read\n", "name: a\n"},
		{"name: a\n'allowed-tools':\n- Bash\n- Read\n", "name: a\n"},
	} {
		for _, end := range []string{"---\nallowed-tools: x\n", "---"} {
			for _, ends := range []string{"\n", "\r\n"} {
				text := strings.ReplaceAll("---\n"+row.yaml+end, "\n", ends)
				rest, dropped, err := frontmatter.Without([]byte(text), isTools)
				if want := strings.ReplaceAll("---\n"+row.want+end, "\n", ends); string(rest) != want || err != nil || (len(dropped) == 1) != (row.yaml != row.want) {
					t.Errorf("%q: %q, %q, %v, want %q", text, rest, dropped, err, want)
				}
			}
		}
	}
	for _, yaml := range []string{"{name: a, allowed-tools: Bash}", "name: a\nallowed-tools: &x Bash\nb: *x", "allowed-tools: Bash", "- a", "name: ["} {
		if rest, _, err := frontmatter.Without(fmt.Appendf(nil, "---\n%s\n---\n", yaml), isTools); err == nil {
			t.Errorf("%q: %q", yaml, rest)
		}
	}
}

// What Without returns has no field that was to be dropped, and the same body.
func FuzzWithout(f *testing.F) {
	f.Add([]byte("---\nname: a\nallowed-tools: Bash\n---\nbody"))
	f.Add([]byte("---\r\nallowed-tools: |\r\n  x\r\n\r\n'b': c\r\n---"))
	f.Fuzz(func(t *testing.T, text []byte) {
		rest, dropped, err := frontmatter.Without(text, isTools)
		if err != nil {
			return
		}
		object, _, body, err := frontmatter.Read(rest)
		_, _, before, _ := frontmatter.Read(text)
		if err != nil || !bytes.Equal(rest[body:], text[before:]) || len(dropped) == 0 && !bytes.Equal(rest, text) {
			t.Fatalf("%q: %q, %q, %v", text, rest, dropped, err)
		}
		if again, more, err := frontmatter.Without(rest, isTools); err != nil || len(more) > 0 || !bytes.Equal(again, rest) {
			t.Errorf("%q: %q, %q, %v; %s", rest, again, more, err, object)
		}
	})
}
