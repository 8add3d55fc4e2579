package interop

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/url"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/auth"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/modelcontextprotocol/go-sdk/oauthex"

	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpauth"
	"github.com/mcpgen/mcpgen/runtime/mcpauthtest"
	"github.com/mcpgen/mcpgen/runtime/mcpcmd"
	"github.com/mcpgen/mcpgen/runtime/mcpissuer"
)

// startDevLogin runs a program with -dev-login until the end of the test, as in docs/serve/auth.md:
// it has two tools with a scope each; ada may have one of the scopes, root both.
func startDevLogin(t *testing.T) (endpoint string) {
	t.Helper()
	s := mcp.NewServer(mcp.ServerInfo{Name: "shop"}, mcp.WithLogger(slog.New(slog.DiscardHandler)))
	for name, scope := range map[string]string{"search": "books:read", "order": "books:write"} {
		info := mcp.ToolInfo{Name: name, InputSchema: `{"type":"object"}`, Scopes: []string{scope}}
		info.Hints.ReadOnly = name == "search"
		s.Register(mcp.NewTool(info, func(ctx context.Context, _ json.RawMessage) (*mcp.ToolResult, error) {
			return mcp.TextResult(name + " by " + mcpauth.IdentityFromContext(ctx).Subject), nil
		}))
	}
	ctx, stop := context.WithCancel(t.Context())
	ready, ended := make(chan string, 1), make(chan error, 1)
	go func() {
		ended <- mcpcmd.Run(ctx, s, []string{"-http", "127.0.0.1:0", "-dev-login=ada:books:read,root:*"}, mcpissuer.Flags(), mcpcmd.WithReady(func(url string) { ready <- url }))
	}()
	select {
	case endpoint = <-ready:
	case err := <-ended:
		stop()
		t.Fatal(err)
	}
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return endpoint
}

// goSDKPerson is a client of the Go SDK that registers and logs in by itself, with the persona at
// its browser.
type goSDKPerson struct {
	mcpauthtest.Person
	asked []string // scopes on the pages
}

func (p *goSDKPerson) connect(ctx context.Context, t *testing.T, endpoint string) *sdk.ClientSession {
	t.Helper()
	p.Scopes = func(scopes []string) []string {
		p.asked = append(p.asked, strings.Join(scopes, " "))
		return scopes
	}
	const redirect = "http://127.0.0.1:7777/callback" // the fetcher does not open it
	handler, err := auth.NewAuthorizationCodeHandler(&auth.AuthorizationCodeHandlerConfig{
		DynamicClientRegistrationConfig: &auth.DynamicClientRegistrationConfig{Metadata: &oauthex.ClientRegistrationMetadata{
			ClientName: "go-sdk", RedirectURIs: []string{redirect}, GrantTypes: []string{"authorization_code", "refresh_token"},
		}},
		RedirectURL: redirect,
		AuthorizationCodeFetcher: func(ctx context.Context, args *auth.AuthorizationArgs) (*auth.AuthorizationResult, error) {
			to, err := p.Callback(ctx, args.URL)
			if err != nil {
				return nil, err
			}
			u, err := url.Parse(to)
			if err != nil {
				return nil, err
			}
			q := u.Query()
			return &auth.AuthorizationResult{Code: q.Get("code"), State: q.Get("state"), Iss: q.Get("iss")}, nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	c, err := sdk.NewClient(&sdk.Implementation{Name: "go-sdk", Version: "1"}, nil).Connect(ctx, &sdk.StreamableClientTransport{Endpoint: endpoint, OAuthHandler: handler}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// TestDevLoginGoSDK follows docs/serve/auth.md with a third-party client: it registers, logs in,
// lists, calls, lacks a scope, steps up and calls.
func TestDevLoginGoSDK(t *testing.T) {
	t.Parallel()
	endpoint := startDevLogin(t)
	ctx, cancel := context.WithTimeout(t.Context(), deadline)
	defer cancel()

	root := &goSDKPerson{Person: mcpauthtest.Person{Persona: "root"}}
	c := root.connect(ctx, t, endpoint)
	tools, err := c.ListTools(ctx, nil)
	if err != nil || len(tools.Tools) != 2 {
		t.Fatalf("%+v, %v", tools, err)
	}
	for _, tool := range []string{"search", "order", "search"} {
		result, err := c.CallTool(ctx, &sdk.CallToolParams{Name: tool})
		if err != nil || result.IsError || len(result.Content) != 1 {
			t.Fatalf("%s: %+v, %v", tool, result, err)
		}
		if text, ok := result.Content[0].(*sdk.TextContent); !ok || text.Text != tool+" by root" {
			t.Errorf("%s: %+v", tool, result.Content[0])
		}
	}
	if len(root.asked) < 2 || !strings.Contains(root.asked[len(root.asked)-1], "books:write") {
		t.Errorf("the pages have asked for %q", root.asked)
	}

	ada := &goSDKPerson{Person: mcpauthtest.Person{Persona: "ada"}}
	c = ada.connect(ctx, t, endpoint)
	if result, err := c.CallTool(ctx, &sdk.CallToolParams{Name: "search"}); err != nil || result.IsError {
		t.Errorf("ada searches: %+v, %v", result, err)
	}
	if result, err := c.CallTool(ctx, &sdk.CallToolParams{Name: "order"}); err == nil && !result.IsError {
		t.Errorf("ada orders: %+v", result)
	}
	if n := len(ada.asked); n > 5 {
		t.Errorf("%d pages for a scope that ada cannot have", n)
	}
}

// TestDevLoginTypeScript does the same with the clients of the TypeScript SDKs, in each era that
// they support. Version 1.x responds to a missing scope with its refresh token, which adds no
// scope, and so does not step up.
func TestDevLoginTypeScript(t *testing.T) {
	t.Parallel()
	node(t)
	for _, client := range authSDKs {
		if !strings.HasPrefix(client.name, "sdk") {
			continue
		}
		for _, revision := range client.revisions {
			t.Run(client.name+"/"+revision, func(t *testing.T) {
				t.Parallel()
				endpoint := startDevLogin(t)
				ctx, cancel := context.WithTimeout(t.Context(), deadline)
				defer cancel()
				start := func(persona string) (authClient, *authUser) {
					user := &authUser{open: func(ctx context.Context, to, _ string) (string, error) {
						return mcpauthtest.Person{Persona: persona}.Callback(ctx, to)
					}}
					c := client.start(t, authPlan{URL: endpoint, Revision: revision, user: user})
					if err := c.connect(ctx); err != nil {
						t.Fatal(err)
					}
					if text, err := c.call(ctx, "search"); err != nil || text != "search by "+persona {
						t.Errorf("%s searches: %q, %v", persona, text, err)
					}
					return c, user
				}
				c, _ := start("root")
				names, err := c.list(ctx)
				if err != nil || names != "order,search" {
					t.Errorf("%q, %v", names, err)
				}
				text, err := c.call(ctx, "order")
				if client.name == "sdk1" {
					if err == nil || err.Error() != "Streamable HTTP error: Server returned 403 after trying upscoping" {
						t.Errorf("order: %q, %v", text, err)
					}
				} else if err != nil || text != "order by root" {
					t.Errorf("order: %q, %v", text, err)
				}
				c, user := start("ada")
				if text, err := c.call(ctx, "order"); err == nil {
					t.Errorf("ada orders: %q", text)
				}
				if n := user.count(); n > 5 {
					t.Errorf("%d pages for a scope that ada cannot have", n)
				}
				if text, err := c.call(ctx, "search"); err != nil || text != "search by ada" {
					t.Errorf("ada searches: %q, %v", text, err)
				}
			})
		}
	}
}
