package clientcmd

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/internal/clients"
)

// Arguments that name another file in each directory are reported, and no others.
func TestRelative(t *testing.T) {
	for arg, want := range map[string]string{
		"server.js": "DIR/server.js", "./x": "DIR/x", "../x": "PARENT/x", ".": "DIR", "dist/index.mjs": "DIR/dist/index.mjs", "here": "DIR/here", "lib": "DIR/lib",
		"-db=notes.db": "-db=DIR/notes.db", "--config=./c": "--config=DIR/c",
		"mcp-fs": "", "-y": "", "@scope/mcp-fs": "", "mcp-fs@1.2.3": "", "/data/x.js": "", "https://example.com/x.js": "", "ghcr.io/org/image:1.2": "", "${HOME}/x.js": "", "run": "", "": "", "--token=a": "", "console.log(1).js x": "",
	} {
		var out, problems strings.Builder
		c := commandIn(t, &out, &problems)
		dir := c.System.Dir
		if err := errors.Join(os.MkdirAll(filepath.Join(dir, "lib"), 0o700), os.WriteFile(filepath.Join(dir, "here"), nil, 0o600)); err != nil {
			t.Fatal(err)
		}
		for _, scope := range []string{"user", "project"} {
			problems.Reset()
			err := c.Install(t.Context(), "cursor", "notes", &clients.Server{Command: "/bin/node", Args: []string{arg}}, &Options{Scope: scope, Force: true}, nil)
			if err != nil {
				t.Fatal(err)
			}
			if warned := strings.Contains(problems.String(), "is a relative path"); warned != (want != "") {
				t.Errorf("%s, %s: %s", arg, scope, problems.String())
			}
			absolute := strings.NewReplacer("DIR", dir, "PARENT", filepath.Dir(dir)).Replace(filepath.FromSlash(want))
			if want != "" && scope == "user" && !strings.Contains(problems.String(), "hint: write the absolute path: "+quote(absolute)+"\n") {
				t.Errorf("%s: %s, want %s", arg, problems.String(), absolute)
			}
		}
	}
}

// The output contains no value from flags or from a file.
func TestNoSecrets(t *testing.T) {
	const secret = "swordfish"
	servers := map[string]struct {
		clients.Server
		Options
	}{
		"variable":    {clients.Server{Command: "/x"}, Options{Env: []string{"KEY=" + secret}}},
		"header":      {clients.Server{URL: "https://example.com/mcp"}, Options{Header: []string{"X-Key=" + secret}}},
		"bearer":      {clients.Server{URL: "https://example.com/mcp"}, Options{Header: []string{"Authorization=Bearer " + secret}}},
		"query":       {clients.Server{URL: "https://example.com/mcp?key=" + secret}, Options{}},
		"flag":        {clients.Server{Command: "/x", Args: []string{"--token=" + secret}}, Options{}},
		"next":        {clients.Server{Command: "/x", Args: []string{"--password", secret}}, Options{}},
		"credentials": {clients.Server{Command: "/x", Args: []string{"postgres://me:" + secret + "@db/x"}}, Options{}},
		"dsn":         {clients.Server{Command: "/x", Args: []string{"me:" + secret + "@tcp(db)/x"}}, Options{}},
	}
	for what, s := range servers {
		for _, target := range []string{"cursor user", "cursor project", "codex project", "claude-code user", "claude-code local"} {
			client, scope, _ := strings.Cut(target, " ")
			var out, problems strings.Builder
			c := commandIn(t, &out, &problems)
			t.Setenv("PATH", "")
			shown := func(step string, err error) {
				t.Helper()
				all := fmt.Sprint(out.String(), problems.String(), err)
				if strings.Contains(all, secret) {
					t.Errorf("%s, %s, %s: %s", what, target, step, all)
				}
				out.Reset()
				problems.Reset()
			}
			install := func(step string, dry, force bool) {
				t.Helper()
				server, o := s.Server, s.Options
				o.Scope, o.DryRun, o.Force = scope, dry, force
				shown(step, c.Install(t.Context(), client, "notes", &server, &o, nil))
			}
			install("dry run", true, false)
			install("install", false, false)
			c.Probe = func(context.Context, *clients.Status) (tools, tokens int, err error) {
				return 0, 0, errors.New(`Get "https://u:swordfish@x?y=swordfish": denied for swordfish`)
			}
			for _, o := range []StatusOptions{{Start: true}, {Start: true, JSON: true}} {
				_, err := c.Status(t.Context(), []string{client}, o)
				shown("status", err)
			}
			path := c.System.File(clients.Find(client), clients.Scope(scope))
			if text, err := os.ReadFile(path); (err == nil && strings.Contains(string(text), secret)) != (client != "claude-code") {
				t.Errorf("%s, %s: installed: %s, %v", what, target, text, err)
			}
			other := s
			s.Server, s.Options = clients.Server{Command: "/other"}, Options{}
			install("different", false, false)
			s = other
			if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(`{"a": swordfish`), 0o600)); err != nil {
				t.Fatal(err)
			}
			install("broken file", false, false)
		}
	}
}

// The output names hidden values, and explains what to do.
func TestSecretHints(t *testing.T) {
	var out, problems strings.Builder
	c := commandIn(t, &out, &problems)
	err := c.Install(t.Context(), "claude-code", "notes", &clients.Server{Command: "/x"}, &Options{Env: []string{"KEY=1"}}, nil)
	usage, ok := errors.AsType[*UsageError](err)
	if !ok || !strings.Contains(usage.Problem, "would have the value of KEY") || !strings.HasPrefix(usage.Hint, "-env KEY without a value") {
		t.Errorf("%v", err)
	}
	file := c.System.File(clients.Find("claude-code"), clients.User)
	entry, _ := json.Marshal(map[string]any{"mcpServers": map[string]any{"notes": map[string]any{"url": "https://x?token=1"}}})
	if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, entry, 0o600)); err != nil {
		t.Fatal(err)
	}
	err = c.Install(t.Context(), "claude-code", "notes", &clients.Server{Command: "/x"}, &Options{Force: true}, nil)
	if usage, ok := errors.AsType[*UsageError](err); !ok || !strings.HasSuffix(usage.Hint, "Take it out first: claude mcp remove -s user notes") {
		t.Errorf("%v", err)
	}
	for what, s := range map[string]*clients.Server{
		"the argument '--token=***'":                  {Command: "/x", Args: []string{"--token=abc", "abc"}},
		"a part of the URL https://example.com?a=***": {URL: "https://example.com?a=abc"},
	} {
		problems.Reset()
		if err := c.Install(t.Context(), "cursor", "notes", s, &Options{Scope: "project", Force: true}, nil); err != nil {
			t.Fatal(err)
		}
		if want := "warning: " + what + " looks like a secret"; !strings.Contains(problems.String(), want) {
			t.Errorf("%s, want %s", problems.String(), want)
		}
	}
}
