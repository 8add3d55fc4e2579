package interop

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	nethttp "net/http"
	"net/url"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/modelcontextprotocol/go-sdk/oauthex"

	"github.com/mcpgen/mcpgen/runtime/mcpclient"
	"github.com/mcpgen/mcpgen/runtime/mcphttpclient"
	"github.com/mcpgen/mcpgen/runtime/mcplogin"
)

// authPlan describes how and where a client logs in.
type authPlan struct {
	URL      string `json:"url"`
	Revision string `json:"revision"`
	Walk     string `json:"walk"`
	Client   string `json:"client,omitempty"` // its id, if it is registered in advance
	Issuer   string `json:"issuer,omitempty"` // where it is registered
	Scope    string `json:"scope,omitempty"`  // requested if the server names none
	user     *authUser
}

// authUser is the user who logs in with a browser.
type authUser struct {
	open func(ctx context.Context, url, stop string) (string, error) // follows the pages, like browse

	mu     sync.Mutex
	logins []string // requested scopes
	away   bool
}

// browse logs in, unless the user is away.
func (u *authUser) browse(ctx context.Context, to, stop string) (string, error) {
	at, err := url.Parse(to)
	if err != nil {
		return "", err
	}
	u.mu.Lock()
	away := u.away
	if !away {
		u.logins = append(u.logins, at.Query().Get("scope"))
	}
	u.mu.Unlock()
	if away {
		return "", errors.New("the user is away")
	}
	return u.open(ctx, to, stop)
}

// count returns the number of logins.
func (u *authUser) count() int {
	u.mu.Lock()
	defer u.mu.Unlock()
	return len(u.logins)
}

// leave makes the user unavailable, or available again.
func (u *authUser) leave(away bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.away = away
}

// authClient is a client of an SDK that logs in when the server requires it.
type authClient interface {
	connect(context.Context) error
	list(context.Context) (string, error) // the names of tools, with commas
	call(ctx context.Context, tool string) (string, error)
	watch(context.Context) error // opens a stream, if none is open
}

// authRedirect is the URL to which issuers redirect the browser. No server listens there: browse
// stops before.
const authRedirect = "http://127.0.0.1:7777/callback"

// authSDKs are the clients, with the revisions in authEras that they support.
var authSDKs = []struct {
	name, title, module string
	revisions           []string
	start               func(*testing.T, authPlan) authClient
}{
	{"ours", "mcpgen", "", authEras, startOurs},
	{"gosdk", "Go SDK", "github.com/modelcontextprotocol/go-sdk", authEras, startGoSDK},
	{"sdk1", "TypeScript", "@modelcontextprotocol/sdk", authEras[:1], func(t *testing.T, p authPlan) authClient { return startScript(t, sdk1, p) }},
	{"sdk2", "TypeScript", "@modelcontextprotocol/client", authEras, func(t *testing.T, p authPlan) authClient { return startScript(t, sdk2, p) }},
}

// ourAuth is the client of mcpgen.
type ourAuth struct {
	t     *testing.T
	plan  authPlan
	login *mcplogin.Login
	*mcpclient.Client
}

func startOurs(t *testing.T, p authPlan) authClient {
	config := mcplogin.Config{Name: "interop", Issuer: p.Issuer, ClientID: p.Client, Offline: p.Client != "", OpenBrowser: func(ctx context.Context, to string) error {
		_, err := p.user.browse(ctx, to, "")
		return err
	}}
	return &ourAuth{t: t, plan: p, login: newLogin(t, config)}
}

func (c *ourAuth) connect(ctx context.Context) (err error) {
	client, _ := httpClient(c.t)
	c.Client, err = mcpclient.Connect(ctx, mcphttpclient.Endpoint{URL: c.plan.URL, Auth: c.login, Client: client}, mcpclient.Options{Revision: c.plan.Revision})
	if err == nil {
		c.t.Cleanup(func() { _ = c.Close() })
	}
	return err
}

func (c *ourAuth) list(ctx context.Context) (string, error) {
	tools, err := c.Tools(ctx)
	var names []string
	for _, tool := range tools {
		names = append(names, tool.Name)
	}
	slices.Sort(names)
	return strings.Join(names, ","), err
}

func (c *ourAuth) call(ctx context.Context, tool string) (string, error) {
	result, err := c.Call(ctx, tool, nil)
	if err != nil {
		return "", err
	}
	return result.Text(), nil
}

func (c *ourAuth) watch(ctx context.Context) error {
	watch, err := c.Subscribe(ctx, mcpclient.Filter{URIs: []string{stock}})
	if err == nil {
		go func() {
			for range watch.Changes() {
			}
		}()
	}
	return err
}

// goSDKAuth is the client of the Go SDK.
type goSDKAuth struct {
	t       *testing.T
	plan    authPlan
	handler auth.OAuthHandler
	*sdk.ClientSession
}

func startGoSDK(t *testing.T, p authPlan) authClient {
	config := &auth.AuthorizationCodeHandlerConfig{
		RedirectURL: authRedirect, RequestRefreshToken: true,
		AuthorizationCodeFetcher: func(ctx context.Context, args *auth.AuthorizationArgs) (*auth.AuthorizationResult, error) {
			to, err := p.user.browse(ctx, args.URL, authRedirect)
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
	}
	if p.Scope != "" {
		config.ScopeFilter = func(asked []string) []string {
			if len(asked) == 0 {
				asked = []string{p.Scope}
			}
			return asked
		}
	}
	if p.Client != "" {
		config.PreregisteredClient = &oauthex.ClientCredentials{ClientID: p.Client, Issuer: p.Issuer}
	} else {
		config.DynamicClientRegistrationConfig = &auth.DynamicClientRegistrationConfig{Metadata: &oauthex.ClientRegistrationMetadata{
			ClientName: "interop", RedirectURIs: []string{authRedirect}, GrantTypes: []string{"authorization_code", "refresh_token"},
		}}
	}
	handler, err := auth.NewAuthorizationCodeHandler(config)
	if err != nil {
		t.Fatal(err)
	}
	return &goSDKAuth{t: t, plan: p, handler: handler}
}

func (c *goSDKAuth) connect(ctx context.Context) (err error) {
	transport := nethttp.DefaultTransport.(*nethttp.Transport).Clone()
	c.t.Cleanup(transport.CloseIdleConnections)
	c.ClientSession, err = sdk.NewClient(&sdk.Implementation{Name: "interop", Version: "1"}, nil).Connect(ctx, &sdk.StreamableClientTransport{
		Endpoint: c.plan.URL, OAuthHandler: c.handler, HTTPClient: &nethttp.Client{Transport: transport},
	}, &sdk.ClientSessionOptions{ProtocolVersion: c.plan.Revision})
	if err == nil {
		c.t.Cleanup(func() { _ = c.Close() })
	}
	return err
}

func (c *goSDKAuth) list(ctx context.Context) (string, error) {
	tools, err := c.ListTools(ctx, nil)
	if err != nil {
		return "", err
	}
	var names []string
	for _, tool := range tools.Tools {
		names = append(names, tool.Name)
	}
	slices.Sort(names)
	return strings.Join(names, ","), nil
}

func (c *goSDKAuth) call(ctx context.Context, tool string) (string, error) {
	result, err := c.CallTool(ctx, &sdk.CallToolParams{Name: tool})
	if err != nil {
		return "", err
	}
	text, ok := result.Content[0].(*sdk.TextContent)
	if !ok || result.IsError {
		return "", fmt.Errorf("%+v", result)
	}
	return text.Text, nil
}

func (c *goSDKAuth) watch(ctx context.Context) error {
	return c.Subscribe(ctx, &sdk.SubscribeParams{URI: stock})
}

// scriptAuth is a client of a TypeScript SDK, in a separate process: see login.mjs.
type scriptAuth struct {
	plan  authPlan
	input io.Writer
	lines chan []byte // lines of its output; closed at its end
}

func startScript(t *testing.T, script string, p authPlan) authClient {
	p.Walk = "login"
	command := exec.Command(node(t), filepath.Join(clients, script), string(marshal(t, p)))
	stdin, err := command.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var stderr strings.Builder
	command.Stderr = &stderr
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	c := &scriptAuth{plan: p, input: stdin, lines: make(chan []byte, 100)}
	go func() {
		defer close(c.lines)
		for scanner := bufio.NewScanner(stdout); scanner.Scan(); {
			c.lines <- slices.Clone(scanner.Bytes())
		}
	}()
	t.Cleanup(func() {
		_ = stdin.Close()
		late := time.AfterFunc(deadline, func() { _ = command.Process.Kill() })
		defer late.Stop()
		for range c.lines {
		}
		if err := command.Wait(); err != nil {
			t.Errorf("%s: %v\n%s", script, err, &stderr)
		}
	})
	return c
}

// do makes the program execute a step, and opens a browser for it.
func (c *scriptAuth) do(ctx context.Context, step map[string]string) (string, error) {
	for {
		line, err := json.Marshal(step)
		if err != nil {
			return "", err
		}
		if _, err := c.input.Write(append(line, '\n')); err != nil {
			return "", err
		}
		var answer struct{ Result, Error, Open string }
		select {
		case line, ok := <-c.lines:
			if !ok {
				return "", errors.New("the program has ended")
			}
			if err := json.Unmarshal(line, &answer); err != nil {
				return "", fmt.Errorf("%w: %s", err, line)
			}
		case <-ctx.Done():
			return "", ctx.Err()
		}
		switch {
		case answer.Error != "":
			return "", errors.New(answer.Error)
		case answer.Open == "":
			return answer.Result, nil
		}
		at, err := c.plan.user.browse(ctx, answer.Open, authRedirect)
		if err != nil {
			at = ""
		}
		step = map[string]string{"at": at}
	}
}

func (c *scriptAuth) connect(ctx context.Context) error {
	_, err := c.do(ctx, map[string]string{"do": "connect"})
	return err
}

func (c *scriptAuth) list(ctx context.Context) (string, error) {
	return c.do(ctx, map[string]string{"do": "list"})
}

func (c *scriptAuth) call(ctx context.Context, tool string) (string, error) {
	return c.do(ctx, map[string]string{"do": "call", "tool": tool})
}

func (c *scriptAuth) watch(ctx context.Context) error {
	_, err := c.do(ctx, map[string]string{"do": "watch"})
	return err
}
