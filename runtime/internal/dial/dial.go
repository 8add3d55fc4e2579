// Package dial is what transports offer to the client of package mcpclient: the counterpart
// of package transport, which is what a server offers to transports.
//
// A [Target] is a server that can be connected to any number of times. Its connection is
// either a [Stream], with one stream of messages in each direction (stdio, sockets,
// WebSocket, memory, HTTP+SSE), or a [Requester], with a channel for each request
// (streamable HTTP).
package dial

import (
	"context"
	"encoding/json"
	"log/slog"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
	"github.com/mcpgen/mcpgen/runtime/internal/toolschema"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// Target is where a server is.
type Target interface {
	// Name is the name of the server in messages: without credentials, query and user name.
	Name() string
	// Key is a digest of everything that is sent to the server besides messages and the
	// credentials of an Authorized target (URL with query, header, program, arguments,
	// environment), for caches.
	Key() string
	// Dial opens a connection. The end of ctx ends the opening, not the connection.
	Dial(ctx context.Context, o Options) (Conn, error)
}

// Authorized is a [Target] that knows each way in which its requests and connections get
// credentials. The credentials of any other target are not known.
type Authorized interface {
	// AuthorizationContext names whose credentials they are, without a secret, for caches: those
	// that are part of Key need not be named. It is "" where one of the ways is a function, or
	// something else that may have any credential: then nothing is kept that another one must not
	// get. For a target without such credentials, ok is false.
	AuthorizationContext() (context string, ok bool)
}

// Options are the properties of a connection.
type Options struct {
	Limits Limits
	Logger *slog.Logger
	// Report gets what the protocol does not allow where the connection goes on: a
	// [*Violation]. It does not wait, and may be called by any goroutine.
	Report func(error)
	// Wait stops the time of Dial, and of the handshake after it, while a person logs in,
	// until the function that it returns is called. May be nil.
	Wait func() (done func())
}

// Limits bound what a connection holds, and how long it takes. All are positive.
type Limits struct {
	MessageBytes int // of a message, decompressed
	HeaderBytes  int // of the header of an HTTP response
	StderrBytes  int // kept of a program
	Attempts     int // of one request after 401, 403
	// RetryFirst and RetryMax bound the time before an event stream is opened again.
	RetryFirst, RetryMax time.Duration
	WriteTime            time.Duration // of one write
	CloseTime            time.Duration // of each step of Close
}

// Conn is an open connection: a [Stream] or a [Requester].
type Conn interface {
	// Close ends the connection. It may be called by any goroutine at any time, more than
	// once, and fails what is in progress. It returns within the steps of CloseTime.
	Close() error
}

// Stream is a connection with one stream of messages in each direction. The error of its
// Read is a [*jsonrpc.FrameError] for a message that was skipped, with its kind and id where
// they are known, so that its request fails at once; any other one is the end.
type Stream interface {
	jsonrpc.Conn
}

// Legacy is a [Stream] over which only revisions with sessions are spoken: HTTP+SSE.
type Legacy interface {
	Legacy() bool
}

// Restarter is a [Target] whose server starts anew with each connection: a program. If it
// ends on the first message, it may be one that expects initialize.
type Restarter interface {
	Restarts() bool
}

// Testing is a [Target] of tests of a server (package mcptest). What its client sends may be
// wrong, so that a test sees how the server refuses it: requests of capabilities that the
// server does not declare, members of _meta that the client sets otherwise, answers that do
// not fit their forms. Progress and violations are passed on by the goroutine that reads,
// each before the next message, and the questions of a round are answered one after the other.
type Testing interface {
	// Capabilities returns the capabilities that the client declares, as a JSON object, given
	// those that its options imply.
	Capabilities(implied []byte) []byte
}

// Message is a message to a server over HTTP.
type Message struct {
	Data    []byte // one JSON-RPC message, without a line end; does not change any more
	Request bool   // a reply is expected
	Method  string // "" for a reply of the client
	// Name is that of the tool or prompt, or the URI of the resource, for the field Mcp-Name.
	Name string
	// Revision is that of the connection, or the one that the message is sent in. Nil for
	// initialize.
	Revision *protocol.Revision
	// Arguments are those of a call, and Params which of them header fields mirror.
	Arguments json.RawMessage
	Params    []toolschema.HeaderParam
	// Wait stops the clock of the request while a person logs in, until the function that
	// it returns is called. May be nil.
	Wait func() (done func())
}

// Requester is a connection over which each request has its own channel. Its methods may be
// called by many goroutines.
type Requester interface {
	Conn
	// Send sends a message. For a request, it passes each message that the server sends for
	// it to receive, on the goroutine of the caller; data is valid until receive returns.
	// Send returns nil when receive has returned true, which means that the reply has come;
	// every other end is an error. The end of ctx ends the request, and closes its response.
	// For other messages it returns when the server has accepted them.
	Send(ctx context.Context, m *Message, receive func(data []byte) (done bool)) error
	// Listen receives the messages of the session that belong to no request (the GET stream),
	// until ctx ends. It opens the stream again after every loss. It returns nil if the server
	// has none (405), and a [*Status] for a first 404, which may also mean that the session is
	// lost. It calls opened each time that the stream is open; resumed is set if the server was
	// asked for what it has sent meanwhile.
	Listen(ctx context.Context, opened func(resumed bool), receive func(data []byte)) error
	// EndSession ends the session, if there is one (DELETE).
	EndSession(ctx context.Context) error
	// OpenSSE connects over HTTP+SSE (2024-11-05), for a server that has nothing else. The
	// error is nil and the stream too if the target excludes it.
	OpenSSE(ctx context.Context) (Stream, error)
}
