package access

import (
	"net/http"
	"net/netip"

	"github.com/mcpgen/mcpgen/runtime/internal/share"
)

// Address returns where a request comes from: what find says or, where that is nil or
// does not know, the other end of the connection. It is the zero Addr where neither is
// known.
func Address(r *http.Request, find func(*http.Request) netip.Addr) netip.Addr {
	if find != nil {
		if a := find(r); a.IsValid() {
			return a
		}
	}
	return share.Address(r.RemoteAddr)
}
