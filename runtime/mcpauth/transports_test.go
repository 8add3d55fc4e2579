package mcpauth_test

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpauth"
	"github.com/mcpgen/mcpgen/runtime/mcphttp"
	"github.com/mcpgen/mcpgen/runtime/mcpws"
)

// transports serves a tool whoami over WebSocket and HTTP+SSE, with a guard that verifies real
// tokens.
func transports(t *testing.T) (*httptest.Server, *site) {
	s := newSite(t, nil)
	server := mcp.NewServer(mcp.ServerInfo{Name: "books", Version: "1"}, mcp.WithLogger(s.log.logger()))
	server.Register(mcp.NewTool(mcp.ToolInfo{Name: "whoami"}, func(ctx context.Context, _ json.RawMessage) (*mcp.ToolResult, error) {
		call := mcp.CallFrom(ctx)
		text := mcpauth.IdentityFromContext(ctx).Subject
		for name := range call.Header() {
			if name == "Authorization" || name == "Cookie" {
				text += " with " + name
			}
		}
		return mcp.TextResult(text), nil
	}))
	mux := http.NewServeMux()
	ws := mcpws.NewHandler(server, mcpws.WithPrincipal(s.guard.Principal))
	sse := mcphttp.NewSSEHandler(server, s.guard.HTTP()...)
	mux.Handle("/ws", ws)
	mux.Handle("/sse", sse)
	h := httptest.NewServer(mux)
	t.Cleanup(func() {
		_ = ws.Close()
		_ = sse.Close()
		h.Close()
	})
	return h, s
}

const (
	legacyInitialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2024-11-05","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`
	legacyCall       = `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"whoami","arguments":{}}}`
)

// wrong returns credentials that every transport refuses.
func wrong() map[string]string {
	return map[string]string{
		"none": "", "expired": "Bearer " + token(object{"exp": 1}), "another audience": "Bearer " + token(object{"aud": "https://mcp.example.com/ws"}),
		"opaque": "Bearer " + canary, "Basic": "Basic YWRhOng=",
	}
}

// The request that opens a WebSocket is authenticated.
func TestWebSocket(t *testing.T) {
	h, s := transports(t)
	ctx, cancel := contextFor(t, time.Minute)
	defer cancel()
	open := func(authorization string) (*websocket.Conn, *http.Response, error) {
		header := http.Header{"Cookie": {"session=" + canary}}
		if authorization != "" {
			header.Set("Authorization", authorization)
		}
		return websocket.Dial(ctx, "ws"+strings.TrimPrefix(h.URL, "http")+"/ws", &websocket.DialOptions{HTTPHeader: header, Subprotocols: []string{"mcp"}})
	}
	for name, authorization := range wrong() {
		_, resp, err := open(authorization)
		if err == nil || resp == nil || resp.StatusCode != 401 || !strings.Contains(resp.Header.Get("Www-Authenticate"), "resource_metadata=") {
			t.Errorf("%s: %v, %v", name, resp, err)
		}
	}
	c, _, err := open("Bearer " + token(nil))
	if err != nil {
		t.Fatal(err)
	}
	defer c.CloseNow()
	for _, message := range []string{legacyInitialize, `{"jsonrpc":"2.0","method":"notifications/initialized"}`, legacyCall} {
		if err := c.Write(ctx, websocket.MessageText, []byte(message)); err != nil {
			t.Fatal(err)
		}
	}
	for {
		_, reply, err := c.Read(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(reply), `"id":2`) {
			if !strings.Contains(string(reply), `"text":"ada"`) {
				t.Errorf("%s", reply)
			}
			break
		}
	}
	noSecret(t, s.audit.String()+s.log.String(), token(nil))
}

// Both requests of HTTP+SSE are authenticated, and only messages of the principal that opened the
// stream are accepted.
func TestHTTPWithSSE(t *testing.T) {
	h, s := transports(t)
	ctx, cancel := contextFor(t, time.Minute)
	defer cancel()
	send := func(method, path, authorization, body string) *http.Response {
		r, err := http.NewRequestWithContext(ctx, method, h.URL+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		if method == "GET" {
			r.Body, r.ContentLength = nil, 0
		}
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "text/event-stream")
		r.Header.Set("Cookie", "session="+canary)
		if authorization != "" {
			r.Header.Set("Authorization", authorization)
		}
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		return resp
	}
	for name, authorization := range wrong() {
		resp := send("GET", "/sse", authorization, "")
		resp.Body.Close()
		if resp.StatusCode != 401 {
			t.Errorf("%s: status %d", name, resp.StatusCode)
		}
	}
	good := "Bearer " + token(nil)
	stream := send("GET", "/sse", good, "")
	defer stream.Body.Close()
	events := bufio.NewScanner(stream.Body)
	next := func() string {
		t.Helper()
		for events.Scan() {
			if data, ok := strings.CutPrefix(events.Text(), "data: "); ok {
				return data
			}
		}
		t.Fatalf("the stream has ended: %v", events.Err())
		return ""
	}
	at := must(must(url.Parse("/sse")).Parse(next())).String()
	for name, authorization := range wrong() {
		resp := send("POST", at, authorization, legacyInitialize)
		resp.Body.Close()
		if resp.StatusCode != 401 {
			t.Errorf("message, %s: status %d", name, resp.StatusCode)
		}
	}
	other := send("POST", at, "Bearer "+token(object{"sub": "eve"}), legacyInitialize)
	_, _ = io.Copy(io.Discard, other.Body)
	other.Body.Close()
	if other.StatusCode != 404 {
		t.Errorf("another principal: status %d", other.StatusCode)
	}
	for _, message := range []string{legacyInitialize, `{"jsonrpc":"2.0","method":"notifications/initialized"}`, legacyCall} {
		resp := send("POST", at, good, message)
		resp.Body.Close()
		if resp.StatusCode/100 != 2 {
			t.Errorf("status %d", resp.StatusCode)
		}
	}
	for reply := next(); ; reply = next() {
		if strings.Contains(reply, `"id":2`) {
			if !strings.Contains(reply, `"text":"ada"`) {
				t.Error(reply)
			}
			break
		}
	}
	noSecret(t, s.audit.String()+s.log.String(), token(nil))
}

// A request with a cached token costs the guard one allocation.
func TestGuardAllocations(t *testing.T) {
	g, err := mcpauth.New(mcpauth.Options{Resource: resource, Verifiers: []mcpauth.Verifier{jwtOf(newIssuer())}})
	if err != nil {
		t.Fatal(err)
	}
	r, field := post("whoami"), []string{"Bearer " + token(nil)}
	once := func() {
		r.Header["Authorization"] = field
		if _, err := g.Principal(r); err != nil {
			t.Fatal(err)
		}
	}
	once()
	if n := testing.AllocsPerRun(100, once); n > 1 {
		t.Errorf("%v allocations", n)
	}
}
