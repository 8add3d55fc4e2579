package mcpissuer

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"mime"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"
)

const (
	maxBodyBytes = 64 << 10         // of a request
	bodyTime     = 10 * time.Second // for reading a body
)

// route is the handler for one path.
type route struct {
	methods []string
	serve   func(i *Issuer, w http.ResponseWriter, r *http.Request) error
	public  bool // pages of every origin may read the response, which depends on no cookie
}

// failure is an error for the client (RFC 6749, section 5.2).
type failure struct {
	status int
	code   string
	text   string
	basic  bool // the response contains the challenge Basic
}

func (f *failure) Error() string { return f.code + ": " + f.text }

func invalid(code, text string) error {
	return &failure{status: http.StatusBadRequest, code: code, text: text}
}

// makeRoutes sets the routes and the metadata.
func (i *Issuer) makeRoutes() {
	path := strings.TrimSuffix(i.url.Path, "/")
	base := strings.TrimSuffix(i.o.URL, "/") + "/oauth"
	i.metadata = i.describe(base)
	metadata := route{[]string{http.MethodGet, http.MethodHead}, (*Issuer).serveMetadata, true}
	form := func(serve func(*Issuer, http.ResponseWriter, *http.Request) error) route {
		return route{[]string{http.MethodPost}, serve, true}
	}
	i.routes = map[string]route{
		"/.well-known/oauth-authorization-server" + path: metadata,
		"/.well-known/openid-configuration" + path:       metadata,
		path + "/.well-known/openid-configuration":       metadata,
		path + "/oauth/jwks":                             {metadata.methods, (*Issuer).serveKeys, true},
		path + "/oauth/authorize":                        {[]string{http.MethodGet, http.MethodPost}, (*Issuer).serveAuthorize, false},
		path + "/oauth/token":                            form((*Issuer).serveToken),
		path + "/oauth/register":                         form((*Issuer).serveRegister),
		path + "/oauth/introspect":                       form((*Issuer).serveIntrospect),
		path + "/oauth/revoke":                           form((*Issuer).serveRevoke),
	}
}

// describe returns the metadata (RFC 8414, section 2).
func (i *Issuer) describe(base string) []byte {
	methods := []string{"none", "client_secret_basic", "client_secret_post", "private_key_jwt"}
	text, err := json.Marshal(map[string]any{
		"issuer":                                                   i.o.URL,
		"authorization_endpoint":                                   base + "/authorize",
		"token_endpoint":                                           base + "/token",
		"jwks_uri":                                                 base + "/jwks",
		"registration_endpoint":                                    base + "/register",
		"introspection_endpoint":                                   base + "/introspect",
		"revocation_endpoint":                                      base + "/revoke",
		"scopes_supported":                                         append([]string{}, i.scopes()...),
		"response_types_supported":                                 []string{"code"},
		"response_modes_supported":                                 []string{"query"},
		"grant_types_supported":                                    []string{"authorization_code", "refresh_token", "client_credentials"},
		"code_challenge_methods_supported":                         []string{"S256"},
		"token_endpoint_auth_methods_supported":                    methods,
		"token_endpoint_auth_signing_alg_values_supported":         algorithmNames,
		"introspection_endpoint_auth_methods_supported":            methods[1:],
		"revocation_endpoint_auth_methods_supported":               methods,
		"introspection_endpoint_auth_signing_alg_values_supported": algorithmNames,
		"revocation_endpoint_auth_signing_alg_values_supported":    algorithmNames,
		"dpop_signing_alg_values_supported":                        algorithmNames,
		"authorization_response_iss_parameter_supported":           true,
		"client_id_metadata_document_supported":                    true,
		"subject_types_supported":                                  []string{"public"},
		"id_token_signing_alg_values_supported":                    []string{"ES256"},
	})
	if err != nil {
		panic(err) // strings and lists only
	}
	return text
}

// Handles reports whether the issuer handles the path of a URL, for servers that also have other
// paths.
func (i *Issuer) Handles(path string) bool {
	_, ok := i.routes[path]
	return ok
}

// ServeHTTP handles requests from this machine. It refuses others, and those with another Host:
// otherwise a page that resolves its own host name to this machine could log in.
func (i *Issuer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, returned := i.bodies.Begin(w, r, bodyTime), false
	defer func() { body.End(returned) }()
	if err := i.serve(w, r); err != nil {
		i.fail(w, r, err)
	}
	returned = true
}

func (i *Issuer) serve(w http.ResponseWriter, r *http.Request) error {
	remote, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil || !remote.Addr().Unmap().IsLoopback() || !i.isHost(r.Host) {
		return &failure{status: http.StatusForbidden, code: "access_denied", text: "this issuer is for development, and serves " + i.o.URL + " to this machine alone: use that address"}
	}
	h := w.Header()
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "no-store")
	to, ok := i.routes[r.URL.Path]
	if !ok {
		return &failure{status: http.StatusNotFound, code: "not_found", text: "the issuer has no such path"}
	}
	if to.public {
		h.Set("Access-Control-Allow-Origin", "*")
		h.Set("Access-Control-Expose-Headers", "DPoP-Nonce, WWW-Authenticate")
		if r.Method == http.MethodOptions {
			h.Set("Access-Control-Allow-Methods", strings.Join(to.methods, ", "))
			h.Set("Access-Control-Allow-Headers", "Authorization, Content-Type, DPoP, MCP-Protocol-Version")
			w.WriteHeader(http.StatusNoContent)
			return nil
		}
	}
	if !slices.Contains(to.methods, r.Method) {
		h.Set("Allow", strings.Join(to.methods, ", "))
		return &failure{status: http.StatusMethodNotAllowed, code: "invalid_request", text: "the method is not one of " + strings.Join(to.methods, ", ")}
	}
	return to.serve(i, w, r)
}

// isHost reports whether a request is for this issuer.
func (i *Issuer) isHost(host string) bool {
	standard := map[string]string{"http": ":80", "https": ":443"}[i.url.Scheme] // browsers omit it
	return strings.EqualFold(strings.TrimSuffix(host, standard), strings.TrimSuffix(i.url.Host, standard))
}

// fail writes an error. Its text contains only names of parameters from the request.
func (i *Issuer) fail(w http.ResponseWriter, r *http.Request, err error) {
	f, ok := errors.AsType[*failure](err)
	if !ok {
		f = &failure{status: http.StatusInternalServerError, code: "server_error", text: "the issuer has an error, which its log has"}
	}
	i.log.LogAttrs(r.Context(), slog.LevelWarn, "request to the issuer refused", slog.String("path", r.URL.Path), slog.String("error", err.Error()))
	if i.isPage(r) && writeErrorPage(w, f) {
		return
	}
	if f.basic {
		w.Header().Set("WWW-Authenticate", `Basic realm="mcpissuer"`)
	}
	writeJSON(w, f.status, map[string]any{"error": f.code, "error_description": f.text})
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	text, err := json.Marshal(v)
	if err != nil {
		status, text = http.StatusInternalServerError, []byte(`{"error":"server_error"}`)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(text) // the client may be gone
}

func (i *Issuer) serveMetadata(w http.ResponseWriter, _ *http.Request) error {
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(i.metadata)
	return nil
}

func (i *Issuer) serveKeys(w http.ResponseWriter, _ *http.Request) error {
	w.Header().Set("Content-Type", "application/jwk-set+json")
	_, _ = w.Write(i.keys)
	return nil
}

// body returns the body of a request with a media type.
func body(w http.ResponseWriter, r *http.Request, kind, code string, most int64) ([]byte, error) {
	if got, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || got != kind {
		return nil, invalid(code, "Content-Type must be "+kind)
	}
	text, err := io.ReadAll(http.MaxBytesReader(w, r.Body, most))
	if err != nil {
		return nil, invalid(code, fmt.Sprintf("the body could not be read, or has more than %d bytes", most))
	}
	return text, nil
}

// form returns the parameters in a body, each of which may occur once (RFC 6749, section 3.2).
func form(w http.ResponseWriter, r *http.Request) (url.Values, error) {
	text, err := body(w, r, "application/x-www-form-urlencoded", "invalid_request", maxBodyBytes)
	if err != nil {
		return nil, err
	}
	values, err := url.ParseQuery(string(text))
	if err != nil {
		return nil, invalid("invalid_request", "the body is not a form")
	}
	return values, once(values)
}

// once returns an error if a parameter occurs twice. Only resource may (RFC 8707, section 2).
func once(values url.Values) error {
	for name, all := range values {
		if len(all) > 1 && name != "resource" && name != "scopes" {
			return invalid("invalid_request", "a parameter comes twice")
		}
	}
	return nil
}
