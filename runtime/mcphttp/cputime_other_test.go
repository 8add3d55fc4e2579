//go:build !unix

package mcphttp

import "time"

var began = time.Now()

// cpuTime is the time that has passed, where the time of computing cannot be had.
func cpuTime() time.Duration { return time.Since(began) }
