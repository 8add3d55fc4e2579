package pipeline_test

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/mcpgen/mcpgen/generator/internal/diag"
	"github.com/mcpgen/mcpgen/generator/internal/pipeline"
)

// importsRounds selects the long form: each change alone, and this number of random combinations.
var importsRounds = flag.Int("imports", 0, "random combinations of changes that TestOtherImports tries")

// declaring are packages with a type T. Other packages have fields of that type. inline is the body
// of a function that mentions the parts of T and can be inlined; types of quiet packages cannot be
// arguments.
var declaring = []struct {
	name, source, inline string
	quiet                bool
}{
	{name: "words", source: `
-- a.go --
package deep

// T is a word.
type T string

const (
	Later T = "later" // comes second
	hidden T = "hidden"
)

func Hidden() T { return hidden }
-- b.go --
package deep

const Small, Big T = "small", "big"
`, inline: `deep.Hidden() + deep.Big`},
	{name: "numbers", source: `
-- a.go --
package deep

type T int

const (
	One T = iota + 1 // the first
	Two
	Three; Above T = 9; Among T = 8
)
-- b.go --
package deep

const (
	_ T = iota + 4
	Five
	six
	Seven
)

func Six() T { return six }
`, inline: `deep.Six() + deep.Two`},
	{name: "aliased", source: `
-- a.go --
package deep

type T uint8

// Colour is another name.
type Colour = T

const (
	Red   Colour = 1
	Green T      = 5 // like grass
	Blue         = Colour(6)
	Loose        = 7
)
`, inline: `deep.Green + deep.Red`},
	{name: "closed", source: `
-- a.go --
package deep

// T is a color.
//
//mcp:enum Red=red Green=green
type T int

const (
	Red T = iota // like a rose
	Green
)

func (c T) MarshalText() ([]byte, error) { return nil, nil }
func (c *T) UnmarshalText(text []byte) error { return nil }
`, inline: `deep.Green`},
	{name: "values", source: `
-- a.go --
package deep

//mcp:doc T is sealed, as [Square], [Away] and [Circle.Radius] know, and [secret].
type T interface{ is() }

// Square has sides.
type Square struct {
	Side float64 // of all four
}

func (Square) is() {}

type secret struct{ A int }

func (secret) is() {}

func Secret() T { return secret{1} }
-- b.go --
package deep

type Circle struct{ Radius float64 }

func (Circle) is() {}

type Away struct{ B int }
`, inline: `[]deep.T{deep.Secret(), deep.Circle{}}`},
	{name: "pointers", source: `
-- a.go --
package deep

//mcp:union discriminator=kind Circle=circle
type T interface{ is() }

type ( Square struct { Side Size }; Circle struct { Inner T } )

func (*Square) is() {}
func (Circle) is() {}

// Size is an enumeration of which nothing else knows.
type Size string

const (
	Small Size = "small"
	Large Size = "large"
)
`, inline: `deep.T(&deep.Square{})`},
	{name: "embedding", source: `
-- a.go --
package deep

type T interface {
	Wide
	Name() string
}

type Wide interface{ is() }

type Base struct{ ID int }

func (*Base) is() {}
func (Base) Name() string { return "" }

type First struct {
	Base
	A string
}

type Second struct {
	*Base
	B string
}

type Other struct{ Base Base }
`, inline: `deep.T(deep.Second{})`},
	{name: "generic", source: `
-- a.go --
package deep

type T interface{ is() }

type Pair[X any] struct{ A, B X }

func (Pair[X]) is() {}

type Ints = Pair[int]

type Plain struct{ P Pair[Size] }

func (Plain) is() {}

type Texts struct{ Pair[string] }

type Size string

const Small, Large Size = "small", "large"
`, inline: `[]deep.T{deep.Pair[bool]{}, deep.Ints{}}`},
	{name: "mixed", quiet: true, source: `
-- a.go --
package deep

// T has an implementation that cannot be one of a union.
type T interface{ is() }

type Text string

func (Text) is() {}

type Struct struct{ A int }

func (Struct) is() {}
`, inline: `deep.T(deep.Text(""))`},
	{name: "elsewhere", source: `
-- a.go --
package deep

import "example.com/deps/elsewhere/internal/own"

type T = own.T

type Part = own.Part
-- ../internal/own/own.go --
package own

// T cannot be imported by its own name.
type T struct {
	A string
	P Part
}

type Part struct{ Mode Mode }

// Mode is an enumeration.
type Mode string

const (
	Fast Mode = "fast" // is fast
	Slow Mode = "slow"
)
-- ../naming/naming.go --
package naming

import "example.com/deps/elsewhere/internal/own"

// Mode is a name that no feature reaches.
type Mode = own.Mode
`, inline: `deep.T{}`},
	{name: "lines", source: `
-- a.go --
package deep

// T is a word.
type T struct {
//line z.y:100
	Second string // is first
	Kind Kind
}

type Kind string
//line a.y:1
const Last Kind = "last" // is not
const First Kind = "first"
-- b.go --
package deep
//line a.y:1
const Middle Kind = "middle"
`, inline: `deep.Middle`},
	{name: "sizes", source: `
-- a.go --
package deep

import "time"

// T has types of the standard library.
type T struct {
	Month time.Month
	Day   []time.Weekday
	For   time.Duration
}
`, inline: `time.May`},
	{name: "keys", source: `
-- a.go --
package deep

type T map[Key]Value

type Key string

const (
	Left  Key = "left"
	Right Key = "right"
)

type Value struct{ Key *Key }
`, inline: `deep.Left`},
	{name: "trees", source: `
-- a.go --
package deep

import "go/build/constraint"

type T struct{ Root constraint.Expr }
`, inline: `&deep.T{}`},
}

// withC is a declaring package that needs a C compiler.
const withC = `
-- a.go --
package deep

/*
#include <stdlib.h>
*/
import "C"

// T is beside C.
type T struct {
	Name string // is what it is called
	Kind Kind
	Abs  int
}

func abs(n int) int { return int(C.abs(C.int(n))) }

// Twice takes a number twice.
func (T) Twice(
	n int, // the number
) int {
	return abs(n) + abs(n)
}

// Kind is a kind.
type Kind string

const (
	Old Kind = "old" // is long ago
	New Kind = "new" // is now

	Name Kind = "name"
)
`

// between is the package that features import; it uses T in several ways.
const between = `// Package mid is what features see.
package mid

import (
	"example.com/deps/%[1]s/deep"
	"example.com/deps/%[1]s/far"
)

type (
	Field    struct{ V deep.T }
	Alias    = deep.T
	Box[X any] struct{ V X; M map[string]X }
	Generic  struct{ B Box[deep.T] }
	Base     struct{ V []deep.T }
	Embedded struct{ *Base }
	Far      = far.Node
)

// Service works by a type of another package.
type Service struct{ far.Worker }

// Give gives one, unlike [Service.Work].
//
//   - many: how many there are
func (Service) Give(many int) (v Field) { return }

type Maker interface {
	far.Printer
//line other.y:7
	// Made is made.
	Made(n int /* of what */) Generic
}

// Make makes one of any type.
func Make[X any](
	n int, // of what
) (v []X) {
	return nil
}

type Repo[X any] struct{}

// Load loads one.
func (*Repo[X]) Load(key string /* of the row */) (v X, err error) { return }
`

// variables are features by functions of mid.
const variables = `package app

import "example.com/deps/%[1]s/mid"

//mcp:tool readonly
var (
	_ = (*mid.Service).Give
	_ = (*mid.Service).Work
	_ = mid.Maker.Made
	_ = mid.Maker.Print
	_ = mid.Make[mid.Alias]
	_ = (*mid.Repo[mid.Alias]).Load
)
`

const farther = `package far

import "example.com/deps/%s/deep"

type Node struct {
	V    *deep.T
	Next *Node
}

type Worker struct{}

//line made.y:100

// Work works as long as [Node.Next] says.
func (w *Worker) Work(
	depth int, // how far to go
) *Node {
	return nil
}

// Printer prints.
type Printer interface {
	// Print is declared in another module.
	Print(what string /* the message */)
}
`

var reaches = []string{"Field", "Alias", "Generic", "Embedded", "Far"}

// fixtures returns the files of two modules, apps and deps, and the names of the packages.
func fixtures(t *testing.T) (files []txtar.File, names, inline []string) {
	kinds := declaring
	if compilesC(t) {
		kinds = append(slices.Clone(kinds), declaring[0])
		last := &kinds[len(kinds)-1]
		last.name, last.source, last.inline = "cgo", withC, "deep.New"
	}
	add := func(name, format string, args ...any) {
		files = append(files, txtar.File{Name: name, Data: fmt.Appendf(nil, format, args...)})
	}
	add("apps/go.mod", "module example.com/apps\n\ngo 1.26\n\nrequire example.com/deps v1.0.0\n\nreplace example.com/deps => ../deps\n")
	add("deps/go.mod", "module example.com/deps\n\ngo 1.26\n")
	for _, k := range kinds {
		for _, f := range txtar.Parse([]byte(k.source)).Files {
			add(filepath.ToSlash(filepath.Join("deps", k.name, "deep", f.Name)), "%s", f.Data)
		}
		add("deps/"+k.name+"/mid/mid.go", between, k.name)
		add("deps/"+k.name+"/far/far.go", farther, k.name)
		app := fmt.Sprintf("// Package app has the features.\npackage app\n\nimport \"example.com/deps/%s/mid\"\n", k.name)
		for _, reach := range reaches {
			if !k.quiet {
				app += fmt.Sprintf("\n// Take%[1]s takes.\n//\n//mcp:tool\nfunc Take%[1]s(v mid.%[1]s) {}\n", reach)
			}
			app += fmt.Sprintf("\n// Give%[1]s gives.\n//\n//mcp:tool\nfunc Give%[1]s() (v mid.%[1]s) { return }\n", reach)
		}
		add("apps/"+k.name+"/app.go", "%s", app)
		add("apps/"+k.name+"/variables.go", variables, k.name)
		if k.name == "cgo" {
			add("apps/"+k.name+"/cgo.go", "%s", `package app

import "example.com/deps/cgo/mid"

//mcp:tool
var _ = mid.Alias.Twice
`)
		}
		names, inline = append(names, k.name), append(inline, k.inline)
	}
	return files, names, inline
}

// TestOtherImports generates for packages whose features use types of indirectly imported packages,
// and again after changes unrelated to the features. The generated files and the diagnostics stay
// the same.
func TestOtherImports(t *testing.T) {
	files, names, inline := fixtures(t)
	base := t.TempDir()
	write := func(dir, name, text string) {
		t.Helper()
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, f := range files {
		write(base, f.Name, string(f.Data))
	}
	patterns := make([]string, len(names))
	for i, name := range names {
		patterns[i] = "./" + name
	}
	// run generates for all of them in a copy of the modules, with some changes. The copy stays in
	// one place, so that the go command compiles only changed packages.
	dir := filepath.Join(t.TempDir(), "copy")
	type state struct {
		dir      string
		env      []string
		patterns []string
		tags     string
	}
	run := func(t *testing.T, changes ...func(*state)) (map[string][]byte, string) {
		t.Helper()
		s := &state{dir: dir, patterns: patterns}
		if err := errors.Join(os.RemoveAll(dir), os.CopyFS(dir, os.DirFS(base))); err != nil {
			t.Fatal(err)
		}
		apps := filepath.Join(s.dir, "apps")
		s.env = append(os.Environ(), "GOPROXY=off", "GOWORK=off", "GOFLAGS=-mod=mod", "PWD="+apps)
		for _, change := range changes {
			change(s)
		}
		res, err := pipeline.Generate(t.Context(), pipeline.Config{Dir: apps, Env: s.env, Patterns: s.patterns, Tags: s.tags})
		if err != nil {
			t.Fatal(err)
		}
		var said bytes.Buffer
		diag.Print(&said, res.Diagnostics, s.dir)
		if res.Diagnostics.HasErrors() {
			t.Fatalf("%s", &said)
		}
		sources := map[string][]byte{}
		for _, p := range res.Packages {
			if p.Model.Path != "" && strings.HasPrefix(p.Model.Path, "example.com/apps/") {
				sources[strings.TrimPrefix(p.Model.Path, "example.com/apps/")] = p.Source
			}
		}
		return sources, said.String()
	}

	imports := func(constraint, declarations string) func(*state) {
		return func(s *state) {
			for _, name := range names {
				text := constraint + "package app\n\nimport \"go/build/constraint\"\nimport \"time\"\n"
				if name == "elsewhere" {
					text += "import _ \"example.com/deps/elsewhere/naming\"\n"
				}
				text += strings.ReplaceAll(declarations, "DEPS", "example.com/deps/"+name) + "\n\nvar _ constraint.Expr\nvar _ time.Month\n"
				write(s.dir, "apps/"+name+"/more.go", text)
			}
		}
	}
	mention := func(pragma string) func(*state) {
		return func(s *state) {
			for i, name := range names {
				time := ""
				if strings.HasPrefix(inline[i], "time.") {
					time = "import \"time\"\n"
				}
				for _, pkg := range []string{"mid", "far"} {
					write(s.dir, "deps/"+name+"/"+pkg+"/inline.go", fmt.Sprintf("package %s\n\n%simport \"example.com/deps/%s/deep\"\n\n%s\nfunc Inline() any { return %s }\n\nvar _ deep.T\n",
						pkg, time, name, pragma, inline[i]))
				}
			}
		}
	}
	changes := map[string]func(*state){
		"nothing":               func(*state) {},
		"blank imports":         imports("", "import _ \"DEPS/deep\"\nimport _ \"DEPS/far\""),
		"imports that are used": imports("", "import \"DEPS/deep\"\n\nvar _ deep.T"),
		"a build tag": func(s *state) {
			imports("//go:build extra\n\n", "import _ \"DEPS/deep\"")(s)
			s.tags = "extra"
		},
		"a build tag that is not set": imports("//go:build extra\n\n", "import _ \"DEPS/deep\""),
		"inlinable functions":         mention(""),
		"functions to be called":      mention("//go:noinline"),
		"the declaring packages too": func(s *state) {
			for _, name := range names {
				for _, pkg := range []string{"deep", "mid", "far"} {
					s.patterns = append(slices.Clip(s.patterns), "example.com/deps/"+name+"/"+pkg)
				}
			}
		},
		"the packages between too": func(s *state) {
			for _, name := range names {
				s.patterns = append(slices.Clip(s.patterns), "example.com/deps/"+name+"/mid")
			}
		},
		"a workspace": func(s *state) {
			write(s.dir, "go.work", "go 1.26\n\nuse (\n\t./apps\n\t./deps\n)\n")
			s.env = append(s.env, "GOWORK="+filepath.Join(s.dir, "go.work"), "GOFLAGS=")
		},
		"vendoring": func(s *state) {
			cmd := exec.Command("go", "mod", "vendor")
			cmd.Dir, cmd.Env = filepath.Join(s.dir, "apps"), s.env
			if out, err := cmd.CombinedOutput(); err != nil {
				panic(fmt.Sprintf("go mod vendor: %v\n%s", err, out))
			}
			s.env = append(s.env, "GOFLAGS=-mod=vendor")
		},
		"trimmed paths": func(s *state) { s.env = append(s.env, "GOFLAGS=-mod=mod -trimpath") },
	}
	want, said := run(t)
	if len(want) != len(names) || len(names)*len(reaches) < 50 {
		t.Fatalf("%d packages", len(want))
	}
	for _, enough := range []struct{ name, text string }{
		{"words", `"small"`}, {"numbers", "Above"}, {"values", "Circle"}, {"values", "as Square, Away and Circle.Radius know"}, {"pointers", `"large"`}, {"trees", "AndExpr"},
		{"closed", `"green"`}, {"cgo", "what it is called"}, {"cgo", "is long ago"}, {"lines", "is not"}, {"elsewhere", "deep.T"},
		{"words", "Gives one, unlike work."}, {"words", "how many there are"}, {"words", "Works as long as Node.Next says."}, {"words", "how far to go"},
		{"words", "Is made."}, {"words", "of what"}, {"words", "Is declared in another module."}, {"words", "the message"}, {"words", "Makes one of any type."},
		{"words", "Loads one."}, {"words", "of the row"}, {"cgo", "Takes a number twice."}, {"cgo", "the number"},
	} {
		if text := string(want[enough.name]); text != "" && !strings.Contains(text, enough.text) {
			t.Errorf("the file of %s does not have %s", enough.name, enough.text)
		}
	}
	compare := func(t *testing.T, same bool, list ...string) {
		t.Helper()
		var todo []func(*state)
		for _, name := range list {
			todo = append(todo, changes[name])
		}
		got, also := run(t, todo...)
		for name := range maps.Keys(want) {
			if !bytes.Equal(got[name], want[name]) {
				t.Errorf("%v: the file of %s is another one\n%s", list, name, firstDifference(got[name], want[name]))
			}
		}
		if same && also != said {
			t.Errorf("%v: said\n%s\ninstead of\n%s", list, also, said)
		}
	}
	// Together they apply every change. Elsewhere the positions differ.
	together := []struct {
		samePlace bool
		changes   []string
	}{
		{true, []string{"imports that are used", "inlinable functions"}},
		{true, []string{"blank imports", "functions to be called", "a workspace"}},
		{false, []string{"a build tag that is not set", "the declaring packages too", "the packages between too", "trimmed paths"}},
		{false, []string{"a build tag", "vendoring"}},
	}
	all := slices.Sorted(maps.Keys(changes))
	left := slices.Clone(all)
	for _, c := range together {
		t.Run(strings.Join(c.changes, ", "), func(t *testing.T) { compare(t, c.samePlace, c.changes...) })
		left = slices.DeleteFunc(left, func(name string) bool { return slices.Contains(c.changes, name) })
	}
	if !slices.Equal(left, []string{"nothing"}) {
		t.Errorf("not applied: %v", left)
	}
	if *importsRounds == 0 {
		return
	}
	for _, name := range all {
		t.Run(name, func(t *testing.T) {
			compare(t, !strings.HasSuffix(name, "too") && name != "vendoring" && name != "trimmed paths", name)
		})
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range *importsRounds {
		var list []string
		for _, name := range all {
			if r.IntN(3) == 0 && !(name == "vendoring" && (slices.Contains(list, "a workspace") || slices.Contains(list, "trimmed paths"))) {
				list = append(list, name)
			}
		}
		// Vendoring copies the results of the other changes.
		slices.SortStableFunc(list, func(a, b string) int { return strings.Compare(a, b) })
		compare(t, false, list...)
	}
}

// firstDifference returns the first line in which two texts differ, and the line that replaces it.
func firstDifference(got, want []byte) string {
	a, b := strings.Split(string(got), "\n"), strings.Split(string(want), "\n")
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return fmt.Sprintf("line %d: %s\ninstead of %s", i+1, a[i], b[i])
		}
	}
	return fmt.Sprintf("%d lines instead of %d", len(a), len(b))
}
