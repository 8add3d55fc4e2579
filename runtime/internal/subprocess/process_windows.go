package subprocess

import (
	"context"
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"time"
)

// taskkillTime limits the time of taskkill.
const taskkillTime = 5 * time.Second

// ownGroup puts the program into a group of its own, so that Ctrl-C does not reach it before its
// input is closed.
func ownGroup(cmd *exec.Cmd) bool {
	attr := syscall.SysProcAttr{}
	if cmd.SysProcAttr != nil {
		attr = *cmd.SysProcAttr
	}
	attr.CreationFlags |= syscall.CREATE_NEW_PROCESS_GROUP
	cmd.SysProcAttr = &attr
	return true
}

// terminate kills the program and its children: Windows has no signal that asks a program without a
// window to exit.
func terminate(p *os.Process, _ bool) {
	ctx, cancel := context.WithTimeout(context.Background(), taskkillTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, "taskkill", "/T", "/F", "/PID", strconv.Itoa(p.Pid))
	cmd.SysProcAttr = &syscall.SysProcAttr{HideWindow: true}
	_ = cmd.Run()
}

func kill(p *os.Process, _ bool) { _ = p.Kill() }

// closePipe closes a pipe. It cancels a read or write that is waiting, because closing would wait
// for it.
func closePipe(f *os.File) {
	_ = syscall.CancelIoEx(syscall.Handle(f.Fd()), nil)
	f.Close()
}
