package cli

import (
	"os"
	"runtime/debug"
)

// A run lives for a second, and most of what it allocates for as long. So rubbish is
// collected seldom while there is little, and as often as it takes to stay near
// the limit where there is much.
const (
	collectorPercent = 400
	memoryLimit      = 128 << 20 // bytes
)

// tuneCollector leaves alone what the environment says.
func tuneCollector() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(collectorPercent)
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(memoryLimit)
	}
}
