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

// Exit codes. After a second signal the operating system sets the exit code.
const (
	exitDone  = 0
	exitFail  = 1
	exitUsage = 2
)

// Main runs the command line and exits the program: with exit code 0 on success or after a signal,
// 1 after a failure, and 2 for an invalid command line. It never returns; see [WithCleanup]. For a
// server that needs a database, see [MainFunc].
func Main(s *mcp.Server, options ...Option) {
	os.Exit(start(func(ctx context.Context) error { return Run(ctx, s, os.Args[1:], options...) }))
}

func start(run func(context.Context) error) int {
	// A write to standard error whose reader is gone must not kill the program before its cleanup.
	// Children would inherit an ignored signal, but not a caught one.
	catchPipeSignal()
	ctx, stop := interruptible(context.Background())
	defer stop()
	err := run(ctx)
	if err == nil {
		return exitDone
	}
	fmt.Fprintf(os.Stderr, "%s: %v\n", command(), err)
	if _, ok := errors.AsType[*UsageError](err); ok {
		return exitUsage
	}
	return exitFail
}

// signalGrace is the time after the first signal in which further signals are ignored: Ctrl-C
// reaches every foreground process of a terminal, and the parent of this one, such as "go tool",
// may forward its own.
var signalGrace = 500 * time.Millisecond

// signalError is the cancellation cause of a context after a signal.
type signalError struct{ os.Signal }

func (s signalError) Error() string { return s.String() }

// interruptible returns a context that the first signal cancels. After signalGrace, the next signal
// has its default effect and kills the process.
func interruptible(parent context.Context) (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(parent)
	caught := make(chan os.Signal, 1)
	signal.Notify(caught, os.Interrupt, syscall.SIGTERM)
	go func() {
		select {
		case s := <-caught:
			time.AfterFunc(signalGrace, func() { signal.Stop(caught) })
			cancel(signalError{s})
		case <-ctx.Done():
		}
	}()
	return ctx, func() {
		signal.Stop(caught)
		cancel(nil)
	}
}
