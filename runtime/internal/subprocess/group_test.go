//go:build unix && !solaris

package subprocess_test

import (
	"syscall"
	"testing"
	"time"
)

// TestGroup: the program has its own group unless it is given another one.
func TestGroup(t *testing.T) {
	group := func(f *fixture) int {
		n, err := syscall.Getpgid(f.cmd.Process.Pid)
		if err != nil {
			t.Error(err)
		}
		return n
	}
	f := start(t, "echo", nil)
	if group(f) != f.cmd.Process.Pid {
		t.Error("the group is another one")
	}
	other := f
	attr := &syscall.SysProcAttr{Setsid: true}
	f = start(t, "echo", nil, func(f *fixture) { f.cmd.SysProcAttr = attr })
	if group(f) != f.cmd.Process.Pid || attr.Setpgid {
		t.Error("the group is another one, or the caller's attributes were changed")
	}
	f = start(t, "stubborn", nil, func(f *fixture) {
		f.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pgid: other.cmd.Process.Pid}
	})
	f.wantReady()
	f.closeAfter(150 * time.Millisecond)
	other.send("{}")
	other.want("{}") // it got no signal
}
