package access

import (
	"net/http"
	"net/netip"

	"github.com/mcpgen/mcpgen/runtime/internal/clientlimit"
)

// Address returns the client address of a request: the result of find or, if find is nil or returns
// the zero Addr, the remote address of the connection. It is the zero Addr if neither is known.
func Address(r *http.Request, find func(*http.Request) netip.Addr) netip.Addr {
	if find != nil {
		if a := find(r); a.IsValid() {
			return a
		}
	}
	return clientlimit.Address(r.RemoteAddr)
}
