//go:build !unix

package prove

import "time"

var began = time.Now()

// cpuTime returns the elapsed time, since the CPU time is unavailable.
func cpuTime() time.Duration { return time.Since(began) }
