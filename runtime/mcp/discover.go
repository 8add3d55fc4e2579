package mcp

import (
	"context"

	"github.com/mcpgen/mcpgen/runtime/internal/engine"
	"github.com/mcpgen/mcpgen/runtime/internal/jsonobject"
	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
)

// This file writes the results with which a server describes itself, for initialize and
// server/discover.

// appendInitialize writes the InitializeResult.
func (c *conn) appendInitialize(ctx context.Context, b []byte, rev *protocol.Revision) []byte {
	s := c.server
	b = append(b, `{"protocolVersion":"`...)
	b = append(b, rev.Version...)
	b = append(b, `","capabilities":`...)
	b = s.appendCapabilities(b, rev, c.Out != nil)
	b = append(b, `,"serverInfo":`...)
	b = s.info.appendImplementation(b, &rev.Fields, true)
	b = jsonobject.AppendText(b, "instructions", s.instructions(ctx, rev))
	return append(b, '}')
}

// appendDiscover writes the DiscoverResult.
func (s *Server) appendDiscover(ctx context.Context, b []byte, rev *protocol.Revision) []byte {
	b = append(b, `{"supportedVersions":`...)
	b = engine.AppendVersions(b)
	b = append(b, `,"capabilities":`...)
	b = s.appendCapabilities(b, rev, true)
	b = jsonobject.AppendText(b, "instructions", s.instructions(ctx, rev))
	b = s.appendListHints(b, rev, s.finder != nil && s.decidesFor(ctx))
	r := rendering{by: &s.published, revision: rev}
	return r.closeResult(b, nil, true)
}

// appendListHints writes the time for which a list may be cached, and whether a shared cache may
// return it to other clients.
func (s *Server) appendListHints(b []byte, rev *protocol.Revision, private bool) []byte {
	return appendCacheHints(b, rev, s.info.ListTTL, private || s.info.PrivateLists || s.decides(nil))
}
