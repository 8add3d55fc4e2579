package gosdk

import (
	"bytes"
	"context"
	encoding "encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcptask"
)

// eras are the two HTTP handlers of the SDK: one with sessions, the other without.
var eras = map[string]bool{"2025-11-25": false, modern: true}

// serve serves over HTTP. The token of a request consists of a name and scopes.
func serve(t *testing.T, s *sdk.Server, stateless bool) string {
	t.Helper()
	h := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return s }, &sdk.StreamableHTTPOptions{Stateless: stateless})
	verify := func(_ context.Context, token string, _ *http.Request) (*auth.TokenInfo, error) {
		fields := strings.Split(token, ".")
		return &auth.TokenInfo{UserID: fields[0], Scopes: fields[1:], Expiration: time.Now().Add(time.Hour)}, nil
	}
	server := httptest.NewServer(auth.RequireBearerToken(verify, nil)(h))
	t.Cleanup(server.Close)
	return server.URL
}

// bearer sends a token with each request.
type bearer string

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(b))
	r.Header.Set("X-Place", string(b))
	return http.DefaultTransport.RoundTrip(r)
}

func dial(t *testing.T, url, revision, token string) *sdk.ClientSession {
	t.Helper()
	c := sdk.NewClient(&sdk.Implementation{Name: "client", Version: "2"}, asking(revision))
	session, err := c.Connect(context.Background(), &sdk.StreamableClientTransport{Endpoint: url, HTTPClient: &http.Client{Transport: bearer(token)}},
		&sdk.ClientSessionOptions{ProtocolVersion: revision})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = session.Close() })
	return session
}

func TestPrincipal(t *testing.T) {
	who := tool("who", func(ctx context.Context, _ encoding.RawMessage) (string, error) {
		c := mcp.CallFrom(ctx)
		p := c.Principal()
		info, _ := p.Value.(*auth.TokenInfo)
		direct := auth.TokenInfoFromContext(ctx)
		return fmt.Sprint(p.ID, " ", info.UserID, " ", direct.UserID, " ", c.Header()["X-Place"]), nil
	})
	guarded := mcp.NewTool(mcp.ToolInfo{Name: "guarded", Scopes: []string{"write"}}, func(context.Context, encoding.RawMessage) (*mcp.ToolResult, error) {
		return mcp.TextResult("written"), nil
	})
	secret := echo("secret")
	visible := mcp.WithAccess(mcp.Visible(func(ctx context.Context, f mcp.FeatureInfo) bool {
		return f.Name != "secret" || mcp.CallFrom(ctx).Principal().ID == "ann"
	}))
	s := mounted(t, []mcp.Option{visible}, who, guarded, secret)
	for revision, stateless := range eras {
		t.Run(revision, func(t *testing.T) {
			url := serve(t, s, stateless)
			ann, bob := dial(t, url, revision, "ann.write"), dial(t, url, revision, "bob.read")
			same(t, "ann", call(t, ann, "who", map[string]any{}), "ann ann ann [ann.write]")
			same(t, "bob", call(t, bob, "who", map[string]any{}), "bob bob bob [bob.read]")
			sameList(t, "ann sees", toolNames(t, ann), "guarded", "own", "secret", "who")
			sameList(t, "bob sees", toolNames(t, bob), "guarded", "own", "who")
			l, err := bob.ListTools(t.Context(), nil)
			if err != nil || revision == modern && l.CacheScope != "private" {
				t.Errorf("%v, cache scope %q", err, l.CacheScope)
			}
			same(t, "ann writes", call(t, ann, "guarded", map[string]any{}), "written")
			for _, name := range []string{"guarded", "secret"} {
				_, err = bob.CallTool(t.Context(), &sdk.CallToolParams{Name: name})
				if e, ok := errors.AsType[*jsonrpc.Error](err); !ok || name == "guarded" && !strings.Contains(string(e.Data), `"scopes":["write"]`) {
					t.Errorf("%s: %v", name, err)
				}
			}
			same(t, "ann", call(t, ann, "secret", map[string]any{}), "{}")
		})
	}
}

// Without a token, features with scopes are refused: the caller may have come over a network.
func TestScopesWithoutToken(t *testing.T) {
	guarded := mcp.NewTool(mcp.ToolInfo{Name: "guarded", Scopes: []string{"write"}}, func(context.Context, encoding.RawMessage) (*mcp.ToolResult, error) {
		return mcp.TextResult("written"), nil
	})
	everyRevision(t, func(t *testing.T, revision string) {
		c := connect(t, mounted(t, nil, guarded), revision, nil)
		if _, err := c.CallTool(t.Context(), &sdk.CallToolParams{Name: "guarded"}); err == nil {
			t.Error("it may be called")
		}
		all := mcp.WithAccess(mcp.AccessFunc(func(context.Context, mcp.FeatureInfo) error { return nil }))
		c = connect(t, mounted(t, []mcp.Option{all}, guarded), revision, nil)
		same(t, "with access", call(t, c, "guarded", map[string]any{}), "written")
	})
}

func TestQuestionsOverHTTP(t *testing.T) {
	ask := tool("ask", func(ctx context.Context, _ encoding.RawMessage) (string, error) {
		form := &mcp.FormInfo{Fields: []mcp.FormField{{Name: "size", Kind: mcp.IntegerField, Required: true}}}
		a, err := mcp.ElicitFields(ctx, "one", form)
		if err != nil {
			return "", err
		}
		b, err := mcp.ElicitFields(ctx, "two", form)
		return fmt.Sprint(a.Value, b.Value), err
	})
	s := mounted(t, nil, ask)
	for revision, stateless := range eras {
		c := dial(t, serve(t, s, stateless), revision, "ann")
		same(t, revision, call(t, c, "ask", map[string]any{}), "map[size:7] map[size:7]")
	}
}

// A tool is found by its aliases, which are not listed, and do not collide.
func TestAliases(t *testing.T) {
	aliased := func(name string, aliases ...string) mcp.Feature {
		return mcp.NewTool(mcp.ToolInfo{Name: name, Aliases: aliases}, func(context.Context, encoding.RawMessage) (*mcp.ToolResult, error) {
			return mcp.TextResult("this is " + name), nil
		})
	}
	s := mounted(t, nil, aliased("new", "old"))
	for _, revision := range []string{"2025-11-25", modern} {
		c := connect(t, s, revision, nil)
		same(t, "old", call(t, c, "old", map[string]any{}), "this is new")
		sameList(t, "tools", toolNames(t, c), "new", "own")
	}
	for _, other := range []mcp.Feature{aliased("old"), aliased("else", "own"), aliased("else", "old"), aliased("else", "new")} {
		if _, err := Mount(s, registering(other)); err == nil {
			t.Errorf("%+v is mounted", other.Info())
		}
	}
}

// Tools whose calls may become tasks are callable; tools whose calls must become tasks are omitted.
func TestTasks(t *testing.T) {
	var log bytes.Buffer
	s := newServer()
	unmount, err := Mount(s, registering(mcptask.Tool(echo("may"), mcptask.Support{}), mcptask.Tool(echo("must"), mcptask.Support{Required: true})),
		mcp.WithLogger(slog.New(slog.NewTextHandler(&log, nil))))
	if err != nil {
		t.Fatal(err)
	}
	defer unmount()
	if !strings.Contains(log.String(), "tool=must") {
		t.Errorf("log: %s", &log)
	}
	everyRevision(t, func(t *testing.T, revision string) {
		o := &sdk.ClientOptions{Capabilities: &sdk.ClientCapabilities{}}
		o.Capabilities.AddExtension("io.modelcontextprotocol/tasks", nil)
		c := connect(t, s, revision, o)
		sameList(t, "tools", toolNames(t, c), "may", "own")
		same(t, "may", call(t, c, "may", map[string]any{"a": 1}), `{"a":1}`)
	})
}

// Features that the SDK does not allow are an error, and nothing is added.
func TestRefusedByTheSDK(t *testing.T) {
	s := newServer()
	// The SDK does not parse this URI.
	bad := mcp.NewResource(mcp.ResourceInfo{URI: "x:%zz", Name: "bad"}, func(context.Context, string) (*mcp.ResourceResult, error) { return mcp.TextContents(""), nil })
	_, err := tryMount(s, registering(echo("a"), bad))
	if err == nil {
		t.Error("it is mounted")
	}
	c := connect(t, s, modern, nil)
	sameList(t, "tools", toolNames(t, c), "own")
	if n := len(hostOf(s).mounted()); n != 0 {
		t.Errorf("%d mounts are left", n)
	}
}

// tryMount mounts, and returns the panic of a feature that package mcp also rejects.
func tryMount(s *sdk.Server, register func(mcp.Registrar)) (unmount func(), err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%v", p)
		}
	}()
	return Mount(s, register)
}

// Callers without UserID are identified by their tokens. Without tokens, data kept for one caller
// would be kept for others, so questions are refused.
func TestCallersWithoutUserID(t *testing.T) {
	ask := tool("ask", func(ctx context.Context, _ encoding.RawMessage) (string, error) {
		a, err := mcp.ElicitFields(ctx, "one", &mcp.FormInfo{Fields: []mcp.FormField{{Name: "size", Kind: mcp.IntegerField, Required: true}}})
		return fmt.Sprint(a.Value), err
	})
	who := tool("who", func(ctx context.Context, _ encoding.RawMessage) (string, error) {
		return mcp.CallFrom(ctx).Principal().ID, nil
	})
	s := mounted(t, []mcp.Option{mcp.WithStateKeys(bytes.Repeat([]byte("k"), 32))}, ask, who)
	userID := func(string) string { return "" }
	verify := func(_ context.Context, token string, _ *http.Request) (*auth.TokenInfo, error) {
		return &auth.TokenInfo{UserID: userID(token), Expiration: time.Now().Add(time.Hour)}, nil
	}
	var h http.Handler = sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return s }, &sdk.StreamableHTTPOptions{Stateless: true})
	withToken := httptest.NewServer(auth.RequireBearerToken(verify, nil)(h))
	defer withToken.Close()
	without := httptest.NewServer(auth.RequireBearerToken(verify, nil)(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Header.Del("Authorization")
		h.ServeHTTP(w, r)
	})))
	defer without.Close()
	dial := func(url, token string) *sdk.ClientSession {
		o := asking(modern)
		o.MultiRoundTrip = &sdk.MultiRoundTripOptions{Disabled: true}
		session, err := sdk.NewClient(&sdk.Implementation{Name: "client", Version: "2"}, o).Connect(context.Background(),
			&sdk.StreamableClientTransport{Endpoint: url, HTTPClient: &http.Client{Transport: bearer(token)}}, &sdk.ClientSessionOptions{ProtocolVersion: modern})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = session.Close() })
		return session
	}
	alice, mallory := dial(withToken.URL, "alice"), dial(withToken.URL, "mallory")
	r, err := alice.CallTool(t.Context(), &sdk.CallToolParams{Name: "ask"})
	if err != nil || r.RequestState == "" || len(r.InputRequests) != 1 {
		t.Fatalf("%+v, %v", r, err)
	}
	again := func(c *sdk.ClientSession) (string, error) {
		p := &sdk.CallToolParams{Name: "ask", RequestState: r.RequestState, InputResponses: sdk.InputResponseMap{}}
		for key := range r.InputRequests {
			p.InputResponses[key] = &sdk.ElicitResult{Action: "accept", Content: map[string]any{"size": 7}}
		}
		result, err := c.CallTool(t.Context(), p)
		if err != nil {
			return "", err
		}
		return textOf(result), nil
	}
	if text, err := again(mallory); err == nil {
		t.Errorf("the state of alice, with an answer of mallory: %s", text)
	}
	if text, err := again(dial(withToken.URL, "alice")); err != nil || text != "map[size:7]" {
		t.Errorf("alice: %s, %v", text, err)
	}
	unknown := dial(without.URL, "alice")
	same(t, "the ID of a caller whose token is not known", call(t, unknown, "who", map[string]any{}), "")
	if text, err := again(unknown); err == nil || !strings.Contains(err.Error(), "no ID") {
		t.Errorf("a caller whose token is not known, with the state of alice: %s, %v", text, err)
	}
	if r, err := unknown.CallTool(t.Context(), &sdk.CallToolParams{Name: "ask"}); err == nil || !strings.Contains(err.Error(), "no ID") {
		t.Errorf("a caller whose token is not known is asked: %+v, %v", r, err)
	}
	id := call(t, alice, "who", map[string]any{})
	if !strings.HasPrefix(id, "token sha256:") || strings.Contains(id, "alice") || call(t, mallory, "who", map[string]any{}) == id {
		t.Errorf("the ID of alice is %q", id)
	}
	userID = func(string) string { return id }
	if other := call(t, mallory, "who", map[string]any{}); other == id {
		t.Error("a user has the ID of the caller with a token")
	}
	userID = func(token string) string { return token }
	same(t, "the ID of a user", call(t, alice, "who", map[string]any{}), "alice")
	same(t, "the ID of a user whose token is not known", call(t, unknown, "who", map[string]any{}), "alice")
}
