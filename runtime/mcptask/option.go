package mcptask

import (
	"context"
	"net/textproto"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/taskcall"
	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// Option changes how the tasks of a server run.
type Option func(*options)

type options struct {
	concurrency  int
	limits       Limits
	room         Room
	interceptors []mcp.Interceptor
	header       []string
	propagators  []propagator
}

var defaultOptions = options{concurrency: 64, limits: defaultLimits, room: defaultRoom}

// Limits bound tasks. Fields that are zero keep their default.
type Limits struct {
	// Active is how many tasks of a principal, or of an address where that is unknown, there may
	// be that have not ended. One more is refused. Default: 100.
	Active int
	// Total is how many tasks of all callers there may be that have not ended. Default: 10000.
	Total int
	// StateBytes is the size of the answers of a task, the values of [mcp.Once], and its open
	// questions. Arguments and result are not among them. Default: 256 KiB.
	StateBytes int
	// OpenQuestions is how many questions of a task may wait for answers. Default: 16.
	OpenQuestions int
	// MaxTTL is the longest time for which a task is kept. Default: 24 hours.
	MaxTTL time.Duration
	// MaxAttempts is how often the process that runs a task may die before the task fails.
	// Default: 3.
	MaxAttempts int
}

var defaultLimits = Limits{
	Active:        100,
	Total:         10_000,
	StateBytes:    256 << 10,
	OpenQuestions: 16,
	MaxTTL:        24 * time.Hour,
	MaxAttempts:   3,
}

// WithStore says where the tasks of a server are kept and how they run. Without state keys of its own
// (mcp.WithStateKeys), the server uses those of a store that is an [mcp.KeySource].
func WithStore(store Store, opts ...Option) mcp.Option {
	o := defaultOptions
	for _, option := range opts {
		option(&o)
	}
	keys, _ := store.(mcp.KeySource)
	return funcs.With(func(s taskcall.Server) taskcall.Tasks { return newTasks(s, store, o) }, keys, o.header, o.interceptors)
}

// defaultRoom is a quarter for each account.
var defaultRoom = Room{Tasks: 1000, TotalTasks: 100_000, Bytes: 48 << 20, TotalBytes: 192 << 20}

// WithRoom limits what all tasks take in the store, those that have ended included. For something new, ended tasks are deleted before
// their time: those of the same principal for its own limits, and those of whom the store keeps most for the limits of all. Without any
// to delete, a call is refused, and a task whose result has no room fails. Fields that are zero keep their default: 1000 tasks and 48 MiB of
// a principal, or of an address where that is unknown, 100000 tasks and 192 MiB of all. Of a store in memory, tasks take at most half of
// [mcp.Limits].Memory, and an eighth for each principal; what they take is charged to it. Clients that a server cannot
// distinguish, such as the one over stdio, have the room of all.
func WithRoom(r Room) Option {
	return func(o *options) {
		o.room = Room{
			Tasks: either(r.Tasks, o.room.Tasks), TotalTasks: either(r.TotalTasks, o.room.TotalTasks),
			Bytes: either(r.Bytes, o.room.Bytes), TotalBytes: either(r.TotalBytes, o.room.TotalBytes),
		}
	}
}

// WithConcurrency sets how many handlers run at a time in this process, without those that wait for
// an answer, and without calls that have become tasks while they ran. Default: 64. With 0, the
// process accepts calls and answers requests, and others run the tasks. The tasks of a principal, or of an address where that is
// unknown, take a quarter of the places, and those of the client with the fewest running ones begin first. Clients that a
// server cannot distinguish, such as the one over stdio, have all places.
func WithConcurrency(n int) Option { return func(o *options) { o.concurrency = max(0, n) } }

// WithLimits replaces limits.
func WithLimits(l Limits) Option {
	return func(o *options) {
		o.limits.Active = either(l.Active, o.limits.Active)
		o.limits.Total = either(l.Total, o.limits.Total)
		o.limits.StateBytes = either(l.StateBytes, o.limits.StateBytes)
		o.limits.OpenQuestions = either(l.OpenQuestions, o.limits.OpenQuestions)
		o.limits.MaxTTL = either(l.MaxTTL, o.limits.MaxTTL)
		o.limits.MaxAttempts = either(l.MaxAttempts, o.limits.MaxAttempts)
	}
}

func either[T int | int64 | time.Duration](v, otherwise T) T {
	if v > 0 {
		return v
	}
	return otherwise
}

// WithInterceptors puts interceptors around each run of a handler whose call may become a task, in
// whatever process. Those of the server ([mcp.WithInterceptors]) see the request: when its call
// becomes a task, next returns an [*Accepted].
func WithInterceptors(interceptors ...mcp.Interceptor) Option {
	return func(o *options) { o.interceptors = append(o.interceptors, interceptors...) }
}

// WithHeaders names the header fields that runs find in [mcp.Call.Header], from the first one on.
// They are stored with the task, sealed. Default: none.
func WithHeaders(names ...string) Option {
	return func(o *options) {
		for _, name := range names {
			o.header = append(o.header, textproto.CanonicalMIMEHeaderKey(name))
		}
	}
}

// WithContextPropagator keeps what else of the context of a request runs need, such as a tenant. save
// gets the context of the request; what it returns is stored with the task, sealed. restore returns
// the context of a run in this or another process; it gets nil for a task of a process without the
// option. If save fails, the call does; if restore does, the task. The option may be given more than
// once: add the others behind the first, since what is stored is found by its place.
func WithContextPropagator(save func(context.Context) ([]byte, error), restore func(context.Context, []byte) (context.Context, error)) Option {
	return func(o *options) { o.propagators = append(o.propagators, propagator{save, restore}) }
}
