package mcp

import (
	"github.com/mcpgen/mcpgen/runtime/internal/engine"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// ClientInfo is the identity that a client declares (Implementation).
type ClientInfo struct {
	Name, Title, Version string
}

// Capability is something that a client may be able to do.
type Capability string

// The capabilities of clients.
const (
	CapabilityElicitation     Capability = "elicitation"      // forms
	CapabilityElicitationURL  Capability = "elicitation.url"  // links to open
	CapabilitySampling        Capability = "sampling"         // messages of its model
	CapabilitySamplingTools   Capability = "sampling.tools"   // with tools
	CapabilitySamplingContext Capability = "sampling.context" // with context of other servers
	CapabilityRoots           Capability = "roots"            // its root directories; see [Roots]
)

// clientInfo reads the identity of a client.
func clientInfo(c *engine.Client) ClientInfo {
	var i ClientInfo
	jsonrpc.Members(c.Info, func(name, value []byte) bool {
		text, _ := jsonrpc.String(value)
		switch string(name) {
		case "name":
			i.Name = text
		case "title":
			i.Title = text
		case "version":
			i.Version = text
		}
		return true
	})
	return i
}
