package mcpissuer_test

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/internal/loginpage"
	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpauth"
	"github.com/mcpgen/mcpgen/runtime/mcpclient"
	"github.com/mcpgen/mcpgen/runtime/mcpcmd"
	"github.com/mcpgen/mcpgen/runtime/mcphttpclient"
	"github.com/mcpgen/mcpgen/runtime/mcpissuer"
	"github.com/mcpgen/mcpgen/runtime/mcplogin"
)

func newBooks() *mcp.Server {
	s := mcp.NewServer(mcp.ServerInfo{Name: "books"}, mcp.WithLogger(slog.New(slog.DiscardHandler)))
	for name, scope := range map[string]string{"look": "books:read", "buy": "books:write"} {
		s.Register(mcp.NewTool(mcp.ToolInfo{Name: name, Scopes: []string{scope}}, func(ctx context.Context, _ json.RawMessage) (*mcp.ToolResult, error) {
			return mcp.TextResult(mcpauth.IdentityFromContext(ctx).Subject), nil
		}))
	}
	return s
}

// run runs a program until the test ends, and returns the URL of its endpoint.
func run(t *testing.T, args ...string) (string, error) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	ready, ended := make(chan string, 1), make(chan error, 1)
	go func() {
		ended <- mcpcmd.Run(ctx, newBooks(), args, mcpissuer.Flags(), mcpauth.Flags(), mcpcmd.WithReady(func(url string) { ready <- url }))
	}()
	select {
	case url := <-ready:
		t.Cleanup(func() {
			stop()
			if err := <-ended; err != nil {
				t.Error(err)
			}
		})
		return url, nil
	case err := <-ended:
		stop()
		return "", err
	}
}

// connect connects a client that logs in as a persona, and records the scopes that the page asks
// for.
func connect(t *testing.T, url, persona string, asked *[]string) *mcpclient.Client {
	t.Helper()
	login, err := mcplogin.New(mcplogin.Config{Name: "test", OpenBrowser: func(ctx context.Context, address string) error {
		return loginpage.Open(ctx, address, loginpage.Choice{Persona: persona, Scopes: func(scopes []string) []string {
			*asked = append(*asked, strings.Join(scopes, " "))
			return scopes
		}})
	}})
	if err != nil {
		t.Fatal(err)
	}
	c, err := mcpclient.Connect(t.Context(), mcphttpclient.Endpoint{URL: url, Auth: login}, mcpclient.Options{Info: mcp.ClientInfo{Name: "test"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

func TestDevLogin(t *testing.T) {
	url, err := run(t, "-http", "127.0.0.1:0", "-dev-login=ada:books:read,root:*")
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.Post(url, "application/json", strings.NewReader(`{}`))
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	if resp.StatusCode != http.StatusUnauthorized {
		t.Errorf("without a token: %s", resp.Status)
	}
	var asked []string
	root := connect(t, url, "root", &asked)
	for _, tool := range []string{"look", "buy", "look"} {
		if result, err := root.Call(t.Context(), tool, nil); err != nil || result.Text() != "root" {
			t.Errorf("%s: %v", tool, err)
		}
	}
	if len(asked) != 1 || !strings.Contains(asked[0], "books:write") || !strings.Contains(asked[0], "books:read") {
		t.Errorf("the page has asked for %q", asked)
	}
	ada := connect(t, url, "ada", &asked)
	if _, err := ada.Call(t.Context(), "look", nil); err != nil {
		t.Error(err)
	}
	if _, err := ada.Call(t.Context(), "buy", nil); err == nil {
		t.Error("ada could use a scope that she does not have")
	}
}

func TestDevLoginDefault(t *testing.T) {
	url, err := run(t, "-http", "127.0.0.1:0", "-dev-login")
	if err != nil {
		t.Fatal(err)
	}
	var asked []string
	if result, err := connect(t, url, "", &asked).Call(t.Context(), "buy", nil); err != nil || result.Text() != "dev" {
		t.Errorf("%v", err)
	}
	if len(asked) != 1 || !strings.Contains(asked[0], "books:write") {
		t.Errorf("the page has asked for %q", asked)
	}
}

func TestDevLoginRefused(t *testing.T) {
	for _, c := range []struct{ line, want string }{
		{"-dev-login", "without -http"},
		{"-http 0.0.0.0:0 -dev-login", "this machine alone"},
		{"-http 127.0.0.1:0 -dev-login -auth https://id.example.com", "-dev-login and -auth"},
		{"-http 127.0.0.1:0 -dev-login -keys none.json", "-dev-login and -keys"},
		{"-http 127.0.0.1:0 -dev-login=", "flag -dev-login: the value is empty: write NAME:SCOPE+SCOPE"},
		{"-http 127.0.0.1:0 -dev-login=ada,ada", `flag -dev-login: two personas have the name "ada": write`},
		{"-http 127.0.0.1:0 -dev-login=ada:a,", "flag -dev-login: persona 2 has an empty name: write"},
		{"-http 127.0.0.1:0 -dev-login=ada:a+", `flag -dev-login: persona "ada" has "", which is not a scope: write`},
		{"-http 127.0.0.1:0 -dev-login=ada:", "not a scope"},
		{"-http 127.0.0.1:0 -dev-login ada:a", "argument ada:a is one too many: write -dev-login=ada:a if"},
		{"-dev-login=false -http 127.0.0.1:0 x", "argument x is one too many: the commands are"},
		{"-http 127.0.0.1:0 -dev-login=ada -dev-login=bob", "twice"},
	} {
		_, err := run(t, strings.Fields(c.line)...)
		if _, ok := errors.AsType[*mcpcmd.UsageError](err); !ok || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want a usage error with %q", c.line, err, c.want)
		}
	}
}

// -dev-login=false is like no flag.
func TestDevLoginFalse(t *testing.T) {
	url, err := run(t, "-http", "127.0.0.1:0", "-dev-login=false")
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.Get(strings.TrimSuffix(url, "/mcp") + "/oauth/jwks")
	if err != nil {
		t.Fatal(err)
	}
	if _ = resp.Body.Close(); resp.StatusCode != http.StatusNotFound {
		t.Errorf("there is an issuer: %s", resp.Status)
	}
}

// A restarted program has another key. Clients log in again by themselves.
func TestDevLoginAgain(t *testing.T) {
	asked := 0
	login, err := mcplogin.New(mcplogin.Config{Name: "test", OpenBrowser: func(ctx context.Context, address string) error {
		asked++
		return loginpage.Open(ctx, address, loginpage.Choice{})
	}})
	if err != nil {
		t.Fatal(err)
	}
	at := "127.0.0.1:0"
	for n := range 3 {
		ctx, stop := context.WithCancel(t.Context())
		ready, ended := make(chan string, 1), make(chan error, 1)
		go func() {
			ended <- mcpcmd.Run(ctx, newBooks(), []string{"-http", at, "-dev-login"}, mcpissuer.Flags(), mcpcmd.WithReady(func(url string) { ready <- url }))
		}()
		var url string
		select {
		case url = <-ready:
		case err := <-ended:
			stop()
			t.Fatal(err)
		}
		at = strings.TrimSuffix(strings.TrimPrefix(url, "http://"), "/mcp")
		c, err := mcpclient.Connect(t.Context(), mcphttpclient.Endpoint{URL: url, Auth: login}, mcpclient.Options{Info: mcp.ClientInfo{Name: "test"}})
		if err != nil {
			t.Fatalf("start %d: %v", n+1, err)
		}
		if result, err := c.Call(t.Context(), "look", nil); err != nil || result.Text() != "dev" {
			t.Errorf("start %d: %v", n+1, err)
		}
		_ = c.Close() // the program may have ended the session
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
	if asked < 3 || asked > 6 { // once per start, and for the scope
		t.Errorf("%d logins", asked)
	}
}
