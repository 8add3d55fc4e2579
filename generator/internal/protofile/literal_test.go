package protofile

import (
	"bytes"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"strings"
	"testing"
)

// written returns data in the forms of protoc-gen-go.
func written(data []byte) []string {
	var list, sum strings.Builder
	for i, b := range data {
		if i%16 == 0 {
			list.WriteString("\n\t")
		}
		fmt.Fprintf(&list, "0x%02x, ", b)
	}
	sum.WriteString(`""`)
	for line := range bytes.Lines(data) {
		fmt.Fprintf(&sum, " +\n\t%s", strconv.Quote(string(line)))
	}
	return []string{sum.String(), "string([]byte{" + list.String() + "})", "[]byte{" + list.String() + "}", "(" + sum.String() + ")"}
}

// FuzzBytesOf checks that bytes are read as they were written in each form, and that another text
// is either refused at a position within it, or is a constant that Go reads in the same way.
func FuzzBytesOf(f *testing.F) {
	f.Add([]byte("\n\x0eshop/shop.proto\x12\x04shop\xff\x00\"`\\\n\n"), `"\n" + "\xff"`)
	f.Add([]byte{}, "[]byte{0x0a, 256}")
	f.Add([]byte(strings.Repeat("\n", 3000)), "string([]byte{1, 'a'})")
	f.Add([]byte("\u00e9\u2028"), "[]byte(`x`) + `y`")
	f.Add([]byte("x"), `"a" + []byte{1}`)
	f.Add([]byte("x"), `"a" - "b" + f(1)`)
	f.Fuzz(func(t *testing.T, data []byte, source string) {
		for _, text := range written(data) {
			x, err := parser.ParseExpr(text)
			if err != nil {
				t.Fatal(err)
			}
			got, err := bytesOf(x)
			if err != nil || !bytes.Equal(got, data) {
				t.Fatalf("%s is read as %q: %v", text, got, err)
			}
		}
		x, err := parser.ParseExpr(source)
		if err != nil {
			return
		}
		got, err := bytesOf(x)
		if err == nil {
			if want, ok := constantOf(x); ok && want != string(got) {
				t.Fatalf("%s is read as %q, and Go reads %q", source, got, want)
			}
			return
		}
		lit, ok := errors.AsType[*literalError](err)
		if !ok || lit.at < x.Pos() || lit.at > x.End() {
			t.Fatalf("%s: error %v is at no place of the expression", source, err)
		}
	})
}

// constantOf evaluates a concatenation of strings by the rules of Go, by recursion.
func constantOf(x ast.Expr) (string, bool) {
	switch x := ast.Unparen(x).(type) {
	case *ast.BasicLit:
		s, err := strconv.Unquote(x.Value)
		return s, err == nil
	case *ast.BinaryExpr:
		a, okA := constantOf(x.X)
		b, okB := constantOf(x.Y)
		return a + b, okA && okB
	}
	return "", false
}

// TestBytesOfRefuses checks the errors for expressions that no version of protoc-gen-go writes.
func TestBytesOfRefuses(t *testing.T) {
	for source, want := range map[string]string{
		`name`:                     "an element is neither a string nor a []byte{...}",
		`"a" + name`:               "an element is neither a string nor a []byte{...}",
		`"a" - "b"`:                "an element is not a concatenation",
		`"a" + []byte{1}`:          "an element is not a string",
		`[]byte{1} + "a"`:          "an element is not a string",
		`"a" + 1`:                  "an element is not a string",
		`string("a")`:              "an element is not a []byte{...}",
		`bytes([]byte{1})`:         "an element is not a conversion to string",
		`string([]byte{1}, 2)`:     "an element is not a conversion to string",
		`[]byte{256}`:              "an element is not a byte",
		`[]byte{-1}`:               "an element is not a number",
		`[]byte{'a'}`:              "an element is not a number",
		`[]byte{3: 1}`:             "an element is not a number",
		`[4]byte{1}`:               "an element is neither a string nor a []byte{...}",
		`[]int{1}`:                 "an element is neither a string nor a []byte{...}",
		`string([]byte{1}) + name`: "an element is neither a string nor a []byte{...}",
	} {
		x, err := parser.ParseExpr(source)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := bytesOf(x); err == nil || err.Error() != want {
			t.Errorf("%s: got %q, %v, want %s", source, got, err, want)
		}
	}
}

// FuzzDescriptor builds files of any bytes: they are refused, or their descriptor is complete.
func FuzzDescriptor(f *testing.F) {
	f.Add([]byte("\n\x01a\"\x05\n\x01M\x12\x00b\x06proto3"))
	f.Add([]byte("\n\x01a\x1a\x01a"))                                           // imports itself
	f.Add([]byte("\n\x01a\x1a\x01bP\x05"))                                      // public import without an index
	f.Add([]byte("\n\x22cmd/protoc-gen-go/testdata/a.protob\x08editionsp\x05")) // an edition without features
	f.Add([]byte("\n\x01ab\x08editionsp\xe8\x07"))
	f.Add([]byte("\n\x01a\"\x0c\n\x01M*\x03\x08\x04\x10:\x02\x08\x01")) // a MessageSet
	f.Fuzz(func(t *testing.T, data []byte) {
		x, err := parser.ParseExpr(written(data)[0])
		if err != nil {
			t.Fatal(err)
		}
		find := New()
		p := newGoPackage(&node{path: "p"})
		s := &source{pkg: p, fset: token.NewFileSet(), prefix: "file_a", raw: x}
		p.sources = append(p.sources, s)
		if err := find.build(s); err != nil {
			if err.Message == "" {
				t.Error("an error without a message")
			}
			return
		}
		if s.desc == nil || s.desc.Path() != s.parsed.GetName() {
			t.Errorf("no descriptor of %q", s.parsed.GetName())
		}
	})
}
