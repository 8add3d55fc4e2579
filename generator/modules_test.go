package generator_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/mcpgen/mcpgen/generator/diag"
)

// TestModules generates for whole modules that nobody wrote for it. What is said
// about them is the file want of an archive, which most do not have: then nothing
// is, all of it compiles, and a second run finds nothing to do.
func TestModules(t *testing.T) {
	archives, err := filepath.Glob("testdata/modules/*.txtar")
	if err != nil || len(archives) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	for _, path := range archives {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			t.Parallel()
			archive, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
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
}

// vet compiles and vets a module, its tests included.
func vet(t *testing.T, dir string, env ...string) {
	t.Helper()
	cmd := exec.Command("go", "vet", "./...")
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
