//go:build cost

package cli

import (
	"os"
	"syscall"
)

// peakMemory returns the largest resident size of a process, in bytes (getrusage(2), which counts
// kibibytes).
func peakMemory(p *os.ProcessState) int64 {
	usage, ok := p.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	return int64(usage.Maxrss) * 1024 //nolint:unconvert // it has 32 bits on some systems
}
