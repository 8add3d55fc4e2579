package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestKnots(t *testing.T) {
	for _, test := range []struct {
		name, want string
		files      map[string]string
	}{
		{"chain", "1 of 3 files", map[string]string{"a.go": "func A() { B() }", "b.go": "func B() { C() }", "c.go": "func C() {}"}},
		{"functions", "2 of 3 files, 66 %", map[string]string{"a.go": "func A() { B() }", "b.go": "func B() { A() }", "c.go": "func C() { A() }"}},
		{"by way of another", "3 of 3 files, 100 %", map[string]string{"a.go": "func A() { B() }", "b.go": "var B = func() { var _ T }", "c.go": "type T struct{}\nfunc (T) m() { A() }"}},
		{"field and method", "2 of 2 files", map[string]string{"a.go": "type A struct { f int }\nfunc a() { B{}.m() }", "b.go": "type B struct{}\nfunc (B) m() { x := 1; _ = struct{ f int }{x} }\nfunc c(v A) int { return v.f }"}},
		{"local variables", "1 of 2 files", map[string]string{"a.go": "func A(v int) int { return v }", "b.go": "func B(v int) int { return A(v) }"}},
		{"tests do not count", "1 of 1 files", map[string]string{"a.go": "func A() {}", "a_test.go": "func b() { A() }"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			test.files["go.mod"] = "module example.com/m\n\ngo 1.26\n"
			for name, text := range test.files {
				if name != "go.mod" {
					text = "package m\n" + text + "\n"
				}
				if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			var out strings.Builder
			if large, err := check(&out, dir, true); err != nil || large > 0 || !strings.HasPrefix(out.String(), "example.com/m: "+test.want) {
				t.Errorf("%d, %v, %s; want %s", large, err, &out, test.want)
			}
		})
	}
}

func TestTooLarge(t *testing.T) {
	for _, test := range []struct{ knot, others, want int }{{mostFiles, 0, 0}, {mostFiles + 1, 0, 1}, {40, 6, 1}, {40, 40, 0}} {
		dir := t.TempDir()
		write := func(name, text string) {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		write("go.mod", "module example.com/m\n\ngo 1.26\n")
		for i := range test.knot {
			write(name(i)+".go", "package m\nfunc "+name(i)+"() { "+name((i+1)%test.knot)+"() }\n")
		}
		for i := range test.others {
			write("z"+name(i)+".go", "package m\n\n")
		}
		var out strings.Builder
		if large, err := check(&out, dir, false); err != nil || large != test.want || (out.Len() > 0) != (large > 0) {
			t.Errorf("%+v: %d, %v, %q", test, large, err, &out)
		}
	}
}

func name(i int) string { return "f" + string(rune('a'+i/26)) + string(rune('a'+i%26)) }
