package main

import (
	"context"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// signalGrace is the time after the first signal in which further signals are ignored: Ctrl-C
// reaches this process from the terminal, and once more from the program that started it.
const signalGrace = 500 * time.Millisecond

// interruptible returns a context that the first signal cancels, or the end of the input if
// untilEOF is set. A later signal exits the process at once.
func interruptible(parent context.Context, untilEOF bool, input io.Reader) (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancel(parent)
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	if untilEOF {
		go func() {
			_, _ = io.Copy(io.Discard, input)
			cancel()
		}()
	}
	go func() {
		select {
		case <-signals:
			cancel()
		case <-ctx.Done():
		}
		time.AfterFunc(signalGrace, func() { signal.Stop(signals) })
	}()
	return ctx, func() {
		signal.Stop(signals)
		cancel()
	}
}

// delayed returns a context that is cancelled some time after ctx, or by its function.
func delayed(ctx context.Context, delay time.Duration) (context.Context, context.CancelFunc) {
	later, cancel := context.WithCancel(context.WithoutCancel(ctx))
	context.AfterFunc(ctx, func() {
		select {
		case <-time.After(delay):
			cancel()
		case <-later.Done():
		}
	})
	return later, cancel
}
