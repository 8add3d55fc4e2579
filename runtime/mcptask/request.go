package mcptask

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"

	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
	"github.com/mcpgen/mcpgen/runtime/internal/taskcall"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// This file answers the methods of tasks: the extension io.modelcontextprotocol/tasks, and
// basic/utilities/tasks of revision 2025-11-25.

func invalid(message string) *mcp.ProtocolError {
	return &mcp.ProtocolError{Code: jsonrpc.CodeInvalidParams, Message: "invalid params: " + message}
}

var (
	// errUnknown is the same for ids that are missing, unknown or expired, and for tasks of others.
	errUnknown = invalid("unknown taskId")
	errEnded   = invalid("the task has ended")
	errNoEnd   = invalid("the task has been cancelled")
)

// Answer implements [taskcall.Tasks].
func (t *tasks) Answer(ctx context.Context, q taskcall.Request) (json.RawMessage, error) {
	answers, err := answersOf(q)
	if err != nil {
		return nil, err
	}
	id, ok := jsonrpc.String(q.Params().Get("taskId"))
	if !ok {
		return nil, errUnknown
	}
	var object json.RawMessage
	switch q.Method() {
	case protocol.TasksGet:
		object, err = t.get(ctx, q, id)
	case protocol.TasksUpdate:
		err = t.update(ctx, q, id, answers)
	case protocol.TasksCancel:
		object, err = t.cancel(ctx, q, id)
	case protocol.TasksResult:
		return t.result(ctx, q, id)
	}
	return object, t.failed(ctx, err)
}

// answersOf returns the inputResponses of tasks/update.
func answersOf(q taskcall.Request) (map[string]json.RawMessage, error) {
	if q.Method() != protocol.TasksUpdate {
		return nil, nil
	}
	object := q.Params().Get("inputResponses")
	if !isObject(object) {
		return nil, invalid("params.inputResponses must be an object")
	}
	answers := map[string]json.RawMessage{}
	var err error
	jsonrpc.Members(object, func(name, value []byte) bool {
		if !isObject(value) {
			err = invalid("params.inputResponses must consist of objects")
			return false
		}
		answers[string(name)] = append(json.RawMessage(nil), value...)
		return true
	})
	return answers, err
}

func isObject(value []byte) bool { return len(value) > 0 && value[0] == '{' }

// failed returns the error for the client. It logs an error of the store.
func (t *tasks) failed(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	if errors.Is(err, taskcall.ErrUnknown) {
		return errUnknown
	}
	if e, ok := errors.AsType[*mcp.ProtocolError](err); ok {
		return e
	}
	t.server.Log().Program(ctx, slog.LevelError, "task store failed", slog.Any("error", err))
	return taskcall.ErrStore
}

// Known implements [taskcall.Tasks].
func (t *tasks) Known(ctx context.Context, q taskcall.Request, ids []string) (known []string, err error) {
	for _, id := range ids {
		_, err := t.get(ctx, q, id)
		switch _, refused := errors.AsType[*mcp.ProtocolError](err); {
		case err == nil:
			known = append(known, id)
		case !refused && !errors.Is(err, taskcall.ErrUnknown):
			return nil, t.failed(ctx, err)
		}
	}
	return known, nil
}
