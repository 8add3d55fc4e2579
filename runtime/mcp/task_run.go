package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/mcpgen/mcpgen/runtime/internal/engine"
	"github.com/mcpgen/mcpgen/runtime/internal/jsonobject"
	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
	"github.com/mcpgen/mcpgen/runtime/internal/taskcall"
	"github.com/mcpgen/mcpgen/runtime/internal/transport"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// This file runs the handlers of calls that may become tasks, and of records of tasks. Each run has
// an exchange of its own, with a copy of the message. It ends on the handler goroutine, or on a
// timer goroutine for a handler that takes too long.

// runExchange allocates both parts at once.
type runExchange struct {
	exchange
	own taskRun
}

// newRunExchange returns the exchange of a handler. text is its request.
func newRunExchange(values context.Context, c *conn, text []byte, rev *protocol.Revision) (*exchange, error) {
	all := new(runExchange)
	r := &all.exchange
	b, err := c.Settings.NewMessageBuffers(text)
	if err != nil {
		return nil, protocolError(err)
	}
	r.conn = c
	r.BeginRun((*taskValues)(&all.own), &c.Conn, r, b, rev)
	r.call.x = r
	r.part = &all.own
	all.own.values = values
	all.own.cond.L = &all.own.mu
	p := r.Params()
	r.req = Request{Method: protocol.ToolsCall.String(), Params: p.Raw, Arguments: p.Get("arguments"), x: r}
	return r, nil
}

// newRun returns the exchange of the handler of a request.
func (x *exchange) newRun(ctx context.Context, req *Request, t *tool) (*exchange, error) {
	r, err := newRunExchange(ctx, x.conn, x.MessageText(), x.Revision)
	if err != nil {
		return nil, err
	}
	r.RunFor(&x.Exchange)
	r.From.Header = taskPartOf(x.conn.server).fields(x.From.Header)
	r.req.setTool(t)
	r.req.Name, r.Feature = req.Name, req.Name
	r.taskRun().request = x
	r.questions.set(x.questions.made)
	x.questions.set(nil)
	return r, nil
}

// adopt copies the state of a handler that has returned before its call became a task: the request
// goes on as if it had run the handler itself.
func (x *exchange) adopt(r *exchange) {
	x.req.Params, x.req.Arguments = r.req.Params, r.req.Arguments
	x.questions.mu.Lock()
	x.questions.set(r.questions.made)
	asked := x.questions.askedLocked()
	x.questions.mu.Unlock()
	x.Exchange.Adopt(&r.Exchange)
	if asked {
		x.Stop(ErrPending)
	}
}

// startRun calls the handler, and passes its result on. It runs in the handler's goroutine.
func (x *exchange) startRun() {
	engine.GrowStack(0)
	reply, err := x.callRun()
	x.endRun(reply, err)
}

// callRun calls the handler inside the interceptors of runs.
func (x *exchange) callRun() (reply Reply, err error) {
	returned := false
	defer func() {
		if returned {
			return
		}
		p := recover()
		if p == nil {
			p = "runtime.Goexit called"
		}
		reply, err = nil, newPanicError(&x.Ctx, &x.req, p)
		if p == "runtime.Goexit called" { // the goroutine exits after this
			x.endRun(reply, err)
		}
	}()
	if err := x.questions.rejection(); err != nil {
		returned = true
		return nil, err
	}
	x.questions.returned.Store(false)
	reply, err = taskPartOf(x.conn.server).handler(&x.Ctx, &x.req)
	returned = true
	return reply, err
}

// runTaskTool is the handler inside the interceptors of runs.
func (s *Server) runTaskTool(ctx context.Context, req *Request) (Reply, error) {
	result, err := within(ctx, req, req.tool().info.Timeout, req.tool().call)
	if err != nil {
		return nil, err
	}
	if result == nil {
		result = nothingFound()
	}
	return result, nil
}

// endRun passes the result of a handler to its request, or to its task.
func (x *exchange) endRun(reply Reply, err error) {
	x.questions.returned.Store(true)
	t := x.taskRun()
	t.mu.Lock()
	state := t.state
	if state == undecided || state == isPlain {
		t.reply, t.err, t.ended = reply, err, true
		t.cond.Broadcast()
		t.mu.Unlock()
		return
	}
	t.mu.Unlock()
	if state == isTask {
		x.report(endOf(&x.Ctx, x, reply, err))
	}
	x.Exchange.EndRun()
}

// report ends the task, unless it was ended before.
func (x *exchange) report(end taskcall.End) {
	t := x.taskRun()
	t.mu.Lock()
	first := !t.reported
	t.reported = true
	t.mu.Unlock()
	if first {
		t.task.End(end)
	}
}

// abandon replies for a handler that does not return in time. It returns false if the exchange is
// to reply itself.
func (t *taskRun) abandon(x *exchange, late *engine.TimeoutError) bool {
	t.mu.Lock()
	state := t.state
	t.mu.Unlock()
	if state != isTask {
		if t.request != nil {
			t.request.Abandon(late)
		}
		return true
	}
	r := rendering{by: &x.conn.server.published, revision: x.Revision, unlimited: true}
	x.report(taskcall.End{Result: failedResult(late.Error()).appendTo(nil, &r)})
	return true
}

// endOf returns the end of a task, from the result of its handler.
func endOf(ctx context.Context, x *exchange, reply Reply, err error) (end taskcall.End) {
	if x.questions.asked() {
		return taskcall.End{Parked: true}
	}
	if required, ok := errors.AsType[*InputRequired](err); ok {
		questions, failed := taskQuestions(x, required)
		if failed == nil {
			return taskcall.End{Parked: true, Required: true, Questions: questions, State: x.questions.make().state}
		}
		reply, err = nil, failed
	}
	reply, e := x.req.outcome(ctx, reply, err)
	if e == nil {
		if large := x.req.oversize(reply); large != nil {
			reply, e = x.unwritable(ctx, large)
		}
	}
	own := x.rendering()
	r := &own
	for e == nil {
		result := reply.appendTo(nil, r)
		if r.err == nil {
			return taskcall.End{Result: result}
		}
		reply, e = x.unwritable(ctx, r.err)
		*r = rendering{by: r.by, revision: r.revision, unlimited: true}
	}
	return taskcall.End{Error: e}
}

// work returns the data that a later run of the request needs, with the questions of a run.
func (x *exchange) work(run *exchange) *taskcall.Work {
	w := &taskcall.Work{
		Revision: x.Revision.Version, Transport: x.conn.Transport, Principal: x.From.ID(), ID: x.ID.Raw(),
		Header: taskPartOf(x.conn.server).fields(x.From.Header), Params: taskParams(x.Params()),
	}
	if x.Client != nil {
		w.Client, w.Capabilities = x.Client.Info, x.Client.Capabilities
	}
	c := &run.questions
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.made == nil {
		return w
	}
	w.State = c.made.state
	w.Answers, w.Tries, w.Once = map[string]taskcall.Answer{}, maps.Clone(c.made.tries), maps.Clone(c.made.once)
	for key, a := range c.made.answers {
		w.Answers[key] = taskcall.Answer{Value: a.value}
		if !a.unasked {
			w.Answers[key] = taskcall.Answer{Digest: append([]byte(nil), a.digest[:]...), Value: a.value}
		}
	}
	return w
}

// taskParams returns the params for runs: without answers and request state.
func taskParams(p *jsonrpc.Params) json.RawMessage {
	b := []byte{'{'}
	for _, name := range [...]string{"name", "arguments", "_meta"} {
		if value := p.Get(name); value != nil {
			b = append(jsonobject.Comma(b, 1), '"')
			b = append(append(b, name...), `":`...)
			b = append(b, value...)
		}
	}
	return append(b, '}')
}

// resume sets the answers and values of earlier runs.
func (c *questions) resume(w *taskcall.Work) {
	r := c.make()
	r.answers, r.tries, r.once, r.state = map[string]*answer{}, w.Tries, w.Once, w.State
	for key, a := range w.Answers {
		r.answers[key] = &answer{digest: digestOf(a.Digest), unasked: a.Digest == nil, value: a.Value}
		r.unused++
		r.size += len(key) + len(a.Value)
	}
	for _, value := range w.Once {
		r.size += len(value)
	}
}

// errRunFailed returns the end of a task whose record cannot be run.
func errRunFailed(format string, args ...any) taskcall.End {
	return taskcall.End{Error: &jsonrpc.Error{
		Code: jsonrpc.CodeInternal, Message: fmt.Sprintf(format, args...), Data: []byte(`{"reason":"interrupted"}`),
	}}
}

// Run implements [taskcall.Server].
func (h taskHost) Run(ctx context.Context, w *taskcall.Work, run taskcall.Run) {
	s := h.Server
	rev := protocol.Find(w.Revision)
	if rev == nil {
		run.End(errRunFailed("the task is of a revision of the protocol that this server does not have"))
		return
	}
	c := newConn(s)
	c.BeginMessages(ctx, &transport.Options{Transport: w.Transport, Once: true}, h.clocks)
	c.Ctx, c.Stop = ctx, func(error) {} // the tasks cancel the context
	text := append([]byte(`{"jsonrpc":"2.0","id":`), w.ID...)
	text = append(append(text, `,"method":"tools/call","params":`...), w.Params...)
	x, err := newRunExchange(ctx, c, append(text, '}'), rev)
	if err != nil {
		run.End(errRunFailed("%s", err))
		return
	}
	x.req.Name, _ = jsonrpc.String(x.Params().Get("name"))
	x.Feature = x.req.Name
	t, _ := s.lookUp(toolSet, x.req.Name).(*tool)
	if t == nil {
		x.Exchange.EndRun()
		run.End(errRunFailed("unknown tool: %s", x.req.Name))
		return
	}
	x.RunAlone(engine.NewClient(w.Client, w.Capabilities))
	if w.Principal != "" {
		setPrincipal(&x.From, &Principal{ID: w.Principal})
	}
	x.From.Header = w.Header
	x.req.setTool(t)
	x.questions.resume(w)
	own := x.taskRun()
	own.state, own.task = isTask, run
	run.Start(x.Stop)
	x.startRun()
}

// fields returns the header fields that runs get.
func (o *serverTasks) fields(header map[string][]string) map[string][]string {
	if len(o.header) == 0 {
		return nil
	}
	some := maps.Clone(header)
	maps.DeleteFunc(some, func(name string, _ []string) bool { return !slices.Contains(o.header, name) })
	return some
}
