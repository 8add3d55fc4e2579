package mcpotel

import (
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// carrier adapts the _meta of a request to a propagator. The keys have no prefix (SEP-414).
type carrier struct {
	call  *mcp.Call
	read  bool
	trace mcp.Trace
}

// Get returns the value of a key, or "".
func (c *carrier) Get(key string) string {
	if !c.read {
		c.trace, c.read = c.call.Trace(), true
	}
	switch key {
	case "traceparent":
		return c.trace.Parent
	case "tracestate":
		return c.trace.State
	case "baggage":
		return c.trace.Baggage
	}
	value, _ := jsonrpc.String(c.call.Meta(key))
	return value
}

// Set does nothing: a request is not modified.
func (c *carrier) Set(string, string) {}

// Keys returns the trace keys that MCP defines.
func (c *carrier) Keys() []string { return []string{"traceparent", "tracestate", "baggage"} }

// injected adapts the trace context of a question to a propagator.
type injected struct{ *mcp.Trace }

// Get returns the value of a key, or "".
func (i injected) Get(key string) string {
	if field := i.field(key); field != nil {
		return *field
	}
	return ""
}

// Set sets the value of a key that MCP defines, and ignores others.
func (i injected) Set(key, value string) {
	if field := i.field(key); field != nil {
		*field = value
	}
}

// Keys returns the trace keys that MCP defines.
func (i injected) Keys() []string { return []string{"traceparent", "tracestate", "baggage"} }

func (i injected) field(key string) *string {
	switch key {
	case "traceparent":
		return &i.Parent
	case "tracestate":
		return &i.State
	case "baggage":
		return &i.Baggage
	}
	return nil
}
