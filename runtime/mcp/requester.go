package mcp

import (
	"strconv"

	"github.com/mcpgen/mcpgen/runtime/internal/jsonobject"
	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// Peer returns a text that identifies the sender of the request, for state by sender such as rate
// limits: the principal, if it has an ID; or else the network address, for IPv6 the /64 network,
// independent of session and connection; or else, on stdio and in memory, the connection. All
// clients with an unknown address, as on a Unix socket, share one text. Within a process, two
// requests with the same text have the same sender in this sense. The form of the text may change.
//
// Behind a proxy the address is the proxy's address, unless the transport is configured otherwise:
// see mcphttp.WithClientAddress and mcpws.WithClientAddress.
func (r *Request) Peer() string {
	if client := r.x.From.CountedAs(); client != nil {
		return client.String()
	}
	return "connection " + strconv.FormatUint(r.x.conn.Number, 10)
}

// Tool returns the tool of a tools/call, found by name or alias, and whether there is one. It does
// not check whether the request may see the tool.
func (r *Request) Tool() (info FeatureInfo, ok bool) {
	if !r.isCall() {
		return FeatureInfo{}, false
	}
	t := r.tool()
	if t == nil {
		if t, _ = r.x.conn.server.lookUp(toolSet, r.Name).(*tool); t == nil {
			return FeatureInfo{}, false
		}
	}
	return t.Info(), true
}

// Registered returns the registered names that a request uses: the method, and the published name
// of the tool or prompt that it concerns, also of a prompt whose argument is completed. Each is ""
// if the server does not have it. Whatever clients send, the number of values is limited by the
// methods and features of the server, so they are fit for labels of metrics. Registered does not
// check whether the request may see the feature.
func (r *Request) Registered() (method, feature string) {
	s := r.x.conn.server
	switch r.x.Method {
	case protocol.Unknown:
		if s.method(r.Method, r.x.Revision) == nil {
			return "", ""
		}
		return r.Method, ""
	case protocol.ToolsCall:
		t := r.tool()
		if t == nil {
			t, _ = s.lookUp(toolSet, r.Name).(*tool)
		}
		if t != nil {
			feature = t.name
		}
	case protocol.PromptsGet:
		feature = s.promptName(r.Name)
	case protocol.Complete:
		ref := r.x.Params().Get("ref")
		if kind, _ := jsonrpc.String(jsonobject.Member(ref, "type")); kind == "ref/prompt" {
			name, _ := jsonrpc.String(jsonobject.Member(ref, "name"))
			feature = s.promptName(name)
		}
	}
	return r.x.Method.String(), feature
}

// promptName returns the published name of a prompt, or "" if it is not registered.
func (s *Server) promptName(name string) string {
	if p, ok := s.lookUp(promptSet, name).(*prompt); ok {
		return p.name
	}
	return ""
}

// ErrorCode returns the code of the JSON-RPC error that the client gets for an error of a handler,
// in the revision of the request. It is 0 if the client gets a result with isError instead: for
// most errors of tools. If the request was cancelled or has timed out, the reply may differ.
func (r *Request) ErrorCode(err error) int { return r.codeOf(err) }

// IsRun reports whether the request belongs to an interceptor of mcptask.WithInterceptors: it runs
// the handler of a call that is or may become a task, apart from the request of the client.
func (r *Request) IsRun() bool { return r.x.part != nil }
