package pipeline_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// unnamedSource contains structs without a name wherever generated code reads, writes or passes
// one. "TAG" is a tag without a part for JSON; " `" after it begins a tag that consists only of
// that part.
const unnamedSource = "package unnamed\n" + `
import (
	"context"
	"iter"

	"github.com/mcpgen/mcpgen/runtime/mcp"
)

type Store struct{}

// In is an alias of a struct without a name.
type In = struct {
	Page int ^json:"page"TAG^
	Sub struct{ A []int ^json:"a"TAG^ } ^json:"sub,omitempty"TAG^
}

// Row has a name, its members do not.
type Row struct {
	Point struct{ X, Y int ^json:"x,omitempty"TAG^ } ^json:"-"^
	List  []struct {
		Name string ^json:"name"TAG^
		More *struct{ Deep map[string]struct{ Far bool ^TAG^ } ^TAG^ } ^json:"more,omitempty"TAG^
	} ^json:"list"TAG^
	Pair  [2]struct{ A, B int ^TAG^ } ^json:"pair"TAG^
	Zero  struct{ Q string ^TAG^ } ^json:"zero,omitzero"TAG^
	Ptr   *struct{ P string ^TAG^ } ^json:"ptr,omitempty"TAG^
	Embed
}

type Embed struct {
	Inner struct{ I int ^TAG^ } ^json:"inner"TAG^
}

// Typed is a type that converts.
type Typed struct{ n int }

//mcp:decode
func typedOf(in struct{ N int ^json:"n"TAG^ }) (Typed, error) {
	if in.N < 0 {
		RegisterMCP(nil, nil)
	}
	return Typed{in.N}, nil
}

//mcp:encode
func ofTyped(t Typed) struct{ N int ^json:"n"TAG^ } { return struct{ N int ^json:"n"TAG^ }{t.n} }

type caller = struct{ Who string ^TAG^ }

//mcp:inject
func callerOf(context.Context) (struct{ Who string ^TAG^ }, error) { return caller{}, nil }

type response struct {
	Status int
	Body   struct {
		ID   int    ^json:"id"TAG^
		Name string ^json:"name,omitempty"TAG^
	}
}

// Whole is the usual form.
//
//mcp:tool
//mcp:result Body
func Whole(ctx context.Context, in *struct {
	// PerPage is how many.
	PerPage int ^json:"per_page"TAG^
	Q       string ^json:"q,omitempty"TAG^
	Filters []struct{ Field, Value string ^json:"value"TAG^ } ^json:"filters,omitempty"TAG^
}) (*response, error) { return nil, nil }

// Plain has them beside others, and one more after the last.
//
//mcp:tool
//mcp:arg at default={"x":1}
//mcp:arg row default={"list":[{"name":"n","more":{"Deep":{"k":{"Far":true}}}}],"pair":[{"A":1,"B":2},{"A":3,"B":4}],"inner":{"I":1}}
func (s *Store) Plain(ctx context.Context, by caller, n int, at struct{ X int ^json:"x"TAG^ }, row Row, in In, more ...struct{ Z int ^TAG^ }) (list []struct{ A int ^TAG^ }, total int, err error) { return }

// Pass takes what it returns.
//
//mcp:tool
//mcp:arg fix fixed={"A":1}
func Pass(ctx context.Context, row *Row, fix struct{ A int ^TAG^ }) (Row, error) { return *row, nil }

// Converts converts.
//
//mcp:tool
func Converts(t Typed) (Typed, error) { return t, nil }

// Members has several of them.
//
//mcp:tool
//mcp:arg in inline
func Members(in *struct { A int ^json:"a"TAG^; B *struct{ C int ^TAG^ } ^TAG^ }, n int) struct{ R int ^TAG^ } { return struct{ R int ^TAG^ }{in.A} }

// Rows are many.
//
//mcp:tool
func Rows(in struct{ N int ^TAG^ }) map[string]struct{ V []Row ^TAG^ } { return nil }

// Only has one result, which is an error.
//
//mcp:tool
func Only(in struct{ N int ^TAG^ }) error {
	if in.N > 1000 {
		RegisterMCP(nil, nil) // what leads to registration must not be needed for a variable of the package
	}
	return nil
}

// Word asks.
//
//mcp:prompt
func Word(in struct{ Word string ^json:"word"TAG^ }) string { return in.Word }

// Note is a resource.
//
//mcp:resource notes://{id}
func Note(ctx context.Context, id string) (*struct{ Text string ^TAG^ }, error) { return nil, nil }

var (
	_ iter.Seq[int]
	_ mcp.Content
)
`

// TestEditedTags adds, changes and removes a tag without a part for JSON: the file generated before
// still compiles.
func TestEditedTags(t *testing.T) {
	source := func(tag string) string {
		text := strings.ReplaceAll(strings.ReplaceAll(unnamedSource, "^TAG^", "`"+tag+"`"), "^", "`")
		text = strings.ReplaceAll(text, "TAG", " "+tag)
		return strings.ReplaceAll(text, "``", "")
	}
	const edited = `doc:"edited" minimum:"1"`
	for _, test := range []struct{ name, before, after string }{
		{"added", "", edited}, {"changed", `doc:"text"`, edited}, {"removed", `doc:"text"`, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := module(t, []txtar.File{{Name: "a.go", Data: []byte(source(test.before))}})
			res := generate(t, dir, ".")
			if res.Diagnostics.HasErrors() {
				t.Fatal(string(said(res.Diagnostics, dir)))
			}
			written, err := res.Write()
			if err != nil || len(written) != 1 {
				t.Fatalf("wrote %v, %v", written, err)
			}
			for _, text := range []string{source(test.before), source(test.after), strings.ReplaceAll(source(test.after), "PerPage int", "PerPage int64")} {
				if err := os.WriteFile(filepath.Join(dir, "a.go"), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
				cmd := exec.Command("go", "build", "-gcflags=-e", ".")
				cmd.Dir, cmd.Env = dir, environment(dir)
				out, err := cmd.CombinedOutput()
				if changed := strings.Contains(text, "PerPage int64"); (err != nil) != changed {
					content, _ := os.ReadFile(written[0])
					t.Fatalf("go build: %v\n%s\n%s", err, out, content)
				}
			}
		})
	}
}
