package pages_test

import (
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestPublicPackages compares the table of packages in docs/decide/versioning.md with the packages
// that a program of another module can import.
func TestPublicPackages(t *testing.T) {
	var documented []string
	_, table, _ := strings.Cut(read(t, "docs/decide/versioning.md"), "| package | for | imported by |\n")
	table, _, _ = strings.Cut(table, "\n\n")
	for _, row := range regexp.MustCompile("(?m)^\\| `([a-z/]+)` \\| ").FindAllStringSubmatch(table, -1) {
		documented = append(documented, row[1])
	}
	cmd := exec.Command("go", "list", "-f", `{{if and .GoFiles (ne .Name "main")}}{{.ImportPath}}{{end}}`, "./...")
	cmd.Dir = root(t)
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var public []string
	for path := range strings.FieldsSeq(string(out)) {
		if !slices.Contains(strings.Split(path, "/"), "internal") {
			public = append(public, strings.TrimPrefix(path, "github.com/mcpgen/mcpgen/"))
		}
	}
	slices.Sort(public)
	slices.Sort(documented)
	if !slices.Equal(public, documented) {
		t.Errorf("packages that can be imported:\n%s\nin docs/decide/versioning.md:\n%s", strings.Join(public, "\n"), strings.Join(documented, "\n"))
	}
}
