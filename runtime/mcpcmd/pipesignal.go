//go:build !js

package mcpcmd

import (
	"os"
	"os/signal"
	"syscall"
)

// catchPipeSignal catches the signal of a write to a pipe without a reader, which is an error then.
func catchPipeSignal() { signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) }
