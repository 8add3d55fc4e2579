package mcptask

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
	"github.com/mcpgen/mcpgen/runtime/internal/taskcall"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// This file answers tasks/result of revision 2025-11-25, which sends the questions of the task as
// requests, and waits for the end of the task.

const (
	// patience limits the time for which tasks/result goes on while the store fails: otherwise its
	// client would have to ask again, and would be asked again.
	patience = 30 * time.Second
	// answerPause is the time between two attempts to store an answer.
	answerPause = time.Second
)

// errNotOpen is the cause with which a question is taken back.
var errNotOpen = errors.New("the task does not wait for this answer any more")

// waiting is one request for the result of a task.
type waiting struct {
	tasks   *tasks
	request taskcall.Request
	id      string
	asking  sync.WaitGroup
	asked   map[string]context.CancelCauseFunc // the questions that were sent, by their names
}

// result answers tasks/result.
func (t *tasks) result(ctx context.Context, q taskcall.Request, id string) (json.RawMessage, error) {
	ctx, cancel := context.WithCancel(ctx)
	w := &waiting{tasks: t, request: q, id: id, asked: map[string]context.CancelCauseFunc{}}
	defer w.asking.Wait() // for questions that are being cancelled
	defer cancel()
	defer q.Pause()()
	c, err := w.end(ctx)
	switch {
	case err != nil && ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case err != nil:
		return nil, t.failed(ctx, err)
	case c.Error != nil:
		return nil, &mcp.ProtocolError{Code: c.Error.Code, Message: c.Error.Message, Data: c.Error.Data}
	case c.Result == nil:
		return nil, errNoEnd
	}
	return withRelatedTask(c.Result, id), nil
}

// end asks the questions of the task until the task ends, even if the store fails for a while, and
// returns its content.
func (w *waiting) end(ctx context.Context) (*content, error) {
	for works := time.Now(); ; {
		c, err := w.follow(ctx, &works)
		if err == nil || ctx.Err() != nil || time.Since(works) >= patience || w.tasks.failed(ctx, err) != taskcall.ErrStore {
			return c, err
		}
		if !pause(ctx) {
			return nil, err
		}
	}
}

// follow is like end while the store works. It sets works to the time of the latest success.
func (w *waiting) follow(ctx context.Context, works *time.Time) (*content, error) {
	t := w.tasks
	r, err := t.find(ctx, w.request, w.id)
	if err != nil {
		return nil, err
	}
	for r, err := range t.watchHead(ctx, r.Key) {
		open := t.openHead
		if err == nil && r.Status.Ended() {
			if open = t.open; r.Sealed == nil {
				r, err = t.store.Get(ctx, r.Key)
			}
		}
		if err != nil {
			return nil, public(err)
		}
		c, err := open(ctx, r)
		if err != nil {
			return nil, err
		}
		*works = time.Now()
		w.ask(ctx, c)
		if r.Status.Ended() {
			return c, nil
		}
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return nil, errors.New("the task cannot be watched")
}

// ask sends the open questions that are new, and takes back the ones that are no longer open.
func (w *waiting) ask(ctx context.Context, c *content) {
	open := map[string]bool{}
	for _, q := range c.Open {
		open[q.Name] = true
		if w.asked[q.Name] != nil {
			continue
		}
		var question context.Context
		question, w.asked[q.Name] = context.WithCancelCause(ctx)
		w.asking.Go(func() { w.send(question, q) })
	}
	for name, end := range w.asked {
		if !open[name] {
			end(errNotOpen)
		}
	}
}

// send sends a question to the client, and stores the answer. Several requests for the result each
// send it; the first answer counts, and the others are taken back.
func (w *waiting) send(ctx context.Context, q openQuestion) {
	answer, err := w.request.Send(ctx, q.Method, withRelatedTask(q.Params, w.id))
	if ctx.Err() != nil {
		return
	}
	if _, refused := errors.AsType[*mcp.ClientError](err); refused {
		answer = json.RawMessage("{}") // a value that answers no question: after three, the handler gets an AnswerError
	} else if err != nil {
		return
	}
	for { // try again, so that the client is not asked again only because the store fails
		err := w.tasks.update(ctx, w.request, w.id, map[string]json.RawMessage{q.Name: answer})
		if err == nil || ctx.Err() != nil || w.tasks.failed(ctx, err) != taskcall.ErrStore || !pause(ctx) {
			return
		}
	}
}

// pause waits before the next access to the store. It returns false if ctx is cancelled.
func pause(ctx context.Context) bool {
	select {
	case <-time.After(answerPause):
		return true
	case <-ctx.Done():
		return false
	}
}

// withRelatedTask returns an object whose _meta names the task.
func withRelatedTask(object json.RawMessage, id string) json.RawMessage {
	b := []byte{'{'}
	var meta json.RawMessage
	jsonrpc.Members(object, func(name, value []byte) bool {
		if string(name) == "_meta" {
			meta = value
			return true
		}
		b = append(appendMember(b, name, value), ',')
		return true
	})
	b = append(b, `"_meta":{`...)
	jsonrpc.Members(meta, func(name, value []byte) bool {
		if string(name) != protocol.MetaRelatedTask {
			b = append(appendMember(b, name, value), ',')
		}
		return true
	})
	b = append(b, `"`+protocol.MetaRelatedTask+`":{"taskId":`...)
	b = wire.AppendString(b, id)
	return append(b, "}}}"...)
}

func appendMember(b, name, value []byte) []byte {
	b = append(wire.AppendString(b, string(name)), ':')
	return append(b, value...)
}
