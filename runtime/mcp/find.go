package mcp

import (
	"context"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/internal/engine"
	"github.com/mcpgen/mcpgen/runtime/internal/friend"
	"github.com/mcpgen/mcpgen/runtime/internal/jsonobject"
	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
	"github.com/mcpgen/mcpgen/runtime/internal/toolfind"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// This file is the server's part of package mcpfind: it shortens the list of tools, and turns a
// call of use_tool into a call of the tool that it names. [Server.forward] replaces the message
// itself, on the goroutine that reads, before other code looks at its parameters. So interceptors,
// limits, logs, questions, request states and records of tasks see the call of the tool.

// findFuncs are the functions that package mcpfind calls.
type findFuncs struct {
	// With returns the option of a server whose lists leave tools to a search. register adds the
	// tools that find and call others; tools returns the tools that can be found, in order of
	// registration.
	With func(f toolfind.Finder, register func(s *Server, host toolfind.Host, tools func() []FeatureInfo)) Option
}

// FindFuncs returns the functions that package mcpfind calls.
func FindFuncs(friend.Key) findFuncs { return findFuncs{With: withFinder} }

func withFinder(f toolfind.Finder, register func(s *Server, host toolfind.Host, tools func() []FeatureInfo)) Option {
	return func(s *Server) {
		s.finder = &finder{Finder: f, register: func(s *Server) { register(s, findHost{s}, s.findable) }}
	}
}

// findable returns the tools that a search can find, for any request.
func (s *Server) findable() []FeatureInfo {
	s.mu.RLock()
	defer s.mu.RUnlock()
	infos := make([]FeatureInfo, 0, len(s.sets[toolSet].items))
	for _, e := range s.sets[toolSet].items {
		if !e.finds && !e.unlisted && !appOnly(e) {
			infos = append(infos, e.Info())
		}
	}
	return infos
}

// instructions returns the instructions of the server. If lists leave tools to a search, they also
// explain the search.
func (s *Server) instructions(ctx context.Context, rev *protocol.Revision) string {
	if s.finder == nil {
		return s.info.Instructions
	}
	items := s.visibleTools(ctx, rev)
	others, short := s.finder.count(items)
	if !short {
		return s.info.Instructions
	}
	groups := map[string]int{}
	for _, e := range items {
		if appOnly(e) {
			continue
		}
		for _, group := range e.Info().Groups {
			groups[group]++
		}
	}
	text := s.finder.Instructions(groups, others)
	return strings.TrimPrefix(s.info.Instructions+"\n\n"+text, "\n\n")
}

// forward replaces a call of use_tool or use_readonly_tool by a call of the tool that it names, and
// returns the name of the replaced tool. Any other message stays as it is, and so does a call whose
// arguments are not valid: the tool that the client calls reports the problem.
func (s *Server) forward(b *engine.Buffers) (through string) {
	m := &b.Msg
	name, arguments, through := forwarded(&m.Params)
	if through == "" || m.Params.Check(s.limits.Depth) != nil {
		return ""
	}
	text := append(make([]byte, 0, len(m.Params.Raw)+200), `{"jsonrpc":"2.0","id":`...)
	text = append(text, m.ID.Raw()...)
	text = append(text, `,"method":"tools/call","params":{"name":`...)
	text = append(text, name...)
	if arguments != nil {
		text = append(append(text, `,"arguments":`...), arguments...)
	}
	jsonrpc.Members(m.Params.Raw, func(member, value []byte) bool {
		if name := string(member); name != "name" && name != "arguments" {
			text = append(wire.AppendString(append(text, ','), member), ':')
			text = append(text, value...)
		}
		return true
	})
	text = append(text, "}}"...)
	if b.Replace(text) {
		return through
	}
	return ""
}

// forwarded returns the name, as JSON, and the arguments of the tool that a call names, and the
// tool by which it is called; nil if the call does not name a tool. Models also write the arguments
// as a JSON string.
func forwarded(p *jsonrpc.Params) (name, arguments []byte, through string) {
	through, ok := jsonrpc.String(p.Get("name"))
	if !ok || through != toolfind.UseTool && through != toolfind.UseReadOnlyTool {
		return nil, nil, ""
	}
	jsonrpc.Members(p.Get("arguments"), func(member, value []byte) bool {
		switch string(member) {
		case "name":
			name = value
		case "arguments":
			if arguments = value; value[0] == '"' {
				arguments, ok = jsonrpc.Bytes(value)
				ok = ok && wire.Valid(arguments, 0) == nil
			}
			ok = ok && jsonobject.Is(arguments)
		default:
			ok = false
		}
		return ok
	})
	if !ok || len(name) == 0 || name[0] != '"' {
		return nil, nil, ""
	}
	return name, arguments, through
}

// checkForwarded returns the error for the call of a tool through another one, for the model. t is
// nil if the request sees no tool of that name.
func (s *Server) checkForwarded(ctx context.Context, req *Request, t *tool) error {
	switch through := req.x.through; {
	case t == nil && req.x.refusal != nil:
		return nil
	case t == nil, t.info.UI.appOnly(): // the model finds and calls
		return Errorf("there is no tool %q%s", req.Name, s.nearest(ctx, req))
	case toolfind.Is(t.name):
		return Errorf("%s is called by itself, and not by %s", t.name, through)
	case through == toolfind.UseReadOnlyTool && !t.info.Hints.ReadOnly:
		return Errorf("%s may change something: call it by %s", req.Name, toolfind.UseTool)
	}
	return nil
}

// nearest returns a text with the tool names that are most similar to the requested name.
func (s *Server) nearest(ctx context.Context, req *Request) string {
	var names []string
	for _, e := range s.visibleTools(ctx, req.x.Revision) {
		if !e.finds && !appOnly(e) {
			names = append(names, e.names()[0])
		}
	}
	if names = s.finder.Nearest(req.Name, names); len(names) == 0 {
		return "; " + toolfind.SearchTools + " finds those that there are"
	}
	return "; the most similar names are " + strings.Join(names, ", ")
}

// findHost implements [toolfind.Host].
type findHost struct{ *Server }

func (h findHost) Changes() uint64 { return h.finder.changes.Load() }

func (h findHost) Searchable(ctx context.Context, name string) bool {
	h.mu.RLock()
	f := h.sets[toolSet].byName[name]
	h.mu.RUnlock()
	rev := protocol.Latest
	if x := exchangeFrom(ctx); x != nil {
		rev = x.Revision
	}
	return f != nil && !appOnly(f) && !needsTask(f, rev) && h.isListed(ctx, f)
}
