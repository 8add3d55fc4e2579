package clients

import (
	"bytes"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/internal/clients/clientfiles"
)

// Installing an entry in any file and removing it restores the bytes of the file; a refused file
// remains unchanged. In between the file can be read, and still contains its other entries.
func FuzzInstall(f *testing.F) {
	for _, texts := range []map[string]string{clientfiles.JSON, clientfiles.BrokenJSON, clientfiles.TOML, clientfiles.BrokenTOML} {
		for _, text := range texts {
			if len(text) < 10_000 {
				f.Add(text, uint8(len(text)), "/usr/bin/notes", "a b")
			}
		}
	}
	all := targets()
	f.Fuzz(func(t *testing.T, text string, which uint8, command, arg string) {
		target := all[int(which)%len(all)]
		entry, err := target.Client.Entry(&Server{Command: command, Args: []string{arg}, Env: []Variable{{Name: "A", Value: arg}}})
		if err != nil {
			t.Fatal(err)
		}
		s := system(t)
		path := s.File(target.Client, target.Scope)
		writeText(t, path, text)
		before, err := s.Entries(target.Client, target.Scope)
		there := false
		for _, e := range before {
			there = there || e.Name == target.Name
		}
		result, installErr := s.Install(t.Context(), target, entry, Change{})
		if err != nil && installErr == nil {
			t.Errorf("a file that cannot be read is changed: %v", err)
		}
		if installErr != nil {
			_, unsafe := errors.AsType[*UnsafeError](installErr)
			_, different := errors.AsType[*DifferentError](installErr)
			if !unsafe && !different {
				t.Error(installErr)
			}
			wantFile(t, path, text)
			return
		}
		if (result == Added) == there {
			t.Errorf("%s, though there: %v", result, there)
		}
		now, err := s.Entries(target.Client, target.Scope)
		if err != nil || result == Added && len(now) != len(before)+1 {
			t.Errorf("%d entries, then %d, %v", len(before), len(now), err)
		}
		for _, e := range now {
			if e.Name == target.Name && !equal(e.value, plain(entry)) && strings.ToValidUTF8(command+arg, "") == command+arg {
				t.Errorf("entry %v, want %v", e.value, plain(entry))
			}
		}
		if result != Added {
			wantFile(t, path, text)
			return
		}
		if result, err := s.Uninstall(t.Context(), target, Change{}); err != nil || result != Removed {
			t.Errorf("%s, %v", result, err)
		}
		if back, err := os.ReadFile(path); err != nil || !bytes.Equal(back, []byte(text)) {
			t.Errorf("%q, %v, want %q", back, err, text)
		}
	})
}
