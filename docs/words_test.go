package docs_test

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// plainWords are words and phrases that this field does not use, each with what to write
// instead. They describe things as persons, negate by a noun, or replace the term under
// which a reader would search.
var plainWords = []struct {
	wrong   *regexp.Regexp
	instead string
	unless  *regexp.Regexp // matches the words with those before them if they are right
}{
	{word(`nobody|anybody|somebody`), "no client, no caller, another goroutine, or the passive voice", nil},
	{word(`whoever`), "the caller, the client, any goroutine that", nil},
	{word(`hears?|heard|hearing`), "receives, is notified", nil},
	{word(`deaf`), "not subscribed", nil},
	{word(`(is|are|was|were|be|been) told`), "is notified, gets, receives, the message says", nil},
	{word(`heeds?|heeded|heeding`), "applies, checks, respects", nil},
	{word(`farewell`), "the last message, notifications/cancelled", nil},
	{word(`mends?|mended|mending`), "fix, correct, repair", nil},
	{word(`lends?|lent|lending`), "get from the pool, reuse", nil},
	{word(`shelf|shelve[ds]?|reshelve[ds]?`), "set, registry, cache", nil},
	{word(`vigils?`), "watcher, goroutine that waits", nil},
	{word(`deeds?`), "operation", nil},
	{word(`venues?`), "target, transport", nil},
	{word(`kin`), "name them, or: and the corresponding functions", nil},
	{word(`astray`), "misplaced", nil},
	{word(`goes without saying|go without saying`), "is the default, is implied", nil},
	{word(`stands? (in|on|at|there|where|beside|before|behind|between|above|below|around|inside|still)`), "is in, applies to, precedes, follows, blocks", nil},
	{word(`(is|are|was|were) (its|their) own business`), "is not checked", nil},
	{word(`(that|it|this|which|what) (is|are|was|were) none`), "is not one", nil},
	{word(`(is|are|was|were) no [a-z]+`), "is not a", regexp.MustCompile(`(?i)^there (is|are|was|were) no|no (longer|more|less|fewer|better|worse)$`)},
}

func word(alternatives string) *regexp.Regexp {
	return regexp.MustCompile(`(?i)\b(` + alternatives + `)\b`)
}

// bannedNames are the words of plainWords that identifiers must not have either.
var bannedNames = word(`nobody|anybody|somebody|whoever|deaf|heard|hears|heeds?|farewell|mend(s|ed)?|lend(s|er)?|lent|shelf|shelves|shelved?|vigils?|deeds?|venues?|kin|astray`)

// wordsElsewhere are the files, by the beginnings of their paths, that TestPlainWords
// does not check, with the reason.
var wordsElsewhere = map[string]string{
	"CHANGELOG.md":                 "a record of what releases said",
	"docs/words_test.go":           "has the words",
	"bench/servers/mcpgen/shop.go": "has shelves of a bookshop",
	"bench/servers/gosdk":          "written like a program of that SDK",
	"bench/servers/mcpgo":          "written like a program of that SDK",

	"docs/conformance.md": "generated from internal/proof/spec/statements.txt and the names of tests",
}

// literalsElsewhere are files whose string literals are not checked, with the reason.
var literalsElsewhere = map[string]string{
	"bench/catalog/work.go":                   "has shelves of a bookshop",
	"conformance/internal/features/rounds.go": "greets a user whose name is not known",
	"generator/internal/vet/text.go":          "has patterns of texts that try to instruct a model",
}

// Comments, identifiers, pages, and the string literals of code that is not a test use the
// words of this field. A word of plainWords is wrong everywhere but in the files of
// wordsElsewhere and literalsElsewhere.
func TestPlainWords(t *testing.T) {
	checked := 0
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := filepath.ToSlash(path)[len(".."):]
		name = strings.TrimPrefix(name, "/")
		if d.IsDir() {
			if name != "" && (strings.HasPrefix(d.Name(), ".") && d.Name() != ".ci" && d.Name() != ".github" ||
				d.Name() == "testdata" || d.Name() == "node_modules") {
				return fs.SkipDir
			}
			return nil
		}
		if exempt(name) {
			return nil
		}
		var found []wrongWord
		switch filepath.Ext(name) {
		case ".go":
			literals := !strings.HasSuffix(name, "_test.go") && literalsElsewhere[name] == ""
			found, err = wrongInGo(path, literals)
		case ".md":
			found, err = wrongInPage(path)
		default:
			return nil
		}
		for _, w := range found {
			t.Errorf("%s:%d: %q in %q: write %s", name, w.line, w.word, w.text, w.instead)
		}
		checked++
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if checked < 100 {
		t.Errorf("%d files were checked", checked)
	}
}

// TestPlainWordsAreFound has each kind of use in a file of its own.
func TestPlainWordsAreFound(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct{ name, text, word string }{
		{"a.go", "package a\n\n// f waits until nobody reads.\nfunc f() {}\n", "nobody"},
		{"b.go", "package a\n\n// f returns what the client is\n// told.\nfunc f() {}\n", "is told"},
		{"c.go", "package a\n\nvar deafClient int\n", "deaf"},
		{"d.go", "package a\n\nfunc f() { type T struct{ oldShelf int } }\n", "Shelf"},
		{"e.go", "// Code generated by x; DO NOT EDIT.\n\npackage a\n\n// Nobody reads this.\n", ""},
		{"f.go", "package a\n\n// f is a term that stands for a value.\nconst f = 'x'\n", ""},
		{"g.md", "# Title\n\nThe comment stands\nbefore the value.\n", "stands before"},
		{"j.go", "package a\n\nconst f = \"x: this is \" + `no name` + \"; mend\\x20it\"\n", "mend"},
		{"k_test.go", "package a\n\nconst f = \"mend\"\n", ""},
		{"i.go", "package a\n\n// f is no name. There is no name, and it is no longer one.\nfunc f() {}\n", "is no name"},
		{"h.md", "```sh\ngreet nobody\n```\n\n`nobody` is a value.\n", ""},
	} {
		path := filepath.Join(dir, c.name)
		if err := os.WriteFile(path, []byte(c.text), 0o644); err != nil {
			t.Fatal(err)
		}
		find := func(path string) ([]wrongWord, error) {
			return wrongInGo(path, !strings.HasSuffix(path, "_test.go"))
		}
		if filepath.Ext(c.name) == ".md" {
			find = wrongInPage
		}
		found, err := find(path)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, w := range found {
			got += w.word
		}
		if got != c.word {
			t.Errorf("%s: found %q, want %q", c.name, got, c.word)
		}
	}
}

func exempt(name string) bool {
	for prefix := range wordsElsewhere {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}

type wrongWord struct {
	line                int
	word, text, instead string
}

// wrongInGo checks the comments and identifiers of a file that is not generated, and its
// string literals, each by itself.
func wrongInGo(path string, literals bool) (found []wrongWord, err error) {
	source, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, path, source, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	if ast.IsGenerated(file) {
		return nil, nil
	}
	for _, group := range file.Comments {
		if strings.HasPrefix(group.Text(), "Output:") {
			continue
		}
		found = append(found, wrongInText(group.Text(), set.Position(group.Pos()).Line)...)
	}
	seen := map[string]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		if lit, ok := n.(*ast.BasicLit); ok && literals && lit.Kind == token.STRING {
			if text, err := strconv.Unquote(lit.Value); err == nil {
				found = append(found, wrongInText(text, set.Position(lit.Pos()).Line)...)
			}
		}
		if id, ok := n.(*ast.Ident); ok && !seen[id.Name] {
			seen[id.Name] = true
			if m := bannedNames.FindString(spaced(id.Name)); m != "" {
				found = append(found, wrongWord{set.Position(id.Pos()).Line, m, id.Name, "a term of the field"})
			}
		}
		return true
	})
	return found, nil
}

// spaced separates the words of an identifier: "oldShelf" is "old Shelf".
func spaced(identifier string) string {
	var b strings.Builder
	for i, r := range identifier {
		if r >= 'A' && r <= 'Z' && i > 0 || r == '_' {
			b.WriteByte(' ')
		}
		b.WriteRune(r)
	}
	return b.String()
}

var inlineCode = regexp.MustCompile("`[^`\n]*`")

// wrongInPage checks a page outside of code.
func wrongInPage(path string) (found []wrongWord, err error) {
	source, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	fenced, start := false, 1
	var paragraph []string
	flush := func() {
		found = append(found, wrongInText(strings.Join(paragraph, "\n"), start)...)
		paragraph = nil
	}
	for i, line := range strings.Split(string(source), "\n") {
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			fenced = !fenced
			line = ""
		}
		if fenced || strings.TrimSpace(line) == "" {
			flush()
			start = i + 2
			continue
		}
		paragraph = append(paragraph, inlineCode.ReplaceAllString(line, "``"))
	}
	flush()
	return found, nil
}

// wrongInText checks a text that begins in a line. Phrases may continue in the next line.
func wrongInText(text string, line int) (found []wrongWord) {
	joined := []byte(strings.ReplaceAll(text, "\n", " "))
	for _, w := range plainWords {
		for _, at := range w.wrong.FindAllIndex(joined, -1) {
			if w.unless != nil && w.unless.Match(joined[max(0, at[0]-len("there ")):at[1]]) {
				continue
			}
			from, to := max(0, at[0]-30), min(len(joined), at[1]+30)
			found = append(found, wrongWord{
				line + bytes.Count([]byte(text[:at[0]]), []byte("\n")),
				string(joined[at[0]:at[1]]), string(joined[from:to]), w.instead,
			})
		}
	}
	slices.SortStableFunc(found, func(a, b wrongWord) int { return a.line - b.line })
	return found
}
