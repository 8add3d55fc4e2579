package mcplogin

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"time"
)

// State is what the Store has of a login, without secrets.
type State struct {
	Server    string    // URL
	Issuer    string    // authorization server
	ClientID  string    // of the client at Issuer
	Scopes    []string  // granted, sorted
	Expires   time.Time // of the access token; zero if that is not known
	Renewable bool      // there is a refresh token
}

// State returns what is kept for a server, nil if there is no token. It contacts no server. An
// error is that of the Store.
func (l *Login) State(ctx context.Context, server string) (*State, error) {
	a, err := l.accountOf(server)
	if err != nil {
		return nil, err
	}
	rec, err := a.read(ctx)
	if err != nil || rec == nil {
		return nil, err
	}
	return &State{
		Server: rec.Server, Issuer: rec.Issuer, ClientID: rec.Client.ID, Scopes: slices.Clone(rec.Granted),
		Expires: rec.Expires, Renewable: rec.Refresh != "",
	}, nil
}

// LogIn gets a token for a server now, also where there is one, which it replaces. It asks for the
// scopes that the server names, and for those of earlier logins.
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
	if err == nil {
		err = a.login(ctx, from, d, rec)
	}
	if err != nil {
		return a.failed("log in", err)
	}
	return nil
}

// Discover returns the authorization server that a login at a server would use: the one of the
// Config, or else the first that the server names.
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

// accountOf returns what belongs to a server.
func (l *Login) accountOf(server string) (*account, error) {
	u, err := url.Parse(server)
	if err != nil {
		return nil, fmt.Errorf("the URL %s of the server is not valid", quote(server))
	}
	return l.account(u)
}
