//go:build !js

package cli

import (
	"os"
	"os/signal"
	"syscall"
)

// hangUp is the signal for a closed terminal.
const hangUp = syscall.SIGHUP

// catchPipeSignal catches the signal for a write to a pipe without a reader, so that the write
// returns an error.
func catchPipeSignal() { signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) }
