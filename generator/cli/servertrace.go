package cli

import (
	"net/http"

	"github.com/mcpgen/mcpgen/generator/internal/remote"
)

// trace prints a message.
func (r *remoteServer) trace(sent bool, message []byte) {
	arrow := "<-"
	if sent {
		arrow = "->"
	}
	r.c.noteln("%s %s", arrow, message)
}

// hide keeps the credentials of requests out of all that is written to standard error: a server may
// repeat them, and errors cite it. More may be added to the result.
func (c *command) hide(address string, header http.Header, bearer string) *remote.Secrets {
	s := new(remote.Secrets)
	s.Add(address, header, bearer)
	c.err = s.Writer(c.err)
	return s
}
