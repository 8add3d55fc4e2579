package mcptask

import (
	"context"
	"time"

	"github.com/mcpgen/mcpgen/internal/valid"
	"github.com/mcpgen/mcpgen/runtime/internal/friend"
	"github.com/mcpgen/mcpgen/runtime/internal/taskcall"
	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// funcs are functions of package mcp that it does not export.
var funcs = mcp.TaskFuncs(friend.Key{})

// Support configures how calls of a tool become tasks.
type Support struct {
	// Required means that the tool works only as a task. Clients that do not support tasks get a
	// *mcp.CapabilityError. Revisions before 2025-11-25 do not list the tool.
	Required bool
	// Inline limits the time for which a call may run, and ask its questions as rounds, before it
	// becomes a task. 0 means that it becomes one at once.
	Inline time.Duration
	// TTL is the time for which a task is stored after its creation. Default: 1 hour.
	TTL time.Duration
	// Poll is the interval after which clients are asked to look at a task again. Default: 1
	// second, and 10 seconds for tasks older than a minute.
	Poll time.Duration
	// Restart means that the handler may run again from its beginning after the process that ran it
	// has died. Otherwise such a task fails, unless it waits for an answer.
	Restart bool
}

const defaultTTL = time.Hour

// Tool returns a copy of the tool whose calls may, or must, run as tasks. Generated code calls it
// for task=. A server with such a tool stores tasks in memory, unless [WithStore] sets a store. It
// panics if the feature is not a tool, a time is negative, or TTL is below a minute.
func Tool(f mcp.Feature, s Support) mcp.Feature {
	if !valid.AreTaskTimes(s.Inline, s.TTL, s.Poll) {
		panic("mcptask: the times of tool " + f.Info().Name + " must not be negative, and its TTL at least a minute")
	}
	return funcs.Tool(f, &taskcall.Support{
		Required: s.Required, Inline: s.Inline, TTL: s.TTL, Poll: s.Poll, Restart: s.Restart,
		Default: func(server taskcall.Server) taskcall.Tasks {
			t := newTasks(server, NewMemory(), defaultOptions)
			t.private = true
			return t
		},
	})
}

// Accepted is the reply of a tools/call that has become a task, as interceptors of the server see
// it. The handler is running, or will run.
type Accepted = mcp.TaskAccepted

// Task is the task of a run.
type Task struct {
	ID               string
	Attempt          int // number of the run, from 1
	Created, Expires time.Time
}

// FromContext returns the task of the handler that ctx belongs to. It returns nil in a plain call,
// and in a call that may become a task but has not yet.
func FromContext(ctx context.Context) *Task {
	r := funcs.Run(ctx)
	if r == nil {
		return nil
	}
	i := r.Info()
	return &Task{ID: i.ID, Attempt: i.Attempt, Created: i.Created, Expires: i.Expires}
}

// Shutdown stops the tasks of a server in this process, before the program exits: it claims no more
// tasks, and gives back tasks that may run again, or that wait for an answer. The others may go on
// until ctx is cancelled; then they fail, and Shutdown returns the cause. Tasks in memory end at
// once. Call Shutdown after the shutdown of handlers. Package mcpcmd and [mcp.Server.ServeStdio]
// do.
func Shutdown(ctx context.Context, s *mcp.Server) error {
	if t := funcs.Of(s); t != nil {
		return t.Shutdown(ctx)
	}
	return nil
}
