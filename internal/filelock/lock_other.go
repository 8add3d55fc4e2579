//go:build !windows && (!unix || aix || (solaris && !illumos))

package filelock

import (
	"errors"
	"io/fs"
	"os"
)

// Try locks a file by making it. It returns nil if there is one. A process that ends
// without unlocking leaves it.
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
