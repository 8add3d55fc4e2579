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

// hide removes the credentials of requests from everything that is written to standard error: a
// server may repeat them, and errors cite it. The caller may add more to the result.
func (c *command) hide(address string, header http.Header, bearer string) *remote.Secrets {
	s := new(remote.Secrets)
	s.Add(address, header, bearer)
	c.err = s.Writer(c.err)
	return s
}
