package subprocess

import (
	"context"
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"time"
)

// taskkillTime is how long taskkill may take.
const taskkillTime = 5 * time.Second

// ownGroup gives the program a group of its own, so that Ctrl-C does not reach it before its
// input ends.
func ownGroup(cmd *exec.Cmd) bool {
	attr := syscall.SysProcAttr{}
	if cmd.SysProcAttr != nil {
		attr = *cmd.SysProcAttr
	}
	attr.CreationFlags |= syscall.CREATE_NEW_PROCESS_GROUP
	cmd.SysProcAttr = &attr
	return true
}

// terminate ends the program and those that it has started: programs without a window have no
// signal that asks them to end.
func terminate(p *os.Process, _ bool) {
	ctx, cancel := context.WithTimeout(context.Background(), taskkillTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, "taskkill", "/T", "/F", "/PID", strconv.Itoa(p.Pid))
	cmd.SysProcAttr = &syscall.SysProcAttr{HideWindow: true}
	_ = cmd.Run()
}

func kill(p *os.Process, _ bool) { _ = p.Kill() }

// closePipe closes a pipe. A read or write that waits would make that wait too.
func closePipe(f *os.File) {
	_ = syscall.CancelIoEx(syscall.Handle(f.Fd()), nil)
	f.Close()
}
