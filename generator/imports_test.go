package generator_test

import (
	"os/exec"
	"strings"
	"testing"
)

// TestImports checks the architecture: the generator does not import the runtime, and the runtime
// imports neither the generator nor its tools. Over HTTP a server does not link the client's half,
// nor a client the server's half.
func TestImports(t *testing.T) {
	const module = "github.com/mcpgen/mcpgen/"
	for _, rule := range []struct {
		packages string
		never    []string
	}{
		{"github.com/mcpgen/mcpgen/generator", []string{module + "runtime", module + "cmd", module + "generator/cli", "net/http"}},
		{module + "generator/internal/...", []string{module + "cmd", module + "generator/cli"}},
		{module + "generator/internal/model", []string{module + "generator", module + "runtime"}},
		{module + "runtime/...", []string{module + "generator", "go/", "golang.org/x/tools", "github.com/dave/jennifer", "github.com/invopop/jsonschema", "google.golang.org/protobuf"}},
		{module + "internal/contract", []string{module + "generator", module + "runtime", "go/", "golang.org/x", "github.com/santhosh-tekuri"}},
		{module + "runtime/wire", []string{module + "runtime/mcp", module + "runtime/jsonrpc"}},
		{module + "runtime/mcpstdout", []string{"os", "fmt", "io", "internal/poll"}}, // initialized before the packages that print
		{module + "runtime/jsonrpc", []string{module + "runtime/mcp", "log/slog"}},
		{module + "runtime/mcphttp", []string{module + "runtime/mcphttpclient", module + "runtime/mcpclient", module + "runtime/internal/dial"}},
		{module + "runtime/mcphttpclient", []string{module + "runtime/mcphttp", module + "runtime/mcp"}},
	} {
		out, err := exec.Command("go", "list", "-deps", "-f", "{{.ImportPath}}", rule.packages).CombinedOutput()
		if err != nil {
			t.Fatalf("go list %s: %v\n%s", rule.packages, err, out)
		}
		for path := range strings.FieldsSeq(string(out)) {
			for _, never := range rule.never {
				inside := path == strings.TrimSuffix(never, "/") || strings.HasPrefix(path, strings.TrimSuffix(never, "/")+"/")
				if inside && path != rule.packages {
					t.Errorf("%s depends on %s", rule.packages, path)
				}
			}
		}
	}
}

// TestImporters checks which packages import which. A client links a pool only if its program
// imports one. The packages below internal are shared by generator and runtime, so they import
// neither; internal/proof lies above both, and only tests, its own programs and the one that runs
// the official suite import it.
func TestImporters(t *testing.T) {
	const module = "github.com/mcpgen/mcpgen/"
	out, err := exec.Command("go", "list", "-f", `{{.ImportPath}} {{join .Imports " "}}`, module+"...").CombinedOutput()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, out)
	}
	below := func(path, folder string) bool { return strings.HasPrefix(path+"/", module+folder+"/") }
	for line := range strings.Lines(string(out)) {
		path, imports, _ := strings.Cut(strings.TrimSpace(line), " ")
		proof := below(path, "internal/proof")
		for imported := range strings.FieldsSeq(imports) {
			if below(path, "internal") && !proof && (below(imported, "runtime") || below(imported, "generator")) ||
				below(imported, "internal/proof") && !proof && path != module+"conformance/suite" ||
				imported == module+"runtime/mcppool" {
				t.Errorf("%s imports %s", path, imported)
			}
		}
	}
}
