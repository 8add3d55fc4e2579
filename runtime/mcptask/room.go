package mcptask

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// This file limits what tasks take in a store, those that have ended included.

// errNoRoom is the error of a change for which there is no room.
var errNoRoom = errors.New("mcptask: the tasks of the client take all the room that it may have")

// noRoom is the error of a task whose result is not kept.
var noRoom = failure{
	Code:    jsonrpc.CodeInternal,
	Message: "the result is not kept: the tasks of the client take all the room that it may have",
	Data:    json.RawMessage(`{"reason":"no room"}`),
}

// roomStep is the step in which a task that grows asks for room. All that it has grown by before is counted then, so
// each task exceeds its room by less than that.
const roomStep = 1 << 10

// growRoom makes room for a record that grows.
func (t *tasks) growRoom(ctx context.Context, account Digest, before, after int64) error {
	if after/roomStep <= before/roomStep {
		return nil
	}
	return t.makeRoom(ctx, account, 0, after-before)
}

// makeRoom makes room for tasks of an account, or for bytes of one that the store has.
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
		t.budget.Release(int(bytes)) // the store charges what it keeps, and cannot wait for others then
	}
	return err
}
