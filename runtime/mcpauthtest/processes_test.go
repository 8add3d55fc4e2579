package mcpauthtest_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpauth"
	"github.com/mcpgen/mcpgen/runtime/mcpauthtest"
	"github.com/mcpgen/mcpgen/runtime/mcpclient"
	"github.com/mcpgen/mcpgen/runtime/mcphttp"
	"github.com/mcpgen/mcpgen/runtime/mcphttpclient"
	"github.com/mcpgen/mcpgen/runtime/mcpissuer"
	"github.com/mcpgen/mcpgen/runtime/mcplogin"
)

// Environment variables of a process that TestProcesses starts.
const (
	processServer = "MCPAUTHTEST_SERVER"
	processStore  = "MCPAUTHTEST_STORE"
)

// calls is the number of calls of each process.
const calls = 10

// callOften connects with the logins in a file, and calls a tool. No browser is available.
func callOften(t *testing.T, server, store string) {
	login, err := mcplogin.New(mcplogin.Config{
		Name: "test", Store: mcplogin.FileStore(store), Scopes: func([]string) []string { return []string{"books:read"} },
		OpenBrowser: func(context.Context, string) error { return errors.New("a process has begun a login") },
	})
	if err != nil {
		t.Fatal(err)
	}
	c, err := mcpclient.Connect(t.Context(), mcphttpclient.Endpoint{URL: server, Auth: login}, mcpclient.Options{Info: mcp.ClientInfo{Name: "test"}})
	if err != nil {
		t.Fatal(err)
	}
	for range calls {
		if result, err := c.Call(t.Context(), "look", nil); err != nil || result.Text() != "look ada" {
			t.Fatalf("%v", err)
		}
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}

// refreshes are the refresh tokens that an issuer has received.
type refreshes struct {
	next http.Handler
	mu   sync.Mutex
	sent map[string]int
}

func (f *refreshes) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	text, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(text))
	if form, err := url.ParseQuery(string(text)); err == nil && form.Get("grant_type") == "refresh_token" {
		f.mu.Lock()
		f.sent[form.Get("refresh_token")]++
		f.mu.Unlock()
	}
	f.next.ServeHTTP(w, r)
}

// TestProcesses: two processes that share a file of logins, with tokens that expire immediately,
// use each refresh token once. A repeated use would end the login.
func TestProcesses(t *testing.T) {
	if server := os.Getenv(processServer); server != "" {
		callOften(t, server, os.Getenv(processStore))
		return
	}
	web := httptest.NewUnstartedServer(nil)
	defer web.Close()
	origin := "http://" + web.Listener.Addr().String()
	quiet := slog.New(slog.DiscardHandler)
	issuer, err := mcpissuer.New(mcpissuer.Options{URL: origin, Resources: []string{origin + "/mcp"}, Personas: personas, TokenTime: time.Second, Log: quiet})
	if err != nil {
		t.Fatal(err)
	}
	guard, err := mcpauth.New(mcpauth.Options{
		Resource: origin + "/mcp", Verifiers: []mcpauth.Verifier{mcpauth.JWT(mcpauth.JWTOptions{Issuer: origin, Keys: issuer.Keys()})}, Log: quiet,
	})
	if err != nil {
		t.Fatal(err)
	}
	counted := &refreshes{next: issuer, sent: map[string]int{}}
	mux := http.NewServeMux()
	mux.Handle("/mcp", mcphttp.NewHandler(newShop(), guard.HTTP()...))
	mux.Handle("/oauth/", counted)
	mux.Handle("/.well-known/", issuer)
	web.Config.Handler = guard.Wrap(mux)
	web.Start()

	store := filepath.Join(t.TempDir(), "logins.json")
	first, err := mcplogin.New(mcplogin.Config{
		Name: "test", Store: mcplogin.FileStore(store), OpenBrowser: mcpauthtest.Person{}.OpenBrowser,
		Scopes: func([]string) []string { return []string{"books:read"} },
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := first.LogIn(t.Context(), origin+"/mcp"); err != nil {
		t.Fatal(err)
	}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for n := range 2 {
		all.Go(func() {
			c := exec.CommandContext(t.Context(), program, "-test.run=^TestProcesses$", "-test.count=1")
			c.Env = append(os.Environ(), processServer+"="+origin+"/mcp", processStore+"="+store)
			if text, err := c.CombinedOutput(); err != nil {
				t.Errorf("process %d: %v\n%s", n, err, text)
			}
		})
	}
	all.Wait()
	counted.mu.Lock()
	defer counted.mu.Unlock()
	for _, n := range counted.sent {
		if n > 1 {
			t.Errorf("a refresh token was sent %d times", n)
		}
	}
	if len(counted.sent) < calls { // each call renews the token, which is about to expire
		t.Errorf("%d refresh tokens were sent", len(counted.sent))
	}
	// The login remains valid.
	if state, err := first.State(t.Context(), origin+"/mcp"); err != nil || state == nil || !state.Renewable {
		t.Errorf("%+v, %v", state, err)
	}
}
