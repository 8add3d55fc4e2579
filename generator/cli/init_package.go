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

// makePackage makes a package of a directory that is not there or has no Go files, with a file that
// has its clause.
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

// makeDir makes a directory and those above it.
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

// remove removes what was made.
func (i *initCommand) remove() {
	for n := len(i.made) - 1; n >= 0; n-- {
		_ = os.Remove(i.made[n]) // a directory that others use by now stays
	}
}

// noteMade keeps what was made, and says so.
func (i *initCommand) noteMade() {
	if n := len(i.made); n > 0 {
		i.c.noteln("wrote %s (package %s)", i.c.relative(i.made[n-1]), i.pkg.Name)
	}
	i.made = nil
}

// packageName is the name of the package of a directory that has none: the letters and digits of
// its own name.
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
