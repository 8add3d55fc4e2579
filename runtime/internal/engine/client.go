package engine

import (
	"bytes"
	"strconv"

	"github.com/mcpgen/mcpgen/runtime/internal/jsonobject"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// maxClient limits clientInfo and capabilities of a client together, in bytes: a session stores
// them, and so does a running request.
const maxClient = 16 << 10

func clientTooLong(where string) *jsonrpc.Error {
	return InvalidParams(where + " must have at most " + strconv.Itoa(maxClient) + " bytes together")
}

// Client contains the clientInfo and the capabilities of a client, as JSON, from initialize or from
// the _meta of a request. It does not change.
type Client struct {
	Info         []byte
	Capabilities []byte
}

// UnknownClient is the client of a session without initialize.
var UnknownClient Client

// NewClient returns a Client with copies of info and capabilities.
func NewClient(info, capabilities []byte) *Client {
	b := make([]byte, 0, len(info)+len(capabilities))
	b = append(append(b, info...), capabilities...)
	return &Client{Info: b[:len(info):len(info)], Capabilities: b[len(info):]}
}

func (c *Client) size() int { return len(c.Info) + len(c.Capabilities) }

func (c *Client) is(info, capabilities []byte) bool {
	return c != nil && bytes.Equal(c.Info, info) && bytes.Equal(c.Capabilities, capabilities)
}

// Can reports whether the client has declared a capability: a name, or a name and a part of it.
func (c *Client) Can(capability string) bool {
	name, part, _ := bytes.Cut([]byte(capability), []byte{'.'})
	object := jsonobject.Member(c.Capabilities, string(name))
	if len(object) == 0 || object[0] != '{' {
		return false
	}
	switch {
	case len(part) > 0:
		return jsonobject.Given(object, string(part)) != nil
	case capability == "elicitation":
		// An empty object means forms: revisions without modes support forms only.
		return jsonobject.Given(object, "form") != nil || jsonobject.Given(object, "url") == nil
	}
	return true
}
