// Package trust determines which files a command follows in directories that others have created: a
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

// mostLinks limits the links on the way to one file.
const mostLinks = 40

// LinkError reports a link that leads out of its module or repository.
type LinkError struct {
	Link string
	Real string // the target
	Root string // of the module or repository
}

func (e *LinkError) Error() string {
	return fmt.Sprintf("%s is a link to %s, outside of %s, and is not followed", e.Link, e.Real, e.Root)
}

// OwnerError reports a file or directory of another user.
type OwnerError struct {
	Path  string
	Owner int // the user ID
}

func (e *OwnerError) Error() string {
	return fmt.Sprintf("%s belongs to another user, number %d, and is not followed", e.Path, e.Owner)
}

// Resolve returns the file that a path leads to after following links. Missing components are kept
// as named, even after a link. On Windows, junctions count as directories, not as links: git does
// not create them.
func Resolve(path string) (string, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	return new(walk).to(top(path), components(path))
}

// Follow returns the file that a path leads to, and refuses links that a repository or another user
// has chosen: a link in a module or repository may lead within it, any other link must belong to
// this user or to root. The directory from, an absolute path, is the user's choice, even if its
// name contains links. Errors are a *LinkError, an *OwnerError, or errors of the file system.
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
	// check is called with each link, whose directory contains no links. It may be nil.
	check func(link, dir string) error
}

// to returns the target of a path's components, relative to a directory without links.
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
			dir = top(dir) // on Windows, of the same volume
		}
		rest = append(components(to), rest...)
	}
	return dir, nil
}

// top returns the root of the volume of an absolute path.
func top(path string) string { return filepath.VolumeName(path) + string(filepath.Separator) }

// components returns the names in a path below the root of its volume, without ".".
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

// Within reports whether a path is a directory or below it. Both must be without links. It compares
// the files that the names refer to, since a file system may accept several spellings of one name.
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

// Root returns the root of the module or repository that contains a directory, whichever is nearer,
// or "".
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
