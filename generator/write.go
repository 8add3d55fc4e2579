package generator

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// Write writes the files that are not current and returns their paths. After an
// error diagnostic nothing is written. A file is written aside and renamed, so
// that neither a crash nor a full disk leaves half of one, and two runs at the
// same time leave one whole file.
func (r *Result) Write() (written []string, err error) {
	if r.Diagnostics.HasErrors() {
		return nil, errors.New("write the generated files: the source has errors")
	}
	for _, p := range r.Packages {
		if p.Current() {
			continue
		}
		if err := Replace(p.Path, p.Source); err != nil {
			return written, fmt.Errorf("write %s: %w", p.Path, err)
		}
		p.Old = p.Source
		written = append(written, p.Path)
	}
	return written, nil
}

// Replace puts data in the place of a file, or where none is yet, in one step: there
// is never half of it, and on any error the file is what it was.
func Replace(path string, data []byte) (err error) {
	mode := os.FileMode(0o644)
	if info, err := os.Stat(path); err == nil {
		mode = info.Mode().Perm()
	}
	// The go command ignores files that begin with a dot, so a copy that a
	// killed run leaves behind never becomes part of the package.
	aside, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = aside.Close()
			_ = os.Remove(aside.Name())
		}
	}()
	if _, err = aside.Write(data); err != nil {
		return err
	}
	if err = aside.Chmod(mode); err != nil {
		return err
	}
	if err = aside.Sync(); err != nil {
		return err
	}
	if err = aside.Close(); err != nil {
		return err
	}
	return os.Rename(aside.Name(), path)
}
