package mcplogin

import (
	"net/http"
	"net/url"
	"sync"
)

// nonces contains the latest nonces for proofs (RFC 9449, sections 8 and 9), by origin.
type nonces struct {
	mu sync.Mutex
	by map[string]string
}

// Limits for nonces: larger ones are not stored.
const (
	maxNonce   = 1 << 10
	maxOrigins = 64
)

// put stores the nonce of a response, and reports whether it differs from the previous one.
func (n *nonces) put(from *url.URL, h http.Header) (fresh bool) {
	nonce := h.Get("Dpop-Nonce")
	if nonce == "" || len(nonce) > maxNonce || !validToken(nonce) {
		return false
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.by == nil || len(n.by) >= maxOrigins {
		n.by = map[string]string{}
	}
	key := origin(from)
	fresh = n.by[key] != nonce
	n.by[key] = nonce
	return fresh
}

func (n *nonces) get(to *url.URL) string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.by[origin(to)]
}
