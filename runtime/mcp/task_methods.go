package mcp

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/mcpgen/mcpgen/runtime/internal/jsonobject"
	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
	"github.com/mcpgen/mcpgen/runtime/internal/taskcall"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// This file passes the requests for tasks to package mcptask, which answers them.

// answer answers the methods of tasks.
func (p *serverTasks) answer(ctx context.Context, req *Request) (Reply, error) {
	if err := p.admit(req); err != nil {
		return nil, err
	}
	object, err := p.tasks.Answer(ctx, (*taskRequest)(req.x))
	if err != nil {
		return nil, storeError(err)
	}
	written := req.x.Method == protocol.TasksResult // written for its revision when the task ended
	return &RawReply{JSON: object, own: written}, nil
}

// admit returns an error if the client of the request does not support tasks.
func (p *serverTasks) admit(req *Request) error {
	if !req.x.takesTasks() {
		return needsTasks(req)
	}
	return req.x.needsID()
}

// taskRequest implements [taskcall.Request].
type taskRequest exchange

func (q *taskRequest) Method() protocol.Method { return (*exchange)(q).Method }
func (q *taskRequest) Params() *jsonrpc.Params { return (*exchange)(q).Params() }
func (q *taskRequest) Pause() (resume func())  { return (*exchange)(q).PauseClock() }

func (q *taskRequest) Caller() taskcall.Caller {
	c := taskcall.Caller{Principal: q.From.ID(), Form: q.Revision.Tasks}
	if client := q.From.CountedAs(); client != nil {
		c.Account = client.String()
	}
	return c
}

// Authorize allows callers to use a task whose tool is registered in another process only, of a
// newer version, unless an [Access] decides.
func (q *taskRequest) Authorize(ctx context.Context, name string) error {
	x, s := (*exchange)(q), q.conn.server
	switch t, _ := s.lookUp(toolSet, name).(*tool); {
	case t == nil && !s.decides(&x.From), t != nil && s.mayUse(ctx, t):
		return nil
	case t == nil:
		return taskcall.ErrUnknown
	}
	return x.refused(taskcall.ErrUnknown)
}

func (q *taskRequest) Send(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error) {
	return (*exchange)(q).sendRequest(ctx, method, params)
}

// storeError returns the error for the client of a request that mcptask could not answer.
func storeError(err error) error {
	if errors.Is(err, taskcall.ErrStore) {
		return errNoTaskStore
	}
	return err
}

// errNoTaskStore is the reply to a request about a task, or a call that was to become a task, while
// the store fails. The request can be sent again: over HTTP the reply has the status 503.
var errNoTaskStore = &ProtocolError{
	Code: jsonrpc.CodeInternal, Message: "the task store cannot be used now; try again later", Data: json.RawMessage(`{"reason":"task store"}`),
}

// checkTaskMode returns the error for a call of revision 2025-11-25 whose member task does not fit
// its tool (basic/utilities/tasks).
func checkTaskMode(req *Request, t *tool) error {
	asked := req.x.Params().Get("task")
	switch {
	case asked == nil && t.task != nil && t.requiresTask():
		return &ProtocolError{Code: jsonrpc.CodeMethodNotFound, Message: "the tool " + req.Name + " can only be called as a task"}
	case asked == nil:
		return nil
	case t.task == nil:
		return &ProtocolError{Code: jsonrpc.CodeMethodNotFound, Message: "the tool " + req.Name + " cannot be called as a task"}
	case !jsonobject.Is(asked):
		return wrongParams("params.task must be an object")
	}
	return nil
}

// taskArguments turns the error of wrong arguments into an error of the protocol.
func (r *Request) taskArguments(err error) error {
	switch e := err.(type) {
	case *wire.SyntaxError:
		return &ProtocolError{Code: jsonrpc.CodeInvalidParams, Message: e.Error()}
	case *wire.ArgumentsError:
		return &ProtocolError{Code: jsonrpc.CodeInvalidParams, Message: r.explained(e).Error()}
	}
	return err
}
