package program

// firstFiles are a package that a program imports so that it is initialised before all packages
// that can print: it imports only package syscall, and the runtime initialises packages in the
// order of their paths as soon as their imports are initialised. Until Restore is called, standard
// output goes to standard error, so that output during the initialisation of other packages does
// not get between the messages. In a module whose path sorts after "os", this protects against the
// packages that sort later.
var firstFiles = map[string]string{
	"first_linux.go": `package mcpgen_first

import "syscall"

func redirect(from, to int) error { return syscall.Dup3(from, to, 0) }
`,
	"first_bsd.go": `//go:build darwin || freebsd || netbsd || openbsd || dragonfly

package mcpgen_first

import "syscall"

func redirect(from, to int) error { return syscall.Dup2(from, to) }
`,
	"first_unix.go": `//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package mcpgen_first

import "syscall"

var kept = -1

func init() {
	fd, err := syscall.Dup(1)
	if err != nil {
		return
	}
	syscall.CloseOnExec(fd)
	if redirect(2, 1) != nil {
		syscall.Close(fd)
		return
	}
	kept = fd
}

// Restore makes standard output what it was. It returns its handle where package os has another one.
func Restore() (handle uintptr, other bool) {
	if kept >= 0 {
		_ = redirect(kept, 1)
		syscall.Close(kept)
		kept = -1
	}
	return 0, false
}
`,
	"first_windows.go": `package mcpgen_first

import "syscall"

var kept = syscall.Stdout

func init() { syscall.Stdout = syscall.Stderr }

// Restore makes standard output what it was. It returns its handle where package os has another one.
func Restore() (handle uintptr, other bool) {
	syscall.Stdout = kept
	return uintptr(kept), true
}
`,
	"first_other.go": `//go:build !linux && !darwin && !freebsd && !netbsd && !openbsd && !dragonfly && !windows

package mcpgen_first

// Restore makes standard output what it was. It returns its handle where package os has another one.
func Restore() (handle uintptr, other bool) { return 0, false }
`,
}
