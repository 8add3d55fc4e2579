package emit

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestDrift changes a package after its file was generated: a declaration that the file refers to
// no longer exists, so the compiler must refuse the file.
func TestDrift(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles")
	}
	const source = `package drift

import "context"

type Store struct{}

type Sort string

const (
	SortTitle Sort = "title"
	SortYear  Sort = "year"
)

type Names []string

type Filter struct {
	Query string
	Limit int
	Sort  Sort
}

type Tenant string

//mcp:inject
func TenantOf(context.Context) (Tenant, error) { return "", nil }

//mcp:tool search
func (s *Store) Search(ctx context.Context, t Tenant, f Filter, n int, names []string, any string) ([]string, error) { return nil, nil }

//mcp:tool text
func Text(words ...string) string { return "" }

//mcp:tool read
func Read(f Filter) Filter { return f }
`
	changes := []struct{ name, old, new string }{
		{"param", "n int,", "n int32,"},
		{"interface", "any string)", "any any)"},
		{"named", "names []string", "names Names"},
		{"count", "f Filter, n int,", "f Filter,"},
		{"more", "n int,", "n int, more ...bool,"},
		{"order", "f Filter, n int,", "n int, f Filter,"},
		{"result", "([]string, error)", "(Names, error)"},
		{"results", "string) ([]string, error) { return nil, nil }", "string) []string { return nil }"},
		{"deleted", "func (s *Store) Search", "func (s *Store) Find"},
		{"variadic", "words ...string", "words []string"},
		{"text", "func Text(words ...string) string", "func Text(words ...string) Sort"},
		{"receiver", "func (s *Store) Search", "func Search"},
		{"provider", "(Tenant, error) { return \"\", nil }", "Tenant { return \"\" }"},
		{"provided", "context.Context) (Tenant, error)", "context.Context) (Sort, error)"},
		{"field", "Limit int", "Limit int64"},
		{"retyped", "Query string", "Query Tenant"},
		{"added", "Limit int\n", "Limit int\n\tMore bool\n"},
		{"removed", "	Limit int\n", ""},
		{"renamed", "Limit int", "Limits int"},
		{"constant", "\tSortYear  Sort = \"year\"\n", ""},
	}
	s := newSnippets(t, module)
	path := module + "/drift"
	generated, err := formatted(s.model(t, s.check(t, path, map[string]string{"in.go": source})), testSchemas)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	writeModule(t, dir)
	put := func(name, text string) {
		writeFile(t, filepath.Join(dir, name, "in.go"), []byte(text))
		writeFile(t, filepath.Join(dir, name, "mcp_gen.go"), generated)
	}
	// Changes without effect on types compile: names of parameters, comments, tags.
	put("same", strings.NewReplacer("n int,", "number int,", "Limit int", "Limit int `json:\"limit\"` // comment").Replace(source))
	for _, c := range changes {
		if strings.Count(source, c.old) == 0 {
			t.Fatalf("%s: nothing to change", c.name)
		}
		put(c.name, strings.Replace(source, c.old, c.new, 1))
	}
	cmd := exec.Command("go", "build", "-mod=mod", "./...")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOPROXY=off")
	out, err := cmd.CombinedOutput()
	if exit := (*exec.ExitError)(nil); !errors.As(err, &exit) {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	if strings.Contains(string(out), "# "+module+"/same\n") {
		t.Errorf("the package without changes of a type does not compile:\n%s", out)
	}
	for _, c := range changes {
		if !strings.Contains(string(out), "# "+module+"/"+c.name+"\n") {
			t.Errorf("%s: compiles although %q became %q", c.name, c.old, c.new)
		}
	}
}
