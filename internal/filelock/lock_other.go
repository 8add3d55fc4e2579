//go:build !windows && (!unix || aix || (solaris && !illumos))

package filelock

import (
	"errors"
	"io/fs"
	"os"
)

// Try locks a file by creating it. It returns nil if the file exists. A process that ends without
// unlocking leaves the file.
func Try(path string) (unlock func(), err error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return func() { _, _ = file.Close(), os.Remove(path) }, nil
}
