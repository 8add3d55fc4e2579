//go:build cost

package mcpclient_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
)

// maxProgram limits the size of a stripped client program, in bytes.
const maxProgram = 3_900_000

// TestProgramSize builds a client of a server that is a program. Growth is mostly due to code that
// package mcp links at initialization; go build -ldflags=-dumpdep shows the reason.
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
