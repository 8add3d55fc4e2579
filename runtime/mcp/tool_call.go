package mcp

import (
	"context"

	"github.com/mcpgen/mcpgen/runtime/internal/engine"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// callTool answers tools/call.
func (s *Server) callTool(ctx context.Context, req *Request) (Reply, error) {
	x := req.x
	f := s.lookUp(toolSet, req.Name)
	if f == nil && !s.offers(toolSet) {
		return nil, protocolError(engine.NotFound(req.Method))
	}
	p := x.Params()
	if name := p.Get("name"); !p.IsObject() || len(name) == 0 || name[0] != '"' {
		return nil, wrongParams("params.name must be a string")
	}
	if a := req.Arguments; a != nil && a[0] != '{' {
		return nil, wrongParams("params.arguments must be an object")
	}
	if x.through != "" && s.visible(ctx, x, s.lookUp(toolSet, x.through)) == nil {
		return nil, x.refused(unknownTool(x.through))
	}
	t := s.visible(ctx, x, f)
	if x.through != "" {
		if err := s.checkForwarded(ctx, req, t); err != nil {
			return nil, x.refused(err)
		}
	}
	if t == nil {
		return nil, x.refused(unknownTool(req.Name))
	}
	req.setTool(t)
	if len(t.info.Requires) > 0 {
		if err := x.requires(t.info.Requires...); err != nil {
			return nil, err
		}
	}
	if !t.repeats {
		if err := x.consume(ctx); err != nil {
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

// visible returns the tool that a look-up found, or nil for another result, and for a tool that the
// request does not see. On a server without policies and scopes, it asks nothing about the request.
func (s *Server) visible(ctx context.Context, x *exchange, f Feature) *tool {
	t, _ := f.(*tool)
	if t == nil || (s.decides(&x.From) || s.hasScopes.Load()) && !s.mayUse(ctx, t) {
		return nil
	}
	return t
}

func unknownTool(name string) *ProtocolError {
	return &ProtocolError{Code: jsonrpc.CodeInvalidParams, Message: "unknown tool: " + name}
}
