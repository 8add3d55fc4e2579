package mcphttpclient_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/runtime/mcpclient"
	"github.com/mcpgen/mcpgen/runtime/mcphttpclient"
)

// posted is a message of a client that a server received by POST.
type posted struct {
	ID     json.RawMessage
	Method string
	Params struct{ Name string }
}

// posting returns a server that calls a function for each message except handshakes. Its sessions
// are s1, s2 and so on.
func posting(t *testing.T, handle func(w http.ResponseWriter, r *http.Request, m posted)) string {
	t.Helper()
	var mu sync.Mutex
	sessions := 0
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost {
			w.WriteHeader(http.StatusMethodNotAllowed)
			return
		}
		var m posted
		if err := json.NewDecoder(r.Body).Decode(&m); err != nil {
			t.Error(err)
		}
		switch m.Method {
		case "initialize":
			mu.Lock()
			sessions++
			w.Header().Set("Mcp-Session-Id", fmt.Sprint("s", sessions))
			mu.Unlock()
			answer(w, m, `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}`)
		case "server/discover":
			answer(w, m, `{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}}}`)
		case "notifications/initialized":
			w.WriteHeader(http.StatusAccepted)
		default:
			handle(w, r, m)
		}
	}))
	t.Cleanup(s.Close)
	return s.URL
}

func answer(w http.ResponseWriter, m posted, result string) {
	w.Header().Set("Content-Type", "application/json")
	_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, result)
}

// connectTo connects to a server at a URL.
func connectTo(t *testing.T, url string, o mcpclient.Options) *mcpclient.Client {
	t.Helper()
	c, err := mcpclient.Connect(t.Context(), mcphttpclient.Endpoint{URL: url}, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// TestClientLosesSessionOfMany: a session is lost for many calls at once. None of them has run, so
// each is sent again, even while the first one opens a new session.
func TestClientLosesSessionOfMany(t *testing.T) {
	const calls = 8
	var mu sync.Mutex
	ran := map[string]int{}
	var waiting sync.WaitGroup
	waiting.Add(calls)
	reopened := make(chan struct{})
	url := posting(t, func(w http.ResponseWriter, r *http.Request, m posted) {
		if session := r.Header.Get("Mcp-Session-Id"); session == "s1" {
			waiting.Done()
			waiting.Wait() // all are in progress
			if m.Params.Name != "0" {
				select {
				case <-reopened:
				case <-r.Context().Done():
					return
				}
			}
			w.WriteHeader(http.StatusNotFound)
			return
		}
		mu.Lock()
		defer mu.Unlock()
		if ran[m.Params.Name]++; len(ran) == 1 {
			close(reopened)
		}
		answer(w, m, `{"content":[]}`)
	})
	c := connectTo(t, url, mcpclient.Options{Revision: "2025-11-25"})
	var group sync.WaitGroup
	for i := range calls {
		group.Go(func() {
			if _, err := c.Call(t.Context(), fmt.Sprint(i), nil); err != nil {
				t.Errorf("call %d: %v", i, err)
			}
		})
	}
	group.Wait()
	for name, n := range ran {
		if n != 1 {
			t.Errorf("call %s has run %d times", name, n)
		}
	}
	if len(ran) != calls {
		t.Errorf("%d calls have run", len(ran))
	}
}

// TestClientFindsOutAgain: after a refusal that no server of the revision sends, the client
// determines the revision again. Calls in progress are not disturbed.
func TestClientFindsOutAgain(t *testing.T) {
	begun, proceed := make(chan struct{}), make(chan struct{})
	url := posting(t, func(w http.ResponseWriter, r *http.Request, m posted) {
		if m.Method != "tools/call" {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		close(begun)
		select {
		case <-proceed:
			answer(w, m, `{"resultType":"complete","content":[]}`)
		case <-r.Context().Done():
		}
	})
	c := connectTo(t, url, mcpclient.Options{})
	called := make(chan error, 1)
	go func() {
		_, err := c.Call(t.Context(), "x", nil)
		called <- err
	}()
	<-begun
	_, err := c.Request(t.Context(), "example/unknown", nil)
	if e, ok := errors.AsType[*mcpclient.StatusError](err); !ok || e.Status != http.StatusNotFound {
		t.Errorf("the request: %v", err)
	}
	close(proceed)
	if err := <-called; err != nil {
		t.Errorf("the call in progress: %v", err)
	}
}

// TestClientClosesAfterReplacement: Close cancels a call in progress on a connection that was
// replaced.
func TestClientClosesAfterReplacement(t *testing.T) {
	begun := make(chan struct{})
	url := posting(t, func(w http.ResponseWriter, r *http.Request, m posted) {
		if m.Method == "tools/call" {
			close(begun)
			<-r.Context().Done()
			return
		}
		w.WriteHeader(http.StatusNotFound)
	})
	c := connectTo(t, url, mcpclient.Options{})
	called := make(chan error, 1)
	go func() {
		_, err := c.Call(t.Context(), "x", nil)
		called <- err
	}()
	<-begun
	if _, err := c.Request(t.Context(), "example/unknown", nil); err == nil {
		t.Error("the request has a result")
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	if err := <-called; !errors.Is(err, mcpclient.ErrClosed) {
		t.Errorf("the call: %v", err)
	}
}

// TestClientNotifies: a notification returns within the time of a request, and is sent again in a
// new session.
func TestClientNotifies(t *testing.T) {
	got := make(chan string, 10)
	url := posting(t, func(w http.ResponseWriter, r *http.Request, m posted) {
		session := r.Header.Get("Mcp-Session-Id")
		got <- session + " " + m.Method
		switch {
		case m.Method == "notifications/never":
			<-r.Context().Done()
		case session == "s1":
			w.WriteHeader(http.StatusNotFound)
		default:
			w.WriteHeader(http.StatusAccepted)
		}
	})
	o := mcpclient.Options{Revision: "2025-11-25"}
	o.Limits.RequestTime = 50 * time.Millisecond
	c := connectTo(t, url, o)
	if err := c.Notify(t.Context(), "notifications/never", nil); !errors.Is(err, mcpclient.ErrTimeout) {
		t.Errorf("a notification that is never accepted: %v", err)
	}
	if err := c.Notify(t.Context(), "notifications/x", nil); err != nil {
		t.Errorf("in a lost session: %v", err)
	}
	for _, want := range []string{"s1 notifications/never", "s1 notifications/x", "s2 notifications/x"} {
		if message := <-got; message != want {
			t.Errorf("the server has got %s, want %s", message, want)
		}
	}
}

// TestClientWaitsInTime: a request does not wait for the server's Retry-After if its own time is
// over by then. The error contains the server's response.
func TestClientWaitsInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &fakeServer{t: t, respond: func(_ *http.Request, m fakeMessage) *http.Response {
			if m.Method != "tools/call" {
				return nil
			}
			resp := fakeResponse(http.StatusTooManyRequests, "", "")
			resp.Header.Set("Retry-After", "20")
			return resp
		}}
		c, err := mcpclient.Connect(t.Context(), s.endpoint(), mcpclient.Options{Revision: "2025-11-25"})
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		begin := time.Now()
		_, err = c.Call(t.Context(), "x", nil, mcpclient.WithMaxTime(10*time.Second))
		status, ok := errors.AsType[*mcpclient.StatusError](err)
		if !ok || status.Status != http.StatusTooManyRequests || !errors.Is(err, mcpclient.ErrTimeout) || time.Since(begin) > 0 {
			t.Errorf("after %v: %v", time.Since(begin), err)
		}
	})
}

// TestClientCutBody: a body that ends with its connection, and too early, means a broken
// connection. net/http cannot detect that if the response has no length (RFC 9112, section 6.3).
func TestClientCutBody(t *testing.T) {
	const reply = `{"jsonrpc":"2.0","id":%s,"result":{"resultType":"complete","content":[]}}`
	for _, c := range []struct {
		name, header string
		sent         string
		lost         bool
	}{
		{"whole", "HTTP/1.0 200 OK\r\nConnection: close\r\n", reply, false},
		{"without length", "HTTP/1.0 200 OK\r\n", reply[:40], true},
		{"HTTP/1.1", "HTTP/1.1 200 OK\r\nConnection: close\r\n", reply[:60], true},
		{"of a length", "HTTP/1.1 200 OK\r\nContent-Length: 500\r\n", reply, true},
		{"in chunks", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n", "300\r\n" + reply, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			var calls atomic.Int32
			url := posting(t, func(w http.ResponseWriter, _ *http.Request, m posted) {
				if calls.Add(1)%2 == 0 {
					answer(w, m, `{"resultType":"complete","content":[]}`)
					return
				}
				conn, stream, err := w.(http.Hijacker).Hijack()
				if err != nil {
					t.Error(err)
					return
				}
				_, _ = stream.WriteString(c.header + "Content-Type: application/json\r\n\r\n" + strings.Replace(c.sent, "%s", string(m.ID), 1))
				_ = stream.Flush()
				_ = conn.Close()
			})
			client := connectTo(t, url, mcpclient.Options{Retry: mcpclient.Retry{First: time.Millisecond}})
			_, err := client.Call(t.Context(), "x", nil)
			lost, isLost := errors.AsType[*mcpclient.ConnectionError](err)
			if isLost != c.lost || isLost && !lost.Sent || !isLost && err != nil {
				t.Fatalf("the call: %v", err)
			}
			if !c.lost {
				return
			}
			calls.Store(0)
			if _, err := client.Call(t.Context(), "x", nil, mcpclient.WithIdempotent()); err != nil || calls.Load() != 2 {
				t.Errorf("an idempotent call: %v, sent %d times", err, calls.Load())
			}
		})
	}
}

// TestClientEndOfAnotherRequest: net/http may return the cause with which another request was
// cancelled. That means a broken connection, and not the end of this client or request.
func TestClientEndOfAnotherRequest(t *testing.T) {
	for _, end := range []error{mcpclient.ErrClosed, fmt.Errorf("%w: of another", mcpclient.ErrTimeout), context.Canceled, context.DeadlineExceeded} {
		var calls atomic.Int32
		url := posting(t, func(w http.ResponseWriter, _ *http.Request, m posted) {
			answer(w, m, `{"resultType":"complete","content":[]}`)
		})
		transport := roundTripper(func(r *http.Request) (*http.Response, error) {
			if r.Header.Get("Mcp-Method") == "tools/call" && calls.Add(1) == 1 {
				return nil, end
			}
			return http.DefaultTransport.RoundTrip(r)
		})
		c, err := mcpclient.Connect(t.Context(), mcphttpclient.Endpoint{URL: url, Client: &http.Client{Transport: transport}}, mcpclient.Options{Retry: mcpclient.Retry{First: time.Millisecond}})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.Close() })
		_, err = c.Call(t.Context(), "x", nil)
		if lost, ok := errors.AsType[*mcpclient.ConnectionError](err); !ok || !lost.Sent || errors.Is(err, end) {
			t.Errorf("%v: the call: %v", end, err)
		}
		calls.Store(0)
		if _, err := c.Call(t.Context(), "x", nil, mcpclient.WithIdempotent()); err != nil {
			t.Errorf("%v: an idempotent call: %v", end, err)
		}
	}
}
