//go:build unix

package cli

import (
	"os"
	"os/exec"
	"syscall"
	"testing"
)

// leadGroup makes the command the leader of a process group, as a shell does.
func leadGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// signalGroup sends a signal to all processes of the group, as a terminal does.
func signalGroup(t *testing.T, cmd *exec.Cmd, s os.Signal) {
	t.Helper()
	if err := syscall.Kill(-cmd.Process.Pid, s.(syscall.Signal)); err != nil {
		t.Fatal(err)
	}
}
