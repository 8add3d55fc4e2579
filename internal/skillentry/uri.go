package skillentry

import (
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"path"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mcpgen/mcpgen/internal/skill"
)

// maxURI limits the bytes of a URI.
const maxURI = 2048

var scheme = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]*:`)

// parseSkillURI returns the root of a skill, which is the URI of its directory, and the decoded
// path of that directory, from the URI of its SKILL.md.
func parseSkillURI(uri string) (root, dir string, err error) {
	if err := checkURI(uri); err != nil {
		return "", "", err
	}
	root, isMain := strings.CutSuffix(uri, "/"+skill.File)
	if !isMain {
		return "", "", errors.New("the URI of a skill must end in /" + skill.File)
	}
	_, rest, _ := strings.Cut(root, ":")
	dir, err = decodePath(strings.TrimPrefix(rest, "//"))
	if err != nil {
		return "", "", err
	}
	return root, dir, nil
}

// checkURI checks the characters and the form of a URI.
func checkURI(uri string) error {
	switch {
	case len(uri) > maxURI:
		return fmt.Errorf("the URI has more than %d bytes", maxURI)
	case !scheme.MatchString(uri):
		return errors.New("it is no URI: a scheme such as skill: must be in front")
	case strings.ContainsAny(uri, "?#"):
		return errors.New("the URI has a query or a fragment")
	case strings.ContainsRune(uri, ' '):
		return errors.New("the URI has a space, which must be %20")
	}
	return nil
}

// decodePath decodes the percent-encoding of a path whose segments must be names: not empty, . or
// .., without slashes, backslashes, and characters that people cannot see.
func decodePath(encoded string) (string, error) {
	segments := strings.Split(encoded, "/")
	for i, s := range segments {
		name, err := url.PathUnescape(s)
		if err != nil {
			return "", fmt.Errorf("the part %q of the URI has a wrong percent-encoding", s)
		}
		if err := checkName(name); err != nil {
			return "", fmt.Errorf("the part %q of the URI %w", s, err)
		}
		segments[i] = name
	}
	return strings.Join(segments, "/"), nil
}

func checkName(name string) error {
	switch {
	case name == "":
		return errors.New("is empty")
	case name == "." || name == "..":
		return errors.New("leads to another directory")
	case strings.ContainsAny(name, `/\`):
		return errors.New("has a slash or a backslash in a name")
	case !utf8.ValidString(name):
		return errors.New("is not UTF-8")
	case strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) }):
		return errors.New("has a character that cannot be seen")
	}
	return nil
}

// filePath returns the path of a file below the root of its skill.
func filePath(root, uri string) (string, error) {
	if err := checkURI(uri); err != nil {
		return "", err
	}
	rest, inside := strings.CutPrefix(uri, root+"/")
	if !inside {
		return "", errors.New("it is not inside of the skill's directory")
	}
	decoded, err := decodePath(rest)
	if err != nil {
		return "", err
	}
	if !fs.ValidPath(decoded) {
		return "", errors.New("it is no path of a file")
	}
	return decoded, nil
}

// relative returns the path that a reference in a skill leads to, from the skill's root: a URI, or
// a relative path as a file system resolves it. The result is "" for a reference that leads out of
// the skill.
func relative(root, ref string) string {
	ref, _, _ = strings.Cut(ref, "#")
	if scheme.MatchString(ref) {
		file, err := filePath(root, ref)
		if err != nil {
			return ""
		}
		return file
	}
	file := path.Clean(ref)
	if !fs.ValidPath(file) || file == "." {
		return ""
	}
	for s := range strings.SplitSeq(file, "/") {
		if checkName(s) != nil {
			return ""
		}
	}
	return file
}
