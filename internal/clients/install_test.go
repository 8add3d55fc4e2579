package clients

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/internal/clients/clientfiles"
	"github.com/mcpgen/mcpgen/internal/trust"
)

// system returns a System with an empty home directory.
func system(t *testing.T) *System {
	t.Helper()
	caches(t)
	dir := t.TempDir()
	return &System{
		OS: runtime.GOOS, Home: filepath.Join(dir, "home"), Dir: filepath.Join(dir, "project"),
		Lookup: func(string) (string, bool) { return "", false },
		Record: filepath.Join(dir, "config", "mcpgen", "installed.json"),
	}
}

// server contains everything that an entry can contain.
var server = &Server{Command: "/usr/bin/notes", Args: []string{"-db", "a b"}, Env: []Variable{{Name: "A", Value: "b"}}}

// ownServer contains only values that may be arguments of the client's own command.
var ownServer = &Server{Command: "/usr/bin/notes", Args: []string{"-db", "a b"}, Env: []Variable{{Name: "A", Refer: true}}}

// targets returns all clients and scopes whose files are edited.
func targets() (list []*Target) {
	for _, c := range All {
		for _, scope := range c.Scopes() {
			if !c.usesOwn(scope) {
				list = append(list, &Target{c, scope, "n"})
			}
		}
	}
	return list
}

func writeText(t *testing.T, path, text string) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
		t.Fatal(err)
	}
}

// servers are the possible forms of an entry.
var servers = map[string]*Server{
	"program": server,
	"bare":    {Command: "/usr/bin/notes"},
	"refers":  {Command: "/usr/bin/notes", Args: []string{"\u00e4\t\"\\"}, Env: []Variable{{Name: "A", Value: "b"}, {Name: "SECRET", Refer: true}}},
	"url":     {URL: "https://example.com/mcp?a=b#c", Header: []Variable{{Name: "X-A", Value: "1"}, {Name: "Authorization", Value: "Bearer ${TOKEN}"}}},
}

// filesOf returns a client's files that can be changed, and files that cannot.
func filesOf(c *Client) (good, broken map[string]string) {
	good, broken, container := clientfiles.JSON, clientfiles.BrokenJSON, "mcpServers"
	if c.TOML {
		good, broken, container = clientfiles.TOML, clientfiles.BrokenTOML, "mcp_servers"
	}
	rename := func(texts map[string]string) map[string]string {
		renamed := map[string]string{}
		for name, text := range texts {
			renamed[name] = strings.ReplaceAll(text, container, c.Holds)
		}
		return renamed
	}
	return rename(good), rename(broken)
}

// In each client and scope, an entry of every form can be added to files of every kind, and
// removing it restores the original bytes.
func TestInstall(t *testing.T) {
	large := map[bool]bool{} // whether the large file was used, by Client.TOML
	for _, target := range targets() {
		t.Run(target.Client.Name+"/"+string(target.Scope), func(t *testing.T) {
			good, broken := filesOf(target.Client)
			if len(good)+len(broken) < 25 {
				t.Errorf("%d files", len(good)+len(broken))
			}
			forms := 0
			for form, server := range servers {
				entry, err := target.Client.Entry(server)
				if _, ok := errors.AsType[*EntryError](err); ok {
					continue // a form that the client does not support
				}
				if err != nil {
					t.Fatal(err)
				}
				forms++
				for name, text := range good {
					if form != "program" && !slices.Contains([]string{"empty", "tabs", "minified", "crlf", "entries", "entries, comments", "one line"}, name) {
						continue // the other files differ only around the entry
					}
					if name == "large" {
						if large[target.Client.TOML] {
							continue // it takes long, and depends only on the format
						}
						large[target.Client.TOML] = true
					}
					s := system(t)
					path := s.File(target.Client, target.Scope)
					writeText(t, path, text)
					installed(t, s, target, server, entry)
					wantFile(t, path, text)
					kept, err := os.ReadFile(path + ".bak")
					if inRepository := errors.Is(err, os.ErrNotExist); inRepository != (target.Scope == Project) || !inRepository && string(kept) != text {
						t.Errorf("the old file: %q, %v", kept, err)
					}
				}
				s := system(t)
				installed(t, s, target, server, entry)
				if _, err := os.Stat(s.File(target.Client, target.Scope)); !errors.Is(err, os.ErrNotExist) {
					t.Errorf("a file that was missing is there: %v", err)
				}
			}
			if forms < 2 {
				t.Errorf("%d forms", forms)
			}
		})
	}
}

// A link continues to name its target, which gets the entry: for a user anywhere, for a project
// within it.
func TestInstallLinked(t *testing.T) {
	for _, target := range targets() {
		s := system(t)
		path, text := s.File(target.Client, target.Scope), "\n"
		real := filepath.Join(s.Home, "dotfiles", "file")
		if target.Scope == Project {
			real = filepath.Join(s.Dir, "config", "file")
		}
		writeText(t, real, text)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.Symlink(real, path)); err != nil {
			t.Skip("there are no links:", err)
		}
		entry, err := target.Client.Entry(server)
		if err != nil {
			t.Fatal(err)
		}
		if result, err := s.Install(t.Context(), target, entry, Change{}); err != nil || result != Added {
			t.Error(result, err)
		}
		if now, err := os.ReadFile(real); err != nil || !strings.Contains(string(now), "notes") {
			t.Errorf("%s: %q, %v", target.Client.Name, now, err)
		}
		if _, err := os.Lstat(real + ".bak"); err == nil {
			t.Errorf("%s: the old file is kept where the link leads", target.Client.Name)
		}
		if result, err := s.Uninstall(t.Context(), target, Change{}); err != nil || result != Removed {
			t.Error(result, err)
		}
		wantFile(t, real, text)
		if info, err := os.Lstat(path); err != nil || info.Mode()&os.ModeSymlink == 0 {
			t.Errorf("%s: %v, %v", target.Client.Name, info.Mode(), err)
		}
	}
}

// installed installs an entry twice, and removes it.
func installed(t *testing.T, s *System, target *Target, server *Server, entry Fields) {
	t.Helper()
	path := s.File(target.Client, target.Scope)
	result, err := s.Install(t.Context(), target, entry, Change{})
	if err != nil || result != Added {
		t.Fatal(result, err)
	}
	one, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if result, err = s.Install(t.Context(), target, entry, Change{}); err != nil || result != Present {
		t.Error("twice:", result, err)
	}
	wantFile(t, path, string(one))
	all, err := s.Status(target.Client)
	ours := 0
	for _, st := range all {
		if st.Ours && st.Name == "n" && st.Scope == target.Scope && st.Server.Command == server.Command && st.Server.URL == server.URL {
			ours++
		}
	}
	if err != nil || ours != 1 {
		t.Errorf("status: %d of %d, %v", ours, len(all), err)
	}
	if result, err = s.Uninstall(t.Context(), target, Change{}); err != nil || result != Removed {
		t.Error(result, err)
	}
	if result, err = s.Uninstall(t.Context(), target, Change{}); err != nil || result != Absent {
		t.Error("removed twice:", result, err)
	}
}

// A file that cannot be changed keeps its bytes, and the error contains the text to paste.
func TestInstallRefused(t *testing.T) {
	for _, target := range targets() {
		entry, err := target.Client.Entry(server)
		if err != nil {
			t.Fatal(err)
		}
		s := system(t)
		path := s.File(target.Client, target.Scope)
		_, broken := filesOf(target.Client)
		for name, text := range broken {
			writeText(t, path, text)
			for _, how := range []Change{{}, {Force: true}} {
				_, err := s.Install(t.Context(), target, entry, how)
				unsafe, ok := errors.AsType[*UnsafeError](err)
				if !ok || !strings.Contains(unsafe.Paste, "notes") || !strings.Contains(err.Error(), "line ") {
					t.Errorf("%s, %s: %v", target.Client.Name, name, err)
				}
			}
			if _, err := s.Uninstall(t.Context(), target, Change{}); err == nil {
				t.Errorf("%s, %s: uninstalled", target.Client.Name, name)
			}
			wantFile(t, path, text)
		}
		writeText(t, path, "")
		if err := os.Chmod(path, 0o400); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Install(t.Context(), target, entry, Change{}); err == nil {
			t.Errorf("%s: a read-only file is changed", target.Client.Name)
		}
		wantFile(t, path, "")
	}
}

// Replacing a different entry requires Force, and concurrent changes of others are kept.
func TestInstallDifferent(t *testing.T) {
	for _, target := range targets() {
		s := system(t)
		path := s.File(target.Client, target.Scope)
		entry, err := target.Client.Entry(server)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Install(t.Context(), target, changed, Change{}); err != nil {
			t.Fatal(err)
		}
		before, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		_, err = s.Install(t.Context(), target, entry, Change{})
		if different, ok := errors.AsType[*DifferentError](err); !ok || !strings.Contains(different.Diff, "- ") || !strings.Contains(different.Diff, "+ ") {
			t.Errorf("%s: %v", target.Client.Name, err)
		}
		if result, err := s.Install(t.Context(), target, entry, Change{Force: true, DryRun: true}); err != nil || result != Replaced {
			t.Errorf("%s: %s, %v", target.Client.Name, result, err)
		}
		wantFile(t, path, string(before))
		if result, err := s.Install(t.Context(), target, entry, Change{Force: true}); err != nil || result != Replaced {
			t.Errorf("%s: %s, %v", target.Client.Name, result, err)
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		// Later changes by hand are kept, including a changed entry.
		note := "// note\n"
		if target.Client.TOML {
			note = "# note\n"
		}
		writeText(t, path, note+string(text))
		if _, err := s.Uninstall(t.Context(), target, Change{}); err != nil {
			t.Error(err)
		}
		if text, err := os.ReadFile(path); err != nil || !strings.HasPrefix(string(text), note) || strings.Contains(string(text), "notes") {
			t.Errorf("%s: %q, %v", target.Client.Name, text, err)
		}
	}
}

// An existing entry is not started without a flag, even if it has the name of an installed one.
func TestOurs(t *testing.T) {
	s := system(t)
	target := &Target{Find("cursor"), Project, "n"}
	entry, err := target.Client.Entry(server)
	if err != nil {
		t.Fatal(err)
	}
	path := s.File(target.Client, Project)
	ours := func() bool {
		t.Helper()
		all, err := s.Status(target.Client)
		if err != nil || len(all) != 1 {
			t.Fatalf("%d, %v", len(all), err)
		}
		return all[0].Ours
	}
	writeText(t, path, (&Target{target.Client, Project, "n"}).Paste(entry))
	if result, err := s.Install(t.Context(), target, entry, Change{}); err != nil || result != Present || ours() {
		t.Errorf("%s, %v: an entry of another origin is ours", result, err)
	}
	if _, err := s.Install(t.Context(), target, changed, Change{Force: true}); err != nil || !ours() {
		t.Errorf("an installed entry is not ours: %v", err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	writeText(t, path, strings.Replace(string(text), "other", "evil", 1))
	if ours() {
		t.Error("an entry that has changed is ours")
	}
}

// Claude Code changes its own file. The program here does what its command does.
func TestOwnCommand(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the program is a shell script")
	}
	s := system(t)
	bin := t.TempDir()
	script := `#!/bin/sh
echo "$@" >> "$LOG"
case "$2" in
add-json) printf '{"mcpServers": {"%s": %s}}' "$5" "$6" > "$FILE" ;;
remove) echo '{}' > "$FILE" ;;
esac
`
	if err := os.WriteFile(filepath.Join(bin, "claude"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	log := filepath.Join(bin, "log")
	target := &Target{Find("claude-code"), User, "n"}
	path := s.File(target.Client, User)
	for _, dir := range []string{s.Home, s.Dir} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("LOG", log)
	t.Setenv("FILE", path)
	entry, err := target.Client.Entry(ownServer)
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", "")
	_, err = s.Install(t.Context(), target, entry, Change{})
	if command, ok := errors.AsType[*CommandError](err); !ok || !errors.Is(err, exec.ErrNotFound) || len(command.Command) != 7 {
		t.Error(err)
	}
	t.Setenv("PATH", bin)
	for _, want := range []Result{Added, Present} {
		if result, err := s.Install(t.Context(), target, entry, Change{}); err != nil || result != want {
			t.Errorf("%s, %v, want %s", result, err, want)
		}
	}
	if _, err := s.Install(t.Context(), target, changed, Change{}); err == nil {
		t.Error("a different entry is replaced")
	}
	if result, err := s.Install(t.Context(), target, changed, Change{Force: true}); err != nil || result != Replaced {
		t.Errorf("%s, %v", result, err)
	}
	all, err := s.Status(target.Client)
	if err != nil || len(all) != 1 || !all[0].Ours {
		t.Errorf("%v, %v", all, err)
	}
	for _, want := range []Result{Removed, Absent} {
		if result, err := s.Uninstall(t.Context(), target, Change{}); err != nil || result != want {
			t.Errorf("%s, %v, want %s", result, err, want)
		}
	}
	one := entry.JSON(false)
	wantFile(t, log, "mcp add-json -s user n "+one+"\nmcp remove -s user n\nmcp add-json -s user n "+changed.JSON(false)+"\nmcp remove -s user n\n")
	// The same file contains the entries of a directory.
	writeText(t, path, `{"projects": {"`+filepath.Dir(s.Dir)+`": {"mcpServers": {"l": {"command": "x"}}}}}`)
	list, err := s.Entries(target.Client, Local)
	if err != nil || len(list) != 1 || list[0].Name != "l" {
		t.Errorf("%v, %v", list, err)
	}
}

// The context ends the wait for another process.
func TestInstallCancelled(t *testing.T) {
	s := system(t)
	target := &Target{Find("cursor"), User, "n"}
	path, err := trust.Resolve(s.File(target.Client, User))
	if err != nil {
		t.Fatal(err)
	}
	unlock, err := lock(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Install(ctx, target, changed, Change{}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// An entry that should be replaced is restored if the new one is refused, and is in the message if
// that fails, too.
func TestOwnCommandRefuses(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the program is a shell script")
	}
	const old = `{ "command": "/usr/bin/mine", "args": ["a'b \"c"], "number": 1.50, "other": {"x": null} }`
	for _, broken := range []bool{false, true} {
		s := system(t)
		bin := t.TempDir()
		script := `#!/bin/sh
case "$2" in
add-json)
	case "$6" in
	*mine*) ` + map[bool]string{true: "exit 1", false: `printf '{"mcpServers": {"%s": %s}}' "$5" "$6" > "$FILE"`}[broken] + ` ;;
	*) echo "not allowed" >&2; exit 1 ;;
	esac ;;
remove) echo '{}' > "$FILE" ;;
esac
`
		if err := os.WriteFile(filepath.Join(bin, "claude"), []byte(script), 0o700); err != nil {
			t.Fatal(err)
		}
		target := &Target{Find("claude-code"), User, "n"}
		path := s.File(target.Client, User)
		if err := os.MkdirAll(s.Dir, 0o700); err != nil {
			t.Fatal(err)
		}
		t.Setenv("FILE", path)
		t.Setenv("PATH", bin+":/bin:/usr/bin")
		writeText(t, path, `{"mcpServers": {"n": `+old+`}}`)
		before, err := s.Entries(target.Client, User)
		if err != nil {
			t.Fatal(err)
		}
		entry, err := target.Client.Entry(ownServer)
		if err != nil {
			t.Fatal(err)
		}
		_, err = s.Install(t.Context(), target, entry, Change{Force: true})
		if e, ok := errors.AsType[*CommandError](err); !ok || !strings.Contains(err.Error(), "not allowed") || broken != strings.Contains(e.Error(), "/usr/bin/mine") {
			t.Errorf("%v", err)
		}
		now, err := s.Entries(target.Client, User)
		if err != nil || !broken && (len(now) != 1 || !equal(now[0].value, before[0].value)) {
			t.Errorf("%v, %v, want %v", now, err, before)
		}
	}
}
