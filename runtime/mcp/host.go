package mcp

import (
	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// This file is what the engine knows of the server above it: interfaces with methods for what
// depends on features. Parameters are values, or storage from a pool, so that a call allocates nothing
// for them.

// engineHost is the server behind one connection.
type engineHost interface {
	// Plan decides how a request is answered, and may replace its message. It runs on the goroutine
	// that reads: neither it nor Answer waits, or calls a function of users.
	Plan(b *buffers, rev *protocol.Revision, from caller) plan
	// Answer appends the reply to a request that needs no exchange.
	Answer(b []byte, method protocol.Method, m *jsonrpc.Message, from origin) ([]byte, *jsonrpc.Error)
	// New returns the exchange of a request, after [engineExchange.begin].
	New(in incoming) *engineExchange
	// Open returns the session that an initialize opens, with its part. It returns nil if there is no
	// room.
	Open(s engineSession) *engineSession
	// Notify handles a notification that the engine does not know.
	Notify(m *jsonrpc.Message, from caller)
}

// plan is how a request is answered.
type plan struct {
	method  protocol.Method
	through string // the tool by which the client calls that of the request; "" if it calls that itself
	atOnce  bool   // by Answer, on the goroutine that reads
}

// engineCall is a request above the engine.
type engineCall interface {
	// Serve calls the handlers, and passes their reply to [engineExchange.write], or parks the request.
	// It runs on the goroutine of the request, as do Panicked and Park.
	Serve()
	// Panicked replies after Serve has panicked with that value.
	Panicked(value any)
	// Park keeps a parked request until it ends. Its goroutine ends after it.
	Park()
	// Abandon replies for handlers that do not return in time, on the goroutine of a timer.
	Abandon(late *timeoutError)
	// Value returns a value of the context of the handlers, nil if it has none for the key.
	Value(key any) any
}

// engineReply is a reply that is yet to be written. The goroutine of its request uses it.
type engineReply interface {
	// Size estimates how many bytes the reply has.
	Size() int
	// Append writes the reply, and returns the code of its error, 0 for a result.
	Append(b []byte) ([]byte, int)
	// Replace makes an error the reply.
	Replace(e *jsonrpc.Error)
}

// sessionPart is what the server keeps for a session. conn.mu is not held when its methods are called.
type sessionPart interface {
	// Leave ends the notifications of the session.
	Leave()
	// Finish ends the session, unless it has ended. It does not wait.
	Finish()
}
