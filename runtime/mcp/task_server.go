package mcp

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/friend"
	"github.com/mcpgen/mcpgen/runtime/internal/logs"
	"github.com/mcpgen/mcpgen/runtime/internal/membudget"
	"github.com/mcpgen/mcpgen/runtime/internal/seal"
	"github.com/mcpgen/mcpgen/runtime/internal/taskcall"
)

// This file is the server as package mcptask uses it, and the tasks of a server. They are made when
// the first tool with tasks is registered; the lock of the server guards the field.

// taskFuncs are the functions that package mcptask calls.
type taskFuncs struct {
	// Tool returns the tool as one whose calls may become tasks.
	Tool func(Feature, *taskcall.Support) Feature
	// With returns the option of a server with tasks. keys may be nil. header are the fields that
	// runs get.
	With func(tasks func(taskcall.Server) taskcall.Tasks, keys KeySource, header []string, interceptors []Interceptor) Option
	// Of returns the tasks of a server, nil before the first tool with tasks.
	Of func(*Server) taskcall.Tasks
	// Run returns the run of the handler that a context belongs to, nil without a task.
	Run func(context.Context) taskcall.Run
}

// TaskFuncs returns the functions of package mcptask.
func TaskFuncs(friend.Key) taskFuncs {
	return taskFuncs{Tool: taskTool, With: withTasks, Of: taskServer, Run: runOf}
}

func taskTool(f Feature, support *taskcall.Support) Feature {
	t, ok := f.(*tool)
	if !ok {
		info := f.Info()
		panic(fmt.Sprintf("mcp: the %s %q cannot run as a task: only tools can", info.Kind, info.Name))
	}
	c := t.copied(t.info)
	c.name, c.also = t.name, t.also
	c.task = support
	return c
}

func withTasks(tasks func(taskcall.Server) taskcall.Tasks, keys KeySource, header []string, interceptors []Interceptor) Option {
	return func(s *Server) {
		part := s.taskPart()
		part.make, part.keys, part.header, part.interceptors = tasks, keys, header, interceptors
	}
}

func runOf(ctx context.Context) taskcall.Run {
	if x := exchangeFrom(ctx); x != nil {
		return currentTask(x)
	}
	return nil
}

// serverTasks is what a server has for tasks. The options do not change after [NewServer].
type serverTasks struct {
	make         func(taskcall.Server) taskcall.Tasks // nil without an option
	keys         KeySource                            // of the store; nil if it has none
	header       []string                             // fields that runs get, by canonical names
	interceptors []Interceptor                        // of runs
	handler      Handler                              // these, and [Server.runTaskTool]

	served atomic.Bool    // the server serves, and the tasks know it
	tasks  taskcall.Tasks // nil before the first tool with tasks; the lock of the server guards it
}

// taskPart returns what the server has for tasks. The first call is that of an option, or of
// [NewServer]. The field has the type any for the reason of [exchange.task].
func (s *Server) taskPart() *serverTasks {
	part, ok := s.tasks.(*serverTasks)
	if !ok {
		part = new(serverTasks)
		s.tasks = part
	}
	return part
}

// beginTasks makes the tasks of the server, for a tool that has been registered.
func beginTasks(s *Server, t *tool) {
	part := s.taskPart()
	s.mu.Lock()
	if part.tasks == nil {
		maker := part.make
		if maker == nil {
			maker = t.tasks().Default
		}
		part.tasks = maker(taskHost{s, new(clocks)})
	}
	tasks := part.tasks
	s.mu.Unlock()
	s.hasTasks.Store(true)
	tasks.Changed()
	if s.hasClients.Load() {
		serveTasks(s)
	}
}

// taskServer returns the tasks, nil before the first tool with tasks.
func taskServer(s *Server) taskcall.Tasks {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.taskPart().tasks
}

// serveTasks is called when the server begins to serve, or has its first tool with tasks while it
// does.
func serveTasks(s *Server) {
	if tasks := taskServer(s); tasks != nil && !s.taskPart().served.Load() && !s.taskPart().served.Swap(true) {
		tasks.Serve()
	}
}

// endTasks ends the tasks of a server that has one client, which has gone.
func endTasks(s *Server) {
	ctx, cancel := context.WithTimeout(context.Background(), s.limits.DrainTime)
	defer cancel()
	_ = shutdownTasks(ctx, s) // tasks that are cut off say so
}

func shutdownTasks(ctx context.Context, s *Server) error {
	if tasks := taskServer(s); tasks != nil {
		return tasks.Shutdown(ctx)
	}
	return nil
}

// EndTasks implements [transport.Server].
func (h transportServer) EndTasks(ctx context.Context) error { return shutdownTasks(ctx, h.Server) }

// taskHost implements [taskcall.Server]. All runs of records share clocks.
type taskHost struct {
	*Server
	clocks *clocks
}

func (h taskHost) Name() string                       { return h.info.Name }
func (h taskHost) Log() *logs.Log                     { return h.log }
func (h taskHost) Memory() (*membudget.Budget, int64) { return h.memory, int64(h.limits.Memory) }

func (h taskHost) DrainTime() time.Duration { return h.limits.DrainTime }
func (h taskHost) GraceTime() time.Duration { return h.limits.GraceTime }

func (h taskHost) Keys(ctx context.Context, f func(*seal.Keyring) bool) (bool, error) {
	return h.withKeys(ctx, f)
}

func (h taskHost) Tools() []string {
	h.mu.RLock()
	defer h.mu.RUnlock()
	var names []string
	for _, e := range h.sets[toolSet].items {
		if t, ok := e.Feature.(*tool); ok && t.task != nil {
			names = append(names, t.name)
		}
	}
	return names
}

func (h taskHost) Support(name string) *taskcall.Support {
	if t, ok := h.lookUp(toolSet, name).(*tool); ok {
		return t.tasks()
	}
	return nil
}
