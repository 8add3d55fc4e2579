//go:build unix

package prove

import (
	"syscall"
	"time"
)

// cpuTime is the CPU time of this process, so that other work of the machine has
// little influence.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
