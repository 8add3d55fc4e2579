package diag

import (
	"encoding/json"
	"fmt"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/internal/visible"
)

func at(file string, line, column int) token.Position {
	return token.Position{Filename: file, Line: line, Column: column}
}

func printed(l *List, dir string) string {
	var b strings.Builder
	Print(&b, l, dir)
	return b.String()
}

func TestPrint(t *testing.T) {
	var l List
	l.Warnf(at("/m/z.go", 1, 1), "", "late").Rule = "too-late"
	l.Errorf(at("/m/store.go", 41, 2), "tool Search: argument filter", "type %s cannot be expressed in JSON", "chan int").Hint = "leave it out"
	e := l.Errorf(at("/m/store.go", 9, 1), "tool Add", "the name is taken\nby another")
	e.Related = []Related{{at("/m/b/b.go", 3, 4), "the other one"}, {token.Position{}, "no place"}}
	l.Errorf(at("/m/store.go", 9, 1), "tool Add", "the name is taken\nby another").Related = e.Related // the same again
	l.Errorf(token.Position{}, "", "no file")
	l.Errorf(token.Position{Filename: "/elsewhere/go.mod"}, "", "whole file")
	want := strings.Join([]string{
		"no file",
		"/elsewhere/go.mod: whole file",
		"store.go:9:1: tool Add: the name is taken",
		"\tby another",
		"\tb/b.go:3:4: the other one",
		"\tno place",
		"store.go:41:2: tool Search: argument filter: type chan int cannot be expressed in JSON",
		"\thint: leave it out",
		"z.go:1:1: warning: late [too-late]",
		"",
	}, "\n")
	if got := printed(&l, "/m"); got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
	if l.Len() != 5 || !l.HasErrors() {
		t.Errorf("Len %d, HasErrors %v", l.Len(), l.HasErrors())
	}
	l.Sort()
	if got := printed(&l, "/m"); got != want {
		t.Errorf("after Sort:\n%s", got)
	}
}

func TestPrintJSON(t *testing.T) {
	var l List
	e := l.Errorf(at("/m/store.go", 41, 2), "tool Search", "a < b")
	e.Hint = "swap"
	e.Related = []Related{{at("/m/b.go", 1, 2), "here"}}
	l.Warnf(token.Position{}, "", "w")
	var b strings.Builder
	PrintJSON(&b, &l, "/m")
	want := `{"severity":"warning","message":"w"}
{"file":"store.go","line":41,"column":2,"severity":"error","message":"tool Search: a < b","hint":"swap","related":[{"file":"b.go","line":1,"column":2,"message":"here"}]}
`
	if b.String() != want {
		t.Errorf("got:\n%s\nwant:\n%s", b.String(), want)
	}
}

func TestPrintIsBounded(t *testing.T) {
	var l List
	for i := range 60 {
		l.Warnf(at("a.go", i+1, 1), "", "w")
	}
	for i := range 3 {
		l.Errorf(at("z.go", i+1, 1), "", "e")
	}
	got := printed(&l, "")
	if n := strings.Count(got, "\n"); n != maxPrinted+1 || !strings.HasSuffix(got, "z.go:3:1: e\nand 13 more\n") {
		t.Errorf("%d lines:\n%s", n, got)
	}
	for i := range 60 {
		l.Errorf(at("y.go", i+1, 1), "", "e")
	}
	got = printed(&l, "")
	if strings.Contains(got, "warning") || !strings.HasSuffix(got, "and 73 more\n") {
		t.Errorf("got:\n%s", got)
	}
}

func TestOrderDoesNotDependOnInsertion(t *testing.T) {
	var a, b List
	for i := range 20 {
		a.Errorf(at(fmt.Sprintf("f%d.go", i%3), i%5, i%2), "", "m%d", i%4)
	}
	for i := 19; i >= 0; i-- {
		b.Errorf(at(fmt.Sprintf("f%d.go", i%3), i%5, i%2), "", "m%d", i%4)
	}
	if printed(&a, "") != printed(&b, "") {
		t.Error("the order differs")
	}
}

func TestRelativeThroughSymlink(t *testing.T) {
	dir := t.TempDir()
	real := filepath.Join(dir, "real")
	if err := os.Mkdir(real, 0o755); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(dir, "link")
	if err := os.Symlink(real, link); err != nil {
		t.Skip(err)
	}
	var l List
	l.Errorf(at(filepath.Join(real, "a.go"), 1, 1), "", "m")
	if got := printed(&l, link); got != "a.go:1:1: m\n" {
		t.Errorf("got %q", got)
	}
	if got := printed(&l, filepath.Join(real, "sub")); got != filepath.Join("..", "a.go")+":1:1: m\n" {
		t.Errorf("got %q", got)
	}
}

func TestAppend(t *testing.T) {
	var a, b List
	b.Errorf(at("a.go", 1, 1), "", "m")
	a.Append(&b)
	a.Append(nil)
	if a.Len() != 1 || b.Len() != 1 {
		t.Errorf("lengths %d and %d", a.Len(), b.Len())
	}
	if (&List{}).HasErrors() {
		t.Error("an empty list has errors")
	}
}

// Characters that a terminal would obey are escaped in every part of a diagnostic.
func TestPrintEscapes(t *testing.T) {
	var l List
	l.Errorf(token.Position{Filename: "a\x1b[31m.go", Line: 1, Column: 2}, "tool \u202eX", "value %s", "\u200b\r\x07").Hint = "not \U000e0041"
	l.All()[0].Related = []Related{{Pos: token.Position{Filename: "\u009b.go"}, Message: "\x9b"}}
	var text, lines strings.Builder
	Print(&text, &l, "")
	PrintJSON(&lines, &l, "")
	for _, got := range []string{text.String(), lines.String()} {
		if r, found := visible.Hidden(got); found {
			t.Errorf("%U in %q", r, got)
		}
	}
	if !strings.Contains(text.String(), `a\u001b[31m.go:1:2: tool \u202eX: value \u200b`) {
		t.Errorf("printed %s", text.String())
	}
	var back struct{ File, Hint string }
	if err := json.Unmarshal([]byte(lines.String()), &back); err != nil || back.File != "a\x1b[31m.go" || back.Hint != "not \U000e0041" {
		t.Errorf("JSON %s: %v", lines.String(), err)
	}
}
