package mcp

import (
	"math"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/clientlimit"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// Limits limit the memory and time that the requests of clients can take.
type Limits struct {
	// Memory limits the bytes that the server holds for all of its clients together, over all
	// transports: messages while they are read and until they are answered, replies and
	// notifications that wait to be sent, stored events, the state of sessions and subscriptions,
	// and running calls. Memory of functions of users is not counted. At the limit, stored events
	// are dropped first; then the server refuses everything that needs more. Default: 256 MiB.
	Memory int
	// MessageBytes limits the size of a message from the client. Default: 4 MiB.
	MessageBytes int
	// Depth limits the nesting of arrays and objects in a message. Default: 512.
	Depth int
	// InFlight limits the requests of a connection that run at the same time; one more is answered
	// with an error. A quarter as many questions to its client may be open; one more is an error in
	// the handler that asks. Default: 1024.
	InFlight int
	// Calls limits the requests of all connections that run at the same time, including requests
	// whose clients have gone, and notifications of extensions; one more is answered with an error,
	// over HTTP with 503. Requests that are answered at once, such as ping, and
	// subscriptions/listen do not count. Default: 10000.
	Calls int
	// Listens limits the open subscriptions/listen requests of all connections; one more is
	// answered with an error, over HTTP with 503. Default: 10000.
	Listens int
	// ClientShare is the percentage that one client may use of Calls, of Listens, and of the
	// requests, streams, sessions and connections of a transport. A client is a principal, or an
	// address if the principal is not known. With 100 one client may use all, as behind a proxy
	// that hides addresses. Default: 25.
	ClientShare int
	// ResultBytes limits the size of a result of a prompt, and of a tool that sets no limit of its
	// own. Default: 32 MiB.
	ResultBytes int
	// ResourceBytes limits the size of the contents of a resource that sets no limit of its own.
	// Default: 16 MiB.
	ResourceBytes int
	// PageSize limits the features in one page of a list. Default: 1000.
	PageSize int
	// Subscriptions limits the resources to which a connection is subscribed at the same time.
	// Their URIs may have 192 bytes on average. Default: 1024.
	Subscriptions int
	// CallTime limits the time of a request, including its interceptors and functions with a
	// timeout of their own. The clock is paused while the client answers a question, and does not
	// apply to a subscriptions/listen, which waits. Default: 1 hour. This limit is for calls that
	// hang, not for slow ones: nearly all clients give up much sooner, but some tools build, render
	// or search for half an hour, for clients that receive their progress.
	CallTime time.Duration
	// QuestionTime limits the time that a client may take to answer a question of a handler.
	// Timeouts are paused in the meantime. Default: 30 minutes.
	QuestionTime time.Duration
	// StateBytes limits the size of the answers and values that a client without a session carries
	// for the server from one round to the next. Default: 256 KiB.
	StateBytes int
	// QueueBytes is the number of bytes that are queued for a client that reads slowly before its
	// handlers wait too. Default: 1 MiB.
	QueueBytes int
	// FirstMessageTime limits the time that a client may take from opening a connection to its
	// first message, over TCP, Unix sockets and WebSocket, and to opening its session over
	// HTTP+SSE. Then the connection is closed. Default: 30 seconds.
	FirstMessageTime time.Duration
	// WriteTime limits the time of a write. Then the connection is closed. Default: 30 seconds.
	WriteTime time.Duration
	// DrainTime limits the time that requests may go on after the client closes its input. Default:
	// 10 seconds.
	DrainTime time.Duration
	// ProgressRate limits the progress notifications that a request sends in a second, and at once;
	// then the newest report waits for its turn. Default: 10.
	ProgressRate int
	// LogRate limits the log messages that a request sends to the client in a second, and at once;
	// more are dropped, and the client gets their number. Default: 50.
	LogRate int
	// GraceTime limits the time that the server waits for handlers whose context it has cancelled
	// before it answers in their place, or stops waiting for them. Default: 1 second.
	GraceTime time.Duration
}

var defaultLimits = Limits{
	Memory: 256 << 20,

	MessageBytes: jsonrpc.DefaultLimit,
	Depth:        jsonrpc.DefaultDepth,
	InFlight:     1024,
	ResultBytes:  32 << 20,

	Calls:       10_000,
	Listens:     10_000,
	ClientShare: clientlimit.DefaultShare,

	ResourceBytes: 16 << 20,
	PageSize:      1000,
	Subscriptions: 1024,

	CallTime:     time.Hour,
	QuestionTime: 30 * time.Minute,
	StateBytes:   256 << 10,

	QueueBytes: 1 << 20,

	FirstMessageTime: 30 * time.Second,

	WriteTime: 30 * time.Second,
	DrainTime: 10 * time.Second,
	GraceTime: time.Second,

	ProgressRate: 10,
	LogRate:      50,
}

// subscriptionBytes returns the limit for the subscriptions of a connection in bytes, as
// subscriptionSize counts them.
func (l *Limits) subscriptionBytes() int {
	const each = 192 + subscriptionEntry
	return min(l.Subscriptions, math.MaxInt/each) * each
}

// openQuestions returns the limit for questions to a client that are open at the same time.
func (l *Limits) openQuestions() int { return clientlimit.Share(l.InFlight, 25) }

// or replaces the fields of l that are zero by the fields of d.
func (l Limits) or(d Limits) Limits {
	l.Memory = either(l.Memory, d.Memory)
	l.MessageBytes = either(l.MessageBytes, d.MessageBytes)
	l.Depth = either(l.Depth, d.Depth)
	l.InFlight = either(l.InFlight, d.InFlight)
	l.Calls = either(l.Calls, d.Calls)
	l.Listens = either(l.Listens, d.Listens)
	l.ClientShare = either(l.ClientShare, d.ClientShare)
	l.ResultBytes = either(l.ResultBytes, d.ResultBytes)
	l.ResourceBytes = either(l.ResourceBytes, d.ResourceBytes)
	l.PageSize = either(l.PageSize, d.PageSize)
	l.Subscriptions = either(l.Subscriptions, d.Subscriptions)
	l.CallTime = either(l.CallTime, d.CallTime)
	l.QuestionTime = either(l.QuestionTime, d.QuestionTime)
	l.StateBytes = either(l.StateBytes, d.StateBytes)
	l.QueueBytes = either(l.QueueBytes, d.QueueBytes)
	l.FirstMessageTime = either(l.FirstMessageTime, d.FirstMessageTime)
	l.WriteTime = either(l.WriteTime, d.WriteTime)
	l.DrainTime = either(l.DrainTime, d.DrainTime)
	l.ProgressRate = either(l.ProgressRate, d.ProgressRate)
	l.LogRate = either(l.LogRate, d.LogRate)
	l.GraceTime = either(l.GraceTime, d.GraceTime)
	return l
}

func either[T int | time.Duration](v, otherwise T) T {
	if v > 0 {
		return v
	}
	return otherwise
}

const subscriptionEntry = 64

// subscriptionSize estimates the bytes of one subscription, including its entry in the map.
func subscriptionSize(uri string) int { return len(uri) + subscriptionEntry }
