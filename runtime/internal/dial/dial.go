// Package dial defines the interface that transports offer to the client of package mcpclient. Its
// counterpart for servers is package transport.
//
// A [Target] is a server that can be connected to any number of times. Its connection is either a
// [Stream], with one stream of messages in each direction (stdio, sockets, WebSocket, memory,
// HTTP+SSE), or a [Requester], with a channel for each request (streamable HTTP).
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

// Target is the place of a server, such as a URL or a program.
type Target interface {
	// Name is the name of the server in messages: without credentials, query and user name.
	Name() string
	// Key is a digest of everything that is sent to the server except messages and the credentials
	// of an Authorized target (URL with query, header, program, arguments, environment), for
	// caches.
	Key() string
	// Dial opens a connection. Cancelling ctx stops the opening, but does not close an open
	// connection.
	Dial(ctx context.Context, o Options) (Conn, error)
}

// Authorized is a [Target] that knows each way in which its requests and connections get
// credentials. The credentials of any other target are not known.
type Authorized interface {
	// AuthorizationContext identifies the owner of the credentials, without a secret, for caches:
	// credentials that are part of Key need not be named. It is "" if a function, or something
	// else, may supply any credential: then nothing is cached that another owner must not get. For
	// a target without such credentials, ok is false.
	AuthorizationContext() (context string, ok bool)
}

// Options are the properties of a connection.
type Options struct {
	Limits Limits
	Logger *slog.Logger
	// Report is called for data that the protocol does not allow, if the connection goes on
	// nevertheless: with a [*Violation]. It does not wait, and may be called by any goroutine.
	Report func(error)
	// Wait stops the time of Dial, and of the handshake after it, while a person logs in, until the
	// function that it returns is called. May be nil.
	Wait func() (done func())
}

// Limits limit the memory of a connection and the time of its operations. All are positive.
type Limits struct {
	MessageBytes int // of a message, decompressed
	HeaderBytes  int // of the header of an HTTP response
	StderrBytes  int // kept of a program's standard error
	Attempts     int // of one request after 401 and 403
	// RetryFirst and RetryMax limit the time before an event stream is opened again.
	RetryFirst, RetryMax time.Duration
	WriteTime            time.Duration // of one write
	CloseTime            time.Duration // of each step of Close
}

// Conn is an open connection: a [Stream] or a [Requester].
type Conn interface {
	// Close closes the connection. It may be called by any goroutine at any time, more than once,
	// and fails operations in progress. It returns within the steps of CloseTime.
	Close() error
}

// Stream is a connection with one stream of messages in each direction. The error of its Read is a
// [*jsonrpc.FrameError] for a message that was skipped, with its kind and id if they are known, so
// that its request fails at once. After any other error the stream is at its end.
type Stream interface {
	jsonrpc.Conn
}

// Legacy is a [Stream] for revisions with sessions only: HTTP+SSE.
type Legacy interface {
	Legacy() bool
}

// Restarter is a [Target] whose server starts anew with each connection: a program. If the program
// exits on the first message, it may be a server that expects initialize.
type Restarter interface {
	Restarts() bool
}

// Testing is a [Target] for tests of a server (package mcptest). Its client may send invalid
// requests, so that a test can check that the server refuses them: requests for capabilities that
// the server does not declare, members of _meta that the client sets otherwise, answers that do not
// fit their forms. The goroutine that reads passes progress and violations on, each before the next
// message, and the questions of a round are answered one after the other.
type Testing interface {
	// Capabilities returns the capabilities that the client declares, as a JSON object. implied are
	// the capabilities that its options imply.
	Capabilities(implied []byte) []byte
}

// Message is a message to a server over HTTP.
type Message struct {
	Data    []byte // one JSON-RPC message, without a line end; does not change
	Request bool   // a reply is expected
	Method  string // "" for a reply of the client
	// Name is the name of the tool or prompt, or the URI of the resource, for the field Mcp-Name.
	Name string
	// Revision is the revision of the connection, or the revision in which the message is sent. Nil
	// for initialize.
	Revision *protocol.Revision
	// Arguments are the arguments of a call, and Params names the ones that header fields repeat.
	Arguments json.RawMessage
	Params    []toolschema.HeaderParam
	// Wait stops the clock of the request while a person logs in, until the function that it
	// returns is called. May be nil.
	Wait func() (done func())
}

// Requester is a connection over which each request has its own channel. Its methods may be called
// by many goroutines.
type Requester interface {
	Conn
	// HeaderParams returns the arguments of a tool with an input schema that header fields repeat,
	// for Message.Params. A client without such a connection does not link their rules.
	HeaderParams(schema string) ([]toolschema.HeaderParam, error)
	// Send sends a message. For a request, it passes each message that the server sends for it to
	// receive, on the caller's goroutine; data is valid until receive returns. Send returns nil
	// after receive returns true, which means that the reply has arrived; otherwise it returns an
	// error. Cancelling ctx cancels the request, and closes its response. For other messages Send
	// returns when the server has accepted them.
	Send(ctx context.Context, m *Message, receive func(data []byte) (done bool)) error
	// Listen receives the messages of the session that do not belong to a request (the GET stream),
	// until ctx is cancelled. It opens the stream again after every loss. It returns nil if the
	// server does not offer the stream (405), and a [*Status] for a first 404, which may also mean
	// that the session is lost. It calls opened each time that the stream is open; resumed is set
	// if the client has asked the server for the messages that it has missed.
	Listen(ctx context.Context, opened func(resumed bool), receive func(data []byte)) error
	// EndSession deletes the session, if the connection has one (DELETE).
	EndSession(ctx context.Context) error
	// OpenSSE connects over HTTP+SSE (2024-11-05), to a server that supports nothing else. If the
	// target excludes HTTP+SSE, both results are nil.
	OpenSSE(ctx context.Context) (Stream, error)
}
