package clients

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/mcpgen/mcpgen/internal/filelock"
	"github.com/mcpgen/mcpgen/internal/regularfile"
	"github.com/mcpgen/mcpgen/internal/trust"
)

const (
	// maxFile limits the size of a file that is changed, in bytes.
	maxFile = 64 << 20
	// mostReads limits how often a file is read that others change in the meantime.
	mostReads = 3
)

// ErrChanging is returned if a file changed each time before its new text could be written.
var ErrChanging = errors.New("another program keeps changing the file: close the client, and try again")

// change is the new content of a file.
type change struct {
	text   []byte
	remove bool // remove the file
}

// replaceFile reads a file, calls edit, and replaces the file's content by the result. A reader
// gets the old text or the new one, even if this process is killed or the disk is full. Mode and
// owner are kept, a link continues to name the file, and the first old text is stored beside path
// as .bak, readable for its owner only. If the file has changed in the meantime, edit is called
// again. If it is missing, edit gets nil, and the new file gets the given mode.
func replaceFile(ctx context.Context, path string, mode fs.FileMode, edit func(old []byte) (change, error)) error {
	return replace(ctx, path, mode, path+".bak", edit)
}

// replace is replaceFile with the name of the copy of the old text, or "" for no copy.
func replace(ctx context.Context, path string, mode fs.FileMode, keep string, edit func(old []byte) (change, error)) error {
	path, err := trust.Resolve(path)
	if err != nil {
		return err
	}
	unlock, err := lock(ctx, path)
	if err != nil {
		return err
	}
	defer unlock()
	for range mostReads {
		old, info, err := readFile(path)
		if err != nil {
			return err
		}
		if info != nil && old == nil {
			old = []byte{}
		}
		c, err := edit(old)
		if err != nil || !c.remove && info != nil && bytes.Equal(c.text, old) {
			return err
		}
		err = write(path, mode, info, old, c, keep)
		if !errors.Is(err, errChanged) {
			return err
		}
	}
	return ErrChanging
}

// lock waits until no other process of this kind changes the file. The lock is in the cache
// directory, since the file may be in a repository. Without such a directory, lock does nothing.
func lock(ctx context.Context, path string) (unlock func(), err error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return func() {}, nil
	}
	dir := filepath.Join(cache, "mcpgen")
	if os.MkdirAll(dir, 0o700) != nil {
		return func() {}, nil
	}
	sum := sha256.Sum256([]byte(path))
	return filelock.Lock(ctx, filepath.Join(dir, "client-"+hex.EncodeToString(sum[:8])+".lock"))
}

// readFile returns the content of a file, or nil if it is missing.
func readFile(path string) ([]byte, fs.FileInfo, error) {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	text, err := regularfile.ReadWithin(path, maxFile)
	return text, info, err
}

var errChanged = errors.New("the file has changed")

// syncFile makes a file's content durable, and syncFolder the name of a file. Only tests replace
// them: syncing hundreds of files takes longer than the rest of their tests.
var (
	syncFile   = (*os.File).Sync
	syncFolder = syncDir
)

// write makes the change durable, unless the file has changed since it was read.
func write(path string, mode fs.FileMode, info fs.FileInfo, old []byte, c change, keep string) error {
	if info != nil {
		if mode = info.Mode().Perm(); mode&0o200 == 0 {
			return &fs.PathError{Op: "write", Path: path, Err: errors.New("the file is read-only")}
		}
		if keep != "" && !c.remove {
			if err := backup(keep, info, old); err != nil {
				return fmt.Errorf("keep the old file: %w", err)
			}
		}
	} else {
		dirMode := mode | mode>>2&0o111
		if err := os.MkdirAll(filepath.Dir(path), dirMode|0o100); err != nil {
			return err
		}
	}
	if c.remove {
		if err := unchanged(path, info, old); err != nil || info == nil {
			return err
		}
		return os.Remove(path)
	}
	temp, err := aside(path, mode, info, c.text)
	if err != nil {
		return err
	}
	if err = unchanged(path, info, old); err == nil {
		err = os.Rename(temp, path)
	}
	if err != nil {
		_ = os.Remove(temp) // nothing else can be done about it
		return err
	}
	syncFolder(filepath.Dir(path))
	return nil
}

// unchanged returns errChanged if a file has another text than before.
func unchanged(path string, info fs.FileInfo, old []byte) error {
	now, nowInfo, err := readFile(path)
	if err != nil {
		return err
	}
	if (info == nil) != (nowInfo == nil) || !bytes.Equal(old, now) {
		return errChanged
	}
	return nil
}

// backup stores a text in a file, unless that exists. Only the owner may read the copy, whatever
// the mode of the file is: a password that is removed from the file remains in the copy.
func backup(keep string, info fs.FileInfo, text []byte) error {
	if _, err := os.Lstat(keep); err == nil {
		return nil
	}
	temp, err := aside(keep, 0o600, info, text)
	if err != nil {
		return err
	}
	return os.Rename(temp, keep)
}

// named returns the error of a temporary file with the path of the file that it becomes.
func named(path string, err error) error {
	if at, ok := errors.AsType[*fs.PathError](err); ok {
		return &fs.PathError{Op: at.Op, Path: path, Err: at.Err}
	}
	return err
}

// aside writes a text into a new file of the same directory.
func aside(path string, mode fs.FileMode, info fs.FileInfo, text []byte) (name string, err error) {
	temp, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".new-*") // with mode 0600
	if err != nil {
		return "", named(path, err)
	}
	_, err = temp.Write(text)
	if err == nil && info != nil {
		err = keepOwner(temp, info)
	}
	if err == nil {
		err = temp.Chmod(mode)
	}
	if err == nil {
		err = syncFile(temp)
	}
	if closeErr := temp.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		_ = os.Remove(temp.Name()) // nothing else can be done about it
	}
	return temp.Name(), named(path, err)
}
