package mcpissuer

import (
	"errors"
	"flag"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/mcpauth"
	"github.com/mcpgen/mcpgen/runtime/mcpcmd"
)

// Flags adds a flag to a program of mcpcmd, for development:
//
//	mcpcmd.Main(NewMCPServer(), mcpissuer.Flags())
//
//	-dev-login                                     one persona, dev, who may have every scope
//	-dev-login=ada:books:read+books:write,root:*   personas with their scopes
//
// With the flag, an issuer runs beside the endpoint, and callers need one of its tokens, so that
// clients go through the whole login. It does not authenticate, since every program on this machine
// can use any persona. It is refused if other machines can connect, and together with the
// authentication flags of mcpauth. Without the flag nothing changes; but a program for production
// does not need this package.
func Flags() mcpcmd.Option {
	return mcpcmd.WithHTTPFlags(func(set *flag.FlagSet) func(mcpcmd.HTTPServing) (mcpcmd.HTTPSetup, error) {
		f := new(devLogin)
		set.Var(f, "dev-login", "with -http on this machine: callers log in at a page of the program, without a password, as one of `PERSONAS`, "+
			"such as ada:books:read+books:write,root:*. For development: it does not authenticate")
		return func(s mcpcmd.HTTPServing) (mcpcmd.HTTPSetup, error) { return f.setUp(set, s) }
	})
}

// devLogin is the value of the flag.
type devLogin struct {
	given, twice bool
	text         string
}

// IsBoolFlag makes the value optional.
func (*devLogin) IsBoolFlag() bool { return true }

func (f *devLogin) String() string { return f.text }

// Set stores the value, which is "true" for a flag without one. Errors in it are reported later,
// since package flag would describe an error of Set as an invalid boolean value.
func (f *devLogin) Set(text string) error {
	f.twice = f.given
	f.given, f.text = text != "false", text
	return nil
}

// personas returns the personas in the value.
func (f *devLogin) personas() (all []Persona, err error) {
	const form = "write NAME:SCOPE+SCOPE for each, with commas between them"
	switch f.text {
	case "true":
		return nil, nil
	case "":
		return nil, errors.New("the value is empty: " + form + ", or leave out the =")
	}
	for each := range strings.SplitSeq(f.text, ",") {
		name, scopes, named := strings.Cut(each, ":")
		p := Persona{Name: name}
		if named {
			p.Scopes = strings.Split(scopes, "+")
		}
		all = append(all, p)
	}
	if err := checkPersonas(all); err != nil {
		return nil, fmt.Errorf("%w: %s", err, form)
	}
	return all, nil
}

// others are the flags of real authentication.
var others = []string{"auth", "keys", "roles", "url", "audience", "client-ca"}

// setUp creates issuer and guard.
func (f *devLogin) setUp(set *flag.FlagSet, s mcpcmd.HTTPServing) (setup mcpcmd.HTTPSetup, err error) {
	if !f.given {
		return setup, nil
	}
	other := ""
	set.Visit(func(given *flag.Flag) {
		if slices.Contains(others, given.Name) {
			other = given.Name
		}
	})
	switch {
	case f.twice:
		return setup, errors.New("flag -dev-login is given twice: give it once, with commas between the personas")
	case s.URL == "":
		return setup, errors.New("flag -dev-login has no meaning without -http: add -http ADDR, or leave it out: over standard input and output the client is the user")
	case !s.Loopback:
		return setup, errors.New("flag -dev-login is for this machine alone, since it does not authenticate, and other machines can connect: listen at 127.0.0.1, or use -auth ISSUER of mcpauth.Flags")
	case other != "":
		return setup, fmt.Errorf("flags -dev-login and -%s contradict each other: with -dev-login everybody on this machine may call: leave one out", other)
	}
	personas, err := f.personas()
	if err != nil {
		return setup, fmt.Errorf("flag -dev-login: %w", err)
	}
	u, err := url.Parse(s.URL)
	if err != nil {
		return setup, fmt.Errorf("flag -dev-login: %w", err)
	}
	i, err := New(Options{URL: u.Scheme + "://" + u.Host, Resources: []string{s.URL}, Personas: personas})
	if err != nil {
		return setup, fmt.Errorf("flag -dev-login: %w", err)
	}
	tokens := mcpauth.JWT(mcpauth.JWTOptions{Issuer: i.URL(), Keys: i.Keys(), DPoP: mcpauth.DPoPOptions{Mode: mcpauth.DPoPAccept}})
	guard, err := mcpauth.New(mcpauth.Options{Resource: s.URL, Verifiers: []mcpauth.Verifier{tokens}})
	if err != nil {
		return setup, fmt.Errorf("flag -dev-login: %w", err)
	}
	var names []string
	for _, p := range i.o.Personas {
		names = append(names, p.Name)
	}
	return mcpcmd.HTTPSetup{
		Options: guard.HTTP(),
		Wrap:    func(next http.Handler) http.Handler { return i.beside(guard.Wrap(next)) },
		Callers: "a login as " + strings.Join(names, " or ") + ", which every program on this machine can do: -dev-login is for development and does not authenticate",
	}, nil
}

// beside answers requests for the paths of the issuer, and passes others on.
func (i *Issuer) beside(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !i.Handles(r.URL.Path) {
			next.ServeHTTP(w, r)
			return
		}
		body, returned := i.bodies.Begin(w, r, bodyTime), false
		defer func() { body.End(returned) }()
		if err := i.serve(w, r); err != nil {
			i.fail(w, r, err)
		}
		returned = true
	})
}
