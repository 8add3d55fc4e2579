package interop

import (
	"context"
	"encoding/json"
	"log/slog"
	nethttp "net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpauth"
	"github.com/mcpgen/mcpgen/runtime/mcphttp"
)

// guarded is a bookshop whose tools need scopes, behind a guard.
type guarded struct {
	url   string
	guard *mcpauth.Guard

	mu      sync.Mutex
	sent    string // the newest Authorization field
	streams int    // open streams that belong to no call
	opened  int    // all such streams so far
}

// record records facts about the requests before they reach the server.
func (g *guarded) record(next nethttp.Handler) nethttp.Handler {
	return nethttp.HandlerFunc(func(w nethttp.ResponseWriter, r *nethttp.Request) {
		stream := r.Method == nethttp.MethodGet || r.Header.Get("Mcp-Method") == "subscriptions/listen"
		g.mu.Lock()
		if field := r.Header.Get("Authorization"); field != "" {
			g.sent = field
		}
		if stream {
			g.streams++
			g.opened++
		}
		g.mu.Unlock()
		defer func() {
			if stream {
				g.mu.Lock()
				g.streams--
				g.mu.Unlock()
			}
		}()
		next.ServeHTTP(w, r)
	})
}

// seen returns the newest Authorization field, the number of open streams, and the number of all
// streams so far.
func (g *guarded) seen() (field string, streams, opened int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.sent, g.streams, g.opened
}

// stock is the resource of the shop.
const stock = "shop:///stock"

// serveGuarded serves a bookshop whose callers need tokens that a verifier accepts. extra are
// further features.
func serveGuarded(t *testing.T, verifier mcpauth.Verifier, extra ...mcp.Feature) *guarded {
	t.Helper()
	g := &guarded{}
	s := mcp.NewServer(mcp.ServerInfo{Name: "shop", Version: "1.0.0"}, mcp.WithLogger(slog.New(slog.DiscardHandler)))
	tool := func(name string, f func(context.Context) (string, error), scopes ...string) mcp.Feature {
		return mcp.NewTool(mcp.ToolInfo{
			Name: name, Description: "Answers with a text.", InputSchema: `{"type":"object"}`, Scopes: scopes,
		}, func(ctx context.Context, _ json.RawMessage) (*mcp.ToolResult, error) {
			said, err := f(ctx)
			if err != nil {
				return nil, err
			}
			return mcp.TextResult(said), nil
		})
	}
	s.Register(tool("search", func(context.Context) (string, error) { return "found", nil }, "books:read"))
	s.Register(tool("buy", func(context.Context) (string, error) { return "bought", nil }, "books:write"))
	s.Register(tool("whoami", func(ctx context.Context) (string, error) {
		i := mcpauth.IdentityFromContext(ctx)
		return i.Subject + " by " + i.Method, nil
	}))
	s.Register(mcp.TextResource(&mcp.ResourceInfo{URI: stock, Name: "stock", Scopes: []string{"books:read"}}, "many"))
	s.Register(tool("restock", func(context.Context) (string, error) {
		s.ResourceUpdated(stock)
		return "restocked", nil
	}, "books:read"))
	for _, f := range extra {
		s.Register(f)
	}

	site := httptest.NewUnstartedServer(nil)
	g.url = "http://" + site.Listener.Addr().String() + "/mcp"
	guard, err := mcpauth.New(mcpauth.Options{
		Resource: g.url, Verifiers: []mcpauth.Verifier{verifier}, Scopes: []string{"books:read"},
		Leeway: time.Millisecond, // all clocks are the same
		Log:    slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	g.guard = guard
	handler := mcphttp.NewHandler(s, guard.HTTP()...)
	mux := nethttp.NewServeMux()
	mux.Handle("/mcp", g.record(handler))
	site.Config.Handler = guard.Wrap(mux)
	site.Start()
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), deadline)
		defer cancel()
		_ = handler.Shutdown(ctx)
		site.CloseClientConnections()
		site.Close()
	})
	return g
}
