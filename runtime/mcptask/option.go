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

// Limits limit tasks. Fields that are zero keep their defaults.
type Limits struct {
	// Active limits the tasks of a principal, or of an address if the principal is unknown, that
	// have not ended. One more is refused. Default: 100.
	Active int
	// Total limits the tasks of all callers that have not ended. Default: 10000.
	Total int
	// StateBytes limits the size of the answers of a task, the values of [mcp.Once], and its open
	// questions. Arguments and result do not count. Default: 256 KiB.
	StateBytes int
	// OpenQuestions limits the questions of a task that wait for answers. Default: 16.
	OpenQuestions int
	// MaxTTL limits the time for which a task is stored. Default: 24 hours.
	MaxTTL time.Duration
	// MaxAttempts limits the attempts of a task: if the process that runs it dies as often, the
	// task fails. Default: 3.
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

// WithStore sets the store of a server's tasks and the options for running them. Without state keys
// of its own (mcp.WithStateKeys), the server uses the keys of a store that is an [mcp.KeySource].
func WithStore(store Store, opts ...Option) mcp.Option {
	o := defaultOptions
	for _, option := range opts {
		option(&o)
	}
	keys, _ := store.(mcp.KeySource)
	return funcs.With(func(s taskcall.Server) taskcall.Tasks { return newTasks(s, store, o) }, keys, o.header, o.interceptors)
}

// defaultRoom allows each account a quarter.
var defaultRoom = Room{Tasks: 1000, TotalTasks: 100_000, Bytes: 48 << 20, TotalBytes: 192 << 20}

// WithRoom limits the space of all tasks in the store, including ended tasks. For a new task, ended
// tasks are deleted before their TTL: tasks of the same principal for its own limits, and tasks of
// the principal with the most bytes for the limits of all. If there is no task to delete, a call is
// refused, and a task fails if its result does not fit. Fields that are zero keep their defaults:
// 1000 tasks and 48 MiB of a principal, or of an address if the principal is unknown, 100000 tasks
// and 192 MiB of all. In a store in memory, tasks take at most half of [mcp.Limits].Memory, and an
// eighth for each principal; their bytes are charged to it. Clients that a server cannot
// distinguish, such as the one over stdio, can use the space of all.
func WithRoom(r Room) Option {
	return func(o *options) {
		o.room = Room{
			Tasks: either(r.Tasks, o.room.Tasks), TotalTasks: either(r.TotalTasks, o.room.TotalTasks),
			Bytes: either(r.Bytes, o.room.Bytes), TotalBytes: either(r.TotalBytes, o.room.TotalBytes),
		}
	}
}

// WithConcurrency limits the handlers that run at the same time in this process. Handlers that wait
// for an answer, and calls that became tasks while they ran, do not count. Default: 64. With 0, the
// process accepts calls and answers requests, and other processes run the tasks. The tasks of a
// principal, or of an address if the principal is unknown, take at most a quarter of the places,
// and tasks of the client with the fewest running ones begin first. Clients that a server cannot
// distinguish, such as the one over stdio, can use all places.
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
// whatever process. Interceptors of the server ([mcp.WithInterceptors]) see the request: when its
// call becomes a task, next returns an [*Accepted].
func WithInterceptors(interceptors ...mcp.Interceptor) Option {
	return func(o *options) { o.interceptors = append(o.interceptors, interceptors...) }
}

// WithHeaders names the header fields that [mcp.Call.Header] returns in runs, from the first run
// on. They are stored with the task, sealed. Default: none.
func WithHeaders(names ...string) Option {
	return func(o *options) {
		for _, name := range names {
			o.header = append(o.header, textproto.CanonicalMIMEHeaderKey(name))
		}
	}
}

// WithContextPropagator passes values of a request's context, such as a tenant, to runs. save gets
// the context of the request; its result is stored with the task, sealed. restore returns the
// context of a run in this or another process; it gets nil for a task of a process without the
// option. If save fails, the call fails; if restore fails, the task fails. The option may be given
// more than once: add new ones behind the first, since their positions identify the stored values.
func WithContextPropagator(save func(context.Context) ([]byte, error), restore func(context.Context, []byte) (context.Context, error)) Option {
	return func(o *options) { o.propagators = append(o.propagators, propagator{save, restore}) }
}
