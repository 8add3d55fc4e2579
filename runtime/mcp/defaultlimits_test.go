package mcp

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"testing"
)

// Each field of the limits has a test of its name, a default, and an option that changes it alone.
func TestLimits(t *testing.T) {
	tests := map[string]bool{}
	names, err := filepath.Glob("*_test.go")
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
	info := ServerInfo{Name: "limits", Version: "1"}
	standard := NewServer(info).limits
	limits := reflect.TypeFor[Limits]()
	for i := range limits.NumField() {
		name := limits.Field(i).Name
		if !tests["TestLimit"+name] {
			t.Errorf("no TestLimit%s", name)
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
