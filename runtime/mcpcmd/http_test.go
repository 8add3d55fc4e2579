package mcpcmd_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/unreadbody"
	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpcmd"
	"github.com/mcpgen/mcpgen/runtime/mcphttp"
)

func TestHTTP(t *testing.T) {
	r := serve(t, newServer(never), nil)
	status, body, err := r.answer(request(t.Context(), r.url, "tools/list", ""))
	if err != nil || status != http.StatusOK || !strings.Contains(body, `"greet"`) {
		t.Errorf("%d, %v, %s", status, err, body)
	}
	if status, body, err := r.call("greet"); err != nil || status != http.StatusOK || !strings.Contains(body, "hello ") {
		t.Errorf("%d, %v, %s", status, err, body)
	}
	r.stop()
	if err := <-r.ended; err != nil {
		t.Error(err)
	}
	if want := "fixture 1.2.3 serves 3 tools, 1 resource at " + r.url + "\n"; r.stderr.String() != want {
		t.Errorf("standard error: %q, want %q", r.stderr, want)
	}
	if !strings.HasPrefix(r.url, "http://127.0.0.1:") || strings.Contains(r.url, ":0/") || !strings.HasSuffix(r.url, "/mcp") {
		t.Errorf("URL %s", r.url)
	}
}

// All other paths return a text that names the endpoint.
func TestNotFound(t *testing.T) {
	r := serve(t, newServer(never), nil)
	base := strings.TrimSuffix(r.url, "/mcp")
	for _, path := range []string{"", "/", "/mcp/", "/mcpp", "/.well-known/oauth-protected-resource"} {
		for _, method := range []string{http.MethodGet, http.MethodPost} {
			req, err := http.NewRequestWithContext(t.Context(), method, base+path, strings.NewReader("{}"))
			if err != nil {
				t.Fatal(err)
			}
			status, body, err := r.answer(req)
			if err != nil || status != http.StatusNotFound || !strings.Contains(body, "endpoint of this server is /mcp ") || !strings.Contains(body, "/sse") {
				t.Errorf("%s %q: %d, %v, %s", method, path, status, err, body)
			}
		}
	}
}

// The older transport is at /sse: its first event contains the URL for POST requests.
func TestSSE(t *testing.T) {
	r := serve(t, newServer(never), nil)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	base := strings.TrimSuffix(r.url, "/mcp")
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, base+"/sse", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Accept", "text/event-stream")
	resp, err := r.client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	lines := bufio.NewScanner(resp.Body)
	var first []string
	for lines.Scan() && lines.Text() != "" {
		first = append(first, lines.Text())
	}
	if resp.StatusCode != http.StatusOK || len(first) != 2 || first[0] != "event: endpoint" {
		t.Fatalf("%d, %q", resp.StatusCode, first)
	}
	at, err := req.URL.Parse(strings.TrimPrefix(first[1], "data: "))
	if err != nil || at.Path != "/sse" {
		t.Fatalf("%q, %v", first, err)
	}
	post, err := http.NewRequestWithContext(ctx, http.MethodPost, at.String(),
		strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2024-11-05","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`))
	if err != nil {
		t.Fatal(err)
	}
	post.Header.Set("Content-Type", "application/json")
	if status, body, err := r.answer(post); err != nil || status != http.StatusAccepted {
		t.Fatalf("%d, %v, %s", status, err, body)
	}
	for lines.Scan() {
		if strings.HasPrefix(lines.Text(), `data: {"jsonrpc":"2.0","id":1,"result"`) {
			return
		}
	}
	t.Error("no answer:", lines.Err())
}

func TestAllowFlags(t *testing.T) {
	ask := func(r *running, host, origin string) int {
		t.Helper()
		req := request(t.Context(), r.url, "tools/list", "")
		req.Host = host
		if origin != "" {
			req.Header.Set("Origin", origin)
		}
		status, _, err := r.answer(req)
		if err != nil {
			t.Fatal(err)
		}
		return status
	}
	closed := serve(t, newServer(never), nil)
	open := serve(t, newServer(never), []string{
		"-allow-host", "a.example", "-allow-host", "b.example", "-allow-origin", "https://c.example", "-allow-origin", "https://d.example",
	}, mcpcmd.WithHTTPOptions(mcphttp.WithAllowedHosts("e.example")))
	for _, test := range []struct {
		host, origin string
		closed, open int
	}{
		{"", "", 200, 200},
		{"localhost", "", 200, 200},
		{"a.example", "", 403, 200},
		{"b.example:81", "", 403, 200},
		{"e.example", "", 403, 200},
		{"x.example", "", 403, 403},
		{"", "https://c.example", 403, 200},
		{"", "https://d.example", 403, 200},
		{"", "https://x.example", 403, 403},
		{"", "null", 403, 403},
	} {
		if got := ask(closed, test.host, test.origin); got != test.closed {
			t.Errorf("host %q, origin %q: %d, want %d", test.host, test.origin, got, test.closed)
		}
		if got := ask(open, test.host, test.origin); got != test.open {
			t.Errorf("host %q, origin %q, allowed: %d, want %d", test.host, test.origin, got, test.open)
		}
	}
}

type tag string

// Middleware wraps all handlers, and the first is outermost; handlers see the values that it adds
// to the context, and the options of package mcphttp apply.
func TestMiddleware(t *testing.T) {
	wrap := func(name string) func(http.Handler) http.Handler {
		return func(next http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				seen, _ := r.Context().Value(tag("seen")).(string)
				w.Header().Add("Seen", name)
				next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), tag("seen"), seen+name)))
			})
		}
	}
	r := serve(t, newServer(func(ctx context.Context) (string, error) {
		seen, _ := ctx.Value(tag("seen")).(string)
		return "seen " + seen, nil
	}), nil, mcpcmd.WithHandler(wrap("a")), mcpcmd.WithHandler(wrap("b")),
		mcpcmd.WithHTTPOptions(mcphttp.WithPrincipal(func(r *http.Request) (mcp.Principal, error) {
			if r.Header.Get("Authorization") != "Bearer ada" {
				return mcp.Principal{}, errors.New("nobody")
			}
			return mcp.Principal{ID: "Ada"}, nil
		})))
	if status, _, err := r.call("greet"); err != nil || status != http.StatusUnauthorized {
		t.Errorf("%d, %v", status, err)
	}
	for tool, want := range map[string]string{"greet": "hello Ada", "wait": "seen ab"} {
		req := request(t.Context(), r.url, "tools/call", tool)
		req.Header.Set("Authorization", "Bearer ada")
		if status, body, err := r.answer(req); err != nil || status != http.StatusOK || !strings.Contains(body, want) {
			t.Errorf("%d, %v, %s; want %s", status, err, body, want)
		}
	}
	resp, err := r.client.Get(strings.TrimSuffix(r.url, "/mcp") + "/elsewhere")
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if got := strings.Join(resp.Header["Seen"], ""); got != "ab" {
		t.Errorf("order %q", got)
	}
}

// Shutdown waits for running calls; then Run returns.
func TestDrain(t *testing.T) {
	waiting, release := make(chan struct{}), make(chan struct{})
	r := serve(t, newServer(func(ctx context.Context) (string, error) {
		close(waiting)
		select {
		case <-release:
			return "released", nil
		case <-ctx.Done():
			return "", context.Cause(ctx)
		}
	}), nil, mcpcmd.WithCleanup(func() {
		select {
		case <-release:
		default:
			t.Error("cleaned up while a call was running")
		}
	}))
	var body string
	var err error
	answered := make(chan struct{})
	go func() {
		defer close(answered)
		_, body, err = r.call("wait")
	}()
	<-waiting
	r.stop()
	// Once it refuses new calls it is stopping.
	for {
		status, _, err := r.call("greet")
		if err != nil || status == http.StatusServiceUnavailable {
			break
		}
	}
	select {
	case err := <-r.ended:
		t.Fatal("did not wait for the call:", err)
	default:
	}
	close(release)
	<-answered
	if err != nil || !strings.Contains(body, "released") {
		t.Errorf("%v, %s", err, body)
	}
	if err := <-r.ended; err != nil {
		t.Error(err)
	}
}

// Shutdown aborts a call that takes too long, and Run returns an error.
func TestDrainTime(t *testing.T) {
	waiting, ended := make(chan struct{}), make(chan struct{})
	r := serve(t, newServer(func(ctx context.Context) (string, error) {
		close(waiting)
		<-ctx.Done()
		close(ended)
		return "", context.Cause(ctx)
	}, mcp.WithLimits(mcp.Limits{DrainTime: 50 * time.Millisecond})), nil)
	answered := make(chan struct{})
	go func() {
		defer close(answered)
		_, _, _ = r.call("wait")
	}()
	<-waiting
	r.stop()
	if err := <-r.ended; err == nil || err.Error() != "stop: calls that had not ended after 50ms were cut off" {
		t.Error(err)
	}
	<-ended
	<-answered
}

// pipes is a listener whose connections are in memory.
type pipes chan net.Conn

func (p pipes) Accept() (net.Conn, error) {
	if c, ok := <-p; ok {
		return c, nil
	}
	return nil, net.ErrClosed
}
func (p pipes) Close() error   { return nil }
func (p pipes) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)} }

// A client that sends a request slowly, or no request, loses its connection.
func TestSlowClients(t *testing.T) {
	for _, test := range []struct {
		name, text string
		within     time.Duration
	}{
		{"nothing", "", mcpcmd.HeaderTime},
		{"half a header", "POST /mcp HTTP/1.1\r\nHost: localhost\r\nX: ", mcpcmd.HeaderTime},
		{"no body at another path", "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\n", unreadbody.Time},
		{"no body at a path that is not clean", "POST //mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\n", unreadbody.Time},
		{"no body for all paths", "OPTIONS * HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\n", 0},
		{"no body, unknown expectation", "POST / HTTP/1.1\r\nHost: localhost\r\nExpect: x\r\nContent-Length: 10\r\n\r\n", mcpcmd.ReadTime},
		{"no body at the endpoint", "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\nContent-Length: 10\r\n\r\n", unreadbody.Time},
		{"no body at the older endpoint", "POST /sse HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\nContent-Length: 10\r\n\r\n", unreadbody.Time},
		{"nothing more", "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", mcpcmd.IdleTime},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server, end := mcpcmd.NewHTTPServer(t.Context(), newServer(never))
				l := make(pipes)
				served := make(chan error, 1)
				go func() { served <- server.Serve(l) }()
				client, far := net.Pipe()
				l <- far
				began := time.Now()
				go func() { _, _ = io.WriteString(client, test.text) }()
				_, _ = io.Copy(io.Discard, client) // until the server closes
				if took := time.Since(began); took < test.within || took > test.within+time.Second {
					t.Errorf("closed after %v, want %v", took, test.within)
				}
				close(l)
				end()
				<-served
				client.Close()
			})
		})
	}
}

// Shutdown does not wait for the rest of a body whose request has been answered.
func TestShutdownWithUnreadBody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server, shutdown := mcpcmd.NewHTTPServerToStop(t.Context(), newServer(never))
		l := make(pipes)
		served := make(chan error, 1)
		go func() { served <- server.Serve(l) }()
		client, far := net.Pipe()
		l <- far
		began := time.Now()
		go func() {
			_, _ = io.WriteString(client, "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\n")
		}()
		go func() {
			time.Sleep(unreadbody.Time / 10)
			if err := shutdown(t.Context()); err != nil {
				t.Error(err)
			}
		}()
		_, _ = io.Copy(io.Discard, client) // until the server closes
		if took := time.Since(began); took >= unreadbody.Time {
			t.Errorf("closed after %v", took)
		}
		close(l)
		<-served
		client.Close()
	})
}

// A program that is stopped before it listens does not fail.
func TestStoppedBefore(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	stop()
	for _, address := range []string{"127.0.0.1:0", "localhost:0"} { // the second is looked up
		if err := mcpcmd.Run(ctx, newServer(never), []string{"-http", address}, mcpcmd.WithOutput(io.Discard, io.Discard)); err != nil {
			t.Errorf("%s: %v", address, err)
		}
	}
}

// A connection without a request does not delay the shutdown: net/http would wait five seconds for
// its first request.
func TestUnusedConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server, shutdown := mcpcmd.NewHTTPServerToStop(t.Context(), newServer(never))
		l := make(pipes)
		served := make(chan error, 1)
		go func() { served <- server.Serve(l) }()
		client, far := net.Pipe()
		defer client.Close()
		l <- far
		synctest.Wait() // the connection has been accepted
		close(l)
		<-served
		began := time.Now()
		if err := shutdown(t.Context()); err != nil {
			t.Error(err)
		}
		if took := time.Since(began); took >= mcpcmd.ClosingTime/2 {
			t.Errorf("the end took %v", took)
		}
	})
}

// The header limit is far below the default of net/http.
func TestHeaderSize(t *testing.T) {
	r := serve(t, newServer(never), nil)
	for size, want := range map[int]int{mcpcmd.HeaderSize / 2: http.StatusOK, mcpcmd.HeaderSize - 2000: http.StatusOK, mcpcmd.HeaderSize + 8000: http.StatusRequestHeaderFieldsTooLarge} {
		req := request(t.Context(), r.url, "tools/list", "")
		req.Header.Set("X-Long", strings.Repeat("x", size))
		if status, _, err := r.answer(req); err != nil || status != want {
			t.Errorf("%d bytes: %d, %v, want %d", size, status, err, want)
		}
	}
}

// One connection too many is closed, and a new one is accepted after another one closes.
func TestConnections(t *testing.T) {
	const most = 3
	synctest.Test(t, func(t *testing.T) {
		server, end := mcpcmd.NewLimitedHTTPServer(t.Context(), newServer(never), most)
		l := make(pipes)
		served := make(chan error, 1)
		go func() { served <- server.Serve(l) }()
		open := func() (client net.Conn, err error) {
			client, far := net.Pipe()
			l <- far
			go func() { _, _ = io.WriteString(client, "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n") }()
			resp, err := http.ReadResponse(bufio.NewReader(client), nil)
			if err == nil {
				_, err = io.Copy(io.Discard, resp.Body)
			}
			return client, err
		}
		var clients []net.Conn
		for i := range 2 * most {
			client, err := open()
			if (err == nil) != (i < most) {
				t.Errorf("connection %d: %v", i, err)
			}
			clients = append(clients, client)
		}
		clients[0].Close()
		synctest.Wait()
		client, err := open()
		if err != nil {
			t.Errorf("after another one: %v", err)
		}
		close(l)
		<-served
		end()
		for _, c := range append(clients, client) {
			c.Close()
		}
	})
}

// Requests that are answered before their bodies have arrived do not delay the shutdown, which is
// graceful.
func TestStopWhileBodiesAreDue(t *testing.T) {
	wrap := func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/wrapped" {
				http.Error(w, "not here", http.StatusForbidden)
				return
			}
			next.ServeHTTP(w, r)
		})
	}
	for _, head := range []string{
		"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\n",
		"POST /sse HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\n",
		"POST /other HTTP/1.1\r\nHost: localhost\r\n",
		"POST //mcp HTTP/1.1\r\nHost: localhost\r\n",
		"POST /wrapped HTTP/1.1\r\nHost: localhost\r\n",
		"OPTIONS * HTTP/1.1\r\nHost: localhost\r\n",
		"POST /mcp HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\n",
		"POST /other HTTP/1.1\r\nHost: localhost\r\nExpect: nothing\r\n",
	} {
		t.Run(head[:strings.Index(head, "\r\n")], func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server, shutdown := mcpcmd.NewHTTPServerToStop(t.Context(), newServer(never), mcpcmd.WithHandler(wrap))
				l := make(pipes)
				served := make(chan error, 1)
				go func() { served <- server.Serve(l) }()
				client, far := net.Pipe()
				defer client.Close()
				l <- far
				if _, err := io.WriteString(client, head+"Content-Length: 1000\r\n\r\n"); err != nil {
					t.Fatal(err)
				}
				answer := bufio.NewReader(client)
				if _, err := answer.ReadString('\n'); err != nil { // the response began
					t.Fatal(err)
				}
				go func() { _, _ = io.Copy(io.Discard, answer) }()
				close(l)
				<-served
				began := time.Now()
				if err := shutdown(t.Context()); err != nil {
					t.Error(err)
				}
				if took, most := time.Since(began), unreadbody.Time+mcpcmd.ClosingTime; took > most {
					t.Errorf("the end has taken %v, want at most %v", took, most)
				}
			})
		})
	}
}
