//go:build !linux

package subprocess

import "os"

// hasEnded returns false: on this system the exit cannot be detected without waiting for the
// process. It is noticed at the end of standard output or standard error.
func hasEnded(*os.Process) bool { return false }

// awaitEnd waits until the program exits.
func awaitEnd(p *os.Process) *os.ProcessState {
	state, _ := p.Wait()
	return state
}
