package mcpissuer

import (
	"crypto/rand"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// ticket is an authorization request that waits for a decision on the page.
type ticket struct {
	cookie    string // set in the browser that got the page
	client    *client
	redirect  string
	named     bool // the request contained redirect_uri
	state     string
	challenge string
	scopes    []string
	resources []string
	proofKey  string // the code is bound to it (RFC 9449, section 10)
}

// code is an authorization code.
type code struct {
	ticket
	persona string
	family  *family // the login that it began; nil until it is used
	used    bool
}

const cookieName = "mcpissuer"

// serveAuthorize shows the page, or handles the decision.
func (i *Issuer) serveAuthorize(w http.ResponseWriter, r *http.Request) error {
	h := w.Header()
	h.Set("X-Frame-Options", "DENY")
	h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'; base-uri 'none'")
	h.Set("Referrer-Policy", "same-origin") // with no-referrer the Origin of the form would be null
	if r.Method == http.MethodPost {
		return i.decide(w, r)
	}
	t, err := i.request(r)
	if err != nil {
		if e, ok := errors.AsType[*sendBack](err); ok {
			i.redirect(w, r, t, url.Values{"error": {e.code}, "error_description": {e.text}})
			return nil
		}
		return err
	}
	id := rand.Text()
	t.cookie = cookieOf(r)
	i.mu.Lock()
	i.tickets.put(id, t)
	i.mu.Unlock()
	http.SetCookie(w, &http.Cookie{
		Name: cookieName, Value: t.cookie, Path: r.URL.Path, MaxAge: int(ticketTime.Seconds()), HttpOnly: true, SameSite: http.SameSiteStrictMode,
		Secure: i.url.Scheme == "https",
	})
	return i.writePage(w, r, id, t)
}

// cookieOf returns the browser's cookie from another page, since a person may have two pages open,
// or a new cookie. A form needs the cookie and the ticket of its page, and this origin.
func cookieOf(r *http.Request) string {
	fresh := rand.Text()
	for _, c := range r.CookiesNamed(cookieName) {
		if len(c.Value) == len(fresh) {
			return c.Value
		}
	}
	return fresh
}

// sendBack is an error that is sent to the client by a redirect. Other errors, before the client
// and the address are verified, are shown by the issuer: it must not redirect browsers to
// unverified addresses.
type sendBack struct{ code, text string }

func (e *sendBack) Error() string { return e.code + ": " + e.text }

// request checks an authorization request (RFC 6749, section 4.1.1).
func (i *Issuer) request(r *http.Request) (*ticket, error) {
	q, err := url.ParseQuery(r.URL.RawQuery)
	if err == nil {
		err = once(q)
	}
	if err != nil || len(q.Get("client_id")) > maxTextBytes {
		return nil, invalid("invalid_request", "the query is not valid, or a parameter comes twice")
	}
	c, err := i.find(r.Context(), q.Get("client_id"))
	if err != nil {
		return nil, err
	}
	to, ok := c.redirect(q.Get("redirect_uri"))
	if !ok {
		return nil, invalid("invalid_request", "redirect_uri is not one that the client has registered")
	}
	// The ticket must not retain the whole query string.
	t := &ticket{
		client: c, redirect: strings.Clone(to), named: q.Has("redirect_uri"), state: strings.Clone(q.Get("state")), challenge: strings.Clone(q.Get("code_challenge")),
		scopes: strings.Fields(strings.Clone(q.Get("scope"))), resources: q["resource"], proofKey: strings.Clone(q.Get("dpop_jkt")),
	}
	if len(t.resources) == 0 {
		t.resources = i.o.Resources[:1]
	}
	switch {
	case len(t.state) > maxTextBytes || len(q.Get("scope")) > maxTextBytes || len(t.scopes) > maxScopes || len(t.proofKey) > 100:
		return t, &sendBack{"invalid_request", "a parameter is too long"}
	case q.Has("request") || q.Has("request_uri"):
		return t, &sendBack{"request_not_supported", "requests are parameters here"}
	case q.Get("response_type") != "code":
		return t, &sendBack{"unsupported_response_type", "response_type must be code"}
	case q.Has("response_mode") && q.Get("response_mode") != "query":
		return t, &sendBack{"invalid_request", "response_mode must be query"}
	case q.Get("code_challenge_method") != "S256" || !isVerifier(t.challenge):
		return t, &sendBack{"invalid_request", "code_challenge with the method S256 is needed"}
	case slices.ContainsFunc(t.scopes, func(s string) bool { return !isScope(s) }):
		return t, &sendBack{"invalid_scope", "a scope has a character that scopes do not have"}
	case slices.ContainsFunc(t.resources, func(s string) bool { return !slices.Contains(i.o.Resources, s) }):
		return t, &sendBack{"invalid_target", "resource is not a server that this issuer has tokens for"}
	}
	t.scopes, t.resources = distinct(t.scopes), slices.DeleteFunc(slices.Clone(i.o.Resources), func(s string) bool { return !slices.Contains(t.resources, s) })
	return t, nil
}

// isVerifier reports whether a text has the form of a PKCE verifier (RFC 7636, section 4.1), which
// is also the form of a challenge.
func isVerifier(s string) bool {
	return len(s) >= 43 && len(s) <= 128 && !strings.ContainsFunc(s, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune("-._~", r)
	})
}

// decide handles a person's decision. The form must come from the page that this issuer sent to
// this browser.
func (i *Issuer) decide(w http.ResponseWriter, r *http.Request) error {
	refuse := func(text string) error {
		return &failure{status: http.StatusForbidden, code: "access_denied", text: text}
	}
	if scheme, host, _ := strings.Cut(r.Header.Get("Origin"), "://"); scheme != i.url.Scheme || !i.isHost(host) {
		return refuse("the form is not from a page of the issuer")
	}
	f, err := form(w, r)
	if err != nil {
		return err
	}
	cookies := r.CookiesNamed(cookieName)
	i.mu.Lock()
	t, ok := i.tickets.get(f.Get("ticket"))
	if ok = ok && slices.ContainsFunc(cookies, func(c *http.Cookie) bool { return equal(c.Value, t.cookie) }); ok {
		i.tickets.take(f.Get("ticket"))
	}
	i.mu.Unlock()
	if !ok {
		return refuse("the page is too old, was used, or is from another browser: log in again")
	}
	who, ok := i.persona(f.Get("persona"))
	if f.Get("decision") != "allow" || !ok {
		i.redirect(w, r, t, url.Values{"error": {"access_denied"}, "error_description": {"the person at the page has not allowed it"}})
		return nil
	}
	if len(t.scopes) == 0 {
		t.scopes = i.scopes()
	}
	t.scopes = slices.DeleteFunc(who.allows(t.scopes), func(s string) bool { return !slices.Contains(f["scopes"], s) })
	text := rand.Text()
	i.mu.Lock()
	i.codes.put(text, &code{ticket: *t, persona: who.Name})
	i.mu.Unlock()
	i.log.LogAttrs(r.Context(), slog.LevelInfo, "logged in for development", slog.String("persona", who.Name),
		slog.String("client", t.client.shown()), slog.Any("scopes", t.scopes))
	i.redirect(w, r, t, url.Values{"code": {text}})
	return nil
}

// redirect redirects the browser to the client, with the issuer (RFC 9207).
func (i *Issuer) redirect(w http.ResponseWriter, r *http.Request, t *ticket, values url.Values) {
	values.Set("iss", i.o.URL)
	if t.state != "" {
		values.Set("state", t.state)
	}
	to := t.redirect
	if strings.Contains(to, "?") {
		to += "&" + values.Encode()
	} else {
		to += "?" + values.Encode()
	}
	w.Header().Set("Referrer-Policy", "no-referrer")
	http.Redirect(w, r, to, http.StatusSeeOther)
}
