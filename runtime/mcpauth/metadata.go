package mcpauth

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// description contains the parts of metadata and challenges that depend on the verifiers.
type description struct {
	issuers      []string
	bearer       bool // tokens or keys are taken from the field Authorization
	basic        bool // and passwords
	certificates bool // tokens may be bound to certificates
	dpop         bool // tokens may be bound to keys
	dpopOnly     bool // other tokens are refused
}

// metadata is the document of RFC 9728, section 2.
type metadata struct {
	Resource      string   `json:"resource"`
	Servers       []string `json:"authorization_servers"`
	Scopes        []string `json:"scopes_supported,omitempty"`
	Methods       []string `json:"bearer_methods_supported"`
	Name          string   `json:"resource_name,omitempty"`
	Documentation string   `json:"resource_documentation,omitempty"`
	Certificates  bool     `json:"tls_client_certificate_bound_access_tokens,omitempty"`
	DPoPAlgs      []string `json:"dpop_signing_alg_values_supported,omitempty"`
	DPoPOnly      bool     `json:"dpop_bound_access_tokens_required,omitempty"`
}

const wellKnownPath = "/.well-known/oauth-protected-resource"

// describe sets the parts that do not depend on the server.
func (g *Guard) describe(resource *url.URL) {
	d := &g.described
	d.dpopOnly = d.dpopOnly && d.dpop
	if len(d.issuers) > 0 {
		path := strings.TrimSuffix(resource.EscapedPath(), "/")
		g.metaURL = resource.Scheme + "://" + resource.Host + wellKnownPath + path
		g.metaPaths = slices.Compact([]string{wellKnownPath, wellKnownPath + path})
	}
	g.published.Store(g.newPublication(nil))
}

// Wrap answers requests for the metadata of the endpoint (RFC 9728), and passes all others to next:
// at /.well-known/oauth-protected-resource followed by the path of Options.Resource, and without a
// path for clients that ask there. If several guards wrap a site, the outermost one answers the
// latter. Pages of every origin may read the metadata.
func (g *Guard) Wrap(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !slices.Contains(g.metaPaths, strings.TrimSuffix(r.URL.EscapedPath(), "/")) {
			next.ServeHTTP(w, r)
			return
		}
		body, returned := g.bodies.Begin(w, r, bodyTime), false
		defer func() { body.End(returned) }()
		g.serveMetadata(w, r)
		returned = true
	})
}

// bodyTime limits the time for reading a body, which requests for the metadata should not have.
const bodyTime = 10 * time.Second

func (g *Guard) serveMetadata(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Access-Control-Allow-Origin", "*")
	switch r.Method {
	case http.MethodGet, http.MethodHead:
		h.Set("Content-Type", "application/json")
		h.Set("Cache-Control", "max-age=300")
		h.Set("X-Content-Type-Options", "nosniff")
		_, _ = w.Write(g.current().metadata) // the client may be gone
	case http.MethodOptions:
		h.Set("Access-Control-Allow-Methods", "GET, HEAD")
		h.Set("Access-Control-Allow-Headers", "MCP-Protocol-Version")
		h.Set("Access-Control-Max-Age", "7200")
		w.WriteHeader(http.StatusNoContent)
	default:
		h.Set("Allow", "GET, HEAD, OPTIONS")
		w.WriteHeader(http.StatusMethodNotAllowed)
	}
}
