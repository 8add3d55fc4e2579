package directive

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/generator/internal/diag"
)

// scan parses a file and returns its sets and the diagnostics as printed.
func scan(t testing.TB, src string) ([]*Set, string) {
	t.Helper()
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "x.go", src, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.Fatalf("%v\n%s", err, src)
	}
	var diags diag.List
	sets := ScanFile(fset, f, &diags)
	var b strings.Builder
	diag.Print(&b, &diags, "")
	return sets, b.String()
}

// describe writes sets in one line each.
func describe(sets []*Set) string {
	var b strings.Builder
	for _, s := range sets {
		fmt.Fprintf(&b, "%d %s %s:", s.Target, s.Name, s.Symbol)
		for _, d := range s.Directives {
			fmt.Fprintf(&b, " %d:%d:%s", d.Pos.Line, d.Pos.Column, d.Word)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func TestPlacement(t *testing.T) {
	for _, c := range []struct{ name, src, want string }{
		{"package", "// Package p is.\n//\n//mcp:server name=x\n//mcp:defaults readonly\npackage p", "0 p p: 3:1:server 4:1:defaults\n"},
		{"function", "package p\n\n// F does.\n//\n//mcp:tool\nfunc F() {}", "1 F F: 5:1:tool\n"},
		{"method", "package p\n//mcp:tool\nfunc (s *S[K, V]) M() {}\n//mcp:tool\nfunc (S) N() {}", "2 M (*S).M: 2:1:tool\n2 N S.N: 4:1:tool\n"},
		{"interface method", "package p\ntype I interface {\n\t// M does.\n\t//mcp:tool\n\tM()\n}", "3 M I.M: 4:2:tool\n"},
		{"type", "package p\n//mcp:doc x\ntype T int", "4 T T: 2:1:doc\n"},
		{"type in a group", "package p\ntype (\n\t//mcp:doc x\n\tT int\n\t//mcp:error\n\tE struct{}\n)", "4 T T: 3:2:doc\n4 E E: 5:2:error\n"},
		{"the one type of a group", "package p\n//mcp:doc x\ntype (\n\tT int\n)", "4 T T: 2:1:doc\n"},
		{"both comments", "package p\n//mcp:doc x\ntype (\n\t//mcp:error\n\tT int\n)", "4 T T: 2:1:doc 4:2:error\n"},
		{"variable", "package p\n//mcp:error\nvar A, B = 1, 2", "5 A A: 2:1:error\n"},
		{"constant of a group", "package p\nconst (\n\tA = iota\n\t//mcp:doc x\n\tB\n)", "6 B B: 4:2:doc\n"},
		{"fields", "package p\ntype T struct {\n\t//mcp:doc x\n\tA, B int\n\tC struct {\n\t\t//mcp:doc y\n\t\tD int\n\t}\n\t//mcp:doc z\n\t*E[int]\n}",
			"7 A T.A: 3:2:doc\n7 D T.C.D: 6:3:doc\n7 E T.E: 9:2:doc\n"},
		{"fields of a parameter", "package p\nfunc F(in struct {\n\t//mcp:doc x\n\tA []struct{\n\t//mcp:doc y\n\tB int}\n}) {}", "7 A F.A: 3:2:doc\n7 B F.A.B: 5:2:doc\n"},
		{"windows", "package p\r\n\r\n// F does.\r\n//mcp:tool readonly\r\nfunc F() {}\r\n", "1 F F: 4:1:tool\n"},
		{"no directives", "package p\n\n// mcpgen is fine, so are //mcp:tool and mcp: in here.\n// //mcp:tool\n/*\n//mcp:tool\n*/\nfunc F() {} // about mcp:\n// mcp\n//go:noinline\n", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			sets, diags := scan(t, c.src)
			if diags != "" {
				t.Errorf("diagnostics:\n%s", diags)
			}
			if got := describe(sets); got != c.want {
				t.Errorf("got:\n%swant:\n%s", got, c.want)
			}
		})
	}
}

func TestParent(t *testing.T) {
	sets, _ := scan(t, "package p\ntype I interface {\n\t//mcp:tool\n\tM()\n}\ntype T struct {\n\t//mcp:doc x\n\tA struct {\n\t\t//mcp:doc x\n\t\tB int\n\t}\n}\n")
	if len(sets) != 3 || sets[0].Parent.Name.Name != "I" || sets[1].Parent.Name.Name != "T" || sets[2].Parent != nil {
		t.Errorf("parents: %+v", sets)
	}
	if sets[0].Pos.Line != 4 || sets[0].Pos.Column != 2 || sets[0].Doc == nil {
		t.Errorf("set: %+v", sets[0])
	}
}

// TestRefused compares the diagnostics of one source per case.
func TestRefused(t *testing.T) {
	on := func(lines ...string) string { return "package p\n\n" + strings.Join(lines, "\n") + "\nfunc F() {}\n" }
	for _, c := range []struct{ name, src, want string }{
		// Spelling.
		{"typing error", on("//mcp:tol"), "x.go:3:1: unknown directive //mcp:tol\n\thint: did you mean //mcp:tool?\n"},
		{"capital", on("//mcp:Tool readonly"), "x.go:3:1: unknown directive //mcp:Tool\n\thint: did you mean //mcp:tool?\n"},
		{"space in front", on("// mcp:tool"), "x.go:3:1: comment begins with mcp: and is not a directive, as it is written\n\thint: write //mcp:tool: a line comment, in lower case, without spaces before the word\n"},
		{"capitals in front", on("// MCP:tool"), "x.go:3:1: comment begins with mcp: and is not a directive, as it is written\n\thint: write //mcp:tool: a line comment, in lower case, without spaces before the word\n"},
		{"space behind", on("//mcp: tool"), "x.go:3:1: comment begins with mcp: and is not a directive, as it is written\n\thint: write //mcp:tool: a line comment, in lower case, without spaces before the word\n"},
		{"space before colon", on("//mcp :tol"), "x.go:3:1: comment begins with mcp: and is not a directive, as it is written\n\thint: write //mcp:tool: a line comment, in lower case, without spaces before the word\n"},
		{"odd space", on("//\u200b\u00a0mcp:tool"), "x.go:3:1: comment begins with mcp: and is not a directive, as it is written\n\thint: write //mcp:tool: a line comment, in lower case, without spaces before the word\n"},
		{"tab", on("//\tmcp:tool"), "x.go:3:1: comment begins with mcp: and is not a directive, as it is written\n\thint: write //mcp:tool: a line comment, in lower case, without spaces before the word\n"},
		{"block", on("/*mcp:tool*/"), "x.go:3:1: comment begins with mcp: and is not a directive, as it is written\n\thint: write //mcp:tool: a line comment, in lower case, without spaces before the word\n"},
		{"block with stars", on("/**\n * mcp:tool\n */"), "x.go:3:1: comment begins with mcp: and is not a directive, as it is written\n\thint: write //mcp:tool: a line comment, in lower case, without spaces before the word\n"},
		{"prose", on("// mcp: the protocol"), "x.go:3:1: comment begins with mcp: and is not a directive, as it is written\n\thint: these comments are reserved for directives: begin it with another word, or see mcpgen help directives\n"},
		{"no word", on("//mcp:"), "x.go:3:1: comment begins with mcp: and names no directive\n\thint: these comments are reserved for directives: begin it with another word, or see mcpgen help directives\n"},
		{"comma behind", on("//mcp:tool,readonly"), "x.go:3:11: //mcp:tool: ',' directly after the word\n\thint: put a space after //mcp:tool; mcpgen help directives lists what may follow\n"},
		{"equals behind", on("//mcp:tool=x"), "x.go:3:11: //mcp:tool: '=' directly after the word\n\thint: put a space after //mcp:tool; mcpgen help directives lists what may follow\n"},
		{"nothing near", on("//mcp:xylophone"), "x.go:3:1: unknown directive //mcp:xylophone\n\thint: known are server, defaults, tool, arg, params, result, doc, resource, prompt, skill, inject, error, form, enum, union, schema, decode, encode, constructor, from and ignore\n"},
		{"in a body", "package p\nfunc F() {\n\t// mcp:tool\n}", "x.go:3:2: comment begins with mcp: and is not a directive, as it is written\n\thint: write //mcp:tool: a line comment, in lower case, without spaces before the word\n"},
		{"behind code", "package p\nvar a = 1 // mcp:error\n", "x.go:2:11: comment begins with mcp: and is not a directive, as it is written\n\thint: write //mcp:error: a line comment, in lower case, without spaces before the word\n"},

		// Place.
		{"floating", "package p\n\n//mcp:tool\n\nfunc F() {}", "x.go:3:1: //mcp:tool: is not above a declaration\n\thint: move it directly above func F, without an empty line between them\n"},
		{"one message for a floating comment", "package p\n\n//mcp:tool\n//mcp:arg x default=1\n\nfunc F() {}", "x.go:3:1: //mcp:tool: is not above a declaration\n\thint: move it directly above func F, without an empty line between them\n"},
		{"far away", "package p\n\n//mcp:tool\n\n\n\n\n\nfunc F() {}", "x.go:3:1: //mcp:tool: is not above a declaration\n\thint: move it directly above the declaration that it is about, without an empty line between them\n"},
		{"at the end", "package p\n\nfunc F() {}\n//mcp:tool", "x.go:4:1: //mcp:tool: is not above a declaration\n\thint: move it directly above the declaration that it is about, without an empty line between them\n"},
		{"before the package comment", "//mcp:server\n\n// Package p is.\npackage p", "x.go:1:1: //mcp:server: is not above a declaration\n\thint: move it directly above the package clause, without an empty line between them\n"},
		{"in the body", "package p\nfunc F() {\n\t//mcp:tool\n\tvar x int // mcp\n}", "x.go:3:2: //mcp:tool: is in the body of F\n\thint: move it into the doc comment of F\n"},
		{"in a function literal", "package p\nvar f = func() {\n\t//mcp:tool\n}", "x.go:3:2: //mcp:tool: is in the body of a function\n\thint: move it directly above the declaration that it is about\n"},
		{"local type", "package p\nfunc F() {\n\t//mcp:doc x\n\ttype T int\n}", "x.go:3:2: //mcp:doc: is in the body of F\n\thint: move it into the doc comment of F\n"},
		{"behind a function", "package p\nfunc F() {} //mcp:tool", "x.go:2:13: //mcp:tool: is not above a declaration\n\thint: move it directly above the declaration that it is about, without an empty line between them\n"},
		{"behind a field", "package p\ntype T struct {\n\tA int //mcp:doc x\n}", "x.go:3:8: //mcp:doc: is behind field T.A\n\thint: put it into a line of its own, directly above the declaration\n"},
		{"behind a constant", "package p\nconst A = 1 //mcp:doc x", "x.go:2:13: //mcp:doc: is behind A\n\thint: put it into a line of its own, directly above the declaration\n"},
		{"parameter", "package p\nfunc F(\n\t//mcp:doc x\n\ta int,\n) {}", "x.go:3:2: //mcp:doc: is in the signature of F\n\thint: describe the parameter by a plain comment here, or by //mcp:arg in the doc comment of F\n"},
		{"import", "package p\n\n//mcp:server\nimport \"fmt\"", "x.go:3:1: //mcp:server: is on an import\n\thint: move it directly above the package clause, without an empty line between them\n"},
		{"group", "package p\n//mcp:error\nvar (\n\tA = 1\n\tB = 2\n)", "x.go:2:1: //mcp:error: is on a group of declarations\n\thint: put it directly above the one that it is about, inside the parentheses\n"},
		{"embedded interface", "package p\ntype I interface {\n\t//mcp:tool\n\tJ\n}", "x.go:3:2: //mcp:tool: is on an embedded interface\n\thint: put it on a method that the interface declares\n"},
		{"interface without a name", "package p\nfunc F(i interface {\n\t//mcp:tool\n\tM()\n}) {}", "x.go:3:2: //mcp:tool: is on a method of an interface without a name\n\thint: declare the interface as a type of its own\n"},
		{"in a struct", "package p\ntype T struct {\n\t//mcp:doc x\n\n\tA int\n}", "x.go:3:2: //mcp:doc: is inside of a declaration\n\thint: move it directly above the declaration that it is about\n"},
		{"tool on a type", "package p\n//mcp:tool\ntype T int", "x.go:2:1: //mcp:tool: cannot be applied to type T\n\thint: it can be applied to a function, a method, an interface method, a variable or a group of variables (a variable: _ = and a function or method expression of any package)\n"},
		{"server on a function", on("//mcp:server"), "x.go:3:1: //mcp:server: cannot be applied to function F\n\thint: it can be applied to the package comment\n"},
		{"inject on a method", "package p\n//mcp:inject\nfunc (T) F() {}", "x.go:2:1: //mcp:inject: cannot be applied to method T.F\n\thint: it can be applied to a function (func(context.Context, ...) T or func(context.Context, ...) (T, error))\n"},
		{"error on a constant", "package p\n//mcp:error\nconst A = 1", "x.go:2:1: //mcp:error: cannot be applied to constant A\n\thint: it can be applied to a variable, a type, a function or the package comment (a sentinel error, an error type, or func(E) string; a package comment: for an error of another package)\n"},
		{"arg on a field", "package p\ntype T struct {\n\t//mcp:arg x\n\tA int\n}", "x.go:3:2: //mcp:arg: cannot be applied to struct field T.A\n\thint: it can be applied to a function, a method, an interface method, a variable, a type or the package comment (a type or the package comment: for all features that have the argument)\n"},

		// Repetition.
		{"twice", on("//mcp:tool name=a", "//mcp:tool name=b"), "x.go:4:1: //mcp:tool: given twice on F\n\tx.go:3:1: the other one\n\thint: put everything into one line\n"},
		{"argument twice", on("//mcp:tool", "//mcp:arg a minimum=1", "//mcp:arg b", "//mcp:arg a maximum=1"), "x.go:6:1: //mcp:arg a: given twice on F\n\tx.go:4:1: the other one\n\thint: put everything into one line\n"},
		{"result of no tool", on("//mcp:result a"), "x.go:3:1: //mcp:result: F is not a feature\n\thint: add //mcp:tool, //mcp:resource or //mcp:prompt above it\n"},
		{"argument of a misspelt tool", on("//mcp:tol", "//mcp:arg a"), "x.go:3:1: unknown directive //mcp:tol\n\thint: did you mean //mcp:tool?\n"},

		// Arguments.
		{"unknown key", on("//mcp:tool timout=30s"), "x.go:3:12: //mcp:tool: unknown key \"timout\"\n\thint: did you mean timeout?\n"},
		{"unknown flag", on("//mcp:tool readnly  closdworld"), "x.go:3:12: //mcp:tool: unknown word \"readnly\"\n\thint: did you mean readonly?\nx.go:3:21: //mcp:tool: unknown word \"closdworld\"\n\thint: did you mean closedworld?\n"},
		{"key of a validator", on("//mcp:tool\n//mcp:arg limit min=1"), "x.go:4:17: //mcp:arg limit: unknown key \"min\"\n\thint: did you mean minimum, minLength or minItems?\n"},
		{"another one", on("//mcp:tool\n//mcp:arg limit oneof=a,b"), "x.go:4:17: //mcp:arg limit: unknown key \"oneof\"\n\thint: did you mean enum?\n"},
		{"a third", on("//mcp:tool\n//mcp:arg limit GT=1"), "x.go:4:17: //mcp:arg limit: unknown key \"GT\"\n\thint: did you mean exclusiveMinimum?\n"},
		{"key of another", on("//mcp:tool minimum=1"), "x.go:3:12: //mcp:tool: unknown key \"minimum\"\n\thint: it belongs to //mcp:arg\n"},
		{"colon", on("//mcp:tool name:search"), "x.go:3:12: //mcp:tool: unknown word \"name:search\"\n\thint: write name=VALUE\n"},
		{"comment behind", on("//mcp:tool // reads"), "x.go:3:12: //mcp:tool: unknown word \"//\"\n\thint: a directive takes the whole line: move the comment to a line of its own\nx.go:3:15: //mcp:tool: unknown word \"reads\"\n\thint: it takes name, title, description, group, readonly, destructive, additive, idempotent, openworld, closedworld, timeout, scopes, requires, task, inline, taskttl, poll, restart, lenient, required, icon, meta, mime, maxresult, shorten, page, output, encode, receiver, alias, ui and visibility\n"},
		{"no arguments", on("//mcp:inject now"), "x.go:3:14: //mcp:inject: unknown word \"now\"\n\thint: it takes no arguments\n"},
		{"key twice", on("//mcp:tool name=a name=b"), "x.go:3:19: //mcp:tool: name given twice\n\tx.go:3:12: the other one\n\thint: keep one of the two\n"},
		{"flag twice", on("//mcp:tool readonly readonly=false"), "x.go:3:21: //mcp:tool: readonly given twice\n\tx.go:3:12: the other one\n\thint: keep one of the two\n"},
		{"no value", on("//mcp:tool timeout"), "x.go:3:12: //mcp:tool: timeout has no value\n\thint: write for example timeout=30s\n"},
		{"empty value", on("//mcp:tool name= readonly"), "x.go:3:12: //mcp:tool: name has no value\n\thint: write name=VALUE without spaces around =\n"},
		{"spaces around =", on("//mcp:tool name = x"), "x.go:3:12: //mcp:tool: name has no value\n\thint: write for example name=search_books\nx.go:3:17: //mcp:tool: = without a key before it\n\thint: write key=value without spaces around =\nx.go:3:19: //mcp:tool: unknown word \"x\"\n\thint: it takes name, title, description, group, readonly, destructive, additive, idempotent, openworld, closedworld, timeout, scopes, requires, task, inline, taskttl, poll, restart, lenient, required, icon, meta, mime, maxresult, shorten, page, output, encode, receiver, alias, ui and visibility\n"},
		{"unclosed", on("//mcp:tool title=\"Search readonly"), "x.go:3:18: //mcp:tool: unclosed quote\n\thint: close the string with \"; it cannot go on in the next line\n"},
		{"unclosed raw", on("//mcp:tool title=`Search"), "x.go:3:18: //mcp:tool: unclosed quote\n\thint: close the string with `; it cannot go on in the next line\n"},
		{"escape", on(`//mcp:tool title="a\d"`), "x.go:3:20: //mcp:tool: a string with an escape that Go does not have\n\thint: write \\\\ for a backslash, or quote the string with `\n"},
		{"glued", on(`//mcp:tool title="a"b readonly=x`), "x.go:3:21: //mcp:tool: text directly after the closing quote\n\thint: put a space between arguments, or escape the quote inside the string\nx.go:3:21: //mcp:tool: unknown word \"b\"\n\thint: it takes name, title, description, group, readonly, destructive, additive, idempotent, openworld, closedworld, timeout, scopes, requires, task, inline, taskttl, poll, restart, lenient, required, icon, meta, mime, maxresult, shorten, page, output, encode, receiver, alias, ui and visibility\nx.go:3:32: //mcp:tool: readonly is a flag and takes true or false, got \"x\"\n\thint: write readonly, or readonly=false\n"},
		{"single quotes", on("//mcp:tool title='two words' readonly=maybe"), "x.go:3:18: //mcp:tool: a string in single quotes\n\thint: quote strings as in Go, with \" or `\nx.go:3:39: //mcp:tool: readonly is a flag and takes true or false, got \"maybe\"\n\thint: write readonly, or readonly=false\n"},
		{"typographic quotes", on("//mcp:tool title=“two words”"), "x.go:3:18: //mcp:tool: a string in typographic quotes\n\thint: quote strings as in Go, with \" or `\n"},
		{"string without a key", on(`//mcp:tool "Finds books"`), "x.go:3:12: //mcp:tool: a string without a key\n\thint: write description=\"Finds books\"\n"},
		{"no name", on("//mcp:tool", "//mcp:arg default=1"), "x.go:4:11: //mcp:arg: NAME is missing\n\thint: write for example //mcp:arg limit \"how many books at most\" default=20 minimum=1 maximum=100\n"},
		{"nothing", on("//mcp:tool", "//mcp:arg"), "x.go:4:10: //mcp:arg: NAME is missing\n\thint: write for example //mcp:arg limit \"how many books at most\" default=20 minimum=1 maximum=100\n"},
		{"description without quotes", on("//mcp:tool", "//mcp:arg limit how many maximum books"), "x.go:4:17: //mcp:arg limit: unknown word \"how\"\n\thint: quote the description\n"},
		{"two descriptions", on("//mcp:tool", "//mcp:arg limit \"a\" \"b\""), "x.go:4:21: //mcp:arg limit: two descriptions\n\thint: join the two strings\n"},
		{"contradiction", on("//mcp:tool readonly destructive"), "x.go:3:21: //mcp:tool: destructive contradicts readonly\n\tx.go:3:12: readonly\n\thint: keep one of the two\n"},

		// Kinds.
		{"duration", on("//mcp:tool timeout=30"), "x.go:3:20: //mcp:tool: timeout must be a duration, got \"30\", which has no unit\n\thint: write timeout=30s for seconds\n"},
		{"not a duration", on("//mcp:tool timeout=soon"), "x.go:3:20: //mcp:tool: timeout must be a duration such as 30s or 1h30m, got \"soon\"\n\thint: write for example timeout=30s\n"},
		{"negative duration", on("//mcp:tool timeout=-1s"), "x.go:3:20: //mcp:tool: timeout must not be negative, got \"-1s\"\n"},
		{"size", on("//mcp:tool maxresult=64kb"), "x.go:3:22: //mcp:tool: maxresult must be a size in bytes: \"64kb\" is not a number of bytes such as 65536 or 64KiB\n\thint: write for example maxresult=64KiB\n"},
		{"word", "//mcp:defaults naming=camel errors=declard\npackage p", "x.go:1:23: //mcp:defaults: naming must be snake or asis, got \"camel\"\nx.go:1:36: //mcp:defaults: errors must be text or declared, got \"declard\"\n\thint: did you mean declared?\n"},
		{"name", on("//mcp:tool name=\"\" description=\"\""), "x.go:3:17: //mcp:tool: name is empty\n\thint: write for example name=search_books\n"},
		{"name of two words", on("//mcp:tool name=\"a b\""), "x.go:3:17: //mcp:tool: name must be one word, got \"a b\"\n\thint: write for example name=search_books\n"},
		{"number", on("//mcp:tool", "//mcp:arg a minimum=0x10 maximum=1_000"), "x.go:4:21: //mcp:arg a: minimum must be a number as JSON writes it, got \"0x10\"\n\thint: write for example minimum=1\nx.go:4:34: //mcp:arg a: maximum must be a number as JSON writes it, got \"1_000\"\n\thint: write for example maximum=100\n"},
		{"integer", on("//mcp:tool", "//mcp:arg a minLength=-1"), "x.go:4:23: //mcp:arg a: minLength must be a whole number, 0 or more, got \"-1\"\n\thint: write for example minLength=1\n"},
		{"JSON", on("//mcp:tool", `//mcp:arg a default=[1,x]`), "x.go:4:24: //mcp:arg a: default is not JSON: invalid character 'x' looking for beginning of value\n\thint: write for example default=20\n"},
		{"open JSON", on("//mcp:tool", `//mcp:arg a default=[1,{"a":2]`), "x.go:4:30: //mcp:arg a: ] where } is due\n"},
		{"unclosed JSON", on("//mcp:tool", `//mcp:arg a default=[1,`), "x.go:4:21: //mcp:arg a: unclosed [\n\thint: close it in the same line\n"},
		{"empty item", on("//mcp:tool", `//mcp:arg a enum=x,,y`), "x.go:4:20: //mcp:arg a: enum has an empty item\n\thint: write items with commas and no spaces between them: a,b\n"},
		{"item twice", on("//mcp:tool", `//mcp:arg a enum=x,"y z",x`), "x.go:4:26: //mcp:arg a: enum has \"x\" twice\n"},

		{"from another source", "package p\n\n//line y.y:5\n\n//mcp:tool redonly\nfunc F() {}", "y.y:6: //mcp:tool: unknown word \"redonly\"\n\thint: did you mean readonly?\n"},

		// Not built yet.
		{"from on a function", on("//mcp:from example.com/x"), "x.go:3:1: //mcp:from: cannot be applied to function F\n\thint: it can be applied to the package comment\n"},
		{"task of a prompt", on("//mcp:prompt task=optional"), "x.go:3:14: //mcp:prompt: unknown key \"task\"\n\thint: it belongs to //mcp:defaults\n"},
		{"ignore without a reason", on("//mcp:ignore  missing-description "), "x.go:3:34: //mcp:ignore: the reason is missing\n\thint: write after the rule why it does not apply: //mcp:ignore identity-argument The tenant is public.\n"},
		{"ignore without a rule", on("//mcp:ignore"), "x.go:3:13: //mcp:ignore: text is missing\n\thint: write for example //mcp:ignore identity-argument The tenant is public.\n"},
		{"quoted text", "package p\n//mcp:error \"gone\"\nvar A = 1", "x.go:2:13: warning: //mcp:error: the quotes become part of the text\n\thint: leave them out: the rest of the line is the text\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, got := scan(t, c.src); got != c.want {
				t.Errorf("got:\n%swant:\n%s", got, c.want)
			}
		})
	}
}

// Line ends and indentation do not change the columns.
func TestPositionsInCRLF(t *testing.T) {
	src := "package p\n\n// F does.\n//\n//mcp:tool  nme=x\n//mcp:arg a default=[1,x]\nfunc F() {\n\t//mcp:doc x\n}\n"
	_, unix := scan(t, src)
	_, windows := scan(t, strings.ReplaceAll(src, "\n", "\r\n"))
	if unix != windows || !strings.Contains(unix, "x.go:5:13:") {
		t.Errorf("unix:\n%s\nwindows:\n%s", unix, windows)
	}
}

func TestOncePerPackage(t *testing.T) {
	fset := token.NewFileSet()
	var files []*ast.File
	for i, src := range []string{"//mcp:server name=a\npackage p", "//mcp:server name=b\n//mcp:defaults readonly\npackage p", "package p\n//mcp:defaults readonly\ntype T int"} {
		f, err := parser.ParseFile(fset, fmt.Sprintf("f%d.go", i), src, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	var diags diag.List
	if sets := ScanFiles(fset, files, &diags); len(sets) != 3 {
		t.Errorf("%d sets", len(sets))
	}
	var b strings.Builder
	diag.Print(&b, &diags, "")
	want := "f1.go:1:1: //mcp:server: given twice in the package comments of one package\n\tf0.go:1:1: the other one\n\thint: keep one of the two\n"
	if b.String() != want {
		t.Errorf("got:\n%s", b.String())
	}
}
