//go:build !linux

package subprocess

import "os"

// hasEnded reports false: here it is not known without waiting for the process. The end of
// the program is noticed at the end of its output or of its standard error.
func hasEnded(*os.Process) bool { return false }

// awaitEnd waits until the program has ended.
func awaitEnd(p *os.Process) *os.ProcessState {
	state, _ := p.Wait()
	return state
}
