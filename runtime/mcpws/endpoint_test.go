package mcpws_test

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha1"
	"crypto/tls"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/dial"
	"github.com/mcpgen/mcpgen/runtime/internal/testbed"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcphttpclient"
	"github.com/mcpgen/mcpgen/runtime/mcpws"
)

// TestEndpoint connects the client of package mcpclient with a Handler.
func TestEndpoint(t *testing.T) {
	for _, secure := range []bool{false, true} {
		t.Run(fmt.Sprintf("TLS %t", secure), func(t *testing.T) {
			serveReal(t, secure, nil, func(s *testServer, url string, client *http.Client) {
				e := mcpws.Endpoint{URL: "ws" + strings.TrimPrefix(url, "http")}
				if secure {
					e.TLS = client.Transport.(*http.Transport).TLSClientConfig
				}
				testbed.WantConcurrentCalls(t, e)
			})
		})
	}
}

// peer is the end of a server that can send any frame.
type peer struct {
	net.Conn
	r *bufio.Reader
}

// fake is a server that upgrades requests, with the given fields in the response, and then calls
// serve. It closes the connection when serve returns.
func fake(t *testing.T, serve func(p peer), fields ...string) mcpws.Endpoint {
	t.Helper()
	var all sync.WaitGroup
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		all.Add(1)
		defer all.Done()
		conn, rw, err := w.(http.Hijacker).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer conn.Close()
		sum := sha1.Sum([]byte(r.Header.Get("Sec-WebSocket-Key") + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"))
		header := http.Header{
			"Connection": {"Upgrade"}, "Upgrade": {"websocket"}, "Sec-WebSocket-Protocol": {"mcp"},
			"Sec-WebSocket-Accept": {base64.StdEncoding.EncodeToString(sum[:])},
		}
		for _, field := range fields {
			name, value, _ := strings.Cut(field, ": ")
			header[name] = []string{value}
		}
		fmt.Fprint(conn, "HTTP/1.1 101 Switching Protocols\r\n")
		header.Write(conn)
		fmt.Fprint(conn, "\r\n")
		serve(peer{conn, rw.Reader})
	}))
	t.Cleanup(func() {
		s.Close()
		all.Wait()
	})
	return mcpws.Endpoint{URL: "ws" + strings.TrimPrefix(s.URL, "http") + "/mcp?token=s3cret"}
}

// frame sends an unmasked frame of a server.
func (p peer) frame(head byte, payload string) error {
	_, err := p.Write(append(frameHead(head, uint64(len(payload))), payload...))
	return err
}

func frameHead(head byte, size uint64) []byte {
	switch {
	case size < 126:
		return []byte{head, byte(size)}
	case size < 1<<16:
		return binary.BigEndian.AppendUint16([]byte{head, 126}, uint16(size))
	}
	return binary.BigEndian.AppendUint64([]byte{head, 127}, size)
}

// next reads a frame of the client, and returns its first byte and its payload.
func (p peer) next() (byte, string, error) {
	var head [6]byte // of a small frame, with its mask
	if _, err := io.ReadFull(p.r, head[:2]); err != nil {
		return 0, "", err
	}
	size := uint64(head[1] & 0x7f)
	switch size {
	case 126:
		var b [2]byte
		io.ReadFull(p.r, b[:])
		size = uint64(binary.BigEndian.Uint16(b[:]))
	case 127:
		var b [8]byte
		io.ReadFull(p.r, b[:])
		size = binary.BigEndian.Uint64(b[:])
	}
	if head[1]&0x80 == 0 {
		return 0, "", errors.New("a frame of the client is not masked")
	}
	mask := head[2:6]
	if _, err := io.ReadFull(p.r, mask); err != nil {
		return 0, "", err
	}
	payload := make([]byte, size)
	if _, err := io.ReadFull(p.r, payload); err != nil {
		return 0, "", err
	}
	for i := range payload {
		payload[i] ^= mask[i%4]
	}
	return head[0], string(payload), nil
}

// wait reads until the client closes the connection.
func (p peer) wait() { io.Copy(io.Discard, p.r) }

// TestEndpointMessages: messages in one frame and in several, in both directions.
func TestEndpointMessages(t *testing.T) {
	received := make(chan struct{})
	e := fake(t, func(p peer) {
		p.frame(textFrame, `{"a":`)
		p.frame(fin|pingFrame, "between")
		p.frame(fin|moreFrame, `1}`)
		p.frame(fin|textFrame, `{"b":2}`)
		want := []string{`{"c":3}`, `{"d":"` + strings.Repeat("x", 70_000) + `"}`, "{}"}
		for pongs := 0; len(want) > 0 || pongs == 0; {
			switch head, text, err := p.next(); {
			case err == nil && head == fin|pongFrame && text == "between":
				pongs++
			case err == nil && head == fin|textFrame && len(want) > 0 && text == want[0]:
				want = want[1:]
			default:
				t.Errorf("the client sent %#x %.100q, %v; want %.100q", head, text, err, want)
				return
			}
		}
		close(received)
		if head, text, err := p.next(); head != fin|closeFrame || text != "\x03\xe8" || err != nil {
			t.Errorf("the client ends with %#x %q, %v", head, text, err)
		}
		p.frame(fin|closeFrame, "\x03\xe8")
	})
	stream := testbed.Open(t, e)
	for _, want := range []string{`{"a":1}`, `{"b":2}`} {
		if m, err := stream.Read(); string(m) != want || err != nil {
			t.Errorf("read %q, %v; want %s", m, err, want)
		}
	}
	for _, batch := range []string{`{"c":3}` + "\n", `{"d":"` + strings.Repeat("x", 70_000) + `"}` + "\n{}\n"} {
		if err := stream.Write([]byte(batch)); err != nil {
			t.Error(err)
		}
	}
	<-received
	for range 2 {
		if err := stream.Close(); err != nil {
			t.Error(err)
		}
	}
	if _, err := stream.Read(); err != net.ErrClosed {
		t.Errorf("read after Close: %v", err)
	}
	err := stream.Write([]byte("{}\n"))
	if failed, ok := errors.AsType[*dial.Error](err); !ok || failed.Sent {
		t.Errorf("write after Close: %v", err)
	}
}

// TestEndpointHostile: each server ends the connection with its reason.
func TestEndpointHostile(t *testing.T) {
	testbed.Bound(t)
	for name, c := range map[string]struct {
		serve func(p peer)
		want  string
	}{
		"binary":           {func(p peer) { p.frame(fin|binFrame, "{}"); p.wait() }, "server sent a binary frame"},
		"closed with 1009": {func(p peer) { p.frame(fin|closeFrame, "\x03\xf1too long for me"); p.wait() }, `server closed the connection: failed to get reader: received close frame: status = StatusMessageTooBig and reason = "too long for me"`},
		"ends":             {func(peer) {}, "connection ended without a close frame"},
		"ends in a frame":  {func(p peer) { p.Write(append(frameHead(fin|textFrame, 100), `{"a":`...)) }, "connection ended without a close frame"},
		"reserved bits":    {func(p peer) { p.Write([]byte{fin | 0x40 | textFrame, 0}); p.wait() }, "unexpected rsv bits"},
		"opcode":           {func(p peer) { p.frame(fin|0x3, ""); p.wait() }, "unknown opcode"},
		"long ping":        {func(p peer) { p.Write(append(frameHead(fin|pingFrame, 200), strings.Repeat("x", 200)...)); p.wait() }, "invalid length"},
		"continuation":     {func(p peer) { p.frame(fin|moreFrame, "{}"); p.wait() }, "without text or binary frame"},
		"negative length":  {func(p peer) { p.Write(frameHead(fin|textFrame, 1<<63)); p.wait() }, "negative"},
	} {
		t.Run(name, func(t *testing.T) {
			stream := testbed.Open(t, fake(t, c.serve))
			_, err := stream.Read()
			if err == nil || !strings.Contains(err.Error(), c.want) || errors.Is(err, io.EOF) {
				t.Errorf("read: %v; want %s", err, c.want)
			}
			if _, again := stream.Read(); again != err {
				t.Errorf("the next Read returns %v", again)
			}
			err = stream.Write([]byte("{}\n"))
			if failed, ok := errors.AsType[*dial.Error](err); !ok || failed.Sent || !failed.Again {
				t.Errorf("write: %v", err)
			}
		})
	}
}

// TestEndpointPings: endless pings are answered, and do not delay messages.
func TestEndpointPings(t *testing.T) {
	testbed.Bound(t)
	ended, replies := make(chan struct{}), make(chan string, 1)
	e := fake(t, func(p peer) {
		go func() {
			defer close(ended)
			var err error
			for err == nil {
				select {
				case text := <-replies:
					err = p.frame(fin|textFrame, text)
				default:
					err = p.frame(fin|pingFrame, "x")
				}
			}
		}()
		pongs := 0
		for {
			head, text, err := p.next()
			switch {
			case err != nil:
				if pongs == 0 {
					t.Error("no ping was answered")
				}
				return
			case head == fin|pongFrame:
				pongs++
			case head == fin|textFrame && pongs > 0:
				replies <- text
			case head == fin|textFrame:
				replies <- "{}" // too early for a pong
			}
		}
	})
	stream := testbed.Open(t, e)
	for {
		if err := stream.Write([]byte(`{"a":1}` + "\n")); err != nil {
			t.Fatal(err)
		}
		m, err := stream.Read()
		if err != nil {
			t.Fatal(err)
		}
		if string(m) == `{"a":1}` {
			break
		}
	}
	stream.Close()
	<-ended
}

// TestEndpointPingsUnread: a server that sends pings and reads nothing does not delay Close.
func TestEndpointPingsUnread(t *testing.T) {
	done := make(chan struct{})
	var once sync.Once
	flooded := make(chan struct{})
	e := fake(t, func(p peer) {
		payload := strings.Repeat("x", 125)
		for i := 0; p.frame(fin|pingFrame, payload) == nil; i++ {
			if i == 10_000 {
				once.Do(func() { close(flooded) })
			}
		}
		<-done
	})
	stream := testbed.Open(t, e)
	<-flooded
	stream.Close()
	close(done)
}

// TestEndpointLongMessages: a message over the limit is skipped, with limited memory, even a frame
// of 4 GB.
func TestEndpointLongMessages(t *testing.T) {
	testbed.Bound(t)
	e := fake(t, func(p peer) {
		p.frame(fin|textFrame, `{"result":"`+strings.Repeat("x", 5<<20)+`","id":6}`)
		p.frame(textFrame, `{"id":7,"result":"`+strings.Repeat("x", 1<<20))
		p.frame(fin|moreFrame, `"}`)
		p.frame(fin|textFrame, `{"id":8}`)
		p.Write(append(frameHead(fin|textFrame, 4<<30), `{"id":9,"result":"`...))
		part := bytes.Repeat([]byte("x"), 1<<20)
		for {
			if _, err := p.Write(part); err != nil {
				return
			}
		}
	})
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	stream := testbed.Open(t, e)
	for _, id := range []string{"6", "7", "", "9"} {
		m, err := stream.Read()
		if early, ok := errors.AsType[*jsonrpc.FrameError](err); ok && early.Early && id != "7" {
			m, err = stream.Read()
		}
		if id == "" {
			if string(m) != `{"id":8}` || err != nil {
				t.Errorf("read %q, %v", m, err)
			}
			continue
		}
		if long, ok := errors.AsType[*jsonrpc.FrameError](err); !ok || long.ID.String() != id || long.Kind != jsonrpc.Response || long.Limit != 1<<20 {
			t.Errorf("read: %v", err)
		}
	}
	stream.Close()
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; n > 40<<20 {
		t.Errorf("%d bytes were allocated", n)
	}
}

// TestEndpointLongMessageEnds: a message over the limit that has no id so far ends with its
// connection.
func TestEndpointLongMessageEnds(t *testing.T) {
	stream := testbed.Open(t, fake(t, func(p peer) {
		p.Write(append(frameHead(fin|textFrame, 8<<20), `{"result":"`+strings.Repeat("x", 2<<20)...))
	}))
	_, err := stream.Read()
	if long, ok := errors.AsType[*jsonrpc.FrameError](err); !ok || !long.Early {
		t.Errorf("read: %v", err)
	}
	if _, err := stream.Read(); err == nil || !strings.Contains(err.Error(), "connection ended without a close frame") {
		t.Errorf("read: %v", err)
	}
}

// TestEndpointUnread: a write to a server that does not read times out, and so does Close.
func TestEndpointUnread(t *testing.T) {
	testbed.Bound(t)
	testbed.WantUnread(t, func(serve func(net.Conn)) dial.Target { return fake(t, func(p peer) { serve(p) }) })
}

// TestEndpointFails: connection errors explain the fix, and whether a later attempt may succeed.
func TestEndpointFails(t *testing.T) {
	testbed.Bound(t)
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	free.Close()
	secure := httptest.NewTLSServer(http.NotFoundHandler())
	defer secure.Close()
	wss := "wss" + strings.TrimPrefix(secure.URL, "https")
	bad := http.Header{"Sec-Websocket-Key": {"x"}}
	key := http.Header{"X-Api-Key": {"s3cret"}}
	for _, c := range []struct {
		endpoint mcpws.Endpoint
		want     string
		again    bool
	}{
		{mcpws.Endpoint{URL: "ws://" + free.Addr().String() + "/?token=s3cret"}, "no server listens there: start it", true},
		{mcpws.Endpoint{URL: "http://host/"}, "mcphttpclient.Endpoint connects to such a server", false},
		{mcpws.Endpoint{URL: "ftp://host/"}, `the scheme of Endpoint.URL is "ftp": it must be ws or wss`, false},
		{mcpws.Endpoint{URL: "ws:///x"}, "has no host", false},
		{mcpws.Endpoint{URL: "ws://u:s3cret@host/"}, "has credentials", false},
		{mcpws.Endpoint{URL: "ws://u:s3cret@host:%zz/"}, "is not a URL", false},
		{mcpws.Endpoint{URL: "ws://host/#x"}, "fragment", false},
		{mcpws.Endpoint{URL: "ws://host/", Header: bad}, "Endpoint.Header has the field Sec-Websocket-Key, which the client sets itself", false},
		{mcpws.Endpoint{URL: "ws://host/", Header: http.Header{"host": {"x"}}}, "Endpoint.Header has the field Host", false},
		{mcpws.Endpoint{URL: "ws://192.0.2.1/", Header: key}, "credentials would be sent to 192.0.2.1 over ws", false},
		{mcpws.Endpoint{URL: "ws://192.0.2.1/", Auth: mcphttpclient.Bearer("s3cret")}, "credentials would be sent to 192.0.2.1 over ws", false},
		{mcpws.Endpoint{URL: wss, Auth: mcphttpclient.Bearer("s3cret"), Header: http.Header{"Authorization": {"s3cret"}}}, "only one of them can be", false},
		{mcpws.Endpoint{URL: wss, Auth: authorizer{authorize: func(*http.Request) error { return errors.New("no key") }}}, "get credentials: no key", false},
		{mcpws.Endpoint{URL: wss, Auth: authorizer{authorize: func(*http.Request) error { panic("oh") }}}, "Authorize of Endpoint.Auth has failed: oh", false},
		{mcpws.Endpoint{URL: wss}, "of an authority that is not known here", false},
		{fake(t, peer.wait, "Sec-WebSocket-Protocol: "), "has not selected the subprotocol", false},
		{fake(t, peer.wait, "Sec-WebSocket-Protocol: other"), `has selected the subprotocol "other"`, false},
		{fake(t, func(peer) {}, "Sec-WebSocket-Accept: x"), "Sec-WebSocket-Accept", false},
		{fake(t, func(peer) {}, "Upgrade: h2c"), "Upgrade", false},
	} {
		testbed.WantDialError(t, c.endpoint, c.want, c.again)
	}
	for _, u := range []string{"ws://localhost:1/", "ws://127.0.0.2:1/", "ws://[::1]:1/"} {
		if _, err := (mcpws.Endpoint{URL: u, Header: key}).Dial(t.Context(), testbed.DialOptions()); strings.Contains(err.Error(), "encrypted") {
			t.Errorf("%s: %v", u, err)
		}
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	for _, e := range []mcpws.Endpoint{
		{URL: "ws://192.0.2.1/", Header: key, Insecure: true}, {URL: "ws://192.0.2.1/", Header: http.Header{"X-Tenant": {"a"}}},
	} {
		if _, err := e.Dial(cancelled, testbed.DialOptions()); !errors.Is(err, context.Canceled) {
			t.Errorf("%+v: %v", e, err)
		}
	}
}

// authorizer is an Authorizer of a test. Nil functions do nothing.
type authorizer struct {
	authorize func(*http.Request) error
	challenge func(*http.Request, *http.Response) error
}

func (a authorizer) Authorize(_ context.Context, r *http.Request) error {
	if a.authorize == nil {
		return nil
	}
	return a.authorize(r)
}

func (a authorizer) HandleChallenge(_ context.Context, r *http.Request, resp *http.Response) error {
	if a.challenge == nil {
		return nil
	}
	return a.challenge(r, resp)
}

func (authorizer) CacheKey() string { return "a context" }

// TestEndpointAuth: credentials reach the server, and the number of handled challenges is limited.
func TestEndpointAuth(t *testing.T) {
	var mu sync.Mutex
	attempts := 0
	identify := mcpws.WithPrincipal(func(r *http.Request) (mcp.Principal, error) {
		mu.Lock()
		defer mu.Unlock()
		attempts++
		if r.Header.Get("Authorization") != "Bearer good" || r.Header.Get("X-Tenant") != "a" {
			return mcp.Principal{}, errors.New("no")
		}
		return mcp.Principal{ID: "ann"}, nil
	})
	serveReal(t, false, []mcpws.Option{identify}, func(_ *testServer, url string, _ *http.Client) {
		token, challenges := "old", 0
		waiting := false
		authorize := func(r *http.Request) error {
			if r.URL.Scheme != "http" || r.Method != "GET" || r.Header.Get("X-Tenant") != "a" {
				t.Errorf("the Authorizer gets %s %s, %v", r.Method, r.URL, r.Header)
			}
			r.Header.Set("Authorization", "Bearer "+token)
			return nil
		}
		e := mcpws.Endpoint{URL: "ws" + strings.TrimPrefix(url, "http"), Header: http.Header{"x-tenant": {"a"}}}
		check := func(what string, a mcphttpclient.Authorizer, status, wantAttempts int) {
			t.Helper()
			attempts, challenges = 0, 0
			e.Auth = a
			options := testbed.DialOptions()
			options.Limits.Attempts = 5
			options.Wait = func() func() {
				waiting = true
				return func() { waiting = false }
			}
			conn, err := e.Dial(t.Context(), options)
			if waiting {
				t.Errorf("%s: the time is still stopped", what)
			}
			if conn != nil {
				conn.Close()
			}
			got, failed := errors.AsType[*dial.Status](err)
			if failed != (status > 0) || failed && (got.Status != status || !strings.Contains(string(got.Body), "credentials")) || err != nil && !failed {
				t.Errorf("%s: %v", what, err)
			}
			if attempts != wantAttempts {
				t.Errorf("%s: %d attempts, want %d", what, attempts, wantAttempts)
			}
		}
		check("no Authorizer", nil, 401, 1)
		check("a good token", mcphttpclient.Bearer("good"), 0, 1)
		check("a bad token", mcphttpclient.Bearer("bad"), 401, 1)
		check("for ever", authorizer{authorize: authorize}, 401, 5)
		check("a new token", authorizer{authorize, func(r *http.Request, resp *http.Response) error {
			body, err := io.ReadAll(resp.Body)
			if !waiting {
				t.Error("the time of a login counts")
			}
			if resp.StatusCode != 401 || err != nil || !strings.Contains(string(body), "credentials") || r.Header.Get("Authorization") != "Bearer old" {
				t.Errorf("the challenge is %d %q, %v", resp.StatusCode, body, err)
			}
			if challenges++; challenges == 2 {
				token = "good"
			}
			return nil
		}}, 0, 3)
		token = "old"
		check("a failure", authorizer{authorize, func(*http.Request, *http.Response) error { return errors.New("log in first") }}, 401, 1)
		check("a panic", authorizer{authorize, func(*http.Request, *http.Response) error { panic("oh") }}, 401, 1)
		if context, ok := any(e).(dial.Authorized).AuthorizationContext(); context != "a context" || !ok {
			t.Errorf("the context is %q", context)
		}
		other := e
		other.TLS = &tls.Config{GetClientCertificate: func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return nil, nil }}
		if context, ok := any(other).(dial.Authorized).AuthorizationContext(); context != "" || !ok {
			t.Errorf("the context is %q with a function for certificates", context)
		}
		e.Auth = nil
		if _, ok := any(e).(dial.Authorized).AuthorizationContext(); ok {
			t.Error("there is a context without an Authorizer")
		}
	})
}

// TestEndpointStatus: a response that is not an upgrade is described, and a redirect is not
// followed.
func TestEndpointStatus(t *testing.T) {
	asked := make(chan struct{}, 10)
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked <- struct{}{} }))
	defer other.Close()
	status := make(chan int, 1)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-Api-Key") != "k" {
			t.Errorf("the header is %v", r.Header)
		}
		w.Header().Set("Retry-After", "7")
		w.Header().Set("Location", other.URL+"/elsewhere")
		w.Header().Set("Content-Type", "text/plain")
		w.WriteHeader(<-status)
		io.WriteString(w, "no "+strings.Repeat("x", 100_000))
	}))
	defer s.Close()
	for _, n := range []int{200, 307, 302, 401, 404, 503} {
		status <- n
		_, err := mcpws.Endpoint{URL: "ws" + strings.TrimPrefix(s.URL, "http"), Header: http.Header{"X-Api-Key": {"k"}}}.Dial(t.Context(), testbed.DialOptions())
		got, ok := errors.AsType[*dial.Status](err)
		if !ok || got.Status != n || got.ContentType != "text/plain" || !strings.HasPrefix(string(got.Body), "no x") || len(got.Body) > 4<<10 ||
			got.RetryAfter != 7*time.Second || (got.Location == other.URL+"/elsewhere") != (n/100 == 3) {
			t.Errorf("status %d: %#v", n, err)
		}
	}
	if len(asked) > 0 {
		t.Error("a redirect was followed")
	}
}

// TestEndpointTime: the end of the context aborts the opening at every step, and nothing continues.
func TestEndpointTime(t *testing.T) {
	// listen reads a request, unless it is a TLS request, and then calls serve.
	listen := func(serve func(c net.Conn)) string {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		var all sync.WaitGroup
		all.Go(func() {
			for {
				c, err := l.Accept()
				if err != nil {
					return
				}
				all.Go(func() {
					defer c.Close()
					r := bufio.NewReader(c)
					if first, _ := r.Peek(1); len(first) == 1 && first[0] == 'G' {
						http.ReadRequest(r)
					}
					serve(c)
					io.Copy(io.Discard, c) // until the client closes it
				})
			}
		})
		t.Cleanup(func() {
			l.Close()
			all.Wait()
		})
		return l.Addr().String()
	}
	cause := errors.New("a cause")
	for name, url := range map[string]string{
		"says nothing":    "ws://" + listen(func(net.Conn) {}),
		"no TLS":          "wss://" + listen(func(net.Conn) {}),
		"half a response": "ws://" + listen(func(c net.Conn) { io.WriteString(c, "HTTP/1.1 101 Switching\r\nUpgra") }),
		"half a body":     "ws://" + listen(func(c net.Conn) { io.WriteString(c, "HTTP/1.1 404 Not Found\r\nContent-Length: 100\r\n\r\nhalf") }),
		"an invalid upgrade": "ws://" + listen(func(c net.Conn) {
			io.WriteString(c, "HTTP/1.1 101 Switching\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Protocol: mcp\r\n\r\n")
		}),
	} {
		ctx, cancel := context.WithTimeoutCause(t.Context(), 100*time.Millisecond, cause)
		conn, err := mcpws.Endpoint{URL: url}.Dial(ctx, testbed.DialOptions())
		if conn != nil || err == nil {
			t.Errorf("%s: %v", name, err)
		}
		if name != "half a body" && !errors.Is(err, cause) {
			t.Errorf("%s: %v", name, err)
		}
		cancel()
	}
	flood := "ws://" + listen(func(c net.Conn) {
		io.WriteString(c, "HTTP/1.1 101 Switching\r\nX: ")
		for {
			if _, err := c.Write(bytes.Repeat([]byte("x"), 10_000)); err != nil {
				return
			}
		}
	})
	_, err := mcpws.Endpoint{URL: flood}.Dial(t.Context(), testbed.DialOptions())
	if e, ok := errors.AsType[*dial.TooLarge](err); !ok || !e.Header || e.Limit != 64<<10 {
		t.Errorf("a header without end: %v", err)
	}
}

func TestEndpointName(t *testing.T) {
	e := mcpws.Endpoint{URL: "wss://ann:s3cret@host:1/mcp?token=s3cret", Header: http.Header{"X-Key": {"s3cret"}}}
	if name := e.Name(); name != "wss://host:1/mcp" {
		t.Errorf("name %q", name)
	}
	if name := (mcpws.Endpoint{URL: "%zz://s3cret"}).Name(); strings.Contains(name, "s3cret") || name == "" {
		t.Errorf("name %q", name)
	}
	keys := map[string]bool{}
	list := []mcpws.Endpoint{
		e, {URL: e.URL}, {URL: e.URL + "1", Header: e.Header}, {URL: e.URL, Header: http.Header{"X-Key": {"other"}}},
		{URL: e.URL, Header: e.Header, TLS: &tls.Config{}}, {URL: e.URL, Header: e.Header, TLS: &tls.Config{ServerName: "x"}},
	}
	for range 2 {
		for _, e := range list {
			keys[e.Key()] = true
			if strings.Contains(e.Key(), "s3cret") {
				t.Errorf("key %q", e.Key())
			}
		}
	}
	if len(keys) != len(list) {
		t.Errorf("%d keys of %d endpoints", len(keys), len(list))
	}
}
