package clients

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The file of a project remains within the project, wherever links lead: no other file is changed,
// created or shown.
func TestProjectStays(t *testing.T) {
	const theirs = `{"mcpServers": {"secret-name": {"command": "x"}}}`
	for _, target := range targets() {
		if target.Scope != Project {
			continue
		}
		name := filepath.FromSlash(target.Client.Project)
		base, folder := filepath.Base(name), filepath.Dir(name)
		for kind, links := range map[string]map[string]string{ // the targets of links, by their names in the project
			"absolute":     {name: "HOME/file"},
			"up":           {name: filepath.Join(strings.Repeat("../", strings.Count(target.Client.Project, "/")), "../home/file")},
			"twice":        {name: "PROJECT/next", "next": "HOME/file"},
			"new":          {name: "HOME/new/place.json"},
			"through":      {name: "PROJECT/inside/../out/file", "inside": "PROJECT/sub", "out": "HOME"},
			"folder":       {folder: "HOME"},
			"new folder":   {folder: "HOME/new"},
			"folder twice": {folder: "PROJECT/next", "next": "../home"},
		} {
			if strings.Contains(kind, "folder") && folder == "." {
				continue
			}
			s := system(t)
			for _, file := range []string{"file", base} {
				writeText(t, filepath.Join(s.Home, file), theirs)
			}
			for link, to := range links {
				link = filepath.Join(s.Dir, link)
				to = strings.NewReplacer("HOME", s.Home, "PROJECT", s.Dir).Replace(to)
				if err := errors.Join(os.MkdirAll(filepath.Dir(link), 0o700), os.Symlink(to, link)); err != nil {
					t.Skip("there are no links:", err)
				}
			}
			entry, err := target.Client.Entry(server)
			if err != nil {
				t.Fatal(err)
			}
			refused := func(what string, err error) {
				t.Helper()
				if e, ok := errors.AsType[*OutsideError](err); !ok || !strings.HasPrefix(e.Real, s.Home) || !strings.Contains(err.Error(), e.Real) {
					t.Errorf("%s, %s: %s: %v", target.Client.Name, kind, what, err)
				}
			}
			_, err = s.Install(t.Context(), target, entry, Change{Force: true})
			refused("install", err)
			_, err = s.Uninstall(t.Context(), &Target{target.Client, Project, "secret-name"}, Change{})
			refused("uninstall", err)
			_, err = s.Entries(target.Client, Project)
			refused("entries", err)
			all, err := s.Status(target.Client)
			if err != nil || len(all) != 1 || all[0].Name != "" || all[0].Finding == "" || strings.Contains(all[0].Finding, "secret-name") {
				t.Errorf("%s, %s: status: %v, %v", target.Client.Name, kind, all, err)
			}
			for _, file := range []string{"file", base} {
				wantFile(t, filepath.Join(s.Home, file), theirs)
			}
			if left, err := os.ReadDir(s.Home); err != nil || len(left) != 2 {
				t.Errorf("%s, %s: %v, %v", target.Client.Name, kind, left, err)
			}
		}
	}
}

// A server is started in the directory to which its entry applies: a user's entry not in the
// current directory.
func TestStatusDir(t *testing.T) {
	s := system(t)
	claude := Find("claude-code")
	writeText(t, s.File(claude, User), `{"mcpServers": {"u": {"command": "./here"}}, "projects": {"`+filepath.ToSlash(filepath.Dir(s.Dir))+`": {"mcpServers": {"l": {"command": "sh"}}}}}`)
	writeText(t, s.File(claude, Project), `{"mcpServers": {"p": {"command": "./here"}}}`)
	writeText(t, filepath.Join(s.Dir, "here"), "")
	all, err := s.Status(claude)
	if err != nil || len(all) != 3 {
		t.Fatal(all, err)
	}
	for i, want := range []Status{
		{Dir: s.Home, Finding: "there is no program ./here"},
		{Dir: s.Dir},
		{Dir: filepath.Dir(s.Dir)},
	} {
		if all[i].Dir != want.Dir || all[i].Finding != want.Finding {
			t.Errorf("%s: in %s, %q", all[i].Name, all[i].Dir, all[i].Finding)
		}
	}
}
