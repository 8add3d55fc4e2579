package clientcmd

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/internal/clients"
)

// Only Gemini CLI treats a dollar before a word as a variable, and the text is not shown.
func TestBareVariables(t *testing.T) {
	for name, test := range map[string]struct {
		server clients.Server
		o      Options
		want   string // the warning, "" for none
	}{
		"argument":      {clients.Server{Command: "/x", Args: []string{"-v", "--re=^a$b"}}, Options{}, "argument 2 has"},
		"path":          {clients.Server{Command: "/x", Args: []string{"$HOME/notes.db"}}, Options{}, "argument 1 has"},
		"program":       {clients.Server{Command: "/opt/$x/bin"}, Options{}, "the program has"},
		"env":           {clients.Server{Command: "/x"}, Options{Env: []string{"PIN=pa$sword9"}}, "-env PIN has"},
		"header":        {clients.Server{URL: "https://example.com/mcp"}, Options{Header: []string{"X-Key=pa$sword9"}}, "-header X-Key has"},
		"URL":           {clients.Server{URL: "https://example.com/$metadata"}, Options{}, "the URL has"},
		"with braces":   {clients.Server{Command: "/x", Args: []string{"${HOME}/notes.db"}}, Options{}, ""},
		"dollar alone":  {clients.Server{Command: "/x", Args: []string{"a$", "$", "5 $", "$$", "$-1", "^a$|^b$"}}, Options{}, ""},
		"env refers":    {clients.Server{Command: "/x"}, Options{Env: []string{"PIN"}}, ""},
		"header refers": {clients.Server{URL: "https://example.com/mcp"}, Options{Header: []string{"Authorization=Bearer ${TOKEN}"}}, ""},
		"no dollar":     {clients.Server{Command: "/x", Args: []string{"HOME", "%HOME%"}}, Options{}, ""},
	} {
		for _, client := range []string{"gemini", "cursor"} {
			var out, problems strings.Builder
			c, server, o := commandIn(t, &out, &problems), test.server, test.o
			if err := c.Install(t.Context(), client, "notes", &server, &o, nil); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			got := problems.String()
			if warned := strings.Contains(got, "has a dollar before a word"); warned != (test.want != "" && client == "gemini") {
				t.Errorf("%s, %s: %s", name, client, got)
			} else if warned && !strings.Contains(got, "warning: "+test.want+" a dollar") {
				t.Errorf("%s: %s, want %s", name, got, test.want)
			}
			if strings.Contains(got, "sword9") {
				t.Errorf("%s: the value is shown: %s", name, got)
			}
		}
	}
}

// A byte order mark is kept, and reported for the client that cannot read it.
func TestByteOrderMark(t *testing.T) {
	const mark = "\xef\xbb\xbf"
	for text, want := range map[string]bool{mark + "{}": true, mark: true, "{}": false, "": false, `{"a":"` + mark + `"}`: false} {
		for _, client := range []string{"claude-desktop", "cursor"} {
			var out, problems strings.Builder
			c := commandIn(t, &out, &problems)
			path := c.System.File(clients.Find(client), clients.User)
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				t.Fatal(err)
			}
			if text != "" {
				if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if err := c.Install(t.Context(), client, "notes", &clients.Server{Command: "/x"}, &Options{}, nil); err != nil {
				t.Fatal(err)
			}
			if warned := strings.Contains(problems.String(), "begins with a byte order mark"); warned != (want && client == "claude-desktop") {
				t.Errorf("%q, %s: %s", text, client, problems.String())
			}
			if now, err := os.ReadFile(path); err != nil || strings.HasPrefix(string(now), mark) != want {
				t.Errorf("%q, %s: the file is %q, %v", text, client, now, err)
			}
		}
	}
}
