package mcpclient_test

import (
	"os/exec"
	"path/filepath"
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

// A client of a program links no code for what it does not do: reading by reflection, rules of
// header fields over HTTP, and help for those who send wrong arguments.
func TestLinked(t *testing.T) {
	program := filepath.Join(t.TempDir(), "small")
	if out, err := exec.Command("go", "build", "-o", program, "./testdata/small").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	out, err := exec.Command("go", "tool", "nm", program).Output()
	if err != nil {
		t.Fatal(err)
	}
	symbols := string(out)
	if !strings.Contains(symbols, " T github.com/mcpgen/mcpgen/runtime/mcpclient.") {
		t.Fatal("the program has no symbols of this package")
	}
	for _, name := range []string{
		"encoding/json.Unmarshal", "net/http.", "regexp.compile", "testing.",
		"github.com/mcpgen/mcpgen/internal/suggest.",
		"github.com/mcpgen/mcpgen/runtime/internal/toolschema.",
		"github.com/mcpgen/mcpgen/runtime/wire.adviser.", "github.com/mcpgen/mcpgen/runtime/wire.(*Decoder).separate",
	} {
		if strings.Contains(symbols, " T "+name) {
			t.Errorf("%s is linked", name)
		}
	}
}
