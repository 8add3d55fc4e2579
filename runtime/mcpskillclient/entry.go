package mcpskillclient

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/mcpgen/mcpgen/internal/skillentry"
)

// ID identifies a skill: two servers may have skills with the same URI, which are unrelated. A host
// uses both halves wherever it names or stores a skill (Skill URIs).
type ID struct {
	Server string // the name of [New]
	URI    string // of SKILL.md
}

// String returns the URI and the server.
func (id ID) String() string { return fmt.Sprintf("%q of the server %q", id.URI, id.Server) }

// Entry describes one skill, as skills/list and skills/get return it. It is valid: its files are in
// the directory of the skill, each once and SKILL.md among them, within the limits of the
// extension. [Client.Load] uses the values that the server sent, and not the exported fields.
type Entry struct {
	ID          ID
	Dir         string // decoded path of the skill's directory, without the scheme: acme/refunds
	Name        string // the last part of Dir: a label, which other skills may have too
	Description string
	Frontmatter json.RawMessage // an object with all fields, in the order of the server
	Files       []File          // every file of the skill; nil for a dynamic one
	Dynamic     bool            // the server generates the content, and publishes no digests

	server  string
	checked *skillentry.Entry
}

// File is a file of a skill.
type File struct {
	URI    string
	Path   string // below the directory of the skill, with slashes: references/returns.md
	Digest string // sha256: and 64 hexadecimal digits
	Size   int64  // in bytes
}

func (c *Client) entry(e *skillentry.Entry) *Entry {
	made := &Entry{
		ID: ID{c.server, e.URI}, Dir: e.Dir, Name: e.Name, Description: e.Description,
		Frontmatter: slices.Clone(e.Frontmatter), Dynamic: e.Dynamic, server: c.server, checked: e,
	}
	for _, f := range e.Files {
		made.Files = append(made.Files, File(f))
	}
	return made
}

// AllowedTools returns the tools that the skill asks to use without a question (allowed-tools of
// its frontmatter), or "". A host ignores the request unless the user grants it for this skill, and
// the grant does not cover skills in the same directory.
func (e *Entry) AllowedTools() string { return e.checked.AllowedTools() }

// Approval names the content that a user approved. It is comparable, and has a form in JSON, to be
// stored.
type Approval struct {
	ID    ID
	Files string // a digest of the URI and the digest of every file
}

// Approval returns the value to store when a user approves the skill. An approval covers the skill
// as long as no file is changed, added or removed: it is valid for an entry whose Approval is
// equal. For a dynamic skill the error is [ErrDynamic], since no approval can cover its content.
func (e *Entry) Approval() (Approval, error) {
	if e.checked.Dynamic {
		return Approval{}, fmt.Errorf("%s: %w", e.id(), ErrDynamic)
	}
	files := slices.SortedFunc(slices.Values(e.checked.Files), func(a, b skillentry.File) int { return cmp.Compare(a.URI, b.URI) })
	hash := sha256.New()
	for _, f := range files {
		fmt.Fprintf(hash, "%s %s\n", f.URI, f.Digest) // neither has a space
	}
	return Approval{ID: e.id(), Files: "sha256:" + hex.EncodeToString(hash.Sum(nil))}, nil
}

func (e *Entry) id() ID { return ID{e.server, e.checked.URI} }
