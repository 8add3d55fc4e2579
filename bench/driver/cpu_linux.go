package main

import (
	"time"

	"golang.org/x/sys/unix"
)

// cpu returns the CPU time of a running process, to the nanosecond, from its CPU clock
// (clock_getcpuclockid(3)).
func cpu(pid int) (time.Duration, bool) {
	var t unix.Timespec
	if err := unix.ClockGettime(int32(^pid<<3|2), &t); err != nil {
		return 0, false
	}
	return time.Duration(t.Nano()), true
}
