package clients

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

var update = flag.Bool("update", false, "write the table in docs/serve/hosts.md")

// page returns the table of clients.
func page() string {
	var b strings.Builder
	b.WriteString("| client | user | project | entry | variables | afterwards | documentation |\n|---|---|---|---|---|---|---|\n")
	code := func(text string) string { return "`" + text + "`" }
	for _, c := range All {
		user := code(c.User.Path)
		if c.User.Variable != "" {
			user += ", or " + code("$"+c.User.Variable+"/"+c.User.Below)
		}
		if c.Own != nil {
			user += ", by " + code(c.Own.Program+" mcp add-json")
		}
		project := "–"
		if c.Project != "" {
			project = code(c.Project)
		}
		holds := c.Holds + ".NAME"
		if c.TOML {
			holds = "[" + holds + "]"
		}
		entry := code(holds) + " with " + code("command") + ", " + code("args") + ", " + code("env")
		if c.TypeProgram != "" {
			entry += ", " + code("type") + " " + code(c.TypeProgram)
		}
		if c.URL != "" {
			entry += "; or " + code(c.URL) + ", " + code(c.Headers)
			if c.TypeURL != "" {
				entry += ", " + code("type") + " " + code(c.TypeURL)
			}
		} else {
			entry += "; programs only"
		}
		variables := "–"
		switch {
		case c.Variables != "":
			variables = code(c.Variables+" = [\"KEY\"]") + ", " + code("bearer_token_env_var") + ", " + code("env_"+c.Headers)
		case c.Variable != "":
			variables = code(fmt.Sprintf(c.Variable, "KEY"))
		}
		after := c.Restart
		if c.MostTools > 0 {
			after += fmt.Sprintf("; at most %d tools of all servers", c.MostTools)
		}
		fmt.Fprintf(&b, "| %s: `%s` | %s | %s | %s | %s | %s | [read %s](%s) |\n", c.Title, c.Name, user, project, entry, variables, after, c.Read, c.Docs)
	}
	return b.String()
}

// The table in docs/serve/hosts.md is generated from this package.
func TestDocs(t *testing.T) {
	const begin, end = "-update -->\n", "<!-- end of clients -->"
	path := filepath.FromSlash("../../docs/serve/hosts.md")
	old, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(old), begin)
	_, after, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatal("docs/serve/hosts.md has no place for the table")
	}
	text := before + begin + "\n" + page() + "\n" + end + after
	if *update {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if text != string(old) {
		t.Error("docs/serve/hosts.md is not current: go test ./internal/clients -update")
	}
	for i, c := range All {
		if _, err := time.Parse(time.DateOnly, c.Read); err != nil || !strings.HasPrefix(c.Docs, "https://") {
			t.Errorf("%s: read %q, %s", c.Name, c.Read, c.Docs)
		}
		if i > 0 && All[i-1].Name >= c.Name {
			t.Errorf("%s is not sorted", c.Name)
		}
	}
}
