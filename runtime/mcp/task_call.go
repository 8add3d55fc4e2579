package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/engine"
	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
	"github.com/mcpgen/mcpgen/runtime/internal/taskcall"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// This file handles a call that may become a task (extension io.modelcontextprotocol/tasks). Its
// handler has its own exchange and goroutine ([exchange.newRun]), and the request goroutine waits
// for it ([awaitRun]). The lock of the run decides, once, whether the call becomes a result, a
// round, or a task.

// taskState is the decision about a call.
type taskState uint8

const (
	undecided taskState = iota
	isPlain             // it returns a result, or ends as a round
	isTask
	isDropped // all later output of the handler is dropped
)

// taskRun is the task state in the exchange of a handler. It implements [handlerPart].
type taskRun struct {
	request *exchange       // request of the handler; nil for a run of a record
	values  context.Context // context of the request inside its interceptors, for its values alone
	clock   engine.Clock    // measures the time before the call becomes a task

	mu       sync.Mutex // guards the fields below, and is held while the call becomes a task
	cond     sync.Cond  // signals changes of ended and due
	state    taskState
	due      bool // the time of clock is up
	ended    bool // the handler has returned reply and err, which the request goroutine takes
	reply    Reply
	err      error
	task     taskcall.Run // the run of the task; nil while the call is not a task
	reported bool         // End of the task was called
}

// taskRun returns the task state of the exchange, or nil if its call can never become a task.
func (x *exchange) taskRun() *taskRun {
	t, _ := x.part.(*taskRun)
	return t
}

func (t *taskRun) record() record {
	if run := t.current(); run != nil {
		return run
	}
	return nil
}

// current returns the run of the task, or nil if the call is not a task (yet).
func (t *taskRun) current() taskcall.Run {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.task
}

// taskValues is the context of a taskRun, with the values of the request.
type taskValues taskRun

func (*taskValues) Deadline() (deadline time.Time, ok bool) { return deadline, false }
func (*taskValues) Done() <-chan struct{}                   { return nil }
func (*taskValues) Err() error                              { return nil }
func (v *taskValues) Value(key any) any                     { return v.values.Value(key) }

// TaskAccepted is the [Reply] of a tools/call that has become a task, as interceptors of the server
// see it. The handler is running, or will run.
type TaskAccepted struct {
	ID               string
	Created, Expires time.Time

	object json.RawMessage
}

func (a *TaskAccepted) weight() int { return 0 }
func (a *TaskAccepted) least() int  { return 0 }

func (a *TaskAccepted) appendTo(b []byte, r *rendering) []byte { return r.appendObject(b, a.object) }

// errTaskStore is the reply if a task cannot be stored. The log contains the cause.
var errTaskStore = &ProtocolError{
	Code: jsonrpc.CodeInternal, Message: "the task cannot be stored", Data: json.RawMessage(`{"reason":"task store"}`),
}

// acceptTime limits the time in which a store creates a task, because the call waits for it.
const acceptTime = 10 * time.Second

// takesTasks reports whether the client of a request supports tasks.
func (x *exchange) takesTasks() bool {
	switch x.Revision.Tasks {
	case protocol.TaskExtension:
		return x.call.Extension(protocol.TasksName) != nil
	case protocol.TaskSession:
		return x.Method != protocol.ToolsCall || x.Params().Get("task") != nil
	}
	return false
}

// needsTasks returns the error for a client that does not support tasks.
func needsTasks(req *Request) error {
	if req.x.Revision.Tasks == protocol.TaskExtension {
		return &CapabilityError{Capability: Capability("extensions." + protocol.TasksName)}
	}
	return &ProtocolError{Code: jsonrpc.CodeInvalidParams, Message: "unknown tool: " + req.Name}
}

// call handles the calls whose result depends on tasks: the call becomes a task, or is refused.
func (p *serverTasks) call(ctx context.Context, req *Request, f Feature) (reply Reply, taken bool, err error) {
	t := f.(*tool)
	session := req.x.Revision.Tasks == protocol.TaskSession
	if session {
		if err := checkTaskMode(req, t); err != nil {
			return nil, true, err
		}
	}
	switch {
	case t.task == nil:
		return nil, false, nil
	case !req.x.takesTasks():
		if t.requiresTask() {
			return nil, true, needsTasks(req)
		}
		return nil, false, nil
	}
	if err := req.x.needsID(); err != nil {
		return nil, session || t.requiresTask(), err
	}
	reply, err = callTask(ctx, p.server, req, t)
	return reply, true, err
}

// callTask answers the call of a tool for a client that supports tasks.
func callTask(ctx context.Context, s *Server, req *Request, t *tool) (Reply, error) {
	x := req.x
	session := x.Revision.Tasks == protocol.TaskSession
	if supportOf(t).Inline <= 0 || session {
		if err := checkArguments(req, t); err != nil {
			if session { // the result of such a call is a task, or an error
				err = req.taskArguments(err)
			}
			return nil, err
		}
		accepted, _, err := s.accept(ctx, x, t, x, nil, nil)
		if err == error(errTaskStore) {
			err = errNoTaskStore // the handler has not run, so the call can be repeated
		}
		return accepted, err
	}
	r, err := x.newRun(ctx, req, t)
	if err != nil {
		return nil, err
	}
	return awaitRun(ctx, x, r, t)
}

// checkArguments reads the arguments of a tool as its handler does.
func checkArguments(req *Request, t *tool) error {
	if !t.reads {
		_, err := req.copyArguments()
		return err
	}
	ended, end := context.WithCancel(context.Background())
	end()
	given := req.Arguments
	if given == nil { // without it, a tool without parameters would not read any, and run
		req.Arguments = emptyObject
	}
	req.checking = true
	_, err := t.call(ended, req)
	req.checking, req.Arguments = false, given
	if errors.Is(err, wire.ErrChecked) {
		return nil
	}
	return err
}

// accept creates a task for the request x, with the questions of run. stop is nil if its handler
// does not run.
func (s *Server) accept(ctx context.Context, x *exchange, t *tool, run *exchange, stop func(error), ended *taskcall.End) (Reply, taskcall.Run, error) {
	within, cancel := context.WithTimeout(context.WithoutCancel(ctx), acceptTime)
	defer cancel()
	call := &taskcall.Call{
		Caller: (*taskRequest)(x).Caller(), Tool: t.name, Support: supportOf(t), Work: x.work(run), Context: ctx, Stop: stop, Ended: ended,
	}
	if x.Revision.Tasks == protocol.TaskSession {
		call.Asked = x.Params().Get("task")
	}
	a, err := taskServer(s).Accept(within, call)
	if err == nil {
		return &TaskAccepted{ID: a.ID, Created: a.Created, Expires: a.Expires, object: a.Task}, a.Run, nil
	}
	if e, ok := errors.AsType[*ProtocolError](err); ok {
		return nil, nil, e
	}
	s.log.Program(ctx, slog.LevelError, "task cannot be stored", slog.String("tool", t.name), slog.Any("error", err))
	return nil, nil, errTaskStore
}

// awaitRun starts a run, and waits until the handler returns or the call becomes a task.
func awaitRun(ctx context.Context, x *exchange, r *exchange, t *tool) (Reply, error) {
	run := r.taskRun()
	x.Ctx.SetRun(&r.Exchange)
	if x.Ctx.Err() != nil { // cancelled before the run was registered
		r.Ctx.End(context.Cause(&x.Ctx))
	}
	if ctx != context.Context(&x.Ctx) { // an interceptor has derived a context, which it may cancel
		stop := context.AfterFunc(ctx, func() { r.Ctx.End(context.Cause(ctx)) })
		defer stop()
	}
	run.startClock(supportOf(t).Inline)
	defer run.clock.Unwatch()
	go r.startRun()

	run.mu.Lock()
	defer run.mu.Unlock()
	for !run.ended {
		if run.due && run.state == undecided && !x.IsAnswered() {
			if reply, err := x.convert(ctx, r, t); run.state == isTask || run.state == isDropped {
				return reply, err
			}
		}
		run.due = false
		if !run.ended {
			run.cond.Wait()
		}
	}
	reply, err := run.reply, run.err
	x.adopt(r)
	if supportOf(t).Required && run.state == undecided && isTaskEnd(err) && !x.questions.asked() && !x.IsAnswered() {
		return x.completed(ctx, t, reply, err)
	}
	return reply, err
}

// isTaskEnd reports whether a handler that has returned this error has completed its task: it has
// not if the arguments are wrong, or if it asks.
func isTaskEnd(err error) bool {
	switch err.(type) {
	case nil:
		return true
	case *wire.SyntaxError, *wire.ArgumentsError:
		return false
	}
	_, asks := errors.AsType[*InputRequired](err)
	return !asks
}

// completed creates the task of a call whose handler has returned in time, for a tool whose calls
// must be tasks.
func (x *exchange) completed(ctx context.Context, t *tool, reply Reply, err error) (Reply, error) {
	end := endOf(ctx, x, reply, err)
	accepted, _, failed := x.conn.server.accept(ctx, x, t, x, nil, &end)
	return accepted, failed
}

// convert turns the call into a task, whose handler goes on. The caller holds the lock of the run.
// If the task cannot be stored, the call goes on as a plain call, unless its tool requires a task.
func (x *exchange) convert(ctx context.Context, r *exchange, t *tool) (Reply, error) {
	run := r.taskRun()
	accepted, own, err := x.conn.server.accept(ctx, x, t, r, r.Stop, nil)
	switch {
	case err == nil:
		run.state, run.task = isTask, own
		x.Ctx.SetRun(nil)
		r.EndNotices() // the latest progress precedes the reply
		return accepted, nil
	case supportOf(t).Required:
		run.state = isDropped
		x.Ctx.SetRun(nil)
		r.EndNotices() // the latest progress precedes the reply
		r.Stop(err)
		return nil, err
	}
	run.state = isPlain
	return nil, nil
}

// startClock starts the clock that measures the time before the call becomes a task. It must run
// before the run's goroutines start.
func (t *taskRun) startClock(inline time.Duration) {
	t.clock.Watch(&t.request.Exchange, inline, t)
}

// Over implements the watcher of a clock: it wakes the request goroutine.
func (t *taskRun) Over() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.due = true
	t.cond.Broadcast()
}
