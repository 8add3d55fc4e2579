package mcptest

import (
	"context"
	"encoding/json"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/friend"
	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpclient"
)

// A test polls a task after minPoll, and doubles the interval up to maxPoll while the task does not
// change.
const (
	minPoll = 5 * time.Millisecond
	maxPoll = 250 * time.Millisecond
)

var tasksOf = mcp.TaskFuncs(friend.Key{}).Of

// Task calls a tool as a task, in a revision with tasks, and returns the result at the end of the
// task. The functions of [Options] answer its questions; the function of [WithProgress] gets its
// messages. If the server does not make the call a task, Task returns its result as well: from
// revision 2026-07-28 on, that happens to a call that ends within the inline time of its tool.
//
// From the first call of Task on, the server ends each run of a handler at its question, and runs
// the handler again from its beginning when the answer is there. A real server does that after a
// minute. So a test reveals which effects of a handler are repeated, before that happens with a
// slow person: put effects into [mcp.Once].
//
// Arguments are the same as for [Client.Start]. The error is a [*jsonrpc.Error] of a refused call
// or a failed task, or [ErrRefused]. The test fails if the task is cancelled, or does not change
// for Options.Timeout.
func (c *Client) Task(tool string, arguments any, options ...RequestOption) (*mcp.ToolResult, error) {
	c.t.Helper()
	if c.revision.Tasks == protocol.NoTasks {
		c.t.Fatalf("mcptest: revision %s has no tasks", c.revision.Version)
	}
	tasks := tasksOf(c.server)
	if tasks == nil {
		c.t.Fatalf("mcptest: no tool of the server can run as a task")
	}
	tasks.ParkAfter(0)
	o := new(requestOptions)
	for _, option := range options {
		option(o)
	}
	r := &taskRun{client: c, tool: tool, session: c.revision.Tasks == protocol.TaskSession, progress: o.progress, answered: map[string]bool{}}
	if !r.session {
		options = append([]RequestOption{WithMeta(protocol.MetaCapabilities, c.taskCapabilities())}, options...)
	}
	r.options = options
	created, err := r.call(arguments)
	if err != nil {
		return nil, err
	}
	if r.id == "" {
		return r.read(created)
	}
	return r.wait()
}

// Task is like [Client.Task], but the tool must succeed. It returns its structured content, like
// [Call].
func Task[T any](c *Client, tool string, arguments any, options ...RequestOption) T {
	c.t.Helper()
	result, err := c.Task(tool, arguments, options...)
	if err != nil {
		c.t.Fatalf("mcptest: the task of %s: %v", tool, err)
	}
	return structured[T](c, tool, result)
}

// taskCapabilities returns the client's capabilities with the extension for tasks.
func (c *Client) taskCapabilities() map[string]any {
	all := map[string]any{}
	c.read(c.capabilities, &all, "the capabilities of the client")
	extensions := map[string]any{protocol.TasksName: map[string]any{}}
	if given, ok := all["extensions"].(map[string]any); ok {
		for name, value := range given {
			extensions[name] = value
		}
	}
	all["extensions"] = extensions
	return all
}

// taskRun is one call of Task.
type taskRun struct {
	client   *Client
	tool     string
	session  bool // the form of revision 2025-11-25
	options  []RequestOption
	progress func(mcpclient.Progress)

	id       string
	message  string                    // the last message passed to progress
	answered map[string]bool           // answered questions, by key
	result   *Running[json.RawMessage] // the request for the result in a session; nil before the first question
}

// taskState contains the members of a task in both forms.
type taskState struct {
	ResultType    string
	TaskID        string
	Status        string
	StatusMessage string
	InputRequests map[string]struct {
		Method string
		Params json.RawMessage
	}
	Result json.RawMessage
	Error  *jsonrpc.Error
}

// call calls the tool, and sets the id of its task. If the call does not become a task, call
// returns the result.
func (r *taskRun) call(arguments any) (json.RawMessage, error) {
	c := r.client
	c.t.Helper()
	method := protocol.ToolsCall.String()
	q, below := c.newRequest(method, r.options)
	if arguments != nil {
		var err error
		if q.arguments, err = marshal(arguments); err != nil {
			c.t.Fatalf("mcptest: %s %s: %v", method, r.tool, err)
		}
	}
	params := map[string]any{"name": r.tool}
	if r.session {
		params["task"] = struct{}{}
	}
	// The underlying client answers questions before the task exists.
	sent := start(c, method+" "+r.tool, q, func(ctx context.Context) (*json.RawMessage, error) {
		result, err := c.client.Request(ctx, method, params, below...)
		return &result, err
	})
	result, err := sent.Result()
	if err != nil {
		return nil, err
	}
	var created struct {
		taskState
		Task taskState
	}
	c.read(*result, &created, "the result of "+method)
	if created.ResultType == "task" {
		created.Task = created.taskState
	}
	r.id = created.Task.TaskID
	return *result, nil
}

func (r *taskRun) read(result json.RawMessage) (*mcp.ToolResult, error) {
	r.client.t.Helper()
	read, err := r.client.client.ReadToolResult(result)
	if err != nil {
		r.client.t.Fatalf("mcptest: the task of %s: %v", r.tool, r.client.reason(err))
	}
	return read, nil
}

// request sends a request for the task.
func (r *taskRun) request(method protocol.Method, more map[string]any) (json.RawMessage, error) {
	r.client.t.Helper()
	params := map[string]any{"taskId": r.id}
	for name, value := range more {
		params[name] = value
	}
	var options []RequestOption
	if !r.session {
		options = r.options[:1] // only the capabilities
	}
	return r.client.Request(method.String(), params, options...)
}

// wait polls the task until it ends, and answers its questions.
func (r *taskRun) wait() (*mcp.ToolResult, error) {
	c := r.client
	c.t.Helper()
	changed, pause := time.Now(), minPoll
	for last := ""; ; {
		raw, err := r.request(protocol.TasksGet, nil)
		if err != nil {
			return nil, err
		}
		var task taskState
		c.read(raw, &task, "the task of "+r.tool)
		if string(raw) != last {
			last, changed, pause = string(raw), time.Now(), minPoll
		}
		ended := task.Status == "completed" || task.Status == "failed"
		if task.StatusMessage != r.message && task.StatusMessage != "" && r.progress != nil && !ended {
			r.message = task.StatusMessage
			r.progress(mcpclient.Progress{Message: r.message})
		}
		switch {
		case task.Status == "cancelled":
			c.t.Fatalf("mcptest: the task of %s was cancelled", r.tool)
		case ended && r.session:
			result, err := r.awaitResult().Result()
			if err != nil {
				return nil, err
			}
			return r.read(*result)
		case task.Status == "input_required" && r.session:
			r.awaitResult() // the server now asks, and the underlying client answers
		case task.Status == "failed":
			return nil, task.Error
		case ended:
			return r.read(task.Result)
		}
		if asked, err := r.answer(&task); err != nil {
			r.cancel()
			return nil, err
		} else if asked {
			changed, pause = time.Now(), minPoll
			continue
		}
		if time.Since(changed) >= c.options.Timeout {
			r.cancel()
			c.t.Fatalf("mcptest: the task of %s is %s, and has not changed within %v", r.tool, task.Status, c.options.Timeout)
		}
		time.Sleep(pause)
		pause = min(2*pause, maxPoll)
	}
}

// awaitResult sends the request for the result, once.
func (r *taskRun) awaitResult() *Running[json.RawMessage] {
	c, method := r.client, protocol.TasksResult.String()
	c.t.Helper()
	if r.result == nil {
		q, below := c.newRequest(method, nil)
		r.result = start(c, method+" of "+r.tool, q, func(ctx context.Context) (*json.RawMessage, error) {
			result, err := c.client.Request(ctx, method, map[string]any{"taskId": r.id}, below...)
			return &result, err
		})
	}
	return r.result
}

// cancel cancels a task that the test no longer waits for. It may already be over.
func (r *taskRun) cancel() {
	r.client.t.Helper()
	_, _ = r.request(protocol.TasksCancel, nil)
}

// answer answers new questions of the task. In a session, questions are requests of the server
// (awaitResult).
func (r *taskRun) answer(task *taskState) (some bool, err error) {
	c := r.client
	c.t.Helper()
	for key, q := range task.InputRequests {
		if r.answered[key] {
			continue
		}
		answer, err := c.client.Answer(context.Background(), key, q.Method, q.Params)
		if err != nil {
			return false, c.reason(err)
		}
		r.answered[key], some = true, true
		if _, err := r.request(protocol.TasksUpdate, map[string]any{"inputResponses": map[string]json.RawMessage{key: answer}}); err != nil {
			return false, err
		}
	}
	return some, nil
}
