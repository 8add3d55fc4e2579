package mcphttp

import (
	"net/http"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/internal/access"
	"github.com/mcpgen/mcpgen/runtime/internal/httpfield"
	"github.com/mcpgen/mcpgen/runtime/internal/toolschema"
)

// Methods and header fields that pages of allowed origins may use (Fetch standard, CORS protocol).
// Methods and header fields that are always allowed are not listed, except Accept and Content-Type,
// whose values are restricted otherwise.
const (
	corsMethods = "GET, POST, DELETE"
	corsHeaders = "Content-Type, Accept, Authorization, DPoP, Mcp-Session-Id, MCP-Protocol-Version, Last-Event-ID, Mcp-Method, Mcp-Name"
	corsExposed = "Mcp-Session-Id, WWW-Authenticate, DPoP-Nonce"
	corsMaxAge  = "7200" // seconds; the maximum of Chromium
)

// Limits for the parameter headers in a preflight.
const (
	maxCORSParams = 64
	maxCORSName   = 128
)

// cors sets the CORS header fields of the response, and answers preflights: it then returns true.
// The request has passed [access.Policy.Check].
func cors(w http.ResponseWriter, r *http.Request, p *access.Policy) (done bool) {
	h := w.Header()
	if p.HasOrigins() {
		h.Add("Vary", "Origin")
	}
	preflight := r.Method == http.MethodOptions && r.Header.Get("Origin") != "" && r.Header.Get("Access-Control-Request-Method") != ""
	origin, cross := p.Origin(r)
	if !preflight {
		if cross {
			h.Set("Access-Control-Allow-Origin", origin)
			h.Set("Access-Control-Expose-Headers", corsExposed)
		}
		return false
	}
	if cross {
		h.Add("Vary", "Access-Control-Request-Headers, Access-Control-Request-Private-Network")
		h.Set("Access-Control-Allow-Origin", origin)
		h.Set("Access-Control-Allow-Methods", corsMethods)
		h.Set("Access-Control-Allow-Headers", allowedHeaders(r.Header["Access-Control-Request-Headers"]))
		h.Set("Access-Control-Max-Age", corsMaxAge)
		if r.Header.Get("Access-Control-Request-Private-Network") == "true" {
			h.Set("Access-Control-Allow-Private-Network", "true")
		}
	}
	writeStatus(w, http.StatusNoContent)
	return true
}

// allowedHeaders lists the header fields that a page may set: corsHeaders, and the parameter
// headers that it requests.
func allowedHeaders(requested []string) string {
	var b strings.Builder
	b.WriteString(corsHeaders)
	left := maxCORSParams
	for _, line := range requested {
		for line != "" && left > 0 {
			var name string
			name, line, _ = strings.Cut(line, ",")
			if header, ok := asParamHeader(httpfield.Trim(name)); ok {
				b.WriteString(", ")
				b.WriteString(header)
				left--
			}
		}
	}
	return b.String()
}

// asParamHeader returns the canonical name of a parameter header. It returns false for other header
// fields, and for long names.
func asParamHeader(name string) (string, bool) {
	n := len(httpfield.Param)
	if len(name) > maxCORSName || len(name) < n || !strings.EqualFold(name[:n], httpfield.Param) {
		return "", false
	}
	return toolschema.HeaderName(name[n:])
}
