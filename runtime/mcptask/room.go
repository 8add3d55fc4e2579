package mcptask

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// This file limits the space of tasks in a store, including ended tasks.

// errNoRoom is the error of a change that exceeds the limits.
var errNoRoom = errors.New("mcptask: the tasks of the client take all the room that it may have")

// noRoom is the failure of a task whose result cannot be stored.
var noRoom = failure{
	Code:    jsonrpc.CodeInternal,
	Message: "the result is not kept: the tasks of the client take all the room that it may have",
	Data:    json.RawMessage(`{"reason":"no room"}`),
}

// roomStep is the step in which a growing task asks for space. A step counts everything by which
// the task has grown before, so each task exceeds its space by less than one step.
const roomStep = 1 << 10

// growRoom makes space for a record that grows.
func (t *tasks) growRoom(ctx context.Context, account Digest, before, after int64) error {
	if after/roomStep <= before/roomStep {
		return nil
	}
	return t.makeRoom(ctx, account, 0, after-before)
}

// makeRoom makes space for tasks of an account, or for bytes of a stored task.
func (t *tasks) makeRoom(ctx context.Context, account Digest, tasks int, bytes int64) error {
	room := t.room
	if account == t.places.unknown {
		room.Tasks, room.Bytes = room.TotalTasks, room.TotalBytes
	}
	err := t.store.MakeRoom(ctx, Need{Account: account, Tasks: tasks, Bytes: bytes, Room: room})
	switch {
	case errors.Is(err, ErrTooMany), err == nil && !t.budget.Take(int(bytes)):
		return errNoRoom
	case err == nil:
		t.budget.Release(int(bytes)) // the store charges stored tasks, and cannot wait for memory then
	}
	return err
}
