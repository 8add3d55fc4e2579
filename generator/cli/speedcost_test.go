//go:build cost

package cli

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// timing compares the command with the go command's own work on the same packages. The two
// alternate, so that other work of the machine slows both.
type timing struct {
	dir, mcpgen string
	env         []string
	memory      int64                      // of the largest run, in bytes; 0 if the system does not report it
	cpu         map[string][]time.Duration // of the runs, by program, with the processes that they start
}

func newTiming(b *testing.B) *timing {
	b.Helper()
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		b.Fatal(err)
	}
	s := &timing{dir: b.TempDir(), cpu: map[string][]time.Duration{}}
	s.mcpgen = filepath.Join(b.TempDir(), "mcpgen")
	if out, err := exec.Command("go", "build", "-o", s.mcpgen, "../../cmd/mcpgen").CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	if err := writeModule(s.dir, root, "example.com/big"); err != nil {
		b.Fatal(err)
	}
	s.env = append(os.Environ(), append(goEnvironment(b), "PWD="+s.dir)...)
	return s
}

func (s *timing) write(b *testing.B, name, source string) {
	b.Helper()
	name = filepath.Join(s.dir, name)
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		b.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(source), 0o644); err != nil {
		b.Fatal(err)
	}
}

// run runs one command and returns its duration.
func (s *timing) run(b *testing.B, name string, args ...string) time.Duration {
	b.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env = s.dir, s.env
	began := time.Now()
	if out, err := cmd.CombinedOutput(); err != nil {
		b.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	took := time.Since(began)
	s.cpu[name] = append(s.cpu[name], cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime())
	if name == s.mcpgen {
		s.memory = max(s.memory, peakMemory(cmd.ProcessState))
	}
	return took
}

// compare reports the median time of a warm run of the command that writes nothing, and of the go
// command.
func (s *timing) compare(b *testing.B, patterns []string, lists ...[]string) {
	b.Helper()
	for _, list := range lists {
		s.run(b, "go", list...)
	}
	s.run(b, s.mcpgen, patterns...)
	var ours, theirs []time.Duration
	for b.Loop() {
		var sum time.Duration
		for _, list := range lists {
			sum += s.run(b, "go", list...)
		}
		theirs = append(theirs, sum)
		ours = append(ours, s.run(b, s.mcpgen, append([]string{"-check"}, patterns...)...))
	}
	slices.Sort(ours)
	slices.Sort(theirs)
	list, run := theirs[len(theirs)/2], ours[len(ours)/2]
	b.ReportMetric(float64(list.Microseconds())/1000, "list-ms")
	b.ReportMetric(float64(run.Microseconds())/1000, "mcpgen-ms")
	b.ReportMetric(float64(run)/float64(list), "ratio")
	b.ReportMetric(float64(s.memory)/1e6, "MB")
	b.ReportMetric(0, "ns/op")
	if s.memory > 150e6 {
		b.Errorf("a run takes %d MB", s.memory/1e6)
	}
}

// BenchmarkManyDependencies generates for one package with 500 dependencies. The goal is 1.3 times
// the duration of go list -export -deps for it.
func BenchmarkManyDependencies(b *testing.B) {
	s := newTiming(b)
	const packages = 500
	for i := range packages {
		var imports, fields strings.Builder
		for _, below := range []int{2*i + 1, 2*i + 2} {
			if below < packages {
				fmt.Fprintf(&imports, "\t\"example.com/big/p%d\"\n", below)
				fmt.Fprintf(&fields, "\tF%d *p%[1]d.T // is another one\n", below)
			}
		}
		s.write(b, fmt.Sprintf("p%d/p.go", i), fmt.Sprintf(`package p%d

import (
	"context"
	"net/http"
	"time"

%s)

// T is what the package is about.
type T struct {
	ID   int    // tells it from others
	Name string // is for people
	At   time.Time
%s}

// Get gets it.
func Get(ctx context.Context, c *http.Client, id int) (*T, error) { return &T{ID: id}, ctx.Err() }
`, i, &imports, &fields))
	}
	var tools strings.Builder
	for i := range 20 {
		fmt.Fprintf(&tools, "\n// Find%d finds.\n//\n//mcp:tool readonly\nfunc Find%[1]d(ctx context.Context, query string, like p%[1]d.T) ([]string, error) { return nil, nil }\n", 480+i)
	}
	s.write(b, "target/target.go", "package target\n\nimport (\n\t\"context\"\n\n\t_ \"example.com/big/p0\"\n"+func() string {
		var imports strings.Builder
		for i := range 20 {
			fmt.Fprintf(&imports, "\t\"example.com/big/p%d\"\n", 480+i)
		}
		return imports.String()
	}()+")\n"+tools.String())
	s.compare(b, []string{"./target"}, []string{"list", "-export", "-deps", "./target"})
}

// BenchmarkManyPackages generates for a module of 300 packages, 5 of them with directives. The goal
// is 1.5 times the duration of go list ./... plus that for those five.
func BenchmarkManyPackages(b *testing.B) {
	s := newTiming(b)
	annotated := []string{"list", "-export", "-deps"}
	for i := range 300 {
		source := fmt.Sprintf("// Package p%d is one of many.\npackage p%[1]d\n\nimport (\n\t\"fmt\"\n\t\"net/http\"\n\t\"strings\"\n)\n", i)
		for f := range 40 {
			source += fmt.Sprintf("\n// F%d says where: a: b, c: d.\nfunc F%[1]d(a string) string { return fmt.Sprint(strings.ToUpper(a), http.StatusOK) }\n", f)
		}
		if i%60 == 7 {
			source += "\n// Find finds.\n//\n//mcp:tool\nfunc Find(query string, limit int) (string, error) { return query, nil }\n"
			annotated = append(annotated, fmt.Sprintf("./p%d", i))
		}
		s.write(b, fmt.Sprintf("p%d/p.go", i), source)
	}
	s.compare(b, []string{"./..."}, []string{"list", "./..."}, annotated)
}

// BenchmarkEditedComment edits a comment of a package of 150 tools and 150 types of about 20
// members, and generates. The goal is 1.5 times the CPU of go list for the packages that the
// generated file imports.
func BenchmarkEditedComment(b *testing.B) {
	s := newTiming(b)
	var source strings.Builder
	for i := range 150 {
		fmt.Fprintf(&source, "\n// Model%d is a thing with members.\ntype Model%[1]d struct {\n", i)
		for f := range 15 + i%11 {
			kind := []string{"string", "int64", "float64", "bool", "time.Time", "[]string"}[f%6]
			fmt.Fprintf(&source, "\t// The member %d of it.\n\tMember%[1]d %s `json:\"member_%[1]d\"`\n", f, kind)
		}
		fmt.Fprintf(&source, "}\n\n// Save%d saves it.\n//\n//mcp:tool idempotent\nfunc Save%[1]d(ctx context.Context, id int64, model Model%[1]d) (*Model%[1]d, error) { return nil, nil }\n", i)
	}
	const runtime = "github.com/mcpgen/mcpgen/runtime/"
	list := []string{"list", "-e", "-export", "-compiled", "-deps", "context", "time", runtime + "mcp", runtime + "mcpimpl", runtime + "wire"}
	edits := 0
	edit := func() {
		edits++
		s.write(b, "target/target.go", fmt.Sprintf("// Package target was edited %d times.\n//\n//mcp:server name=target version=%[1]d\npackage target\n\nimport (\n\t\"context\"\n\t\"time\"\n)\n", edits)+source.String())
	}
	edit()
	s.run(b, s.mcpgen, "./target")
	s.run(b, "go", list...)
	clear(s.cpu)
	for b.Loop() {
		edit()
		s.run(b, s.mcpgen, "./target")
		s.run(b, "go", list...)
	}
	median := func(name string) float64 {
		slices.Sort(s.cpu[name])
		return float64(s.cpu[name][len(s.cpu[name])/2].Microseconds()) / 1000
	}
	b.ReportMetric(median("go"), "list-cpu-ms")
	b.ReportMetric(median(s.mcpgen), "mcpgen-cpu-ms")
	b.ReportMetric(median(s.mcpgen)/median("go"), "ratio")
	b.ReportMetric(0, "ns/op")
	if s.memory > 150e6 {
		b.Errorf("a run takes %d MB", s.memory/1e6)
	}
}
