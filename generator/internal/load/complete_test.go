package load

import (
	"fmt"
	"go/types"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/txtar"
)

const farAway = `
-- go.mod --
module example.com/m
go 1.26
-- a.go --
package m

import "example.com/m/near"

// Search finds.
//mcp:tool
func Search(q near.Query) {}
-- near/near.go --
package near

import "example.com/m/far"

// Query asks.
type Query struct{ Sort far.Sort; By *far.By }
-- far/far.go --
package far

// Sort is an order.
type Sort string

const (
	Up   Sort = "up"
	Down Sort = "down"
	none Sort = ""
)

type By struct{ Sort Sort }

type Other struct{ By By }
-- same/far/far.go --
package far
`

// TestComplete reads the rest of an indirectly imported package: known objects stay the same.
func TestComplete(t *testing.T) {
	p := one(t, write(t, farAway), ".")
	query := p.Imports["example.com/m/near"].Types.Scope().Lookup("Query").Type().Underlying().(*types.Struct)
	sort := query.Field(0).Type().(*types.Named)
	far := sort.Obj().Pkg()
	if far.Complete() || far.Scope().Lookup("Up") != nil {
		t.Fatalf("the package is known: %v", far.Scope().Names())
	}
	for range 2 {
		if err := p.Complete(far); err != nil {
			t.Fatal(err)
		}
	}
	if got := far.Scope().Names(); !slices.Equal(got, []string{"By", "Down", "Other", "Sort", "Up"}) {
		t.Errorf("declarations %v", got)
	}
	up := far.Scope().Lookup("Up")
	other := far.Scope().Lookup("Other").Type().Underlying().(*types.Struct).Field(0).Type()
	if up.Type() != types.Type(sort) || far.Scope().Lookup("Sort") != sort.Obj() || !types.Identical(types.NewPointer(other), query.Field(1).Type()) {
		t.Error("the types are others")
	}
	if found := p.Find("far"); len(found) != 1 || found[0] != far {
		t.Errorf("found %v", found)
	}
	if found := p.Find("example.com/m/far"); len(found) != 1 || found[0] != far {
		t.Errorf("found %v", found)
	}
	if found := p.Find("farther"); found != nil {
		t.Errorf("found %v", found)
	}
}

// copiesOfFarAway loads copies of the packages of farAway, which share no types.
func copiesOfFarAway(t *testing.T, n int) []*Package {
	t.Helper()
	dir := write(t, farAway)
	var patterns []string
	for i := range n {
		name := fmt.Sprint("copy", i)
		for _, f := range txtar.Parse([]byte(farAway)).Files {
			if f.Name != "go.mod" {
				text := strings.ReplaceAll(string(f.Data), "example.com/m/", "example.com/m/"+name+"/")
				unpack(t, filepath.Join(dir, name), "-- "+f.Name+" --\n"+text)
			}
		}
		patterns = append(patterns, "./"+name)
	}
	pkgs, diags, err := loadIn(t, dir, patterns...)
	if err != nil || diags != "" || len(pkgs) != n {
		t.Fatalf("%d packages, %v\n%s", len(pkgs), err, diags)
	}
	return pkgs
}

// TestCompleteFails compares the reasons why a package cannot be read.
func TestCompleteFails(t *testing.T) {
	cases := []struct{ file, want string }{
		{"", "read the types of package FAR: the go command has no export data of it"},
		{"/not/a/file", "no such file"},
		{"complete.go", "read the types of package FAR: "},
		{"not in there", "read the types of package example.com/m/other: the go command did not list it"},
	}
	copies := copiesOfFarAway(t, len(cases))
	for i, c := range cases {
		p, file := copies[i], c.file
		far := p.Find("far")[0]
		want := strings.ReplaceAll(c.want, "FAR", far.Path())
		if file == "not in there" {
			far = types.NewPackage("example.com/m/other", "other")
		} else {
			p.exports.packages[far.Path()].ExportFile = file
		}
		for range 2 {
			if err := p.Complete(far); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("with %q: %v", file, err)
			}
		}
	}
}

// TestCompleteKnown covers packages that need no reading.
func TestCompleteKnown(t *testing.T) {
	p := one(t, write(t, farAway), ".")
	known := types.NewPackage("example.com/m/other", "other")
	known.MarkComplete()
	for _, pkg := range []*types.Package{known, types.Unsafe} {
		if err := p.Complete(pkg); err != nil {
			t.Error(err)
		}
	}
	if err := p.Complete(types.NewPackage("example.com/m/far", "far")); err == nil || !strings.Contains(err.Error(), "did not list it") {
		t.Errorf("another package of that path: %v", err)
	}
	if far := types.NewPackage("example.com/m/far", "far"); new(Package).Complete(far) != nil || new(Package).Find("far") != nil {
		t.Error("without packages")
	}
}

// TestCompleteWithErrors checks that errors of listing count only if nothing can be read.
func TestCompleteWithErrors(t *testing.T) {
	copies := copiesOfFarAway(t, 2)
	for i, file := range []bool{true, false} {
		p := copies[i]
		far := p.Find("far")[0]
		listed := p.exports.packages[far.Path()]
		listed.Errors = []packages.Error{{Msg: "the reason"}}
		if !file {
			listed.ExportFile = ""
		}
		if err := p.Complete(far); (err == nil) != file || err != nil && !strings.HasSuffix(err.Error(), "the reason") {
			t.Errorf("with a file %v: %v", file, err)
		}
	}
}

// TestFind prefers an import path to a name.
func TestFind(t *testing.T) {
	p := one(t, write(t, `
-- go.mod --
module example.com/m
go 1.26
-- a.go --
package m

import (
	"sort"

	"example.com/m/near"
)

// Search finds.
//mcp:tool
func Search(q near.Query) { sort.Ints(nil) }
-- near/near.go --
package near

import (
	"example.com/m/a/far"
	_ "example.com/m/b/far"
	"example.com/m/sort"
)

type Query struct{ Sort sort.Sort; A far.A }
-- sort/sort.go --
package sort

type Sort string
-- a/far/far.go --
package far

type A string
-- b/far/far.go --
package other

type B string
`), ".")
	for name, want := range map[string][]string{
		"sort": {"sort"}, "example.com/m/sort": {"example.com/m/sort"}, "near": {"example.com/m/near"}, "other": {"example.com/m/b/far"}, "b/far": nil,
	} {
		var got []string
		for _, pkg := range p.Find(name) {
			got = append(got, pkg.Path())
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}

// TestPositions checks that positions are the source's, with columns.
func TestPositions(t *testing.T) {
	p := one(t, write(t, farAway), ".")
	d := NewDocs(p)
	far := p.Find("far")[0]
	if err := p.Complete(far); err != nil {
		t.Fatal(err)
	}
	at := d.Position(far.Scope().Lookup("Down"))
	if !strings.HasSuffix(at.Filename, "far.go") || at.Line != 8 || at.Column != 2 {
		t.Errorf("at %v", at)
	}
	field := far.Scope().Lookup("By").Type().Underlying().(*types.Struct).Field(0)
	if at = d.Position(field); at.Line != 12 || at.Column != 17 {
		t.Errorf("at %v", at)
	}
	if at = d.Position(types.NewVar(0, far, "x", types.Typ[types.Int])); at.IsValid() {
		t.Errorf("at %v", at)
	}
}
