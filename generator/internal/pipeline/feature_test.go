package pipeline_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/generator/internal/load"
	"github.com/mcpgen/mcpgen/generator/internal/pipeline"
)

// TestFeatures generates for every module of testdata/features, compares the generated files, and
// exchanges messages with the program: in the part conversation, lines with > are sent, and lines
// with < are received before the next one is sent. No handler panics, and structured results follow
// the output schemas, whatever the part contains.
func TestFeatures(t *testing.T) {
	dir, cases := shopCases(t, "testdata/features/*.txtar", func(part string) bool {
		return part == "conversation" || path.Base(part) == load.GeneratedFile
	})
	res, err := pipeline.Generate(t.Context(), pipeline.Config{Dir: dir, Env: inWorkspace(dir), Patterns: patterns(cases)})
	if err != nil {
		t.Fatal(err)
	}
	if text := said(res.Diagnostics, dir); len(text) > 0 {
		t.Fatalf("%s", text)
	}
	if _, err := res.Write(); err != nil {
		t.Fatal(err)
	}
	for _, p := range res.Packages {
		name, err := filepath.Rel(dir, p.Path)
		if err != nil {
			t.Fatal(err)
		}
		alias, part, _ := strings.Cut(filepath.ToSlash(name), "/")
		for _, c := range cases {
			if c.alias == alias {
				c.golden(t, part, p.Source)
			}
		}
	}
	if testing.Short() {
		return
	}
	binary := compile(t, dir, cases)
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			cmd := exec.Command(binary)
			cmd.Env = append(os.Environ(), "MCPGEN_TEST_CASE="+c.alias)
			c.golden(t, "conversation", []byte(converse(t, cmd, string(c.part("conversation").Data))))
		})
	}
}

// compile vets the modules and links their programs into one, which runs the program that the
// environment variable MCPGEN_TEST_CASE names.
func compile(t *testing.T, dir string, cases []*shopCase) string {
	t.Helper()
	binary := filepath.Join(t.TempDir(), "program")
	goCommand := func(args ...string) {
		t.Helper()
		cmd := exec.Command("go", args...)
		cmd.Dir, cmd.Env = dir, inWorkspace(dir)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
		}
	}
	// With -trimpath the packages are the same in every temporary directory, so that only changed
	// ones are compiled.
	goCommand(append([]string{"vet", "-trimpath"}, patterns(cases)...)...)
	// A main package cannot be imported.
	var imports, programs strings.Builder
	for _, c := range cases {
		names, err := filepath.Glob(filepath.Join(c.dir, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			text = mainClause.ReplaceAll(text, []byte("package shop"))
			writeFile(t, name, mainFunction.ReplaceAll(text, []byte("func Main()")))
		}
		fmt.Fprintf(&imports, "\t%s \"example.com/%[1]s\"\n", c.alias)
		fmt.Fprintf(&programs, "\t\t%q: %[1]s.Main,\n", c.alias)
	}
	writeFile(t, filepath.Join(dir, cases[0].alias, "all", "main.go"), []byte(`package main

import (
	"os"

`+imports.String()+`)

func main() {
	map[string]func(){
`+programs.String()+`	}[os.Getenv("MCPGEN_TEST_CASE")]()
}
`))
	goCommand("build", "-trimpath", "-ldflags=-s -w", "-o", binary, "./"+cases[0].alias+"/all")
	return binary
}

var (
	mainClause   = regexp.MustCompile(`(?m)^package main$`)
	mainFunction = regexp.MustCompile(`(?m)^func main\(\)`)
)

var reference = regexp.MustCompile(`reference [0-9a-f]{6}`)

// converse sends the lines with > to a program and returns them together with the received lines.
func converse(t *testing.T, cmd *exec.Cmd, script string) string {
	t.Helper()
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	cmd.Stderr = &log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(stdout)
	var out strings.Builder
	var results outputs
	send := func(message string, show bool) {
		t.Helper()
		if _, err := io.WriteString(stdin, message+"\n"); err != nil {
			t.Fatal(err)
		}
		var sent struct{ ID, Result, Error json.RawMessage }
		if err := json.Unmarshal([]byte(message), &sent); err != nil {
			t.Fatalf("%v: %s", err, message)
		}
		for sent.ID != nil {
			line, err := lines.ReadString('\n')
			if err != nil {
				t.Fatalf("%v after %s", err, message)
			}
			if show {
				out.WriteString("< " + reference.ReplaceAllString(line, "reference ######"))
			}
			var came response
			if err := json.Unmarshal([]byte(line), &came); err != nil {
				t.Fatalf("%v: %s", err, line)
			}
			if came.ID != nil {
				results.check(t, message, &came)
				return // a response, or a request of the server
			}
		}
	}
	send(`{"jsonrpc":"2.0","id":"init","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"elicitation":{}},"clientInfo":{"name":"test","version":"1"}}}`, false)
	send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`, false)
	send(`{"jsonrpc":"2.0","id":"list","method":"tools/list"}`, false)
	for line := range strings.Lines(script) {
		message, ok := strings.CutPrefix(strings.TrimSpace(line), "> ")
		switch {
		case ok:
			out.WriteString("> " + message + "\n")
			send(message, true)
		case !strings.HasPrefix(line, "<"):
			out.WriteString(line)
		}
	}
	if err := errors.Join(stdin.Close(), cmd.Wait()); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(log.String(), "handler panicked") {
		t.Errorf("%s", log.String())
	}
	return out.String()
}
