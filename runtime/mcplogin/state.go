package mcplogin

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"time"
)

// State describes a login in the Store, without secrets.
type State struct {
	Server    string    // URL
	Issuer    string    // authorization server
	ClientID  string    // of the client at Issuer
	Scopes    []string  // granted, sorted
	Refused   []string  // requested and not granted, sorted, without offline_access
	Expires   time.Time // of the access token; zero if that is not known
	Renewable bool      // the Store contains a refresh token
}

// State returns the stored login for a server, nil without one. It contacts no server. An error is
// from the Store.
func (l *Login) State(ctx context.Context, server string) (*State, error) {
	a, err := l.accountOf(server)
	if err != nil {
		return nil, err
	}
	rec, err := a.read(ctx)
	if err != nil || rec == nil {
		return nil, err
	}
	refused := slices.DeleteFunc(slices.Sorted(slices.Values(rec.Requested)), func(s string) bool {
		return s == offlineAccess || contains(rec.Granted, s)
	})
	return &State{
		Server: rec.Server, Issuer: rec.Issuer, ClientID: rec.Client.ID, Scopes: slices.Clone(rec.Granted), Refused: refused,
		Expires: rec.Expires, Renewable: rec.Refresh != "",
	}, nil
}

// LogIn gets a token for a server now, and replaces an existing one. No request says which scopes
// it needs, so a person is asked for all that the server publishes, and, if the authorization
// server refuses these, for the scopes that the server's refusal names. Scopes of earlier logins
// are asked for as well, and Config.Scopes may choose others.
func (l *Login) LogIn(ctx context.Context, server string) error {
	a, err := l.accountOf(server)
	if err != nil {
		return err
	}
	unlock, err := l.store.Lock(ctx, a.key)
	if err != nil {
		return a.failed("wait for another login", err)
	}
	defer unlock()
	rec, err := a.read(ctx)
	if err != nil {
		return err
	}
	d, from, err := l.probe(ctx, a)
	if err != nil {
		return a.failed("log in", err)
	}
	_, d.all = l.grant.(*codeGrant)
	t, err := l.prepare(ctx, from, d, rec)
	if err != nil {
		return a.failed("log in", err)
	}
	asked := t.scopes
	err = a.login(ctx, t)
	if refused, ok := errors.AsType[*OAuthError](err); ok && refused.Code == "invalid_scope" {
		d.all = false
		if t, fewer := l.prepare(ctx, from, d, rec); fewer == nil && !slices.Equal(t.scopes, asked) {
			err = a.login(ctx, t)
		}
	}
	if err != nil {
		return a.failed("log in", err)
	}
	return nil
}

// Discover returns the authorization server that a login at a server would use: Config.Issuer, or
// else the first that the server names.
func (l *Login) Discover(ctx context.Context, server string) (issuer string, err error) {
	a, err := l.accountOf(server)
	if err != nil {
		return "", err
	}
	d, from, err := l.probe(ctx, a)
	if err != nil {
		return "", a.failed("find the authorization server", err)
	}
	res, err := l.discoverResource(ctx, from, d)
	if err == nil {
		issuer, err = l.selectIssuer(res)
	}
	if err != nil {
		return "", a.failed("find the authorization server", err)
	}
	return issuer, nil
}

// accountOf returns the account for a server.
func (l *Login) accountOf(server string) (*account, error) {
	u, err := url.Parse(server)
	if err != nil {
		return nil, fmt.Errorf("the URL %s of the server is not valid", quote(server))
	}
	return l.account(u)
}
