package mcplogin

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/fetch"
)

// account is the token for one server.
type account struct {
	l      *Login
	server *url.URL
	name   string // canonical URL of the server
	key    string // of the store

	mu  sync.Mutex // protects rec, and is held briefly
	rec *record    // as it was read last; nil if there was none
}

// record is a token in the store, with everything that renews it. It is immutable.
type record struct {
	ID        string       `json:"id"` // of the login; stays when the token is renewed
	Server    string       `json:"server"`
	Resource  string       `json:"resource"`
	Issuer    string       `json:"issuer"`
	Endpoint  string       `json:"endpoint"` // token endpoint
	Revoke    string       `json:"revoke,omitempty"`
	Remote    string       `json:"remote,omitempty"`
	Client    registration `json:"client"`
	Kind      string       `json:"kind"`
	Access    string       `json:"access"`
	Refresh   string       `json:"refresh,omitempty"`
	Expires   time.Time    `json:"expires,omitzero"`
	Requested []string     `json:"requested,omitempty"` // scopes, of all logins
	Granted   []string     `json:"granted,omitempty"`
	Key       []byte       `json:"key,omitempty"` // for DPoP, PKCS #8

	proof *proofKey
}

// early is the time before its expiry at which a token is renewed.
const early = 10 * time.Second

func (r *record) expired(early time.Duration) bool {
	return !r.Expires.IsZero() && time.Until(r.Expires) < early
}

// known returns the token that was read last.
func (a *account) known() *record {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.rec
}

// read reads the token from the store; nil without one.
func (a *account) read(ctx context.Context) (*record, error) {
	data, err := a.l.store.Get(ctx, a.key)
	if err != nil {
		// A login now would be for nothing: it could not be kept.
		return nil, a.failed("read the login", err)
	}
	rec := new(record)
	if data == nil || json.Unmarshal(data, rec) != nil || rec.Server != a.name || rec.Access == "" {
		rec = nil
	}
	if rec != nil && rec.Key != nil {
		var err error
		if rec.proof, err = parseProofKey(rec.Key); err != nil {
			rec = nil // it cannot be used
		}
	}
	if rec != nil && rec.Kind == "DPoP" && rec.proof == nil {
		rec = nil
	}
	a.mu.Lock()
	a.rec = rec
	a.mu.Unlock()
	return rec, nil
}

// write stores a token. It is stored before it is used, so that a crash does not lose a refresh
// token that replaced another.
func (a *account) write(ctx context.Context, rec *record) error {
	if err := a.l.save(context.WithoutCancel(ctx), a.key, rec); err != nil {
		return err
	}
	a.mu.Lock()
	a.rec = rec
	a.mu.Unlock()
	return nil
}

// current returns the token to send; nil without one. It renews an expired token if possible.
func (a *account) current(ctx context.Context) (*record, error) {
	rec := a.known()
	if rec == nil {
		var err error
		if rec, err = a.read(ctx); rec == nil || err != nil {
			return nil, err
		}
	}
	if !rec.expired(early) || rec.Refresh == "" {
		return rec, nil
	}
	unlock, err := a.l.store.Lock(ctx, a.key)
	if err != nil {
		return nil, a.failed("wait for another login", err)
	}
	defer unlock()
	latest, err := a.read(ctx)
	if err != nil || latest == nil || !latest.expired(early) || latest.Refresh == "" {
		return latest, err
	}
	renewed, err := a.refresh(ctx, latest)
	switch {
	case err == nil:
		return renewed, nil
	case !latest.expired(0):
		return latest, nil // still valid; the next request tries again
	case invalidGrant(err):
		return latest, nil // the server refuses it, and HandleChallenge logs in
	}
	return nil, a.failed("renew the token", err)
}

// failed wraps an error with the name of the server.
func (a *account) failed(what string, err error) error {
	return fmt.Errorf("%s for %s: %w", what, quote(a.name), err)
}

// obtain gets a token other than sent. It reports whether it asked the authorization server for it:
// the store may already contain another. With stepUp the token must have more scopes.
func (a *account) obtain(ctx context.Context, from fetch.Peer, d demand, sent string, stepUp bool) (fresh bool, err error) {
	unlock, err := a.l.store.Lock(ctx, a.key)
	if err != nil {
		return false, a.failed("wait for another login", err)
	}
	defer unlock()
	rec, err := a.read(ctx)
	if err != nil {
		return false, err
	}
	if rec != nil && rec.Access != sent && !rec.expired(0) {
		return false, nil // another request, or another process, has got one
	}
	if rec != nil && rec.Refresh != "" && !stepUp && sent != "" {
		_, err := a.refresh(ctx, rec)
		if err == nil {
			return true, nil
		}
		if !invalidGrant(err) {
			return false, a.failed("renew the token", err)
		}
	}
	t, err := a.l.prepare(ctx, from, d, rec)
	if err == nil {
		err = a.login(ctx, t)
	}
	if err != nil {
		return false, a.failed("log in", err)
	}
	return true, nil
}

// refresh renews a token by its refresh token (RFC 6749, section 6). A refresh token that the
// authorization server refuses is dropped.
func (a *account) refresh(ctx context.Context, rec *record) (*record, error) {
	from := a.peer(rec)
	t, err := a.l.requestToken(ctx, &tokenRequest{
		from: from, endpoint: rec.Endpoint, issuer: rec.Issuer, client: a.l.credentials(rec.Client), key: rec.proof,
		form: url.Values{"grant_type": {"refresh_token"}, "refresh_token": {rec.Refresh}, "resource": {rec.Resource}},
	})
	if err != nil {
		if unknownClient(err) {
			a.l.forget(ctx, rec.Issuer, rec.Client.ID)
		}
		if invalidGrant(err) {
			dropped := *rec
			dropped.Refresh = ""
			if err := a.write(ctx, &dropped); err != nil {
				return nil, err
			}
		}
		return nil, err
	}
	next := *rec
	next.take(t)
	return &next, a.write(ctx, &next)
}

// credentials returns the client of a record, with the credentials of the Config, which are never
// stored.
func (l *Login) credentials(stored registration) *registration {
	if stored.ID == l.c.ClientID && stored.Issuer == l.c.Issuer {
		stored.Secret = l.c.ClientSecret
	}
	return &stored
}

// peer returns the server of a token, at its address when the token was obtained.
func (a *account) peer(rec *record) fetch.Peer {
	p := fetch.Peer{URL: a.server}
	p.SetRemote(rec.Remote)
	return p
}

// take applies the response of a token endpoint.
func (r *record) take(t *token) {
	r.Access, r.Kind, r.Expires = t.access, t.kind, t.expires
	if t.refresh != "" {
		r.Refresh = t.refresh
	}
	if t.scopes != nil {
		r.Granted = slices.Sorted(slices.Values(t.scopes))
	}
	if r.Kind != "DPoP" {
		r.proof, r.Key = nil, nil
	}
}

// invalidGrant reports whether an authorization server does not accept a refresh token, or its
// client, any more.
func invalidGrant(err error) bool {
	e, ok := errors.AsType[*OAuthError](err)
	return ok && (e.Code == "invalid_grant" || e.Code == "invalid_client" || e.Code == "unauthorized_client" || e.Code == "unsupported_grant_type")
}

// unknownClient reports whether an authorization server does not accept the client, which it may
// have forgotten.
func unknownClient(err error) bool {
	e, ok := errors.AsType[*OAuthError](err)
	return ok && e.Code == "invalid_client"
}

// login gets a token by the grant.
func (a *account) login(ctx context.Context, t *attempt) error {
	got, err := a.l.grant.token(ctx, t)
	if err != nil {
		return err
	}
	next, err := t.record(a.name, got)
	if err != nil {
		return err
	}
	return a.write(ctx, next)
}

// prepare discovers where to get a token, and which scopes to ask for: the scopes that the server
// asks for and the scopes of earlier logins.
func (l *Login) prepare(ctx context.Context, from fetch.Peer, d demand, rec *record) (*attempt, error) {
	t := &attempt{from: from}
	var err error
	if t.res, err = l.discoverResource(ctx, from, d); err != nil {
		return nil, err
	}
	name, err := l.selectIssuer(t.res)
	if err != nil {
		return nil, err
	}
	if t.as, err = l.discoverIssuer(ctx, from, t.res, name); err != nil {
		return nil, err
	}
	wanted := d.scopes
	if wanted == nil {
		wanted = t.res.scopes
	} else if d.all {
		if all := union(wanted, t.res.scopes); len(all) <= maxScopes {
			wanted = all
		}
	}
	if rec != nil && rec.Issuer == t.as.Issuer {
		had := rec.Requested
		if len(had) == 0 && len(wanted) > 0 {
			had = rec.Granted // the login named no scopes and got the default ones
		}
		wanted = union(had, wanted)
	}
	if len(wanted) > maxScopes {
		return nil, fmt.Errorf("the server wants more than %d scopes", maxScopes)
	}
	t.scopes = l.c.scopes(wanted)
	if err := l.bind(t, d, rec); err != nil {
		return nil, err
	}
	return t, nil
}

// bind decides whether the token is bound to a key.
func (l *Login) bind(t *attempt, d demand, rec *record) (err error) {
	supported := contains(t.as.DPoPAlgorithms, proofAlgorithm)
	wanted := t.res.dpop || t.res.bound || d.dpop
	switch {
	case l.c.DPoP == DPoPOff || l.c.DPoP == DPoPIfOffered && !(supported && wanted):
		return nil
	case l.c.DPoP == DPoPRequire && !supported:
		return fmt.Errorf("Config.DPoP is DPoPRequire, but the authorization server %s does not support the algorithm %s (dpop_signing_alg_values_supported)", quote(t.as.Issuer), proofAlgorithm)
	}
	if rec != nil && rec.proof != nil && rec.Issuer == t.as.Issuer {
		t.key = rec.proof
		return nil
	}
	t.key, err = newProofKey()
	return err
}

// request returns a request to the token endpoint of an attempt.
func (t *attempt) request(form url.Values) *tokenRequest {
	form.Set("resource", t.res.id)
	return &tokenRequest{from: t.from, endpoint: t.as.TokenEndpoint, issuer: t.as.Issuer, client: t.client, form: form, key: t.key}
}

// record returns the record to store for a token.
func (t *attempt) record(server string, got *token) (*record, error) {
	if t.key != nil && got.kind != "DPoP" {
		t.key = nil
	}
	r := &record{
		ID: rand.Text(), Server: server, Resource: t.res.id, Issuer: t.as.Issuer, Endpoint: t.as.TokenEndpoint, Revoke: t.as.RevocationEndpoint,
		Client: *t.client, Requested: t.scopes, Granted: slices.Sorted(slices.Values(t.scopes)), proof: t.key,
	}
	if t.from.Remote.IsValid() {
		r.Remote = t.from.Remote.String()
	}
	if t.client.given {
		r.Client.Secret = ""
	}
	r.take(got)
	if r.proof != nil {
		var err error
		if r.Key, err = r.proof.marshal(); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// forget deletes the token, and revokes it.
func (a *account) forget(ctx context.Context) error {
	unlock, err := a.l.store.Lock(ctx, a.key)
	if err != nil {
		return a.failed("wait for another login", err)
	}
	defer unlock()
	rec, err := a.read(ctx)
	if err != nil || rec == nil {
		return err
	}
	if err := a.l.store.Put(ctx, a.key, nil); err != nil {
		return a.failed("delete the token", err)
	}
	a.mu.Lock()
	a.rec = nil
	a.mu.Unlock()
	a.l.forget(ctx, rec.Issuer, rec.Client.ID)
	if rec.Revoke == "" {
		return nil
	}
	return a.revoke(ctx, rec)
}

// revoke revokes the refresh token, or else the access token (RFC 7009).
func (a *account) revoke(ctx context.Context, rec *record) error {
	form := url.Values{"token": {rec.Refresh}, "token_type_hint": {"refresh_token"}}
	if rec.Refresh == "" {
		form = url.Values{"token": {rec.Access}, "token_type_hint": {"access_token"}}
	}
	q := &tokenRequest{from: a.peer(rec), endpoint: rec.Revoke, issuer: rec.Issuer, client: a.l.credentials(rec.Client), form: form}
	endpoint, err := q.from.CheckURL(q.endpoint)
	if err != nil {
		return a.failed("revoke the token", err)
	}
	header, body, err := a.l.tokenMessage(q, endpoint)
	if err != nil {
		return a.failed("revoke the token", err)
	}
	_, _, err = a.l.http.Post(ctx, q.from, q.endpoint, header, body)
	if status, ok := errors.AsType[*fetch.Status](err); ok && status.Code == http.StatusOK {
		err = nil // the response has no body (RFC 7009, section 2.2)
	}
	if err != nil {
		return a.failed("the token is deleted here, but it was not revoked", oauthError(err))
	}
	return nil
}
