package interop

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"
)

// realClients is the directory of programs that people use as clients.
const realClients = "realclients"

// realClient returns the absolute path of that directory. If a package of it is not installed, the
// test is skipped, or fails in CI (CI=true).
func realClient(t *testing.T, pkg string) string {
	t.Helper()
	dir, err := filepath.Abs(realClients)
	if err == nil {
		err = installed(realClients)
	}
	if err == nil {
		_, err = os.Stat(filepath.Join(dir, "node_modules", filepath.FromSlash(pkg)))
	}
	if err != nil {
		complain := t.Skipf
		if os.Getenv("CI") == "true" {
			complain = t.Fatalf
		}
		complain("install %s with \"npm ci\" in interop/%s: %v", pkg, realClients, err)
	}
	return dir
}

// apart runs commands with a separate home directory, and without any network.
type apart struct {
	t               *testing.T
	home, work, bin string
}

func newApart(t *testing.T, pkg string) *apart {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("there are no network namespaces")
	}
	dir := realClient(t, pkg)
	if out, err := exec.CommandContext(t.Context(), "unshare", "-rn", "true").CombinedOutput(); err != nil {
		t.Skipf("network namespaces are not allowed here: %v: %s", err, out)
	}
	home := t.TempDir()
	a := &apart{t: t, home: home, work: filepath.Join(home, "work"), bin: filepath.Join(dir, "node_modules", ".bin")}
	if err := os.Mkdir(a.work, 0o700); err != nil {
		t.Fatal(err)
	}
	return a
}

// write writes a file of the home directory.
func (a *apart) write(name, text string) {
	a.t.Helper()
	path := filepath.Join(a.home, filepath.FromSlash(name))
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
		a.t.Fatal(err)
	}
}

// run runs a command and returns its output.
func (a *apart) run(command ...string) string {
	a.t.Helper()
	ctx, cancel := context.WithTimeout(a.t.Context(), 3*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "unshare", append([]string{"-rn", "--"}, command...)...)
	cmd.Dir, cmd.WaitDelay = a.work, 10*time.Second
	// Nothing else of this environment: a variable may change the behaviour of a client.
	cmd.Env = []string{"HOME=" + a.home, "TERM=dumb", "LANG=C.UTF-8", "PATH=" + strings.Join([]string{a.bin, filepath.Dir(node(a.t)), os.Getenv("PATH")}, ":")}
	out, err := cmd.CombinedOutput()
	if err != nil {
		a.t.Fatalf("%s: %v\n%s", strings.Join(command, " "), err, out)
	}
	return string(out)
}

// Popular clients from npm list a server after its installation, and no longer after its removal.
// They run without any connection.
func TestRealClients(t *testing.T) {
	command := newShell(t).path
	for _, c := range []struct {
		client, pkg, program string
		scopes               []string
		file                 string // the user's, below the home directory
		text                 string // before
		connects             string // in the list, if the client starts the server
	}{
		{"claude-code", "@anthropic-ai/claude-code", "claude", []string{"user", "project", "local"}, "", "", "Connected"},
		{"codex", "@openai/codex", "codex", []string{"user", "project"}, ".codex/config.toml", "# mine\n[projects.WORK]\ntrust_level = \"trusted\" # yes\n", ""},
		{"gemini", "@google/gemini-cli", "gemini", []string{"user", "project"}, ".gemini/settings.json", "{\n\t// mine\n\t\"ui\": {\"hideTips\": true} // also mine\n}\n", "Connected"},
	} {
		t.Run(c.client, func(t *testing.T) {
			t.Parallel()
			a := newApart(t, c.pkg)
			if c.file != "" {
				c.text = strings.ReplaceAll(c.text, "WORK", strconv.Quote(a.work))
				a.write(c.file, c.text)
			}
			a.write(".gemini/trustedFolders.json", `{`+strconv.Quote(a.work)+`: "TRUST_FOLDER"}`)
			began := time.Now()
			list := func() string { return a.run(c.program, "mcp", "list") }
			if out := list(); strings.Contains(out, "shelf") {
				t.Fatalf("a server is there before:\n%s", out)
			}
			for _, scope := range c.scopes {
				name := "shelf-" + scope
				a.run(command, "install", c.client, "-scope", scope, "-name", name, "--", bookstore)
				out := list()
				if !strings.Contains(out, name) || !strings.Contains(out, bookstore) {
					t.Errorf("%s is not listed:\n%s", name, out)
				}
				// Claude Code asks a person before it starts a server of a project.
				if asks := c.client == "claude-code" && scope == "project"; !asks && !strings.Contains(out, c.connects) {
					t.Errorf("%s does not connect:\n%s", name, out)
				}
				a.run(command, "uninstall", c.client, "-scope", scope, name)
				if out := list(); strings.Contains(out, name) {
					t.Errorf("%s is still listed:\n%s", name, out)
				}
			}
			if c.file != "" {
				if text, err := os.ReadFile(filepath.Join(a.home, filepath.FromSlash(c.file))); err != nil || string(text) != c.text {
					t.Errorf("%s: %q, %v, want %q", c.file, text, err, c.text)
				}
			}
			t.Logf("%s took %v: %s", c.client, time.Since(began).Round(time.Second), strings.TrimSpace(a.run(c.program, "--version")))
		})
	}
}
