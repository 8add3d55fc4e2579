package mcp

import (
	"log/slog"
	"math"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/clientlimit"
	"github.com/mcpgen/mcpgen/runtime/internal/engine"
	"github.com/mcpgen/mcpgen/runtime/internal/logs"
	"github.com/mcpgen/mcpgen/runtime/internal/membudget"
	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
	"github.com/mcpgen/mcpgen/runtime/internal/seal"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// This file has the options of [NewServer]. They run once, before the server has connections,
// and afterwards no field that they set changes, so requests read these without a lock.

// Option changes how a [Server] is made. Options override directives.
type Option func(*Server)

// WithLogger makes the server log to l instead of [slog.Default]. The log is for operators: it has
// panics with their stacks, errors of which clients get only a reference, and invalid messages.
func WithLogger(l *slog.Logger) Option {
	return func(s *Server) {
		if l != nil {
			s.log = logs.New(l)
		}
	}
}

// WithInterceptors puts interceptors around every request. The first one is the
// outermost. The option may be given more than once; later ones lie inside.
func WithInterceptors(interceptors ...Interceptor) Option {
	return func(s *Server) { s.interceptors = append(s.interceptors, interceptors...) }
}

// WithServerInfo changes the identity that the directives gave.
func WithServerInfo(change func(*ServerInfo)) Option {
	return func(s *Server) { change(&s.info) }
}

// WithoutStdoutShield makes [Server.ServeStdio] not redirect the standard streams of the process:
// output of the program to standard output then gets between the messages.
func WithoutStdoutShield() Option {
	return func(s *Server) { s.unshielded = true }
}

// WithStateKeys gives the keys that seal what clients carry for the server: the
// requestState of multi round-trip requests. The first one seals, all of them
// open, so that keys can be rotated: put the new one in front, and take the old
// one away after [Limits.QuestionTime]. Processes that answer the same clients
// need the same keys. Without the option the key is random, and what it has
// sealed is of no use to another process.
//
// A key is at least [MinStateKey] random bytes; the option panics on a shorter
// one.
func WithStateKeys(keys ...[]byte) Option {
	fixed := fixedKeys(keys)
	return func(s *Server) { s.keys = fixed }
}

// MinStateKey is the least size of a key of [WithStateKeys], in bytes.
const MinStateKey = seal.MinKey

// WithStateStore sets the store of used request states, for several processes with the same keys.
// Without the option each process has its own.
func WithStateStore(store StateStore) Option {
	return func(s *Server) { s.store = store }
}

// WithPing sends a ping to clients with a session that have sent nothing for that time, and ends
// the connection if a client sends nothing for that time again. Clients without a session, as from
// revision 2026-07-28 on, get no ping.
func WithPing(idle time.Duration) Option {
	return func(s *Server) { s.settings.PingAfter = idle }
}

// WithTimeout ends the context of functions that take longer: of tools, resources and
// prompts without a timeout of their own (timeout= in their directive), and of those that
// complete arguments, list resources, and handle methods of extensions. Without the
// option, or with 0, there is only [Limits.CallTime], which applies to all of them.
//
// What is late gets an error: a tool a result with the text "timed out after
// 30s", everything else a -32603 with the reason "timeout" in its data. A function
// that ignores the end of its context gets that error as its reply after [Limits.GraceTime], and
// its later result is dropped. The time in which the client answers questions does not count.
func WithTimeout(d time.Duration) Option {
	return func(s *Server) { s.timeout = max(0, d) }
}

// WithLimits replaces limits. Fields that are zero keep their default.
func WithLimits(l Limits) Option {
	return func(s *Server) { s.limits = l.or(s.limits) }
}

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

// configure sets what the connections of the server have in common, and its replies.
func (s *Server) configure() {
	l := &s.limits
	s.published = publisher{
		info: &s.info, declared: s.extensions.settings, resultBytes: l.ResultBytes, resourceBytes: l.ResourceBytes,
	}
	for i, rev := range protocol.All {
		s.published.identity[i] = s.info.appendImplementation(nil, &rev.Fields, false)
	}
	s.settings.Log = s.log
	s.settings.Limits = engine.Limits{
		Depth: l.Depth, InFlight: l.InFlight, OpenQuestions: l.openQuestions(),
		ResultBytes: l.ResultBytes, QueueBytes: l.QueueBytes, ProgressRate: l.ProgressRate, LogRate: l.LogRate,
		CallTime: l.CallTime, QuestionTime: l.QuestionTime,
		WriteTime: l.WriteTime, DrainTime: l.DrainTime, GraceTime: l.GraceTime,
	}
	s.settings.Memory = membudget.New(int64(l.Memory), engine.LargeReplies)
	s.settings.Parser = jsonrpc.Parser{MaxDepth: l.Depth, Deferred: "arguments"}
	s.settings.Calls = clientlimit.NewCounter(l.Calls, clientlimit.Share(l.Calls, l.ClientShare))
	s.settings.Listens = clientlimit.NewCounter(l.Listens, clientlimit.Share(l.Listens, l.ClientShare))
}
