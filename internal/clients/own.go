package clients

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/internal/trust"
)

// CommandError reports a client's command that cannot be run, or has failed.
type CommandError struct {
	Command []string
	Output  string
	Err     error
	Removed string // an entry that should be replaced and could not be restored, as [Client.Shown] shows it
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

// OpenError reports an entry with values that a client's command would need as arguments, which
// every user of the machine can read.
type OpenError struct {
	Path    string
	Command string
	Values  []string // names of these values
	Remove  []string // the command that removes the entry with the values, nil if it is the new entry
}

func (e *OpenError) Error() string {
	return fmt.Sprintf("only the command %s changes %s, and its arguments, which other users of this machine can read, would have the value of %s", e.Command, e.Path, strings.Join(e.Values, ", "))
}

// arguments fills in the arguments of a client's command.
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

// run runs the command of a client with such arguments in the current directory.
func (s *System) run(ctx context.Context, t *Target, args []string, entry string) error {
	command := t.arguments(args, entry)
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
		paste, _ := t.Client.Shown(entry)
		return "", &UnsafeError{path, t.Paste(paste), err}
	}
	var found *Found
	if i := slices.IndexFunc(list, func(f Found) bool { return f.Name == t.Name }); i >= 0 {
		found = &list[i]
	}
	result, err := compare(path, t, found, entry, how)
	if err != nil || result == Present {
		return result, err
	}
	if _, values := t.Client.Shown(entry); len(values) > 0 {
		return "", &OpenError{path, t.Client.Own.Program, values, nil}
	}
	if result == Replaced { // it may have to be restored
		if _, values := t.lines(found.value); len(values) > 0 {
			return "", &OpenError{path, t.Client.Own.Program, values, t.arguments(t.Client.Own.Remove, "")}
		}
	}
	if how.DryRun {
		return result, nil
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
	return result, s.run(ctx, t, t.Client.Own.Add, entry.JSON(false))
}

// replaceOwn replaces an entry with the client's command, which can only remove the old one and add
// the new one. It restores the old entry if the new one is refused.
func (s *System) replaceOwn(ctx context.Context, t *Target, found *Found, entry Fields) error {
	// The text is JSON without comments, written by its client.
	var old map[string]json.RawMessage
	if err := json.Unmarshal([]byte("{"+found.Text+"}"), &old); err != nil {
		paste, _ := t.Client.Shown(entry)
		return &UnsafeError{s.File(t.Client, t.Scope), t.Paste(paste), err}
	}
	if err := s.run(ctx, t, t.Client.Own.Remove, ""); err != nil {
		return err
	}
	err := s.run(ctx, t, t.Client.Own.Add, entry.JSON(false))
	if err == nil {
		return nil
	}
	// Even after Ctrl-C, which may have made the command fail.
	if s.run(context.WithoutCancel(ctx), t, t.Client.Own.Add, string(old[t.Name])) != nil {
		if e, ok := errors.AsType[*CommandError](err); ok {
			e.Removed, _ = t.lines(found.value)
		}
	}
	return err
}

// ownKey returns the name of a file's scope in the record.
func (s *System) ownKey(path string, scope Scope) (string, error) {
	real, err := trust.Resolve(path)
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
	if err := s.run(ctx, t, t.Client.Own.Remove, ""); err != nil {
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
