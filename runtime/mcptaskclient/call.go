package mcptaskclient

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"

	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/mcpclient"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// calls is the state of one client's calls.
type calls struct {
	settings
	next mcpclient.Sender

	mu sync.Mutex
	// support is the execution.taskSupport of tools, for all lists that were read; "" if absent.
	support map[string]string
}

// Values of execution.taskSupport.
const (
	supportRequired = "required"
	supportOptional = "optional"
)

// maxKnownTools limits the stored tools.
const maxKnownTools = 10_000

// wish is the value that CallTask stores in the context of its call.
type wish struct {
	seen bool // by the interceptor
}

type wishKey struct{}

// formOf returns the form of tasks in a client's revision.
func formOf(c *mcpclient.Client) protocol.TaskForm {
	version := c.Revision()
	i := slices.IndexFunc(protocol.All, func(r *protocol.Revision) bool { return r.Version == version })
	if i < 0 {
		return protocol.NoTasks
	}
	return protocol.All[i].Tasks
}

// call sends a call. If the call becomes a task, call waits for its end, unless the caller is
// CallTask.
func (c *calls) call(ctx context.Context, r *mcpclient.Request) (json.RawMessage, error) {
	client := r.Client()
	asked, _ := ctx.Value(wishKey{}).(*wish)
	if asked != nil {
		asked.seen = true
	}
	sent, err := c.augmented(ctx, r, asked != nil)
	if err != nil {
		return nil, err
	}
	result, err := c.next(ctx, sent)
	if e, ok := errors.AsType[*jsonrpc.Error](err); ok && sent == r && c.mayRequireTask(ctx, client, e) && c.refresh(ctx, client) == nil {
		// The list of tools was not read, or has changed. The call has not run.
		if sent, err = c.augmented(ctx, r, asked != nil); err == nil && sent == r {
			err = e
		}
		if err == nil {
			result, err = c.next(ctx, sent)
		}
	}
	if err != nil {
		return nil, err
	}
	task := createdTask(result, formOf(client), sent != r)
	if task == nil || asked != nil {
		return result, nil
	}
	w, err := newWaiter(client, formOf(client), task)
	if err != nil {
		return nil, err
	}
	w.progress = r.Progress()
	if deadline := r.Deadline(); !deadline.IsZero() {
		bounded, cancel := context.WithDeadlineCause(ctx, deadline, errMaxTime)
		defer cancel()
		ctx = bounded
	}
	end, err := w.wait(ctx)
	if err != nil && isOurs(ctx, err) {
		w.abandon(ctx)
	}
	return end, w.wrap(err)
}

var errMaxTime = fmt.Errorf("%w: the task has not ended within the time of Limits.MaxTime or WithMaxTime", mcpclient.ErrTimeout)

// isOurs reports whether a task that is no longer waited for is of no use, since the client stops.
// After the loss of a connection the task is still useful: the program may find it again.
func isOurs(ctx context.Context, err error) bool {
	if ctx.Err() != nil || errors.Is(err, errQuestion) {
		return true
	}
	_, violation := errors.AsType[*mcpclient.ProtocolViolationError](err)
	_, limit := errors.AsType[*mcpclient.LimitError](err)
	return violation || limit
}

// createdTask returns the task in a result of tools/call, or nil.
func createdTask(result json.RawMessage, form protocol.TaskForm, asked bool) json.RawMessage {
	switch form {
	case protocol.TaskExtension:
		if kind, _ := jsonrpc.String(member(result, "resultType")); kind == "task" {
			return result
		}
	case protocol.TaskSession:
		if asked {
			return member(result, "task")
		}
	}
	return nil
}

// augmented returns the request with the member task, if the call should become a task of revision
// 2025-11-25, and the request itself otherwise.
func (c *calls) augmented(ctx context.Context, r *mcpclient.Request, asked bool) (*mcpclient.Request, error) {
	client := r.Client()
	if formOf(client) != protocol.TaskSession || member(r.Params, "task") != nil {
		return r, nil
	}
	support, known := c.supportOf(r.Name)
	if !known && asked {
		if declared, err := declares(ctx, client); err != nil || !declared {
			return r, err
		}
		if err := c.refresh(ctx, client); err != nil {
			return nil, err
		}
		support, _ = c.supportOf(r.Name)
	}
	if support != supportRequired && !(asked && support == supportOptional) {
		return r, nil
	}
	if declared, err := declares(ctx, client); err != nil || !declared {
		return r, err // the tool's declaration has no effect then
	}
	task := []byte("{}")
	if c.ttl > 0 {
		task = append(strconv.AppendInt([]byte(`{"ttl":`), max(1, c.ttl.Milliseconds()), 10), '}')
	}
	sent := *r
	sent.Params = append(slices.Clone(bytes.TrimSuffix(r.Params, []byte("}"))), `,"task":`...)
	sent.Params = append(append(sent.Params, task...), '}')
	return &sent, nil
}

// declares reports whether a server of revision 2025-11-25 runs tool calls as tasks.
func declares(ctx context.Context, client *mcpclient.Client) (bool, error) {
	server, err := client.Server(ctx)
	if err != nil {
		return false, err
	}
	return member(member(member(server.Capabilities["tasks"], "requests"), "tools"), "call") != nil, nil
}

// mayRequireTask reports whether an error may mean that the tool requires a task.
func (c *calls) mayRequireTask(ctx context.Context, client *mcpclient.Client, e *jsonrpc.Error) bool {
	if e.Code != jsonrpc.CodeMethodNotFound || formOf(client) != protocol.TaskSession {
		return false
	}
	declared, err := declares(ctx, client)
	return err == nil && declared
}

// refresh reads the list of tools, which passes through noteTools.
func (c *calls) refresh(ctx context.Context, client *mcpclient.Client) error {
	for _, err := range client.EachTool(ctx, mcpclient.WithoutCache()) {
		if err != nil {
			return err
		}
	}
	return nil
}

func (c *calls) supportOf(tool string) (support string, known bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	support, known = c.support[tool]
	return support, known
}

var (
	listFields      = wire.Fields{{Name: "tools"}}
	toolFields      = wire.Fields{{Name: "name"}, {Name: "execution"}}
	executionFields = wire.Fields{{Name: "taskSupport"}}
)

// noteTools stores the task support of the tools on a page. An unreadable page is reported where
// the tools are read.
func (c *calls) noteTools(page json.RawMessage) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.support == nil {
		c.support = map[string]string{}
	}
	d := decoder(page)
	for o := d.Object(listFields); o.Next(); {
		var tools []struct{}
		wire.Slice(d, &tools, func(d *wire.Decoder, _ *struct{}) {
			var name, support string
			for o := d.Object(toolFields); o.Next(); {
				if o.Name() == "name" {
					wire.String(d, &name)
					continue
				}
				for o := d.Object(executionFields); o.Next(); {
					wire.String(d, &support)
				}
			}
			if _, again := c.support[name]; again || len(c.support) < maxKnownTools {
				c.support[string(append([]byte(nil), name...))] = support
			}
		})
	}
	_ = d.Finish() // see above
}
