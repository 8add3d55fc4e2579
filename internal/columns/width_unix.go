//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package columns

import (
	"os"
	"syscall"
	"unsafe"
)

// widthOf returns the width of the terminal, or 0 if unknown.
func widthOf(f *os.File) int {
	var size struct{ rows, columns, x, y uint16 }
	//nolint:gosec // the system call fills the structure
	if _, _, err := syscall.Syscall(syscall.SYS_IOCTL, f.Fd(), syscall.TIOCGWINSZ, uintptr(unsafe.Pointer(&size))); err != 0 {
		return 0
	}
	return int(size.columns)
}
