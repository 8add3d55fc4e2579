package clients

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"strings"

	"github.com/mcpgen/mcpgen/internal/mask"
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
	Diff string // lines that begin with - or +, without values that may be credentials
}

func (e *DifferentError) Error() string { return e.Path + " has another entry of that name" }

// UnsafeError reports that a file was not changed. Paste is the text that a user can write there, as [Client.Shown] shows it.
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
// *UnsafeError, an *OutsideError, a *CommandError, an *OpenError, or of the file system.
func (s *System) Install(ctx context.Context, t *Target, entry Fields, how Change) (Result, error) {
	if t.Client.usesOwn(t.Scope) {
		return s.installOwn(ctx, t, entry, how)
	}
	path := s.File(t.Client, t.Scope)
	real, err := s.realFile(t.Client, t.Scope)
	if err != nil {
		return "", err
	}
	paste, _ := t.Client.Shown(entry)
	f, result := t.Client.format(), Result("")
	err = replace(ctx, real, mode(t.Scope), keptAs(path, t.Scope), func(old []byte) (change, error) {
		before, err := f.emptiness(old, t.Client.Holds)
		if err != nil {
			return change{}, &UnsafeError{path, t.Paste(paste), err}
		}
		before.Missing = old == nil
		found, err := find(f, old, t)
		if err != nil {
			return change{}, &UnsafeError{path, t.Paste(paste), err}
		}
		var different error
		result, different = compare(path, t, found, entry, how)
		text := old
		if result != Present {
			if text, err = f.set(old, t.Client.Holds, t.Name, entry); err != nil {
				return change{}, &UnsafeError{path, t.Paste(paste), err}
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

// HasMark reports whether the file of a client begins with a byte order mark, which stays as it is.
func (s *System) HasMark(c *Client, scope Scope) bool {
	text, _, err := readFile(s.File(c, scope))
	return err == nil && bytes.HasPrefix(text, []byte("\xef\xbb\xbf"))
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
	has, _ := t.lines(found.value)
	wanted, _ := t.lines(entry)
	return "", &DifferentError{path, diff(has, wanted)}
}

// diff shows two texts.
func diff(old, now string) string {
	var out strings.Builder
	for i, text := range []string{old, now} {
		for line := range strings.Lines(text) {
			out.WriteString([]string{"- ", "+ "}[i] + strings.TrimSuffix(line, "\n") + "\n")
		}
	}
	if old == now {
		out.WriteString("what is shown as " + mask.Sign + " differs\n")
	}
	return out.String()
}

// keptAs is where the old text of a file is kept. That of a project is not: others read what is in a
// repository, which has the old text itself.
func keptAs(path string, scope Scope) string {
	if scope == Project {
		return ""
	}
	return path + ".bak"
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
	real, err := s.realFile(t.Client, t.Scope)
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
	err = replace(ctx, real, mode(t.Scope), keptAs(path, t.Scope), func(old []byte) (change, error) {
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
