package mcp

import (
	"context"

	"github.com/mcpgen/mcpgen/runtime/internal/engine"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// callTool answers tools/call.
func (s *Server) callTool(ctx context.Context, req *Request) (Reply, error) {
	if !s.offers(toolSet) {
		return nil, protocolError(engine.NotFound(req.Method))
	}
	p := req.x.Params()
	if name := p.Get("name"); !p.IsObject() || len(name) == 0 || name[0] != '"' {
		return nil, wrongParams("params.name must be a string")
	}
	if a := req.Arguments; a != nil && a[0] != '{' {
		return nil, wrongParams("params.arguments must be an object")
	}
	if req.x.through != "" && s.tool(ctx, req.x.through) == nil {
		return nil, req.x.refused(&ProtocolError{Code: jsonrpc.CodeInvalidParams, Message: "unknown tool: " + req.x.through})
	}
	t := s.tool(ctx, req.Name)
	if req.x.through != "" {
		if err := s.checkForwarded(ctx, req, t); err != nil {
			return nil, req.x.refused(err)
		}
	}
	if t == nil {
		return nil, req.x.refused(&ProtocolError{Code: jsonrpc.CodeInvalidParams, Message: "unknown tool: " + req.Name})
	}
	req.found = t
	if err := req.x.requires(t.info.Requires...); err != nil {
		return nil, err
	}
	if !t.repeatable() {
		if err := req.x.consume(ctx); err != nil {
			return nil, err
		}
	}
	if part := s.part.Load(); part != nil {
		if reply, taken, err := (*part).call(ctx, req, t); taken {
			return reply, err
		}
	}
	result, err := within(ctx, req, t.info.Timeout, t.call)
	if err != nil {
		return nil, err
	}
	if result == nil {
		result = nothingFound()
	}
	return result, nil
}

// tool returns the tool with that name or alias, or nil if the request does not see one.
func (s *Server) tool(ctx context.Context, name string) *tool {
	t, _ := s.lookUp(toolSet, name).(*tool)
	if t == nil || !s.mayUse(ctx, t) {
		return nil
	}
	return t
}
