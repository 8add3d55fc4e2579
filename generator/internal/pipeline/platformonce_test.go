package pipeline_test

import (
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/mcpgen/mcpgen/generator/internal/diag"
	"github.com/mcpgen/mcpgen/generator/internal/pipeline"
	rules "github.com/mcpgen/mcpgen/generator/internal/vet"
)

// decisions are packages with declarations that differ from system to system, and near misses.
const decisions = `
-- lengths/lengths.go --
package lengths

import "strconv"

// Bits are those of an int.
type Bits [strconv.IntSize]bool

// Grid has its length as an argument of nothing.
type Grid[T any] [2 * strconv.IntSize]T

//mcp:tool
func One(bits Bits) [2]Bits { return [2]Bits{bits} }

//mcp:tool
func Two(bits []Bits, grid Grid[int], plain [strconv.IntSize / 8]int) {}
-- same/same.go --
package same

import "strconv"

// Unused is no part of a contract.
type Unused [strconv.IntSize]bool

// Day is named.
type Day [hours]bool

const hours = 60 + 4

//mcp:tool
func One(day Day, more [7]string, list []int) { var all [strconv.IntSize]string; _ = all }
-- values/values.go --
package values

import (
	"math"
	"os"
	"syscall"
)

// Level has a value for no limit.
type Level int

const (
	Low Level = iota + 1
	Mid
	High
	All Level = math.MaxInt
)

// Mode is how to open.
//
//mcp:enum closed
type Mode int

const (
	Add    Mode = Mode(os.O_APPEND)
	Excl   Mode = Mode(syscall.O_EXCL)
	Simple Mode = 3
)

// Sure is confirmed.
//
//mcp:enum with=Most
type Sure int

const (
	Least Sure = iota
	More
	Most = Sure(math.MaxInt)
)

//mcp:tool
func One(level Level, mode Mode) Sure { return 0 }

//mcp:tool
func Two(level Level) {}
-- numbers/numbers.go --
package numbers

// Page is shared.
type Page struct {
	Size  int     ` + "`json:\"size\" jsonschema:\"maximum=3000000000\"`" + `
	Ids   []uint  ` + "`json:\"ids\" jsonschema:\"minimum=4294967296\"`" + `
	Large int64   ` + "`json:\"large\" jsonschema:\"maximum=3000000000\"`" + `
	Float float64 ` + "`json:\"float\" jsonschema:\"maximum=3000000000\"`" + `
}

//mcp:tool
//mcp:arg n default=2147483648
//mcp:arg m default=-2147483649
//mcp:arg k enum=1,5000000000
//mcp:arg list default=[[1],[9000000000]]
func One(page Page, n, m, k int, list [][]int) {}

//mcp:tool
//mcp:arg max fixed=4294967296
func Two(page *Page, max uintptr) {}
-- within/within.go --
package within

// Size is one of few.
type Size int

const (
	Small Size = -1 << 31
	Great Size = 1<<31 - 1
)

//mcp:tool
//mcp:arg n default=2147483647 minimum=-2147483648
//mcp:arg u default=4294967295
//mcp:arg wait default=9000000000
//mcp:arg any default=9000000000
//mcp:arg text default="9000000000"
//mcp:arg size default=2147483647
func One(n int, u uint, wait int64, any any, text string, size Size) {}
-- wide/wide.go --
//go:build (linux || windows || darwin || !plan9) && (amd64 || arm64 || riscv64)

package wide

//mcp:tool
//mcp:arg n default=2147483648
func One(n int) {}
-- ignored/ignored.go --
//mcp:ignore platform-type It runs on servers.
package ignored

import "strconv"

//mcp:tool
//mcp:arg n default=2147483648
func One(n int, bits [strconv.IntSize]bool) {}
-- one/one.go --
package one

import (
	"math"
	"strconv"
)

// Level has a value for no limit.
type Level int

const (
	Low Level = iota + 1
	Mid
	High
	All Level = math.MaxInt
)

// Bits are those of an int.
type Bits [strconv.IntSize]bool

//mcp:tool
//mcp:arg n default=2147483648
//mcp:ignore platform-type It runs on servers.
func One(n int, level Level, bits Bits) {}

//mcp:tool
func Two(level Level) {}
-- all/all.go --
package all

import (
	"math"
	"strconv"
)

// Level has a value for no limit.
type Level int

const (
	Low Level = iota + 1
	Mid
	High
	All Level = math.MaxInt
)

// Bits are those of an int.
type Bits [strconv.IntSize]bool

//mcp:tool
//mcp:arg n default=2147483648
//mcp:arg by inject=caller
//mcp:ignore platform-type It runs on servers.
func One(n int, level Level, bits Bits, by string) {}

//mcp:prompt
//mcp:arg level optional
//mcp:ignore platform-type It runs on servers.
func Two(level Level) string { return "" }
-- all/here.go --
//go:build !plan9

package all

import "context"

func caller(context.Context) string { return "" }
-- near/near.go --
package near

//mcp:tool
//mcp:arg by inject=caller
//mcp:ignore client-name Another rule.
func One(by string) {}

//mcp:tool
//mcp:arg by inject=caller
//mcp:ignore platform-type It is another feature.
func Two(by string) {}
-- near/here.go --
//go:build !plan9

package near

import "context"

func caller(context.Context) string { return "" }
-- form/form.go --
package form

// Handle is asked for.
//
//mcp:form
type Handle struct {
	Level Level
}

// Level is a level.
type Level string

const Low Level = "low"
const High Level = "high"
-- form/here.go --
//go:build !plan9

package form

const Top Level = "top"
-- emitted/emitted.go --
//mcp:from example.com/shop/quiet example.com/shop/lengths
package emitted
-- quiet/quiet.go --
//mcp:ignore platform-type It runs on servers.
package quiet

//mcp:tool
//mcp:arg n default=2147483648
func Quiet(n int) {}
`

// TestPlatformDecisions checks that generation reports such a declaration once and mcpgen vet for
// each feature, and that //mcp:ignore suppresses both: neither reports a directive that suppresses
// nothing.
func TestPlatformDecisions(t *testing.T) {
	dir := module(t, txtar.Parse([]byte(decisions)).Files)
	res, err := pipeline.Generate(t.Context(), pipeline.Config{Dir: dir, Env: on(environment(dir), "linux/amd64"), Patterns: []string{"./..."}, Emitting: true})
	if err != nil {
		t.Fatal(err)
	}
	said := map[string][]string{}
	for _, d := range res.Diagnostics.All() {
		if d.Severity == diag.Error || d.Rule != rules.PlatformType {
			t.Errorf("%s: %s [%s]", d.Pos, d.Text(), d.Rule)
		}
		name := path.Base(filepath.ToSlash(filepath.Dir(d.Pos.Filename)))
		said[name] = append(said[name], d.Text())
	}
	found := map[string]int{}
	options := rules.NewOptions()
	options.Rules = []string{rules.PlatformType, "unused-ignore"}
	for _, p := range res.Packages {
		findings, err := rules.Package(p.Loaded, p.Model, options)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range findings {
			if f.Rule != rules.PlatformType {
				t.Errorf("%s: %s [%s]", f.Pos, f.Diagnostic().Text(), f.Rule)
			}
		}
		if len(findings) > 0 {
			found[p.Loaded.Name] = len(findings)
		}
	}
	const noCompile = " where that has 32 bits, and the package does not compile there"
	want := map[string][]string{
		"lengths": {
			"the length of Bits depends on strconv.IntSize", "the length of Grid[int] depends on strconv.IntSize", "the length of [8]int depends on strconv.IntSize",
		},
		"values": {
			"type Level has values that depend on math.MaxInt: All=9223372036854775807; the contract has the values of this build",
			"type Mode has values that depend on os.O_APPEND: Add=1024, Excl=128; the contract has the values of this build",
		},
		"numbers": {
			"size: the maximum 3000000000 is beyond the type int" + noCompile, "ids: the minimum 4294967296 is beyond the type uint" + noCompile,
			"n: the default 2147483648 is beyond the type int" + noCompile, "m: the default -2147483649 is beyond the type int" + noCompile,
			"k: the enum 5000000000 is beyond the type int" + noCompile, "list: the default 9000000000 is beyond the type int" + noCompile,
			"max: the constant 4294967296 is beyond the type uintptr" + noCompile,
		},
		"one":  {"type Level has values that depend on math.MaxInt: All=9223372036854775807; the contract has the values of this build"},
		"near": {"caller: the generated file names it, and only a file with a build constraint declares it (//go:build !plan9), so that the package does not compile without it"},
		"form": {`type Level has values by constants of files with a build constraint (//go:build !plan9): Top="top"; the contract has the values of this build`},
	}
	for _, name := range slices.Sorted(maps.Keys(said)) {
		slices.Sort(want[name])
		slices.Sort(said[name])
		if !slices.Equal(said[name], want[name]) {
			t.Errorf("%s: got\n%s\nwant\n%s", name, strings.Join(said[name], "\n"), strings.Join(want[name], "\n"))
		}
	}
	for name, texts := range want {
		if len(texts) != len(said[name]) {
			t.Errorf("%s: got %d warnings, want %d", name, len(said[name]), len(texts))
		}
	}
	wantFound := map[string]int{"lengths": 4, "values": 3, "numbers": 9, "one": 1, "near": 1, "form": 1, "emitted": 4}
	if !maps.Equal(found, wantFound) {
		t.Errorf("mcpgen vet finds %v, want %v", found, wantFound)
	}
}
