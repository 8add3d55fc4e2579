//go:build !unix

package testbed

import "time"

var began = time.Now()

// CPUTime returns the elapsed time, on systems without CPU times.
func CPUTime() time.Duration { return time.Since(began) }
