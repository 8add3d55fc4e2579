package mcphttpclient_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/dial"
	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
	"github.com/mcpgen/mcpgen/runtime/mcphttpclient"
)

func revision(version string) *protocol.Revision {
	for _, r := range protocol.All {
		if r.Version == version {
			return r
		}
	}
	return nil
}

var (
	perRequest = revision("2026-07-28")
	inSession  = revision("2025-11-25")
)

func clientOptions(t *testing.T) dial.Options {
	return dial.Options{
		Limits: dial.Limits{
			MessageBytes: 1 << 20, HeaderBytes: 16 << 10, Attempts: 5, RetryFirst: 100 * time.Millisecond, RetryMax: time.Second,
			WriteTime: 10 * time.Second, CloseTime: 2 * time.Second,
		},
		Logger: slog.New(slog.DiscardHandler),
		Report: func(err error) { t.Errorf("reported: %v", err) },
	}
}

// requester returns a connection to a handler on a loopback socket.
func requester(t *testing.T, e mcphttpclient.Endpoint, h http.HandlerFunc) dial.Requester {
	t.Helper()
	if e.URL == "" {
		s := httptest.NewServer(h)
		t.Cleanup(s.Close)
		e.URL = s.URL + "/mcp"
	}
	conn, err := e.Dial(t.Context(), clientOptions(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return conn.(dial.Requester)
}

// sendRequest sends a request, and returns the received messages: the last one is the reply.
func sendRequest(ctx context.Context, c dial.Requester, m *dial.Message) (received []string, err error) {
	if m.Data == nil {
		m.Data = []byte(`{"jsonrpc":"2.0","id":1,"method":"` + m.Method + `"}`)
	}
	m.Request = true
	err = c.Send(ctx, m, func(data []byte) bool {
		received = append(received, string(data))
		var reply struct {
			ID *int `json:"id"`
		}
		return json.Unmarshal(data, &reply) == nil && reply.ID != nil && *reply.ID == 1
	})
	return received, err
}

const replyTo1 = `{"jsonrpc":"2.0","id":1,"result":{}}`

func writeReply(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write([]byte(replyTo1))
}

// TestClientSession checks the fields of the requests of a session, and its end.
func TestClientSession(t *testing.T) {
	ended := false
	c := requester(t, mcphttpclient.Endpoint{}, func(w http.ResponseWriter, r *http.Request) {
		if ended {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		id, version := r.Header.Get("Mcp-Session-Id"), r.Header.Get("Mcp-Protocol-Version")
		if r.Header.Get("Mcp-Method") != "" {
			t.Error("a session has Mcp-Method")
		}
		switch {
		case r.Method == http.MethodDelete:
			if id != "s1" || version != inSession.Version {
				t.Errorf("DELETE with session %q, version %q", id, version)
			}
			w.WriteHeader(http.StatusMethodNotAllowed)
		case id == "" && version == "":
			w.Header().Set("Mcp-Session-Id", "s1")
			writeReply(w)
		case id == "s1" && version == inSession.Version:
			writeReply(w)
		default:
			t.Errorf("session %q, version %q", id, version)
		}
	})
	if _, err := sendRequest(t.Context(), c, &dial.Message{Method: "initialize"}); err != nil {
		t.Fatal(err)
	}
	if err := c.Send(t.Context(), &dial.Message{Data: []byte(`{}`), Method: protocol.Initialized, Revision: inSession}, nil); err != nil {
		t.Fatal(err)
	}
	if got, err := sendRequest(t.Context(), c, &dial.Message{Method: "tools/list", Revision: inSession}); err != nil || len(got) != 1 || got[0] != replyTo1 {
		t.Fatalf("%q: %v", got, err)
	}
	ended = true
	_, err := sendRequest(t.Context(), c, &dial.Message{Method: "tools/list", Revision: inSession})
	if lost, ok := err.(*dial.SessionLost); !ok || lost.Status != 404 {
		t.Errorf("after the end: %v", err)
	}
	ended = false
	if err := c.EndSession(t.Context()); err != nil {
		t.Error(err)
	}
	if err := c.EndSession(t.Context()); err != nil { // no session any more
		t.Error(err)
	}
}

// TestClientClose checks that Close cancels running requests.
func TestClientClose(t *testing.T) {
	arrived := make(chan struct{})
	c := requester(t, mcphttpclient.Endpoint{}, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // net/http notices the closed connection after that
		close(arrived)
		<-r.Context().Done()
	})
	go func() {
		<-arrived
		_ = c.Close()
	}()
	_, err := sendRequest(t.Context(), c, &dial.Message{Method: "tools/list", Revision: perRequest})
	if failed, ok := errors.AsType[*dial.Error](err); !ok || !failed.Sent {
		t.Errorf("%v", err)
	}
	_, err = sendRequest(t.Context(), c, &dial.Message{Method: "tools/list", Revision: perRequest})
	if failed, ok := errors.AsType[*dial.Error](err); !ok || failed.Sent {
		t.Errorf("after Close: %v", err)
	}
}

// TestClientReuse counts the connections of calls one after the other, whose replies are JSON, or
// events of a stream that ends after them.
func TestClientReuse(t *testing.T) {
	for _, contentType := range []string{"application/json", "text/event-stream"} {
		var opened atomic.Int32
		s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", contentType)
			if contentType == "application/json" {
				_, _ = io.WriteString(w, replyTo1)
				return
			}
			_, _ = io.WriteString(w, "data: "+replyTo1+"\n\n")
			w.(http.Flusher).Flush()
		}))
		s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
			if state == http.StateNew {
				opened.Add(1)
			}
		}
		s.Start()
		c := requester(t, mcphttpclient.Endpoint{URL: s.URL}, nil)
		for range 20 {
			if _, err := sendRequest(t.Context(), c, &dial.Message{Method: "tools/list", Revision: perRequest}); err != nil {
				t.Fatal(err)
			}
		}
		if n := opened.Load(); n > 4 { // the timer of a busy machine may close some
			t.Errorf("%s: %d connections", contentType, n)
		}
		_ = c.Close()
		s.Close()
	}
}

// TestClientCancel cancels a context while a response stops in the middle. The server notices.
func TestClientCancel(t *testing.T) {
	for _, contentType := range []string{"application/json", "text/event-stream"} {
		began, noticed := make(chan struct{}), make(chan struct{})
		c := requester(t, mcphttpclient.Endpoint{}, func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			w.Header().Set("Content-Type", contentType)
			_, _ = io.WriteString(w, "data: {")
			w.(http.Flusher).Flush()
			close(began)
			<-r.Context().Done()
			close(noticed)
		})
		ctx, cancel := context.WithCancelCause(t.Context())
		cause := errors.New("cause")
		go func() {
			<-began
			cancel(cause)
		}()
		_, err := sendRequest(ctx, c, &dial.Message{Method: "tools/list", Revision: perRequest})
		if !errors.Is(err, cause) {
			t.Errorf("%s: %v", contentType, err)
		}
		<-noticed
	}
}

// TestClientListen receives from the GET stream, which the server closes once. Servers without one
// reply 405.
func TestClientListen(t *testing.T) {
	var streams atomic.Int32
	c := requester(t, mcphttpclient.Endpoint{}, func(w http.ResponseWriter, r *http.Request) {
		n := streams.Add(1)
		if n == 3 {
			w.WriteHeader(http.StatusMethodNotAllowed)
			return
		}
		if id := r.Header.Get("Last-Event-Id"); (n == 2) != (id == "1") {
			t.Errorf("stream %d is resumed after %q", n, id)
		}
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, "retry: 1\nid: 1\ndata: {}\n\n")
	})
	received := 0
	if err := c.Listen(t.Context(), func(bool) {}, func([]byte) { received++ }); err != nil {
		t.Error(err)
	}
	if received != 1 {
		t.Errorf("%d messages", received)
	}
}
