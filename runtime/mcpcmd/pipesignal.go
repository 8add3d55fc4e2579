//go:build !js

package mcpcmd

import (
	"os"
	"os/signal"
	"syscall"
)

// catchPipeSignal catches the signal for a write to a pipe without a reader, so that the write
// returns an error.
func catchPipeSignal() { signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) }
