package interop

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/interop/hostile"
	"github.com/mcpgen/mcpgen/runtime/mcpclient"
)

// mcpgenPath builds the command, and returns its path.
var mcpgenPath = sync.OnceValues(func() (string, error) {
	path := filepath.Join(filepath.Dir(bookstore), "mcpgen"+exe())
	build := exec.Command("go", "build", "-o", path, "./cmd/mcpgen")
	build.Dir, build.Env = "..", append(os.Environ(), "GOWORK=off")
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build the command: %w\n%s", err, out)
	}
	return path, nil
})

// shell runs the command in a separate directory.
type shell struct {
	t    *testing.T
	path string
	dir  string
}

func newShell(t *testing.T) *shell {
	t.Helper()
	path, err := mcpgenPath()
	if err != nil {
		t.Fatal(err)
	}
	return &shell{t, path, t.TempDir()}
}

func (s *shell) run(args ...string) (code int, stdout, stderr string) {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), 90*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, s.path, args...)
	cmd.Dir = s.dir
	cmd.Env = append(os.Environ(), "XDG_CACHE_HOME="+filepath.Join(s.dir, "cache"), "XDG_CONFIG_HOME="+filepath.Join(s.dir, "config"))
	var out, problems bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &problems
	err := cmd.Run()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		code = exit.ExitCode()
	} else if err != nil {
		s.t.Errorf("mcpgen %q: %v", args, err)
	}
	return code, out.String(), problems.String()
}

// want runs the command and checks that its output, or the error text if the code is not 0,
// contains a part.
func (s *shell) want(code int, part string, args ...string) {
	s.t.Helper()
	got, stdout, stderr := s.run(args...)
	text := stdout
	if code != 0 {
		text = stderr
	}
	if got != code || !strings.Contains(text, part) {
		s.t.Errorf("mcpgen %q: exit code %d, want %d; %q is not in\n%s\n%s", args, got, code, part, stdout, stderr)
	}
}

// TestCommandPublished calls a published TypeScript server from the shell, with each form of a
// server argument.
func TestCommandPublished(t *testing.T) {
	program := published(t, "everything")
	listen := func(mode string) string {
		c := mcpclient.Command{Path: program.Path, Args: []string{filepath.Join(clients, "servers", "published.mjs"), "everything", mode}}
		return "http://" + launch(t, c).address
	}
	absolute, err := filepath.Abs(program.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	for _, form := range []struct {
		name, server string
		after        []string // the end of the command line
	}{
		{"program", "", []string{"--", program.Path, absolute}},
		{"entry", "@everything", nil},
		{"HTTP", listen("streamableHttp") + "/mcp", nil},
		{"HTTP with SSE", listen("sse") + "/sse", nil},
	} {
		t.Run(form.name, func(t *testing.T) {
			t.Parallel()
			s := newShell(t)
			entries, err := json.Marshal(map[string]any{"mcpServers": map[string]any{"everything": map[string]any{"command": program.Path, "args": []string{absolute}}}})
			if err != nil {
				t.Fatal(err)
			}
			must(t, "write .mcp.json", os.WriteFile(filepath.Join(s.dir, ".mcp.json"), entries, 0o600))
			line := func(command string, words ...string) []string {
				args := []string{command}
				if form.server != "" {
					args = append(args, form.server)
				}
				return append(append(args, words...), form.after...)
			}
			s.want(0, "func(a float64, b float64)", line("list")...)
			s.want(0, `"name": "get-sum"`, line("list", "-json")...)
			s.want(0, "The sum of 2 and 3 is 5.", line("call", "get-sum", "a=2", "b=3")...)
			s.want(1, `a: must be a number, got a string "x"`, line("call", "get-sum", "a=x", "b=3")...)
			s.want(2, "did you mean get-sum?", line("call", "get-sun", "a=2", "b=3")...)
			s.want(0, "Resource 1: This is a plaintext resource", line("read", "demo://resource/dynamic/text/1")...)
			s.want(0, "What's weather in Oslo?", line("prompt", "args-prompt", "city=Oslo")...)
			s.want(2, "the argument city is missing", line("prompt", "args-prompt")...)
			code, _, stderr := s.run(line("call", "trigger-long-running-operation", "duration=0.2", "steps=2")...)
			if code != 0 || !strings.Contains(stderr, "2/2") {
				t.Errorf("exit code %d, without progress:\n%s", code, stderr)
			}
			_, stdout, stderr := s.run(line("call", "trigger-elicitation-request")...)
			if !strings.Contains(stdout, "cancelled") || !strings.Contains(stderr, "there is no terminal to answer on") {
				t.Errorf("a question without a terminal: %s\n%s", stdout, stderr)
			}
		})
	}
}

// TestCommandHostile runs the command against servers that violate the protocol: it ends in time,
// with the correct exit code, and prints no escape sequence.
func TestCommandHostile(t *testing.T) {
	dir, err := hostilePrograms()
	if err != nil {
		t.Fatal(err)
	}
	for i := range hostile.Rows {
		row := &hostile.Rows[i]
		t.Run(row.Name, func(t *testing.T) {
			t.Parallel()
			s := newShell(t)
			// As in the table, and a second less if the server is silent, since all wait for it.
			args := []string{"call", "-timeout", "10s"}
			if row.Waits {
				args[2] = "2s"
			}
			if row.Do == "list" || row.Do == "connect" {
				args[0] = "list"
			}
			server, strayed := new(hostile.Server), func() int { return 0 }
			if row.Over != "stdio" {
				var url string
				var stop func()
				server, url, strayed, stop = hostile.Start(row)
				defer stop()
				args = append(args, url)
			}
			if args[0] == "call" {
				args = append(args, "tool")
			}
			if row.Over == "stdio" {
				args = append(args, "--", dir+"server"+exe(), row.Name)
			}
			code, stdout, stderr := s.run(args...)
			want := 0
			if row.Want == "error" {
				want = 1
			}
			if code != want || strings.Contains(stdout+stderr, "\x1b") {
				t.Errorf("exit code %d, want %d\n%.500q\n%.2000q", code, want, stdout, stderr)
			}
			if want == 1 && !strings.Contains(stderr, "mcpgen: ") {
				t.Errorf("it does not say why: %.2000q", stderr)
			}
			if row.Elsewhere && strayed() > 0 {
				t.Error("something was sent to another origin")
			}
			if row.Sent != nil {
				if sent := row.Sent(server); sent != "" {
					t.Error("what was sent: ", sent)
				}
			}
		})
	}
}
