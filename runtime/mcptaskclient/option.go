package mcptaskclient

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
	"github.com/mcpgen/mcpgen/runtime/mcpclient"
)

// Option changes how a client runs tasks.
type Option func(*settings)

type settings struct {
	ttl time.Duration
}

// WithTTL requests that a server of revision 2025-11-25 keeps a task for d. Without it, and in
// later revisions, the server decides. It panics if d is not positive.
func WithTTL(d time.Duration) Option {
	if d <= 0 {
		panic("mcptaskclient: WithTTL must be positive")
	}
	return func(s *settings) { s.ttl = d }
}

const (
	// maxQuestions limits the questions of one task from revision 2026-07-28 on. In earlier
	// revisions, questions are requests of the server, limited by Limits.Questions of the client.
	maxQuestions = 100
	// maxOpen limits the open questions of a task.
	maxOpen = 64
)

// Enable lets clients with these options run tasks: it declares the extension, and adds an
// interceptor, the outermost one. A call that becomes a task returns the result at the end of the
// task:
//
//   - The function of [mcpclient.WithProgress] gets the messages of the task. They contain no
//     numbers: Done and Total are 0.
//   - The functions of [mcpclient.Options] answer the questions of the task, each key once. If a
//     function fails or refuses, the call fails.
//   - The task is cancelled if the call ends before it: with its context, after Limits.MaxTime or
//     [mcpclient.WithMaxTime] (an hour by default), or by the error of a question. It is not
//     cancelled if the connection is lost: [Find] finds it again.
//   - An error after the creation of the task is an [*Error] that contains its id.
//
// In revision 2025-11-25 a call becomes a task only if its tool requires that.
func Enable(o *mcpclient.Options, options ...Option) {
	var s settings
	for _, option := range options {
		option(&s)
	}
	o.Extensions = maps.Clone(o.Extensions)
	if o.Extensions == nil {
		o.Extensions = map[string]json.RawMessage{}
	}
	if _, ok := o.Extensions[protocol.TasksName]; !ok {
		o.Extensions[protocol.TasksName] = json.RawMessage("{}")
	}
	o.Interceptors = append([]mcpclient.Interceptor{s.intercept}, slices.Clone(o.Interceptors)...)
}

// intercept is called once for each client.
func (s *settings) intercept(next mcpclient.Sender) mcpclient.Sender {
	c := &calls{settings: *s, next: next}
	return func(ctx context.Context, r *mcpclient.Request) (json.RawMessage, error) {
		switch protocol.MethodOf(r.Method) {
		case protocol.ToolsList:
			result, err := next(ctx, r)
			if err == nil {
				c.noteTools(result)
			}
			return result, err
		case protocol.ToolsCall:
			if r.Client() != nil {
				return c.call(ctx, r)
			}
		}
		return next(ctx, r)
	}
}
