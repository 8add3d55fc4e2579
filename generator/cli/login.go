package cli

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/mcpgen/mcpgen/generator/internal/remote"
	"github.com/mcpgen/mcpgen/runtime/mcplogin"
)

const helpLogin = `usage: mcpgen login [flags] URL
       mcpgen login -list [-json]

Logs in to the server at URL with a browser, and keeps the login for later
commands: list, call, read and prompt use and renew it. On a terminal they log
in by themselves, with the scopes that a call needs; login requests all scopes
that the server publishes, and prints those that are granted. The address of the
login is printed as well. If you open it on another machine, paste the address
at which the browser ends.

Logins are stored in mcpgen/logins.json in the configuration directory of the
user, with mode 0600. The server names its authorization server; mcpgen
registers itself there, unless a flag gives a client, which is kept with the
login:

	-client-id ID
	            the id of a client that is registered at the authorization
	            server
	-issuer URL with -client-id: that authorization server, if the server
	            names several, or to be sure of it
	-client-metadata URL
	            the metadata document of a client, which is its id
	-redirect URL
	            the redirect URI of the client, if it has to have a certain
	            port: http://127.0.0.1:7777/callback
	-scopes NAME,...
	            ask for these, and not for all that the server publishes
	-timeout TIME
	            wait for the browser that long; default: 10m
	-list       show the logins, without their tokens; with -json as one
	            object
`

const helpLogout = `usage: mcpgen logout URL

Deletes the login to the server at URL, and revokes its tokens where the
authorization server can do that.
`

// loginTime limits the time that a person may take.
const loginTime = 10 * time.Minute

// login logs in to a server, or lists the logins.
func (c *command) login(args []string) int {
	f := newFlags("login")
	var e loginEntry
	var scopes []string
	list := f.Bool("list", false, "")
	asJSON := f.Bool("json", false, "")
	wait := f.Duration("timeout", loginTime, "")
	f.StringVar(&e.ClientID, "client-id", "", "")
	f.StringVar(&e.Issuer, "issuer", "", "")
	f.StringVar(&e.Metadata, "client-metadata", "", "")
	f.StringVar(&e.Redirect, "redirect", "", "")
	f.Func("scopes", "", words(&scopes))
	rest, code, ok := c.parse(f, args)
	if !ok {
		return code
	}
	empty := ""
	for name, value := range map[string]string{"client-id": e.ClientID, "issuer": e.Issuer, "client-metadata": e.Metadata, "redirect": e.Redirect} {
		if value == "" && given(f, name) {
			empty = name
		}
	}
	switch {
	case empty != "":
		return c.usage("login", "flag -"+empty+" is empty", "leave it out, or give it a value")
	case *list && (len(rest) > 0 || f.NFlag() > 2 || f.NFlag() > 1 && !*asJSON):
		return c.usage("login", "flag -list is for all logins", "give it alone, or with -json: "+c.invoked+" login -list")
	case *list:
		return c.listLogins(*asJSON)
	case *asJSON:
		return c.usage("login", "flag -json has no meaning without -list", "write "+c.invoked+" login -list -json")
	case e.ClientID != "" && e.Metadata != "":
		return c.usage("login", "-client-id and -client-metadata do not go together", "the URL of a metadata document is the id of its client: give one of them")
	case e.Issuer != "" && e.ClientID == "":
		return c.usage("login", "flag -issuer has no meaning without -client-id", "it is where the client is registered: add -client-id ID")
	case *wait <= 0:
		return c.usage("login", "flag -timeout is not positive", "write a time such as 10m")
	}
	if code := c.serverOf("login", rest, &e); code != exitDone {
		return code
	}
	return c.logIn(e, scopes, *wait)
}

// given reports whether a flag was set on the command line.
func given(f *flags, name string) (ok bool) {
	f.Visit(func(def *flag.Flag) { ok = ok || def.Name == name })
	return ok
}

// serverOf sets the server of an entry to the operand of a command.
func (c *command) serverOf(name string, rest []string, e *loginEntry) (code int) {
	switch {
	case len(rest) == 0:
		return c.usage(name, "the URL of the server is missing", "write it as clients do: "+c.invoked+" "+name+" https://mcp.example.com/mcp")
	case len(rest) > 1:
		return c.usage(name, name+" takes one URL", "")
	}
	server, err := loginURL(rest[0])
	if err != nil {
		shown := rest[0]
		if remote.HasUser(shown) {
			shown = "the URL"
		}
		return c.usage(name, fmt.Sprintf("%s: %v", shown, err), "write the URL of the server as clients do: https://mcp.example.com/mcp")
	}
	e.URL = server
	return exitDone
}

// logIn logs in to the server of an entry.
func (c *command) logIn(e loginEntry, scopes []string, wait time.Duration) int {
	c.hide(e.URL, nil, "")
	all, err := openLogins()
	if err != nil {
		return c.fail(err)
	}
	ctx, cancel := context.WithTimeoutCause(c.ctx, wait, fmt.Errorf("there was no login within %v (-timeout)", wait))
	defer cancel()
	// Check that the login can be stored before a person does anything.
	if err := all.change(ctx, func(list []loginEntry) []loginEntry { return list }); err != nil {
		return c.fail(err)
	}
	if known, ok, err := all.entry(ctx, e.URL); err == nil && ok && e == (loginEntry{URL: e.URL}) {
		e = known // the client was given before
	}
	change := func(config *mcplogin.Config) {
		config.OpenBrowser = c.openBrowser
		if scopes != nil {
			config.Scopes = func([]string) []string { return scopes }
		}
	}
	c.progress.begin("looking for the authorization server of " + e.URL)
	if e.ClientID != "" && e.Issuer == "" {
		finder, err := all.login(loginEntry{URL: e.URL}, change)
		if err == nil {
			e.Issuer, err = finder.Discover(ctx, e.URL)
		}
		if err != nil {
			return c.loginFailed(&e, err)
		}
	}
	login, err := all.login(e, change)
	if err != nil {
		return c.usage("login", strings.TrimPrefix(asFlags(err).Error(), "mcplogin: "), "")
	}
	err = login.LogIn(ctx, e.URL)
	cancel() // later lines belong to other readers
	ctx = c.ctx
	c.progress.end()
	if err != nil {
		return c.loginFailed(&e, err)
	}
	if err := all.remember(ctx, e); err != nil {
		return c.fail(err)
	}
	state, err := login.State(ctx, e.URL)
	if err != nil || state == nil {
		return c.fail(errors.Join(errors.New("the login is not in "+all.path), err))
	}
	c.noteln("logged in to %s at %s, %s", state.Server, shown(state.Issuer), withScopes(state.Scopes))
	if len(state.Refused) > 0 {
		c.noteln("\tnot granted: %s; the server refuses requests that need them", shown(strings.Join(state.Refused, " ")))
	}
	return exitDone
}

func withScopes(scopes []string) string {
	if len(scopes) == 0 {
		return "without scopes"
	}
	return "with the scopes " + shown(strings.Join(scopes, " "))
}

// loginFailed reports a failed login, with a hint.
func (c *command) loginFailed(e *loginEntry, err error) int {
	c.progress.end()
	code := c.fail(asFlags(err))
	if c.ctx.Err() == nil && errors.Is(err, mcplogin.ErrUnregistered) {
		redirect := e.Redirect
		if redirect == "" {
			redirect = "http://127.0.0.1/callback, at any port"
		}
		c.noteln("\thint: register a client there, with the redirect URI %s; then: %s login -client-id ID %s", redirect, c.invoked, word(e.URL))
	}
	return code
}

// logout deletes the login of a server, and revokes its tokens.
func (c *command) logout(args []string) int {
	f := newFlags("logout")
	rest, code, ok := c.parse(f, args)
	if !ok {
		return code
	}
	var e loginEntry
	if code := c.serverOf("logout", rest, &e); code != exitDone {
		return code
	}
	c.hide(e.URL, nil, "")
	all, err := openLogins()
	if err != nil {
		return c.fail(err)
	}
	e, known, err := all.entry(c.ctx, e.URL)
	if err != nil {
		return c.fail(err)
	}
	if !known {
		c.noteln("mcpgen: there is no login to %s\n\thint: %s login -list shows those that there are", e.URL, c.invoked)
		return exitFound
	}
	login, err := all.login(e, func(*mcplogin.Config) {})
	if err != nil {
		return c.fail(err)
	}
	ctx, cancel := context.WithTimeout(c.ctx, time.Minute)
	defer cancel()
	// A token that cannot be revoked is still deleted.
	err = login.Forget(ctx, e.URL)
	if state, _ := login.State(c.ctx, e.URL); state != nil {
		return c.fail(err)
	}
	if err := errors.Join(err, all.forget(c.ctx, e.URL)); err != nil {
		return c.fail(err)
	}
	c.noteln("logged out of %s", e.URL)
	return exitDone
}

// listLogins prints the logins, without their tokens.
func (c *command) listLogins(asJSON bool) int {
	all, err := openLogins()
	if err != nil {
		return c.fail(err)
	}
	entries, err := all.entries(c.ctx)
	if err != nil {
		return c.fail(err)
	}
	list := make([]listedLogin, 0, len(entries))
	for _, e := range entries {
		login, err := all.login(e, func(*mcplogin.Config) {})
		if err != nil {
			return c.fail(err)
		}
		state, err := login.State(c.ctx, e.URL)
		if err != nil {
			return c.fail(err)
		}
		if state == nil {
			state = &mcplogin.State{}
		}
		list = append(list, listedLogin{
			Server: withoutQuery(e.URL), Issuer: state.Issuer, Client: state.ClientID, Scopes: append([]string{}, state.Scopes...),
			Expires: state.Expires, Renewable: state.Renewable, Token: tokenState(state, time.Now()),
		})
	}
	if asJSON {
		enc := json.NewEncoder(c.out)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(map[string]any{"logins": list}); err != nil {
			return c.fail(err)
		}
		return exitDone
	}
	if len(list) == 0 {
		c.noteln("there are no logins\n\thint: %s login https://mcp.example.com/mcp", c.invoked)
		return exitDone
	}
	w := tabwriter.NewWriter(c.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "SERVER\tISSUER\tSCOPES\tTOKEN")
	for _, e := range list {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", e.Server, shown(e.Issuer), shown(strings.Join(e.Scopes, " ")), e.Token)
	}
	if err := w.Flush(); err != nil {
		return c.fail(err)
	}
	return exitDone
}

// listedLogin is a login as login -list shows it.
type listedLogin struct {
	Server    string    `json:"server"`
	Issuer    string    `json:"issuer,omitempty"`
	Client    string    `json:"client,omitempty"` // its id at the issuer
	Scopes    []string  `json:"scopes"`
	Expires   time.Time `json:"expires,omitzero"` // expiry of the access token
	Renewable bool      `json:"renewable"`
	Token     string    `json:"token"` // description of its validity, for people
}

// withoutQuery hides the values of a query, which may be credentials.
func withoutQuery(server string) string {
	var s remote.Secrets
	s.Add(server, nil, "")
	return s.Remove(server)
}

// tokenState describes whether requests get a token.
func tokenState(s *mcplogin.State, now time.Time) string {
	switch {
	case s.Server == "":
		return "none"
	case s.Renewable:
		return "renewed when it expires"
	case s.Expires.IsZero():
		return "valid until it is refused"
	case s.Expires.Before(now):
		return "expired"
	}
	return "expires " + s.Expires.Local().Format("2006-01-02 15:04")
}
