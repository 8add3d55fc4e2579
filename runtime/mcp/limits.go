package mcp

import (
	"math"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/clientlimit"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// Limits bound what one connection can make the server hold or wait for.
type Limits struct {
	// Memory is how many bytes the server holds for all of its clients together, over
	// all transports: messages while they are read and until they are answered, replies
	// and notifications that wait to be sent, stored events, the state of sessions and
	// subscriptions, and running calls. What functions of users hold is not counted.
	// Stored events are dropped first; after that, what would need more is refused.
	// Default: 256 MiB.
	Memory int
	// MessageBytes is the size of a message from the client. Default: 4 MiB.
	MessageBytes int
	// Depth is how many levels of arrays and objects a message may have. Default: 512.
	Depth int
	// InFlight is how many requests of a connection run at the same time; one
	// more is answered with an error. A quarter as many questions to its client may be
	// open; one more is an error in the handler that asks. Default: 1024.
	InFlight int
	// Calls is how many requests of all connections run at the same time, with those whose
	// clients have gone, and notifications of extensions; one more is answered with an
	// error, over HTTP with 503. Requests that are answered at once, such as ping, are not
	// among them, nor is a subscriptions/listen. Default: 10000.
	Calls int
	// Listens is how many subscriptions/listen of all connections there may be; one more is
	// answered with an error, over HTTP with 503. Default: 10000.
	Listens int
	// ClientShare is the percentage that one client may have of Calls, of Listens, and of the
	// requests, streams, sessions and connections of a transport: a principal, or where that is
	// not known, an address. With 100 one client may have all, as behind a proxy that hides
	// addresses. Default: 25.
	ClientShare int
	// ResultBytes is the size of a result of a prompt, and of tools that set no
	// limit of their own. Default: 32 MiB.
	ResultBytes int
	// ResourceBytes is the size of the contents of a resource, for those that set
	// no limit of their own. Default: 16 MiB.
	ResourceBytes int
	// PageSize is how many features one page of a list has. Default: 1000.
	PageSize int
	// Subscriptions is how many resources a connection may be subscribed to at the
	// same time. Their URIs may have 192 bytes on average. Default: 1024.
	Subscriptions int
	// CallTime is how long a request may run, with everything that is done for it:
	// interceptors, and functions of whatever timeout. It is paused while the client
	// answers a question, and does not apply to a subscriptions/listen, which waits.
	// Default: 1 hour. This is for calls that hang, not for slow ones: nearly all
	// clients give up much sooner, but there are tools that build, render or search
	// for half an hour, for clients that receive their progress.
	CallTime time.Duration
	// QuestionTime is how long a client may take to answer a question of a
	// handler. Timeouts are paused in the meantime. Default: 30 minutes.
	QuestionTime time.Duration
	// StateBytes is the size of the answers and values that a client without a
	// session carries for the server from one round to the next. Default: 256 KiB.
	StateBytes int
	// QueueBytes is how many bytes may be queued for a client that reads slowly before
	// its handlers wait too. Default: 1 MiB.
	QueueBytes int
	// FirstMessageTime is how long a client that has opened a connection may take to send
	// its first message, over TCP, Unix sockets and WebSocket, and to open its session over
	// HTTP+SSE. Then the connection is closed. Default: 30 seconds.
	FirstMessageTime time.Duration
	// WriteTime is how long a write may take before the connection is closed.
	// Default: 30 seconds.
	WriteTime time.Duration
	// DrainTime is how long requests may go on after the client has ended its
	// input. Default: 10 seconds.
	DrainTime time.Duration
	// ProgressRate is how many notifications of progress a request may send in a
	// second, and at once; then the newest report waits for its turn. Default:
	// 10.
	ProgressRate int
	// LogRate is how many log messages a request may send to the client in a second,
	// and at once; more are dropped, and the client gets their number. Default: 50.
	LogRate int
	// GraceTime is how long the server waits for handlers whose context it has
	// cancelled before it answers in their place, or stops waiting for them. Default: 1
	// second.
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

// subscriptionBytes returns the bytes that the subscriptions of a connection may have, by
// subscriptionSize.
func (l *Limits) subscriptionBytes() int {
	const each = 192 + subscriptionEntry
	return min(l.Subscriptions, math.MaxInt/each) * each
}

// openQuestions returns how many questions a client may leave open at the same time.
func (l *Limits) openQuestions() int { return clientlimit.Share(l.InFlight, 25) }

// or fills in what is zero from d.
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

// subscriptionSize is about how many bytes one subscription has, with its entry in the map.
func subscriptionSize(uri string) int { return len(uri) + subscriptionEntry }
