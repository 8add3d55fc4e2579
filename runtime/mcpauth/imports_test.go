package mcpauth_test

import (
	"os/exec"
	"strings"
	"testing"
)

// This package links the standard library, this module and one other module, which only this
// package and mcplogin link.
func TestImports(t *testing.T) {
	const (
		module = "github.com/mcpgen/mcpgen/"
		own    = module + "runtime/mcpauth"
		login  = module + "runtime/mcplogin"
		shared = module + "runtime/internal/clientauth" // linked by both
		jose   = "github.com/go-jose/go-jose/v4"
	)
	out, err := exec.Command("go", "list", "-deps", "-f", "{{if not .Standard}}{{.ImportPath}}{{end}}", ".").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	for path := range strings.FieldsSeq(string(out)) {
		if !strings.HasPrefix(path, module) && !strings.HasPrefix(path, jose) {
			t.Errorf("%s is imported", path)
		}
	}
	out, err = exec.Command("go", "list", "-f", `{{.ImportPath}} {{join .Deps " "}}`, module+"...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	linking := 0
	for line := range strings.Lines(string(out)) {
		if !strings.Contains(line, " "+jose) {
			continue
		}
		linking++
		if line = " " + line; !strings.Contains(line, " "+own) && !strings.Contains(line, " "+login) && !strings.HasPrefix(line, " "+shared+" ") {
			t.Errorf("%s links %s", strings.Fields(line)[0], jose)
		}
	}
	if linking == 0 {
		t.Error("no package links the library")
	}
}
