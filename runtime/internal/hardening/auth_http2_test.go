package hardening_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/faultconn"
	"github.com/mcpgen/mcpgen/runtime/mcpauth"
)

// http2Site also serves a guarded site by TLS and HTTP/2.
type http2Site struct {
	s        *authSite
	listener *faultconn.Listener
	server   *http.Server
	config   *tls.Config
	client   *http.Client
	most     atomic.Int64 // the most handlers that have run at the same time
}

func (s *authSite) serveHTTP2() *http2Site {
	own := newAuthority(s.t, strayKey)
	pool := x509.NewCertPool()
	pool.AddCert(own.certificate)
	certificate := own.issue(s.t, strayKey, time.Now().Add(24*time.Hour))
	h := &http2Site{s: s, listener: faultconn.NewListener(nil), config: &tls.Config{RootCAs: pool, ServerName: "127.0.0.1", NextProtos: []string{"h2"}, Time: certified}}
	var running atomic.Int64
	h.server = &http.Server{
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			defer running.Add(-1)
			for n := running.Add(1); ; {
				if most := h.most.Load(); n <= most || h.most.CompareAndSwap(most, n) {
					break
				}
			}
			s.http.Handler.ServeHTTP(w, r)
		}),
		ErrorLog: log.New(io.Discard, "", 0), TLSConfig: &tls.Config{Certificates: []tls.Certificate{*certificate}}, Protocols: new(http.Protocols),
	}
	h.server.Protocols.SetHTTP2(true)
	s.served.Go(func() { _ = h.server.ServeTLS(h.listener, "", "") })
	transport := &http.Transport{
		Protocols: h.server.Protocols, TLSClientConfig: h.config.Clone(),
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) { return h.listener.Dial(ctx) },
	}
	h.client = &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	return h
}

func (h *http2Site) close() {
	h.client.CloseIdleConnections()
	_ = h.server.Close()
}

// certified returns a time at which the certificate of the site is valid: tests wait for hours.
func certified() time.Time { return time.Date(2000, 1, 1, 0, 30, 0, 0, time.UTC) }

// send sends a request. Requests that the client of net/http does not send are written directly.
func (h *http2Site) send(line, body string, fields []string) *authAnswer {
	h.s.t.Helper()
	ctx, cancel := context.WithCancel(h.s.ctx)
	defer cancel()
	method, path, _ := strings.Cut(line, " ")
	r, err := http.NewRequestWithContext(ctx, method, "https://"+h.s.addr+path, strings.NewReader(body))
	if err != nil {
		h.s.t.Fatal(err)
	}
	if body == "" {
		r.Body, r.ContentLength, r.GetBody = nil, 0, nil
	}
	size := 0
	for _, field := range fields {
		name, value, _ := strings.Cut(field, ": ")
		size += len(field)
		if strings.EqualFold(name, "Host") {
			r.Host = value
			continue
		}
		r.Header.Add(name, strings.Trim(value, " "))
		if strings.Contains(value, "\x00") {
			size = 1 << 20
		}
	}
	if size >= 1<<20 {
		c := h.dial()
		defer c.close()
		all := [][2]string{{":method", method}, {":scheme", "https"}, {":authority", h.s.addr}, {":path", path}}
		for name, values := range r.Header {
			for _, value := range values {
				all = append(all, [2]string{strings.ToLower(name), value})
			}
		}
		status, ok := map[string]int{"431": 431, "400": 400, "reset": 400, "closed": 431}[c.ask(all)]
		if !ok {
			h.s.t.Errorf("%s is let in", shorten(fmt.Sprint(all)))
		}
		return &authAnswer{status: status, header: http.Header{}}
	}
	resp, err := h.client.Do(r)
	if err != nil {
		h.s.t.Fatalf("%s: %v", line, err)
	}
	defer resp.Body.Close()
	a := &authAnswer{status: resp.StatusCode, header: resp.Header}
	if resp.ProtoMajor != 2 || resp.TLS == nil {
		h.s.t.Errorf("%s: the protocol is %s", line, resp.Proto)
	}
	if a.status != 200 || method == http.MethodPost {
		b, err := io.ReadAll(resp.Body)
		if err != nil {
			h.s.t.Fatal(err)
		}
		a.body = string(b)
	}
	return a
}

// frames is an HTTP/2 connection whose frames the test writes (RFC 9113).
type frames struct {
	h      *http2Site
	conn   *tls.Conn
	stream uint32
	read   sync.WaitGroup
	mu     sync.Mutex
	ended  map[uint32]string // status or "reset", by stream
	over   chan struct{}     // the server has closed the connection
}

// Types and flags of frames.
const (
	frameHeaders, frameReset, frameSettings, frameGoAway, frameContinuation = 1, 3, 4, 7, 9

	endStream, endHeaders = 1, 4
)

func (h *http2Site) dial() *frames {
	h.s.t.Helper()
	conn, err := h.listener.Dial(h.s.ctx)
	if err != nil {
		h.s.t.Fatal(err)
	}
	c := &frames{h: h, conn: tls.Client(conn, h.config), stream: 1, ended: map[uint32]string{}, over: make(chan struct{})}
	if _, err := io.WriteString(c.conn, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"); err != nil {
		h.s.t.Fatal(err)
	}
	_ = c.write(frameSettings, 0, 0, nil)
	c.read.Go(c.listen)
	return c
}

func (c *frames) close() {
	_ = c.conn.Close()
	c.read.Wait()
}

func (c *frames) write(kind, flags byte, stream uint32, payload []byte) error {
	b := []byte{byte(len(payload) >> 16), byte(len(payload) >> 8), byte(len(payload)), kind, flags}
	b = append(binary.BigEndian.AppendUint32(b, stream), payload...)
	_, err := c.conn.Write(b)
	return err
}

// listen records the ends of streams.
func (c *frames) listen() {
	defer close(c.over)
	defer c.conn.Close() // a server that gives up does not read
	head := make([]byte, 9)
	for {
		if _, err := io.ReadFull(c.conn, head); err != nil {
			return
		}
		payload := make([]byte, int(head[0])<<16|int(head[1])<<8|int(head[2]))
		if _, err := io.ReadFull(c.conn, payload); err != nil || head[3] == frameGoAway && binary.BigEndian.Uint32(payload[4:]) != 0 {
			return
		}
		stream := binary.BigEndian.Uint32(head[5:])
		c.mu.Lock()
		switch {
		case c.ended[stream] != "":
		case head[3] == frameReset:
			c.ended[stream] = "reset"
		case head[3] == frameHeaders:
			c.ended[stream] = statusField(payload)
		}
		c.mu.Unlock()
	}
}

// statusField reads the field :status of the first response of a connection, in which it is the
// first field (RFC 7541). Later ones may refer to a table.
func statusField(b []byte) string {
	if indexed := map[byte]string{0x88: "200", 0x89: "204", 0x8c: "400", 0x8d: "404", 0x8e: "500"}[b[0]]; indexed != "" {
		return indexed
	}
	if b[0] < 0x48 || b[0] > 0x4e { // the name of an entry of the static table
		return "another response"
	}
	length := int(b[1] & 0x7f)
	value := b[2 : 2+length]
	if b[1]&0x80 == 0 {
		return string(value)
	}
	bits := ""
	for _, b := range value {
		bits += fmt.Sprintf("%08b", b)
	}
	text := ""
	for len(text) < 3 { // the Huffman codes of digits
		if bits[:5] < "00011" {
			text, bits = text+string('0'+(bits[4]-'0')+(bits[3]-'0')*2), bits[5:]
			continue
		}
		n := 0
		for _, b := range bits[:6] {
			n = n*2 + int(b-'0')
		}
		text, bits = text+string(rune('3'+n-0b011001)), bits[6:]
	}
	return text
}

// literals encodes fields without a table.
func literals(fields [][2]string) (b []byte) {
	for _, field := range fields {
		b = append(b, 0)
		for _, text := range field {
			if n := len(text); n < 127 {
				b = append(b, byte(n))
			} else {
				b = binary.AppendUvarint(append(b, 127), uint64(n-127))
			}
			b = append(b, text...)
		}
	}
	return b
}

const frameBytes = 16 << 10

// open sends the header of a request without a body.
func (c *frames) open(fields [][2]string) (stream uint32, err error) {
	stream, c.stream = c.stream, c.stream+2
	kind, flags, rest := byte(frameHeaders), byte(endStream), literals(fields)
	for {
		part := rest[:min(len(rest), frameBytes)]
		if rest = rest[len(part):]; len(rest) == 0 {
			flags |= endHeaders
		}
		if err = c.write(kind, flags, stream, part); err != nil || len(rest) == 0 {
			return stream, err
		}
		kind, flags = frameContinuation, 0
	}
}

// ask sends a request, and returns its status, "reset" or "closed".
func (c *frames) ask(fields [][2]string) string {
	stream, _ := c.open(fields)
	for range 200 {
		select {
		case <-c.over:
		case <-time.After(50 * time.Millisecond):
		}
		c.mu.Lock()
		got := c.ended[stream]
		c.mu.Unlock()
		if got != "" {
			return got
		}
		select {
		case <-c.over:
			return "closed"
		default:
		}
	}
	return "nothing"
}

// testAuthHTTP2 repeats the rows of credentials over HTTP/2 with TLS, and adds rows for HTTP/2
// alone.
func testAuthHTTP2(t *testing.T, v target) {
	if v.is(webSocket) && v.era == modern {
		return // no message is sent, so that the eras do not differ
	}
	v.http2 = true
	if !v.is(httpModern) && !*allTransports { // the guard is in front of each transport
		v.visitAuth(t, setup{}, nil, func(t *testing.T, s *authSite) { s.tricks(t) })
		return
	}
	for name, row := range map[string]func(*testing.T, target){
		"Audience": testAuthAudience, "Signature": testAuthSignature, "Issuer": testAuthIssuer, "Time": testAuthTime, "Introspection": testAuthIntrospection,
		"Form": testAuthForm, "APIKey": testAuthAPIKey, "DPoP": testAuthDPoP, "Forwarded": testAuthForwarded, "Page": testAuthPage,
	} {
		t.Run(name, func(t *testing.T) { row(t, v) })
	}
	v.visitAuth(t, setup{}, nil, func(t *testing.T, s *authSite) { s.tricks(t) })
	if v.is(httpModern) {
		v.visitAuth(t, setup{}, func(s *authSite, o *mcpauth.Options) {
			o.Verifiers = []mcpauth.Verifier{s.issuer.introspection()}
		}, func(t *testing.T, s *authSite) { s.resets(t) })
	}
}

// get returns the header of a guarded request without a body.
func (s *authSite) get(more ...[2]string) [][2]string {
	return append([][2]string{
		{":method", "GET"}, {":scheme", "https"}, {":authority", s.addr}, {":path", "/mcp"}, {"accept", "text/event-stream"},
	}, more...)
}

// tricks sends header fields that HTTP/1.1 does not allow. No such request reaches the endpoint
// with another credential, Host or path than the guard has seen.
func (s *authSite) tricks(t *testing.T) {
	token := [2]string{"authorization", "Bearer " + tokenOf(nil)}
	with := func(change func(all [][2]string) [][2]string) [][2]string { return change(s.get(token)) }
	replace := func(n int, f [2]string) func([][2]string) [][2]string {
		return func(all [][2]string) [][2]string { all[n] = f; return all }
	}
	add := func(n int, f [2]string) func([][2]string) [][2]string {
		return func(all [][2]string) [][2]string {
			return append(all[:n:n], append([][2]string{f}, all[n:]...)...)
		}
	}
	const refused = "reset 400 403 404 421 closed"
	for _, test := range []struct {
		what   string
		fields [][2]string
		want   string
	}{
		{"no token", s.get(), "401"},
		{"two :authority", with(add(3, [2]string{":authority", "evil.example"})), refused},
		{"two :authority, the same", with(add(3, [2]string{":authority", s.addr})), refused},
		{"two :path", with(add(4, [2]string{":path", "/other"})), refused},
		{"two :method", with(add(1, [2]string{":method", "POST"})), refused},
		{":authority of another", with(replace(2, [2]string{":authority", "evil.example"})), "403"},
		{"Host of another beside :authority", s.get([2]string{"host", "evil.example"}), refused + " 401"},
		{"Host of another in place of :authority", with(replace(2, [2]string{"host", "evil.example"})), refused},
		{":authority with user", with(replace(2, [2]string{":authority", "x@" + s.addr})), refused},
		// If a path is a URL, its path counts, and :authority is checked.
		{"a path that is a URL", with(replace(3, [2]string{":path", "https://evil.example/mcp"})), refused + " 200 405"},
		{"a path that is a URL, no token", replace(3, [2]string{":path", "https://evil.example/mcp"})(s.get()), refused + " 401"},
		{"a path without slash", with(replace(3, [2]string{":path", "mcp"})), refused},
		{"no path", with(replace(3, [2]string{"x", "y"})), refused},
		{"a field with capitals", s.get([2]string{"Authorization", token[1]}), "reset 401"},
		{"a pseudo-header field after others", s.get(token, [2]string{":authority", s.addr}), refused},
		{"a pseudo-header field for a credential", s.get([2]string{":authorization", token[1]}), refused + " 401"},
		{"two tokens", s.get(token, token), "400"},
		{"a field of connections", s.get(token, [2]string{"connection", "upgrade"}, [2]string{"upgrade", "websocket"}), refused},
		{"line breaks", s.get([2]string{"x", "y\r\nauthorization: " + token[1]}), refused},
		{"an empty name", s.get([2]string{"", token[1]}), refused},
	} {
		s.records()
		c := s.h2.dial()
		got := c.ask(test.fields)
		c.close()
		if !strings.Contains(test.want, got) {
			t.Errorf("%s: %s, want %s; %s", test.what, got, test.want, s.records())
		}
	}
	// An endless header is not stored: the connection is closed long before 16 MB.
	c := s.h2.dial()
	defer c.close()
	if _, err := c.open(s.get([2]string{"authorization", "Bearer " + strings.Repeat("x", 16<<20)})); err == nil {
		t.Error("16 MB of header are read")
	}
	s.keeps("tricks", []string{"Authorization: " + token[1]})
}

// resets begins many guarded requests, whose tokens cause requests to the issuer, and resets each
// at once.
func (s *authSite) resets(t *testing.T) {
	var open, most atomic.Int64
	s.issuer.answers(func(_ http.ResponseWriter, r *http.Request) {
		n := open.Add(1)
		defer open.Add(-1)
		for have := most.Load(); n > have && !most.CompareAndSwap(have, n); have = most.Load() {
		}
		<-r.Context().Done()
	})
	heap := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before, sent := heap(), 0
	for range 2 {
		c := s.h2.dial()
		for n := range 1000 {
			stream, err := c.open(s.get([2]string{"authorization", fmt.Sprintf("Bearer opaque-%d-%s", sent, strings.Repeat("x", 4<<10))}))
			if err == nil {
				err = c.write(frameReset, 0, stream, []byte{0, 0, 0, 8})
			}
			if sent++; errors.Is(err, net.ErrClosed) || err != nil && n > 0 {
				break // the server gives up
			}
		}
		s.settle()
		c.close()
	}
	time.Sleep(time.Minute) // the requests to the issuer are done
	s.settle()
	if grown := int64(heap()) - int64(before); grown > 16<<20 {
		t.Errorf("%d bytes are kept of %d requests", grown, sent)
	}
	if s.h2.most.Load() > 2*250 || most.Load() > 64 { // net/http runs 250 handlers of a connection
		t.Errorf("%d handlers and %d questions at once", s.h2.most.Load(), most.Load())
	}
	s.issuer.answers(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, jsonOf(authClaims(object{"active": true, "token_type": "Bearer"})))
	})
	s.wantOpen("after them", bearer("opaque-token-"+canary))
}
