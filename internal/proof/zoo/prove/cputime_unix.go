//go:build unix

package prove

import (
	"syscall"
	"time"
)

// cpuTime returns the CPU time of this process, so that other processes have little influence.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
