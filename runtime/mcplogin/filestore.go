package mcplogin

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"sync"

	"github.com/mcpgen/mcpgen/internal/filelock"
	"github.com/mcpgen/mcpgen/internal/regularfile"
)

// FileStore returns a Store in a file, for all processes of one user on one machine. The file has
// mode 0600 and is replaced as a whole, so that a crash leaves the old one or the new one. Beside
// it are empty lock files. FileStore creates missing folders with mode 0700.
//
// A file that other users may read, a symbolic link, and a file of a later version are errors. A
// damaged file is renamed, and a new one created. On Windows, the folder determines the access.
func FileStore(path string) Store { return &fileStore{path: path} }

type fileStore struct {
	path string
	mu   sync.Mutex // held in addition to the lock of the file, which processes share
}

// storeFile is the content of the file.
type storeFile struct {
	Format string            `json:"format"`
	Values map[string][]byte `json:"values"`
}

const (
	storeFormat   = "mcpgen logins 1"
	maxStoreBytes = 16 << 20
)

func (f *fileStore) Get(_ context.Context, key string) ([]byte, error) {
	file, err := f.read()
	if _, damaged := errors.AsType[*damagedError](err); damaged {
		return nil, nil // Put creates a new one
	}
	if err != nil {
		return nil, err
	}
	return file.Values[key], nil
}

func (f *fileStore) Put(ctx context.Context, key string, value []byte) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	unlock, err := f.lockFile(ctx, f.path+".lock")
	if err != nil {
		return err
	}
	defer unlock()
	file, err := f.read()
	if damaged, ok := errors.AsType[*damagedError](err); ok {
		if err := os.Rename(f.path, f.path+".damaged"); err != nil {
			return errors.Join(damaged, err)
		}
		file, err = &storeFile{storeFormat, map[string][]byte{}}, nil
	}
	if err != nil {
		return err
	}
	if value == nil {
		delete(file.Values, key)
	} else {
		file.Values[key] = value
	}
	return f.write(file)
}

// Lock locks a file for the key, which only users of this Store lock.
func (f *fileStore) Lock(ctx context.Context, key string) (unlock func(), err error) {
	return f.lockFile(ctx, f.path+".lock-"+digest(key))
}

// damagedError is returned for a file that no FileStore has written.
type damagedError struct{ path string }

func (e *damagedError) Error() string {
	return e.path + " is not a file of logins, or is damaged: delete it, and log in again"
}

// read reads the file. A missing file counts as empty.
func (f *fileStore) read() (*storeFile, error) {
	empty := &storeFile{storeFormat, map[string][]byte{}}
	info, err := os.Lstat(f.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return empty, nil
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is not a regular file, and tokens are not read from or written to another one: remove it", f.path)
	case runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0:
		return nil, fmt.Errorf("%s has mode %04o, so that other users may have read its tokens: remove it and log in again, or run chmod 600 on it", f.path, info.Mode().Perm())
	}
	data, err := regularfile.ReadWithin(f.path, maxStoreBytes)
	if err != nil {
		return nil, err
	}
	file := new(storeFile)
	if json.Unmarshal(data, file) != nil {
		return nil, &damagedError{f.path}
	}
	if file.Format != storeFormat {
		if file.Format == "" {
			return nil, &damagedError{f.path}
		}
		return nil, fmt.Errorf("%s has the format %s, this program knows %q: use a newer program, or another file", f.path, quote(file.Format), storeFormat)
	}
	if file.Values == nil {
		file.Values = empty.Values
	}
	return file, nil
}

// write replaces the file.
func (f *fileStore) write(file *storeFile) error {
	data, err := json.Marshal(file)
	if err != nil {
		return err
	}
	if len(data) > maxStoreBytes {
		return fmt.Errorf("%s would have more than %d bytes", f.path, maxStoreBytes)
	}
	temp, err := os.CreateTemp(filepath.Dir(f.path), filepath.Base(f.path)+"-*") // with mode 0600
	if err != nil {
		return err
	}
	_, err = temp.Write(data)
	if err == nil {
		err = temp.Sync()
	}
	if closeErr := temp.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		err = os.Rename(temp.Name(), f.path)
	}
	if err != nil {
		_ = os.Remove(temp.Name()) // nothing else can be done about it
	}
	return err
}

// lockFile waits until this process holds the only lock of a file. The system releases it at the
// latest when the process ends.
func (f *fileStore) lockFile(ctx context.Context, path string) (unlock func(), err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	return filelock.Lock(ctx, path)
}
