package load

import (
	"go/types"
	"testing"
)

// TestDeclaredIn checks facts from the source of the package, of another one and of the standard
// library: the expressions of constants, the build constraints of their files, and the declarations
// of other builds.
func TestDeclaredIn(t *testing.T) {
	dir := write(t, `
-- go.mod --
module example.com/m
go 1.26
-- a.go --
package m

import (
	"example.com/m/b"
	"os"
)

const (
	One = 1 << iota
	Two
	A, B = "a", "b"
)

//mcp:tool
func F(t b.T, f *os.File) {}
-- a_plan9.go --
package m

const There = 1

func Function() {}

func (t Type) Method() {}

type Type int
-- gen.go --
//go:build ignore

package m

const Tool = 1
-- a_plan9_test.go --
package m

const Test = 1
-- b/b.go --
//line b_windows.y:5
package b

type T int

const (
	X T = 1 << iota
	Y
)
-- b/more.go --
//go:build !plan9

package b

const Z = X | Y
-- b/version.go --
//go:build go1.20

package b

const V = T(7)
-- b/b_plan9.go --
package b

const W T = 9
`)
	for _, flags := range []string{"-mod=mod", "-mod=mod -trimpath"} {
		pkgs, diags, err := Load(t.Context(), Config{Dir: dir, Env: offline("GOFLAGS=" + flags)})
		if err != nil || diags.Len() > 0 {
			t.Fatal(err, printed(diags, dir))
		}
		p := pkgs[0]
		d := NewDocs(p)
		b := p.Imports["example.com/m/b"].Types
		if err := p.Complete(b); err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct {
			pkg              *types.Package
			name             string
			expr, constraint string
		}{
			{p.Types, "One", "1 << iota", ""}, {p.Types, "Two", "1 << iota", ""}, {p.Types, "B", `"b"`, ""},
			{b, "X", "1 << iota", ""}, {b, "Y", "1 << iota", ""}, {b, "Z", "X | Y", "//go:build !plan9"}, {b, "V", "T(7)", ""},
			{p.Imports["os"].Types, "O_RDONLY", "syscall.O_RDONLY", ""},
		} {
			k := lookup(t, c.pkg, c.name).(*types.Const)
			expr := ""
			if e := d.Constant(k); e != nil {
				expr = types.ExprString(e)
			}
			if why := d.Constraint(k, ""); expr != c.expr || why != c.constraint {
				t.Errorf("%s: %s is %q with the constraint %q", flags, c.name, expr, why)
			}
		}
		for _, c := range []struct {
			pkg  *types.Package
			name string
			want bool
		}{
			{p.Types, "There", true}, {p.Types, "Function", true}, {p.Types, "Type", true}, {p.Types, "Method", false}, {p.Types, "Tool", false},
			{p.Types, "Test", false}, {p.Types, "One", false}, {b, "W", true}, {b, "X", false}, {b, "Z", false},
		} {
			if got := d.Elsewhere(c.pkg, c.name); got != c.want {
				t.Errorf("%s: %s is declared elsewhere: %v", flags, c.name, got)
			}
		}
	}
}
