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

// This file is a call that becomes a task, or may (extension io.modelcontextprotocol/tasks). Its
// handler is an exchange of its own, on a goroutine of its own ([exchange.newRun]), for which that
// of the request waits ([awaitRun]). The lock of the run decides, once, whether the call
// becomes a result, a round, or a task.

// taskState is what a call has become.
type taskState uint8

const (
	undecided taskState = iota
	isPlain             // it ends with a result, or as a round
	isTask
	isDropped // nothing that the handler says is kept
)

// taskRun implements [handlerPart].
type taskRun struct {
	request *exchange       // whose handler it is; nil for a run of a record
	values  context.Context // of the request, through its interceptors; its end is not used
	clock   engine.Clock    // of the time before the call becomes a task

	mu       sync.Mutex // held while the call becomes a task
	cond     sync.Cond  // of ended and due
	state    taskState
	due      bool // the time of clock is over
	ended    bool // the handler has returned reply and err, which the request takes
	reply    Reply
	err      error
	task     taskcall.Run // of a task
	reported bool         // End of the task has been called
}

// taskRun returns the part of the exchange of a handler whose call may become a task, nil in others.
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

// current returns the run of the task, nil if the call is not a task (yet).
func (t *taskRun) current() taskcall.Run {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.task
}

// taskValues is the context of a taskRun: the values of the request.
type taskValues taskRun

func (*taskValues) Deadline() (deadline time.Time, ok bool) { return deadline, false }
func (*taskValues) Done() <-chan struct{}                   { return nil }
func (*taskValues) Err() error                              { return nil }
func (v *taskValues) Value(key any) any                     { return v.values.Value(key) }

// TaskAccepted is the [Reply] of a tools/call that has become a task, as interceptors of the server
// see it. The handler runs, or will.
type TaskAccepted struct {
	ID               string
	Created, Expires time.Time

	object json.RawMessage
}

func (a *TaskAccepted) weight() int { return 0 }
func (a *TaskAccepted) least() int  { return 0 }

func (a *TaskAccepted) appendTo(b []byte, r *rendering) []byte { return r.appendObject(b, a.object) }

// errTaskStore is the reply if a task cannot be stored. The cause is in the log.
var errTaskStore = &ProtocolError{
	Code: jsonrpc.CodeInternal, Message: "the task cannot be stored", Data: json.RawMessage(`{"reason":"task store"}`),
}

// acceptTime bounds how long a store may take to create a task, in which the call cannot go on.
const acceptTime = 10 * time.Second

// takesTasks reports whether the client of a request takes tasks.
func (x *exchange) takesTasks() bool {
	switch x.Revision.Tasks {
	case protocol.TaskExtension:
		return x.call.Extension(protocol.TasksName) != nil
	case protocol.TaskSession:
		return x.Method != protocol.ToolsCall || x.Params().Get("task") != nil
	}
	return false
}

// needsTasks returns the error for a client that does not take tasks.
func needsTasks(req *Request) error {
	if req.x.Revision.Tasks == protocol.TaskExtension {
		return &CapabilityError{Capability: Capability("extensions." + protocol.TasksName)}
	}
	return &ProtocolError{Code: jsonrpc.CodeInvalidParams, Message: "unknown tool: " + req.Name}
}

// call answers the call of a tool where tasks decide: it becomes one, or is refused.
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

// callTask answers the call of a tool for a client that takes tasks.
func callTask(ctx context.Context, s *Server, req *Request, t *tool) (Reply, error) {
	x := req.x
	session := x.Revision.Tasks == protocol.TaskSession
	if supportOf(t).Inline <= 0 || session {
		if err := checkArguments(req, t); err != nil {
			if session { // the result of such a call is a task, or an error
				err = taskArguments(err)
			}
			return nil, err
		}
		accepted, _, err := s.accept(ctx, x, t, x, nil, nil)
		if err == error(errTaskStore) {
			err = errNoTaskStore // the handler has not run
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
	if given == nil { // otherwise a tool without parameters would not read any, and run
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

// accept creates a task for the request x, with the questions of run. Stop is nil if its handler
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

// awaitRun starts a run, and waits until it ends or the call becomes a task.
func awaitRun(ctx context.Context, x *exchange, r *exchange, t *tool) (Reply, error) {
	run := r.taskRun()
	x.Ctx.SetRun(&r.Exchange)
	if x.Ctx.Err() != nil { // before the run was known
		r.Ctx.End(context.Cause(&x.Ctx))
	}
	if ctx != context.Context(&x.Ctx) { // an interceptor may end its own
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

// isTaskEnd reports whether a handler that has returned this error has ended its task: not if its
// arguments are wrong, nor if it asks.
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

// completed creates the task of a call that has ended in time, for a tool whose calls must be tasks.
func (x *exchange) completed(ctx context.Context, t *tool, reply Reply, err error) (Reply, error) {
	end := endOf(ctx, x, reply, err)
	accepted, _, failed := x.conn.server.accept(ctx, x, t, x, nil, &end)
	return accepted, failed
}

// convert makes the call a task, whose handler goes on. The caller holds the lock of the run. If
// the task cannot be stored, a call goes on as it is, unless its tool requires a task.
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

// startClock starts the clock of the time before the call becomes a task, before the goroutines of
// the run.
func (t *taskRun) startClock(inline time.Duration) {
	t.clock.Watch(&t.request.Exchange, inline, t)
}

// Over implements the watcher of a clock: it wakes the goroutine of the request.
func (t *taskRun) Over() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.due = true
	t.cond.Broadcast()
}
