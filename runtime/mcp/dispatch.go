package mcp

import (
	"context"

	"github.com/mcpgen/mcpgen/runtime/internal/engine"
	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// This file chooses the function that answers a request, by its method. [Server.handle] is the
// innermost handler, inside all interceptors and the clock; it runs on the request goroutine.
// [Server.result] is also called on the goroutine that reads messages, for requests that need no
// handler of users ([conn.Answer]). Neither holds a lock.

// handle is the handler inside all interceptors.
func (s *Server) handle(ctx context.Context, req *Request) (Reply, error) {
	switch {
	case req.x.Method.MayAskClient():
		return s.runRounds(ctx, req)
	case req.x.Method == protocol.Listen:
		return s.listen(ctx, req)
	}
	return s.dispatch(ctx, req)
}

// dispatch calls the function that answers the method of a request.
func (s *Server) dispatch(ctx context.Context, req *Request) (Reply, error) {
	x := req.x
	p := x.Params()
	switch x.Method {
	case protocol.Initialize:
		if err := x.beginSession(); err != nil {
			return nil, err
		}
		return &RawReply{JSON: x.conn.appendInitialize(ctx, nil, x.Revision), own: true}, nil
	case protocol.ToolsCall:
		return s.callTool(ctx, req)
	case protocol.ResourcesRead:
		return s.readResource(ctx, req)
	case protocol.PromptsGet:
		return s.getPrompt(ctx, req)
	case protocol.Complete:
		return s.completeArgument(ctx, req)
	case protocol.SetLevel:
		return emptyReply(x.conn.answerSetLevel(p))
	case protocol.ResourcesSubscribe, protocol.ResourcesUnsubscribe:
		return emptyReply(x.conn.subscribe(ctx, p, x.Method == protocol.ResourcesSubscribe, x.Revision))
	case protocol.TasksGet, protocol.TasksUpdate, protocol.TasksCancel, protocol.TasksResult:
		return s.tasks().answer(ctx, req)
	case protocol.Unknown:
		if m := s.method(req.Method, x.Revision); m != nil {
			return m.answer(ctx, req)
		}
		return nil, protocolError(engine.NotFound(req.Method))
	}
	b, err := s.result(ctx, nil, x.Method, p, x.Revision, x)
	if e, ok := err.(*jsonrpc.Error); ok {
		return nil, protocolError(e)
	}
	if err != nil {
		return nil, err
	}
	return &RawReply{JSON: b, own: true}, nil
}

// emptyReply returns an empty result, or the error if it is not nil.
func emptyReply(e *jsonrpc.Error) (Reply, error) {
	if e != nil {
		return nil, protocolError(e)
	}
	return &RawReply{JSON: emptyObject, own: true}, nil
}

// result appends the result of a method that does not concern a single feature. It calls functions
// of users, which list resources, only for an exchange; x may be nil. The error is the error of
// such a function, or a [*jsonrpc.Error].
func (s *Server) result(ctx context.Context, b []byte, method protocol.Method, p *jsonrpc.Params, rev *protocol.Revision, x *exchange) ([]byte, error) {
	if !p.IsObject() {
		return b, engine.InvalidParams("params must be an object")
	}
	switch method {
	case protocol.Discover:
		return s.appendDiscover(ctx, b, rev), nil
	case protocol.Ping:
		return append(b, "{}"...), nil
	case protocol.ToolsList, protocol.ResourcesList, protocol.ResourcesTemplatesList, protocol.PromptsList:
		return s.list(ctx, b, method, p, rev, x)
	}
	return b, engine.NotFound(method.String())
}
