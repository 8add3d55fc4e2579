package mcpissuer_test

import (
	"os/exec"
	"strings"
	"testing"
)

// Only programs that import the issuer link it. In this module, mcpauthtest and the issuer of the
// conformance suite import it. The issuer itself needs one other module.
func TestImports(t *testing.T) {
	const (
		module = "github.com/mcpgen/mcpgen/"
		own    = module + "runtime/mcpissuer"
		jose   = "github.com/go-jose/go-jose/v4"
	)
	out, err := exec.Command("go", "list", "-f", `{{.ImportPath}} {{join .Deps " "}}`, module+"...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	linking := map[string]bool{}
	for line := range strings.Lines(string(out)) {
		path, deps, _ := strings.Cut(strings.TrimSpace(line), " ")
		for dep := range strings.FieldsSeq(deps) {
			switch {
			case dep == own:
				linking[path] = true
			case path == own && other(dep) && !strings.HasPrefix(dep, module) && !strings.HasPrefix(dep, jose):
				t.Errorf("%s is imported", dep)
			}
		}
	}
	for _, path := range []string{module + "runtime/mcpauthtest", module + "conformance/issuer"} {
		if !linking[path] {
			t.Errorf("%s does not link the issuer", path)
		}
		delete(linking, path)
	}
	for path := range linking {
		t.Errorf("%s links the issuer", path)
	}
}

// other reports whether a package belongs to neither the standard library nor its vendored copies.
func other(path string) bool {
	host, _, _ := strings.Cut(path, "/")
	return strings.Contains(host, ".")
}
