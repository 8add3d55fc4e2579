package mcp

import (
	"context"

	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
)

// This file connects features to tasks.

// endTasks stops the tasks of a server whose only client has disconnected.
func (s *Server) endTasks() {
	if part := s.tasks(); part != nil {
		ctx, cancel := context.WithTimeout(context.Background(), s.limits.DrainTime)
		defer cancel()
		_ = part.shutdown(ctx) // an error is ignored, since interrupted tasks are logged
	}
}

// EndTasks implements [transport.Server].
func (h transportServer) EndTasks(ctx context.Context) error {
	if part := h.tasks(); part != nil {
		return part.shutdown(ctx)
	}
	return nil
}

// needsTask reports whether a feature is a tool that works only as a task, in a revision without
// tasks: such a tool is not listed, and not found when it is called.
func needsTask(f Feature, rev *protocol.Revision) bool {
	if rev.Tasks != protocol.NoTasks {
		return false
	}
	t, ok := f.(*tool)
	return ok && t.requiresTask()
}

// requiresTask reports whether each call of the tool must become a task.
func (t *tool) requiresTask() bool { return t.task != nil && t.task.support() == "required" }
