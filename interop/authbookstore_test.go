package interop

import (
	"context"
	nethttp "net/http"
	"strings"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/runtime/mcpclient"
	"github.com/mcpgen/mcpgen/runtime/mcphttpclient"
	"github.com/mcpgen/mcpgen/runtime/mcplogin"
)

// The bookstore is protected only by the flag -auth, and -audience for an issuer that does not
// support resources. The client of mcpgen logs in, lists, calls, and renews a token that lives for
// two seconds, in each era. The features of the bookstore need no scopes: see TestOurLoginOIDC and
// TestOurLoginOP.
func TestBookstoreAuth(t *testing.T) {
	t.Parallel()
	node(t)
	provider, issuer := startOIDC(t, oidcPlan{Format: "jwt", Lifetime: 2}), startOP(t, opPlan{JWT: true, Lifetime: 2 * time.Second})
	var logins []string
	for _, with := range []struct {
		name   string
		flags  []string
		config func(scopes func([]string) []string) mcplogin.Config
		renews func() int
	}{
		{"oidc-provider", []string{"-auth", provider.url}, func(scopes func([]string) []string) mcplogin.Config {
			c := reader()
			c.Scopes = scopes
			return c
		}, func() int { return provider.count("refresh_token.consumed") }},
		{"op", []string{"-auth", issuer.url, "-audience", opReader}, func(scopes func([]string) []string) mcplogin.Config {
			c := issuer.config(&logins)
			c.Scopes = scopes
			return c
		}, func() int { return issuer.refreshes(t) }},
	} {
		shop := serve(t, bookstore, http, with.flags...)
		t.Run(with.name, func(t *testing.T) {
			refuses(t, shop.url)
			for _, revision := range authEras {
				ctx, cancel := context.WithTimeout(t.Context(), deadline)
				defer cancel()
				// No feature requires a scope, and the issuers issue no token without one.
				login := newLogin(t, with.config(func(asked []string) []string { return append([]string{"books:read"}, asked...) }))
				c, err := mcpclient.Connect(ctx, mcphttpclient.Endpoint{URL: shop.url, Auth: login}, mcpclient.Options{Revision: revision})
				if err != nil {
					t.Fatal(err)
				}
				tools, err := c.Tools(ctx)
				if err != nil || len(tools) < 10 {
					t.Errorf("%d tools, %v", len(tools), err)
				}
				for renewed := with.renews(); with.renews() < renewed+2; time.Sleep(100 * time.Millisecond) {
					result, err := c.Call(ctx, "search_books", map[string]any{"query": "sea"})
					if err != nil || result.IsError || !strings.Contains(strings.ToLower(result.Text()), "sea") {
						t.Fatalf("%+v, %v", result, err)
					}
				}
				if err := c.Close(); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

// The clients of the other SDKs log in at oidc-provider, list and call, with their newest revision.
// They renew a token when the server refuses it, half a minute after its end (the leeway of -auth):
// TestLogins covers that.
func TestBookstoreAuthSDKs(t *testing.T) {
	t.Parallel()
	node(t)
	for _, client := range authSDKs {
		if client.module == "" {
			continue
		}
		t.Run(client.name, func(t *testing.T) {
			t.Parallel()
			issuer := startOIDC(t, oidcPlan{Format: "jwt", Lifetime: 300})
			shop := serve(t, bookstore, http, "-auth", issuer.url)
			ctx, cancel := context.WithTimeout(t.Context(), deadline)
			defer cancel()
			user := &authUser{open: func(ctx context.Context, to, stop string) (string, error) { return browse(ctx, to, ada, stop) }}
			c := client.start(t, authPlan{URL: shop.url, Revision: client.revisions[len(client.revisions)-1], Scope: "books:read", user: user})
			if err := c.connect(ctx); err != nil {
				t.Fatal(err)
			}
			if names, err := c.list(ctx); err != nil || !strings.Contains(names, "search_books") {
				t.Errorf("%s, %v", names, err)
			}
			if text, err := c.call(ctx, "report_by_decade"); err != nil || !strings.Contains(text, "1850") {
				t.Errorf("%q, %v", text, err)
			}
			same(t, "logins", user.count(), 1)
		})
	}
}

// refuses checks that a request without a token is refused.
func refuses(t *testing.T, to string) {
	t.Helper()
	r, err := nethttp.NewRequestWithContext(t.Context(), nethttp.MethodPost, to, strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"ping"}`))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	response, err := nethttp.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()
	at := strings.TrimSuffix(to, "/mcp") + "/.well-known/oauth-protected-resource/mcp"
	if challenge := response.Header.Get("WWW-Authenticate"); response.StatusCode != nethttp.StatusUnauthorized || !strings.Contains(challenge, `resource_metadata="`+at+`"`) {
		t.Errorf("%s %q", response.Status, challenge)
	}
	same(t, "resource", metadataOf(t, at)["resource"], any(to))
}
