package mcp

import (
	"context"
	"log/slog"
	"slices"

	"github.com/mcpgen/mcpgen/internal/uritemplate"
	"github.com/mcpgen/mcpgen/runtime/internal/jsonobject"
	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// This file finds the interfaces of features, and the clients that show them.

// warnOfPages writes a line to the log for each tool whose page no client can read. It is called
// once, when the first client connects.
func (s *Server) warnOfPages() {
	s.mu.RLock()
	tools := slices.Clone(s.sets[toolSet].items)
	s.mu.RUnlock()
	for _, e := range tools {
		if ui := uiOf(e); ui.hasPage() && !s.hasResource(ui.ResourceURI) {
			s.log.Program(context.Background(), slog.LevelError, "the page of a tool does not exist: register the resource too",
				slog.String("tool", e.names()[0]), slog.String("uri", ui.ResourceURI))
		}
	}
}

// hasResource reports whether a resource has the URI, or a template matches it.
func (s *Server) hasResource(uri string) bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if set := &s.sets[resourceSet]; set.byName[uri] != nil || set.byName[uritemplate.Normal(uri)] != nil {
		return true
	}
	for _, f := range s.closest {
		if _, matches := f.(*template).pattern.Match(uri, false); matches {
			return true
		}
	}
	return false
}

// ShowsUI reports whether the client shows pages beside the results of tools: whether it has
// declared the extension io.modelcontextprotocol/ui with the MIME type [UIMIMEType]. A result has a
// text for other clients in any case.
func (c *Call) ShowsUI() bool {
	shows := false
	if types := jsonobject.Member(c.Extension(protocol.UIName), "mimeTypes"); len(types) > 0 && types[0] == '[' {
		jsonrpc.Elements(types, func(value []byte) bool {
			mime, _ := jsonrpc.String(value)
			shows = mime == UIMIMEType
			return !shows
		})
	}
	return shows
}
