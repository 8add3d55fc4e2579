package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/mcpgen/mcpgen/generator/internal/remote"
	"github.com/mcpgen/mcpgen/runtime/mcphttpclient"
	"github.com/mcpgen/mcpgen/runtime/mcplogin"
)

// needsLogin is the error of a request that requires a login, without a terminal.
type needsLogin struct {
	scopes []string // to request, if they are known
}

func (e *needsLogin) Error() string {
	if e.scopes != nil {
		return "the server requires a login with the scopes " + strings.Join(e.scopes, " ")
	}
	return "the server requires a login"
}

// line returns the login command.
func (e *needsLogin) line(invoked, server string) string {
	if e.scopes != nil {
		return invoked + " login -scopes " + word(strings.Join(e.scopes, ",")) + " " + word(server)
	}
	return invoked + " login " + word(server)
}

// loginAuth adds the token of a login to requests. Without a token a person logs in, if there is a
// terminal.
type loginAuth struct {
	*mcplogin.Login
	c       *command
	logins  *logins
	entry   loginEntry
	known   atomic.Bool // the file contains the entry
	broken  error       // the reason why logins cannot be used
	secrets *remote.Secrets
}

var _ mcphttpclient.Authorizer = (*loginAuth)(nil)

// authFor returns the Authorizer for a server, or nil if a login is meaningless.
func (c *command) authFor(address string, secrets *remote.Secrets) mcphttpclient.Authorizer {
	server, err := loginURL(address)
	if err != nil {
		return nil
	}
	a := &loginAuth{c: c, secrets: secrets}
	if a.logins, err = openLogins(); err == nil {
		var known bool
		a.entry, known, err = a.logins.entry(c.ctx, server)
		a.known.Store(known)
	}
	if err == nil {
		a.Login, err = a.logins.login(a.entry, func(config *mcplogin.Config) { config.OpenBrowser = a.openBrowser })
	}
	if err != nil {
		a.broken = err
		a.Login, err = mcplogin.New(mcplogin.Config{}) // for CacheKey
	}
	if err != nil {
		return nil
	}
	return a
}

// Authorize adds the token, and registers it as a secret.
func (a *loginAuth) Authorize(ctx context.Context, r *http.Request) error {
	if a.broken != nil {
		return nil // the server may accept the request
	}
	if err := a.Login.Authorize(ctx, r); err != nil {
		return err
	}
	a.secrets.Add("", http.Header{"Authorization": r.Header["Authorization"]}, "")
	return nil
}

// HandleChallenge logs in, or renews the token.
func (a *loginAuth) HandleChallenge(ctx context.Context, r *http.Request, resp *http.Response) error {
	if a.broken != nil {
		return a.broken
	}
	if !a.c.hasTerminal() {
		// Without a terminal only a stored login can be renewed: nothing is registered or requested
		// for a new one.
		state, err := a.State(ctx, a.entry.URL)
		if err != nil {
			return err
		}
		if state == nil {
			return new(needsLogin)
		}
	}
	ctx, done := context.WithCancel(ctx)
	defer done() // later lines belong to other readers
	if err := a.Login.HandleChallenge(ctx, r, resp); err != nil {
		return asFlags(err)
	}
	if a.known.Swap(true) {
		return nil
	}
	return a.logins.remember(context.WithoutCancel(ctx), a.entry)
}

// flagError is like another error, but names flags instead of options of package mcplogin.
type flagError struct{ error }

func (e *flagError) Error() string { return optionsAsFlags.Replace(e.error.Error()) }
func (e *flagError) Unwrap() error { return e.error }

func asFlags(err error) error { return &flagError{err} }

var optionsAsFlags = strings.NewReplacer(
	"set Config.Issuer and ClientID", "log in with -issuer and -client-id",
	"set Config.Issuer, ClientID and the credentials to those", "log in with those as -issuer and -client-id",
	"set Config.MetadataURL", "log in with -client-metadata",
	"Config.Issuer", "flag -issuer", "Config.Redirect", "flag -redirect", "Config.MetadataURL", "flag -client-metadata",
)

// openBrowser shows a person where to log in.
func (a *loginAuth) openBrowser(ctx context.Context, to string) error {
	if !a.c.hasTerminal() {
		u, err := url.Parse(to)
		if err != nil {
			return err
		}
		e := new(needsLogin)
		if scope := u.Query().Get("scope"); scope != "" {
			e.scopes = strings.Fields(scope)
		}
		return e
	}
	// A login that cannot be stored would be lost when the command exits.
	if err := a.logins.change(ctx, func(all []loginEntry) []loginEntry { return all }); err != nil {
		return err
	}
	a.c.noteln("%s requires a login.", a.entry.URL)
	return a.c.openBrowser(ctx, to)
}

// openBrowser opens the browser, prints the address, and reads the address at which the browser
// ended, for browsers on another machine. It returns at once.
func (c *command) openBrowser(ctx context.Context, to string) error {
	c.progress.clear()
	open := mcplogin.OpenBrowser
	if c.browser != nil {
		open = c.browser
	}
	if err := open(ctx, to); err != nil {
		return err
	}
	if !c.hasTerminal() {
		return nil
	}
	u, err := url.Parse(to)
	if err != nil {
		return err
	}
	c.noteln("If the browser is on another machine, it ends at an address that it cannot open: paste that one here.")
	go c.pasted(ctx, u.Query().Get("redirect_uri"))
	return nil
}

// pasted passes typed addresses on to the listener of the login, which checks them. ctx ends with
// the login.
func (c *command) pasted(ctx context.Context, redirect string) {
	for {
		text, err := c.readLine(ctx)
		if err != nil {
			return
		}
		// Only the listener of this login is called, whatever was typed.
		query, ok := strings.CutPrefix(text, redirect+"?")
		if !ok {
			c.noteln("That is not the address of this login, which begins with %s?", redirect)
			continue
		}
		if err := deliver(ctx, redirect, query); err != nil {
			c.noteln("That is not the address of this login: %v", err)
			continue
		}
		return
	}
}

// deliver sends the query of an authorization response to the listener of the login.
func deliver(ctx context.Context, redirect, query string) error {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, redirect, nil)
	if err != nil {
		return err
	}
	r.URL.RawQuery = query
	client := &http.Client{
		Transport:     &http.Transport{DisableKeepAlives: true}, // without a proxy
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	resp, err := client.Do(r)
	if err != nil {
		// The message contains the query, and with it the code.
		if failed, ok := errors.AsType[*url.Error](err); ok {
			err = failed.Err
		}
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	text, err := io.ReadAll(io.LimitReader(resp.Body, 1<<10))
	if err == nil && resp.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s", strings.TrimSpace(string(text)))
	}
	return err
}
