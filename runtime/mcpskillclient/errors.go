package mcpskillclient

import (
	"errors"
	"fmt"

	"github.com/mcpgen/mcpgen/internal/skillentry"
)

// Errors, for errors.Is.
var (
	// ErrTooLarge is the cause of an *[EntryError] for a skill with more than [MaxFiles] files or
	// [MaxBytes].
	ErrTooLarge = skillentry.ErrTooLarge
	// ErrTooLong is returned for a list that exceeds the bounds of [Client.List].
	ErrTooLong = skillentry.ErrTooLong
	// ErrDynamic is returned for a dynamic skill where Options.Dynamic is not set, and by
	// [Entry.Approval].
	ErrDynamic = errors.New("the server generates the content of the skill, so nothing verifies it and no approval covers it")
)

// EntryError describes an entry that a host must not load.
type EntryError struct {
	ID  ID // URI is "" if the entry has none
	Err error
}

// Error names the skill and the problem.
func (e *EntryError) Error() string { return fmt.Sprintf("skill %s: %v", e.ID, e.Err) }

// Unwrap returns the cause.
func (e *EntryError) Unwrap() error { return e.Err }

// Reason is the reason of a [VerificationError].
type Reason string

// The reasons.
const (
	Unlisted    = Reason(skillentry.Unlisted)    // the entry does not list the file
	WrongSize   = Reason(skillentry.Size)        // the file has another size
	WrongDigest = Reason(skillentry.Digest)      // the file has another SHA-256
	Frontmatter = Reason(skillentry.Frontmatter) // SKILL.md has other frontmatter than the entry
)

// VerificationError describes a file that is not the file of the entry (Integrity and
// Verification): it is corrupted, or the skill has changed since. The host gets the entry again,
// and asks for approval again.
type VerificationError struct {
	ID     ID
	File   string // its URI, or the reference that was to be read
	Reason Reason
	err    *skillentry.CheckError
}

// Error names the server, the file, and the difference.
func (e *VerificationError) Error() string {
	return fmt.Sprintf("skill %s: %v", e.ID, e.err)
}

// Differences returns a line for each field of the frontmatter that differs.
func (e *VerificationError) Differences() []string { return e.err.Differences }

func (e *Entry) verification(err error) error {
	check, ok := errors.AsType[*skillentry.CheckError](err)
	if !ok {
		return err
	}
	return &VerificationError{ID: e.id(), File: check.URI, Reason: Reason(check.Reason), err: check}
}
