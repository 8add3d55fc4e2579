package gosdk

import (
	"context"
	"reflect"
	"sync"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
	"github.com/mcpgen/mcpgen/runtime/internal/toolfind"
	ours "github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// This file ensures the order of middleware. Middleware of the SDK's server receives each request
// before a mount, and a call under the name of the tool that runs. So a mount answers requests in
// handlers of the SDK, which run after all middleware, or modifies results on their way back. Only
// names must be replaced earlier: the middleware that does it is the outermost one, and is added
// again when the program has added other middleware around it.

// bare is the SDK without middleware. It handles requests of the server to which the session of a
// request belongs.
var bare = sync.OnceValue(func() sdk.MethodHandler {
	return chainOf(sdk.NewServer(&sdk.Implementation{Name: "none", Version: "1"}, nil))
})

// chainOf returns the middleware chain of a server, with the SDK at its end.
func chainOf(s *sdk.Server) (chain sdk.MethodHandler) {
	s.AddReceivingMiddleware(func(next sdk.MethodHandler) sdk.MethodHandler {
		chain = next
		return next
	})
	return chain
}

// renaming is middleware that replaces aliases of tools by their names.
type renaming struct {
	host *host
	next sdk.MethodHandler
}

// namesFirst makes a renaming the outermost middleware, and returns the newest one.
func (h *host) namesFirst() *renaming {
	h.naming.Lock()
	defer h.naming.Unlock()
	if h.names != nil && isRenaming(chainOf(h.server)) {
		return h.names
	}
	h.server.AddReceivingMiddleware(func(next sdk.MethodHandler) sdk.MethodHandler {
		h.names = &renaming{h, next}
		return h.names.receive
	})
	return h.names
}

// isRenaming reports whether a handler belongs to a renaming. A server has only its own host's
// renamings.
func isRenaming(h sdk.MethodHandler) bool {
	return reflect.ValueOf(h).Pointer() == reflect.ValueOf(sdk.MethodHandler((*renaming)(nil).receive)).Pointer()
}

func (r *renaming) receive(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
	call, ok := req.(*sdk.CallToolRequest)
	if !ok || call.Params == nil {
		return r.next(ctx, method, req)
	}
	for _, m := range r.host.mounted() {
		params, through := m.renamed(call.Params)
		if params == nil {
			continue
		}
		if through != "" {
			ctx = context.WithValue(ctx, throughKey{}, through)
		}
		call = &sdk.CallToolRequest{Session: call.Session, Params: params, Extra: call.Extra}
		if newest := r.host.namesFirst(); newest != r {
			// Middleware that was added later has received the other name.
			return newest.receive(ctx, method, call)
		}
		return r.next(ctx, method, call)
	}
	return r.next(ctx, method, req)
}

// throughKey is the context key for the tool of package mcpfind through which a tool is called.
type throughKey struct{}

// renamed returns the params of a call with the name of the tool that runs, and the tool that
// passes on the call, or nil if the client has called that tool itself.
func (m *mount) renamed(p *sdk.CallToolParamsRaw) (params *sdk.CallToolParamsRaw, through string) {
	if name, ok := m.canonical(p.Name); ok {
		renamed := *p
		renamed.Name = name
		return &renamed, ""
	}
	if m.tools.get(p.Name) == nil {
		return nil, ""
	}
	name, arguments, through := m.forwarded(p)
	if through == "" {
		return nil, ""
	}
	if canonical, ok := m.canonical(name); ok {
		name = canonical
	}
	if m.tools.get(name) == nil || toolfind.Is(name) { // refused by the inner server
		return nil, ""
	}
	renamed := *p
	renamed.Name, renamed.Arguments = name, arguments
	return &renamed, through
}

// forwarded returns the tool that the arguments of a call name, for calls through package mcpfind.
func (m *mount) forwarded(p *sdk.CallToolParamsRaw) (name string, arguments []byte, through string) {
	if !toolfind.Is(p.Name) {
		return "", nil, ""
	}
	text := wire.AppendString([]byte(`{"jsonrpc":"2.0","id":1,"method":"`+protocol.ToolsCall.String()+`","params":{"name":`), p.Name)
	if len(p.Arguments) > 0 {
		text = append(append(text, `,"arguments":`...), p.Arguments...)
	}
	message, err := ours.Parse(append(text, "}}"...))
	if err != nil { // refused by the inner server, too
		return "", nil, ""
	}
	return m.bridge.Server().Forwarded(&message.Params)
}
