package mcpnet_test

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/dial"
	"github.com/mcpgen/mcpgen/runtime/internal/testbed"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/mcpnet"
)

// certificates returns the configurations of a server and of its clients.
func certificates(t *testing.T) (server, client *tls.Config) {
	s := httptest.NewTLSServer(http.NotFoundHandler())
	defer s.Close()
	roots := x509.NewCertPool()
	roots.AddCert(s.Certificate())
	return &tls.Config{Certificates: s.TLS.Certificates}, &tls.Config{RootCAs: roots}
}

// TestEndpoint connects the client of package mcpclient with Serve.
func TestEndpoint(t *testing.T) {
	serverTLS, clientTLS := certificates(t)
	for _, network := range []string{"tcp", "unix", "tls"} {
		t.Run(network, func(t *testing.T) {
			c, socket := setup{}, network
			var config *tls.Config
			if network == "tls" {
				c.listen = func(l net.Listener) net.Listener { return tls.NewListener(l, serverTLS) }
				socket, config = "tcp", clientTLS
			}
			serveReal(t, socket, c, func(s *testServer) {
				testbed.WantConcurrentCalls(t, mcpnet.Endpoint{Network: socket, Address: s.addr.String(), TLS: config})
			})
		})
	}
}

// fake listens, and passes each connection to a function, which ends with the test.
func fake(t *testing.T, serve func(c net.Conn)) mcpnet.Endpoint {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var conns []net.Conn
	var all sync.WaitGroup
	all.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			mu.Lock()
			conns = append(conns, c)
			mu.Unlock()
			all.Go(func() {
				defer c.Close()
				serve(c)
			})
		}
	})
	t.Cleanup(func() {
		l.Close()
		mu.Lock()
		for _, c := range conns {
			c.Close()
		}
		mu.Unlock()
		all.Wait()
	})
	return mcpnet.Endpoint{Network: "tcp", Address: l.Addr().String()}
}

// wait reads to the end of a connection.
func wait(c net.Conn) { _, _ = io.Copy(io.Discard, c) }

// TestEndpointFails: connection errors explain the fix, and whether a later attempt may succeed.
func TestEndpointFails(t *testing.T) {
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	free.Close()
	serverTLS, clientTLS := certificates(t)
	plain := fake(t, func(c net.Conn) { io.WriteString(c, "Welcome, who are you?\n"); wait(c) })
	secure := fake(t, func(c net.Conn) { tls.Server(c, serverTLS).Handshake() })
	with := func(e mcpnet.Endpoint, config *tls.Config) mcpnet.Endpoint {
		e.TLS = config
		return e
	}
	other := clientTLS.Clone()
	other.ServerName = "example.org"
	for _, c := range []struct {
		endpoint mcpnet.Endpoint
		want     string
		again    bool
	}{
		{mcpnet.Endpoint{Network: "tcp", Address: free.Addr().String()}, "no server listens there: start it, or correct the address", true},
		{mcpnet.Endpoint{Network: "unix", Address: t.TempDir() + "/none"}, "no such file", true},
		{mcpnet.Endpoint{Network: "udp", Address: "127.0.0.1:1"}, `Endpoint.Network is "udp": it must be tcp, tcp4, tcp6 or unix`, false},
		{mcpnet.Endpoint{Network: "tcp"}, "Endpoint.Address is empty", false},
		{mcpnet.Endpoint{Network: "tcp", Address: "127.0.0.1"}, "the address is not valid", false},
		{mcpnet.Endpoint{Network: "tcp", Address: "127.0.0.1", TLS: &tls.Config{}}, "Endpoint.Address: address 127.0.0.1: missing port", false},
		{mcpnet.Endpoint{Network: "unix", Address: "x", TLS: &tls.Config{}}, "Endpoint.TLS.ServerName is empty", false},
		{with(plain, clientTLS), "the server does not speak TLS", false},
		{with(secure, &tls.Config{}), "of an authority that is not known here", false},
		{with(secure, other), "the certificate of the server is not valid for it", false},
	} {
		testbed.WantDialError(t, c.endpoint, c.want, c.again)
	}
}

// TestEndpointClientCertificate: a missing client certificate is reported when the first message is
// read.
func TestEndpointClientCertificate(t *testing.T) {
	serverTLS, clientTLS := certificates(t)
	serverTLS.ClientAuth = tls.RequireAnyClientCert
	e := fake(t, func(c net.Conn) { tls.Server(c, serverTLS).Handshake() })
	e.TLS = clientTLS
	_, err := testbed.Open(t, e).Read()
	if failed, ok := errors.AsType[*dial.Error](err); !ok || failed.Again || !strings.Contains(err.Error(), "the server refuses the TLS connection") {
		t.Errorf("read: %v", err)
	}
}

// TestEndpointTime: the end of the context aborts connecting, at every step.
func TestEndpointTime(t *testing.T) {
	_, clientTLS := certificates(t)
	e := fake(t, wait)
	e.TLS = clientTLS
	cause := errors.New("a cause")
	ctx, cancel := context.WithTimeoutCause(t.Context(), 100*time.Millisecond, cause)
	defer cancel()
	conn, err := e.Dial(ctx, testbed.DialOptions())
	if conn != nil || !errors.Is(err, cause) {
		t.Errorf("dial: %v", err)
	}
}

// TestEndpointOtherProtocols: errors name the other protocol.
func TestEndpointOtherProtocols(t *testing.T) {
	web := httptest.NewServer(http.NotFoundHandler())
	defer web.Close()
	secure := httptest.NewTLSServer(http.NotFoundHandler())
	defer secure.Close()
	for address, want := range map[string]string{
		web.Listener.Addr().String():    "the server speaks HTTP: connect to it with mcphttpclient.Endpoint",
		secure.Listener.Addr().String(): "", // the server replies in plain HTTP that TLS is missing
		fake(t, func(c net.Conn) { // like most TLS servers
			bufio.NewReader(c).ReadString('\n')
			c.Write([]byte("\x15\x03\x01\x00\x02\x02\x46"))
		}).Address: "the server speaks TLS: set Endpoint.TLS",
	} {
		stream := testbed.Open(t, mcpnet.Endpoint{Network: "tcp", Address: address})
		stream.Write([]byte(testbed.Call(1, "echo", "{}") + "\r\n\r\n"))
		m, err := stream.Read()
		if failed, ok := errors.AsType[*dial.Error](err); want != "" && (!ok || failed.Again || failed.Err.Error() != want) || err == nil {
			t.Errorf("read %q, %v; want %q", m, err, want)
		}
		if _, again := stream.Read(); again == nil {
			t.Error("reading goes on")
		}
	}
}

// TestEndpointLongMessages: a message over the limit is skipped, with limited memory.
func TestEndpointLongMessages(t *testing.T) {
	e := fake(t, func(c net.Conn) {
		io.WriteString(c, `{"result":"`+strings.Repeat("x", 5<<20)+`","id":6}`+"\n"+`{"id":7,"result":"`)
		part := bytes.Repeat([]byte("x"), 1<<20)
		for {
			if _, err := c.Write(part); err != nil {
				return
			}
		}
	})
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	stream := testbed.Open(t, e)
	// The id of the first one is at its end, the id of the second at its beginning.
	for _, want := range []struct {
		id    string
		early bool
	}{{"", true}, {"6", false}, {"7", false}} {
		_, err := stream.Read()
		if long, ok := errors.AsType[*jsonrpc.FrameError](err); !ok || long.ID.String() != want.id || long.Early != want.early || !want.early && long.Kind != jsonrpc.Response {
			t.Errorf("read: %+v, want %+v", err, want)
		}
	}
	ended := make(chan error, 1)
	go func() {
		_, err := stream.Read()
		ended <- err
	}()
	stream.Close()
	if err := <-ended; err != net.ErrClosed {
		t.Errorf("read: %v", err)
	}
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; n > 30<<20 {
		t.Errorf("%d bytes were allocated", n)
	}
}

// TestEndpointUnread: a write to a server that does not read times out, and so does Close.
func TestEndpointUnread(t *testing.T) {
	serverTLS, clientTLS := certificates(t)
	for name, config := range map[string]*tls.Config{"plain": nil, "TLS": clientTLS} {
		t.Run(name, func(t *testing.T) {
			testbed.WantUnread(t, func(serve func(net.Conn)) dial.Target {
				e := fake(t, func(c net.Conn) {
					if config != nil {
						c = tls.Server(c, serverTLS)
					}
					serve(c)
				})
				e.TLS = config
				return e
			})
		})
	}
}

func TestEndpointName(t *testing.T) {
	keys := map[string]bool{}
	for name, list := range map[string][]mcpnet.Endpoint{
		"tcp://host:1": {{Network: "tcp", Address: "host:1"}},
		"tls://host:1": {
			{Network: "tcp", Address: "host:1", TLS: &tls.Config{}}, {Network: "tcp", Address: "host:1", TLS: &tls.Config{ServerName: "x"}},
			{Network: "tcp", Address: "host:1", TLS: &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{{1}}}}}},
			{Network: "tcp", Address: "host:1", TLS: &tls.Config{InsecureSkipVerify: true}},
		},
		"unix:///run/mcp.sock": {{Network: "unix", Address: "/run/mcp.sock"}},
	} {
		for _, e := range list {
			if e.Name() != name {
				t.Errorf("name %q, want %q", e.Name(), name)
			}
			keys[e.Key()] = true
		}
	}
	if len(keys) != 6 {
		t.Errorf("%d keys", len(keys))
	}
}

// The credentials of a socket: certificates are part of Key.
func TestEndpointContext(t *testing.T) {
	function := func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return new(tls.Certificate), nil }
	for _, test := range []struct {
		e       mcpnet.Endpoint
		context string
		ok      bool
	}{
		{mcpnet.Endpoint{Network: "tcp", Address: "a:1"}, "", false},
		{mcpnet.Endpoint{Network: "tcp", Address: "a:1", TLS: &tls.Config{ServerName: "a"}}, "", false},
		{mcpnet.Endpoint{Network: "tcp", Address: "a:1", TLS: &tls.Config{GetClientCertificate: function}}, "", true},
		{mcpnet.Endpoint{Network: "unix", Address: "/a"}, fmt.Sprint("uid ", os.Getuid()), true},
		{mcpnet.Endpoint{Network: "unix", Address: "/a", TLS: &tls.Config{ClientSessionCache: tls.NewLRUClientSessionCache(1)}}, "", true},
	} {
		if context, ok := test.e.AuthorizationContext(); context != test.context || ok != test.ok {
			t.Errorf("%+v: %q, %v", test.e, context, ok)
		}
	}
}
