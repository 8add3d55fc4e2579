package directive

import (
	"slices"
	"strings"
	"testing"
)

// TestTable checks that every row is complete, and that the parser accepts its examples.
func TestTable(t *testing.T) {
	for _, s := range Table() {
		if s.Help == "" || len(s.On) == 0 || !strings.HasPrefix(s.Example, "//mcp:"+s.Word) {
			t.Errorf("%s is incomplete", s.Word)
		}
		if strings.HasSuffix(s.Help, ".") || strings.Contains(s.Help, "\n") {
			t.Errorf("%s: help %q", s.Word, s.Help)
		}
		if s.Text && len(s.Keys) > 0 {
			t.Errorf("%s takes both text and keys", s.Word)
		}
		var names []string
		for _, k := range s.Keys {
			if slices.Contains(names, k.Name) {
				t.Errorf("%s: %s twice", s.Word, k.Name)
			}
			names = append(names, k.Name)
			if k.Help == "" || strings.HasSuffix(k.Help, ".") || (k.Kind == KindWord) != (len(k.Values) > 0) || (k.Kind == KindFlag) != (k.Example == "") {
				t.Errorf("%s: %s is incomplete", s.Word, k.Name)
			}
			if k.Kind == KindFlag {
				continue
			}
			a := Arg{Key: k.Name, Value: k.Example, raw: k.Example}
			if v, ok := unquote(k.Example); ok {
				a.Value, a.Quoted = v, true
			}
			if bad := checkValue(&k, a); bad != nil {
				t.Errorf("%s: example of %s: %s", s.Word, k.Name, bad.message)
			}
		}
	}
	for _, pair := range exclusive {
		if pair[0] == pair[1] {
			t.Errorf("%s contradicts itself", pair[0])
		}
	}
}

// TestExamples parses the example of every directive that is built.
func TestExamples(t *testing.T) {
	above := map[Target]string{
		Package: "%\npackage p", Func: "package p\n%\nfunc F() {}", Type: "package p\n%\ntype T int", Var: "package p\n%\nvar A = 1",
	}
	for _, s := range Table() {
		src := strings.Replace(above[s.On[0]], "%", s.Example, 1)
		if s.Word == "arg" || s.Word == "params" || s.Word == "result" {
			src = strings.Replace(src, "func F", "//mcp:tool\nfunc F", 1)
		}
		sets, diags := scan(t, src)
		switch {
		case !s.Built:
			if !strings.Contains(diags, "not built yet") || len(sets) > 0 {
				t.Errorf("%s is not built, and says %s", s.Word, diags)
			}
		case diags != "" || len(sets) != 1 || sets[0].Directives[0].Word != s.Word:
			t.Errorf("%s: %s", s.Example, diags)
		}
	}
}

func TestBuilt(t *testing.T) {
	var built, unbuilt []string
	for _, s := range Table() {
		if s.Built {
			built = append(built, s.Word)
		}
		for _, k := range s.Keys {
			if !k.Built && !slices.Contains(unbuilt, k.Name) {
				unbuilt = append(unbuilt, k.Name)
			}
		}
	}
	if got, want := strings.Join(built, " "), "server defaults tool arg params result doc resource prompt skill inject error form enum union schema decode encode constructor from ignore"; got != want {
		t.Errorf("built are %s, want %s", got, want)
	}
	if got, want := strings.Join(unbuilt, " "), ""; got != want {
		t.Errorf("not built are %s, want %s", got, want)
	}
}

func TestHelp(t *testing.T) {
	var help, list, markdown strings.Builder
	WriteHelp(&help)
	WriteList(&list)
	WriteMarkdown(&markdown)
	words := strings.Join(strings.Fields(help.String()), " ") // without line breaks
	for _, s := range Table() {
		for _, want := range []string{s.Word, s.Help, s.Example} {
			if !strings.Contains(words, strings.Join(strings.Fields(want), " ")) {
				t.Errorf("the help lacks %q", want)
			}
		}
		if !strings.Contains(markdown.String(), "## `//mcp:"+s.Word+"`\n") || !strings.Contains(markdown.String(), s.Example) {
			t.Errorf("the reference lacks %s", s.Word)
		}
		if want := "| [`//mcp:" + s.Word + "`](#mcp" + s.Word + ") | " + s.Help + " |\n"; !strings.Contains(list.String(), want) {
			t.Errorf("the list lacks %s", want)
		}
		for _, k := range s.Keys {
			if !strings.Contains(help.String(), "      "+k.form()) {
				t.Errorf("the help lacks %s of %s", k.Name, s.Word)
			}
			if inReference := strings.Contains(markdown.String(), "| `"+k.Name+"` |"); !inReference && s.Word != "arg" {
				t.Errorf("the reference lacks %s of %s", k.Name, s.Word)
			}
		}
	}
	columns, rows := 0, map[string]bool{}
	for line := range strings.Lines(markdown.String()) {
		n := strings.Count(strings.ReplaceAll(line, `\|`, ""), "|")
		switch {
		case !strings.HasPrefix(line, "|"):
			columns = 0
		case columns == 0:
			columns = n
		case n != columns:
			t.Errorf("broken row: %s", line)
		case rows[line] && strings.HasPrefix(line, "| `"):
			t.Errorf("this row is in two tables: %s", line)
		}
		rows[line] = true
	}
	if n := strings.Count("\n"+markdown.String(), "\n## "); n != len(Table())+1 {
		t.Errorf("%d sections", n)
	}
}
