package clients

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// secret is part of every value of an entry that must not be shown.
const secret = "swordfish"

// secretServers contains entries with values that must not be shown, by the place of the value.
var secretServers = map[string]*Server{
	"A":             {Command: "/x", Env: []Variable{{Name: "A", Value: secret}}},
	"an argument":   {Command: "/x", Args: []string{"--token=" + secret, "-H", "X-A: " + secret, "--db", "me:" + secret + "@db"}},
	"the URL":       {URL: "https://example.com/mcp?a=" + secret},
	"X-A":           {URL: "https://example.com/mcp", Header: []Variable{{Name: "X-A", Value: secret}}},
	"Authorization": {URL: "https://example.com/mcp", Header: []Variable{{Name: "Authorization", Value: "Bearer " + secret}}},
}

// Neither the old entry nor the new one reveals a secret, in any client.
func TestSecretsNotShown(t *testing.T) {
	for _, target := range targets() {
		good, broken := filesOf(target.Client)
		for what, server := range secretServers {
			entry, err := target.Client.Entry(server)
			if _, ok := errors.AsType[*EntryError](err); ok {
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			s := system(t)
			path := s.File(target.Client, target.Scope)
			shown, hidden := target.Client.Shown(entry)
			if !slices.Contains(hidden, what) || strings.Contains(target.Paste(shown), secret) {
				t.Errorf("%s: %v are hidden in %s", target.Client.Name, hidden, target.Paste(shown))
			}
			writeText(t, path, good["empty"])
			if _, err := s.Install(t.Context(), target, entry, Change{}); err != nil {
				t.Fatal(err)
			}
			// Only the value differs.
			text, err := os.ReadFile(path)
			if err != nil || !strings.Contains(string(text), secret) {
				t.Fatalf("%s, %v", text, err)
			}
			writeText(t, path, strings.ReplaceAll(string(text), secret, secret+"2"))
			_, err = s.Install(t.Context(), target, entry, Change{})
			e, ok := errors.AsType[*DifferentError](err)
			if !ok || strings.Contains(e.Diff, secret) || !strings.Contains(e.Diff, "what is shown as *** differs") || !strings.Contains(e.Diff, "\n+ ") {
				t.Errorf("%s: %v\n%s", target.Client.Name, err, e.Diff)
			}
			for _, text := range broken {
				writeText(t, path, text)
				_, err := s.Install(t.Context(), target, entry, Change{})
				if e, ok := errors.AsType[*UnsafeError](err); !ok || strings.Contains(e.Paste+e.Error(), secret) || e.Paste == "" {
					t.Errorf("%s: %v\n%s", target.Client.Name, err, e.Paste)
				}
			}
		}
	}
}

// Entries of other origin may have other members and forms.
func TestShownForms(t *testing.T) {
	for text, want := range map[string]string{
		`{"oauth": {"clientSecret": "swordfish", "id": ["swordfish"]}, "n": 1.50, "on": true, "x": null}`: `{"n": 1.50, "oauth": {"clientSecret": "***", "id": ["***"]}, "on": true, "x": null}`,
		`{"command": "x", "args": ["a", 1, "swordfish"], "env": "swordfish"}`:                             `{"args": ["***", 1, "***"], "command": "x", "env": "***"}`,
		`{"command": "x", "args": "swordfish", "env": {"A": {"B": "swordfish"}, "C": "${C}", "D": ""}}`:   `{"args": "***", "command": "x", "env": {"A": {"B": "***"}, "C": "${C}", "D": ""}}`,
		`{"command": "sh", "args": ["-c", "TOKEN=swordfish x"], "cwd": "/y", "": "swordfish"}`:            `{"": "***", "args": ["-c", "TOKEN=***"], "command": "sh", "cwd": "/y"}`,
		`"swordfish"`: `***`,
	} {
		node, err := parseJSON([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		target := &Target{Find("cursor"), User, "n"}
		got, _ := target.lines(node.root.plain([]byte(text)))
		if got = strings.Join(strings.Fields(got), " "); strings.NewReplacer("{ ", "{", " }", "}").Replace(got) != `"n": `+want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
	toml := "[mcp_servers.n]\ncommand = 'x'\nstart = 2026-01-02\nhttp_headers = { A = 'swordfish' }\nenv_vars = ['A']\nlist = [1, 'swordfish']\n"
	list, err := tomlFormat{}.entries([]byte(toml), "mcp_servers")
	if err != nil {
		t.Fatal(err)
	}
	got, _ := (&Target{Find("codex"), User, "n"}).lines(list[0].value)
	if want := "[mcp_servers.n]\ncommand = \"x\"\nenv_vars = [\"A\"]\nhttp_headers = { A = \"***\" }\nlist = [1, \"***\"]\nstart = 2026-01-02"; got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

// Only the owner can read the copy of a user's old file; a project's file is not copied.
func TestOldFile(t *testing.T) {
	for _, scope := range []Scope{User, Project} {
		s := system(t)
		target := &Target{Find("cursor"), scope, "n"}
		path := s.File(target.Client, scope)
		writeText(t, path, `{"mcpServers": {"n": {"command": "x", "env": {"A": "`+secret+`"}}}}`)
		if err := os.Chmod(path, 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Install(t.Context(), target, changed, Change{Force: true}); err != nil {
			t.Fatal(err)
		}
		entries, err := os.ReadDir(filepath.Dir(path))
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			info, err := e.Info()
			text, err2 := os.ReadFile(filepath.Join(filepath.Dir(path), e.Name()))
			if err := errors.Join(err, err2); err != nil {
				t.Fatal(err)
			}
			if strings.Contains(string(text), secret) && (scope == Project || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600) {
				t.Errorf("%s: %s has the secret, mode %v", scope, e.Name(), info.Mode())
			}
		}
		if want := map[Scope]int{User: 2, Project: 1}[scope]; len(entries) != want {
			t.Errorf("%s: %d files, want %d", scope, len(entries), want)
		}
	}
}

// A client's command gets no secret as an argument, which every user of a machine can read: neither
// a new one, nor one from an entry which may have to be restored. The command is not even started.
func TestOwnCommandSecrets(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the program is a shell script")
	}
	target := &Target{Find("claude-code"), User, "n"}
	for what, server := range secretServers {
		for _, old := range []bool{false, true} {
			s := system(t)
			bin := t.TempDir()
			log := filepath.Join(bin, "log")
			if err := os.WriteFile(filepath.Join(bin, "claude"), []byte("#!/bin/sh\necho \"$@\" >> "+log+"\n"), 0o700); err != nil {
				t.Fatal(err)
			}
			t.Setenv("PATH", bin)
			if err := os.MkdirAll(s.Dir, 0o700); err != nil {
				t.Fatal(err)
			}
			entry, err := target.Client.Entry(server)
			if err != nil {
				t.Fatal(err)
			}
			path := s.File(target.Client, User)
			if old {
				writeText(t, path, target.Paste(entry))
				entry = changed
			}
			for _, how := range []Change{{Force: true}, {Force: true, DryRun: true}} {
				_, err = s.Install(t.Context(), target, entry, how)
				if e, ok := errors.AsType[*OpenError](err); !ok || !slices.Contains(e.Values, what) || (e.Remove != nil) != old || strings.Contains(err.Error(), secret) {
					t.Errorf("%s: %v", what, err)
				}
			}
			if text, err := os.ReadFile(log); err == nil {
				t.Errorf("%s: claude was started: %s", what, text)
			}
			if record, err := s.ReadRecord(); err != nil || len(record.Files) > 0 {
				t.Errorf("%s: recorded: %v, %v", what, record, err)
			}
		}
	}
}
