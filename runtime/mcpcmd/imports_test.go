package mcpcmd_test

import (
	"os/exec"
	"strings"
	"testing"
)

// A program of this package links the standard library and this module.
func TestImports(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", "-f", "{{if not .Standard}}{{.ImportPath}}{{end}}", ".").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	for path := range strings.FieldsSeq(string(out)) {
		if !strings.HasPrefix(path, "github.com/mcpgen/mcpgen/runtime/") && !strings.HasPrefix(path, "github.com/mcpgen/mcpgen/internal/") {
			t.Errorf("%s is imported", path)
		}
	}
}
