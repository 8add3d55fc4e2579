package pipeline

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Write writes the files that are not current and returns their paths. After an error diagnostic
// nothing is written. A file is written aside and renamed, so that neither a crash nor a full disk
// leaves half of one, and two runs at the same time leave one whole file.
func (r *Result) Write() (written []string, err error) {
	if r.Diagnostics.HasErrors() {
		return nil, errors.New("write the generated files: the source has errors")
	}
	for _, p := range r.Packages {
		if p.Current() {
			continue
		}
		if err := Replace(p.Path, p.Source); err != nil {
			if at, ok := errors.AsType[*fs.PathError](err); ok {
				err = at.Err // the path is that of the copy
			}
			return written, fmt.Errorf("write %s: %w", p.Path, err)
		}
		p.Old = p.Source
		written = append(written, p.Path)
	}
	return written, nil
}

// Replace puts data in the place of a file, or where none is yet, in one step: there is never half
// of it, and on any error the file is what it was.
func Replace(path string, data []byte) (err error) {
	aside, err := createAside(path)
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
	if old, statErr := os.Stat(path); statErr == nil {
		if err = aside.Chmod(old.Mode().Perm()); err != nil {
			return err
		}
	}
	if err = aside.Sync(); err != nil {
		return err
	}
	if err = aside.Close(); err != nil {
		return err
	}
	if err = renamePatiently(func() error { return os.Rename(aside.Name(), path) }, runtime.GOOS); err != nil {
		return err
	}
	sweep(path)
	return nil
}

// sharingTime is how long Replace waits for a file that another program has open.
const sharingTime = 2 * time.Second

// renamePatiently renames again while the error is one that passes on Windows: an editor, a
// language server or a virus scanner has the file open for a moment. On other systems an open file
// can be replaced.
func renamePatiently(rename func() error, system string) error {
	pause := time.Millisecond
	for start := time.Now(); ; pause = min(2*pause, 100*time.Millisecond) {
		err := rename()
		if err == nil || !sharingViolation(err, system) || time.Since(start) >= sharingTime {
			return err
		}
		time.Sleep(pause)
	}
}

// sharingViolation reports whether an error of Windows means that another program has a file open:
// ERROR_ACCESS_DENIED, which a file without the right to write also gives, ERROR_SHARING_VIOLATION
// or ERROR_LOCK_VIOLATION.
func sharingViolation(err error, system string) bool {
	number, ok := errors.AsType[syscall.Errno](err)
	return ok && system == "windows" && (number == 5 || number == 32 || number == 33)
}

// asidePrefix begins the names of the copies of a file. The go command ignores files that begin
// with a dot, so one that a killed run leaves behind never becomes part of the package.
func asidePrefix(path string) string { return "." + filepath.Base(path) + "." }

// createAside creates an empty copy beside a file, with the permissions that any new file has.
func createAside(path string) (*os.File, error) {
	for {
		name := filepath.Join(filepath.Dir(path), asidePrefix(path)+strconv.FormatUint(uint64(rand.Uint32()), 10))
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if !errors.Is(err, fs.ErrExist) {
			return f, err
		}
	}
}

// sweep removes the copies of killed runs: those that are too old to be in use.
func sweep(path string) {
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		return
	}
	for _, e := range entries {
		number, ok := strings.CutPrefix(e.Name(), asidePrefix(path))
		if _, err := strconv.ParseUint(number, 10, 32); !ok || err != nil {
			continue
		}
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() && time.Since(info.ModTime()) > time.Hour {
			_ = os.Remove(filepath.Join(filepath.Dir(path), e.Name()))
		}
	}
}
