package mcpissuer

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"github.com/go-jose/go-jose/v4"

	"github.com/mcpgen/mcpgen/runtime/internal/fetch"
)

// client is a client known to the issuer.
type client struct {
	id        string
	name      string
	secret    [sha256.Size]byte // the digest of the secret
	method    string            // of authentication
	redirects []string
	keys      *jose.JSONWebKeySet
	refreshes bool     // the client gets refresh tokens
	own       []string // scopes available with its own credentials; nil for no access
}

// Methods of authentication (RFC 7591, section 2).
const (
	methodNone  = "none"
	methodBasic = "client_secret_basic"
	methodPost  = "client_secret_post"
	methodKey   = "private_key_jwt"
)

// Limits of a registration.
const (
	maxClientBytes = 16 << 10
	maxRedirects   = 20
	maxTextBytes   = 2000 // of a URL or a name
	maxKeys        = 20
)

// known checks a client of the options.
func (c *Client) known() (*client, error) {
	k := &client{id: c.ID, name: c.Name, method: methodNone, redirects: c.RedirectURIs, refreshes: true, own: c.Scopes}
	if c.ID == "" {
		return nil, fmt.Errorf("mcpissuer: a client of Options.Clients has no ID")
	}
	if c.Secret != "" {
		k.method, k.secret = methodBasic, sha256.Sum256([]byte(c.Secret))
	}
	if c.Keys != nil {
		k.method, k.keys = methodKey, new(jose.JSONWebKeySet)
		if err := errors.Join(json.Unmarshal(c.Keys, k.keys), checkKeys(k.keys)); err != nil {
			return nil, fmt.Errorf("mcpissuer: keys of client %q: %w", c.ID, err)
		}
	}
	if c.Keys != nil && c.Secret != "" {
		return nil, fmt.Errorf("mcpissuer: client %q has Secret and Keys, and can have one of them", c.ID)
	}
	if c.Scopes != nil && k.method == methodNone {
		return nil, fmt.Errorf("mcpissuer: client %q has Scopes for its own credentials, and neither Secret nor Keys", c.ID)
	}
	for _, text := range c.RedirectURIs {
		if err := checkRedirect(text); err != nil {
			return nil, fmt.Errorf("mcpissuer: client %q: %w", c.ID, err)
		}
	}
	return k, nil
}

// checkKeys checks the keys that verify a client's signatures.
func checkKeys(set *jose.JSONWebKeySet) error {
	if len(set.Keys) == 0 || len(set.Keys) > maxKeys {
		return fmt.Errorf("there are %d, and there must be 1 to %d", len(set.Keys), maxKeys)
	}
	for n := range set.Keys {
		if key := &set.Keys[n]; !key.Valid() || !key.IsPublic() {
			return fmt.Errorf("key %d is not the public key of a pair", n+1)
		}
	}
	return nil
}

// redirect returns the redirect URI of a request. It must be one of the client's, and may be
// missing if the client has only one.
func (c *client) redirect(text string) (string, bool) {
	if text == "" && len(c.redirects) == 1 {
		return c.redirects[0], true
	}
	return text, slices.ContainsFunc(c.redirects, func(own string) bool { return own == text || sameButPort(own, text) })
}

// sameButPort reports whether two http URLs of a loopback address differ only in their port, which
// a native client chooses when it starts (RFC 8252, section 7.3).
func sameButPort(own, text string) bool {
	a, err := url.Parse(own)
	b, err2 := url.Parse(text)
	if err != nil || err2 != nil || a.Scheme != "http" || !isLoopback(a.Hostname()) || a.Hostname() != b.Hostname() || b.User != nil {
		return false
	}
	b.Host = a.Host
	return b.String() == own && checkRedirect(text) == nil
}

// checkRedirect returns an error for a URL to which no browser may be sent: it must use https, http
// on this machine, or the scheme of an application.
func checkRedirect(text string) error {
	u, err := url.Parse(text)
	switch {
	case err != nil || len(text) > maxTextBytes || u.Scheme == "" || u.Opaque != "" || strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r > '~' || strings.ContainsRune(`"'<>\^{|}`+"`", r) }):
		return fmt.Errorf("redirect URI %.100q is not a URL", text)
	case u.User != nil: // may contain a password
		return fmt.Errorf("redirect URI %.100q has a user name", u.Scheme+"://...@"+u.Host)
	case strings.ContainsFunc(u.Host, notOfHosts):
		return fmt.Errorf("redirect URI %.100q has a host with a character that names and addresses do not have", text)
	case u.Fragment != "" || strings.Contains(text, "#"):
		return fmt.Errorf("redirect URI %.100q has a fragment", text)
	}
	switch u.Scheme {
	case "https":
		if u.Host == "" {
			return fmt.Errorf("redirect URI %.100q has no host", text)
		}
	case "http":
		if !isLoopback(u.Hostname()) {
			return fmt.Errorf("redirect URI %.100q is http, and its host is another machine: use https", text)
		}
	case "javascript", "data", "file", "vbscript", "blob", "about", "ws", "wss", "ftp", "mailto", "view-source", "filesystem", "intent":
		return fmt.Errorf("redirect URI %.100q has a scheme that does not belong to an application", text)
	}
	return nil
}

// notOfHosts reports characters that a host cannot contain. Some of them end a source in the page's
// security policy.
func notOfHosts(r rune) bool {
	return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune(".-_:[]", r)
}

// find returns a client by its id: from the options, from a registration, or from the metadata
// document whose URL is the id.
func (i *Issuer) find(ctx context.Context, id string) (*client, error) {
	i.mu.Lock()
	c := i.clients[id]
	if c == nil {
		c, _ = i.known.get(id)
	}
	if c == nil {
		c, _ = i.documents.get(id)
	}
	i.mu.Unlock()
	if c == nil {
		c = described(id)
	}
	switch {
	case c != nil:
		return c, nil
	case !strings.HasPrefix(id, "https://") || len(id) > maxTextBytes:
		return nil, &failure{status: http.StatusUnauthorized, code: "invalid_client", text: "the issuer does not know the client, or has forgotten it: log out of the client, so that it registers anew"}
	}
	c, err := i.readDocument(ctx, id)
	if err != nil {
		return nil, err
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	i.documents.put(c.id, c)
	return c, nil
}

// readDocument requests a client ID metadata document. The issuer connects only to public
// addresses: any page that a browser opens can choose the id.
func (i *Issuer) readDocument(ctx context.Context, id string) (*client, error) {
	refuse := func(text string) error {
		return &failure{status: http.StatusUnauthorized, code: "invalid_client", text: "the metadata document of the client " + text}
	}
	if u, err := url.Parse(id); err != nil || u.Host == "" || u.User != nil || u.Fragment != "" || strings.TrimSuffix(u.Path, "/") == "" {
		return nil, refuse("has an address that is not a https URL with a path")
	}
	select {
	case i.fetches <- struct{}{}:
		defer func() { <-i.fetches }()
	default:
		return nil, &failure{status: http.StatusServiceUnavailable, code: "temporarily_unavailable", text: "the issuer requests the documents of many clients already: try again"}
	}
	text, err := i.fetch.Get(ctx, fetch.Peer{}, id)
	if err != nil {
		i.log.WarnContext(ctx, "metadata document of a client", "error", err)
		return nil, refuse("could not be requested")
	}
	if len(text) > maxClientBytes {
		return nil, refuse(fmt.Sprintf("has more than %d bytes", maxClientBytes))
	}
	var m metadata
	if json.Unmarshal(text, &m) != nil || m.ClientID != id {
		return nil, refuse("is not one, or is about another client")
	}
	if m.Method == "" {
		m.Method = methodNone
	}
	if m.ClientSecret != "" || m.Method != methodNone && m.Method != methodKey {
		return nil, refuse("has a secret, or a method that needs one")
	}
	return m.client(m.ClientID)
}

// metadata is a client's description of itself (RFC 7591, section 2).
type metadata struct {
	ClientID     string              `json:"client_id,omitempty"`
	ClientSecret string              `json:"client_secret,omitempty"`
	IssuedAt     int64               `json:"client_id_issued_at,omitempty"`
	SecretEnds   *int64              `json:"client_secret_expires_at,omitempty"`
	Name         string              `json:"client_name,omitempty"`
	RedirectURIs []string            `json:"redirect_uris"`
	Method       string              `json:"token_endpoint_auth_method"`
	GrantTypes   []string            `json:"grant_types"`
	Responses    []string            `json:"response_types"`
	Scope        string              `json:"scope,omitempty"`
	Keys         *jose.JSONWebKeySet `json:"jwks,omitempty"`
	KeysURL      string              `json:"jwks_uri,omitempty"`
}

// client checks the metadata.
func (m *metadata) client(id string) (*client, error) {
	refuse := func(text string) error { return invalid("invalid_client_metadata", text) }
	if m.GrantTypes == nil {
		m.GrantTypes = []string{"authorization_code"}
	}
	if m.Responses == nil {
		m.Responses = []string{"code"}
	}
	switch {
	case len(m.Name) > maxTextBytes:
		return nil, refuse("client_name is too long")
	case len(m.RedirectURIs) == 0 || len(m.RedirectURIs) > maxRedirects:
		return nil, invalid("invalid_redirect_uri", fmt.Sprintf("redirect_uris must have 1 to %d URLs", maxRedirects))
	case !slices.Contains([]string{methodNone, methodBasic, methodPost, methodKey}, m.Method):
		return nil, refuse("token_endpoint_auth_method is not one of those in the metadata")
	case m.Method == methodKey && (m.Keys == nil || m.KeysURL != ""):
		return nil, refuse("private_key_jwt needs jwks; jwks_uri is not supported")
	case m.Method == methodKey && checkKeys(m.Keys) != nil:
		return nil, refuse("jwks: " + checkKeys(m.Keys).Error())
	case !slices.Contains(m.GrantTypes, "authorization_code") || slices.ContainsFunc(m.GrantTypes, func(g string) bool { return g != "authorization_code" && g != "refresh_token" }):
		return nil, refuse("grant_types must be authorization_code, and may have refresh_token")
	case !slices.Equal(m.Responses, []string{"code"}):
		return nil, refuse("response_types must be code")
	}
	for _, text := range m.RedirectURIs {
		if err := checkRedirect(text); err != nil {
			return nil, invalid("invalid_redirect_uri", err.Error())
		}
	}
	return &client{
		id: id, name: m.Name, method: m.Method, redirects: m.RedirectURIs, keys: m.Keys, refreshes: slices.Contains(m.GrantTypes, "refresh_token"),
	}, nil
}

// serveRegister registers a client (RFC 7591, section 3).
func (i *Issuer) serveRegister(w http.ResponseWriter, r *http.Request) error {
	text, err := body(w, r, "application/json", "invalid_client_metadata", maxClientBytes)
	if err != nil {
		return err
	}
	var m metadata
	if err := json.Unmarshal(text, &m); err != nil {
		return invalid("invalid_client_metadata", "the body is not a JSON object with the metadata of a client")
	}
	if m.Method == "" {
		m.Method = methodBasic
	}
	c, err := m.client(rand.Text())
	if err != nil {
		return err
	}
	m.ClientID, m.ClientSecret, m.SecretEnds = c.id, "", nil
	if c.method == methodBasic || c.method == methodPost {
		m.ClientSecret, m.SecretEnds = rand.Text(), new(int64)
		c.secret = sha256.Sum256([]byte(m.ClientSecret))
	}
	if id := describe(c); c.method == methodNone && len(id) <= maxTextBytes {
		c.id, m.ClientID = id, id
	} else {
		i.mu.Lock()
		i.known.put(c.id, c)
		i.mu.Unlock()
	}
	writeJSON(w, http.StatusCreated, &m)
	return nil
}

// The id of a client without a secret contains its registration, so that it remains registered when
// a program under development is restarted. Anyone can create such an id, as anyone can register.
const describing = "mcpissuer."

// description is the registration in an id.
type description struct {
	Name      string   `json:"n,omitempty"`
	Redirects []string `json:"r"`
	Refreshes bool     `json:"f,omitempty"`
}

// describe returns the id of a client without a secret.
func describe(c *client) string {
	text, err := json.Marshal(description{c.name, c.redirects, c.refreshes})
	if err != nil {
		panic(err) // strings only
	}
	return describing + base64.RawURLEncoding.EncodeToString(text)
}

// described returns the client of an id that describe has created, or nil for another id. It is
// checked like a registration.
func described(id string) *client {
	text, ok := strings.CutPrefix(id, describing)
	data, err := base64.RawURLEncoding.DecodeString(text)
	var d description
	if !ok || err != nil || len(id) > maxTextBytes || json.Unmarshal(data, &d) != nil {
		return nil
	}
	m := metadata{Name: d.Name, RedirectURIs: d.Redirects, Method: methodNone, GrantTypes: []string{"authorization_code"}}
	if d.Refreshes {
		m.GrantTypes = append(m.GrantTypes, "refresh_token")
	}
	c, err := m.client(strings.Clone(id))
	if err != nil {
		return nil
	}
	return c
}

// shown returns the id for logs and the page, in which a description is useless.
func (c *client) shown() string {
	if strings.HasPrefix(c.id, describing) {
		return cmp.Or(c.name, "without a name")
	}
	return c.id
}

// authenticate returns the client of a request to the token endpoint or a similar one.
func (i *Issuer) authenticate(r *http.Request, form url.Values) (*client, error) {
	id, secret, assertion := form.Get("client_id"), form.Get("client_secret"), form.Get("client_assertion")
	used := methodNone
	user, password, basic := r.BasicAuth()
	ways := 0
	if basic || r.Header.Get("Authorization") != "" {
		ways++
		used = methodBasic
		name, err := url.QueryUnescape(user)
		pass, err2 := url.QueryUnescape(password)
		if !basic || err != nil || err2 != nil || id != "" && id != name {
			return nil, badClient()
		}
		id, secret = name, pass
	}
	if form.Has("client_secret") {
		ways++
		used = methodPost
	}
	if form.Has("client_assertion") || form.Has("client_assertion_type") {
		ways++
		used = methodKey
		if id == "" {
			id = subjectOf(assertion)
		}
	}
	if ways > 1 {
		return nil, invalid("invalid_request", "the request has two kinds of client authentication")
	}
	c, err := i.find(r.Context(), id)
	if err != nil {
		return nil, err
	}
	switch {
	case used == methodKey && c.method == methodKey && form.Get("client_assertion_type") == "urn:ietf:params:oauth:client-assertion-type:jwt-bearer":
		return c, i.checkAssertion(c, assertion)
	case used == methodNone && c.method == methodNone:
		return c, nil
	case (used == methodBasic || used == methodPost) && (c.method == methodBasic || c.method == methodPost):
		sum := sha256.Sum256([]byte(secret))
		if subtle.ConstantTimeCompare(sum[:], c.secret[:]) == 1 {
			return c, nil
		}
	}
	return nil, badClient()
}

func badClient() error {
	return &failure{status: http.StatusUnauthorized, code: "invalid_client", text: "the authentication of the client is missing, wrong, or of another kind than its own", basic: true}
}

// originOf returns the source to which a page may send a form, for its Content-Security-Policy.
func originOf(redirect string) string {
	u, err := url.Parse(redirect)
	if err != nil {
		return ""
	}
	if u.Scheme != "http" && u.Scheme != "https" {
		return u.Scheme + ":"
	}
	host := u.Host
	if a, err := netip.ParseAddr(u.Hostname()); err == nil && a.Is6() {
		host = strings.TrimSuffix("*:"+u.Port(), ":") // policies cannot name IPv6 addresses
	}
	return u.Scheme + "://" + host
}
