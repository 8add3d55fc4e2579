package cli

import (
	"errors"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode"
)

// makePackage creates a package in a directory that does not exist or contains no Go files, with a
// file that contains its package clause.
func (i *initCommand) makePackage(dir string) error {
	if sources, err := filepath.Glob(filepath.Join(escapeGlob(dir), "*.go")); err != nil || len(sources) > 0 {
		return err
	}
	if err := i.makeDir(dir); err != nil {
		return unwritable(dir, err)
	}
	path := filepath.Join(dir, "doc.go")
	name := packageName(dir)
	if err := create(path, "// Package "+name+" has features of "+i.expose+".\npackage "+name+"\n"); err != nil {
		return unwritable(path, err)
	}
	i.made = append(i.made, path)
	return nil
}

// makeDir creates a directory and its parents.
func (i *initCommand) makeDir(dir string) error {
	if err := os.Mkdir(dir, 0o777); errors.Is(err, fs.ErrNotExist) {
		if err := i.makeDir(filepath.Dir(dir)); err != nil {
			return err
		}
		err = os.Mkdir(dir, 0o777)
		if err != nil {
			return err
		}
	} else if errors.Is(err, fs.ErrExist) {
		return nil
	} else if err != nil {
		return err
	}
	i.made = append(i.made, dir)
	return nil
}

// remove removes the created files and directories.
func (i *initCommand) remove() {
	for n := len(i.made) - 1; n >= 0; n-- {
		_ = os.Remove(i.made[n]) // a directory that others now use stays
	}
}

// noteMade keeps the created files and directories, and prints that.
func (i *initCommand) noteMade() {
	if n := len(i.made); n > 0 {
		i.c.noteln("wrote %s (package %s)", i.c.relative(i.made[n-1]), i.pkg.Name)
	}
	i.made = nil
}

// packageName returns a package name for a new directory: the letters and digits of its own name.
func packageName(dir string) string {
	name := strings.Map(func(r rune) rune {
		if r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, filepath.Base(dir))
	if !token.IsIdentifier(name) || name == "main" || name == "_" {
		return "tools"
	}
	return name
}
