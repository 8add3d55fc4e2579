package mcp

import (
	"bytes"
	"strconv"

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

// maxClient is how many bytes clientInfo and capabilities of a client may have together: a session
// keeps them, and so does a request as long as it runs.
const maxClient = 16 << 10

func clientTooLong(where string) *jsonrpc.Error {
	return invalidParams(where + " must have at most " + strconv.Itoa(maxClient) + " bytes together")
}

// client is the clientInfo and the capabilities of a client, as JSON, from initialize or from the
// _meta of a request. It does not change.
type client struct {
	info         []byte
	capabilities []byte
}

// unknownClient is the client of a session without initialize.
var unknownClient client

// newClient copies them.
func newClient(info, capabilities []byte) *client {
	b := make([]byte, 0, len(info)+len(capabilities))
	b = append(append(b, info...), capabilities...)
	return &client{info: b[:len(info):len(info)], capabilities: b[len(info):]}
}

func (c *client) size() int { return len(c.info) + len(c.capabilities) }

func (c *client) is(info, capabilities []byte) bool {
	return c != nil && bytes.Equal(c.info, info) && bytes.Equal(c.capabilities, capabilities)
}

func (c *client) parse() ClientInfo {
	var i ClientInfo
	jsonrpc.Members(c.info, func(name, value []byte) bool {
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

func (c *client) can(capability Capability) bool {
	name, part, _ := bytes.Cut([]byte(capability), []byte{'.'})
	object := member(c.capabilities, string(name))
	if len(object) == 0 || object[0] != '{' {
		return false
	}
	switch {
	case len(part) > 0:
		return given(object, string(part)) != nil
	case capability == CapabilityElicitation:
		// An empty object means forms: revisions without modes have only those.
		return given(object, "form") != nil || given(object, "url") == nil
	}
	return true
}
