package mcp

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/internal/suggest"
	"github.com/mcpgen/mcpgen/runtime/internal/engine"
	"github.com/mcpgen/mcpgen/runtime/internal/jsonobject"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// getPrompt answers prompts/get.
func (s *Server) getPrompt(ctx context.Context, req *Request) (Reply, error) {
	if !s.offers(promptSet) {
		return nil, protocolError(engine.NotFound(req.Method))
	}
	params := req.x.Params()
	if name := params.Get("name"); !params.IsObject() || len(name) == 0 || name[0] != '"' {
		return nil, wrongParams("params.name must be a string")
	}
	p, _ := s.lookUp(promptSet, req.Name).(*prompt)
	if p == nil || !s.mayUse(ctx, p) {
		return nil, req.x.refused(&ProtocolError{Code: jsonrpc.CodeInvalidParams, Message: "unknown prompt: " + req.Name})
	}
	req.setPrompt(p)
	if err := p.checkArguments(req.Arguments); err != nil {
		return nil, err
	}
	req.Arguments = p.given(req.Arguments)
	if err := req.x.requires(p.info.Requires...); err != nil {
		return nil, err
	}
	result, err := within(ctx, req, p.info.Timeout, p.get)
	if err != nil {
		return nil, err
	}
	if result == nil {
		return nil, errors.New("the prompt has no messages")
	}
	return result, nil
}

// checkArguments checks that the arguments are the ones that the prompt declares.
func (p *prompt) checkArguments(arguments []byte) error {
	if arguments != nil && arguments[0] != '{' {
		return wrongParams("params.arguments must be an object")
	}
	var problems, unknown, missing []string
	given := make([]bool, len(p.info.Arguments))
	jsonrpc.Members(arguments, func(name, value []byte) bool {
		i, ok := p.argument(string(name))
		switch {
		case !ok && slices.Contains(p.info.ReadOnly, string(name)):
			problems = append(problems, "argument "+string(name)+" is "+wire.ReadOnlyMessage)
		case !ok:
			unknown = append(unknown, string(name))
			problems = append(problems, "unknown argument "+string(name))
		case value[0] != '"':
			problems = append(problems, "argument "+string(name)+" must be a string")
			given[i] = true
		default:
			given[i] = true
		}
		return len(problems) < maxPromptProblems
	})
	for i, a := range p.info.Arguments {
		if a.Required && !given[i] && len(problems) < maxPromptProblems {
			missing = append(missing, a.Name)
			problems = append(problems, "missing argument "+a.Name)
		}
	}
	if len(problems) == 0 {
		return nil
	}
	for _, name := range unknown {
		i := suggest.Nearest(name, len(given), func(i int) string { return p.info.Arguments[i].Name })
		var meant string
		switch {
		case i >= 0 && !given[i]:
			meant = p.info.Arguments[i].Name
		case len(unknown) == 1 && len(missing) == 1:
			meant = missing[0]
		default:
			continue
		}
		problems[slices.Index(problems, "unknown argument "+name)] += " (did you mean " + meant + "?)"
	}
	return wrongParams("prompt " + p.name + ": " + strings.Join(problems, "; "))
}

const maxPromptProblems = 20

// given returns the arguments without empty ones that must not be blank. The result is a copy if it
// differs.
func (p *prompt) given(arguments []byte) []byte {
	blank := func(name, value []byte) bool {
		if string(value) != `""` {
			return false
		}
		i, ok := p.argument(string(name))
		return ok && p.info.Arguments[i].NotBlank && !p.info.Arguments[i].Required
	}
	some := false
	jsonrpc.Members(arguments, func(name, value []byte) bool {
		some = blank(name, value)
		return !some
	})
	if !some {
		return arguments
	}
	b := []byte{'{'}
	jsonrpc.Members(arguments, func(name, value []byte) bool {
		if !blank(name, value) {
			b = jsonobject.Comma(b, 1)
			b = wire.AppendString(b, string(name))
			b = append(append(b, ':'), value...)
		}
		return true
	})
	return append(b, '}')
}

// PromptArgument returns an argument of the prompt, and whether the client has sent it.
func (r *Request) PromptArgument(name string) (value string, ok bool) {
	return jsonrpc.String(jsonobject.Member(r.Arguments, name))
}

func (r *Request) promptArguments() map[string]string {
	return stringMembers(r.Arguments)
}

// stringMembers returns those members of an object that are strings.
func stringMembers(object []byte) map[string]string {
	m := map[string]string{}
	jsonrpc.Members(object, func(name, value []byte) bool {
		if text, ok := jsonrpc.String(value); ok {
			m[string(name)] = text
		}
		return true
	})
	return m
}
