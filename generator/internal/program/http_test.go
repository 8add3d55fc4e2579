package program_test

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/generator/internal/model"
	"github.com/mcpgen/mcpgen/generator/internal/program"
)

// TestHTTP builds a program that serves over HTTP, and stops it by closing its standard input, as
// happens when its parent process exits.
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
	checkAuth(t, p, false)
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

// TestAuth builds a program with flags for authentication. TestHTTP builds one without them.
func TestAuth(t *testing.T) {
	sum, err := os.ReadFile(filepath.Join("..", "..", "..", "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	dir := module(t, map[string]string{"p/p.go": "package p\n", "go.sum": string(sum)})
	get := exec.Command("go", "get", "github.com/mcpgen/mcpgen/runtime/mcpauth@v0.0.0")
	get.Dir, get.Env = dir, environment("PWD="+dir)
	if out, err := get.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	cfg := program.Config{Dir: dir, Env: environment(), HTTP: true, Auth: true}
	p, err := program.Build(t.Context(), target(t, dir, "p", "", `""`), cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	checkAuth(t, p, true)
}

// checkAuth checks whether a program takes flags for authentication, and links the packages that
// these need.
func checkAuth(t *testing.T, p *program.Program, auth bool) {
	t.Helper()
	for _, symbol := range []string{"runtime/mcpauth.", "go-jose"} {
		if links(t, p, symbol) != auth {
			t.Errorf("with flags %v: %s is linked: %v", auth, symbol, !auth)
		}
	}
	if links(t, p, "runtime/mcpissuer.") {
		t.Errorf("with flags %v: the issuer for development is linked", auth)
	}
	err := p.Command(t.Context(), "-auth", "https://id.example.com").Run()
	if exit, ok := errors.AsType[*exec.ExitError](err); !ok || exit.ExitCode() != 2 {
		t.Errorf("with flags %v: %v", auth, err)
	}
}

// TestVendorWithoutHTTP compares the error for a vendor directory without the packages for HTTP.
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
	// With -trimpath only changed packages of the runtime's copy are compiled.
	cfg = program.Config{Dir: dir, Env: environment("GOFLAGS=-trimpath")}
	if text, _ := get(t, tgt, cfg); text != "vendored" {
		t.Errorf("got %q", text)
	}
}

// links reports whether the program contains a symbol's name: the table for stack traces is kept
// even if everything else is stripped.
func links(t *testing.T, p *program.Program, symbol string) bool {
	t.Helper()
	text, err := os.ReadFile(p.Path)
	if err != nil {
		t.Fatal(err)
	}
	return bytes.Contains(text, []byte(symbol))
}
