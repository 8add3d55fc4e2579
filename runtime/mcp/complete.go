package mcp

import (
	"context"

	"github.com/mcpgen/mcpgen/internal/uritemplate"
	"github.com/mcpgen/mcpgen/runtime/internal/engine"
	"github.com/mcpgen/mcpgen/runtime/internal/jsonobject"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// CompleteFunc returns values of an argument of a prompt, or of a variable of a resource template,
// that begin with the text that the user typed, the best first. arguments contains the arguments
// that the user has filled in already; clients before revision 2025-06-18 do not send them.
type CompleteFunc func(ctx context.Context, value string, arguments map[string]string) (Completion, error)

// completeArgument answers completion/complete.
func (s *Server) completeArgument(ctx context.Context, req *Request) (Reply, error) {
	if !s.offersCompletion() {
		return nil, protocolError(engine.NotFound(req.Method))
	}
	p := req.x.Params()
	ref, argument := p.Get("ref"), p.Get("argument")
	name, ok := jsonrpc.String(jsonobject.Member(argument, "name"))
	value, ok2 := jsonrpc.String(jsonobject.Member(argument, "value"))
	if !p.IsObject() || !jsonobject.Is(ref) || !ok || !ok2 {
		return nil, wrongParams("params must have a ref, and an argument with name and value")
	}
	var given map[string]string
	if c := p.Get("context"); jsonobject.Is(c) {
		given = stringMembers(jsonobject.Member(c, "arguments"))
	}
	complete, values, e := s.completer(ctx, req, ref, name)
	if e != nil {
		return nil, protocolError(e)
	}
	if complete == nil {
		c := matching(values, value)
		return &c, nil
	}
	c, err := within(ctx, req, 0, func(ctx context.Context, _ *Request) (Completion, error) {
		return complete(ctx, value, given)
	})
	if err != nil {
		return nil, err
	}
	return &c, nil
}

// completer returns the function or the values that complete an argument of the prompt or template
// that ref names, if the request may use it.
func (s *Server) completer(ctx context.Context, req *Request, ref []byte, argument string) (CompleteFunc, []string, *jsonrpc.Error) {
	kind, _ := jsonrpc.String(jsonobject.Member(ref, "type"))
	var name string
	var ok bool
	var find func(string) (CompleteFunc, []string, bool)
	switch kind {
	case "ref/prompt":
		if name, ok = jsonrpc.String(jsonobject.Member(ref, "name")); !ok {
			return nil, nil, engine.InvalidParams("params.ref.name must be a string")
		}
		if p, _ := s.lookUp(promptSet, name).(*prompt); p != nil && s.mayUse(ctx, p) {
			req.setPrompt(p)
			find = p.completer
		}
	case "ref/resource":
		if name, ok = jsonrpc.String(jsonobject.Member(ref, "uri")); !ok || len(name) > maxURI {
			return nil, nil, engine.InvalidParams("params.ref.uri must be a string")
		}
		name = uritemplate.Encode(name)
		if t := s.referredTemplate(ctx, name); t != nil {
			req.setResource(&foundResource{resourceForm: resourceForm{uri: name, info: &t.info.ReadInfo}, template: t})
			find = t.completer
		}
	default:
		return nil, nil, engine.InvalidParams("params.ref.type must be ref/prompt or ref/resource")
	}
	if find == nil {
		return nil, nil, refusedAs(ctx, engine.InvalidParams("unknown "+kind+": "+name))
	}
	complete, values, ok := find(argument)
	if !ok {
		return nil, nil, engine.InvalidParams("unknown argument of " + name + ": " + argument)
	}
	return complete, values, nil
}

// referredTemplate returns the template with that URI template, or one that matches the URI.
func (s *Server) referredTemplate(ctx context.Context, uri string) *template {
	t, _ := s.lookUp(templateSet, uri).(*template)
	if t == nil {
		if found := s.findResource(ctx, uri); found != nil {
			return found.template
		}
		return nil
	}
	if !s.mayUse(ctx, t) {
		return nil
	}
	return t
}
