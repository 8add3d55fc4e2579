package protofile

import (
	"fmt"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// summary lists what a package knows of a file.
func summary(t *testing.T, name string, src []byte) string {
	t.Helper()
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, name, src, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	p := newGoPackage(&node{})
	p.add(fset, f)
	var out strings.Builder
	for _, name := range slices.Sorted(maps.Keys(p.types)) {
		typ := p.types[name]
		fields, oneofs := p.goFields(typ)
		fmt.Fprintln(&out, name, typ.position().Line, typ.prefix, typ.index, typ.enum, commentText(typ.doc, nil), len(oneofs))
		for _, field := range fields {
			fmt.Fprintln(&out, "\t", field.name, field.number, field.wrapper, field.position(fset).Line, commentText(field.field.Doc, field.field.Comment))
		}
	}
	for _, s := range p.sources {
		data, err := bytesOf(s.raw)
		fmt.Fprintln(&out, s.prefix, s.gzipped, len(s.imports), fmt.Sprintf("%x", data), err)
	}
	fmt.Fprintln(&out, len(p.constants))
	return out.String()
}

// TestWithoutBodies checks that a file has the same meaning without its functions.
func TestWithoutBodies(t *testing.T) {
	files, err := filepath.Glob("testdata/*/*/*.pb.go")
	if err != nil || len(files) < 40 {
		t.Fatal(len(files), err)
	}
	for _, name := range files {
		src, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		short := withoutBodies(src)
		if len(short) >= len(src) {
			t.Errorf("%s has still %d of %d bytes", name, len(short), len(src))
		}
		if whole, cut := summary(t, name, src), summary(t, name, short); whole != cut {
			t.Errorf("%s differs:\n%s\nwithout bodies:\n%s", name, whole, cut)
		}
	}
	for _, unformatted := range []string{
		"package p\nfunc f() {\n }\nfunc g() {\n}\n",
		"package p\nfunc f() {\n }\ntype T int\nfunc g() {\n}\n",
		"package p\nfunc f() {\n",
	} {
		if got := string(withoutBodies([]byte(unformatted))); got != unformatted {
			t.Errorf("%q becomes %q", unformatted, got)
		}
	}
}
