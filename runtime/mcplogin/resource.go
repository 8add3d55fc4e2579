package mcplogin

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/internal/challenge"
	"github.com/mcpgen/mcpgen/runtime/internal/fetch"
)

// demand contains the demands of a server that has refused a request.
type demand struct {
	scopes      []string // that the request needs
	metadataURL string   // of the resource
	code        string   // the error, such as insufficient_scope
	dpop        bool     // tokens may be bound to a key
	bearer      bool     // tokens need not be bound
	all         bool     // no request is at hand: all scopes that the server publishes are wanted
}

// readDemand reads the challenges of a response. It leaves out invalid ones: a login at a server
// without a valid challenge uses the server's well-known URLs.
func readDemand(h http.Header) demand {
	var d demand
	all, _ := challenge.Parse(h["Www-Authenticate"])
	for _, c := range all {
		switch {
		case c.Is("Bearer"):
			d.bearer = true
		case c.Is("DPoP"):
			d.dpop = true
		default:
			continue
		}
		if scope, ok := c.Param("scope"); ok {
			d.scopes = union(d.scopes, splitScopes(scope))
		}
		if at, ok := c.Param("resource_metadata"); ok && d.metadataURL == "" {
			d.metadataURL = at
		}
		if code, ok := c.Param("error"); ok && d.code == "" {
			d.code = code
		}
	}
	return d
}

// resource is a server as the resource of tokens (RFC 9728).
type resource struct {
	id      string   // of the parameter "resource" (RFC 8707)
	issuers []string // authorization servers
	scopes  []string // scopes_supported
	dpop    bool     // supports tokens that are bound to a key
	bound   bool     // requires them
	// legacy means a server without metadata, as in revision 2025-03-26: it is its own
	// authorization server.
	legacy bool
}

// resourceDocument is the metadata of a resource (RFC 9728, section 2).
type resourceDocument struct {
	Resource             string   `json:"resource"`
	AuthorizationServers []string `json:"authorization_servers"`
	ScopesSupported      []string `json:"scopes_supported"`
	DPoPAlgorithms       []string `json:"dpop_signing_alg_values_supported"`
	DPoPBound            bool     `json:"dpop_bound_access_tokens_required"`
}

// discoverResource finds the metadata of a server: at the URL of the challenge, or else at its
// well-known URLs, the one with the path first (RFC 9728, section 3.1).
func (l *Login) discoverResource(ctx context.Context, from fetch.Peer, d demand) (*resource, error) {
	server := from.URL
	if d.metadataURL != "" {
		body, err := l.http.Get(ctx, from, d.metadataURL)
		if err != nil {
			return nil, fmt.Errorf("get the resource metadata that %s names: %w", server.Redacted(), err)
		}
		return readResource(server, body)
	}
	paths := []string{wellKnown(server, "oauth-protected-resource", server.EscapedPath())}
	if strings.Trim(server.EscapedPath(), "/") != "" {
		paths = append(paths, wellKnown(server, "oauth-protected-resource", ""))
	}
	for _, at := range paths {
		body, err := l.http.Get(ctx, from, at)
		if absent(err) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("get the resource metadata of %s: %w", server.Redacted(), err)
		}
		return readResource(server, body)
	}
	return &resource{id: canonical(server), issuers: []string{origin(server)}, legacy: true}, nil
}

// absent reports whether err means that a document does not exist. Other errors may be temporary.
func absent(err error) bool {
	status, ok := errors.AsType[*fetch.Status](err)
	return ok && (status.Code/100 == 4 && status.Code != http.StatusTooManyRequests && status.Code != http.StatusRequestTimeout || status.Code/100 == 2)
}

// readResource reads the metadata of a server. The resource must be its URL or a parent path of it,
// so that a server cannot get a token for another one (RFC 9728, section 7.3).
func readResource(server *url.URL, body []byte) (*resource, error) {
	var m resourceDocument
	if err := json.Unmarshal(body, &m); err != nil {
		return nil, fmt.Errorf("read the resource metadata of %s: %w", server.Redacted(), err)
	}
	if !coversServer(m.Resource, server) {
		return nil, fmt.Errorf("the resource metadata of %s is of another resource, %s: its %q must be the URL of the server or a parent path of it. If it is the server that is meant, use this URL",
			server.Redacted(), quote(m.Resource), "resource")
	}
	if len(m.AuthorizationServers) == 0 {
		return nil, fmt.Errorf("the resource metadata of %s names no authorization server", server.Redacted())
	}
	r := &resource{id: m.Resource, issuers: m.AuthorizationServers, dpop: contains(m.DPoPAlgorithms, proofAlgorithm), bound: m.DPoPBound}
	for _, scope := range m.ScopesSupported {
		if validScope(scope) && len(r.scopes) < maxScopes {
			r.scopes = union(r.scopes, []string{scope})
		}
	}
	return r, nil
}

// coversServer reports whether a resource identifier covers a server: it has the server's origin,
// and its path or a parent path.
func coversServer(id string, server *url.URL) bool {
	u, err := url.Parse(id)
	if err != nil || u.Opaque != "" || u.User != nil || u.Fragment != "" || strings.Contains(id, "#") || u.Host == "" {
		return false
	}
	if origin(u) != origin(server) || u.RawQuery != "" && u.RawQuery != server.RawQuery {
		return false
	}
	parent, path := strings.TrimSuffix(u.EscapedPath(), "/"), server.EscapedPath()
	for _, part := range strings.Split(parent, "/") {
		if part == "." || part == ".." {
			return false
		}
	}
	return path == parent || strings.HasPrefix(path, parent+"/") || u.EscapedPath() == path
}

// origin returns scheme, host and port of a URL, normalized (RFC 6454, section 6.2).
func origin(u *url.URL) string {
	scheme, host, port := strings.ToLower(u.Scheme), strings.ToLower(u.Hostname()), u.Port()
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	if port == "" || scheme == "https" && port == "443" || scheme == "http" && port == "80" {
		return scheme + "://" + host
	}
	return scheme + "://" + host + ":" + port
}

// canonical returns the URL of a server as resource identifier (RFC 8707, section 2), without
// fragment, and without path if the path is "/".
func canonical(server *url.URL) string {
	text := origin(server)
	if path := server.EscapedPath(); path != "/" {
		text += path
	}
	if server.RawQuery != "" {
		text += "?" + server.RawQuery
	}
	return text
}

// wellKnown returns a well-known URL of an origin, followed by a path (RFC 8615).
func wellKnown(u *url.URL, name, path string) string {
	return origin(u) + "/.well-known/" + name + strings.TrimSuffix(path, "/")
}

func contains(list []string, text string) bool {
	for _, entry := range list {
		if entry == text {
			return true
		}
	}
	return false
}
