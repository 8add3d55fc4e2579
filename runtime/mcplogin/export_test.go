package mcplogin

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

// FillNonces stores nonces of many origins, small ones and ones beyond the limit, and returns the
// maximum of their bytes.
func FillNonces() (most int) {
	var n nonces
	for i := range 10 * maxOrigins {
		from := &url.URL{Scheme: "https", Host: fmt.Sprint(strings.Repeat("h", 250), i)}
		n.put(from, http.Header{"Dpop-Nonce": {strings.Repeat("n", maxNonce+i%2)}})
		size := 0
		for at, nonce := range n.by {
			size += len(at) + len(nonce)
		}
		most = max(most, size)
	}
	return most
}
