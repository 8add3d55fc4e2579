package mcpauth

import (
	"slices"
	"strings"
	"time"
)

// claimsOf reads the claims of a token, of a JWT or of the answer of an introspection endpoint.
type claimsOf struct {
	issuer, method          string
	audience                string
	audienceFrom, rolesFrom func(claims map[string]any) []string
	clients                 []string
	needsExpiry             bool
}

// checkAccessToken refuses tokens for other purposes that an issuer signs by the same keys.
func checkAccessToken(claims map[string]any) error {
	for _, name := range []string{"nonce", "at_hash", "c_hash", "s_hash"} {
		if _, there := claims[name]; there {
			return refuse("the token is an ID token: it has the claim %s", name)
		}
	}
	if _, there := claims["events"]; there {
		return refuse("the token is a security event")
	}
	if use, there := claims["token_use"]; there && use != "access" && use != "access_token" {
		return refuse("the token is not an access token by its claim token_use")
	}
	switch kind, _ := claims["typ"].(string); strings.ToLower(kind) {
	case "id", "refresh", "offline", "logout":
		return refuse("the token is not an access token by its claim typ")
	}
	return nil
}

// check checks the claims that need no function of the program, so that it may run before the
// signature is verified.
func (o *claimsOf) check(claims map[string]any, c *Credential) error {
	if err := checkAccessToken(claims); err != nil {
		return err
	}
	if err := checkDates(claims, c.clockLeeway(), o.needsExpiry); err != nil {
		return err
	}
	if o.audienceFrom != nil {
		return nil
	}
	audiences, ok := texts(claims, "aud")
	return o.checkAudience(audiences, ok, c.Resource)
}

// read returns the verified claims. It is called after check, with claims that the issuer is known
// to have signed.
func (o *claimsOf) read(claims map[string]any, c *Credential) (*verified, error) {
	if o.audienceFrom != nil {
		if err := o.checkAudience(o.audienceFrom(claims), true, c.Resource); err != nil {
			return nil, err
		}
	}
	expires, _, _ := date(claims, "exp")
	i := &Identity{Issuer: o.issuer, Method: o.method, Expires: expires, Claims: claims}
	subject, ok := text(claims, "sub")
	if !ok {
		return nil, refuse("the claim sub is not a text")
	}
	for _, name := range []string{"client_id", "azp", "cid", "appid"} {
		if i.Client, _ = claims[name].(string); i.Client != "" {
			break
		}
	}
	if len(o.clients) > 0 && !slices.Contains(o.clients, i.Client) {
		return nil, refuse("the client of the token is not one of those that are allowed")
	}
	i.Machine = isMachine(claims, subject, i.Client)
	if i.Subject = subject; subject == "" {
		i.Subject = i.Client
	}
	if i.Subject == "" {
		return nil, refuse("the token has neither the claim sub nor client_id")
	}
	if i.Scopes, ok = scopesOf(claims); !ok {
		return nil, refuse("the scopes of the token are neither a text nor a list of texts")
	}
	if o.rolesFrom != nil {
		i.Roles = o.rolesFrom(claims)
	} else if i.Roles, ok = texts(claims, "roles"); !ok {
		return nil, refuse("the claim roles is not a list of texts")
	}
	if i.TokenID, _ = claims["jti"].(string); i.TokenID == "" || len(i.TokenID) > 256 {
		i.TokenID = tokenID(c.Token)
	}
	i.Actors = actorsOf(claims)
	i.id, i.permission = i.ID(), &permission{c.guard, i}
	token := c.Token
	i.token = func() string { return token }
	bound, err := readConfirmation(claims)
	if err != nil {
		return nil, err
	}
	return &verified{i, bound}, nil
}

// checkDates checks when a token is valid (RFC 7519, sections 4.1.4 to 4.1.6).
func checkDates(claims map[string]any, leeway time.Duration, needsExpiry bool) error {
	now := time.Now()
	expires, there, ok := date(claims, "exp")
	switch {
	case !ok:
		return refuse("the claim exp is not a date")
	case !there && needsExpiry:
		return refuse("the token has no claim exp")
	case there && !now.Before(expires.Add(leeway)):
		return refuse("the token has expired")
	}
	for _, name := range []string{"nbf", "iat"} {
		at, there, ok := date(claims, name)
		switch {
		case !ok:
			return refuse("the claim %s is not a date", name)
		case there && now.Add(leeway).Before(at):
			return refuse("the token is not valid yet, by its claim %s", name)
		}
	}
	return nil
}

// checkAudience checks that the token is meant for this server (RFC 8707, RFC 9068 section 4).
func (o *claimsOf) checkAudience(audiences []string, ok bool, resource string) error {
	if !ok {
		return refuse("the audience of the token is neither a text nor a list of texts")
	}
	for _, a := range audiences {
		if a != "" && (a == o.audience || resource != "" && sameResource(a, resource)) {
			return nil
		}
	}
	return refuse("the token is not meant for this server: its audience is another one")
}

// sameResource reports whether an audience is the URL of the server, ignoring the slash of a URL
// without path (RFC 3986, section 6.2.3).
func sameResource(audience, resource string) bool {
	return audience == resource || withoutRoot(audience) == withoutRoot(resource)
}

// withoutRoot removes the slash of a URL whose path is "/".
func withoutRoot(s string) string {
	scheme, rest, ok := strings.Cut(s, "://")
	if host, ok2 := strings.CutSuffix(rest, "/"); ok && ok2 && !strings.ContainsAny(host, "/?") {
		return scheme + "://" + host
	}
	return s
}

// isMachine reports whether a token was issued to a client for itself (RFC 6749, section 4.4), as
// far as its claims tell.
func isMachine(claims map[string]any, subject, client string) bool {
	switch {
	case subject == "":
		return true
	case client != "" && (subject == client || subject == client+"@clients"):
		return true
	}
	return claims["idtyp"] == "app" || claims["gty"] == "client-credentials"
}

// scopesOf returns the scopes of a token: the claim scope (RFC 9068, section 2.2.3) or else scp,
// which some issuers send. In a string they are separated by spaces.
func scopesOf(claims map[string]any) (scopes []string, ok bool) {
	name := "scope"
	if _, there := claims[name]; !there {
		name = "scp"
	}
	values, ok := texts(claims, name)
	for _, v := range values {
		for s := range strings.SplitSeq(v, " ") {
			if s != "" && !slices.Contains(scopes, s) {
				scopes = append(scopes, s)
			}
		}
	}
	return scopes, ok
}

// actorsOf returns who acts for the subject, the present actor first.
func actorsOf(claims map[string]any) (actors []string) {
	for {
		act, ok := claims["act"].(map[string]any)
		if !ok {
			return actors
		}
		if subject, _ := act["sub"].(string); subject != "" {
			actors = append(actors, subject)
		}
		claims = act
	}
}
