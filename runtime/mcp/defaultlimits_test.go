package mcp

import (
	"cmp"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"testing"
)

// limitTests are the tests of limits that have no TestLimit of their own: in this package, or in
// ../internal/hardening, which lowers them on every transport.
var limitTests = map[string]string{
	"MessageBytes": "testLengths", "Depth": "TestConversations", "InFlight": "testBlocked", "ResultBytes": "testLimits",
	"PageSize": "TestPages", "WriteTime": "testCutOff", "DrainTime": "testInputEnds",
}

// Each field of the limits has a test, a default, and an option that changes it alone.
func TestLimits(t *testing.T) {
	tests := map[string]bool{}
	for _, folder := range []string{".", "../internal/hardening"} {
		names, err := filepath.Glob(folder + "/*_test.go")
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range file.Decls {
				if f, ok := d.(*ast.FuncDecl); ok {
					tests[f.Name.Name] = true
				}
			}
		}
	}
	info := ServerInfo{Name: "limits", Version: "1"}
	standard := NewServer(info).limits
	limits := reflect.TypeFor[Limits]()
	for i := range limits.NumField() {
		name := limits.Field(i).Name
		if test := cmp.Or(limitTests[name], "TestLimit"+name); !tests[test] {
			t.Errorf("no %s", test)
		}
		if reflect.ValueOf(standard).Field(i).Int() <= 0 {
			t.Errorf("%s has no default", name)
		}
		var changed Limits
		reflect.ValueOf(&changed).Elem().Field(i).SetInt(12345)
		want := standard
		reflect.ValueOf(&want).Elem().Field(i).SetInt(12345)
		if got := NewServer(info, WithLimits(changed)).limits; got != want {
			t.Errorf("%s: %+v, want %+v", name, got, want)
		}
		reflect.ValueOf(&changed).Elem().Field(i).SetInt(-1)
		if got := NewServer(info, WithLimits(changed)).limits; got != standard {
			t.Errorf("%s of -1: %+v", name, got)
		}
	}
}
