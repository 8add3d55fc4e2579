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

// Options configures [New]. The zero value means a persona with the name dev, who may have every
// scope, and a guard that requires a token and no scope.
type Options struct {
	// Personas are the personas that can log in.
	Personas []mcpissuer.Persona
	// Guard contains Scopes, Lists, Audit and the other options of the guard. Its Resource becomes
	// the URL of the server, and its Verifiers precede the verifier of the issuer's tokens.
	Guard mcpauth.Options
	// HTTP are further options of the endpoint.
	HTTP []mcphttp.Option
	// Issuer modifies the options of the issuer, such as TokenTime or Clients. May be nil.
	Issuer func(*mcpissuer.Options)
	// DPoP configures whether tokens must be bound to a key of the client.
	DPoP mcpauth.DPoPOptions
}

// Server is a guarded server and its issuer, for one test. Its methods are safe for concurrent use.
type Server struct {
	// URL is the URL of the endpoint, which is also the resource of tokens.
	URL string
	// Issuer issues the tokens. It has the same origin.
	Issuer *mcpissuer.Issuer
	Guard  *mcpauth.Guard

	t        testing.TB
	personas []mcpissuer.Persona
}

// client is the client id in tokens that no client has requested.
const client = "mcpauthtest"

// New serves the server until the end of the test. It discards the log of issuer and guard, unless
// Options contains a logger.
func New(t testing.TB, server *mcp.Server, o Options) *Server {
	t.Helper()
	web := httptest.NewUnstartedServer(nil) // it is listening, but not yet serving
	t.Cleanup(func() {
		web.CloseClientConnections() // streams that a client left open
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
