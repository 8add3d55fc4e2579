package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"math"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
	"github.com/mcpgen/mcpgen/runtime/internal/taskcall"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// This file answers the methods of tasks, on the goroutine of the request. Package mcptask finds the
// task; here are the params and who may use them.

// errUnknownTask is the error for a task that the caller does not have: one text for ids that are
// missing, unknown, expired, or those of tasks of others.
var errUnknownTask = &ProtocolError{Code: jsonrpc.CodeInvalidParams, Message: "invalid params: unknown taskId"}

// answer answers the methods of tasks.
func (p *serverTasks) answer(ctx context.Context, req *Request) (Reply, error) {
	s, x := p.server, req.x
	if !becomesTask(s, x) {
		return nil, s.needsTasks(req)
	}
	if err := x.needsID(); err != nil {
		return nil, err
	}
	params := &x.buffers.msg.Params
	answers, err := taskAnswers(x.method, params)
	if err != nil {
		return nil, err
	}
	id, ok := jsonrpc.String(params.Get("taskId"))
	if !ok {
		return nil, errUnknownTask
	}
	tasks, caller := p.tasks, taskCaller(x)
	authorize := func(tool string) error { return authorizeTask(ctx, s, x, tool) }
	var object json.RawMessage
	switch x.method {
	case protocol.TasksGet:
		object, err = tasks.Get(ctx, caller, id, authorize)
	case protocol.TasksUpdate:
		err = tasks.Answer(ctx, caller, id, answers, authorize)
	case protocol.TasksCancel:
		object, err = cancelTask(ctx, tasks, caller, id, authorize)
	case protocol.TasksResult:
		return awaitTask(ctx, s, x, id, authorize)
	}
	if err != nil {
		return nil, x.taskError(ctx, err)
	}
	return &extensionResult{object}, nil
}

// taskAnswers returns the inputResponses of tasks/update.
func taskAnswers(method protocol.Method, p *jsonrpc.Params) (map[string]json.RawMessage, error) {
	if method != protocol.TasksUpdate {
		return nil, nil
	}
	object := p.Get("inputResponses")
	if !isObject(object) {
		return nil, wrongParams("params.inputResponses must be an object")
	}
	answers := map[string]json.RawMessage{}
	var err error
	jsonrpc.Members(object, func(name, value []byte) bool {
		if !isObject(value) {
			err = wrongParams("params.inputResponses must consist of objects")
			return false
		}
		answers[string(name)] = append(json.RawMessage(nil), value...)
		return true
	})
	return answers, err
}

// authorizeTask returns the error for a request that may not use the tool of a task. A task of a
// tool that another process has, of a newer version, is the caller's unless rules decide.
func authorizeTask(ctx context.Context, s *Server, x *exchange, name string) error {
	t, _ := s.lookUp(toolSet, name).(*tool)
	if t == nil {
		if s.decides(&x.from) {
			return errUnknownTask
		}
		return nil
	}
	if !s.mayUse(ctx, t) {
		return x.refused(errUnknownTask)
	}
	return nil
}

// taskError returns the error for the client. It logs that of a store, after which the request can be
// sent again: over HTTP it has status 503.
func (x *exchange) taskError(ctx context.Context, err error) error {
	if errors.Is(err, taskcall.ErrUnknown) {
		return errUnknownTask
	}
	if e, ok := errors.AsType[*ProtocolError](err); ok {
		return e
	}
	x.conn.server.log.Program(ctx, slog.LevelError, "task store failed", slog.Any("error", err))
	return errNoTaskStore
}

// errNoTaskStore is the reply to a request for a task, or one that was to become one, while the store fails.
var errNoTaskStore = &ProtocolError{
	Code: jsonrpc.CodeInternal, Message: "the task store cannot be used now; try again later", Data: json.RawMessage(`{"reason":"task store"}`),
}

// What follows is what the form of tasks of revision 2025-11-25 has of its own (basic/utilities/tasks):
// the member task of calls, and tasks/result, which sends the questions of the task as requests, and
// waits for its end.

// checkTaskMode returns the error for a call whose member task does not fit its tool.
func checkTaskMode(req *Request, t *tool) error {
	asked := req.x.buffers.msg.Params.Get("task")
	switch {
	case asked == nil && t.task != nil && t.requiresTask():
		return &ProtocolError{Code: jsonrpc.CodeMethodNotFound, Message: "the tool " + req.Name + " can only be called as a task"}
	case asked == nil:
		return nil
	case t.task == nil:
		return &ProtocolError{Code: jsonrpc.CodeMethodNotFound, Message: "the tool " + req.Name + " cannot be called as a task"}
	case !isObject(asked):
		return wrongParams("params.task must be an object")
	}
	if ttl := given(asked, "ttl"); ttl != nil {
		var ms float64
		if err := json.Unmarshal(ttl, &ms); err != nil || ms < 0 {
			return wrongParams("params.task.ttl must be a number of milliseconds")
		}
	}
	return nil
}

// askedTTL is how long the client asks for its task to be kept, 0 if it does not say.
func askedTTL(x *exchange) time.Duration {
	if x.revision.Tasks != protocol.TaskSession {
		return 0
	}
	asked := x.buffers.msg.Params.Get("task")
	if !isObject(asked) {
		return 0
	}
	ttl := given(asked, "ttl")
	if ttl == nil {
		return 0
	}
	var ms float64
	_ = json.Unmarshal(ttl, &ms) // checkTaskMode has read it
	most := float64(math.MaxInt64 / int64(2*time.Millisecond))
	return max(time.Duration(min(ms, most))*time.Millisecond, 1)
}

// taskArguments turns the error of wrong arguments into one of the protocol.
func taskArguments(err error) error {
	switch err.(type) {
	case *wire.SyntaxError, *wire.ArgumentsError:
		return &ProtocolError{Code: jsonrpc.CodeInvalidParams, Message: err.Error()}
	}
	return err
}

// errTaskEnded is the error for the cancellation of a task that has ended.
var errTaskEnded = &ProtocolError{Code: jsonrpc.CodeInvalidParams, Message: "invalid params: the task has ended"}

// errNoTaskResult is the error for the result of a cancelled task.
var errNoTaskResult = &ProtocolError{Code: jsonrpc.CodeInvalidParams, Message: "invalid params: the task has been cancelled"}

// cancelTask answers tasks/cancel. The extension acknowledges it, also for a task that has ended.
func cancelTask(ctx context.Context, tasks taskcall.Tasks, c taskcall.Caller, id string, authorize func(string) error) (json.RawMessage, error) {
	object, err := tasks.Cancel(ctx, c, id, authorize)
	ended := errors.Is(err, taskcall.ErrEnded)
	switch {
	case c.Form == protocol.TaskSession && ended:
		return nil, errTaskEnded
	case c.Form == protocol.TaskSession:
		return object, err
	case ended:
		err = nil
	}
	return nil, err
}

// awaitTask answers tasks/result.
func awaitTask(ctx context.Context, s *Server, x *exchange, id string, authorize func(string) error) (Reply, error) {
	ctx, cancel := context.WithCancel(ctx)
	var asking sync.WaitGroup
	defer asking.Wait() // for requests that are cancelled
	defer cancel()
	defer x.pauseClock()()
	var last *taskcall.State
	asked := map[string]context.CancelCauseFunc{}
	err := followPatiently(ctx, x, id, authorize, func(now *taskcall.State) bool {
		last = now
		open := map[string]bool{}
		for _, q := range now.Questions {
			open[q.Name] = true
			if asked[q.Name] != nil {
				continue
			}
			var question context.Context
			question, asked[q.Name] = context.WithCancelCause(ctx)
			asking.Go(func() { askForTask(question, s, x, id, q, authorize) })
		}
		for name, end := range asked {
			if !open[name] {
				end(errNotOpen)
			}
		}
		return !now.Ended
	})
	switch {
	case err != nil && ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case err != nil:
		return nil, x.taskError(ctx, err)
	case !last.Ended:
		return nil, x.taskError(ctx, errors.New("the task cannot be watched"))
	case last.Error != nil:
		return nil, &ProtocolError{Code: last.Error.Code, Message: last.Error.Message, Data: last.Error.Data}
	case last.Result == nil:
		return nil, errNoTaskResult
	}
	return &taskResult{withRelatedTask(last.Result, id)}, nil
}

// errNotOpen is why a question is taken back.
var errNotOpen = errors.New("the task does not wait for this answer any more")

// patience is for how long tasks/result goes on while the store fails: its client has to ask again otherwise, and its questions are
// asked again.
const patience = 30 * time.Second

// followPatiently follows a task, also while the store fails for a while.
func followPatiently(ctx context.Context, x *exchange, id string, authorize func(string) error, f func(*taskcall.State) bool) error {
	for works := time.Now(); ; {
		err := taskServer(x.conn.server).Follow(ctx, taskCaller(x), id, authorize, func(now *taskcall.State) bool {
			works = time.Now()
			return f(now)
		})
		if err == nil || ctx.Err() != nil || time.Since(works) >= patience || x.taskError(ctx, err) != error(errNoTaskStore) {
			return err
		}
		select {
		case <-time.After(answerPause):
		case <-ctx.Done():
		}
	}
}

// taskResult is the result of a task, which has been written for its revision when the task ended.
type taskResult struct{ object json.RawMessage }

func (t *taskResult) appendTo(b []byte, _ *rendering) []byte { return append(b, t.object...) }

// askForTask sends a question of a task to the client, and stores the answer. Several requests for the
// result each send it; the first answer counts, and the others are taken back.
func askForTask(ctx context.Context, s *Server, x *exchange, id string, q taskcall.OpenQuestion, authorize func(string) error) {
	tasks, caller := taskServer(s), taskCaller(x)
	answer, err := x.sendRequest(ctx, q.Method, withRelatedTask(q.Params, id))
	if ctx.Err() != nil {
		return
	}
	if _, refused := errors.AsType[*ClientError](err); refused {
		answer = emptyObject // which does not answer any question: after three, the handler gets an AnswerError
	} else if err != nil {
		return
	}
	// The client is not asked again because the store fails for a while.
	for {
		err := tasks.Answer(ctx, caller, id, map[string]json.RawMessage{q.Name: answer}, authorize)
		if err == nil || ctx.Err() != nil || x.taskError(ctx, err) != error(errNoTaskStore) {
			return
		}
		select {
		case <-time.After(answerPause):
		case <-ctx.Done():
			return
		}
	}
}

// answerPause is the time between two tries to store an answer.
const answerPause = time.Second

// withRelatedTask returns an object with the task in its _meta.
func withRelatedTask(object json.RawMessage, id string) json.RawMessage {
	b := []byte{'{'}
	var meta json.RawMessage
	jsonrpc.Members(object, func(name, value []byte) bool {
		if string(name) == "_meta" {
			meta = value
			return true
		}
		b = wire.AppendString(comma(b, 1), string(name))
		b = append(append(b, ':'), value...)
		return true
	})
	b = append(comma(b, 1), `"_meta":{`...)
	start := len(b)
	jsonrpc.Members(meta, func(name, value []byte) bool {
		if string(name) != protocol.MetaRelatedTask {
			b = wire.AppendString(comma(b, start), string(name))
			b = append(append(b, ':'), value...)
		}
		return true
	})
	b = append(comma(b, start), `"`+protocol.MetaRelatedTask+`":{"taskId":`...)
	b = wire.AppendString(b, id)
	return append(b, "}}}"...)
}
