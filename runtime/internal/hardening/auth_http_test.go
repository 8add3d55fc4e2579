package hardening_test

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/internal/proof/spec"
	"github.com/mcpgen/mcpgen/runtime/internal/faultconn"
	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpauth"
	"github.com/mcpgen/mcpgen/runtime/mcphttp"
)

// opening returns the request that opens the transport.
func (s *authSite) opening(at string, fields http.Header) *http.Request {
	text := modern.text("1", "tools/call", call("whoami", `{}`))
	if s.target.era == legacy {
		text = legacy.text("1", "initialize", initialize)
	}
	method, body := http.MethodPost, io.Reader(strings.NewReader(text))
	if !s.target.is(httpLegacy, httpModern) {
		method, body = http.MethodGet, nil
	}
	r, err := http.NewRequestWithContext(s.ctx, method, at, body)
	if err != nil {
		s.t.Fatal(err)
	}
	r.Header.Set("Accept", "application/json, text/event-stream")
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	if s.target.is(httpModern) {
		r.Header.Set("MCP-Protocol-Version", "2026-07-28")
		mirror(r.Header, text)
	}
	for name, values := range fields {
		r.Header[name] = values
	}
	return r
}

// testAuthConnection sends requests of several callers on one connection of HTTP/2, or a few.
func testAuthConnection(t *testing.T, v target) {
	v.visitAuth(t, setup{}, nil, func(t *testing.T, s *authSite) {
		l := faultconn.NewListener(nil)
		server := &http.Server{Handler: s.http.Handler, ErrorLog: log.New(io.Discard, "", 0), Protocols: new(http.Protocols)}
		server.Protocols.SetUnencryptedHTTP2(true)
		s.served.Go(func() { _ = server.Serve(l) })
		var dialed atomic.Int64
		transport := &http.Transport{
			Protocols:   server.Protocols,
			DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) { dialed.Add(1); return l.Dial(ctx) },
		}
		defer server.Close()
		defer transport.CloseIdleConnections()
		client := &http.Client{Transport: spec.Transport(t, transport)}
		send := func(what, token string, status int, subject string) {
			field := http.Header{}
			if token != "" {
				field.Set("Authorization", "Bearer "+token)
			}
			ctx, cancel := context.WithCancel(s.ctx)
			defer cancel()
			resp, err := client.Do(s.opening("http://"+s.addr+"/mcp", field).WithContext(ctx))
			if err != nil {
				t.Errorf("%s: %v", what, err)
				return
			}
			defer resp.Body.Close()
			if v.is(webSocket) && status == http.StatusOK {
				status = http.StatusBadRequest // a WebSocket needs HTTP/1.1
			}
			if resp.StatusCode != status || resp.ProtoMajor != 2 {
				t.Errorf("%s: status %d, %s", what, resp.StatusCode, resp.Proto)
			}
			if v.is(httpModern) {
				if body, err := io.ReadAll(resp.Body); err != nil || !strings.Contains(string(body), subject) {
					t.Errorf("%s: %s, %v", what, body, err)
				}
			}
		}
		send("the first", tokenOf(nil), 200, authIssuerID+" ada")
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() { send("ada", tokenOf(nil), 200, authIssuerID+" ada") })
			all.Go(func() { send("eve", tokenOf(object{"sub": "eve"}), 200, authIssuerID+" eve") })
			all.Go(func() { send("none", "", 401, "") })
			all.Go(func() { send("expired", tokenOf(object{"exp": 1}), 401, "") })
		}
		all.Wait()
		if n := dialed.Load(); n > 4 { // net/http may dial again while a stream is reset
			t.Errorf("%d connections for 33 requests", n)
		}
		// A trailer is not a credential.
		r := s.opening("http://"+s.addr+"/mcp", nil)
		if r.Body != nil {
			r.ContentLength, r.Trailer = -1, http.Header{"Authorization": {"Bearer " + tokenOf(nil)}}
			resp, err := (&http.Client{Transport: transport}).Do(r)
			if err != nil {
				t.Fatal(err)
			}
			resp.Body.Close()
			if resp.StatusCode != 401 {
				t.Errorf("a trailer: status %d", resp.StatusCode)
			}
		}
		s.keeps("HTTP/2", []string{bearer(tokenOf(nil))})
	})
}

// exchangeRaw sends a text, and returns the statuses of all responses until the connection is
// closed.
func (s *authSite) exchangeRaw(text string) (statuses []int) {
	s.t.Helper()
	conn, err := s.net.Dial(s.ctx)
	if err != nil {
		s.t.Fatal(err)
	}
	sent := make(chan struct{})
	go func() {
		defer close(sent)
		_, _ = io.WriteString(conn, text)
	}()
	defer func() { conn.Close(); <-sent }()
	_ = conn.SetReadDeadline(time.Now().Add(time.Minute)) // in case the connection is kept
	b := bufio.NewReader(conn)
	for {
		resp, err := http.ReadResponse(b, &http.Request{Method: http.MethodPost})
		if err != nil {
			return statuses
		}
		_, _ = io.Copy(io.Discard, resp.Body)
		statuses = append(statuses, resp.StatusCode)
	}
}

// testAuthFraming sends requests whose end is ambiguous, or which contain another request: each
// request is decided by its own header.
func testAuthFraming(t *testing.T, v target) {
	if !v.is(httpLegacy, httpModern) {
		return // the requests that open a stream have no body
	}
	v.visitAuth(t, setup{}, nil, func(t *testing.T, s *authSite) {
		text := modern.text("1", "tools/call", call("echo", `{}`))
		fields := "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: echo\r\n"
		if v.era == legacy {
			text, fields = legacy.text("1", "initialize", initialize), ""
		}
		good := bearer(tokenOf(nil))
		head := "POST /mcp HTTP/1.1\r\nHost: " + s.addr + "\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n" + fields
		length := fmt.Sprintf("Content-Length: %d\r\n", len(text))
		chunks := fmt.Sprintf("%x\r\n%s\r\n0\r\n", len(text), text)
		anonymous := head + length + "Connection: close\r\n\r\n" + text
		authentic := head + length + good + "\r\nConnection: close\r\n\r\n" + text
		within := func(s string) string { return fmt.Sprintf("Content-Length: %d\r\n", len(s)) }
		for _, test := range []struct {
			what, text string
			want       string // statuses
		}{
			{"chunks", head + good + "\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n" + chunks + "\r\n", "[200]"},
			{"a token in a trailer", head + "Trailer: Authorization\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n" + chunks + good + "\r\n\r\n", "[401]"},
			{"a request behind one with a token", head + length + good + "\r\n\r\n" + text + anonymous, "[200 401]"},
			{"a request with a token behind one without", head + length + "\r\n" + text + authentic, "[401 200]"},
			{"a request with a token inside of one without", head + within(authentic) + "Connection: close\r\n\r\n" + authentic, "[401]"},
			{"two lengths", head + length + "Content-Length: 1\r\n" + good + "\r\n\r\n" + text + authentic, "[400]"},
			{"a list of lengths", head + fmt.Sprintf("Content-Length: %d, 1\r\n", len(text)) + good + "\r\n\r\n" + text + authentic, "[400]"},
			{"a signed length", head + fmt.Sprintf("Content-Length: +%d\r\n", len(text)) + good + "\r\n\r\n" + text + authentic, "[400]"},
			{"another coding", head + good + "\r\nTransfer-Encoding: xchunked\r\n\r\n" + chunks + "\r\n" + authentic, "[501]"},
			{"two codings", head + good + "\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n" + chunks + "\r\n" + authentic, "[501]"},
			{"blank before the colon", head + length + strings.Replace(good, ":", " :", 1) + "\r\n\r\n" + text + authentic, "[400]"},
			{"chunk that is too short", head + good + "\r\nTransfer-Encoding: chunked\r\n\r\n" + "3\r\n" + text + "\r\n0\r\n\r\n" + authentic, "[400]"},
		} {
			if got := fmt.Sprint(s.exchangeRaw(test.text)); got != test.want {
				t.Errorf("%s: %s, want %s", test.what, got, test.want)
			}
			s.keeps(test.what, []string{good})
		}
		// Chunks replace the length. The bytes after them are another request.
		both := head + length + good + "\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks + "\r\n" + anonymous
		if got := fmt.Sprint(s.exchangeRaw(both)); got != "[200 401]" && got != "[200]" && got != "[400]" {
			t.Errorf("a length and chunks: %s", got)
		}
	})
}

// testAuthSubscription has a subscription whose token expires, and whose session goes on with fewer
// scopes.
func testAuthSubscription(t *testing.T, v target) {
	v.visitAuth(t, setup{register: registerGuarded}, nil, func(t *testing.T, s *authSite) {
		until := time.Now().Add(10 * time.Minute)
		c := s.openAs(tokenOf(object{"exp": until.Unix()}))
		var listen string
		if v.era == modern {
			listen, _ = c.say("subscriptions/listen", `"notifications":{"resourceSubscriptions":["auth:///all/write"]}`)
		} else if m := c.ask("resources/subscribe", `"uri":"auth:///all/write"`); m.Error != nil {
			t.Fatal(m)
		}
		var stream *delivery
		if v.is(httpLegacy) {
			stream = c.link.(*httpLink).get()
		}
		s.settle()
		notified := func(when string, want bool) {
			t.Helper()
			c.in.all()
			s.server.ResourceUpdated("auth:///all/write")
			s.settle()
			got := false
			for _, m := range c.in.all() {
				got = got || m.Method == "notifications/resources/updated" && strings.Contains(m.raw, "auth:///all/write")
			}
			if got != want {
				t.Errorf("%s: notified is %t", when, got)
			}
		}
		notified("with the token", true)
		if v.is(httpLegacy, httpSSE) {
			ping := func(token string) { c.say("ping", "", bearer(token)); s.settle() }
			ping(tokenOf(object{"scope": "books:read", "exp": until.Unix()}))
			notified("with fewer scopes", false)
			ping(tokenOf(object{"exp": until.Unix()}))
			notified("with all scopes again", true)
		}
		time.Sleep(time.Until(until) + 31*time.Second)
		s.settle()
		if v.is(httpLegacy) {
			await(s.site, stream.done, "end of the stream")
			notified("after the end of the token", false)
			again := tokenOf(object{"exp": time.Now().Unix() + 600})
			c.link.(*httpLink).get(bearer(again))
			s.settle()
			notified("with a renewed token", true)
		} else {
			if v.era == modern { // which ends with a result, before the connection is closed
				if m := c.reply(listen); m.Error != nil {
					t.Errorf("the end of the listen: %v", m)
				}
			}
			notified("after the end of the token", false)
		}
		s.keeps("subscriptions", nil)
	})
}

// testAuthServers has two servers with one guard: sessions of a client at one server are unknown to
// the other.
func testAuthServers(t *testing.T, v target) {
	if v.is(webSocket) {
		return // a connection belongs to one server
	}
	v.visitAuth(t, setup{}, nil, func(t *testing.T, s *authSite) {
		other := mcp.NewServer(mcp.ServerInfo{Name: "other", Version: "1"}, mcp.WithLogger(s.log.Logger()))
		newFixture(t, other)
		options := s.guard.HTTP()
		var h closer = mcphttp.NewHandler(other, options...)
		if v.is(httpSSE) {
			h = mcphttp.NewSSEHandler(other, options...)
		}
		defer func() { _ = h.Close() }()
		token := tokenOf(nil)
		c := s.openAs(token)
		link := c.link.(*httpLink)
		send := func(method, path, text string, fields ...string) (int, string) {
			r := httptest.NewRequest(method, "http://127.0.0.1"+path, strings.NewReader(text))
			r.Header = http.Header{"Accept": {"application/json, text/event-stream"}, "Content-Type": {"application/json"}, "Authorization": {"Bearer " + token}}
			setFields(r.Header, fields)
			if v.is(httpModern) {
				mirror(r.Header, text)
			}
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			return w.Code, w.Body.String()
		}
		switch v.name {
		case httpLegacy:
			session := []string{"Mcp-Session-Id: " + link.session, "Mcp-Protocol-Version: 2025-11-25"}
			for _, method := range []string{"POST", "GET", "DELETE"} {
				text := ""
				if method == "POST" {
					text = legacy.text("5", "ping", "")
				}
				if status, body := send(method, "/mcp", text, append(session, "Last-Event-Id: 1-1")...); status != 404 {
					t.Errorf("%s with the session: status %d: %s", method, status, body)
				}
			}
		case httpSSE:
			if status, body := send("POST", link.endpoint, legacy.text("5", "ping", "")); status != 404 {
				t.Errorf("the session: status %d: %s", status, body)
			}
		default:
			asks := call("asks", `{}`)
			state := stateIn(t, c.ask("tools/call", asks))
			if _, body := send("POST", "/mcp", modern.text("5", "tools/call", yes(asks, state)), "Mcp-Protocol-Version: 2026-07-28"); !strings.Contains(body, `"code":-32602`) {
				t.Errorf("the state: %s", body)
			}
		}
		c.alive("the other server")
		s.keeps("servers", []string{bearer(token)})
	})
}

// testAuthPageCertificate has a page of another origin whose browser adds a client certificate.
func testAuthPageCertificate(t *testing.T, v target) {
	v.visitAuth(t, setup{origins: []string{"https://app.example"}}, func(_ *authSite, o *mcpauth.Options) {
		o.Verifiers = append(o.Verifiers, mcpauth.Certificates(mcpauth.CertificateOptions{}))
	}, func(t *testing.T, s *authSite) {
		leaf, err := x509.ParseCertificate(newAuthority(t, strayKey).issue(t, strayKey, time.Now().Add(time.Hour)).Certificate[0])
		if err != nil {
			t.Fatal(err)
		}
		send := func(origin string) (*httptest.ResponseRecorder, string) {
			s.records()
			r := s.opening("https://127.0.0.1/mcp", http.Header{"Origin": {origin}})
			r.TLS = &tls.ConnectionState{PeerCertificates: []*x509.Certificate{leaf}, VerifiedChains: [][]*x509.Certificate{{leaf}}}
			ctx, cancel := context.WithTimeout(s.ctx, time.Second)
			defer cancel()
			w := httptest.NewRecorder()
			s.http.Handler.ServeHTTP(w, r.WithContext(ctx))
			return w, s.records()
		}
		for _, origin := range []string{"https://evil.example", "null", "https://app.example.evil.example"} {
			if w, records := send(origin); w.Code != 403 || w.Header().Get("Access-Control-Allow-Origin") != "" || records != "" {
				t.Errorf("%s: status %d, %v, %s", origin, w.Code, w.Header(), records)
			}
		}
		// The certificate is a credential for pages of allowed origins.
		if w, records := send("https://app.example"); w.Code == 401 || w.Code == 403 || records != "" {
			t.Errorf("an allowed page: status %d, %s", w.Code, records)
		}
	})
}
