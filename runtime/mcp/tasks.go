package mcp

import "context"

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
