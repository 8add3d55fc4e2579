package mcpclient_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
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

// maxProgram is how large a stripped client of a program may be, in bytes.
const maxProgram = 4_000_000

// TestProgramSize builds a client of a server that is a program. What makes it larger is mostly
// code that package mcp links when it is initialized; go build -ldflags=-dumpdep shows why.
func TestProgramSize(t *testing.T) {
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		t.Skip("other platforms have other sizes")
	}
	program := filepath.Join(t.TempDir(), "small")
	out, err := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", program, "./testdata/small").CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	info, err := os.Stat(program)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d bytes", info.Size())
	if info.Size() > maxProgram {
		t.Errorf("the program has %d bytes, and may have %d", info.Size(), maxProgram)
	}
}
