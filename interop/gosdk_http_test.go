package interop

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	nethttp "net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpgen/mcpgen/internal/proof/spec"
)

// httpClient returns a client for one test. Its connections end with the test, so that the server
// does not wait for an unused open connection.
func httpClient(t *testing.T) (*nethttp.Client, *recorder) {
	t.Helper()
	transport := nethttp.DefaultTransport.(*nethttp.Transport).Clone()
	t.Cleanup(transport.CloseIdleConnections)
	r := &recorder{next: spec.NewTap(t).OfServers().Transport(transport), moved: make(chan struct{})}
	return &nethttp.Client{Transport: r}, r
}

// recorder records HTTP exchanges, and can cut responses.
type recorder struct {
	next nethttp.RoundTripper

	mu        sync.Mutex
	exchanges []*exchange
	moved     chan struct{} // closed at the next exchange
}

// exchange is one request and its answer.
type exchange struct {
	request string // HTTP method, and the called method or tool
	resumed bool   // requests the rest of a stream
	session string
	status  int   // 0 before the answer
	body    *body // of the answer
}

func (r *recorder) RoundTrip(request *nethttp.Request) (*nethttp.Response, error) {
	e := &exchange{
		request: request.Method, resumed: request.Header.Get("Last-Event-ID") != "", session: request.Header.Get("Mcp-Session-Id"),
	}
	if request.Body != nil {
		message, err := io.ReadAll(request.Body)
		if err != nil {
			return nil, err
		}
		request = request.Clone(request.Context())
		request.Body = io.NopCloser(bytes.NewReader(message))
		if decoded, err := jsonrpc.DecodeMessage(message); err == nil {
			e.request += " " + called(decoded)
		}
	}
	r.note(func() { r.exchanges = append(r.exchanges, e) })
	response, err := r.next.RoundTrip(request)
	if err != nil {
		return nil, err
	}
	r.note(func() {
		e.status = response.StatusCode
		e.body = &body{ReadCloser: response.Body}
	})
	response.Body = e.body
	return response, nil
}

// note modifies the record, and wakes waiting goroutines.
func (r *recorder) note(change func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	change()
	close(r.moved)
	r.moved = make(chan struct{})
}

// wait waits until enough returns true.
func (r *recorder) wait(t *testing.T, ctx context.Context, enough func() bool) {
	t.Helper()
	for {
		r.mu.Lock()
		moved := r.moved
		r.mu.Unlock()
		if enough() {
			return
		}
		select {
		case <-moved:
		case <-ctx.Done():
			t.Fatal("not what was waited for over HTTP")
		}
	}
}

// called returns the method of a message, or the tool that it calls, or "" for an answer.
func called(message jsonrpc.Message) string {
	request, ok := message.(*jsonrpc.Request)
	if !ok {
		return ""
	}
	var params struct{ Name string }
	if request.Method != "tools/call" || json.Unmarshal(request.Params, &params) != nil {
		return request.Method
	}
	return params.Name
}

// all returns the exchanges for which test returns true.
func (r *recorder) all(test func(*exchange) bool) (found []*exchange) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, e := range r.exchanges {
		if test(e) {
			found = append(found, e)
		}
	}
	return found
}

// cut cuts the newest response to a request.
func (r *recorder) cut(t *testing.T, request string) {
	t.Helper()
	found := r.all(func(e *exchange) bool { return e.request == request && e.body != nil })
	if len(found) == 0 {
		t.Fatalf("no answer to %s", request)
	}
	found[len(found)-1].body.cut()
}

// taken counts the resumed streams.
func (r *recorder) taken() int {
	return len(r.all(func(e *exchange) bool { return e.resumed && e.status == 200 }))
}

type body struct {
	io.ReadCloser
	mu  sync.Mutex
	off bool
}

var errCut = errors.New("cut off")

func (b *body) cut() {
	b.mu.Lock()
	b.off = true
	b.mu.Unlock()
	_ = b.Close()
}

func (b *body) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.off {
		return n, errCut
	}
	return n, err
}

// connectHTTP connects the SDK's client to the talker over streamable HTTP.
func connectHTTP(t *testing.T, revision string, options *mcp.ClientOptions) (ctx context.Context, session *mcp.ClientSession, wire *recorder, url string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), deadline)
	t.Cleanup(cancel)
	url = serve(t, talker, http).url
	over, wire := httpClient(t)
	client := mcp.NewClient(&mcp.Implementation{Name: "interop", Version: "1"}, options)
	session, err := client.Connect(ctx, &mcp.StreamableClientTransport{Endpoint: url, HTTPClient: over},
		&mcp.ClientSessionOptions{ProtocolVersion: revision})
	if err != nil {
		t.Fatalf("connect: %v", err)
	}
	return ctx, session, wire, url
}

// withProgress returns a call of a tool without arguments that requests progress notifications.
func withProgress(tool string) *mcp.CallToolParams {
	params := &mcp.CallToolParams{Name: tool, Meta: mcp.Meta{}}
	params.SetProgressToken(tool)
	return params
}

func TestGoSDKStreams(t *testing.T) {
	for _, revision := range []string{forms, links} {
		t.Run(revision, func(t *testing.T) {
			t.Parallel()
			updates, progress := newReceived(), newReceived()
			ctx, session, wire, url := connectHTTP(t, revision, &mcp.ClientOptions{
				ResourceUpdatedHandler: func(_ context.Context, r *mcp.ResourceUpdatedNotificationRequest) {
					updates.add("%s", r.Params.URI)
				},
				ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) {
					progress.add("%s", r.Params.Message)
				},
			})

			// The stream for messages outside of requests.
			if err := session.Subscribe(ctx, &mcp.SubscribeParams{URI: "talker://rules"}); err != nil {
				t.Fatal(err)
			}
			say(t, ctx, session, "touch")
			updates.wait(t, ctx, 1)
			wire.cut(t, "GET")
			say(t, ctx, session, "touch")
			same(t, "updates", updates.wait(t, ctx, 2), []string{"talker://rules", "talker://rules"})

			// The stream of a call.
			met := make(chan string, 1)
			go func() {
				result, err := session.CallTool(ctx, withProgress("meet"))
				met <- fmt.Sprint(err, " ", result != nil && text(t, result) == "met")
			}()
			progress.wait(t, ctx, 1)
			wire.cut(t, "POST meet")
			say(t, ctx, session, "arrive")
			progress.wait(t, ctx, 2)
			say(t, ctx, session, "arrive")
			same(t, "meet", <-met, "<nil> true")
			same(t, "progress", progress.wait(t, ctx, 2), []string{"waiting for Ada", "waiting for Grace"})
			same(t, "streams taken up", wire.taken(), 2)
			// The stream that the server releases.
			napped := make(chan string, 1)
			go func() { napped <- say(t, ctx, session, "nap") }()
			want := "slept, released false"
			if revision == links {
				want = "slept, released true"
				wire.wait(t, ctx, func() bool { return wire.taken() == 3 })
			}
			say(t, ctx, session, "arrive")
			same(t, "nap", <-napped, want)

			_, err := session.CallTool(ctx, withProgress("stumble"))
			if wire, ok := errors.AsType[*jsonrpc.Error](err); !ok || wire.Code != 4711 {
				t.Errorf("stumble: %v", err)
			}

			// The end of the session, which other clients also notice.
			other, wireOfOther := httpClient(t)
			if status := post(t, other, url, session.ID(), revision); status != 200 {
				t.Errorf("another client of the session: status %d", status)
			}
			if err := session.Close(); err != nil {
				t.Errorf("close: %v", err)
			}
			ends := wire.all(func(e *exchange) bool { return e.request == "DELETE" })
			if len(ends) != 1 || ends[0].status != 204 || ends[0].session == "" {
				t.Errorf("the session ended with %d DELETE, %+v", len(ends), ends)
			}
			if status := post(t, other, url, session.ID(), revision); status != 404 {
				t.Errorf("after the session: status %d", status)
			}
			same(t, "requests of the other", len(wireOfOther.all(func(*exchange) bool { return true })), 2)
		})
	}
}

// post sends a ping in a session, and returns the status of the answer.
func post(t *testing.T, client *nethttp.Client, url, session, revision string) int {
	t.Helper()
	request, err := nethttp.NewRequestWithContext(t.Context(), nethttp.MethodPost, url, strings.NewReader(`{"jsonrpc":"2.0","id":"other","method":"ping"}`))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json, text/event-stream")
	request.Header.Set("MCP-Protocol-Version", revision)
	request.Header.Set("Mcp-Session-Id", session)
	response, err := client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	return response.StatusCode
}

// A client gets a 404 after the end of its session.
func TestGoSDKSessionEnds(t *testing.T) {
	t.Parallel()
	ctx, session, wire, url := connectHTTP(t, links, nil)
	request, err := nethttp.NewRequestWithContext(ctx, nethttp.MethodDelete, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Mcp-Session-Id", session.ID())
	other, _ := httpClient(t)
	response, err := other.Do(request)
	if err != nil || response.StatusCode != 204 {
		t.Fatalf("end the session: %v, %v", response, err)
	}
	_ = response.Body.Close()
	if _, err := session.ListTools(ctx, nil); err == nil {
		t.Error("a call in a session that has ended is answered")
	}
	_ = session.Close()
	gone := wire.all(func(e *exchange) bool { return e.status == 404 })
	if len(gone) == 0 {
		t.Error("no client got a 404")
	}
}

// The header fields of a call equal its arguments; the SDK sends them if it knows the tool.
func TestGoSDKHeaders(t *testing.T) {
	t.Parallel()
	ctx, session, wire, _ := connectHTTP(t, modern, nil)
	for _, err := range session.Tools(ctx, nil) {
		if err != nil {
			t.Fatal(err)
		}
	}
	result, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "route", Arguments: map[string]any{"region": "Zürich ", "lane": 4}})
	if err != nil {
		t.Fatal(err)
	}
	if got := text(t, result); !strings.HasSuffix(got, `by header ["=?base64?WsO8cmljaCA=?="], ["4"]`) {
		t.Error(got)
	}
	if err := session.Close(); err != nil {
		t.Errorf("close: %v", err)
	}
	others := wire.all(func(e *exchange) bool {
		return (e.status != 200 && e.status != 0) || e.session != "" || slices.Contains([]string{"GET", "DELETE"}, e.request)
	})
	if len(others) > 0 {
		t.Errorf("there is no session, and yet %+v", others[0])
	}
}
