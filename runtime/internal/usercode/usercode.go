// Package usercode calls functions of users where a panic would end a connection, or the
// process.
package usercode

import (
	"log/slog"
	"runtime/debug"

	"github.com/mcpgen/mcpgen/runtime/internal/show"
)

// Failure is how a function has ended that has not returned.
type Failure struct {
	Panic any  // what it has panicked with
	Exits bool // it has ended its goroutine (runtime.Goexit), which cannot be kept
	stack []byte
}

// Call calls f. If that does not return, it calls failed, before the goroutine ends if it
// does. It reports whether f has returned.
func Call(f func(), failed func(Failure)) (ok bool) {
	defer func() {
		if ok {
			return
		}
		// Go has no panic(nil) any more: without one, the goroutine ends.
		p := recover()
		failed(Failure{Panic: p, Exits: p == nil, stack: debug.Stack()})
	}()
	f()
	ok = true
	return ok
}

// String says what has happened, without the stack.
func (e Failure) String() string {
	if e.Exits {
		return "runtime.Goexit called"
	}
	return show.Panic(e.Panic)
}

// Attrs are for the log.
func (e Failure) Attrs() []slog.Attr {
	return []slog.Attr{slog.String("panic", e.String()), slog.String("stack", string(e.stack))}
}
