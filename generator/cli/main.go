// Package cli implements the command mcpgen: flags, output, signals and exit codes. Another program
// that calls [Main] is the same command.
package cli

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"syscall"

	"github.com/mcpgen/mcpgen/generator/internal/program"
	"github.com/mcpgen/mcpgen/internal/columns"
	"github.com/mcpgen/mcpgen/internal/visible"
)

// The exit codes. A command that a signal stops exits with 128 and the signal's number.
const (
	exitDone  = 0 // also with warnings
	exitFound = 1 // findings, or nothing to do
	exitUsage = 2
	exitPipe  = 141 // as in a shell for a program that SIGPIPE kills
)

// Main runs the command with the arguments, the streams and the signals of the process, and exits
// with the exit code.
func Main() {
	tuneGC()
	os.Exit(start(program.Build))
}

// start connects the command to its process.
func start(build buildFunc) int {
	ctx, stop := interruptible(context.Background())
	defer stop()
	// If a reader such as head exits early, writing returns an error and does not kill the process,
	// so that temporary files are removed. Started programs receive the signal as usual.
	catchPipeSignal()
	if asVetTool(os.Args[1:]) {
		vetTool(ctx)
	}
	dir, err := os.Getwd()
	if err != nil {
		fmt.Fprintln(os.Stderr, "mcpgen: find the current directory:", err)
		return exitFound
	}
	c := &command{
		ctx: ctx, dir: dir, invoked: invocation(os.Args[0]), buildProgram: build,
		in: os.Stdin, out: visible.Writer(os.Stdout), err: visible.Writer(os.Stderr),
		data: os.Stdout, log: os.Stderr,
		screen: columns.ScreenOf(os.Stdout, isTerminal(os.Stdout)), report: columns.ScreenOf(os.Stderr, isTerminal(os.Stderr)),
	}
	if isTerminal(os.Stdout) {
		c.data = c.out
	}
	c.progress = newProgress(os.Stderr, isTerminal(os.Stderr) && os.Getenv("TERM") != "dumb")
	code := c.run(os.Args[1:])
	c.progress.clear()
	c.removeTemporary()
	// Without this, a later signal would kill the process, with another exit code.
	signal.Notify(make(chan os.Signal, 1), stopSignals()...)
	stop() // a program killed by a signal may exit before this process receives the signal
	if caught, ok := context.Cause(ctx).(signalError); ok {
		return caught.exitCode(code)
	}
	return code
}

// signalError is the cause of a context that a signal cancelled.
type signalError struct{ os.Signal }

func (s signalError) Error() string { return s.String() }

// exitCode returns the exit code that shells give a program that the signal killed. A command that
// stopped in order after the signal returns its own code.
func (s signalError) exitCode(code int) int {
	switch {
	case s.Signal == os.Interrupt:
		return 130
	case s.Signal == hangUp:
		return 129
	case code == exitDone:
		return exitDone
	}
	return 143
}

// stopSignals returns the signals that request a stop. One of them reports that the terminal was
// closed, unless it is ignored (nohup).
func stopSignals() []os.Signal {
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(hangUp) {
		signals = append(signals, hangUp)
	}
	return signals
}

// interruptible returns a context that the first stop signal cancels, with a signalError as its
// cause. Later ones do not kill the process, which removes its temporary files first; they are
// passed on to a program that it runs. After stop, the context's cause is set for each signal that
// the process received before.
func interruptible(parent context.Context) (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(parent)
	caught := make(chan os.Signal, 1)
	signal.Notify(caught, stopSignals()...)
	stopped, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		select {
		case s := <-caught:
			cancel(signalError{s})
			return
		case <-stopped:
		}
		select {
		case s := <-caught:
			cancel(signalError{s})
		default:
			cancel(nil)
		}
	}()
	return ctx, sync.OnceFunc(func() {
		signal.Stop(caught) // waits until received signals are in caught
		close(stopped)
		<-ended
		cancel(nil)
	})
}

// invocation returns how a user calls this command, for hints: by its name if it was found in PATH,
// and otherwise as a tool of the module.
func invocation(arg0 string) string {
	if name := filepath.Base(arg0); name == arg0 && strings.TrimSuffix(name, ".exe") == "mcpgen" {
		return "mcpgen"
	}
	return "go tool mcpgen"
}
