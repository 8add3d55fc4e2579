package interop

import (
	"context"
	"encoding/json"
	"net/url"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpauth"
	"github.com/mcpgen/mcpgen/runtime/mcplogin"
)

// config returns the Config of a user at the issuer, with the client that is registered there.
func (i *opIssuer) config(logins *[]string) mcplogin.Config {
	return mcplogin.Config{
		Issuer: i.url, ClientID: opReader, Offline: true,
		OpenBrowser: func(ctx context.Context, to string) error {
			u, err := url.Parse(to)
			if err != nil {
				return err
			}
			*logins = append(*logins, u.Query().Get("scope"))
			return person(opUser)(ctx, to)
		},
	}
}

// verifier returns a verifier for the issuer's tokens. The issuer does not support resources: the
// audience of a token is its client.
func (i *opIssuer) verifier(audience string) mcpauth.Verifier {
	if i.plan.JWT {
		return mcpauth.JWT(mcpauth.JWTOptions{Issuer: i.url, Audience: audience})
	}
	return mcpauth.Introspection(mcpauth.IntrospectionOptions{Issuer: i.url, ClientID: opGuard, ClientSecret: opSecret, Audience: audience})
}

// mcpgen's client logs in at zitadel's issuer, with tokens of both kinds; a scope is refused, and
// the client requests it.
func TestOurLoginOP(t *testing.T) {
	t.Parallel()
	for name, jwt := range map[string]bool{"jwt": true, "introspection": false} {
		issuer := startOP(t, opPlan{JWT: jwt, Lifetime: 5 * time.Minute})
		for _, revision := range authEras {
			t.Run(name+"/"+revision, func(t *testing.T) {
				t.Parallel()
				g := serveGuarded(t, issuer.verifier(opReader))
				var logins []string
				c, _ := connectAuth(t, g, newLogin(t, issuer.config(&logins)), revision)
				tools, err := c.Tools(t.Context())
				if err != nil || len(tools) != 4 {
					t.Errorf("%d tools, %v", len(tools), err)
				}
				answers(t, c, "search", "found")
				answers(t, c, "whoami", "id1 by "+name)
				answers(t, c, "buy", "bought")
				answers(t, c, "search", "found")
				same(t, "scopes of logins", logins, []string{"books:read offline_access", "books:read offline_access books:write"})
			})
		}
	}
}

// The issuer rotates refresh tokens. Two clients that share a file renew one at a time.
func TestOurLoginOPRefresh(t *testing.T) {
	t.Parallel()
	issuer := startOP(t, opPlan{JWT: true, Lifetime: 2 * time.Second})
	g := serveGuarded(t, issuer.verifier(opReader))
	path := filepath.Join(t.TempDir(), "logins.json")
	var logins []string
	ctx, cancel := context.WithTimeout(t.Context(), deadline)
	defer cancel()
	config := issuer.config(&logins)
	config.Store = mcplogin.FileStore(path)
	first, _ := connectAuth(t, g, newLogin(t, config), modern)
	config.Store = mcplogin.FileStore(path)
	second, _ := connectAuth(t, g, newLogin(t, config), modern)
	for issuer.refreshes(t) < 2 {
		if ctx.Err() != nil {
			t.Fatal("the token is not renewed")
		}
		answers(t, first, "search", "found")
		answers(t, second, "search", "found")
		time.Sleep(50 * time.Millisecond)
	}
	same(t, "logins", len(logins), 1)
}

// Forgetting a login revokes it at the issuer, and the client logs in again.
func TestOurLoginOPRevocation(t *testing.T) {
	t.Parallel()
	issuer := startOP(t, opPlan{JWT: false, Lifetime: 5 * time.Minute})
	g := serveGuarded(t, issuer.verifier(opReader))
	var logins []string
	login := newLogin(t, issuer.config(&logins))
	c, _ := connectAuth(t, g, login, modern)
	answers(t, c, "search", "found")
	if err := login.Forget(t.Context(), g.url); err != nil {
		t.Fatal(err)
	}
	issuer.mu.Lock()
	revoked := issuer.revoked
	issuer.mu.Unlock()
	same(t, "revocations", revoked, 1)
	answers(t, c, "search", "found")
	same(t, "logins", len(logins), 2)
}

// A service gets a token with client credentials. Its audience is the service.
func TestOurClientCredentialsOP(t *testing.T) {
	t.Parallel()
	issuer := startOP(t, opPlan{JWT: false, Lifetime: 5 * time.Minute})
	g := serveGuarded(t, issuer.verifier(opService))
	login, err := mcplogin.ClientCredentials(mcplogin.Config{Issuer: issuer.url, ClientID: opService, ClientSecret: opServiceKey})
	if err != nil {
		t.Fatal(err)
	}
	c, _ := connectAuth(t, g, login, modern)
	answers(t, c, "whoami", "sid1 by introspection")
	answers(t, c, "search", "found")
}

// A workload exchanges an assertion for a token with the audience of the assertion.
func TestOurWorkloadOP(t *testing.T) {
	t.Parallel()
	issuer := startOP(t, opPlan{JWT: true, Lifetime: 5 * time.Minute})
	g := serveGuarded(t, issuer.verifier(issuer.url))
	login, err := mcplogin.Workload(mcplogin.WorkloadConfig{
		Config: mcplogin.Config{Issuer: issuer.url, ClientID: opWorkload},
		Assertion: func(_ context.Context, audience string) (string, error) {
			signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.ES256, Key: issuer.key}, (&jose.SignerOptions{}).WithHeader("kid", "key1"))
			if err != nil {
				return "", err
			}
			now := time.Now().Unix()
			signed, err := signer.Sign(marshal(t, map[string]any{"iss": opWorkload, "sub": opWorkload, "aud": audience, "iat": now, "exp": now + 60}))
			if err != nil {
				return "", err
			}
			return signed.CompactSerialize()
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	c, _ := connectAuth(t, g, login, modern)
	answers(t, c, "whoami", "service by jwt")
	answers(t, c, "search", "found")
}

// A tool exchanges the caller's token for one that another service accepts. The issuer panics
// (3.48.0) if the token to exchange is opaque.
func TestOurExchangerOP(t *testing.T) {
	t.Parallel()
	issuer := startOP(t, opPlan{JWT: true, Lifetime: 5 * time.Minute})
	const stockroom = "https://stockroom.example.com"
	exchanger, err := mcpauth.NewExchanger(mcpauth.ExchangerOptions{Issuer: issuer.url, ClientID: opGuard, ClientSecret: opSecret})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	forward := mcp.NewTool(mcp.ToolInfo{Name: "forward", InputSchema: `{"type":"object"}`}, func(ctx context.Context, _ json.RawMessage) (*mcp.ToolResult, error) {
		token, err := exchanger.Token(ctx, stockroom, "books:read")
		if err != nil {
			return nil, err
		}
		got = append(got, token)
		return mcp.TextResult("forwarded"), nil
	})
	g := serveGuarded(t, issuer.verifier(opReader), forward)
	var logins []string
	tokens := &taker{Login: newLogin(t, issuer.config(&logins))}
	c, _ := connectAuth(t, g, tokens, modern)
	answers(t, c, "forward", "forwarded")
	answers(t, c, "forward", "forwarded")
	if len(got) != 2 || got[0] != got[1] || issuer.exchanged != 1 || "Bearer "+got[0] == tokens.field(t) {
		t.Fatalf("%d tokens, %d exchanges", len(slices.Compact(got)), issuer.exchanged)
	}
	other := serveGuarded(t, issuer.verifier(stockroom))
	p, err := other.guard.Principal(other.request(t, "Bearer "+got[0]))
	if i, ok := p.Value.(*mcpauth.Identity); err != nil || !ok || i.Subject != "id1" || i.Client != opGuard {
		t.Errorf("the other service sees %+v, %v", p.Value, err)
	}
	if _, err := g.guard.Principal(g.request(t, "Bearer "+got[0])); err == nil {
		t.Error("the token for the other service is taken here")
	}
	if _, err := other.guard.Principal(other.request(t, tokens.field(t))); err == nil {
		t.Error("the token of the caller is taken by the other service")
	}
}

// TestIssuers lists the features of the two issuers, according to their metadata: if one lacks a
// feature, its tests use the alternative that docs/serve/authorization.md describes.
func TestIssuers(t *testing.T) {
	t.Parallel()
	node(t)
	of := map[string]map[string]any{
		"oidc-provider": metadataOf(t, startOIDC(t, oidcPlan{Format: "jwt", Lifetime: 300}).url+"/.well-known/oauth-authorization-server"),
		"op":            metadataOf(t, startOP(t, opPlan{JWT: true, Lifetime: time.Minute}).url+".well-known/openid-configuration"),
	}
	for _, row := range []struct {
		member   string
		oidc, op bool
	}{
		{"registration_endpoint", true, false},
		{"authorization_response_iss_parameter_supported", true, false},
		{"dpop_signing_alg_values_supported", true, false},
		{"client_id_metadata_document_supported", false, false},
		{"introspection_endpoint", true, true},
		{"revocation_endpoint", true, true},
		{"code_challenge_methods_supported", true, true},
		{"scopes_supported", true, true},
	} {
		for name, want := range map[string]bool{"oidc-provider": row.oidc, "op": row.op} {
			if _, has := of[name][row.member]; has != want {
				t.Errorf("%s has %s: %t, want %t", name, row.member, has, want)
			}
		}
	}
}
