package mcpcmd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// The exit codes. A second signal ends the program with whatever the system has
// for it.
const (
	exitDone  = 0
	exitFail  = 1
	exitUsage = 2
)

// Main does what the command line says and ends the program: with exit code 0
// when it is done or was told to stop, 1 when something has failed, and 2 for a
// command line that cannot be followed. It never returns; see [WithCleanup].
func Main(s *mcp.Server, options ...Option) {
	os.Exit(start(s, options))
}

func start(s *mcp.Server, options []Option) int {
	// Written to a client or a log that has gone away, standard error must not
	// end the program before it has cleaned up. To ignore the signal would pass
	// that on to children, to catch it does not.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	ctx, stop := interruptible(context.Background())
	defer stop()
	err := Run(ctx, s, os.Args[1:], options...)
	if err == nil {
		return exitDone
	}
	fmt.Fprintf(os.Stderr, "%s: %v\n", command(), err)
	if _, ok := errors.AsType[*UsageError](err); ok {
		return exitUsage
	}
	return exitFail
}

// together is how long signals after the first still count as the same wish:
// Ctrl-C reaches every process of a terminal's foreground, and what has started
// this one, as "go tool" does, may pass on its own.
var together = 500 * time.Millisecond

// signalError is the cause of a context that a signal has ended.
type signalError struct{ os.Signal }

func (s signalError) Error() string { return s.String() }

// interruptible returns a context that the first signal to stop ends. The next
// one after a moment ends the process, as the system has it.
func interruptible(parent context.Context) (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(parent)
	caught := make(chan os.Signal, 1)
	signal.Notify(caught, os.Interrupt, syscall.SIGTERM)
	go func() {
		select {
		case s := <-caught:
			time.AfterFunc(together, func() { signal.Stop(caught) })
			cancel(signalError{s})
		case <-ctx.Done():
		}
	}()
	return ctx, func() {
		signal.Stop(caught)
		cancel(nil)
	}
}
