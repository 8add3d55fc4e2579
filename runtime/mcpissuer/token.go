package mcpissuer

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/go-jose/go-jose/v4"
)

// token is an issued access token.
type token struct {
	family  *family // nil for a client's own credentials
	revoked bool
}

// family is a login: its successive refresh tokens, and the access tokens issued with them.
type family struct {
	client    string
	persona   string
	scopes    []string
	resources []string
	proofKey  string // of a client without authentication: its refresh tokens are bound to it
	current   string // the valid refresh token
	revoked   bool
}

// grant describes a token to issue.
type grant struct {
	subject   string
	client    string
	scopes    []string
	resources []string
	proofKey  string
	claims    map[string]any
	family    *family // nil for a client's own credentials
}

// serveToken handles token requests (RFC 6749, section 3.2).
func (i *Issuer) serveToken(w http.ResponseWriter, r *http.Request) error {
	f, err := form(w, r)
	if err != nil {
		return err
	}
	c, err := i.authenticate(r, f)
	if err != nil {
		return err
	}
	proofKey, err := i.checkProof(w, r)
	if err != nil {
		return err
	}
	for _, s := range f["resource"] {
		if !slices.Contains(i.o.Resources, s) {
			return invalid("invalid_target", "resource is not a server that this issuer has tokens for")
		}
	}
	f["resource"] = distinct(f["resource"])
	var g *grant
	switch f.Get("grant_type") {
	case "authorization_code":
		g, err = i.byCode(c, f, proofKey)
	case "refresh_token":
		g, err = i.byRefresh(c, f, proofKey)
	case "client_credentials":
		g, err = i.byClient(c, f)
	default:
		err = invalid("unsupported_grant_type", "grant_type is not one of those in the metadata")
	}
	if err != nil {
		return err
	}
	g.proofKey = proofKey
	return i.writeTokens(w, g)
}

// byCode redeems an authorization code. A code that is used twice ends the login that it began (RFC
// 6749, section 4.1.2).
func (i *Issuer) byCode(c *client, f url.Values, proofKey string) (*grant, error) {
	refused := invalid("invalid_grant", "the code is not valid, has been used, or belongs to another client, redirect URI or verifier")
	i.mu.Lock()
	defer i.mu.Unlock()
	k, ok := i.codes.get(f.Get("code"))
	if !ok {
		return nil, refused
	}
	if k.used {
		if k.family != nil {
			k.family.revoked = true
		}
		return nil, refused
	}
	sum := sha256.Sum256([]byte(f.Get("code_verifier")))
	fits := isVerifier(f.Get("code_verifier")) && equal(base64.RawURLEncoding.EncodeToString(sum[:]), k.challenge)
	redirect, named := f.Get("redirect_uri"), f.Has("redirect_uri")
	k.used = true // even after a failure, so that guesses do not help
	switch {
	case k.client.id != c.id || !fits || k.named != named && k.named || named && redirect != k.redirect:
		return nil, refused
	case k.proofKey != "" && k.proofKey != proofKey:
		return nil, invalid("invalid_dpop_proof", "the code is bound to the key of another proof")
	}
	resources, err := narrow(f["resource"], k.resources)
	if err != nil {
		return nil, err
	}
	who, _ := i.persona(k.persona)
	k.family = &family{client: c.id, persona: who.Name, scopes: k.scopes, resources: k.resources}
	if c.method == methodNone {
		k.family.proofKey = proofKey
	}
	if c.refreshes {
		k.family.current = rand.Text()
		i.refreshes.put(k.family.current, k.family)
	}
	return &grant{subject: who.Name, client: c.id, scopes: k.scopes, resources: resources, claims: who.Claims, family: k.family}, nil
}

// distinct returns the values without duplicates, in their order.
func distinct(all []string) []string {
	var once []string
	for _, s := range all {
		if !slices.Contains(once, s) {
			once = append(once, s)
		}
	}
	return once
}

// narrow returns the requested resources, which must be among the granted ones.
func narrow(asked, granted []string) ([]string, error) {
	if len(asked) == 0 {
		return granted, nil
	}
	if slices.ContainsFunc(asked, func(s string) bool { return !slices.Contains(granted, s) }) {
		return nil, invalid("invalid_target", "the resource is not one that was granted")
	}
	return asked, nil
}

// byRefresh replaces a refresh token. If a token is used twice, one of the users is a thief: both
// lose the login (RFC 9700, section 4.14.2).
func (i *Issuer) byRefresh(c *client, f url.Values, proofKey string) (*grant, error) {
	refused := invalid("invalid_grant", "the refresh token is not valid, has been used, or belongs to another client")
	i.mu.Lock()
	defer i.mu.Unlock()
	text := f.Get("refresh_token")
	login, ok := i.refreshes.get(text)
	if !ok || login.client != c.id || login.revoked {
		return nil, refused
	}
	if login.current != text {
		login.revoked = true
		return nil, refused
	}
	if login.proofKey != "" && login.proofKey != proofKey {
		return nil, invalid("invalid_dpop_proof", "the refresh token is bound to the key of another proof")
	}
	scopes := login.scopes
	if f.Has("scope") {
		scopes = strings.Fields(f.Get("scope"))
		if slices.ContainsFunc(scopes, func(s string) bool { return !slices.Contains(login.scopes, s) }) {
			return nil, invalid("invalid_scope", "a scope is not one that was granted")
		}
		scopes = distinct(scopes)
	}
	resources, err := narrow(f["resource"], login.resources)
	if err != nil {
		return nil, err
	}
	login.current = rand.Text()
	i.refreshes.put(login.current, login)
	who, _ := i.persona(login.persona)
	return &grant{subject: who.Name, client: c.id, scopes: scopes, resources: resources, claims: who.Claims, family: login}, nil
}

// byClient returns the grant for a client's own credentials.
func (i *Issuer) byClient(c *client, f url.Values) (*grant, error) {
	if c.own == nil {
		return nil, invalid("unauthorized_client", "the client has no scopes of its own")
	}
	scopes := c.own
	if f.Has("scope") {
		scopes = strings.Fields(f.Get("scope"))
		if slices.ContainsFunc(scopes, func(s string) bool { return !slices.Contains(c.own, s) }) {
			return nil, invalid("invalid_scope", "a scope is not one of the client's own")
		}
		scopes = distinct(scopes)
	}
	resources := f["resource"]
	if len(resources) == 0 {
		resources = i.o.Resources[:1]
	}
	return &grant{subject: c.id, client: c.id, scopes: scopes, resources: resources}, nil
}

// writeTokens writes the response with an access token.
func (i *Issuer) writeTokens(w http.ResponseWriter, g *grant) error {
	id := rand.Text()
	text, err := i.sign(g, id, time.Now(), i.o.TokenTime)
	if err != nil {
		return err
	}
	reply := map[string]any{
		"access_token": text, "token_type": "Bearer", "expires_in": int(i.o.TokenTime.Seconds()), "scope": strings.Join(g.scopes, " "),
	}
	if g.proofKey != "" {
		reply["token_type"] = "DPoP"
	}
	i.mu.Lock()
	if g.family != nil && g.family.current != "" {
		reply["refresh_token"] = g.family.current
	}
	i.tokens.put(id, &token{family: g.family})
	i.mu.Unlock()
	w.Header().Set("Pragma", "no-cache")
	writeJSON(w, http.StatusOK, reply)
	return nil
}

// sign creates an access token (RFC 9068).
func (i *Issuer) sign(g *grant, id string, issued time.Time, lasts time.Duration) (string, error) {
	c := map[string]any{}
	maps.Copy(c, g.claims)
	maps.Copy(c, map[string]any{
		"iss": i.o.URL, "sub": g.subject, "client_id": g.client, "iat": issued.Unix(), "exp": issued.Add(lasts).Unix(), "jti": id,
		"scope": strings.Join(g.scopes, " "), "aud": g.resources,
	})
	if len(g.resources) == 1 {
		c["aud"] = g.resources[0]
	}
	if g.proofKey != "" {
		c["cnf"] = map[string]any{"jkt": g.proofKey}
	}
	return i.SignClaims(c)
}

// SignClaims returns a JWT with these claims, signed like an access token of the issuer. It is for
// tests: the claims may be invalid. Introspection does not know such a token.
func (i *Issuer) SignClaims(claims map[string]any) (string, error) {
	payload, err := json.Marshal(claims)
	if err != nil {
		return "", fmt.Errorf("mcpissuer: encode the claims: %w", err)
	}
	t, err := i.signer.Sign(payload)
	if err != nil {
		return "", fmt.Errorf("mcpissuer: sign the token: %w", err)
	}
	text, err := t.CompactSerialize()
	if err != nil {
		return "", fmt.Errorf("mcpissuer: encode the token: %w", err)
	}
	return text, nil
}

// serveIntrospect handles introspection for clients with a secret or a key (RFC 7662).
func (i *Issuer) serveIntrospect(w http.ResponseWriter, r *http.Request) error {
	f, err := form(w, r)
	if err != nil {
		return err
	}
	c, err := i.authenticate(r, f)
	if err != nil {
		return err
	}
	if c.method == methodNone {
		return badClient()
	}
	// A client that registered itself is not a resource server.
	is, ok := i.active(f.Get("token"))
	if ok = ok && (i.clients[c.id] == c || is["client_id"] == c.id); !ok {
		writeJSON(w, http.StatusOK, map[string]any{"active": false})
		return nil
	}
	is["active"], is["token_type"] = true, "Bearer"
	if _, bound := is["cnf"]; bound {
		is["token_type"] = "DPoP"
	}
	writeJSON(w, http.StatusOK, is)
	return nil
}

// active returns the claims of an access token that is valid and not revoked. An unknown token is
// not active, since it may have been revoked.
func (i *Issuer) active(text string) (map[string]any, bool) {
	t, err := jose.ParseSignedCompact(text, []jose.SignatureAlgorithm{jose.ES256})
	if err != nil {
		return nil, false
	}
	payload, err := t.Verify(i.key.Public())
	var is map[string]any
	if err != nil || json.Unmarshal(payload, &is) != nil {
		return nil, false
	}
	ends, _ := is["exp"].(float64)
	id, _ := is["jti"].(string)
	if !time.Now().Before(unix(ends)) {
		return nil, false
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	known, ok := i.tokens.get(id)
	if !ok || known.revoked || known.family != nil && known.family.revoked {
		return nil, false
	}
	return is, true
}

// serveRevoke revokes a token of the client (RFC 7009). Revoking a refresh token ends the login.
// Servers that verify access tokens themselves do not notice a revocation.
func (i *Issuer) serveRevoke(w http.ResponseWriter, r *http.Request) error {
	f, err := form(w, r)
	if err != nil {
		return err
	}
	c, err := i.authenticate(r, f)
	if err != nil {
		return err
	}
	text := f.Get("token")
	is, active := i.active(text)
	i.revoke(c.id, text, is, active)
	w.WriteHeader(http.StatusOK)
	return nil
}

// revoke revokes a refresh token or an access token of a client.
func (i *Issuer) revoke(client, text string, is map[string]any, active bool) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if login, ok := i.refreshes.get(text); ok && login.client == client {
		login.revoked = true
	} else if id, _ := is["jti"].(string); active && is["client_id"] == client {
		if known, ok := i.tokens.get(id); ok {
			known.revoked = true
		}
	}
}
