//go:build !unix

package prove

import "time"

var began = time.Now()

// cpuTime is the time that has passed, as the CPU time is not available.
func cpuTime() time.Duration { return time.Since(began) }
