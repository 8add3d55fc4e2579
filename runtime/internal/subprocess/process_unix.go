//go:build unix

package subprocess

import (
	"os"
	"os/exec"
	"syscall"
)

// ownGroup puts the program into a process group of its own, unless the caller has chosen one. It
// reports whether the program leads its group.
func ownGroup(cmd *exec.Cmd) bool {
	attr := syscall.SysProcAttr{}
	if cmd.SysProcAttr != nil {
		attr = *cmd.SysProcAttr
	}
	if !attr.Setsid && !attr.Setpgid {
		attr.Setpgid, attr.Pgid = true, 0
	}
	cmd.SysProcAttr = &attr
	return attr.Setsid || attr.Pgid == 0
}

func terminate(p *os.Process, group bool) { signal(p, group, syscall.SIGTERM) }

func kill(p *os.Process, group bool) { signal(p, group, syscall.SIGKILL) }

// signal sends a signal to the processes of the program's group, or to the program.
func signal(p *os.Process, group bool, s syscall.Signal) {
	if !group || syscall.Kill(-p.Pid, s) != nil {
		_ = p.Signal(s) // it may have left its group
	}
}

// closePipe closes a pipe. It works while another goroutine reads or writes, which then fails.
func closePipe(f *os.File) { f.Close() }
