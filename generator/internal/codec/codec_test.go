package codec

import (
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/generator/internal/model"
)

// check type-checks the source of a package p.
func check(t *testing.T, source string) *types.Package {
	t.Helper()
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "p.go", "package p\n"+source, 0)
	if err != nil {
		t.Fatal(err)
	}
	conf := types.Config{Importer: importer.ForCompiler(fset, "source", nil)}
	pkg, err := conf.Check("example.test/p", fset, []*ast.File{f}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return pkg
}

func typeOf(t *testing.T, pkg *types.Package, name string) types.Type {
	t.Helper()
	obj := pkg.Scope().Lookup(name)
	if obj == nil {
		t.Fatalf("no %s", name)
	}
	return obj.Type()
}

func TestBound(t *testing.T) {
	int8Type := &model.Type{Kind: model.Int, Bits: 8, Go: types.Typ[types.Int8]}
	uint16Type := &model.Type{Kind: model.Uint, Bits: 16, Go: types.Typ[types.Uint16]}
	floatType := &model.Type{Kind: model.Float, Bits: 64, Go: types.Typ[types.Float64]}
	for _, c := range []struct {
		name string
		t    *model.Type
		text string
		up   bool
		want string // "" if no value of the type exceeds the limit
	}{
		{"integer", int8Type, "5", true, "5"},
		{"exponent", int8Type, "1e1", true, "10"},
		{"up", int8Type, "1.5", true, "2"},
		{"down", int8Type, "1.5", false, "1"},
		{"negative up", int8Type, "-1.5", true, "-1"},
		{"negative down", int8Type, "-1.5", false, "-2"},
		{"below the type", int8Type, "-200", true, ""},
		{"above the type", int8Type, "128", false, ""},
		{"unsigned", uint16Type, "-1", true, ""},
		{"unsigned edge", uint16Type, "65535", false, "65535"},
		{"float", floatType, "0.1", true, "0.1"},
	} {
		b := &builder{}
		got, ok := b.bound(c.t, c.text, c.up)
		if got != c.want || ok != (c.want != "") || b.err != nil {
			t.Errorf("%s: got %q, %v, %v, want %q", c.name, got, ok, b.err, c.want)
		}
	}
}

func TestMultipleOf(t *testing.T) {
	integer := &model.Type{Kind: model.Int, Bits: 64}
	for text, want := range map[string]string{"5": "5", "0.5": "", "1.5": "3", "2.50": "5", "1": ""} {
		if got := multipleOf(integer, text); got != want {
			t.Errorf("%s: got %q, want %q", text, got, want)
		}
	}
}

func TestConditions(t *testing.T) {
	pkg := check(t, `
import ("time"; "strings")

type loose struct {
	A []int
	b string
}

type hasZero []int

func (hasZero) IsZero() bool { return false }

type zeroer interface{ IsZero() bool }

var (
	Bool bool; Int int; String string; Pointer *int; Slice []int; Map map[string]int; Any any
	None [0]int; Array [2]int; Struct struct{ X int }; Empty struct{}; Loose loose
	Time time.Time; TimePointer *time.Time; Method hasZero; Interface zeroer
	Timer struct{ strings.Builder }
	Funcs struct { F func() }
)`)
	type tests = []Test
	for _, c := range []struct {
		name      string
		omitEmpty []Test // nil if the value is never empty
		omitZero  []Test
	}{
		{"Bool", tests{TestTrue}, tests{TestTrue}},
		{"Int", tests{TestNotZero}, tests{TestNotZero}},
		{"String", tests{TestNotBlank}, tests{TestNotBlank}},
		{"Pointer", tests{TestNotNil}, tests{TestNotNil}},
		{"Slice", tests{TestLen}, tests{TestNotNil}},
		{"Map", tests{TestLen}, tests{TestNotNil}},
		{"Any", tests{TestNotNil}, tests{TestNotNil}},
		{"None", tests{TestNever}, tests{TestNever}},
		{"Array", nil, tests{TestNotEqual}},
		{"Struct", nil, tests{TestNotEqual}},
		{"Empty", nil, tests{TestNever}},
		{"Loose", nil, tests{TestNotNil, TestNotBlank}},
		{"Time", nil, tests{TestIsZero}},
		{"TimePointer", tests{TestNotNil}, tests{TestSet}},
		{"Method", tests{TestLen}, tests{TestIsZero}},
		{"Interface", tests{TestNotNil}, tests{TestSetInner}},
		{"Timer", nil, tests{TestReflect}},
		{"Funcs", nil, tests{TestNotNil}},
	} {
		typ := typeOf(t, pkg, c.name)
		empty, _ := notEmpty(typ)
		for _, k := range []struct {
			option string
			got    Condition
			want   []Test
		}{{"omitempty", empty, c.omitEmpty}, {"omitzero", notZero(typ, nil, pkg), c.omitZero}} {
			var got []Test
			for _, term := range k.got {
				got = append(got, term.Test)
			}
			if !slices.Equal(got, k.want) {
				t.Errorf("%s %s: got %v, want %v", c.name, k.option, got, k.want)
			}
		}
	}
}

func TestNames(t *testing.T) {
	pkg := check(t, `
type Book struct{}
type book struct{}
type Page[T any] struct{ Item T }
var mcpDecodeTaken int
var (
	A Page[Book]; B *[]Book; C map[string]Page[*int]; D struct{}; E [3]book
)`)
	n := newNames(pkg)
	for _, c := range []struct{ v, want string }{
		{"Book", "Book"}, {"book", "PBook"}, {"A", "PageBook"}, {"B", "BookSlicePtr"},
		{"C", "PageIntPtrMap"}, {"D", "Place"}, {"E", "BookArray3"}, {"A", "PPageBook"}, {"A", "PPageBook2"},
	} {
		if got := n.forType(typeOf(t, pkg, c.v), "Place"); got != c.want {
			t.Errorf("%s: got %s, want %s", c.v, got, c.want)
		}
	}
	if got := n.codec("Taken"); got != "Taken2" {
		t.Errorf("a name that the package declares: got %s", got)
	}
	for name, want := range map[string]string{
		"search_books": "SearchBooks", "a.b-c": "ABC", "ümlaut": "Ümlaut", "2d": "2d", "___": "", "getHTTP": "GetHTTP",
	} {
		if got := Camel(name); got != want {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
	}
}

func TestNameable(t *testing.T) {
	pkg := check(t, `
import "time"
type own struct{ x int }
var (
	A own; B *time.Time; C map[string]func(own) error; D time.Month; E chan struct{ Own own }; F []any
)`)
	for _, name := range []string{"A", "B", "C", "D", "E", "F"} {
		typ := typeOf(t, pkg, name)
		if !nameable(typ, pkg, map[types.Type]bool{}) {
			t.Errorf("%s cannot be named", typ)
		}
	}
	elsewhere := types.NewPackage("example.test/q", "q")
	for _, name := range []string{"A", "C", "E"} {
		typ := typeOf(t, pkg, name)
		if nameable(typ, elsewhere, map[types.Type]bool{}) {
			t.Errorf("%s can be named elsewhere", typ)
		}
	}
	for _, c := range []struct {
		from, path string
		want       bool
	}{
		{"a/b", "a/internal/c", true}, {"a", "a/internal", true}, {"a/b", "a/c/internal", false},
		{"b", "a/internal/c", false}, {"ab", "a/internal", false}, {"b", "a/internals", true},
	} {
		if got := importable(c.from, c.path); got != c.want {
			t.Errorf("%s imports %s: got %v", c.from, c.path, got)
		}
	}
}

// TestDefects checks that Build refuses plans that cannot be printed.
func TestDefects(t *testing.T) {
	chanType := &model.Type{Go: types.NewChan(types.SendRecv, types.Typ[types.Int])}
	text := &model.Type{Kind: model.Text, Go: types.Typ[types.String]}
	str := &model.Type{Kind: model.String, Go: types.Typ[types.String]}
	boolean := &model.Type{Kind: model.Bool, Go: types.Typ[types.Bool]}
	for _, c := range []struct {
		name  string
		field model.Field
		want  string
	}{
		{"no kind", model.Field{Type: chanType}, "cannot be read"},
		{"quoted", model.Field{Type: text, Quoted: true}, "does not apply"},
		{"key", model.Field{Type: &model.Type{Kind: model.Map, Key: boolean, Elem: str, Go: types.NewMap(boolean.Go, str.Go)},
			Default: &model.Value{JSON: `{"true":"a"}`}}, "keys of the type"},
		{"enum of booleans", model.Field{Type: boolean, Rules: model.Rules{Enum: []string{"true"}}}, "cannot be enumerated"},
		{"wrong enum", model.Field{Type: str, Rules: model.Rules{Enum: []string{"1"}}}, "does not suit"},
	} {
		c.field.Name, c.field.Path = "f", []model.Selector{{Name: "f"}}
		object := &model.Type{Kind: model.Struct, Fields: []*model.Field{&c.field}}
		_, err := Build(&model.Package{Tools: []*model.Tool{{
			Name: "t", Call: model.Call{Func: model.Func{Symbol: "T"}, Input: &model.Input{Object: object}},
		}}})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want an error with %q", c.name, err, c.want)
		}
	}
}

// TestCircular checks that on each cycle of encoders one of them counts the depth, and that no
// others count.
func TestCircular(t *testing.T) {
	calls := func(names ...string) []*PutMember {
		var members []*PutMember
		for _, name := range names {
			members = append(members, &PutMember{Write: &Write{Func: Func{Name: "PutPtr"}, Elem: &Func{Name: "mcpEncode" + name, Local: true}}})
		}
		return members
	}
	for _, c := range []struct {
		calls map[string][]string
		want  string
	}{
		{map[string][]string{"A": {"B", "C"}, "B": {"C"}, "C": nil}, ""},
		{map[string][]string{"A": {"A"}}, "A"},
		{map[string][]string{"A": {"B"}, "B": {"A"}}, "A"},
		{map[string][]string{"A": {"B"}, "B": {"C"}, "C": {"B"}, "D": {"C"}}, "B"},
		{map[string][]string{"A": {"B", "C"}, "B": {"C", "B"}, "C": {"A"}}, "A B"},
		{map[string][]string{"A": {"B", "D"}, "B": {"C"}, "C": {"D"}, "D": nil, "E": {"E", "A"}}, "E"},
	} {
		var list []*Encoder
		for _, name := range slices.Sorted(maps.Keys(c.calls)) {
			list = append(list, &Encoder{Stem: name, Members: calls(c.calls[name]...)})
		}
		markCircular(list)
		var got []string
		for _, e := range list {
			if e.Circular {
				got = append(got, e.Stem)
			}
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%v: %v count, want %s", c.calls, got, c.want)
		}
	}
	union := &Encoder{Stem: "U", Union: &Union{Variants: []Variant{{Func: "mcpEncodeV"}}}}
	variant := &Encoder{Stem: "V", Members: calls("L")}
	list := &Encoder{Stem: "L", Value: &Write{Func: Func{Name: "PutSlice"}, Elem: &Func{Name: "mcpEncodeU", Local: true}}}
	direct := &Encoder{Stem: "D", Members: []*PutMember{{Write: &Write{Func: Func{Name: "mcpEncodeD", Local: true}}}}}
	markCircular([]*Encoder{union, variant, list, direct})
	if !union.Circular || variant.Circular || list.Circular || !direct.Circular {
		t.Error("a union, or a direct call, does not count once")
	}
}
