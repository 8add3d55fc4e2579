// Package usercode calls functions of users where a panic would end a connection or the process.
package usercode

import (
	"log/slog"
	"runtime/debug"

	"github.com/mcpgen/mcpgen/runtime/internal/show"
)

// Failure describes how a function ended without returning.
type Failure struct {
	Panic any  // the panic value
	Exits bool // the function has called runtime.Goexit; the goroutine exits
	stack []byte
}

// Call calls f. If f does not return, it calls failed, even if the goroutine exits. It reports
// whether f has returned.
func Call(f func(), failed func(Failure)) (ok bool) {
	defer func() {
		if ok {
			return
		}
		// The value of a panic is never nil: if it is, the goroutine is exiting.
		p := recover()
		failed(Failure{Panic: p, Exits: p == nil, stack: debug.Stack()})
	}()
	f()
	ok = true
	return ok
}

// String describes the failure, without the stack.
func (e Failure) String() string {
	if e.Exits {
		return "runtime.Goexit called"
	}
	return show.Panic(e.Panic)
}

// Attrs returns the attributes for the log.
func (e Failure) Attrs() []slog.Attr {
	return []slog.Attr{slog.String("panic", e.String()), slog.String("stack", string(e.stack))}
}
