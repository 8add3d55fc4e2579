package emit

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

var update = flag.Bool("update", false, "rewrite the generated files in testdata")

// testCase is one file of testdata: the source of a package and of those that it imports, the
// generated file, a file add.go that uses it, and calls with their results:
//
//	tool {"arguments": 1}
//	= the result's text
//	! a failed result's text
type testCase struct {
	file    string
	name    string
	archive *txtar.Archive
	calls   []toolCall
}

type toolCall struct {
	tool, arguments, want string
}

const module = "cases.test"

func loadCases(t *testing.T) []*testCase {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", "*.txtar"))
	if err != nil || len(files) == 0 {
		t.Fatalf("find cases: %v", err)
	}
	var out []*testCase
	for _, file := range files {
		a, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		c := &testCase{file: file, name: strings.TrimSuffix(filepath.Base(file), ".txtar"), archive: a}
		c.calls = parseCalls(t, file, c.text("calls"))
		out = append(out, c)
	}
	return out
}

func (c *testCase) text(name string) string {
	for _, f := range c.archive.Files {
		if f.Name == name {
			return string(f.Data)
		}
	}
	return ""
}

func parseCalls(t *testing.T, file, text string) []toolCall {
	t.Helper()
	var out []toolCall
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		switch {
		case line == "" || strings.HasPrefix(line, "#"):
		case strings.HasPrefix(line, "= "), strings.HasPrefix(line, "! "):
			if len(out) == 0 {
				t.Fatalf("%s: an answer before the first call", file)
			}
			last := &out[len(out)-1]
			if last.want != "" {
				last.want += "\n"
			}
			last.want += line
		default:
			tool, arguments, _ := strings.Cut(line, " ")
			if arguments == "" {
				arguments = "{}"
			}
			out = append(out, toolCall{tool: tool, arguments: arguments})
		}
	}
	return out
}

// packages groups the source files of a case by import path.
func (c *testCase) packages() map[string]map[string]string {
	out := map[string]map[string]string{}
	for _, f := range c.archive.Files {
		if !strings.HasSuffix(f.Name, ".go") || f.Name == "mcp_gen.go" || f.Name == "add.go" {
			continue
		}
		path := module + "/" + c.name
		if dir := filepath.Dir(f.Name); dir != "." {
			path += "/" + dir
		}
		if out[path] == nil {
			out[path] = map[string]string{}
		}
		out[path][f.Name] = string(f.Data)
	}
	return out
}

// generate returns the generated file of a case.
func (s *snippets) generate(t *testing.T, c *testCase) []byte {
	t.Helper()
	pkgs := c.packages()
	paths := slices.SortedFunc(maps.Keys(pkgs), func(a, b string) int { return len(b) - len(a) })
	main := module + "/" + c.name
	// Packages below come first: the one with the features imports them.
	for _, path := range paths {
		s.check(t, path, pkgs[path])
	}
	source, err := formatted(s.model(t, s.packages[main]), testSchemas)
	if err != nil {
		t.Fatalf("%s: %v", c.file, err)
	}
	return source
}

// TestGenerated compares the generated files with the golden ones of testdata, and then compiles
// them all in one module, vets it, and calls the tools.
func TestGenerated(t *testing.T) {
	s := newSnippets(t, module)
	cases := append(loadCases(t), manyFields())
	dir := t.TempDir()
	for _, c := range cases {
		got := s.generate(t, c)
		if formatted, err := format.Source(got); err != nil || !bytes.Equal(formatted, got) {
			t.Errorf("%s: the generated file is not formatted: %v", c.file, err)
		}
		for _, name := range unused(t, got) {
			t.Errorf("%s: %s is declared and not used", c.file, name)
		}
		if c.file == "" {
			c.write(t, dir, got)
			continue
		}
		if *update {
			c.set("mcp_gen.go", got)
		} else if want := c.text("mcp_gen.go"); want != string(got) {
			t.Errorf("%s: the generated file differs; run the test with -update and look at the diff\n%s", c.file, difference(want, string(got)))
		}
		c.write(t, dir, got)
	}
	if t.Failed() || testing.Short() {
		return
	}
	writeProgram(t, dir, cases)
	// With -trimpath the packages are the same in every temporary directory, so that only changed
	// ones are compiled.
	goCommand(t, dir, "vet", "-mod=mod", "-trimpath", "./...")
	binary := filepath.Join(t.TempDir(), "cases")
	goCommand(t, dir, "build", "-mod=mod", "-trimpath", "-ldflags=-s -w", "-o", binary, ".")
	answers := callAll(t, binary, cases)
	for _, c := range cases {
		for i := range c.calls {
			call, got := &c.calls[i], answers[0]
			answers = answers[1:]
			switch {
			case *update && c.file != "":
				call.want = got
			case got != call.want:
				t.Errorf("%s: %s %s\n got %s\nwant %s", c.file, call.tool, call.arguments, got, call.want)
			}
		}
		if *update && c.file != "" {
			c.save(t)
		}
	}
}

// difference returns the first line in which two texts differ.
func difference(want, got string) string {
	wants, gots := strings.Split(want, "\n"), strings.Split(got, "\n")
	for i := range min(len(wants), len(gots)) {
		if wants[i] != gots[i] {
			return fmt.Sprintf("line %d\n got %s\nwant %s", i+1, gots[i], wants[i])
		}
	}
	return fmt.Sprintf("got %d lines, want %d", len(gots), len(wants))
}

// manyFields returns a case with more fields than bits in a machine word.
func manyFields() *testCase {
	var fields, object strings.Builder
	for i := range 130 {
		fmt.Fprintf(&fields, "\tF%d int `json:\"f%d\"`\n", i, i)
		fmt.Fprintf(&object, `,"f%d":%d`, i, i)
	}
	all := "{" + object.String()[1:] + "}"
	source := "package many\n\ntype Many struct {\n" + fields.String() + "}\n\n//mcp:tool echo\nfunc Echo(m Many) Many { return m }\n"
	add := "package many\n\nimport \"github.com/mcpgen/mcpgen/runtime/mcp\"\n\nfunc Add(r mcp.Registrar) { RegisterMCP(r) }\n"
	return &testCase{
		name: "many",
		archive: &txtar.Archive{Files: []txtar.File{
			{Name: "in.go", Data: []byte(source)}, {Name: "add.go", Data: []byte(add)},
		}},
		calls: []toolCall{
			{"echo", all, "= " + all},
			{"echo", strings.Replace(all, `,"f129":129`, "", 1), "! 1 problem with the arguments of many_echo:\n! - f129: required, but missing"},
		},
	}
}

// unused returns the declarations of a generated file, except exported ones, that nothing in it
// refers to.
func unused(t *testing.T, source []byte) []string {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), "mcp_gen.go", source, 0)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]int{}
	ast.Inspect(f, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			seen[id.Name]++
		}
		return true
	})
	var out []string
	for name, n := range seen {
		if n == 1 && strings.HasPrefix(name, "mcp") {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}

// save writes the case with its generated file and the received results.
func (c *testCase) save(t *testing.T) {
	t.Helper()
	var calls strings.Builder
	for _, call := range c.calls {
		fmt.Fprintf(&calls, "%s %s\n%s\n", call.tool, call.arguments, call.want)
	}
	c.set("calls", []byte(calls.String()))
	if err := os.WriteFile(c.file, txtar.Format(c.archive), 0o666); err != nil {
		t.Fatal(err)
	}
}

// set replaces or adds a file of the case.
func (c *testCase) set(name string, data []byte) {
	for i := range c.archive.Files {
		if c.archive.Files[i].Name == name {
			c.archive.Files[i].Data = data
			return
		}
	}
	c.archive.Files = append(c.archive.Files, txtar.File{Name: name, Data: data})
}

// write adds the packages of a case to the module.
func (c *testCase) write(t *testing.T, dir string, generated []byte) {
	t.Helper()
	for _, f := range c.archive.Files {
		if strings.HasSuffix(f.Name, ".go") && f.Name != "mcp_gen.go" {
			writeFile(t, filepath.Join(dir, c.name, f.Name), f.Data)
		}
	}
	writeFile(t, filepath.Join(dir, c.name, "mcp_gen.go"), generated)
}

func writeFile(t *testing.T, name string, data []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, data, 0o666); err != nil {
		t.Fatal(err)
	}
}

// writeModule writes the go.mod of a module that uses this one.
func writeModule(t *testing.T, dir string) {
	t.Helper()
	mod := "module " + module + "\n\ngo 1.26.0\n\nrequire github.com/mcpgen/mcpgen v0.0.0\n\nreplace github.com/mcpgen/mcpgen => " + moduleRoot(t) + "\n"
	writeFile(t, filepath.Join(dir, "go.mod"), []byte(mod))
	sum, err := os.ReadFile(filepath.Join(moduleRoot(t), "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(dir, "go.sum"), sum)
}

// writeProgram writes a server of all cases. Each registers itself in a function Add of a file
// add.go, which does not exist when the code is generated.
func writeProgram(t *testing.T, dir string, cases []*testCase) {
	t.Helper()
	writeModule(t, dir)
	var imports, body strings.Builder
	for _, c := range cases {
		if c.text("add.go") == "" {
			continue
		}
		fmt.Fprintf(&imports, "\t%s %q\n", "case"+c.name, module+"/"+c.name)
		fmt.Fprintf(&body, "\tcase%s.Add(mcp.Prefix(s, %q))\n", c.name, c.name)
	}
	writeFile(t, filepath.Join(dir, "main.go"), []byte(`package main

import (
	"context"
	"log"

	"github.com/mcpgen/mcpgen/runtime/mcp"
`+imports.String()+`)

func main() {
	s := mcp.NewServer(mcp.ServerInfo{Name: "cases"})
`+body.String()+`	if err := s.ServeStdio(context.Background()); err != nil {
		log.Fatal(err)
	}
}
`))
}

// callAll calls every tool in turn and returns the results, in the notation of the cases.
func callAll(t *testing.T, binary string, cases []*testCase) []string {
	t.Helper()
	cmd := exec.Command(binary)
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(stdout)
	lines.Buffer(nil, 1<<24)
	ask := func(message string) json.RawMessage {
		t.Helper()
		if _, err := fmt.Fprintln(stdin, message); err != nil {
			t.Fatal(err)
		}
		if !lines.Scan() {
			t.Fatalf("the program ended: %v\n%s", lines.Err(), stderr.Bytes())
		}
		return slices.Clone(lines.Bytes())
	}
	ask(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`)
	var out []string
	for _, c := range cases {
		for i, call := range c.calls {
			reply := ask(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s}}`,
				i+1, c.name+"_"+call.tool, call.arguments))
			out = append(out, answer(t, reply))
		}
	}
	if err := stdin.Close(); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Fatalf("the program failed: %v\n%s", err, stderr.Bytes())
	}
	return out
}

// answer returns a reply in the notation of the cases.
func answer(t *testing.T, reply json.RawMessage) string {
	t.Helper()
	var m struct {
		Result struct {
			Content []struct{ Text, Type string }
			IsError bool
		}
		Error *struct{ Message string }
	}
	if err := json.Unmarshal(reply, &m); err != nil {
		t.Fatalf("%v: %s", err, reply)
	}
	if m.Error != nil {
		return "! error: " + m.Error.Message
	}
	mark := "= "
	if m.Result.IsError {
		mark = "! "
	}
	var texts []string
	for _, c := range m.Result.Content {
		if c.Type != "text" {
			c.Text = "(" + c.Type + ")"
		}
		texts = append(texts, c.Text)
	}
	return mark + strings.ReplaceAll(strings.Join(texts, "\n"), "\n", "\n"+mark)
}
