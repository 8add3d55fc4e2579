package skillentry

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/internal/frontmatter"
	"github.com/mcpgen/mcpgen/internal/jsontree"
	"github.com/mcpgen/mcpgen/internal/skill"
)

// Reason is the reason for which a file must not be used.
type Reason string

// The reasons.
const (
	Unlisted    Reason = "unlisted"    // the entry does not list the file
	Size        Reason = "size"        // the file has another size than the entry says
	Digest      Reason = "digest"      // the file has another SHA-256
	Frontmatter Reason = "frontmatter" // SKILL.md has other frontmatter than the entry
)

// CheckError describes a file that is not what the entry describes (Integrity and Verification).
type CheckError struct {
	Reason Reason
	URI    string // of the file
	Want   string // "12 bytes", a digest
	Got    string
	// Differences has a line for each field that differs, for [Frontmatter].
	Differences []string
}

// Error names the file and both values, and the remedy.
func (e *CheckError) Error() string {
	const stale = "; if the skill has changed, get its entry again and approve it again"
	file := fmt.Sprintf("%q", clip(e.URI))
	switch e.Reason {
	case Unlisted:
		return file + " is not a file of the skill: its entry does not list it" + stale
	case Frontmatter:
		return file + ": its frontmatter is not the frontmatter of the skill's entry: " + strings.Join(e.Differences, "; ") + stale
	default:
		return fmt.Sprintf("%s is not the file that the skill's entry describes: %s %s instead of %s%s", file, e.Reason, e.Got, e.Want, stale)
	}
}

// Check compares the content of a file with its entry: size and digest. A file of a dynamic skill
// has neither. Errors are of type [*CheckError].
func (f File) Check(data []byte) error {
	if f.Digest == "" {
		return nil
	}
	if int64(len(data)) != f.Size {
		return &CheckError{Reason: Size, URI: f.URI, Want: bytesOf(f.Size), Got: bytesOf(int64(len(data)))}
	}
	if got := skill.Digest(data); got != f.Digest {
		return &CheckError{Reason: Digest, URI: f.URI, Want: f.Digest, Got: got}
	}
	return nil
}

func bytesOf(n int64) string { return fmt.Sprintf("%d bytes", n) }

// CheckMain compares SKILL.md with the entry: size, digest and frontmatter, field by field. It
// returns the offset of the text behind the frontmatter.
func (e *Entry) CheckMain(text []byte) (body int, err error) {
	main := e.Main()
	if err := main.Check(text); err != nil {
		return 0, err
	}
	object, other, body, err := frontmatter.Read(text)
	if err != nil {
		return 0, &CheckError{Reason: Frontmatter, URI: main.URI, Differences: []string{"it cannot be read: " + err.Error()}}
	}
	different, err := e.differences(object)
	if len(different) > 0 && other != nil && err == nil {
		var less []string
		if less, err = e.differences(other); len(less) == 0 {
			different = nil
		}
	}
	if err != nil {
		return 0, &CheckError{Reason: Frontmatter, URI: main.URI, Differences: []string{err.Error()}}
	}
	if len(different) > 0 {
		return 0, &CheckError{Reason: Frontmatter, URI: main.URI, Differences: different}
	}
	return body, nil
}

// differences returns a line for each field of the entry's frontmatter that differs from an object.
func (e *Entry) differences(object []byte) ([]string, error) {
	v, err := one(object)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, side := range []*jsontree.Value{e.frontmatter, v} {
		for _, m := range side.Members {
			names = append(names, m.Name)
		}
	}
	slices.Sort(names)
	var lines []string
	for _, name := range slices.Compact(names) {
		entry, file := e.frontmatter.Get(name), v.Get(name)
		if !jsontree.Equal(entry, file) {
			lines = append(lines, fmt.Sprintf("%q is %s in the entry and %s in %s", clip(name), shown(entry), shown(file), skill.File))
		}
	}
	return lines, nil
}

func shown(v *jsontree.Value) string {
	if v == nil {
		return "missing"
	}
	return clip(v.Compact())
}
