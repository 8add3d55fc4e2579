package directive

import (
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

// one scans a tool with one argument and returns the last directive.
func one(t *testing.T, line string) *Directive {
	t.Helper()
	sets, diags := scan(t, "package p\n//mcp:tool\n"+line+"\nfunc F() {}")
	if diags != "" || len(sets) != 1 {
		t.Fatalf("%s: %s", line, diags)
	}
	return sets[0].Directives[1]
}

func TestArguments(t *testing.T) {
	d := one(t, "//mcp:arg filter.limit \"how\\tmany \\u00e9\"  default=20 minimum=-5\tmaximum=1e3 enum=a,\"b, c\",`d` pattern=`^\"[a z]+$` required optional=false examples=[\"x y\", {\"a\":\"]\"}]")
	type arg struct {
		key, value     string
		column, value0 int
		bare, quoted   bool
	}
	want := []arg{
		{"", "filter.limit", 11, 11, true, false},
		{"", "how\tmany é", 24, 24, true, true},
		{"default", "20", 44, 52, false, false},
		{"minimum", "-5", 55, 63, false, false},
		{"maximum", "1e3", 66, 74, false, false},
		{"enum", "a,\"b, c\",`d`", 78, 83, false, false},
		{"pattern", `^"[a z]+$`, 96, 104, false, true},
		{"required", "true", 116, 116, false, false},
		{"optional", "false", 125, 134, false, false},
		{"examples", `["x y", {"a":"]"}]`, 140, 149, false, false},
	}
	if len(d.Args) != len(want) {
		t.Fatalf("%d arguments: %+v", len(d.Args), d.Args)
	}
	for i, a := range d.Args {
		got := arg{a.Key, a.Value, a.Pos.Column, a.ValuePos.Column, a.Bare, a.Quoted}
		if got != want[i] {
			t.Errorf("argument %d: got %+v, want %+v", i, got, want[i])
		}
		if a.Pos.Line != 3 || a.ValuePos.Line != 3 {
			t.Errorf("argument %d: line %d", i, a.Pos.Line)
		}
	}
	if d.Name() != "filter.limit" || len(d.Words()) != 1 {
		t.Errorf("Name %q", d.Name())
	}
	if v, ok := d.Description(); !ok || v.Value != "how\tmany é" {
		t.Errorf("Description %q", v.Value)
	}
	if v, set := d.Flag("required"); !v || !set {
		t.Error("required")
	}
	if v, set := d.Flag("optional"); v || !set {
		t.Error("optional")
	}
	if _, set := d.Flag("nullable"); set {
		t.Error("nullable")
	}
	if v, set := d.List("enum"); !set || fmt.Sprintf("%q", v) != `["a" "b, c" "d"]` {
		t.Errorf("enum %q", v)
	}
	e, _ := d.Get("enum")
	var columns []int
	for _, item := range e.Items() {
		columns = append(columns, item.Pos.Column)
	}
	if fmt.Sprint(columns) != "[83 85 92]" {
		t.Errorf("items at %v", columns)
	}
}

func TestAccessors(t *testing.T) {
	sets, diags := scan(t, "package p\n//mcp:tool timeout=1m30s maxresult=64KiB group=\"a b\" alias=x,y title=\"T\"\n//mcp:arg a minLength=3 maxLength=0\nfunc F() {}")
	if diags != "" {
		t.Fatal(diags)
	}
	d := sets[0].Get("tool")
	if v, set := d.Duration("timeout"); v != 90*time.Second || !set {
		t.Errorf("timeout %v", v)
	}
	if v, set := d.Size("maxresult"); v != 65536 || !set {
		t.Errorf("maxresult %v", v)
	}
	if v, _ := d.List("group"); fmt.Sprintf("%q", v) != `["a" "b"]` {
		t.Errorf("group %q", v)
	}
	if v, _ := d.List("alias"); fmt.Sprintf("%q", v) != `["x" "y"]` {
		t.Errorf("alias %q", v)
	}
	if v, set := d.String("title"); v != "T" || !set || !d.Has("title") || d.Has("name") {
		t.Errorf("title %q", v)
	}
	if _, set := d.List("scopes"); set {
		t.Error("scopes")
	}
	args := sets[0].All("arg")
	if len(args) != 1 || sets[0].Get("doc") != nil {
		t.Fatal("All, Get")
	}
	if v, set := args[0].Int("minLength"); v != 3 || !set {
		t.Errorf("minLength %v", v)
	}
	if v, set := args[0].Int("maxLength"); v != 0 || !set {
		t.Errorf("maxLength %v", v)
	}
}

func TestAt(t *testing.T) {
	for _, c := range []struct{ raw, find string }{
		{`plain`, "ain"}, {`"a\tb\u00e9c\x41d"`, "d"}, {`"é\"x"`, "x"}, {"`a\"b`", "b"}, {`"abc"`, "abc"}, {`[1,2]`, "2"},
	} {
		d := one(t, "//mcp:arg a default="+c.raw)
		a, _ := d.Get("default")
		pos := a.At(strings.Index(a.Value, c.find))
		if got := c.raw[pos.Column-21:]; !strings.HasPrefix(got, c.find) {
			t.Errorf("%s: %q is found at %q", c.raw, c.find, got)
		}
	}
}

func TestJSON(t *testing.T) {
	for _, c := range []struct{ raw, text, other string }{
		{`20`, `20`, `20`},
		{`x`, `"x"`, ""},
		{`"x"`, `"x"`, ""},
		{`"20"`, `"20"`, `20`},
		{"`<a\"b>`", `"<a\"b>"`, ""},
		{`true`, `true`, `true`},
		{`null`, `null`, `null`},
		{`["a","b c"]`, `["a","b c"]`, `["a","b c"]`},
		{`{"a":1}`, `{"a":1}`, `{"a":1}`},
		{"`{\"a\":1}`", `"{\"a\":1}"`, `{"a":1}`},
		{`""`, `""`, ""},
		{`2026-01-02`, `"2026-01-02"`, ""},
	} {
		a, _ := one(t, "//mcp:arg a default="+c.raw).Get("default")
		if got, err := a.JSON(true); got != c.text || err != nil {
			t.Errorf("%s for a string: got %s, %v", c.raw, got, err)
		}
		if got, err := a.JSON(false); got != c.other || (err != nil) != (c.other == "") {
			t.Errorf("%s: got %s, %v", c.raw, got, err)
		}
	}
}

func TestText(t *testing.T) {
	sets, diags := scan(t, "package p\n//mcp:error   No such \"book\".  \nvar A = 1\n//mcp:error\nvar B = 2\n\n// T is.\n//\n//mcp:doc One\n//mcp:doc two.\n//mcp:doc\n//mcp:doc\n//mcp:doc Three.\ntype T int")
	if diags != "" {
		t.Fatal(diags)
	}
	d := sets[0].Directives[0]
	if d.Text != `No such "book".` || d.TextPos.Column != 15 || len(d.Args) != 0 {
		t.Errorf("%+v", d)
	}
	if d := sets[1].Directives[0]; d.Text != "" || d.TextPos.Column != 12 {
		t.Errorf("%+v", d)
	}
	if text, ok := Doc(sets[2].Doc); !ok || text != "One\ntwo.\n\n\nThree." {
		t.Errorf("Doc %q", text)
	}
	if text := DocText(sets[2].Doc); text != "T is.\n" {
		t.Errorf("DocText %q", text)
	}
	if _, ok := Doc(nil); ok || DocText(nil) != "" {
		t.Error("nil group")
	}
}

func TestParseSize(t *testing.T) {
	for _, c := range []struct {
		s    string
		want int64
	}{
		{"1", 1}, {"65536", 65536}, {"64KiB", 65536}, {"1.5MiB", 3 << 19}, {"2GiB", 2 << 30}, {"2kB", 2000}, {"2KB", 2000}, {"3MB", 3e6}, {"1GB", 1e9}, {"7B", 7},
		{"", 0}, {"0", 0}, {"-1", 0}, {"KiB", 0}, {"1kb", 0}, {"1 KiB", 0}, {"0.1B", 0}, {"1.0001KiB", 0}, {"1e3", 0}, {"99999999999GiB", 0}, {"1KiBB", 0}, {"1..5", 0}, {"Inf", 0}, {"1TiB", 0},
	} {
		if got, err := parseSize(c.s); got != c.want || (err != nil) != (c.want == 0) {
			t.Errorf("ParseSize(%q) = %d, %v; want %d", c.s, got, err, c.want)
		}
	}
}

// FuzzArguments checks for every directive that the scanner ends, each problem is within the text,
// and the words are at their offsets.
func FuzzArguments(f *testing.F) {
	for _, s := range []string{
		"", "readonly", "name=x title=\"a b\"", "limit \"text\" default=20 enum=a,\"b, c\",`d`", "default=[\"a\",{\"b\":\"]\"}] x", "default=[1,", "title=\"open",
		"a = b", "=x", "x=", "title='a b' c", "title=“a” b", "\"a\"b", "\"\\d\"", "enum=,", "enum=\"", "enum=a,\"b", "{\"a\":1}", "é=ü", "\xff=\xfe \xff", "default={]}", "`", "a\u00a0b",
	} {
		f.Add(s)
	}
	spec := Lookup("arg")
	f.Fuzz(func(t *testing.T, s string) {
		if strings.ContainsAny(s, "\n\r") {
			return
		}
		words, problems := scanArgs(s, func(name string) Kind {
			if k := spec.Key(name); k != nil {
				return k.Kind
			}
			return KindString
		})
		for _, p := range problems {
			if p.offset < 0 || p.offset > len(s) || p.message == "" {
				t.Errorf("%q: problem %+v", s, p)
			}
		}
		end := 0
		for _, w := range words {
			if w.start < end || w.value < w.start || s[w.value:w.value+len(w.raw)] != w.raw || w.equals && s[w.start:w.value] != w.key+"=" {
				t.Errorf("%q: word %+v", s, w)
			}
			end = w.value + len(w.raw)
			if v, ok := unquote(w.raw); ok {
				for i := range v {
					if at := sourceOffset(w.raw, i); at <= 0 || at >= len(w.raw) {
						t.Errorf("%q: byte %d of %q at %d", s, i, v, at)
					}
				}
			}
			for _, item := range (Arg{Value: w.raw, raw: w.raw}).Items() {
				if item.Pos.Column < 0 || item.Pos.Column > len(w.raw) {
					t.Errorf("%q: item %+v", s, item)
				}
			}
		}
	})
}

// FuzzScanFile checks that no comment makes the scanner panic, and that each diagnostic points into
// the line of the comment.
func FuzzScanFile(f *testing.F) {
	for _, s := range []string{"mcp:tool readonly", " mcp:tool", "mcp:arg x default=[1", "MCP:", "mcp:server ttl=5m cache=publik", "mcp:tool title=\"a", "mcp:doc x", "mcp:\xff", "mcp:tool,", "mcp:error \"x\"", "mcp:enum a=b closed open"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if strings.ContainsAny(s, "\n\r\x00\ufeff") || !utf8.ValidString(s) {
			return
		}
		sets, _ := scan(t, "//"+s+"\npackage p\n\n//"+s+"\nfunc F() {\n//"+s+"\n}\n")
		for _, set := range sets {
			for _, d := range set.Directives {
				for _, a := range d.Args {
					if a.Pos.Column < 1 || a.Pos.Column > len(s)+2 {
						t.Errorf("%q: argument %+v", s, a)
					}
				}
			}
		}
	})
}
