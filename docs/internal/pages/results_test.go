package pages_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// TestBinaryResults builds the program of the page and calls it.
func TestBinaryResults(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the commands are for a POSIX shell")
	}
	page := read(t, "docs/write/results.md")
	s := newShell(t)
	if err := os.WriteFile(filepath.Join(s.dir, "archive.go"), []byte(block(t, page, "`archive.go`", "go")), 0o644); err != nil {
		t.Fatal(err)
	}
	s.must("", "go mod init example.com/archive")
	s.install(root(t))
	s.must("", "go generate . && go vet .")
	out := s.must(strings.Join([]string{
		`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"chart","arguments":{"year":2025}}}`,
		`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"export","arguments":{"year":2025}}}`,
		`{"jsonrpc":"2.0","id":3,"method":"resources/read","params":{"uri":"archive://exports/sales-2025.csv"}}`,
	}, "\n")+"\n", "go run .")
	for _, want := range []string{
		`"type":"image","data":"iVBORw0KGgo=","mimeType":"image/png"`,
		`"type":"resource_link","uri":"archive://exports/sales-2025.csv","name":"sales-2025.csv"`,
		`"uri":"archive://exports/sales-2025.csv","mimeType":"text/csv"`,
	} {
		if !strings.Contains(out, want) {
			t.Errorf("no %s in\n%s", want, out)
		}
	}
}
