package mcptask

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"iter"
	"log/slog"

	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
	"github.com/mcpgen/mcpgen/runtime/internal/taskcall"
	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// maxID limits the ids for which a store is asked, in bytes. Ids of tasks have 26 bytes.
const maxID = 64

// find returns the head of a task that the caller of a request may use.
func (t *tasks) find(ctx context.Context, q taskcall.Request, id string) (*Record, error) {
	if len(id) > maxID {
		return nil, taskcall.ErrUnknown
	}
	r, err := t.getHead(ctx, t.key(q.Caller(), id))
	if err != nil {
		return nil, public(err)
	}
	if err := q.Authorize(ctx, r.Tool); err != nil {
		return nil, err
	}
	return r, nil
}

// public turns the error for a task that does not exist into the error for clients.
func public(err error) error {
	if errors.Is(err, ErrNotFound) {
		return taskcall.ErrUnknown
	}
	return err
}

// get answers tasks/get.
func (t *tasks) get(ctx context.Context, q taskcall.Request, id string) (json.RawMessage, error) {
	r, err := t.find(ctx, q, id)
	if err != nil {
		return nil, err
	}
	return t.text(ctx, r, q.Caller().Form)
}

// text returns a task whose head was read, in a form of the protocol.
func (t *tasks) text(ctx context.Context, r *Record, form protocol.TaskForm) (json.RawMessage, error) {
	if form != protocol.TaskSession && r.Status.Ended() && r.Sealed == nil {
		var err error
		if r, err = t.store.Get(ctx, r.Key); err != nil {
			return nil, public(err)
		}
	}
	open := t.openHead
	if form != protocol.TaskSession && r.Status.Ended() {
		open = t.open
	}
	c, err := open(ctx, r)
	if err != nil {
		return nil, err
	}
	return text(r, c, form, false), nil
}

// getHead returns a task, without Sealed if the store supports that.
func (t *tasks) getHead(ctx context.Context, k Key) (*Record, error) {
	if s, ok := t.store.(HeadStore); ok {
		return s.GetHead(ctx, k)
	}
	return t.store.Get(ctx, k)
}

// watchHead watches a task, without Sealed if the store supports that.
func (t *tasks) watchHead(ctx context.Context, k Key) iter.Seq2[*Record, error] {
	if s, ok := t.store.(HeadStore); ok {
		return s.WatchHead(ctx, k)
	}
	return t.store.Watch(ctx, k)
}

// errNothing means that nothing needs to be changed.
var errNothing = errors.New("mcptask: nothing changes")

// errTooLarge is the error for answers that exceed the limit of a task.
var errTooLarge = &mcp.ProtocolError{Code: -32603, Message: "the task has no room for the answers", Data: json.RawMessage(`{"reason":"stateTooLarge"}`)}

// update stores the answers to open questions. It ignores others.
func (t *tasks) update(ctx context.Context, q taskcall.Request, id string, answers map[string]json.RawMessage) error {
	r, err := t.find(ctx, q, id)
	if err != nil {
		return err
	}
	_, _, err = t.change(ctx, r.Key, func(r *Record, c *content) error {
		if r.Status.Ended() || !c.answer(answers) {
			return errNothing
		}
		if c.size() > t.limits.StateBytes {
			return errTooLarge
		}
		switch {
		case len(c.Open) > 0:
		case r.Owner == "":
			plan(r, c)
		default:
			r.Status = Working
		}
		return nil
	})
	switch {
	case errors.Is(err, errNothing):
		return nil
	case errors.Is(err, errNoRoom):
		return errTooLarge
	}
	return public(err)
}

// answer takes the answers to open questions from a message. It reports whether there are any.
func (c *content) answer(answers map[string]json.RawMessage) (some bool) {
	var open []openQuestion
	for _, q := range c.Open {
		value, ok := answers[q.Name]
		if !ok {
			open = append(open, q)
			continue
		}
		if c.Work.Answers == nil {
			c.Work.Answers = map[string]taskcall.Answer{}
		}
		c.Work.Answers[q.Key] = taskcall.Answer{Digest: q.Digest, Value: value}
		some = true
	}
	c.Open = open
	return some
}

// cancel answers tasks/cancel. An ended task stays as it is: the extension acknowledges the
// request, and revision 2025-11-25 refuses it.
func (t *tasks) cancel(ctx context.Context, q taskcall.Request, id string) (json.RawMessage, error) {
	form := q.Caller().Form
	r, err := t.find(ctx, q, id)
	if err != nil {
		return nil, err
	}
	r, c, err := t.change(ctx, r.Key, func(r *Record, c *content) error {
		if r.Status.Ended() {
			return errEnded
		}
		end(r, c, Cancelled)
		c.Message = ""
		return nil
	})
	switch {
	case err == nil:
		t.stopRuns(r.Key, mcp.ErrCancelled) // before the store reports it
	case form == protocol.TaskSession || !errors.Is(err, errEnded):
		return nil, public(err)
	}
	if form != protocol.TaskSession {
		return nil, nil
	}
	return text(r, c, form, false), nil
}

// stopRuns cancels the contexts of the runs of a task in this process.
func (t *tasks) stopRuns(k Key, cause error) {
	t.mu.Lock()
	var all []*run
	for r := range t.runs {
		if r.key == k {
			all = append(all, r)
		}
	}
	t.mu.Unlock()
	for _, r := range all {
		r.end(cause)
	}
}

// Watch implements [taskcall.Tasks].
func (t *tasks) Watch(ctx context.Context, caller taskcall.Caller, id string, changed func(tool string, task json.RawMessage) bool) {
	var last json.RawMessage
	for r, err := range t.watchHead(ctx, t.key(caller, id)) {
		var task json.RawMessage
		if err == nil {
			task, err = t.text(ctx, r, caller.Form)
		}
		if err != nil {
			if ctx.Err() == nil && !errors.Is(err, ErrNotFound) && !errors.Is(err, taskcall.ErrUnknown) && !errors.Is(err, ErrStoreClosed) {
				t.server.Log().Program(ctx, slog.LevelError, "task cannot be watched", slog.Any("error", err))
			}
			return
		}
		if !bytes.Equal(task, last) && !changed(r.Tool, task) || r.Status.Ended() {
			return
		}
		last = task // a claim changes the record, but nothing that clients see
	}
}
