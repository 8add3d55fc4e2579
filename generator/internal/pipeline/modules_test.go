package pipeline_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/mcpgen/mcpgen/generator/internal/diag"
	"github.com/mcpgen/mcpgen/generator/internal/pipeline"
)

// TestModules generates for complete modules that were not written as its test data. The file want
// of an archive contains the expected messages. Most archives lack it: then there are no messages,
// all packages compile, and a second run changes nothing.
func TestModules(t *testing.T) {
	eachArchive(t, "testdata/modules/*.txtar", func(t *testing.T, _ string, archive *txtar.Archive) {
		want := ""
		var files []txtar.File
		for _, f := range archive.Files {
			if f.Name == "want" {
				want = string(f.Data)
			} else {
				files = append(files, f)
			}
		}
		dir := module(t, files)
		res := generate(t, dir, "./...")
		var said bytes.Buffer
		diag.Print(&said, res.Diagnostics, dir)
		if said.String() != want {
			t.Fatalf("got\n%s\nwant\n%s", &said, want)
		}
		written, err := res.Write()
		if err != nil || len(written) == 0 {
			t.Fatalf("wrote %d files, %v", len(written), err)
		}
		vet(t, dir)
		again, err := generate(t, dir, "./...").Write()
		if err != nil || len(again) > 0 {
			t.Errorf("a second run wrote %v, %v", again, err)
		}
		unformatted, err := exec.Command("gofmt", append([]string{"-l"}, written...)...).Output()
		if err != nil || len(unformatted) > 0 {
			t.Errorf("not formatted: %s %v", unformatted, err)
		}
	})
}

// vet compiles and vets a module, its tests included.
func vet(t *testing.T, dir string, env ...string) {
	t.Helper()
	cmd := exec.Command("go", "vet", "-trimpath", "./...")
	cmd.Dir, cmd.Env = dir, append(environment(dir), env...)
	if out, err := cmd.CombinedOutput(); err != nil {
		var generated strings.Builder
		_ = filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
			if err == nil && d.Name() == "mcp_gen.go" && strings.Contains(string(out), filepath.Base(filepath.Dir(path))) {
				text, _ := os.ReadFile(path)
				generated.WriteString("-- " + path + " --\n" + string(text))
			}
			return err
		})
		t.Fatalf("go vet: %v\n%s\n%s", err, out, &generated)
	}
}

// cgoModule contains features in a file beside one that imports "C", in such a file, and in a
// package whose features another one emits.
const cgoModule = `
-- plain/plain.go --
package plain

// Abs is the distance from zero.
//
//mcp:tool readonly
func Abs(n int, at Point) (Point, error) { return Point{abs(n), at.Y}, nil }

// Point is a place.
type Point struct {
	X int
	Y int
}
-- plain/c.go --
//go:build cgo

package plain

// #include <stdlib.h>
import "C"

func abs(n int) int { return int(C.abs(C.int(n))) }
-- plain/go.go --
//go:build !cgo

package plain

func abs(n int) int { return max(n, -n) }
-- in/in.go --
//mcp:defaults emit=none
package in

// #include <stdlib.h>
// typedef struct { int a; } thing;
import "C"

// Thing is from C.
type Thing C.thing

// Abs is the distance from zero.
//
//mcp:tool readonly
func Abs(n int) (int, error) { return int(C.abs(C.int(n))), nil }

func use(t Thing) C.int { return t.a + C.int(len(NewMCPServer())) }
-- in/more.go --
package in

func NewMCPServer() string { return "" }
-- out/out.go --
//mcp:server
//mcp:from example.com/shop/in
package out
`

// TestCgo generates for packages with cgo, and without it.
func TestCgo(t *testing.T) {
	dir := module(t, files(cgoModule))
	with := func(value string, patterns ...string) *pipeline.Result {
		res, err := pipeline.Generate(t.Context(), pipeline.Config{
			Dir: dir, Env: append(environment(dir), "CGO_ENABLED="+value), Patterns: patterns,
		})
		if err != nil {
			t.Fatal(err)
		}
		return res
	}
	said := func(res *pipeline.Result) string {
		var b bytes.Buffer
		diag.Print(&b, res.Diagnostics, dir)
		return b.String()
	}
	enabled := with("1", "./...")
	if text := said(enabled); text != "" || len(enabled.Packages) != 2 {
		t.Fatalf("%d packages, said %s", len(enabled.Packages), text)
	}
	disabled := with("0", "./plain")
	if text := said(disabled); text != "" || !bytes.Equal(disabled.Packages[0].Source, enabled.Packages[1].Source) {
		t.Errorf("without cgo the file is another one: %s", text)
	}
	// Declarations that exist only with cgo cannot be emitted everywhere.
	if text, want := said(with("0", "./out")), `//mcp:tool: applies to Abs in a file with a build constraint (import "C", and cgo is not enabled)`; !strings.Contains(text, want) {
		t.Errorf("said %s", text)
	}
	if _, err := enabled.Write(); err != nil {
		t.Fatal(err)
	}
	if !compilesC(t) {
		t.Skip("there is no C compiler to build it with")
	}
	vet(t, dir, "CGO_ENABLED=1")
}
