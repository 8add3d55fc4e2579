package mcptask

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// This file limits what tasks take in a store, those that have ended included.

// uncounted is by how much a record may grow before the store is asked for room: the text of its progress, or a question.
// The room for a record is larger by as much.
const uncounted = recordSize

// errNoRoom is the error of a change for which there is no room.
var errNoRoom = errors.New("mcptask: the tasks of the client take all the room that it may have")

// noRoom is the error of a task whose result is not kept.
var noRoom = failure{
	Code:    jsonrpc.CodeInternal,
	Message: "the result is not kept: the tasks of the client take all the room that it may have",
	Data:    json.RawMessage(`{"reason":"no room"}`),
}

// makeRoom makes room for a task of an account, or for one that grows.
func (t *tasks) makeRoom(ctx context.Context, account Digest, tasks int, bytes int64) error {
	if tasks == 0 && bytes <= uncounted {
		return nil
	}
	err := t.store.MakeRoom(ctx, Need{Account: account, Tasks: tasks, Bytes: bytes, Room: t.room})
	switch {
	case errors.Is(err, ErrTooMany), err == nil && !t.budget.Take(int(bytes)):
		return errNoRoom
	case err == nil:
		t.budget.Release(int(bytes)) // the store charges what it keeps, and cannot wait for others then
	}
	return err
}
