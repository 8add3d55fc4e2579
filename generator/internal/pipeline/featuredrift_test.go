package pipeline_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// TestFeatureDrift changes a package after its file was generated: a declaration behind a resource,
// prompt, completion or form no longer exists, so the compiler must refuse the file.
func TestFeatureDrift(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles")
	}
	const source = `package drift

import "context"

type Store struct{}

//mcp:resource a://{id}/{name}
//mcp:arg name complete=Names
func (s *Store) Read(ctx context.Context, id int, name string) (string, error) { return "", nil }

func (s *Store) Names(prefix string) []string { return nil }

//mcp:prompt
//mcp:arg word complete=words
func Ask(word string, n int) string { return "" }

func words(ctx context.Context, prefix string, others map[string]string) ([]string, error) { return nil, nil }

//mcp:resource a://data
var data = []byte("x")

//mcp:form
type Answer struct {
	Yes bool
}
`
	changes := []struct{ name, old, new string }{
		{"variable", "id int,", "id int64,"},
		{"result", "name string) (string, error)", "name string) ([]byte, error)"},
		{"completer", "Names(prefix string) []string { return nil }", "Names(prefix string) ([]string, error) { return nil, nil }"},
		{"deleted", "func words(", "func names("},
		{"others", "others map[string]string)", "others map[string]any)"},
		{"argument", "n int)", "n *int)"},
		{"value", `var data = []byte("x")`, `var data = "x"`},
		{"field", "	Yes bool\n", "	Yes bool\n	No bool\n"},
		{"receiver", "func (s *Store) Read", "func Read"},
	}
	dir := module(t, []txtar.File{{Name: "same/in.go", Data: []byte(source)}})
	res := generate(t, dir, "./same")
	if res.Diagnostics.Len() > 0 {
		t.Fatal(res.Diagnostics.All())
	}
	for _, c := range append(changes, struct{ name, old, new string }{"same", "word string", "term string"}) {
		if strings.Count(source, c.old) != 1 {
			t.Fatalf("%s: %q is there %d times", c.name, c.old, strings.Count(source, c.old))
		}
		sub := filepath.Join(dir, c.name)
		if err := os.MkdirAll(sub, 0o755); err != nil {
			t.Fatal(err)
		}
		for name, data := range map[string][]byte{
			"in.go": []byte(strings.Replace(source, c.old, c.new, 1)), "mcp_gen.go": res.Packages[0].Source,
		} {
			if err := os.WriteFile(filepath.Join(sub, name), data, 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	cmd := exec.Command("go", "build", "./...")
	cmd.Dir, cmd.Env = dir, environment(dir)
	out, _ := cmd.CombinedOutput() // it fails, and the output contains the position
	if strings.Contains(string(out), "# example.com/shop/same\n") {
		t.Errorf("the package without changes of a type does not compile:\n%s", out)
	}
	for _, c := range changes {
		if !strings.Contains(string(out), "# example.com/shop/"+c.name+"\n") {
			t.Errorf("%s: compiles although %q became %q", c.name, c.old, c.new)
		}
	}
}
