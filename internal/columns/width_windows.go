package columns

import (
	"os"
	"syscall"
	"unsafe"
)

var screenInfo = syscall.NewLazyDLL("kernel32.dll").NewProc("GetConsoleScreenBufferInfo")

// widthOf returns the width of the console, or 0 if unknown.
func widthOf(f *os.File) int {
	var info struct {
		size, cursor             [2]int16
		attributes               uint16
		left, top, right, bottom int16
		most                     [2]int16
	}
	//nolint:gosec // the system call fills the structure
	if ok, _, _ := screenInfo.Call(f.Fd(), uintptr(unsafe.Pointer(&info))); ok == 0 {
		return 0
	}
	return int(info.right-info.left) + 1
}
