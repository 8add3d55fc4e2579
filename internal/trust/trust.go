// Package trust decides which files a command follows in directories that others have made: a
// cloned repository, or a directory in which several users write.
package trust

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"
)

// mostLinks bounds the links on the way to one file.
const mostLinks = 40

// LinkError is a link that leads out of the module or repository that has it.
type LinkError struct {
	Link string
	Real string // what it leads to
	Root string // of the module or repository
}

func (e *LinkError) Error() string {
	return fmt.Sprintf("%s is a link to %s, outside of %s, and is not followed", e.Link, e.Real, e.Root)
}

// OwnerError is a file or directory of another user.
type OwnerError struct {
	Path  string
	Owner int // the user's number
}

func (e *OwnerError) Error() string {
	return fmt.Sprintf("%s belongs to another user, number %d, and is not followed", e.Path, e.Owner)
}

// Resolve returns the file that a path leads to when links are followed. What is missing on the way
// is taken as it is named, also behind a link. On Windows, junctions are directories here, not links:
// git does not make them.
func Resolve(path string) (string, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	return new(walk).to(top(path), components(path))
}

// Follow returns the file that a path leads to, and refuses links that a repository or another user
// has chosen: a link in a module or repository may lead within it, any other one has to belong to
// this user or to root. The directory from, an absolute path, is the user's choice, whatever links
// are in its name. Errors are a *LinkError, an *OwnerError, or of the file system.
func Follow(from, path string) (string, error) {
	if !filepath.IsAbs(path) {
		path = filepath.Join(from, path)
	}
	path, from = filepath.Clean(path), filepath.Clean(from)
	start, rest, here := top(path), components(path), components(from)
	if top(from) == start {
		chosen := start
		for len(rest) > 0 && len(here) > 0 && rest[0] == here[0] {
			chosen = filepath.Join(chosen, rest[0])
			rest, here = rest[1:], here[1:]
		}
		var err error
		if start, err = Resolve(chosen); err != nil {
			return "", err
		}
	}
	return (&walk{check: mayLead}).to(start, rest)
}

// mayLead checks one link, which is in dir.
func mayLead(link, dir string) error {
	root := Root(dir)
	if root == "" {
		return ownLink(link)
	}
	real, err := Resolve(link)
	if err == nil && !Within(root, real) {
		err = &LinkError{link, real, root}
	}
	return err
}

// walk follows links.
type walk struct {
	links int
	// check is called with each link, whose directory is known without links. It may be nil.
	check func(link, dir string) error
}

// to returns what the components of a path lead to from a directory without links.
func (w *walk) to(dir string, rest []string) (string, error) {
	for len(rest) > 0 {
		name := rest[0]
		rest = rest[1:]
		if name == ".." {
			dir = filepath.Dir(dir)
			continue
		}
		next := filepath.Join(dir, name)
		info, err := os.Lstat(next)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
		if err != nil || info.Mode()&fs.ModeSymlink == 0 {
			dir = next
			continue
		}
		if w.links++; w.links > mostLinks {
			return "", &fs.PathError{Op: "open", Path: next, Err: errors.New("too many links")}
		}
		if w.check != nil {
			if err := w.check(next, dir); err != nil {
				return "", err
			}
		}
		to, err := os.Readlink(next)
		if err != nil {
			return "", err
		}
		switch {
		case filepath.IsAbs(to):
			dir = top(to)
		case to != "" && os.IsPathSeparator(to[0]):
			dir = top(dir) // of the same volume of Windows
		}
		rest = append(components(to), rest...)
	}
	return dir, nil
}

// top is the root of the volume of an absolute path.
func top(path string) string { return filepath.VolumeName(path) + string(filepath.Separator) }

// components are the names of a path below the root of its volume, without ".".
func components(path string) []string {
	var names []string
	for name := range strings.FieldsFuncSeq(path[len(filepath.VolumeName(path)):], func(r rune) bool {
		return r < utf8.RuneSelf && os.IsPathSeparator(uint8(r))
	}) {
		if name != "." {
			names = append(names, name)
		}
	}
	return names
}

// Within reports whether a path is a directory or below it. Both are without links. Names are compared by
// the files that they name, since a file system may take several spellings for one.
func Within(dir, path string) bool {
	root, err := os.Stat(dir)
	for {
		if path == dir {
			return true
		}
		if err == nil {
			if info, err := os.Stat(path); err == nil && os.SameFile(root, info) {
				return true
			}
		}
		parent := filepath.Dir(path)
		if parent == path {
			return false
		}
		path = parent
	}
}

// Root returns the root of the module or repository that a directory is in, whichever is nearer, or "".
func Root(dir string) string {
	for {
		if _, err := os.Lstat(filepath.Join(dir, "go.mod")); err == nil || IsRepository(dir) {
			return dir
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return ""
		}
		dir = parent
	}
}

// IsRepository reports whether a directory is the root of a repository, or of a work tree.
func IsRepository(dir string) bool {
	for _, name := range []string{".git", ".hg", ".jj", ".svn"} {
		if _, err := os.Lstat(filepath.Join(dir, name)); err == nil {
			return true
		}
	}
	return false
}
