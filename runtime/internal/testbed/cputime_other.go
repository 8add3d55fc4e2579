//go:build !unix

package testbed

import "time"

var began = time.Now()

// CPUTime is the time that has passed, where the time of computing cannot be had.
func CPUTime() time.Duration { return time.Since(began) }
