package engine

import (
	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// This file defines the interfaces to the server above the engine, for everything that depends on
// features. Parameters are values, or storage from a pool, so that a call allocates nothing for
// them.

// Host is the server behind one connection.
type Host interface {
	// Plan decides how a request is answered, and may replace its message. It runs on the goroutine
	// that reads: neither it nor Answer waits, or calls a function of users.
	Plan(b *Buffers, rev *protocol.Revision, from Caller) Plan
	// Answer appends the reply to a request that needs no exchange.
	Answer(b []byte, method protocol.Method, m *jsonrpc.Message, from Origin) ([]byte, *jsonrpc.Error)
	// New returns the exchange of a request, after [Exchange.Begin].
	New(in Incoming) *Exchange
	// Open returns the session that an initialize opens, with its part. It returns nil if the
	// memory budget is exhausted.
	Open(s Session) *Session
	// Notify handles a notification that the engine does not know.
	Notify(m *jsonrpc.Message, from Caller)
}

// Plan describes how a request is answered.
type Plan struct {
	Method  protocol.Method
	Through string // name of the tool by which the client calls this one (use_tool); "" for a direct call
	AtOnce  bool   // answered by Answer, on the goroutine that reads
}

// Call is a request above the engine.
type Call interface {
	// Serve calls the handlers, and passes their reply to [Exchange.Write], or parks the request.
	// Serve, Panicked and Park run on the request goroutine.
	Serve()
	// Panicked replies after Serve has panicked with that value.
	Panicked(value any)
	// Park keeps a parked request until it ends. The request goroutine exits after Park.
	Park()
	// Abandon replies for handlers that do not return in time, on a timer goroutine.
	Abandon(late *TimeoutError)
	// Value returns a value of the context of the handlers, or nil.
	Value(key any) any
}

// Reply is a reply that is yet to be written. The request goroutine uses it.
type Reply interface {
	// Size estimates the bytes of the reply.
	Size() int
	// Append writes the reply, and returns the code of its error, or 0 for a result.
	Append(b []byte) ([]byte, int)
	// Replace replaces the reply by an error.
	Replace(e *jsonrpc.Error)
}

// SessionPart is the server's data for a session. Conn.mu is not held when its methods are called.
type SessionPart interface {
	// Leave stops the notifications of the session.
	Leave()
	// Finish closes the session, once. It does not wait.
	Finish()
}
