package mcp_test

import (
	"os/exec"
	"strings"
	"testing"
)

// A program that serves stdio links only the standard library and this module, without HTTP and
// without search.
func TestImports(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", "-f", "{{if not .Standard}}{{.ImportPath}}{{else}}std/{{.ImportPath}}{{end}}", ".").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	for path := range strings.FieldsSeq(string(out)) {
		switch {
		case path == "std/net/http", path == "std/net", path == "std/go/ast", path == "std/crypto/tls",
			path == "github.com/mcpgen/mcpgen/runtime/mcpfind":
			t.Errorf("%s is imported", path)
		case strings.HasPrefix(path, "std/"), strings.HasPrefix(path, "github.com/mcpgen/mcpgen/runtime/"),
			path == "github.com/mcpgen/mcpgen/internal/uritemplate", path == "github.com/mcpgen/mcpgen/internal/linear", path == "github.com/mcpgen/mcpgen/internal/pattern",
			path == "github.com/mcpgen/mcpgen/internal/regularfile", path == "github.com/mcpgen/mcpgen/internal/suggest", path == "github.com/mcpgen/mcpgen/internal/valid", path == "github.com/mcpgen/mcpgen/internal/visible":
		default:
			t.Errorf("%s is imported", path)
		}
	}
}
