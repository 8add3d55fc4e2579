package scaffold

import (
	"go/format"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestFiles checks facts that no compiler sees. testdata/scripts/new.txtar checks that the projects
// compile and that their tests pass.
func TestFiles(t *testing.T) {
	workflow, err := os.ReadFile(filepath.Join("..", "..", "..", ".github", "workflows", "ci.yml"))
	if err != nil {
		t.Fatal(err)
	}
	action := regexp.MustCompile(`uses: \S+@[0-9a-f]{40} # v[0-9.]+`)
	for _, template := range Templates {
		files, err := template.Files("shop")
		if err != nil {
			t.Fatal(err)
		}
		texts := map[string]string{}
		for _, f := range files {
			if texts[f.Name] != "" {
				t.Errorf("%s: there are two %s", template.Name, f.Name)
			}
			texts[f.Name] = f.Text
			if strings.Contains(f.Text, "{{") {
				t.Errorf("%s: %s has a placeholder that is not replaced", template.Name, f.Name)
			}
			if filepath.Ext(f.Name) == ".go" {
				if formatted, err := format.Source([]byte(f.Text)); err != nil || string(formatted) != f.Text {
					t.Errorf("%s: %s is not formatted, %v", template.Name, f.Name, err)
				}
			}
		}
		for _, name := range []string{".gitattributes", ".github/workflows/ci.yml", ".gitignore", "AGENTS.md", "README.md", "main.go", "notes.go", "notes_test.go"} {
			if texts[name] == "" {
				t.Errorf("%s: there is no %s", template.Name, name)
			}
		}
		uses := action.FindAllString(texts[".github/workflows/ci.yml"], -1)
		if len(uses) != strings.Count(texts[".github/workflows/ci.yml"], "uses:") {
			t.Errorf("%s: not all actions are pinned", template.Name)
		}
		for _, use := range uses {
			if !strings.Contains(string(workflow), use) {
				t.Errorf("%s: the workflow of mcpgen does not have %q", template.Name, use)
			}
		}
		for _, line := range template.Try {
			if !strings.Contains(texts["README.md"], Named(line, "shop")) && !strings.Contains(line, "search_notes query=") {
				t.Errorf("%s: README.md does not have %q", template.Name, line)
			}
		}
	}
	if !strings.HasPrefix(Agents, "# "+AgentsTitle+"\n") {
		t.Errorf("AGENTS.md does not begin with %q", AgentsTitle)
	}
}
