package mcptask

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/taskcall"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// leastTTL is the TTL of a task whose client asks for less.
const leastTTL = time.Second

// Accept implements [taskcall.Tasks]: it creates the record of a call.
func (t *tasks) Accept(ctx context.Context, call *taskcall.Call) (*taskcall.Accepted, error) {
	t.mu.Lock()
	closing := t.closing
	t.mu.Unlock()
	if closing {
		return nil, errors.New("mcptask: the server ends")
	}
	now := time.Now().Truncate(time.Millisecond)
	ttl := min(either(call.Support.TTL, defaultTTL), t.limits.MaxTTL)
	if asked, err := askedTTL(call.Asked); err != nil {
		return nil, err
	} else if asked > 0 {
		ttl = min(ttl, max(asked, leastTTL))
	}
	r := &Record{
		Key: t.key(call.Caller, rand.Text()), Account: account(t.server, call.Caller.Account),
		Server: t.server.Name(), Tool: call.Tool, Created: now, Expires: now.Add(ttl),
	}
	c := &content{
		head: head{TTL: ttl.Milliseconds(), Poll: call.Support.Poll.Milliseconds(), Updated: now.UnixMilli()},
		body: body{Work: call.Work, Planned: 1},
	}
	if err := saveContext(call.Context, t.propagators, c.Work); err != nil {
		return nil, fmt.Errorf("mcptask: context propagator: %w", err)
	}
	switch {
	case call.Ended != nil:
		finish(r, c, call.Ended)
	case call.Stop != nil:
		r.Owner, r.Attempt = t.owner, 1
	default:
		r.Ready = true
	}
	if err := t.seal(ctx, r, c); err != nil {
		return nil, err
	}
	if err := t.makeRoom(ctx, r.Account, 1, r.Size()); err != nil {
		if errors.Is(err, errNoRoom) {
			return nil, tooMany("no room for another task: the tasks of this client take all that it may have; try again when some have ended")
		}
		return nil, err
	}
	var begun *run
	if call.Stop != nil { // before the store can report anything about it
		t.addActive(r.Account, 1)
		begun = t.newRun(r, call.Support)
		begun.Start(call.Stop)
	}
	if err := t.store.Create(ctx, r, Quota{Account: t.limits.Active, Total: t.limits.Total}, lease); err != nil {
		if begun != nil {
			begun.drop()
		}
		if errors.Is(err, ErrTooMany) {
			return nil, tooMany("too many tasks have not ended; try again later")
		}
		t.uncertain(r.Key, time.Now().Add(keepTime))
		return nil, err
	}
	if begun != nil {
		begun.follow()
	}
	if r.Ready {
		t.kick()
	}
	a := &taskcall.Accepted{ID: r.Key.ID, Created: r.Created, Expires: r.Expires, Task: text(r, c, call.Caller.Form, true)}
	if begun != nil {
		a.Run = begun
	}
	return a, nil
}

// askedTTL returns the TTL that the client asks for, or 0.
func askedTTL(task json.RawMessage) (time.Duration, error) {
	var ttl []byte
	jsonrpc.Members(task, func(name, value []byte) bool {
		if string(name) == "ttl" {
			ttl = value
		}
		return ttl == nil
	})
	if ttl == nil || string(ttl) == "null" {
		return 0, nil
	}
	var ms float64
	if err := json.Unmarshal(ttl, &ms); err != nil || ms < 0 {
		return 0, invalid("params.task.ttl must be a number of milliseconds")
	}
	most := float64(math.MaxInt64 / int64(2*time.Millisecond))
	return max(time.Duration(min(ms, most))*time.Millisecond, 1), nil
}

// tooMany returns the error for a client that has too many tasks.
func tooMany(text string) *mcp.ProtocolError {
	return &mcp.ProtocolError{Code: jsonrpc.CodeInternal, Message: text, Data: json.RawMessage(`{"reason":"too many tasks"}`)}
}

// uncertain cancels a task whose creation has failed, in case the store has created it: no client
// knows its id. While the store fails, it tries again until the given time.
func (t *tasks) uncertain(k Key, until time.Time) {
	time.AfterFunc(storePause, func() {
		ctx, cancel := context.WithTimeout(context.Background(), storeTime)
		defer cancel()
		_, _, err := t.change(ctx, k, func(r *Record, c *content) error {
			if r.Status.Ended() {
				return errNothing
			}
			end(r, c, Cancelled)
			return nil
		})
		switch {
		case err == nil, errors.Is(err, errNothing), errors.Is(err, ErrNotFound), errors.Is(err, ErrStoreClosed):
		case time.Now().Before(until):
			t.uncertain(k, until)
		}
	})
}

// finish ends a task with the result of its handler.
func finish(r *Record, c *content, e *taskcall.End) {
	if e.Error == nil {
		end(r, c, Completed)
		c.Result, c.IsError, c.Message = e.Result, isError(e.Result), ""
		return
	}
	fail(r, c, failure{e.Error.Code, e.Error.Message, e.Error.Data})
}

// fail ends a task with a failure.
func fail(r *Record, c *content, f failure) {
	end(r, c, Failed)
	c.Error, c.Message = &f, f.Message
}
