//go:build unix

package testbed

import (
	"syscall"
	"time"
)

// CPUTime returns the CPU time of this process, so that other load on the machine counts little.
func CPUTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
