package load

import (
	"go/ast"
	doc "go/doc/comment"
	"go/types"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const documented = `
-- go.mod --
module example.com/m
go 1.26
-- a.go --
package m

import (
	"context"
	"example.com/m/far"
	clock "time"
)

// Search finds books, see [Book] and [Book.Title],
// also [far.Kind], [clock.Time] and [Nothing].
//
//   - query: what to
//     search
//   - limit: how many
//
// Second paragraph.
//
//mcp:tool
//nolint:all
func Search(ctx context.Context, k far.Kind, t clock.Time, d clock.Duration) Book { return Book{} }

// Book is a book.
type Book struct {
	// Title is the title.
	Title string // not this

	Year, Pages int // the numbers

	// Kind is of far.
	//
	//mcp:doc What it is
	//mcp:doc about.
	//mcp:doc
	//mcp:doc See [Book].
	Kind far.Kind

	// Base is embedded.
	*far.Base
	None int
	Nested struct {
		// A is nested.
		A int
	}
}

// Methods.
type (
	First int
	// Second has its own.
	Second int
)

// Group of constants.
const (
	// One is one.
	One = 1
	Two = 2 // is two
	Three = 3
)

// Alone in a group.
var (
	ErrGone = 1
)

// Title returns.
func (b *Book) Method() {}

// Catalog is.
type Catalog interface {
	// Find finds.
	Find() // not this
	Get()  // gets
}
-- far/far.go --
// Package far is.
package far

import "example.com/m/further"

// Kind is a kind.
type Kind int

const (
	Small Kind = iota // little
	// Big is big.
	Big
)

// Base has fields.
type Base struct {
	// ID is the number.
	ID int
	More further.T[int] // more
}

// Err is an error.
//
//mcp:error
var Err error
-- far/broken.go --
package far
-- further/further.go --
package further

// T is further.
type T[P any] struct {
	// X is of T.
	X P
}

// String is a method.
func (T[P]) String() string { return "" }
`

func lookup(t *testing.T, pkg *types.Package, path string) types.Object {
	t.Helper()
	name, rest, _ := strings.Cut(path, ".")
	obj := pkg.Scope().Lookup(name)
	for rest != "" && obj != nil {
		name, rest, _ = strings.Cut(rest, ".")
		obj, _, _ = types.LookupFieldOrMethod(obj.Type(), true, pkg, name)
	}
	if obj == nil {
		t.Fatalf("no %s in %s", path, pkg.Path())
	}
	return obj
}

func TestDocs(t *testing.T) {
	dir := write(t, documented)
	for _, flags := range []string{"-mod=mod", "-mod=mod -trimpath"} {
		pkgs, diags, err := Load(t.Context(), Config{Dir: dir, Env: offline("GOFLAGS=" + flags)})
		if err != nil || diags.Len() > 0 {
			t.Fatal(err, printed(diags, dir))
		}
		p := pkgs[0]
		d := NewDocs(p)
		far := p.Imports["example.com/m/far"].Types
		further := p.Imports["example.com/m/far"].Imports["example.com/m/further"].Types
		if further == nil {
			further = far.Scope().Lookup("Base").Type().Underlying().(*types.Struct).Field(1).Type().(*types.Named).Obj().Pkg()
		}
		std := p.Imports["time"].Types
		for _, c := range []struct {
			pkg        *types.Package
			name, want string
		}{
			{p.Types, "Search", "Search finds books, see Book and Book.Title, also far.Kind, clock.Time and [Nothing].\n\n  - query: what to search\n  - limit: how many\n\nSecond paragraph."},
			{p.Types, "Book", "Book is a book."},
			{p.Types, "Book.Title", "Title is the title."},
			{p.Types, "Book.Year", "the numbers"},
			{p.Types, "Book.Pages", "the numbers"},
			{p.Types, "Book.Kind", "What it is about.\n\nSee Book."},
			{p.Types, "Book.Base", "Base is embedded."},
			{p.Types, "Book.None", ""},
			{p.Types, "Book.Nested.A", "A is nested."},
			{p.Types, "Book.ID", "ID is the number."},
			{p.Types, "Book.Method", "Title returns."},
			{p.Types, "First", "Methods."},
			{p.Types, "Second", "Second has its own."},
			{p.Types, "One", "One is one."},
			{p.Types, "Two", "is two"},
			{p.Types, "Three", ""},
			{p.Types, "ErrGone", "Alone in a group."},
			{p.Types, "Catalog", "Catalog is."},
			{p.Types, "Catalog.Find", "Find finds."},
			{p.Types, "Catalog.Get", "gets"},
			{far, "Kind", "Kind is a kind."},
			{far, "Small", "little"},
			{far, "Big", "Big is big."},
			{far, "Base.More", "more"},
			{far, "Err", "Err is an error."},
			{further, "T", "T is further."},
			{further, "T.X", "X is of T."},
			{further, "T.String", "String is a method."},
			{std, "Duration", "A Duration represents the elapsed time between two instants as an int64 nanosecond count. The representation limits the largest representable duration to approximately 290 years."},
			{std, "January", ""},
		} {
			if got := d.Of(lookup(t, c.pkg, c.name)); got != c.want {
				t.Errorf("%s: doc of %s.%s: got %q, want %q", flags, c.pkg.Name(), c.name, got, c.want)
			}
		}
		if n := len(d.files); n != 4 {
			t.Errorf("%d files were read", n)
		}
		if d.Of(types.Universe.Lookup("int")) != "" || d.Of(nil) != "" || NewDocs().Of(lookup(t, p.Types, "Book")) != "" {
			t.Error("a doc comment out of nothing")
		}
		// A field of an instance has the comment of the generic type's field.
		more := lookup(t, far, "Base.More").Type().Underlying().(*types.Struct).Field(0)
		if got := d.Of(more); got != "X is of T." {
			t.Errorf("instance: %q", got)
		}
	}
}

func TestLinked(t *testing.T) {
	p := one(t, write(t, documented))
	var asked []string
	got := NewDocs(p).Linked(lookup(t, p.Types, "Search"), func(path, recv, name string) string {
		asked = append(asked, path+" "+recv+" "+name)
		if name == "Book" {
			return "book"
		}
		return ""
	})
	if !strings.HasPrefix(got, "Search finds books, see book and Book.Title,") {
		t.Errorf("got %q", got)
	}
	want := []string{"example.com/m  Book", "example.com/m Book Title", "example.com/m/far  Kind", "time  Time"}
	if !slices.Equal(asked, want) {
		t.Errorf("asked for %q", asked)
	}
}

func TestParamComments(t *testing.T) {
	p := one(t, write(t, `
-- go.mod --
module example.com/m
go 1.26
-- a.go --
package m

import "context"

func F(
	ctx context.Context, // the context
	// above a
	// in two lines
	a int,
	b, c string, // both
	d int, e int, // the last one

	// floating, as a line is free

	f int,
	/* block above */
	g int, /* block behind */
	h /* within */ int,
	i struct {
		// not about i
		A int
	},
	j func(
		x int, // not about j
	),
	//nolint:x
	k int, //nolint:y // z
	l int, // behind l
	// above m
	m ...int,
	// behind everything
) (
	// the sum
	sum int,
	err error, // what went wrong
) {
	return 0, nil // not here
}

func G(/* first */ a int, /* second */ b int /* more */, c int) {}

func H(a int,/* of b */b int/* of b too */) {}

func I(a int, b int) {} // of nothing

type T interface {
	// M is not about x.
	M(x int, // about x
		y int)
}
`))
	want := map[string]map[string]string{
		"F": {
			"ctx": "the context", "a": "above a in two lines", "b": "both", "c": "both", "e": "the last one",
			"g": "block above block behind", "h": "within", "l": "behind l", "m": "above m", "sum": "the sum", "err": "what went wrong",
		},
		"G": {"a": "first", "b": "second more"},
		"H": {"b": "of b of b too"},
		"I": {},
		"M": {"x": "about x"},
	}
	for _, decl := range p.Files[0].Decls {
		ast.Inspect(decl, func(n ast.Node) bool {
			name, fn := "", (*ast.FuncType)(nil)
			switch n := n.(type) {
			case *ast.FuncDecl:
				name, fn = n.Name.Name, n.Type
			case *ast.Field:
				if ft, ok := n.Type.(*ast.FuncType); ok && n.Names[0].Name == "M" {
					name, fn = "M", ft
				}
			}
			if fn != nil {
				if diff := cmp.Diff(want[name], p.ParamComments(fn)); diff != "" {
					t.Errorf("%s: (-want +got)\n%s", name, diff)
				}
			}
			return true
		})
	}
	if got := p.ParamComments(&ast.FuncType{}); got != nil {
		t.Errorf("got %v", got)
	}
}

func TestListItems(t *testing.T) {
	for _, c := range []struct {
		doc  string
		want map[string]string
	}{
		{"Search finds.\n\n  - query: what to\n    search\n  - limit: how many\n\nMore: text.", map[string]string{"query": "what to search", "limit": "how many"}},
		{"- a: one\n- b: two\n  goes on\nnot this", map[string]string{"a": "one", "b": "two goes on"}},
		{"* `a`: one\n+ b_c.d – two\n• e - three", map[string]string{"a": "one", "b_c.d": "two", "e": "three"}},
		{"- a: first\n- a: second\n  more", map[string]string{"a": "first"}},
		{"- a:\n  below\n- b:\n", map[string]string{"a": "below"}},
		{"- no colon here\n- two words: x\n-a: x\na: x\n- 1: x", map[string]string{}},
		{"- a: one\n\n  - b: two\r\n", map[string]string{"a": "one", "b": "two"}},
		{"- url: https://example.com/a: b", map[string]string{"url": "https://example.com/a: b"}},
		{"", map[string]string{}},
	} {
		if diff := cmp.Diff(c.want, ListItems(c.doc)); diff != "" {
			t.Errorf("%q: (-want +got)\n%s", c.doc, diff)
		}
	}
}

func FuzzListItems(f *testing.F) {
	f.Add("- a: b\n  c\n- d: e")
	f.Add("* A:\f")
	f.Add("* `x` – y\n\n\t- \xff: z")
	f.Fuzz(func(t *testing.T, doc string) {
		for name, text := range ListItems(doc) {
			if name == "" || text == "" || strings.TrimSpace(text) != text {
				t.Errorf("%q: item %q %q", doc, name, text)
			}
		}
	})
}

// Comments are found at their real positions, not at the position of a //line comment; messages
// about them name the latter.
func TestLineComments(t *testing.T) {
	dir := write(t, `
-- go.mod --
module example.com/m
go 1.26
-- a.go --
//line a_windows.y:100
package m

import "example.com/m/b"

//line other.y:1

// T is.
type T struct {
	// A is a.
	A b.T
}

//mcp:tool
func F(
	t T, // what it takes
) {
}
-- b/b.go --
//line /abs/b.y:7
package b

// T is there.
type T struct {
	B int // is b
}
-- b/c.go --
package b

// C is in another file, at the same place.
type C struct {
	X int // is x
}
`)
	p := one(t, dir)
	d := NewDocs(p)
	root, dep := lookup(t, p.Types, "T"), lookup(t, p.Imports["example.com/m/b"].Types, "T")
	field := func(obj types.Object) types.Object { return obj.Type().Underlying().(*types.Struct).Field(0) }
	for _, c := range []struct {
		obj  types.Object
		want string
	}{{root, "T is."}, {field(root), "A is a."}, {dep, "T is there."}, {field(dep), "is b"}} {
		if got := d.Of(c.obj); got != c.want {
			t.Errorf("%s: %q, want %q", c.obj.Name(), got, c.want)
		}
	}
	fn := p.Files[0].Decls[2].(*ast.FuncDecl)
	if got := p.ParamComments(fn.Type)["t"]; got != "what it takes" {
		t.Errorf("parameter: %q", got)
	}
	if why := p.Constraint(p.Files[0]); why != "" {
		t.Errorf("constraint %q", why)
	}
	if at := p.Position(fn.Pos()); filepath.Base(at.Filename) != "other.y" || at.Line != 9 || at.Column != 0 {
		t.Errorf("position %v", at)
	}
}

// TestUnmarked compares comments that are not parsed with what go/doc makes of them.
func TestUnmarked(t *testing.T) {
	parts := []string{"", "a", "The id.", "  ", "\t", "\n", "\n\n", "[T]", "``", "''", "`x`", "don't", "http://a.b", "- item", "1. one", "# Head", "Ä", "[a]: http://b", "\r", "Title"}
	skipped := 0
	for _, a := range parts {
		for _, b := range parts {
			for _, c := range parts {
				text := a + b + c
				if !unmarked(text) {
					continue
				}
				skipped++
				var p doc.Parser
				printer := doc.Printer{TextWidth: -1}
				want := strings.TrimSpace(string(printer.Text(p.Parse(text))))
				if got := strings.Join(strings.Fields(text), " "); got != want {
					t.Errorf("%q: %q, want %q", text, got, want)
				}
			}
		}
	}
	if skipped < 200 {
		t.Errorf("%d texts without markup", skipped)
	}
}
