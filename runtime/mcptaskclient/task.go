package mcptaskclient

import (
	"context"
	"errors"
	"sync"

	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpclient"
)

// Task is a task of a server. Its methods are safe for concurrent use. It does nothing by itself:
// only Wait answers its questions.
type Task struct {
	client *mcpclient.Client
	form   protocol.TaskForm
	tool   string // "" if unknown
	id     string

	waiting chan struct{} // has an element while Wait is running, so that no question is answered twice

	mu     sync.Mutex
	state  State
	ended  bool // the task is over, with result and err
	result *mcp.ToolResult
	err    error

	// Used by Wait: the answered questions, and their number.
	answered map[string]bool
	asked    int
}

// errNotEnabled is returned to programs that did not call Enable.
var errNotEnabled = errors.New("mcptaskclient: the options of the client were not passed to Enable")

// CallTask calls a tool, like [mcpclient.Client.Call], and returns its task as soon as it is
// created. A server may reply with a result instead: from revision 2026-07-28 on the server
// decides, and in revision 2025-11-25 not every tool runs as a task. The Task then has the ID ""
// and contains the result.
func CallTask(ctx context.Context, c *mcpclient.Client, tool string, arguments any, options ...mcpclient.RequestOption) (*Task, error) {
	asked := new(wish)
	params := struct {
		Name      string `json:"name"`
		Arguments any    `json:"arguments"`
	}{tool, arguments}
	if arguments == nil {
		params.Arguments = struct{}{}
	}
	result, err := c.Request(context.WithValue(ctx, wishKey{}, asked), protocol.ToolsCall.String(), params, options...)
	if err != nil {
		return nil, err
	}
	if !asked.seen {
		return nil, errNotEnabled
	}
	t := newTask(c, tool)
	created := createdTask(result, t.form, true)
	if created == nil {
		t.result, err = c.ReadToolResult(result)
		t.ended, t.state.Status = true, Completed
		return t, err
	}
	state, err := readState(created, t.form, protocol.ToolsCall.String(), "")
	if err != nil {
		return nil, err
	}
	t.id, t.state = state.ID, *state
	return t, nil
}

// Find returns the task with an id, for instance after a restart of the program. It sends a request
// to the server; if the task does not exist, the error is an [*Error] with a *jsonrpc.Error. A task
// exists only in the revision in which it was created.
func Find(ctx context.Context, c *mcpclient.Client, id string) (*Task, error) {
	t := newTask(c, "")
	t.id = id
	_, err := t.State(ctx)
	if err != nil {
		return nil, err
	}
	return t, nil
}

func newTask(c *mcpclient.Client, tool string) *Task {
	return &Task{
		client: c, form: formOf(c), tool: tool, waiting: make(chan struct{}, 1), answered: map[string]bool{},
	}
}

// ID returns the id of the task, or "" for a call that has not become one.
func (t *Task) ID() string { return t.id }

// State requests the state of the task. After the end of the task, State returns the final state
// without a request.
func (t *Task) State(ctx context.Context) (State, error) {
	t.mu.Lock()
	state := t.state
	t.mu.Unlock()
	if state.Status.Ended() {
		return state, nil
	}
	w := waiterOf(t.client, t.form, t.id)
	if err := w.get(ctx); err != nil {
		return State{}, w.wrap(err)
	}
	return t.note(w.state), nil
}

// note stores a state, unless the stored state is final. It returns the current state.
func (t *Task) note(s *State) State {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.state.Status.Ended() {
		t.state = *s
	}
	return t.state
}

// WaitOption configures [Task.Wait].
type WaitOption func(*waiter)

// WithProgress calls f with each new message of the task, in order, before Wait returns. Done and
// Total are 0.
func WithProgress(f func(mcpclient.Progress)) WaitOption {
	return func(w *waiter) { w.progress = f }
}

// Wait waits for the end of the task, answers its questions, and returns its result, which may be a
// failed one. The end of ctx ends the wait, but not the task. While the server is unreachable, or
// cannot use its store, Wait continues for a minute beyond the attempts of the client. The error is
// an [*Error]. Of several concurrent calls of Wait, one waits for the server, and the others wait
// for it.
func (t *Task) Wait(ctx context.Context, options ...WaitOption) (*mcp.ToolResult, error) {
	select {
	case t.waiting <- struct{}{}:
		defer func() { <-t.waiting }()
	case <-ctx.Done():
		return nil, &Error{Task: t.id, Err: context.Cause(ctx)}
	}
	t.mu.Lock()
	ended, result, err, state := t.ended, t.result, t.err, t.state
	t.mu.Unlock()
	if ended {
		return result, err
	}
	w := waiterOf(t.client, t.form, t.id)
	w.state, w.answered, w.asked = &state, t.answered, t.asked
	for _, option := range options {
		option(w)
	}
	data, err := w.wait(ctx)
	t.asked = w.asked
	state = t.note(w.state)
	if err == nil {
		result, err = t.client.ReadToolResult(data)
	}
	err = w.wrap(err)
	_, replied := errors.AsType[*jsonrpc.Error](err)
	_, wrong := errors.AsType[*mcpclient.ProtocolViolationError](err)
	t.mu.Lock()
	defer t.mu.Unlock()
	if err == nil || state.Status.Ended() && (replied || wrong || errors.Is(err, ErrCancelled)) {
		t.ended, t.result, t.err = true, result, err
	}
	return result, err
}

// Cancel asks the server to cancel the task. If the task has already ended, it does not change, and
// the error is nil.
func (t *Task) Cancel(ctx context.Context) error {
	t.mu.Lock()
	ended := t.state.Status.Ended()
	t.mu.Unlock()
	if ended {
		return nil
	}
	w := waiterOf(t.client, t.form, t.id)
	_, err := t.client.Request(ctx, protocol.TasksCancel.String(), w.params("", nil), mcpclient.WithIdempotent())
	if e, ok := errors.AsType[*jsonrpc.Error](err); ok && e.Code == jsonrpc.CodeInvalidParams && t.form == protocol.TaskSession {
		if state, err := t.State(ctx); err == nil && state.Status.Ended() {
			return nil // the error means that the task is over
		}
	}
	return w.wrap(err)
}
