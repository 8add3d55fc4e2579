package cli

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// library is a module with several packages, each with one tool, whose generated files differ in
// each edition.
type library struct {
	dir, temp string
	env       []string
}

var packageNames = []string{"a", "b", "c"}

func newLibrary(t *testing.T) *library {
	t.Helper()
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	s := &library{dir: t.TempDir(), temp: t.TempDir()}
	if err := writeModule(s.dir, root, "example.com/shelves"); err != nil {
		t.Fatal(err)
	}
	s.env = append(os.Environ(), append(goEnvironment(t), "TMPDIR="+s.temp, "PWD="+s.dir)...)
	return s
}

// edit writes the sources of an edition.
func (s *library) edit(t *testing.T, edition int) {
	t.Helper()
	for _, name := range packageNames {
		source := "package " + name + "\n\n"
		for i := range 20 {
			source += fmt.Sprintf("// F%d is of edition %d.\n//\n//mcp:tool\nfunc F%[1]d(query string, limit int) []string { return nil }\n\n", i, edition)
		}
		if err := os.MkdirAll(filepath.Join(s.dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(s.dir, name, name+".go"), []byte(source), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// command returns this command for the module.
func (s *library) command(t *testing.T, args ...string) (*exec.Cmd, *bytes.Buffer) {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), exe)
	cmd.Args = append([]string{"mcpgen"}, args...)
	cmd.Dir, cmd.Env = s.dir, s.env
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	return cmd, &said
}

func (s *library) must(t *testing.T, args ...string) {
	t.Helper()
	cmd, said := s.command(t, args...)
	if err := cmd.Run(); err != nil {
		t.Fatalf("mcpgen %s: %v\n%s", strings.Join(args, " "), err, said)
	}
}

// generated returns the present files.
func (s *library) generated(t *testing.T) [][]byte {
	t.Helper()
	var all [][]byte
	for _, name := range packageNames {
		data, err := os.ReadFile(filepath.Join(s.dir, name, "mcp_gen.go"))
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, data)
	}
	return all
}

// TestParallelRuns runs the command several times at once.
func TestParallelRuns(t *testing.T) {
	s := newLibrary(t)
	for edition := range 2 {
		s.edit(t, edition)
		var running []*exec.Cmd
		var said []*bytes.Buffer
		for _, args := range [][]string{{"./..."}, {"./..."}, {"./a", "./b", "./c"}, {"list", "./b"}, {"./c"}} {
			cmd, out := s.command(t, args...)
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			running, said = append(running, cmd), append(said, out)
		}
		for i, cmd := range running {
			if err := cmd.Wait(); err != nil {
				t.Errorf("%s: %v\n%s", cmd.Args, err, said[i])
			}
		}
		s.must(t, "-check", "./...")
	}
	left, err := filepath.Glob(filepath.Join(s.dir, "*", ".*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	if left, err = filepath.Glob(filepath.Join(s.temp, "*")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// TestKilledRuns kills the command at moments that are spread over a whole run.
func TestKilledRuns(t *testing.T) {
	s := newLibrary(t)
	var editions [2][][]byte
	var took time.Duration
	for edition := range editions {
		s.edit(t, edition)
		began := time.Now()
		s.must(t, "./...")
		took = time.Since(began)
		editions[edition] = s.generated(t)
	}
	const runs = 16
	for i := range runs {
		s.edit(t, i%2)
		cmd, _ := s.command(t, "./...")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(took * time.Duration(i+1) / runs)
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		for n, data := range s.generated(t) {
			if !slices.ContainsFunc(editions[:], func(e [][]byte) bool { return bytes.Equal(e[n], data) }) {
				t.Fatalf("run %d: %s has %d bytes of no edition", i, packageNames[n], len(data))
			}
		}
	}
	s.edit(t, 0)
	s.must(t, "./...")
	if got := s.generated(t); !slices.EqualFunc(got, editions[0], bytes.Equal) {
		t.Error("the run after those that were killed made something else")
	}
}
