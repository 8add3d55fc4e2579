package main

import (
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/mcpissuer"
)

func TestLogIn(t *testing.T) {
	callbacks := make(chan string, 10)
	client := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { callbacks <- r.URL.Query().Get("state") }))
	defer client.Close()
	web := httptest.NewUnstartedServer(nil)
	defer web.Close()
	issuer, err := mcpissuer.New(mcpissuer.Options{
		URL: "http://" + web.Listener.Addr().String() + "/issuer", Resources: []string{issuerResource}, Log: slog.New(slog.DiscardHandler),
		Clients: []mcpissuer.Client{{ID: issuerClient, RedirectURIs: []string{"http://127.0.0.1/callback"}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	web.Config.Handler = issuer
	web.Start()
	s := &suite{url: issuer.URL()}
	address := func(state string) string {
		return s.url + "/oauth/authorize?response_type=code&client_id=" + issuerClient + "&state=" + state + "&redirect_uri=" + client.URL +
			"/callback&code_challenge=" + strings.Repeat("x", 43) + "&code_challenge_method=S256"
	}
	const waits = "Callback server started: http://127.0.0.1:1\n"
	if err := s.logIn(t.Context(), strings.NewReader(waits+"Running\n"+address("a")+"\n"+waits+waits)); err != nil {
		t.Fatal(err)
	}
	if len(callbacks) != 1 || <-callbacks != "a" {
		t.Error("the browser has not come back once")
	}
	bad := strings.Replace(address("b"), issuerClient, "unknown", 1)
	if err := s.logIn(t.Context(), io.MultiReader(strings.NewReader(bad+"\n"), strings.NewReader(waits))); err == nil {
		t.Error("an issuer that refuses the client")
	}
	if len(callbacks) != 0 {
		t.Error("the browser has come back without a login")
	}
}

func TestSkippedFails(t *testing.T) {
	s := scenario{"authorization-code-grant", withoutSkips([]check{{ID: "a", Status: success}, {ID: "b", Status: skipped, Message: "no client"}})}
	if s.passed() || s.count(failure) != 1 || s.checks[1].Message != "skipped: no client" {
		t.Errorf("%+v", s)
	}
	if s := (scenario{"a", withoutSkips([]check{{Status: success}})}); !s.passed() {
		t.Errorf("%+v", s)
	}
}
