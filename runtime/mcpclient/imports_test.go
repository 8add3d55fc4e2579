package mcpclient_test

import (
	"os/exec"
	"strings"
	"testing"
)

// A client links the standard library and this module, and no HTTP.
func TestImports(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", "-f", "{{if not .Standard}}{{.ImportPath}}{{else}}std/{{.ImportPath}}{{end}}", ".").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	for path := range strings.FieldsSeq(string(out)) {
		switch {
		case path == "std/net/http", path == "std/net", path == "std/crypto/tls", path == "std/testing":
			t.Errorf("%s is imported", path)
		case strings.HasPrefix(path, "std/"), strings.HasPrefix(path, "github.com/mcpgen/mcpgen/"):
		default:
			t.Errorf("%s is imported", path)
		}
	}
}
