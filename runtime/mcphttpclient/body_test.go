package mcphttpclient_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/internal/dial"
	"github.com/mcpgen/mcpgen/runtime/mcphttpclient"
)

// countingConn counts writes.
type countingConn struct {
	net.Conn
	writes *atomic.Int32
}

func (c countingConn) Write(b []byte) (int, error) {
	c.writes.Add(1)
	return c.Conn.Write(b)
}

// TestOneWrite: header and body of a message are one packet.
func TestOneWrite(t *testing.T) {
	var writes atomic.Int32
	transport := &http.Transport{DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := new(net.Dialer).DialContext(ctx, network, address)
		return countingConn{conn, &writes}, err
	}}
	defer transport.CloseIdleConnections()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { writeReply(w) }))
	defer s.Close()
	c := requester(t, mcphttpclient.Endpoint{URL: s.URL, Client: &http.Client{Transport: transport}}, nil)
	const messages = 5
	for range messages {
		if _, err := sendRequest(t.Context(), c, &dial.Message{Method: "tools/call", Name: "x", Revision: perRequest}); err != nil {
			t.Fatal(err)
		}
	}
	if n := writes.Load(); n != messages {
		t.Errorf("%d writes for %d messages", n, messages)
	}
}

// roundTripper is a transport that does not call the functions of a trace.
type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// TestSent: a message may have been sent once there was a connection, or if that is not known.
func TestSent(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	refused := "http://" + listener.Addr().String()
	_ = listener.Close()
	aborting := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }))
	defer aborting.Close()
	broken := errors.New("broken")
	for _, test := range []struct {
		name string
		e    mcphttpclient.Endpoint
		sent bool
	}{
		{"refused", mcphttpclient.Endpoint{URL: refused}, false},
		{"closed before the response", mcphttpclient.Endpoint{URL: aborting.URL}, true},
		{"another transport", mcphttpclient.Endpoint{URL: refused, Client: &http.Client{
			Transport: roundTripper(func(*http.Request) (*http.Response, error) { return nil, broken }),
		}}, true},
		{"around another transport", mcphttpclient.Endpoint{URL: refused, Client: &http.Client{
			Transport: roundTripper(func(r *http.Request) (*http.Response, error) { return http.DefaultTransport.RoundTrip(r) }),
		}}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := requester(t, test.e, nil)
			_, err := sendRequest(t.Context(), c, &dial.Message{Method: "tools/call", Revision: perRequest})
			if e, ok := errors.AsType[*dial.Error](err); !ok || e.Sent != test.sent {
				t.Errorf("the error is %#v", err)
			}
		})
	}
}

// closedConn fails writes after a number of them.
type closedConn struct {
	net.Conn
	left *atomic.Int32
}

func (c closedConn) Write(b []byte) (int, error) {
	if c.left.Add(-1) < 0 {
		return 0, net.ErrClosed
	}
	return c.Conn.Write(b)
}

// TestSentBefore: a message does not count as sent if nothing was written to an idle connection and
// no other connection is available.
func TestSentBefore(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { writeReply(w) }))
	defer s.Close()
	var left, dials atomic.Int32
	left.Store(1)
	refused := errors.New("refused")
	transport := &http.Transport{DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
		if dials.Add(1) > 1 {
			return nil, refused
		}
		conn, err := new(net.Dialer).DialContext(ctx, network, address)
		return closedConn{conn, &left}, err
	}}
	defer transport.CloseIdleConnections()
	c := requester(t, mcphttpclient.Endpoint{URL: s.URL, Client: &http.Client{Transport: transport}}, nil)
	if _, err := sendRequest(t.Context(), c, &dial.Message{Method: "tools/call", Revision: perRequest}); err != nil {
		t.Fatal(err)
	}
	_, err := sendRequest(t.Context(), c, &dial.Message{Method: "tools/call", Revision: perRequest})
	if e, ok := errors.AsType[*dial.Error](err); !ok || e.Sent || !errors.Is(err, refused) {
		t.Errorf("the error is %v", err)
	}
}
