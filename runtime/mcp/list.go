package mcp

import (
	"context"

	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// listTools appends the ListToolsResult. It is rendered once for a revision; where
// it depends on the request, each tool is.
func (s *Server) listTools(ctx context.Context, b []byte, p *jsonrpc.Params, rev *protocol.Revision) ([]byte, *jsonrpc.Error) {
	if p.Get("cursor") != nil {
		return b, invalidParams("unknown cursor") // there is one page, so none was given out
	}
	if !s.offersTools() {
		return b, notFound(protocol.ToolsList.String())
	}
	if s.visible != nil {
		return s.appendTools(b, s.visibleTools(ctx), rev), nil
	}
	index := rev.Index()
	s.mu.RLock()
	list := s.lists[index]
	s.mu.RUnlock()
	if list == nil {
		s.mu.Lock()
		if list = s.lists[index]; list == nil {
			size := 1000
			for _, t := range s.tools {
				size += t.listingSize()
			}
			list = s.appendTools(make([]byte, 0, size), s.tools, rev)
			s.lists[index] = list
		}
		s.mu.Unlock()
	}
	return append(b, list...), nil
}

// visibleTools are the tools that the request may see.
func (s *Server) visibleTools(ctx context.Context) []*tool {
	s.mu.RLock()
	all := s.tools[:len(s.tools):len(s.tools)]
	s.mu.RUnlock()
	var tools []*tool
	for _, t := range all {
		if s.visible(ctx, t.Info()) {
			tools = append(tools, t)
		}
	}
	return tools
}

func (s *Server) appendTools(b []byte, tools []*tool, rev *protocol.Revision) []byte {
	b = append(b, `{"tools":[`...)
	for i, t := range tools {
		if i > 0 {
			b = append(b, ',')
		}
		if s.visible != nil {
			b = append(b, t.listing(rev)...)
		} else {
			b = t.appendListing(b, rev)
		}
	}
	b = append(b, ']')
	b = s.appendCacheHints(b, rev)
	r := rendering{server: s, revision: rev}
	return r.closeResult(b, nil, false)
}
