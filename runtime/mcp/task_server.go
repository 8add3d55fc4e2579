package mcp

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/engine"
	"github.com/mcpgen/mcpgen/runtime/internal/friend"
	"github.com/mcpgen/mcpgen/runtime/internal/logs"
	"github.com/mcpgen/mcpgen/runtime/internal/membudget"
	"github.com/mcpgen/mcpgen/runtime/internal/seal"
	"github.com/mcpgen/mcpgen/runtime/internal/taskcall"
)

// This file implements the server for package mcptask, and manages the tasks of a server. They are
// created when the first tool with tasks is registered.

// taskFuncs are the functions that package mcptask calls.
type taskFuncs struct {
	// Tool returns a copy of the tool whose calls may become tasks.
	Tool func(Feature, *taskcall.Support) Feature
	// With returns the option of a server with tasks. keys may be nil. header are the header fields
	// that runs get.
	With func(tasks func(taskcall.Server) taskcall.Tasks, keys KeySource, header []string, interceptors []Interceptor) Option
	// Of returns the tasks of a server, or nil before the first tool with tasks.
	Of func(*Server) taskcall.Tasks
	// Run returns the task run of the handler that a context belongs to, or nil without a task.
	Run func(context.Context) taskcall.Run
}

// TaskFuncs returns the functions that package mcptask calls.
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
	c.task = (*taskSupport)(support)
	return c
}

func withTasks(tasks func(taskcall.Server) taskcall.Tasks, keys KeySource, header []string, interceptors []Interceptor) Option {
	return func(s *Server) {
		s.configured = &serverTasks{server: s, make: tasks, header: header, interceptors: interceptors}
		s.storeKeys = keys
	}
}

func runOf(ctx context.Context) taskcall.Run {
	if x := exchangeFrom(ctx); x != nil {
		return currentTask(x)
	}
	return nil
}

// taskSupport implements [toolPart].
type taskSupport taskcall.Support

// supportOf returns the settings for tasks of a tool, or nil if its calls do not become tasks.
func supportOf(t *tool) *taskcall.Support {
	support, _ := t.task.(*taskSupport)
	return (*taskcall.Support)(support)
}

func (s *taskSupport) support() string {
	if s.Required {
		return "required"
	}
	return "optional"
}

// register creates the tasks of the server for its first tool with tasks.
func (s *taskSupport) register(server *Server) (registered func()) {
	server.partMade.Do(func() {
		part, _ := server.configured.(*serverTasks)
		if part == nil {
			part = &serverTasks{server: server, make: s.Default}
		}
		part.handler = intercept(recovered(server.runTaskTool), part.interceptors)
		part.tasks = part.make(taskHost{server, new(engine.Clocks)})
		all := serverPart(part)
		server.part.Store(&all)
	})
	part := taskPartOf(server)
	return func() {
		part.tasks.Changed()
		if server.hasClients.Load() {
			part.serve()
		}
	}
}

// serverTasks implements [serverPart]. Its fields do not change after the first tool.
type serverTasks struct {
	server       *Server
	make         func(taskcall.Server) taskcall.Tasks
	header       []string      // fields that runs get, by canonical names
	interceptors []Interceptor // interceptors of runs
	handler      Handler       // the interceptors around [Server.runTaskTool]
	tasks        taskcall.Tasks
	served       atomic.Bool // the server serves, and the tasks are notified of it
}

// taskPartOf returns the server's part for tasks, or nil before the first tool with tasks.
func taskPartOf(s *Server) *serverTasks {
	part, _ := s.tasks().(*serverTasks)
	return part
}

// taskServer returns the tasks of a server, or nil before the first tool with tasks.
func taskServer(s *Server) taskcall.Tasks {
	if part := taskPartOf(s); part != nil {
		return part.tasks
	}
	return nil
}

func (p *serverTasks) serve() {
	if !p.served.Load() && !p.served.Swap(true) {
		p.tasks.Serve()
	}
}

func (p *serverTasks) shutdown(ctx context.Context) error { return p.tasks.Shutdown(ctx) }

// taskHost implements [taskcall.Server]. All runs of records share clocks.
type taskHost struct {
	*Server
	clocks *engine.Clocks
}

func (h taskHost) Name() string   { return h.info.Name }
func (h taskHost) Log() *logs.Log { return h.log }
func (h taskHost) Memory() (*membudget.Budget, int64) {
	return h.settings.Memory, int64(h.limits.Memory)
}

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
		return supportOf(t)
	}
	return nil
}
