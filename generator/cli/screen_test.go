package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"go/token"
	"io"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/generator/internal/diag"
	"github.com/mcpgen/mcpgen/internal/columns"
	"github.com/mcpgen/mcpgen/internal/visible"
	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcphttp"
)

// onScreen returns a command whose output and messages are terminals of a width.
func onScreen(t *testing.T, width int, out, err io.Writer) *command {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	return &command{
		ctx: t.Context(), dir: t.TempDir(), invoked: "mcpgen", in: strings.NewReader(""), progress: newProgress(io.Discard, false),
		out: visible.Writer(out), err: visible.Writer(err), data: out, log: err,
		screen: columns.Screen{Out: out, Width: width, Bold: true}, report: columns.Screen{Out: err, Width: width, Bold: true},
	}
}

// The output of list fits the terminal, and -wide shows everything; texts from a server do not
// reach the terminal as escape sequences.
func TestListFits(t *testing.T) {
	s := mcp.NewServer(mcp.ServerInfo{Name: "shop"})
	properties := map[string]any{}
	for i := range 12 {
		properties[fmt.Sprintf("argument%d", i)] = map[string]any{"type": "string", "description": "\x1b[2J"}
	}
	schema, err := json.Marshal(map[string]any{"type": "object", "properties": properties})
	if err != nil {
		t.Fatal(err)
	}
	s.Register(mcp.NewTool(mcp.ToolInfo{Name: "search_books", InputSchema: string(schema)}, func(context.Context, json.RawMessage) (*mcp.ToolResult, error) { return nil, nil }))
	server := httptest.NewServer(mcphttp.NewHandler(s))
	t.Cleanup(server.Close)
	for _, width := range []int{60, 80, 120} {
		var out, errs bytes.Buffer
		if code := onScreen(t, width, &out, &errs).run([]string{"list", server.URL}); code != exitDone {
			t.Fatalf("exit code %d, %s", code, &errs)
		}
		plain := strings.NewReplacer("\x1b[1m", "", "\x1b[0m", "").Replace(out.String())
		for line := range strings.Lines(plain) {
			if n := len([]rune(strings.TrimSuffix(line, "\n"))); n > width {
				t.Errorf("width %d: %d columns: %s", width, n, line)
			}
		}
		if !strings.Contains(out.String(), "\x1b[1msearch_books\x1b[0m") || !strings.Contains(plain, "…") || strings.Contains(plain, "\x1b") {
			t.Errorf("width %d: %q", width, out.String())
		}
		out.Reset()
		if code := onScreen(t, width, &out, &errs).run([]string{"list", "-wide", server.URL}); code != exitDone || strings.Contains(out.String(), "…") || !strings.Contains(out.String(), "argument9") {
			t.Errorf("-wide: exit code %d, %s", code, &out)
		}
	}
}

// Findings fit the terminal, with their positions in bold; -wide breaks no lines.
func TestFindingsFit(t *testing.T) {
	var l diag.List
	l.Errorf(token.Position{Filename: "greet.go", Line: 9, Column: 1}, "", "%s", strings.Repeat("it is not set whether clients may read the text ", 4)+"\x1b[2J").Hint = strings.Repeat("write one of two words ", 6)
	for _, wide := range []bool{false, true} {
		var out, errs bytes.Buffer
		onScreen(t, 72, &out, &errs).fitted(&l, wide)
		text := strings.NewReplacer("\x1b[1m", "", "\x1b[0m", "").Replace(errs.String())
		if strings.Contains(text, "\x1b") || out.Len() > 0 || strings.Contains(errs.String(), "\x1b[1mgreet.go:9:1:\x1b[0m it is") == wide {
			t.Errorf("wide %v: %q", wide, errs.String())
		}
		for line := range strings.Lines(strings.ReplaceAll(text, "\t", "        ")) {
			if n := len([]rune(strings.TrimSuffix(line, "\n"))); n > 72 && !wide {
				t.Errorf("%d columns: %s", n, line)
			}
		}
		if wide && strings.Count(text, "\n") != 2 {
			t.Errorf("lines are broken: %q", text)
		}
	}
}
