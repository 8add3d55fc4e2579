//go:build unix

package testbed

import (
	"syscall"
	"time"
)

// CPUTime is the time that this process has computed, so that what else the
// machine does counts little.
func CPUTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
