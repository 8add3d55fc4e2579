//go:build unix && !aix && (!solaris || illumos)

package filelock

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// Try locks a file, which it creates if it is missing. It returns nil if another process holds the
// lock.
func Try(path string) (unlock func(), err error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		return nil, err
	}
	switch err := flock(file); {
	case err == nil:
		return func() { _ = file.Close() }, nil // this unlocks it
	case errors.Is(err, syscall.EWOULDBLOCK), errors.Is(err, syscall.EINTR):
		return nil, file.Close()
	default:
		_ = file.Close()
		return nil, fmt.Errorf("lock %s: %w", path, err)
	}
}

func flock(file *os.File) (err error) {
	raw, err := file.SyscallConn()
	if err != nil {
		return err
	}
	var locked error
	if err = raw.Control(func(fd uintptr) { locked = syscall.Flock(int(fd), syscall.LOCK_EX|syscall.LOCK_NB) }); err != nil {
		return err
	}
	return locked
}
