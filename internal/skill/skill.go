// Package skill has the rules for skills that generator, runtime and client share: what Agent
// Skills (agentskills.io/specification) demands of names and frontmatter, and what the extension
// io.modelcontextprotocol/skills demands of URIs and sizes. It parses no YAML: frontmatter is JSON
// here.
package skill

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/mcpgen/mcpgen/internal/uritemplate"
	"github.com/mcpgen/mcpgen/internal/valid"
)

// Extension is the name of the extension.
const Extension = "io.modelcontextprotocol/skills"

// File is the name of the file that makes a directory a skill.
const File = "SKILL.md"

// The limits that every host accepts (limits of the extension).
const (
	MaxFiles = 512      // of a skill, with SKILL.md and the files of nested skills
	MaxBytes = 16 << 20 // of all files of a skill together
)

// The limits of Agent Skills, in characters.
const (
	MaxName          = 64
	MaxDescription   = 1024
	MaxCompatibility = 500
)

// CheckName returns an error for a text that is not the name of a skill.
func CheckName(name string) error {
	switch {
	case name == "":
		return fmt.Errorf("the name of a skill is empty")
	case len(name) > MaxName:
		return fmt.Errorf("the name %q of a skill has %d characters; at most %d are allowed", name, utf8.RuneCountInString(name), MaxName)
	case strings.ContainsFunc(name, func(r rune) bool { return !isNameRune(r) }):
		return fmt.Errorf("the name %q of a skill must consist of lower-case letters, digits and hyphens", name)
	case strings.HasPrefix(name, "-") || strings.HasSuffix(name, "-") || strings.Contains(name, "--"):
		return fmt.Errorf("the name %q of a skill must not begin or end with a hyphen, or have two in a row", name)
	}
	return nil
}

func isNameRune(r rune) bool { return 'a' <= r && r <= 'z' || '0' <= r && r <= '9' || r == '-' }

// CheckURI returns the name of the skill whose directory has a URI, such as refunds for
// skill://acme/refunds. It returns an error if the directory of no skill can have the URI.
func CheckURI(uri string) (name string, err error) {
	what := fmt.Sprintf("the URI %q of a skill", uri)
	_, path, ok := strings.Cut(uri, "://")
	switch {
	case !ok:
		return "", fmt.Errorf("%s has no scheme: write one such as skill://acme/refunds", what)
	case strings.HasSuffix(uri, "/"):
		return "", fmt.Errorf("%s ends with a slash: it must end with the name of the skill", what)
	case strings.ContainsAny(path, "?#"):
		return "", fmt.Errorf("%s has a query or a fragment", what)
	}
	if fault := valid.ResourceURI("a skill", uri+"/"+File); fault != nil {
		return "", fault
	}
	if normal := uritemplate.Normal(uri); normal != uri {
		return "", fmt.Errorf("%s has percent-encoding in lower case: write %s", what, normal)
	}
	for segment := range strings.SplitSeq(path, "/") {
		if segment == "" || segment == "." || segment == ".." {
			return "", fmt.Errorf("%s has the segment %q", what, segment)
		}
		name = segment
	}
	if err := CheckName(name); err != nil {
		return "", fmt.Errorf("%s does not end with the name of a skill: %w", what, err)
	}
	return name, nil
}

// CheckPrefix returns an error unless skills can have URIs that consist of the prefix and their
// paths: skill://, skill://acme/.
func CheckPrefix(prefix string) error {
	if !strings.HasSuffix(prefix, "/") {
		return fmt.Errorf("the prefix %q of skills must end with a slash, such as skill://acme/", prefix)
	}
	if _, err := CheckURI(prefix + "x"); err != nil {
		return fmt.Errorf("the prefix %q of skills is not the begin of a URI such as skill://acme/: %w", prefix, err)
	}
	return nil
}

// CheckPath returns an error for the path of a file, below the directory of a skill, that cannot
// be published: hosts write files under these names.
func CheckPath(path string) error {
	switch {
	case !fs.ValidPath(path) || path == ".":
		return fmt.Errorf("%q is not the path of a file: it must be relative and in UTF-8, and have no segment that is empty, . or .. only", path)
	case strings.ContainsFunc(path, func(r rune) bool { return r < ' ' || r == 0x7f || r == '\\' }):
		return fmt.Errorf("the path %q has a control character or a backslash", path)
	}
	return nil
}

// FileURI returns the URI of a file by its path below a directory. What a segment of a URI cannot
// have, and what patterns of URIs use, is percent-encoded.
func FileURI(directory, path string) string {
	var b strings.Builder
	b.Grow(len(directory) + 1 + len(path))
	b.WriteString(directory)
	if !strings.HasSuffix(directory, "/") {
		b.WriteByte('/')
	}
	for i := range len(path) {
		switch c := path[i]; {
		case 'a' <= c|0x20 && c|0x20 <= 'z', '0' <= c && c <= '9', strings.IndexByte("-._~/", c) >= 0:
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}

// Block returns the frontmatter block of a SKILL.md: its first line, which must be ---, through
// the next line --- with its line end, if it has one. Spaces, tabs and a carriage return may
// follow the hyphens. ok is false if the text does not begin with such a block.
func Block(text []byte) (block []byte, ok bool) {
	for at := 0; at < len(text); {
		line := text[at:]
		if end := bytes.IndexByte(line, '\n'); end >= 0 {
			line = line[:end+1]
		}
		isMark := strings.TrimRight(string(line), " \t\r\n") == "---"
		switch {
		case at == 0 && !isMark:
			return nil, false
		case at > 0 && isMark:
			return text[:at+len(line)], true
		}
		at += len(line)
	}
	return nil, false
}

// Hash returns the SHA-256 of bytes as 64 lower-case hexadecimal digits.
func Hash(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// Digest returns the SHA-256 of a file as entries of skills have it: sha256:{hex}.
func Digest(b []byte) string { return "sha256:" + Hash(b) }

// Unescape returns a segment of a URI as the name of the file.
func Unescape(segment string) string {
	if name, err := url.PathUnescape(segment); err == nil {
		return name
	}
	return segment
}
