//go:build !js

package cli

import (
	"os"
	"os/signal"
	"syscall"
)

// hangUp is the signal of a terminal that is closed.
const hangUp = syscall.SIGHUP

// catchPipeSignal catches the signal of a write to a pipe without a reader, which is an error then.
func catchPipeSignal() { signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) }
