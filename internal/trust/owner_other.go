//go:build !unix

package trust

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// Owned refuses the root of a volume and the files in it. The standard library cannot return the
// owner of a file on Windows, and an owner may be a group there: files that an administrator
// creates belong to all administrators. Of the directories above a user's directory, only the root
// of a volume is writable for others by default.
func Owned(path string) error {
	if dir := filepath.Dir(path); dir == path || filepath.Dir(dir) == dir && !isDir(path) {
		return &fs.PathError{Op: "trust", Path: path, Err: errors.New("any user may write in the root of a volume")}
	}
	return nil
}

func isDir(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.IsDir()
}

// ownLink trusts links: creating one needs a privilege that users do not have by default on
// Windows.
func ownLink(string) error { return nil }
