package main

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// inTerminal runs a command in a new pseudo-terminal. It returns everything that the terminal
// received, and the command's error.
func inTerminal(cmd *exec.Cmd, columns int) ([]byte, error) {
	ours, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		return nil, err
	}
	defer func() { _ = ours.Close() }()
	fd := int(ours.Fd())
	if err := unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0); err != nil {
		return nil, err
	}
	number, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err != nil {
		return nil, err
	}
	if err := unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: maxLines, Col: uint16(columns)}); err != nil {
		return nil, err
	}
	theirs, err := os.OpenFile("/dev/pts/"+strconv.Itoa(number), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		return nil, err
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = theirs, theirs, theirs
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	err = cmd.Start()
	_ = theirs.Close()
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(ours)
	if errors.Is(err, syscall.EIO) {
		err = nil // the last process closed the terminal
	}
	return text, errors.Join(cmd.Wait(), err)
}
