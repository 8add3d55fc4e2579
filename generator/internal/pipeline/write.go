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

// Write writes the files that are not current and returns their paths. After an error diagnostic it
// writes nothing. A file is written aside and renamed, so that neither a crash nor a full disk
// leaves an incomplete file, and two runs at the same time leave one complete file.
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
				err = at.Err // it names the copy's path
			}
			return written, fmt.Errorf("write %s: %w", p.Path, err)
		}
		p.Old = p.Source
		written = append(written, p.Path)
	}
	return written, nil
}

// Replace replaces or creates a file in one step: its content is never incomplete, and on any error
// the file is unchanged.
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

// sharingTime limits the time for which Replace waits for a file that another program keeps open.
const sharingTime = 2 * time.Second

// renamePatiently renames again while the error is temporary on Windows: an editor, a language
// server or a virus scanner keeps the file open for a moment. Other systems can replace an open
// file.
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

// sharingViolation reports whether an error of Windows means that another program keeps a file
// open: ERROR_ACCESS_DENIED, which a file without write permission also causes,
// ERROR_SHARING_VIOLATION or ERROR_LOCK_VIOLATION.
func sharingViolation(err error, system string) bool {
	number, ok := errors.AsType[syscall.Errno](err)
	return ok && system == "windows" && (number == 5 || number == 32 || number == 33)
}

// asidePrefix returns the prefix of the names of a file's copies. The go command ignores files that
// begin with a dot, so a copy that a killed run leaves behind never becomes part of the package.
func asidePrefix(path string) string { return "." + filepath.Base(path) + "." }

// createAside creates an empty copy beside a file, with the permissions of a new file.
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
