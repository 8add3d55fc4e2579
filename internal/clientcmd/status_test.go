package clientcmd

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/internal/clients"
)

// commandIn returns a Command with an empty home directory that prints to out and problems.
func commandIn(t *testing.T, out, problems *strings.Builder) *Command {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"HOME", "XDG_CACHE_HOME", "LOCALAPPDATA"} {
		t.Setenv(name, dir)
	}
	return &Command{Invoked: "mcpgen", Out: out, Err: problems, System: &clients.System{
		OS: runtime.GOOS, Home: filepath.Join(dir, "home"), Dir: filepath.Join(dir, "work"),
		Lookup: func(string) (string, bool) { return "", false },
		Record: filepath.Join(dir, "installed.json"),
	}}
}

// A file in a cloned repository produces one row for each entry, and no columns of its own.
func TestStatusRows(t *testing.T) {
	var out, problems strings.Builder
	c := commandIn(t, &out, &problems)
	c.Probe = func(context.Context, *clients.Status) (tools, tokens int, err error) {
		return 0, 0, errors.New("a\tb\rc\nd")
	}
	const fake = `x\ncursor\tuser\tgood\t3\t100\tanswers\t/usr/bin/good\r\n`
	for _, name := range []string{".cursor", ".gemini", ".codex"} {
		if err := os.MkdirAll(filepath.Join(c.System.Dir, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range map[string]string{
		".mcp.json":             `{"mcpServers": {"` + fake + `": {"command": "` + fake + `", "args": ["` + fake + `"]}}}`,
		".cursor/mcp.json":      `{"mcpServers": {"a": {"url": "http://` + fake + `"}}}`,
		".gemini/settings.json": `{"mcpServers": {"` + fake + `": 1, "` + fake + `": 1}}`,
		".codex/config.toml":    "[\"" + fake + "\"]\n[\"" + fake + "\"]\n",
	} {
		if err := os.WriteFile(filepath.Join(c.System.Dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := c.Status(t.Context(), nil, StatusOptions{Start: true}); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(out.String(), "\n"); n != 5 || strings.ContainsAny(out.String(), "\r\t") {
		t.Errorf("%d lines, want 5:\n%s", n, out.String())
	}
	for line := range strings.Lines(out.String()) {
		if strings.HasPrefix(line, "cursor ") && strings.Fields(line)[1] != "project" {
			t.Errorf("a row of a file: %s", line)
		}
	}
}

// Entries that others have configured show no credential, and status reports that it hides
// something, and in which entry.
func TestStatusHides(t *testing.T) {
	const more = `, "b": {"command": "npx", "args": ["-y", "@scope/pkg", "-p", "swordfish", "--token= ", "--token=", "swordfish"]}, "c": {"url": "https://x.example/?k=swordfish"}, ` +
		`"d": {"command": "sh", "args": ["-c", "exec server --password swordfish"]}`
	for _, test := range []struct {
		entries string
		hidden  int
	}{
		{`"a": {"command": "npx", "args": ["-y", "@scope/pkg", "--port", "8080"]}`, 0},
		{`"a": {"command": "npx", "args": ["-y", "@scope/pkg", "--port", "8080"]}` + more, 3},
	} {
		for _, asJSON := range []bool{false, true} {
			var out, problems strings.Builder
			c := commandIn(t, &out, &problems)
			if err := os.MkdirAll(c.System.Dir, 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(c.System.Dir, ".mcp.json"), []byte(`{"mcpServers": {`+test.entries+`}}`), 0o600); err != nil {
				t.Fatal(err)
			}
			if _, err := c.Status(t.Context(), nil, StatusOptions{JSON: asJSON}); err != nil {
				t.Fatal(err)
			}
			got := out.String()
			want := strings.Count(got, "\n*** stands for a value that may be a credential")
			if asJSON {
				want = strings.Count(got, `"hidden": true`)
			}
			if strings.Contains(got, "swordfish") || !strings.Contains(got, "8080") || asJSON && want != test.hidden || !asJSON && want != min(1, test.hidden) {
				t.Errorf("%d of %d hidden:\n%s", want, test.hidden, got)
			}
		}
	}
}
