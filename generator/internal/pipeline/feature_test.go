package pipeline_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/mcpgen/mcpgen/generator/internal/diag"
)

// TestFeatures generates for every module of testdata/features, compares what is printed,
// and exchanges messages with the program: of the file conversation, lines with > are
// sent, and those with < are received before the next one is sent.
func TestFeatures(t *testing.T) {
	eachArchive(t, "testdata/features/*.txtar", func(t *testing.T, path string, archive *txtar.Archive) {
		var sources []txtar.File
		for _, f := range archive.Files {
			if f.Name != "conversation" && filepath.Base(f.Name) != "mcp_gen.go" {
				sources = append(sources, f)
			}
		}
		dir := module(t, sources)
		res := generate(t, dir, "./...")
		if res.Diagnostics.Len() > 0 {
			var text bytes.Buffer
			diag.Print(&text, res.Diagnostics, dir)
			t.Fatal(text.String())
		}
		if _, err := res.Write(); err != nil {
			t.Fatal(err)
		}
		for _, p := range res.Packages {
			name, err := filepath.Rel(dir, p.Path)
			if err != nil {
				t.Fatal(err)
			}
			golden(t, archive, filepath.ToSlash(name), p.Source)
		}
		if !testing.Short() {
			got := converse(t, compile(t, dir), string(file(archive, "conversation").Data))
			golden(t, archive, "conversation", []byte(got))
		}
		if *update {
			if err := os.WriteFile(path, txtar.Format(archive), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// file is a file of an archive, which is added where it is missing.
func file(a *txtar.Archive, name string) *txtar.File {
	for i := range a.Files {
		if a.Files[i].Name == name {
			return &a.Files[i]
		}
	}
	a.Files = append(a.Files, txtar.File{Name: name})
	return &a.Files[len(a.Files)-1]
}

func golden(t *testing.T, a *txtar.Archive, name string, got []byte) {
	t.Helper()
	f := file(a, name)
	switch {
	case bytes.Equal(f.Data, got):
	case *update:
		f.Data = got
	default:
		t.Errorf("%s: run the test with -update and look at the diff; got\n%s", name, got)
	}
}

// compile vets the module and builds its main package.
func compile(t *testing.T, dir string) string {
	t.Helper()
	binary := filepath.Join(t.TempDir(), "program")
	for _, args := range [][]string{{"vet", "./..."}, {"build", "-o", binary, "."}} {
		cmd := exec.Command("go", args...)
		cmd.Dir, cmd.Env = dir, environment(dir)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
		}
	}
	return binary
}

var reference = regexp.MustCompile(`reference [0-9a-f]{6}`)

// converse sends the lines with > and returns them with what came.
func converse(t *testing.T, binary, script string) string {
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
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(stdout)
	var out strings.Builder
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
			var came struct{ ID json.RawMessage }
			if err := json.Unmarshal([]byte(line), &came); err != nil {
				t.Fatalf("%v: %s", err, line)
			}
			if came.ID != nil {
				return // an answer, or a question of the server
			}
		}
	}
	send(`{"jsonrpc":"2.0","id":"init","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"elicitation":{}},"clientInfo":{"name":"test","version":"1"}}}`, false)
	send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`, false)
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
	return out.String()
}
