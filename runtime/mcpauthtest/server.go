package mcpauthtest

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpauth"
	"github.com/mcpgen/mcpgen/runtime/mcphttp"
	"github.com/mcpgen/mcpgen/runtime/mcpissuer"
)

// Options configure [New]. The zero value is a persona with the name dev, who may have every
// scope, and a guard that asks for a token and no scope.
type Options struct {
	// Personas are who can log in.
	Personas []mcpissuer.Persona
	// Guard has Scopes, Lists, Audit and the other options of the guard. Its Resource is that
	// of the server, and its Verifiers are asked before the issuer's tokens are verified.
	Guard mcpauth.Options
	// HTTP are further options of the endpoint.
	HTTP []mcphttp.Option
	// Issuer changes the options of the issuer, such as TokenTime or Clients. May be nil.
	Issuer func(*mcpissuer.Options)
	// DPoP says whether tokens have to be bound to a key of the client.
	DPoP mcpauth.DPoPOptions
}

// Server is a guarded server and its issuer, for one test. Its methods may be called by several
// goroutines.
type Server struct {
	// URL is that of the endpoint: the resource that tokens are for.
	URL string
	// Issuer makes the tokens. It is at the same origin.
	Issuer *mcpissuer.Issuer
	Guard  *mcpauth.Guard

	t        testing.TB
	personas []mcpissuer.Persona
}

// client is the client id in tokens that no client has asked for.
const client = "mcpauthtest"

// New serves the server until the end of the test. What issuer and guard log is discarded, unless
// Options has a logger.
func New(t testing.TB, server *mcp.Server, o Options) *Server {
	t.Helper()
	web := httptest.NewUnstartedServer(nil) // it listens, but does not serve yet
	t.Cleanup(func() {
		web.CloseClientConnections() // streams that a client has left open
		web.Close()
	})
	origin := "http://" + web.Listener.Addr().String()
	if o.Personas == nil {
		o.Personas = []mcpissuer.Persona{{Name: "dev", Scopes: []string{"*"}}}
	}
	s := &Server{t: t, URL: origin + "/mcp", personas: o.Personas}
	issuer := mcpissuer.Options{URL: origin, Resources: []string{s.URL}, Personas: o.Personas, Log: slog.New(slog.DiscardHandler)}
	if o.Issuer != nil {
		o.Issuer(&issuer)
	}
	var err error
	if s.Issuer, err = mcpissuer.New(issuer); err != nil {
		t.Fatalf("mcpauthtest: %v", err)
	}
	s.personas = issuer.Personas
	guard := o.Guard
	guard.Resource = s.URL
	if guard.Log == nil {
		guard.Log = slog.New(slog.DiscardHandler)
	}
	guard.Verifiers = append(guard.Verifiers[:len(guard.Verifiers):len(guard.Verifiers)],
		mcpauth.JWT(mcpauth.JWTOptions{Issuer: issuer.URL, Keys: s.Issuer.Keys(), DPoP: o.DPoP, Log: guard.Log}))
	if s.Guard, err = mcpauth.New(guard); err != nil {
		t.Fatalf("mcpauthtest: %v", err)
	}
	mux := http.NewServeMux()
	mux.Handle("/mcp", mcphttp.NewHandler(server, append(s.Guard.HTTP(), o.HTTP...)...))
	mux.Handle("/oauth/", s.Issuer)
	mux.Handle("/.well-known/", s.Issuer)
	web.Config.Handler = s.Guard.Wrap(mux)
	web.Start()
	return s
}
