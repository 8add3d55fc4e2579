package mcp

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/mcpgen/mcpgen/runtime/internal/engine"
	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// This file notifies a subscriptions/listen of tasks. For each task, a goroutine waits for changes,
// and for room in the queue of the client. It ends with the listen or the task.

// readTaskIDs reads params.notifications.taskIds.
func readTaskIDs(array []byte, most int) (ids []string, e *jsonrpc.Error) {
	if array[0] != '[' {
		return nil, engine.InvalidParams("params.notifications.taskIds must be an array")
	}
	ids = []string{}
	jsonrpc.Elements(array, func(value []byte) bool {
		id, ok := jsonrpc.String(value)
		switch {
		case !ok:
			e = engine.InvalidParams("params.notifications.taskIds must consist of strings")
		case len(ids) == most:
			e = errTooManySubscriptions
		case !slices.Contains(ids, id):
			ids = append(ids, id)
		}
		return e == nil
	})
	return ids, e
}

// listen returns the ids that belong to tasks of the client.
func (p *serverTasks) listen(ctx context.Context, x *exchange, ids []string) ([]string, error) {
	if x.Revision.Tasks != protocol.TaskExtension {
		return nil, nil
	}
	if err := p.admit(&x.req); err != nil {
		return nil, err
	}
	known, err := p.tasks.Known(ctx, (*taskRequest)(x), ids)
	return known, storeError(err)
}

// watch notifies a listen of the state of a task, at first and after each change.
func (p *serverTasks) watch(ctx context.Context, x *exchange, sub *subscriber, id string) {
	p.tasks.Watch(&x.Ctx, (*taskRequest)(x).Caller(), id, func(tool string, task json.RawMessage) bool {
		if !mayWatch(ctx, p.server, x, tool) {
			return false
		}
		params := appendSubscription([]byte{'{'}, sub.id)
		params = append(params, ',')
		params = append(params, task[1:]...)
		sub.out.Wait()
		sub.mu.Lock()
		sub.send(jsonrpc.AppendNotification(nil, protocol.TaskChanged, params), 0)
		sub.mu.Unlock()
		sub.out.Flush()
		return true
	})
}

// mayWatch reports whether a client may still use the tool of a task. It is called after each
// change of the task.
func mayWatch(ctx context.Context, s *Server, x *exchange, tool string) (may bool) {
	defer s.recoverAccess(ctx, &may)
	f := s.lookUp(toolSet, tool)
	if f == nil {
		return !s.decides(&x.From)
	}
	refusal, exists := s.authorize(ctx, f)
	return exists && refusal == nil
}
