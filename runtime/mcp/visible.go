package mcp

import (
	"log/slog"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/internal/show"
)

// This file decides which subscribers are notified of a resource. It calls functions of users
// without a lock.

// mayNotify reports whether a subscriber may be notified of a URI: whether its client may see a
// feature with the URI or, if there is none, the closest feature of which it is a part.
func (s *Server) mayNotify(sub *subscriber, uri string) (may bool) {
	sub.mu.Lock()
	ctx := sub.request
	sub.mu.Unlock()
	switch {
	case ctx == nil:
		return true
	case principalFrom(ctx).expired():
		return false
	}
	defer func() {
		if p := recover(); p != nil {
			s.log.Program(ctx, slog.LevelError, "panic in the function of WithVisible or WithAccess", slog.String("panic", show.Panic(p)))
			may = false
		}
	}()
	for part := uri; ; {
		found := s.featuresOf(part)
		for _, f := range found {
			if refusal, exists := s.authorize(ctx, f); exists && refusal == nil {
				return true
			}
		}
		end := strings.LastIndexByte(strings.TrimSuffix(part, "/"), '/')
		if len(found) > 0 || end < 0 {
			return len(found) == 0
		}
		part = part[:end+1]
	}
}

// featuresOf returns the resources and templates with a URI, with or without a slash at its end.
func (s *Server) featuresOf(uri string) (found []Feature) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	for _, uri := range [...]string{uri, strings.TrimSuffix(uri, "/")} {
		if static := s.sets[resourceSet].byName[uri]; static != nil {
			found = append(found, static)
		}
		for _, t := range s.closest {
			if _, ok := t.pattern.Match(uri, false); ok {
				found = append(found, t)
			}
		}
		if !strings.HasSuffix(uri, "/") {
			break
		}
	}
	return found
}
