package frontmatter_test

import (
	"os/exec"
	"strings"
	"testing"
)

// TestImports checks that no package of the runtime links a reader of YAML: the generator alone
// reads frontmatter.
func TestImports(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", "../../runtime/...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	found := false
	for path := range strings.FieldsSeq(string(out)) {
		found = found || strings.HasSuffix(path, "/runtime/mcpskill")
		if strings.HasPrefix(path, "go.yaml.in/") || strings.HasSuffix(path, "/internal/frontmatter") {
			t.Errorf("a package of the runtime imports %s", path)
		}
	}
	if !found {
		t.Error("the runtime is not among the packages")
	}
}
