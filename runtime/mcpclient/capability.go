package mcpclient

import (
	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// has reports whether the revision of the connection has a method.
func (x *connection) has(m protocol.Method) bool {
	_, ok := x.revision.Load().Methods[m.String()]
	return ok
}

// declares reports whether the server has declared a capability, such as tools or
// resources.subscribe.
func (x *connection) declares(capability protocol.ServerCapability) bool {
	value, ok := x.server.Capabilities[capability.Name]
	if !ok || capability.Member == "" {
		return ok
	}
	set := false
	jsonrpc.Members(value, func(name, v []byte) bool {
		set = set || string(name) == capability.Member && string(v) == "true"
		return true
	})
	return set
}

// supports returns an error for a request if the server has not declared its capability, or the
// revision does not define it. Requests of extensions are always sent.
func (c *Client) supports(x *connection, method string) error {
	m := protocol.MethodOf(method)
	if m == protocol.Unknown || m.IsTask() || c.testing != nil {
		return nil
	}
	r := x.revision.Load()
	if !x.has(m) {
		return &UnsupportedError{Target: c.target.Name(), Method: method, Revision: r.Version}
	}
	if need, ok := r.Required(m); ok && !x.declares(need) {
		return &UnsupportedError{Target: c.target.Name(), Method: method, Capability: need.String(), Revision: r.Version}
	}
	return nil
}
