package clients

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// Target is an entry of a file, which need not be there.
type Target struct {
	Client *Client
	Scope  Scope
	Name   string
}

// Result is what became of an entry.
type Result string

// The results.
const (
	Added    Result = "added"
	Replaced Result = "replaced"
	Present  Result = "present" // an equal one was there
	Removed  Result = "removed"
	Absent   Result = "absent" // there was none to remove
)

// DifferentError is an entry of the same name that says something else.
type DifferentError struct {
	Path string
	Diff string // lines that begin with - or +
}

func (e *DifferentError) Error() string { return e.Path + " has another entry of that name" }

// UnsafeError is a file that was not changed. Paste is what a user can write there.
type UnsafeError struct {
	Path  string
	Paste string
	Err   error
}

func (e *UnsafeError) Error() string { return e.Path + ": " + e.Err.Error() }

// Unwrap returns the cause.
func (e *UnsafeError) Unwrap() error { return e.Err }

// Paste is the whole entry, as a text for the file of the client.
func (t *Target) Paste(entry Fields) string {
	if t.Client.TOML {
		return entry.TOML(t.Client.Holds, t.Name, "\n") + "\n"
	}
	return Fields{{t.Client.Holds, Fields{{t.Name, entry}}}}.JSON(true) + "\n"
}

// Change is how an entry is installed.
type Change struct {
	Force  bool // also if there is a different one
	DryRun bool // report only
	Build  *Build
}

// errDry ends a change before anything is written.
var errDry = errors.New("nothing is written")

// Install adds an entry, or replaces it with Force. Errors are a *DifferentError, an
// *UnsafeError, a *CommandError, or of the file system.
func (s *System) Install(ctx context.Context, t *Target, entry Fields, how Change) (Result, error) {
	if t.Client.usesOwn(t.Scope) {
		return s.installOwn(ctx, t, entry, how)
	}
	path := s.File(t.Client, t.Scope)
	real, err := followLinks(path)
	if err != nil {
		return "", err
	}
	f, result := t.Client.format(), Result("")
	err = replaceFile(ctx, path, mode(t.Scope), func(old []byte) (change, error) {
		before, err := f.emptiness(old, t.Client.Holds)
		if err != nil {
			return change{}, &UnsafeError{path, t.Paste(entry), err}
		}
		before.Missing = old == nil
		found, err := find(f, old, t)
		if err != nil {
			return change{}, &UnsafeError{path, t.Paste(entry), err}
		}
		var different error
		result, different = compare(path, t, found, entry, how)
		text := old
		if result != Present {
			if text, err = f.set(old, t.Client.Holds, t.Name, entry); err != nil {
				return change{}, &UnsafeError{path, t.Paste(entry), err}
			}
		}
		if different != nil {
			return change{}, different
		}
		if how.DryRun {
			return change{}, errDry
		}
		// An entry that was there before is not one of ours, even if it is equal.
		if result == Present && !s.recorded(real, t.Name, found) {
			return change{text: text}, nil
		}
		return change{text: text}, s.remember(ctx, real, t.Name, before, EntryRecord{sum(plain(entry)), how.Build})
	})
	if errors.Is(err, errDry) {
		err = nil
	}
	return result, err
}

// compare decides what becomes of an entry.
func compare(path string, t *Target, found *Found, entry Fields, how Change) (Result, error) {
	switch {
	case found == nil:
		return Added, nil
	case equal(found.value, plain(entry)):
		return Present, nil
	case how.Force:
		return Replaced, nil
	}
	wanted := jsonString(t.Name) + ": " + entry.JSON(true)
	if t.Client.TOML {
		wanted = entry.TOML(t.Client.Holds, t.Name, "\n")
	}
	return "", &DifferentError{path, diff(found.Text, wanted)}
}

// mode is that of a new file.
func mode(scope Scope) fs.FileMode {
	if scope == Project {
		return 0o644
	}
	return 0o600
}

// find returns an entry of a text, nil if it is not there.
func find(f format, text []byte, t *Target) (*Found, error) {
	list, err := f.entries(text, t.Client.Holds)
	if err != nil {
		return nil, err
	}
	for i := range list {
		if list[i].Name == t.Name {
			return &list[i], nil
		}
	}
	return nil, nil
}

// recorded reports whether an entry is as it was installed.
func (s *System) recorded(path, name string, found *Found) bool {
	r, err := s.ReadRecord()
	if err != nil || found == nil {
		return false
	}
	f := r.Files[path]
	return f != nil && f.Entries[name].Sum == sum(found.value)
}

// remember records an entry, before it is written: an entry that is recorded and not there
// does no harm.
func (s *System) remember(ctx context.Context, path, name string, before Before, entry EntryRecord) error {
	return s.changeRecord(ctx, func(r *Record) {
		f := r.Files[path]
		if f == nil || before.Missing || before.File != nil || before.NoContainer || before.Container != nil {
			f = &FileRecord{Before: before, Entries: map[string]EntryRecord{}}
			r.Files[path] = f
		}
		f.Entries[name] = entry
	})
}

// Uninstall removes an entry. Errors are those of [System.Install].
func (s *System) Uninstall(ctx context.Context, t *Target, how Change) (Result, error) {
	if t.Client.usesOwn(t.Scope) {
		return s.uninstallOwn(ctx, t, how)
	}
	path := s.File(t.Client, t.Scope)
	real, err := followLinks(path)
	if err != nil {
		return "", err
	}
	if old, _, err := readFile(real); err != nil || old == nil {
		return Absent, err
	}
	r, err := s.ReadRecord()
	if err != nil {
		return "", err
	}
	var before Before
	if f := r.Files[real]; f != nil {
		before = f.Before
	}
	result := Removed
	err = replaceFile(ctx, path, mode(t.Scope), func(old []byte) (change, error) {
		text, err := t.Client.format().remove(old, t.Client.Holds, t.Name, before)
		if errors.Is(err, errMissing) {
			result = Absent
			return change{text: old, remove: old == nil}, nil
		}
		if err != nil {
			return change{}, &UnsafeError{path, "", err}
		}
		if how.DryRun {
			return change{}, errDry
		}
		return change{text: text, remove: before.Missing && len(bytes.TrimSpace(text)) == 0}, nil
	})
	if errors.Is(err, errDry) {
		return result, nil
	}
	if err == nil && r.Files[real] != nil {
		err = s.changeRecord(ctx, func(r *Record) {
			if f := r.Files[real]; f != nil {
				delete(f.Entries, t.Name)
			}
		})
	}
	return result, err
}

// CommandError is a command of a client that cannot be run, or has failed.
type CommandError struct {
	Command []string
	Output  string
	Err     error
	Removed string // an entry that was to be replaced, and could not be added again
}

func (e *CommandError) Error() string {
	text := fmt.Sprintf("run %s: %v", e.Command[0], e.Err)
	if e.Output != "" {
		text += ": " + e.Output
	}
	if e.Removed != "" {
		text += "; the old entry is no longer there: " + e.Removed
	}
	return text
}

// Unwrap returns the cause, such as [exec.ErrNotFound].
func (e *CommandError) Unwrap() error { return e.Err }

// arguments fills in a command of a client.
func (t *Target) arguments(args []string, entry string) []string {
	command := []string{t.Client.Own.Program}
	for _, arg := range args {
		switch arg {
		case "SCOPE":
			arg = string(t.Scope)
		case "NAME":
			arg = t.Name
		case "JSON":
			arg = entry
		}
		command = append(command, arg)
	}
	return command
}

// run runs a command of a client in the current directory.
func (s *System) run(ctx context.Context, command []string) error {
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Dir = s.Dir
	out, err := cmd.CombinedOutput()
	if err == nil {
		return nil
	}
	text := strings.TrimSpace(string(out))
	return &CommandError{Command: command, Output: text[:min(len(text), 500)], Err: err}
}

func (s *System) installOwn(ctx context.Context, t *Target, entry Fields, how Change) (Result, error) {
	path := s.File(t.Client, t.Scope)
	list, err := s.Entries(t.Client, t.Scope)
	if err != nil {
		return "", &UnsafeError{path, t.Paste(entry), err}
	}
	var found *Found
	if i := slices.IndexFunc(list, func(f Found) bool { return f.Name == t.Name }); i >= 0 {
		found = &list[i]
	}
	result, err := compare(path, t, found, entry, how)
	if err != nil || result == Present || how.DryRun {
		return result, err
	}
	key, err := s.ownKey(path, t.Scope)
	if err != nil {
		return "", err
	}
	if err := s.remember(ctx, key, t.Name, Before{}, EntryRecord{sum(plain(entry)), how.Build}); err != nil {
		return "", err
	}
	if result == Replaced {
		return result, s.replaceOwn(ctx, t, found, entry)
	}
	return result, s.run(ctx, t.arguments(t.Client.Own.Add, entry.JSON(false)))
}

// replaceOwn replaces an entry by the client's command, which can only remove the old one and add
// the new one. The old one is added again if the new one is refused.
func (s *System) replaceOwn(ctx context.Context, t *Target, found *Found, entry Fields) error {
	// The text is JSON without comments: its client has written it.
	var old map[string]json.RawMessage
	if err := json.Unmarshal([]byte("{"+found.Text+"}"), &old); err != nil {
		return &UnsafeError{s.File(t.Client, t.Scope), t.Paste(entry), err}
	}
	if err := s.run(ctx, t.arguments(t.Client.Own.Remove, "")); err != nil {
		return err
	}
	err := s.run(ctx, t.arguments(t.Client.Own.Add, entry.JSON(false)))
	if err == nil {
		return nil
	}
	// Also after Ctrl-C, which may be why the command has failed.
	if s.run(context.WithoutCancel(ctx), t.arguments(t.Client.Own.Add, string(old[t.Name]))) != nil {
		if e, ok := errors.AsType[*CommandError](err); ok {
			e.Removed = found.Text
		}
	}
	return err
}

// ownKey is the name of a scope of a file in the record.
func (s *System) ownKey(path string, scope Scope) (string, error) {
	real, err := followLinks(path)
	if scope == Local {
		real += "#" + s.Dir
	}
	return real, err
}

func (s *System) uninstallOwn(ctx context.Context, t *Target, how Change) (Result, error) {
	list, err := s.Entries(t.Client, t.Scope)
	if err != nil {
		return "", &UnsafeError{s.File(t.Client, t.Scope), "", err}
	}
	if !slices.ContainsFunc(list, func(f Found) bool { return f.Name == t.Name }) {
		return Absent, nil
	}
	if how.DryRun {
		return Removed, nil
	}
	if err := s.run(ctx, t.arguments(t.Client.Own.Remove, "")); err != nil {
		return "", err
	}
	key, err := s.ownKey(s.File(t.Client, t.Scope), t.Scope)
	if err != nil {
		return "", err
	}
	return Removed, s.changeRecord(ctx, func(r *Record) {
		if f := r.Files[key]; f != nil {
			delete(f.Entries, t.Name)
		}
	})
}

// Entries returns what a client has in a scope.
func (s *System) Entries(c *Client, scope Scope) ([]Found, error) {
	text, _, err := readFile(s.File(c, scope))
	if err != nil {
		return nil, err
	}
	if scope != Local {
		return c.format().entries(text, c.Holds)
	}
	// Claude Code has the local entries of each directory in the file of the user.
	t, err := parseJSON(text)
	if err != nil {
		return nil, err
	}
	projects, err := t.object(text, "projects")
	if err != nil || projects == nil {
		return nil, err
	}
	for dir := s.Dir; ; dir = filepath.Dir(dir) {
		m, err := projects.value.find(text, filepath.ToSlash(dir))
		if err != nil {
			return nil, err
		}
		if m == nil {
			m, err = projects.value.find(text, dir)
		}
		if err != nil || dir == filepath.Dir(dir) {
			return nil, err
		}
		if m != nil && m.value.kind == '{' {
			return jsonFormat{}.entries(text[m.value.start:m.value.end], c.Holds)
		}
	}
}

// diff shows two texts.
func diff(old, now string) string {
	var out strings.Builder
	for i, text := range []string{old, now} {
		for line := range strings.Lines(strings.ReplaceAll(text, "\r\n", "\n")) {
			out.WriteString([]string{"- ", "+ "}[i] + strings.TrimSuffix(line, "\n") + "\n")
		}
	}
	return out.String()
}
