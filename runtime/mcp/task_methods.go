package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"

	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
	"github.com/mcpgen/mcpgen/runtime/internal/taskcall"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// This file answers the methods of tasks, on the goroutine of the request. Package mcptask finds the
// task; here are the params and who may use them.

// errUnknownTask is the error for a task that the caller does not have: one text for ids that are
// missing, unknown, expired, or those of tasks of others.
var errUnknownTask = &ProtocolError{Code: jsonrpc.CodeInvalidParams, Message: "invalid params: unknown taskId"}

// answerTask answers tasks/get, tasks/update and tasks/cancel.
func answerTask(ctx context.Context, s *Server, req *Request) (Reply, error) {
	x := req.x
	if !becomesTask(s, x) {
		return nil, s.needsTasks(req)
	}
	p := &x.buffers.msg.Params
	answers, err := taskAnswers(x.method, p)
	if err != nil {
		return nil, err
	}
	id, ok := jsonrpc.String(p.Get("taskId"))
	if !ok {
		return nil, errUnknownTask
	}
	tasks, caller := taskServer(s), taskCaller(x)
	authorize := func(tool string) error { return authorizeTask(ctx, s, x, tool) }
	var object json.RawMessage
	switch x.method {
	case protocol.TasksGet:
		object, err = tasks.Get(ctx, caller, id, authorize)
	case protocol.TasksUpdate:
		err = tasks.Answer(ctx, caller, id, answers, authorize)
	case protocol.TasksCancel:
		err = tasks.Cancel(ctx, caller, id, authorize)
	}
	if err != nil {
		return nil, taskError(ctx, s, err)
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
		if s.decides(x.from.principal) {
			return errUnknownTask
		}
		return nil
	}
	if !s.mayUse(ctx, t) {
		return x.refused(errUnknownTask)
	}
	return nil
}

// taskError returns the error for the client. It logs that of a store.
func taskError(ctx context.Context, s *Server, err error) error {
	if errors.Is(err, taskcall.ErrUnknown) {
		return errUnknownTask
	}
	if e, ok := errors.AsType[*ProtocolError](err); ok {
		return e
	}
	s.log.Program(ctx, slog.LevelError, "task store failed", slog.Any("error", err))
	return errTaskStore
}
