package mcpauthtest

import (
	"context"

	"github.com/mcpgen/mcpgen/internal/loginpage"
	"github.com/mcpgen/mcpgen/runtime/mcpclient"
	"github.com/mcpgen/mcpgen/runtime/mcphttpclient"
	"github.com/mcpgen/mcpgen/runtime/mcplogin"
)

// Person answers the issuer's page in place of a person with a browser.
type Person struct {
	// Persona is the person's choice; "" is the first persona.
	Persona string
	// Scopes returns the scopes that the person allows, out of those on the page. Nil allows all;
	// the token gets those that the persona may have.
	Scopes func(asked []string) []string
	// Deny refuses every login.
	Deny bool
}

// OpenBrowser is for mcplogin.Config.
func (p Person) OpenBrowser(ctx context.Context, address string) error {
	return loginpage.Open(ctx, address, loginpage.Choice{Persona: p.Persona, Scopes: p.Scopes, Deny: p.Deny})
}

// Callback opens the URL of a login, and returns the URL at which the browser would end, for
// programs that do not wait there themselves.
func (p Person) Callback(ctx context.Context, address string) (string, error) {
	return loginpage.Answer(ctx, address, loginpage.Choice{Persona: p.Persona, Scopes: p.Scopes, Deny: p.Deny})
}

// Endpoint returns the server as an endpoint for clients that log in as the person when the server
// requires it. They register themselves at the issuer, and request more scopes when necessary.
func (s *Server) Endpoint(p Person) mcphttpclient.Endpoint {
	s.t.Helper()
	login, err := mcplogin.New(mcplogin.Config{Name: client, OpenBrowser: p.OpenBrowser})
	if err != nil {
		s.t.Fatalf("mcpauthtest: %v", err)
	}
	return mcphttpclient.Endpoint{URL: s.URL, Auth: login}
}

// Client connects a client that logs in as the person, and closes it at the end of the test.
func (s *Server) Client(p Person, o mcpclient.Options) *mcpclient.Client {
	s.t.Helper()
	c, err := mcpclient.Connect(s.t.Context(), s.Endpoint(p), o)
	if err != nil {
		s.t.Fatalf("mcpauthtest: connect: %v", err)
	}
	s.t.Cleanup(func() {
		if err := c.Close(); err != nil {
			s.t.Errorf("mcpauthtest: close: %v", err)
		}
	})
	return c
}
