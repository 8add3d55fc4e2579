package mcp

import (
	"context"
	"log/slog"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/logs"
	"github.com/mcpgen/mcpgen/runtime/internal/seal"
)

// This file defines the options of [NewServer]. They run once, before the server has connections,
// and no field that they set changes afterwards, so requests read the fields without a lock.

// WithLogger makes the server log to l instead of [slog.Default]. The log is for operators: it
// contains panics with their stacks, the errors that clients only get a reference to, and invalid
// messages.
func WithLogger(l *slog.Logger) Option {
	return func(s *Server) {
		if l != nil {
			s.log = logs.New(l)
		}
	}
}

// WithInterceptors puts interceptors around every request. The first one is the outermost. The
// option may be given more than once; later interceptors are inside of earlier ones.
func WithInterceptors(interceptors ...Interceptor) Option {
	return func(s *Server) { s.interceptors = append(s.interceptors, interceptors...) }
}

// WithServerInfo changes the identity that the directives define.
func WithServerInfo(change func(*ServerInfo)) Option {
	return func(s *Server) { change(&s.info) }
}

// WithoutStdoutShield makes [Server.ServeStdio] leave the standard streams of the process alone: if
// the program prints to standard output, its text gets between the messages.
func WithoutStdoutShield() Option {
	return func(s *Server) { s.unshielded = true }
}

// WithStateKeys sets the keys that seal the data which clients carry for the server: the
// requestState of multi round-trip requests. The first key seals, all of them open, so that keys
// can be rotated: put the new key in front, and remove the old one after [Limits.QuestionTime].
// Processes that answer the same clients need the same keys. Without the option the key is random,
// and other processes cannot open the states that it has sealed.
//
// A key is at least [MinStateKey] random bytes; the option panics on a shorter one.
func WithStateKeys(keys ...[]byte) Option {
	fixed := fixedKeys(keys)
	return func(s *Server) { s.keys = fixed }
}

// MinStateKey is the least size of a key of [WithStateKeys], in bytes.
const MinStateKey = seal.MinKey

// WithStateStore sets the store of used request states, for several processes with the same keys.
// Without the option each process has a store of its own.
func WithStateStore(store StateStore) Option {
	return func(s *Server) { s.store = store }
}

// WithPing sends a ping to clients with a session that have not sent anything for the duration
// idle, and closes the connection if a client does not send anything for that duration again.
// Clients without a session, such as all clients from revision 2026-07-28 on, get no ping.
func WithPing(idle time.Duration) Option {
	return func(s *Server) { s.settings.PingAfter = idle }
}

// WithTimeout cancels the context of functions that take longer: of tools, resources and prompts
// without a timeout of their own (timeout= in their directive), and of functions that complete
// arguments, list resources, and handle methods of extensions. Without the option, or with 0, only
// [Limits.CallTime] applies to all of them.
//
// A late tool gets a result with the text "timed out after 30s", every other late function the
// error -32603 with the reason "timeout" in its data. If a function ignores the cancellation of its
// context, the client gets that error after [Limits.GraceTime], and the later result is dropped.
// The time in which the client answers questions does not count.
func WithTimeout(d time.Duration) Option {
	return func(s *Server) { s.timeout = max(0, d) }
}

// WithLimits replaces limits. Fields that are zero keep their defaults.
func WithLimits(l Limits) Option {
	return func(s *Server) { s.limits = l.or(s.limits) }
}

// WithQuestionHook calls begin before a question is sent to the client as a request. The function
// that begin returns, which may be nil, is called once with the error of the question: a
// [*ClientError], [ErrNoAnswer], the cause of the context's cancellation, or nil if the client has
// sent a result. The context belongs to the handler that asks, and [CallFrom] works in it. A
// question whose answer is not valid is sent again, as another question. The option may be given
// more than once; the end of the last hook is called first.
//
// Questions are requests in revisions up to 2025-11-25. From 2026-07-28 on they are part of a
// result, and the handler does not wait for the answer: no hook is called. The same applies to the
// questions of a task that the client asks for.
//
// begin and end are called by many goroutines at once. A panic in them is handled as a panic of the
// handler.
func WithQuestionHook(begin func(ctx context.Context, q *SentQuestion) (end func(error))) Option {
	return func(s *Server) {
		if begin != nil {
			s.questionHooks = append(s.questionHooks, begin)
		}
	}
}
