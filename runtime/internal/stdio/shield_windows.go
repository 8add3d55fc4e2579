package stdio

import (
	"fmt"
	"os"
	"syscall"

	"github.com/mcpgen/mcpgen/runtime/internal/early"
)

var setStdHandle = syscall.NewLazyDLL("kernel32.dll").NewProc("SetStdHandle")

// shield keeps the standard streams for the protocol and replaces the streams that the program and
// its children use. restore puts them back.
func shield() (in, out *os.File, restore func(), err error) {
	Restore()
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return nil, nil, nil, fmt.Errorf("open null device: %w", err)
	}
	stdin, stdout := os.Stdin, os.Stdout
	in, err = duplicate(stdin, "protocol input")
	if err == nil {
		out, err = duplicate(stdout, "protocol output")
	}
	if err != nil {
		if in != nil {
			in.Close()
		}
		null.Close()
		return nil, nil, nil, err
	}
	elsewhere := os.Stderr
	if a, err := stdout.Stat(); err == nil {
		if b, err := os.Stderr.Stat(); err == nil && os.SameFile(a, b) {
			elsewhere = null
		}
	}
	exchange := func(in, out *os.File) {
		os.Stdin, os.Stdout = in, out
		syscall.Stdin, syscall.Stdout = syscall.Handle(in.Fd()), syscall.Handle(out.Fd())
		setHandle(syscall.STD_INPUT_HANDLE, in)
		setHandle(syscall.STD_OUTPUT_HANDLE, out)
	}
	exchange(null, elsewhere)
	restore = func() {
		exchange(stdin, stdout)
		null.Close()
	}
	return in, out, restore, nil
}

func restoreEarly() {
	os.Stdout = os.NewFile(early.Stdout, os.Stdout.Name())
	syscall.Stdout = syscall.Handle(early.Stdout)
}

// setHandle sets the handle that children inherit. If the system refuses, the streams of package os
// are replaced all the same.
func setHandle(which int, f *os.File) {
	setStdHandle.Call(uintptr(uint32(which)), f.Fd())
}

func duplicate(f *os.File, name string) (*os.File, error) {
	process, err := syscall.GetCurrentProcess()
	if err != nil {
		return nil, fmt.Errorf("get process: %w", err)
	}
	var dup syscall.Handle
	err = syscall.DuplicateHandle(process, syscall.Handle(f.Fd()), process, &dup, 0, false, syscall.DUPLICATE_SAME_ACCESS)
	if err != nil {
		return nil, fmt.Errorf("duplicate %s: %w", f.Name(), err)
	}
	return os.NewFile(uintptr(dup), name), nil
}
