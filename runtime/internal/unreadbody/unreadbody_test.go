package unreadbody_test

import (
	"bufio"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/faultconn"
	"github.com/mcpgen/mcpgen/runtime/internal/unreadbody"
)

// linger is the time that net/http waits before it closes a connection with unread input.
const linger = 500 * time.Millisecond

// around calls a handler as the handlers of the transports do.
func around(b *unreadbody.Bodies, within time.Duration, h http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body, returned := b.Begin(w, r, within), false
		defer func() { body.End(returned) }()
		h(w, r)
		returned = true
	}
}

// network is a server in memory.
type network struct {
	*testing.T
	*faultconn.Listener
	began time.Time
}

// serve calls f, in a bubble of synctest, with a server that has the handler.
func serve(t *testing.T, h http.HandlerFunc, f func(n *network)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		n := &network{t, faultconn.NewListener(nil), time.Now()}
		server := &http.Server{Handler: h, ErrorLog: log.New(io.Discard, "", 0)}
		go func() { _ = server.Serve(n.Listener) }()
		f(n)
		_ = server.Close()
		time.Sleep(time.Minute) // connections are closed, or the bubble fails
	})
}

// client is a connection to the server.
type client struct {
	*network
	net.Conn
	lines *bufio.Reader
}

// send connects and sends a text.
func (n *network) send(text string) *client {
	n.Helper()
	c, err := n.Dial(n.Context())
	if err != nil {
		n.Fatal(err)
	}
	n.Cleanup(func() { _ = c.Close() })
	go func() { _, _ = io.WriteString(c, text) }()
	return &client{n, c, bufio.NewReader(c)}
}

// response reads one response, which must be there at once.
func (c *client) response() *http.Response {
	c.Helper()
	began := time.Now()
	resp, err := http.ReadResponse(c.lines, nil)
	if err != nil {
		c.Fatal(err)
	}
	if _, err := io.Copy(io.Discard, resp.Body); err != nil {
		c.Error(err)
	}
	if took := time.Since(began); took > 0 {
		c.Errorf("the response has come after %v", took)
	}
	return resp
}

// ends checks that the connection is closed, without another byte, at a time after the start.
func (c *client) ends(from, to time.Duration) {
	c.Helper()
	rest, _ := io.ReadAll(c.lines)
	if took := time.Since(c.began); took < from || took > to || len(rest) > 0 {
		c.Errorf("%q, and the end after %v, want it after %v to %v", rest, took, from, to)
	}
}

const (
	head    = "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n"
	another = "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
)

var body = strings.Repeat("x", 1000)

func nothing(http.ResponseWriter, *http.Request) {}

func refuse(w http.ResponseWriter, _ *http.Request) { unreadbody.Error(w, "no", http.StatusForbidden) }

// The connection serves the next request if the rest of the body arrives, and is closed otherwise.
func TestRestOfBody(t *testing.T) {
	for _, c := range []struct {
		name, text string
		most       int
		kept       bool
		closes     bool // the response contains Connection: close
		from, to   time.Duration
	}{
		{"body", head + body, 1, true, false, 0, 0},
		{"no body", head, 1, false, false, unreadbody.Time, unreadbody.Time + linger},
		{"half a body", head + body[:500], 1, false, false, unreadbody.Time, unreadbody.Time + linger},
		{"too many", head + body, 0, false, true, 0, linger},
		{"too many, and no body", head, 0, false, true, 0, linger},
		{"large", strings.Replace(head, "1000", "70000", 1), 1, false, true, 0, linger},
		{"waits", strings.Replace(head, "\r\n\r\n", "\r\nExpect: 100-continue\r\n\r\n", 1), 1, false, true, 0, linger},
		{"last", strings.Replace(head, "\r\n\r\n", "\r\nConnection: close\r\n\r\n", 1), 1, false, true, 0, linger},
	} {
		t.Run(c.name, func(t *testing.T) {
			serve(t, around(&unreadbody.Bodies{Most: c.most}, 0, refuse), func(n *network) {
				text := c.text
				if c.kept {
					text += another
				}
				conn := n.send(text)
				if resp := conn.response(); resp.Close != c.closes {
					t.Errorf("closes: %v", resp.Close)
				}
				if c.kept {
					conn.response()
				}
				conn.ends(c.from, c.to)
			})
		})
	}
}

// A body that was read no longer counts.
func TestCount(t *testing.T) {
	serve(t, around(&unreadbody.Bodies{Most: 1}, 0, refuse), func(n *network) {
		first := n.send(head)
		if first.response().Close {
			t.Error("the first body is not read")
		}
		if !n.send(head).response().Close {
			t.Error("the second body is read too")
		}
		first.ends(unreadbody.Time, unreadbody.Time+linger)
		for range 3 {
			if n.send(head + body).response().Close {
				t.Error("a body is not read although there is no other")
			}
			synctest.Wait()
		}
	})
}

// Bodies from one address do not keep bodies from others from being read.
func TestCountOfAddress(t *testing.T) {
	inner := around(&unreadbody.Bodies{Most: 8}, 0, refuse)
	h := func(w http.ResponseWriter, r *http.Request) {
		r.RemoteAddr = r.Header.Get("From")
		inner(w, r)
	}
	serve(t, h, func(n *network) {
		of := func(address string) bool {
			return !n.send(strings.Replace(head, "\r\n\r\n", "\r\nFrom: "+address+"\r\n\r\n", 1)).response().Close
		}
		for i, step := range []struct {
			address string
			read    bool
		}{
			{"192.0.2.1:1", true},
			{"192.0.2.1:2", true},
			{"192.0.2.1:3", false},
			{"192.0.2.2:1", true},
			{"[2001:db8::1]:1", true},
			{"[2001:db8::2]:1", true},
			{"[2001:db8::3]:1", false}, // of the same network
			{"[2001:db8:0:1::3]:1", true},
			{"192.0.2.1:4", false},
			{"192.0.2.3:1", true},
			{"192.0.2.4:1", true},
			{"192.0.2.5:1", false}, // all addresses have used their share
		} {
			if got := of(step.address); got != step.read {
				t.Errorf("%d: the body from %s is read: %t", i, step.address, got)
			}
		}
		time.Sleep(unreadbody.Time + linger)
		if !of("192.0.2.1:5") {
			t.Error("bodies that were read still count")
		}
	})
}

// Close stops reading at once, and no body is read afterwards.
func TestClose(t *testing.T) {
	b := &unreadbody.Bodies{Most: 10}
	serve(t, around(b, 0, refuse), func(n *network) {
		c := n.send(head)
		if c.response().Close {
			t.Error("the body is not read")
		}
		time.Sleep(unreadbody.Time / 10)
		b.Close()
		c.ends(unreadbody.Time/10, unreadbody.Time/10+linger)
		if !n.send(head + body).response().Close {
			t.Error("a body is read after Close")
		}
	})
}

// If there is nothing to read, Begin returns nil, and End can be called on nil.
func TestNoBody(t *testing.T) {
	b := &unreadbody.Bodies{Most: 10}
	get, post := httptest.NewRequest(http.MethodGet, "/", http.NoBody), httptest.NewRequest(http.MethodPost, "/", strings.NewReader(body))
	post.ProtoMajor, post.ProtoMinor = 2, 0
	for _, r := range []*http.Request{{ProtoMajor: 1}, get, post} {
		x := b.Begin(httptest.NewRecorder(), r, 0)
		if x != nil {
			t.Errorf("%s with HTTP/%d: a body", r.Method, r.ProtoMajor)
		}
		x.End(true)
	}
}

// The body must arrive in time.
func TestWithin(t *testing.T) {
	var got error
	h := around(&unreadbody.Bodies{Most: 10}, 3*time.Second, func(_ http.ResponseWriter, r *http.Request) {
		_, got = io.ReadAll(r.Body)
	})
	serve(t, h, func(n *network) {
		n.send(head)
		time.Sleep(3*time.Second + 1)
		synctest.Wait()
		if !errors.Is(got, os.ErrDeadlineExceeded) {
			t.Errorf("got %v", got)
		}
	})
}

// A response that was complete anyway is sent as net/http sends it, with its length.
func TestReadBody(t *testing.T) {
	read := func(_ http.ResponseWriter, r *http.Request) { _, _ = io.Copy(io.Discard, r.Body) }
	for name, h := range map[string]http.HandlerFunc{
		"direct": around(&unreadbody.Bodies{Most: 10}, 0, read),
		"hidden": func(w http.ResponseWriter, r *http.Request) {
			around(&unreadbody.Bodies{Most: 10}, 0, read)(flusher{w}, r)
		},
	} {
		serve(t, h, func(n *network) {
			c := n.send(head + body + another)
			for range 2 {
				if resp := c.response(); resp.ContentLength != 0 || len(resp.TransferEncoding) > 0 {
					t.Errorf("%s: length %d, %v", name, resp.ContentLength, resp.TransferEncoding)
				}
			}
		})
	}
}

// flusher is a ResponseWriter of middleware, without Unwrap.
type flusher struct{ http.ResponseWriter }

func (f flusher) Flush() { _ = http.NewResponseController(f.ResponseWriter).Flush() }

// Behind middleware that hides the connection, the connection is closed after the response, which
// net/http sends with its length.
func TestHidden(t *testing.T) {
	h := func(w http.ResponseWriter, r *http.Request) {
		around(&unreadbody.Bodies{Most: 10}, 0, nothing)(flusher{w}, r)
	}
	serve(t, h, func(n *network) {
		c := n.send(head)
		if resp := c.response(); !resp.Close || resp.ContentLength != 0 {
			t.Errorf("closes: %v, length %d", resp.Close, resp.ContentLength)
		}
	})
}

// duplex is a ResponseWriter of middleware that cannot set deadlines.
type duplex struct{ http.ResponseWriter }

func (duplex) EnableFullDuplex() error { return nil }

// counted is a body that counts the calls of Read.
type counted struct {
	io.Reader
	reads int
}

func (c *counted) Read(p []byte) (int, error) { c.reads++; return c.Reader.Read(p) }
func (c *counted) Close() error               { return nil }

// Without a deadline no body is read.
func TestNoDeadline(t *testing.T) {
	c := &counted{Reader: strings.NewReader(body)}
	r := httptest.NewRequest(http.MethodPost, "/", c)
	around(&unreadbody.Bodies{Most: 10}, 0, nothing)(duplex{httptest.NewRecorder()}, r)
	if c.reads > 0 {
		t.Errorf("%d reads", c.reads)
	}
}

// If one handler with bodies calls another, the inner one decides.
func TestInnerHandler(t *testing.T) {
	h := around(&unreadbody.Bodies{}, 0, around(&unreadbody.Bodies{Most: 1}, 0, refuse))
	serve(t, h, func(n *network) {
		c := n.send(head + body + another)
		if c.response().Close {
			t.Error("the body is not read")
		}
		c.response()
		c.ends(0, 0)
	})
	h = around(&unreadbody.Bodies{Most: 1}, 0, around(&unreadbody.Bodies{Most: 1}, 0, refuse))
	serve(t, h, func(n *network) {
		c := n.send(head)
		c.response()
		c.ends(unreadbody.Time, unreadbody.Time+linger)
	})
}

// After a panic of the handler nothing is sent, and the connection is closed at once.
func TestPanic(t *testing.T) {
	h := around(&unreadbody.Bodies{Most: 1}, 0, func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
	serve(t, h, func(n *network) { n.send(head).ends(0, linger) })
}

// The deadlines of a hijacked connection are not changed.
func TestHijacked(t *testing.T) {
	var got string
	h := around(&unreadbody.Bodies{Most: 1}, 0, func(w http.ResponseWriter, _ *http.Request) {
		conn, lines, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		go func() {
			defer conn.Close()
			if got, err = lines.ReadString('!'); err != nil {
				got = err.Error()
			}
		}()
	})
	serve(t, h, func(n *network) {
		c := n.send(head + body)
		time.Sleep(time.Minute)
		go func() { _, _ = io.WriteString(c, "later!") }()
		synctest.Wait()
		if got != body+"later!" {
			t.Errorf("got %q", got)
		}
	})
}

// A client that does not read the response occupies the connection for ten seconds.
func TestResponseNotRead(t *testing.T) {
	for name, h := range map[string]http.HandlerFunc{
		"body":  around(&unreadbody.Bodies{Most: 1}, 0, nothing),
		"Error": func(w http.ResponseWriter, _ *http.Request) { unreadbody.Error(w, "no", http.StatusNotFound) },
	} {
		synctest.Test(t, func(t *testing.T) {
			l, began := faultconn.NewListener(nil), time.Now()
			var took time.Duration
			server := &http.Server{Handler: h, ConnState: func(_ net.Conn, s http.ConnState) {
				if s == http.StateClosed {
					took = time.Since(began)
				}
			}}
			go func() { _ = server.Serve(l) }()
			conn, err := l.Dial(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			text := head
			if name == "Error" {
				text = another
			}
			go func() { _, _ = io.WriteString(conn, text) }()
			time.Sleep(time.Minute)
			synctest.Wait()
			if took < 10*time.Second || took > 11*time.Second {
				t.Errorf("%s: the connection has ended after %v", name, took)
			}
			_ = conn.Close()
			_ = server.Close()
		})
	}
}

func TestError(t *testing.T) {
	w := httptest.NewRecorder()
	unreadbody.Error(w, "no", http.StatusNotFound)
	if got := w.Result(); w.Code != http.StatusNotFound || w.Body.String() != "no\n" || got.ContentLength != 3 ||
		got.Header.Get("Content-Type") != "text/plain; charset=utf-8" || got.Header.Get("X-Content-Type-Options") != "nosniff" {
		t.Errorf("%d, %q, %v", w.Code, w.Body, got.Header)
	}
}
