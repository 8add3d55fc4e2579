package filelock

import (
	"errors"
	"fmt"
	"syscall"
)

// errSharing is ERROR_SHARING_VIOLATION.
const errSharing = syscall.Errno(32)

// Try opens a file, which it creates if it is missing, so that no other process can open it. It
// returns nil if another process has opened it.
func Try(path string) (unlock func(), err error) {
	name, err := syscall.UTF16PtrFromString(path)
	if err != nil {
		return nil, err
	}
	h, err := syscall.CreateFile(name, syscall.GENERIC_READ|syscall.GENERIC_WRITE, 0, nil, syscall.OPEN_ALWAYS, syscall.FILE_ATTRIBUTE_NORMAL, 0)
	switch {
	case err == nil:
		return func() { _ = syscall.CloseHandle(h) }, nil // this unlocks it
	case errors.Is(err, errSharing):
		return nil, nil
	}
	return nil, fmt.Errorf("lock %s: %w", path, err)
}
