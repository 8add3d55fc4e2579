package mcp

import (
	"context"
	"log/slog"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/logs"
	"github.com/mcpgen/mcpgen/runtime/internal/seal"
)

// This file has the options of [NewServer]. They run once, before the server has connections,
// and afterwards no field that they set changes, so requests read these without a lock.

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

// WithQuestionHook calls begin before a question is sent to the client as a request, and the
// function that it returns, which may be nil, once with the error for which there is no answer: a
// [*ClientError], [ErrNoAnswer], the cause of the end of the context, or nil if the client has sent a
// result. The context is that of the handler that asks, and [CallFrom] works in it. A question whose
// answer is not valid is sent again, and is another one. The option may be given more than once; the
// last hook ends first.
//
// Questions are requests in revisions up to 2025-11-25. From 2026-07-28 on they are part of a result,
// and nothing waits for the answer: no hook is called. The same holds for the questions of a task
// that the client asks for.
//
// begin and end are called by many goroutines at once. A panic in them is one of the handler.
func WithQuestionHook(begin func(ctx context.Context, q *SentQuestion) (end func(error))) Option {
	return func(s *Server) {
		if begin != nil {
			s.questionHooks = append(s.questionHooks, begin)
		}
	}
}
