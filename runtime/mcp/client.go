package mcp

import (
	"bytes"
	"strconv"

	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
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

// can reports whether the client has declared a capability: a name, or a name and a part of it.
func (c *client) can(capability string) bool {
	name, part, _ := bytes.Cut([]byte(capability), []byte{'.'})
	object := member(c.capabilities, string(name))
	if len(object) == 0 || object[0] != '{' {
		return false
	}
	switch {
	case len(part) > 0:
		return given(object, string(part)) != nil
	case capability == "elicitation":
		// An empty object means forms: revisions without modes have only those.
		return given(object, "form") != nil || given(object, "url") == nil
	}
	return true
}
