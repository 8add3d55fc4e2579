package load

import (
	"go/ast"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/generator/internal/diag"
)

func TestInvalidAndExplain(t *testing.T) {
	dir := write(t, `
-- go.mod --
module example.com/m
go 1.26
-- a.go --
package m

import (
	"time"

	"example.com/m/missing"
	alias "no/such/thing"
)

type List[T any] struct{ Next *List[T]; Value T }
type Self struct{ Self *Self; M map[string][]Self }
type Deep struct{ A struct{ B []map[string]*Lower } }
type Lower struct{ C Undefined }
type Hidden struct{ c Undefined; D int }
type Embeds struct{ lower }
type lower struct{ E Undefined }
type Alias = []missing.T
type Iface interface{ M(x Undefined) }
type Circle interface{ Circle() Circle }

func Good(t time.Time, s Self, l List[int], h Hidden, f func(Circle), c chan Self) {}
func (r Lower) Method(a int) {}
func Bad1(u Undefined) { NewMCPServer() }
func Bad2(a Alias, b int) {}
func Bad3() (d Deep, err error) { return }
func Bad4(e *Embeds) {}
func Bad5(l List[missing.T]) {}
func Bad6(x [2]alias.T) {}
func Bad7(i Iface) {}
func Bad8(m map[Undefined]int) {}
func Bad9(f func() Undefined) {}
func Bad10[T Undefined](t T) {}
func Bad11(x time.Nothing) {}
`)
	p := one(t, dir)
	want := map[string]string{
		"Bad1":  "a.go:23:13: undefined: Undefined",
		"Bad2":  "a.go:6:2: cannot find module providing package example.com/m/missing",
		"Bad3":  "a.go:13:22: undefined: Undefined",
		"Bad4":  "a.go:16:22: undefined: Undefined",
		"Bad5":  "a.go:6:2: cannot find module providing package example.com/m/missing",
		"Bad6":  "a.go:7:8: package no/such/thing is not in std",
		"Bad7":  "a.go:18:27: undefined: Undefined",
		"Bad8":  "a.go:30:17: undefined: Undefined",
		"Bad9":  "a.go:31:20: undefined: Undefined",
		"Bad10": "a.go:32:14: undefined: Undefined",
		"Bad11": "a.go:33:19: undefined: time.Nothing",
	}
	for _, decl := range p.Files[0].Decls {
		fn, ok := decl.(*ast.FuncDecl)
		if !ok {
			continue
		}
		sig := p.Info.Defs[fn.Name].Type()
		invalid := InvalidIn(sig)
		if invalid != strings.HasPrefix(fn.Name.Name, "Bad") {
			t.Errorf("%s: InvalidIn is %v", fn.Name.Name, invalid)
		}
		if !invalid {
			continue
		}
		var list diag.List
		list.Add(&diag.Diagnostic{Related: p.Explain(fn, sig)})
		got := strings.TrimSpace(printed(&list, dir))
		if !strings.HasPrefix(got, want[fn.Name.Name]) || strings.Contains(got, "NewMCPServer") {
			t.Errorf("%s: %s", fn.Name.Name, got)
		}
	}
	if InvalidIn(nil) {
		t.Error("nil is invalid")
	}
	// If no error in the declaration explains it, the first errors of the package do.
	if got := p.Explain(p.Files[0].Name, nil); len(got) != maxExplained {
		t.Errorf("got %v", got)
	}
}
