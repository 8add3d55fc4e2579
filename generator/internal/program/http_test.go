package program_test

import (
	"bufio"
	"bytes"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/generator/internal/model"
	"github.com/mcpgen/mcpgen/generator/internal/program"
)

// TestHTTP builds a program that serves over HTTP, and ends it by closing its standard
// input, as the end of the process that started it would.
func TestHTTP(t *testing.T) {
	dir := module(t, map[string]string{"internal/store/store.go": storePackage})
	tgt := target(t, dir, "internal/store", "s *store", "s.name",
		&model.Receiver{TypeName: "store", Constructor: &model.Constructor{Func: "open", Context: true, Cleanup: true, Error: true}})
	p, err := program.Build(t.Context(), tgt, program.Config{Dir: dir, Env: environment(), HTTP: true})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	if !links(t, p, "net/http.(*Server)") {
		t.Error("net/http is not recognized in a program")
	}
	cmd := p.Command(t.Context(), "-http", "127.0.0.1:0")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	pipe, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	stderr := bufio.NewReader(pipe)
	for _, want := range []string{"opening\n", "store devel serves 1 tool at http://127.0.0.1:"} {
		if line, err := stderr.ReadString('\n'); err != nil || !strings.HasPrefix(line, want) {
			t.Errorf("%q, %v; want %q", line, err, want)
		}
	}
	if err := in.Close(); err != nil {
		t.Fatal(err)
	}
	rest, err := io.ReadAll(stderr)
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil || string(rest) != "closed\n" {
		t.Errorf("%v, %q", err, rest)
	}
}

// TestStdioLinksNoHTTP checks that a program without HTTP does not link net/http.
func TestStdioLinksNoHTTP(t *testing.T) {
	dir := module(t, map[string]string{"p/p.go": "package p\n"})
	p, err := program.Build(t.Context(), target(t, dir, "p", "", `""`), program.Config{Dir: dir, Env: environment()})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	for _, symbol := range []string{"net/http.", "crypto/tls."} {
		if links(t, p, symbol) {
			t.Errorf("%s is linked", symbol)
		}
	}
}

// TestVendorWithoutHTTP gets what is missing if the vendor directory is older than the
// need for it.
func TestVendorWithoutHTTP(t *testing.T) {
	dir := module(t, map[string]string{"p/p.go": "package p\n\nimport _ \"github.com/mcpgen/mcpgen/runtime/mcp\"\n"})
	vendor := exec.Command("go", "mod", "vendor")
	vendor.Dir, vendor.Env = dir, environment("PWD="+dir)
	if out, err := vendor.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	tgt := target(t, dir, "p", "", `"vendored"`)
	cfg := program.Config{Dir: dir, Env: environment(), HTTP: true}
	wantProblem(t, tgt, cfg, "the vendor directory does not have the package github.com/mcpgen/mcpgen/runtime/mcpcmd", "GOFLAGS=-mod=mod")
	cfg.Env = environment("GOFLAGS=-mod=mod")
	p, err := program.Build(t.Context(), tgt, cfg)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	cfg = program.Config{Dir: dir, Env: environment()}
	if text, _ := get(t, tgt, cfg); text != "vendored" {
		t.Errorf("got %q", text)
	}
}

// links reports whether a symbol's name is in the program: its table for stack
// traces stays where everything else is stripped.
func links(t *testing.T, p *program.Program, symbol string) bool {
	t.Helper()
	text, err := os.ReadFile(p.Path)
	if err != nil {
		t.Fatal(err)
	}
	return bytes.Contains(text, []byte(symbol))
}
