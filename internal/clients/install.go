package clients

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"strings"

	"github.com/mcpgen/mcpgen/internal/mask"
)

// Target is an entry of a file. It may not exist yet.
type Target struct {
	Client *Client
	Scope  Scope
	Name   string
}

// Result is the outcome for an entry.
type Result string

// The results.
const (
	Added    Result = "added"
	Replaced Result = "replaced"
	Present  Result = "present" // an equal entry existed
	Removed  Result = "removed"
	Absent   Result = "absent" // no entry existed to remove
)

// DifferentError reports an entry with the same name and other content.
type DifferentError struct {
	Path string
	Diff string // lines that begin with - or +, without values that may be credentials
}

func (e *DifferentError) Error() string { return e.Path + " has another entry of that name" }

// UnsafeError reports that a file was not changed. Paste is the text for the user to insert there,
// as [Client.Shown] shows it.
type UnsafeError struct {
	Path  string
	Paste string
	Err   error
}

func (e *UnsafeError) Error() string { return e.Path + ": " + e.Err.Error() }

// Unwrap returns the cause.
func (e *UnsafeError) Unwrap() error { return e.Err }

// Paste returns the whole entry, as a text for the client's file.
func (t *Target) Paste(entry Fields) string {
	if t.Client.TOML {
		return entry.TOML(t.Client.Holds, t.Name, "\n") + "\n"
	}
	return Fields{{t.Client.Holds, Fields{{t.Name, entry}}}}.JSON(true) + "\n"
}

// Change contains options for installing an entry.
type Change struct {
	Force  bool // even if a different entry exists
	DryRun bool // report only
	Build  *Build
}

// errDry ends a change before anything is written.
var errDry = errors.New("nothing is written")

// Install adds an entry, or replaces it with Force. Errors are a *DifferentError, an *UnsafeError,
// an *OutsideError, a *CommandError, an *OpenError, or errors of the file system.
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
		// An entry that existed before does not belong to mcpgen, even if it is equal.
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

// HasMark reports whether a client's file begins with a byte order mark, which is kept.
func (s *System) HasMark(c *Client, scope Scope) bool {
	text, _, err := readFile(s.File(c, scope))
	return err == nil && bytes.HasPrefix(text, []byte("\xef\xbb\xbf"))
}

// compare returns the outcome for an entry.
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

// diff returns the difference between two texts.
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

// keptAs returns the name for a copy of a file's old text. A project's file is not copied: others
// read the content of a repository, and its history contains the old text.
func keptAs(path string, scope Scope) string {
	if scope == Project {
		return ""
	}
	return path + ".bak"
}

// mode returns the mode of a new file.
func mode(scope Scope) fs.FileMode {
	if scope == Project {
		return 0o644
	}
	return 0o600
}

// find returns an entry of a text, or nil.
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

// recorded reports whether an entry is unchanged since its installation.
func (s *System) recorded(path, name string, found *Found) bool {
	r, err := s.ReadRecord()
	if err != nil || found == nil {
		return false
	}
	f := r.Files[path]
	return f != nil && f.Entries[name].Sum == sum(found.value)
}

// remember records an entry before it is written: a recorded entry that does not exist is harmless.
func (s *System) remember(ctx context.Context, path, name string, before Before, entry EntryRecord) error {
	return s.changeRecord(ctx, func(r *Record) { r.add(path, name, before, entry) })
}

func (r *Record) add(path, name string, before Before, entry EntryRecord) {
	f := r.Files[path]
	if f == nil || before.Missing || before.File != nil || before.NoContainer || before.Container != nil {
		f = &FileRecord{Before: before, Entries: map[string]EntryRecord{}}
		r.Files[path] = f
	}
	f.Entries[name] = entry
}

// Uninstall removes an entry. It returns the same errors as [System.Install].
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
