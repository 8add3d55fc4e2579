package subprocess

import (
	"os"
	"syscall"
	"unsafe"
)

// waitid reports whether the process has exited. It does not reap the process: its id stays taken
// until os.Process.Wait. With WNOHANG, waitid does not block.
func waitid(pid int, options uintptr) bool {
	const byPID = 1    // P_PID
	var info [128]byte // siginfo_t, which begins with the number of the signal, or 0
	for {
		_, _, err := syscall.Syscall6(syscall.SYS_WAITID, byPID, uintptr(pid), uintptr(unsafe.Pointer(&info)),
			syscall.WEXITED|syscall.WNOWAIT|options, 0, 0)
		switch {
		case err == syscall.EINTR:
		case err == syscall.ECHILD:
			return true // another part of this program has reaped it
		default:
			return err == 0 && *(*int32)(unsafe.Pointer(&info)) != 0
		}
	}
}

// hasEnded reports whether the program has exited.
func hasEnded(p *os.Process) bool { return waitid(p.Pid, syscall.WNOHANG) }

// awaitEnd waits until the program exits. The state is nil if the caller must call os.Process.Wait.
func awaitEnd(p *os.Process) *os.ProcessState {
	if !waitid(p.Pid, 0) {
		state, _ := p.Wait()
		return state
	}
	return nil
}
