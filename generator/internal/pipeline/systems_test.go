package pipeline_test

import (
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/mcpgen/mcpgen/generator/internal/diag"
	"github.com/mcpgen/mcpgen/generator/internal/pipeline"
)

// everySystem contains systems that differ in files, in the size of int, in the byte order, or in
// the standard library.
var everySystem = []string{"linux/amd64", "linux/386", "windows/amd64", "darwin/arm64", "plan9/arm", "js/wasm", "linux/s390x"}

// on returns the environment of the go command for a system.
func on(env []string, system string) []string {
	goos, goarch, _ := strings.Cut(system, "/")
	return append(slices.Clip(env), "GOOS="+goos, "GOARCH="+goarch, "CGO_ENABLED=0")
}

// perSystem contains packages whose files differ from system to system, and types whose size
// differs.
const perSystem = `
-- numbers/numbers.go --
package numbers

// Level is an enumeration of the largest values that every int has.
type Level int

const (
	Lowest  Level = -1 << 31
	Middle  Level = 0
	Highest Level = 1<<31 - 1
)

// In has integers of every size.
type In struct {
	I   int     ` + "`json:\"i\" jsonschema:\"minimum=-2147483648,maximum=2147483647,default=2147483647\"`" + `
	U   uint    ` + "`json:\"u\" jsonschema:\"maximum=4294967295\"`" + `
	P   uintptr ` + "`json:\"p,omitempty\"`" + `
	L   int64   ` + "`json:\"l\" jsonschema:\"maximum=9007199254740993\"`" + `
	Keys map[int]uint
	Five [5]int
	Level
}

// Add adds.
//
//mcp:tool
func Add(in In, more ...int) (In, error) { return in, nil }
-- functions/functions.go --
package functions

// Name returns the name of the system.
//
//mcp:tool
func Name(short bool) string { return name(short) }
-- functions/name_linux.go --
package functions

func name(short bool) string { return "Linux" }
-- functions/name_windows.go --
package functions

func name(short bool) string { return "Windows" }
-- functions/name_other.go --
//go:build !linux && !windows

package functions

func name(short bool) string { return system }
-- functions/system.go --
//go:build !linux && !windows

package functions

// system comes before other declarations of the package on some systems.
const system = "another one"
-- methods/methods.go --
//mcp:server
package methods

// Machine is a machine.
type Machine struct{ state }

// Load returns the load.
//
//mcp:tool
func (m *Machine) Load(window int) (int, error) { return m.load(window) }
-- methods/a_386.go --
package methods

type state struct{ small [4]byte }

func (s *state) load(int) (int, error) { return int(s.small[0]), nil }
-- methods/z.go --
//go:build !386

package methods

type state struct{ values []int }

func (s *state) load(int) (int, error) { return len(s.values), nil }
-- order/a_windows.go --
package order

// First is the first file on one system.
type First int
-- order/b.go --
package order

// Second is a resource.
//
//mcp:resource test://second
func Second() (Found, error) { return Found{}, nil }

// Found is what was found.
type Found struct {
	Size uint
	Time int64
}
-- order/c_linux.go --
package order

import "errors"

var errSome = errors.New("some")
-- bits/bits_32.go --
//go:build 386 || arm

package bits

const wide = false
-- bits/bits_64.go --
//go:build !386 && !arm

package bits

const wide = true
-- bits/bits.go --
package bits

// Wide reports whether numbers are wide.
//
//mcp:tool
//mcp:arg n minimum=1
func Wide(n uint) bool { return wide }
-- emitted/emitted.go --
// Package emitted emits what it finds.
//
//mcp:server
//mcp:from example.com/shop/bits example.com/shop/functions
package emitted
`

// TestSameOnEverySystem generates for several systems: the files are identical. If MCPGEN_LONG is
// set, the packages of the examples and packages with features of every kind are included, whose
// imports have to be compiled for each system.
func TestSameOnEverySystem(t *testing.T) {
	dir := module(t, txtar.Parse([]byte(perSystem)).Files)
	sameOn(t, dir, environment(dir), 6, everySystem)
	if !long {
		return
	}
	archive, err := txtar.ParseFile("testdata/modules/names.txtar")
	if err != nil {
		t.Fatal(err)
	}
	dir = module(t, archive.Files)
	supported := slices.DeleteFunc(slices.Clone(everySystem), func(system string) bool { return system == "plan9/arm" })
	sameOn(t, dir, environment(dir), 15, supported)
	dir = filepath.Join(repository(t), "examples")
	sameOn(t, dir, append(os.Environ(), "GOPROXY=off", "GOWORK=off", "GOFLAGS=-mod=readonly", "PWD="+dir), 8,
		slices.DeleteFunc(supported, func(system string) bool { return system == "js/wasm" })) // SQLite does not run there
}

// sameOn compares the files of a module on the systems. The module must have at least so many
// files.
func sameOn(t *testing.T, dir string, env []string, least int, systems []string) {
	t.Helper()
	var want map[string][]byte
	for _, system := range systems {
		got := sources(t, dir, pipeline.Config{Dir: dir, Env: on(env, system)})
		if want == nil {
			want = got
		}
		if names := slices.Sorted(maps.Keys(got)); len(names) < least || !slices.Equal(names, slices.Sorted(maps.Keys(want))) {
			t.Errorf("%s: %d files: %v", system, len(names), names)
		}
		for name, source := range want {
			if !bytes.Equal(got[name], source) {
				t.Errorf("%s on %s is not that of %s", name, system, systems[0])
			}
		}
	}
}

// A feature in a file that some systems exclude is an error with the same message on all of them.
func TestNotOnEverySystem(t *testing.T) {
	for name, test := range map[string]struct{ files, want string }{
		"feature": {
			files: "-- a/a.go --\npackage a\n\n// Here is everywhere.\n//\n//mcp:tool\nfunc Here() {}\n-- a/b_windows.go --\npackage a\n\n// There is not.\n//\n//mcp:tool\nfunc There() {}\n",
			want:  "a/b_windows.go:5:1: //mcp:tool: applies to There in a file with a build constraint (the name b_windows.go)",
		},
		"method": {
			files: "-- a/a.go --\npackage a\n\n// T is everywhere.\ntype T struct{}\n-- a/b.go --\n//go:build 386\n\npackage a\n\n// There is not.\n//\n//mcp:tool\nfunc (T) There() {}\n",
			want:  "a/b.go:7:1: //mcp:tool: applies to T.There in a file with a build constraint (//go:build 386)",
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := module(t, txtar.Parse([]byte(test.files)).Files)
			for _, system := range everySystem {
				res, err := pipeline.Generate(t.Context(), pipeline.Config{Dir: dir, Env: on(environment(dir), system), Patterns: []string{"./..."}})
				if err != nil {
					t.Fatal(err)
				}
				var said bytes.Buffer
				diag.Print(&said, res.Diagnostics, dir)
				if !res.Diagnostics.HasErrors() || !strings.Contains(said.String(), test.want) {
					t.Errorf("%s: got %s\nwant %s", system, &said, test.want)
				}
			}
		})
	}
}
