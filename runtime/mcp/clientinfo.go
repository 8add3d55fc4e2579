package mcp

import (
	"github.com/mcpgen/mcpgen/runtime/internal/engine"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// ClientInfo is the identity that a client declares (Implementation).
type ClientInfo struct {
	Name, Title, Version string
}

// Capability is a capability that a client may declare.
type Capability string

// The capabilities of clients.
const (
	CapabilityElicitation     Capability = "elicitation"      // forms
	CapabilityElicitationURL  Capability = "elicitation.url"  // links that the user opens
	CapabilitySampling        Capability = "sampling"         // messages of the client's model
	CapabilitySamplingTools   Capability = "sampling.tools"   // sampling with tools
	CapabilitySamplingContext Capability = "sampling.context" // sampling with context of other servers
	CapabilityRoots           Capability = "roots"            // the client's root directories; see [Roots]
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
