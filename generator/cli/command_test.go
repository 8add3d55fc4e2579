package cli

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/mcpgen/mcpgen/generator/internal/model"
	"github.com/mcpgen/mcpgen/runtime/mcp"
)

func structured(value string, content ...mcp.Content) *mcp.ToolResult {
	return &mcp.ToolResult{Content: content, Structured: json.RawMessage(value)}
}

func TestPrintResult(t *testing.T) {
	for _, test := range []struct {
		name     string
		result   *mcp.ToolResult
		out, err string
		code     int
	}{
		{"text", mcp.ContentResult(mcp.Text{Text: "one\n"}, mcp.Text{Text: "two"}), "one\ntwo\n", "", 0},
		{"structured", structured(`{"a": [1]}`, mcp.Text{Text: `{"a":[1]}`}), "{\n  \"a\": [\n    1\n  ]\n}\n", "", 0},
		{"structured with a text of its own", structured(`[]`, mcp.Text{Text: "one book"}), "[]\n", "one book\n", 0},
		{"null", structured("null", mcp.Text{Text: "null"}), "null\n", "", 0},
		{"number", structured("9007199254740993"), "9007199254740993\n", "", 0},
		{"error", &mcp.ToolResult{Content: []mcp.Content{mcp.Text{Text: "no such book"}}, IsError: true}, "", "no such book\n", 1},
		{"image", mcp.ContentResult(mcp.Image{Data: []byte{0, 1, 2, 3}, MIMEType: "image/png"}), "[image image/png, 4 bytes]\n", "", 0},
		{"audio", mcp.ContentResult(mcp.Audio{Data: []byte{0}, MIMEType: "audio/wav"}), "[audio audio/wav, 1 bytes]\n", "", 0},
		{"link", mcp.ContentResult(mcp.ResourceLink{URI: "file:///a", Name: "a"}), "[resource link file:///a, a]\n", "", 0},
		{"resources", mcp.ContentResult(mcp.EmbeddedResource{URI: "x:a", Text: "hello"}, mcp.EmbeddedResource{URI: "x:b", MIMEType: "a/b", Blob: []byte{0}}),
			"[resource x:a]\nhello\n[resource x:b, a/b, 1 bytes]\n", "", 0},
		{"unknown", mcp.ContentResult(mcp.RawContent{Type: "hologram", JSON: json.RawMessage(`{"type":"hologram"}`)}), "[hologram 19 bytes]\n", "", 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			var out, err bytes.Buffer
			c := &command{ctx: t.Context(), data: &out, err: &err, progress: newProgress(&err, false)}
			code := c.printResult(test.result)
			if code != test.code || out.String() != test.out || err.String() != test.err {
				t.Errorf("got %d, %q, %q\nwant %d, %q, %q", code, &out, &err, test.code, test.out, test.err)
			}
		})
	}
}

func TestRelocate(t *testing.T) {
	const output = "# example.com/m\n./store.go:3:4: undefined: x\n\tsub dir/other.go:1:2: other declaration\n/abs/x.go:1:1: y\nnote: module requires Go 1.99"
	from := filepath.FromSlash("/w/nested/m")
	got := filepath.ToSlash(relocate(output, from, filepath.FromSlash("/w")))
	want := "# example.com/m\nnested/m/store.go:3:4: undefined: x\n\tnested/m/sub dir/other.go:1:2: other declaration\n../abs/x.go:1:1: y\nnote: module requires Go 1.99"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got := relocate(output, from, from); got != output {
		t.Errorf("without need: got\n%s", got)
	}
}

func TestProgress(t *testing.T) {
	steps := func(p *progress) {
		p.begin("loading .")
		p.begin("building .")
		p.clear()
		p.end()
	}
	var b bytes.Buffer
	steps(newProgress(&b, false))
	if b.Len() > 0 {
		t.Errorf("on a pipe: %q", &b)
	}
	steps(newProgress(&b, true))
	if want := "\r\x1b[Kloading . ...\r\x1b[K\r\x1b[Kbuilding . ...\r\x1b[K"; b.String() != want {
		t.Errorf("on a terminal: %q, want %q", &b, want)
	}
	b.Reset()
	p := newProgress(&b, true)
	p.verbose = true
	steps(p)
	if got := b.String(); strings.Count(got, "\n") != 2 || strings.Contains(got, "\x1b") || !strings.HasPrefix(got, "loading .: ") {
		t.Errorf("with -v: %q", got)
	}
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	if isTerminal(null) {
		t.Error("the null device is no terminal")
	}
}

func TestExitCode(t *testing.T) {
	for _, test := range []struct {
		signal os.Signal
		code   int
		want   int
	}{
		{os.Interrupt, 0, 130}, {os.Interrupt, 1, 130}, {syscall.SIGTERM, 0, 0}, {syscall.SIGTERM, 1, 143},
	} {
		if got := (signalError{test.signal}).exitCode(test.code); got != test.want {
			t.Errorf("%v after %d: got %d, want %d", test.signal, test.code, got, test.want)
		}
	}
}

func TestInvocation(t *testing.T) {
	for arg0, want := range map[string]string{
		"mcpgen": "mcpgen", "mcpgen.exe": "mcpgen",
		filepath.Join("cache", "mcpgen"): "go tool mcpgen",
	} {
		if got := invocation(arg0); got != want {
			t.Errorf("invocation(%q) = %q, want %q", arg0, got, want)
		}
	}
}

func TestWord(t *testing.T) {
	for s, want := range map[string]string{
		"./a-b_c": "./a-b_c", "": "''", "a b": "'a b'", "it's": `'it'\''s'`, "a$b": "'a$b'", "é": "'é'",
	} {
		if got := word(s); got != want {
			t.Errorf("word(%q) = %s, want %s", s, got, want)
		}
	}
}

func TestHints(t *testing.T) {
	for h, want := range map[model.Hints]string{
		{ReadOnly: true, Idempotent: true, OpenWorld: true}: "readonly",
		{Destructive: true, OpenWorld: true}:                "destructive",
		{Idempotent: true}:                                  "additive idempotent closedworld",
	} {
		if got := hints(h); got != want {
			t.Errorf("hints(%+v) = %q, want %q", h, got, want)
		}
	}
}
