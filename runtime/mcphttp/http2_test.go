package mcphttp_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/mcpgen/mcpgen/internal/proof/spec"
	"github.com/mcpgen/mcpgen/runtime/internal/testbed"
	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcphttp"
)

// Most tests of this package also run over HTTP/2 without TLS. The tests of this file concern
// HTTP/2 itself, and real sockets.

// All streams share one connection, and do not delay each other.
func TestManyStreamsOfOneConnection(t *testing.T) {
	serve(t, setup{http2: true}, func(t *testing.T, s *testServer) {
		x := s.open(revisionD)
		var open []*response
		var calls []*testbed.ScriptedCall
		for i := range 40 {
			p := s.Script(fmt.Sprint("p", i))
			calls = append(calls, p)
			if i%2 == 0 {
				open = append(open, s.start(callScripted(p).withID("1").post()))
			} else {
				open = append(open, x.start(callScripted(p).withID(fmt.Sprint(i)).legacy()))
			}
			p.Started()
			p.Progress(1)
		}
		standalone := x.listen()
		for i, a := range open {
			a.wantStream().wantMessages("notifications/progress")
			if a.proto != "HTTP/2.0" {
				t.Fatalf("the protocol is %s", a.proto)
			}
			if i == 10 {
				a.disconnect() // does not close the connection
				if err := calls[i].Ended(); !errors.Is(err, mcp.ErrCancelled) {
					t.Errorf("the cause is %v", err)
				}
			}
		}
		for i, p := range calls {
			if i != 10 {
				p.Return("done")
				open[i].wantEnd()
			}
		}
		standalone.wantOpen()
		if n := s.network.Dialed(); n != 1 {
			t.Errorf("%d connections", n)
		}
	})
}

// A stream that the client does not read delays only its own handler.
func TestStreamThatIsNotRead(t *testing.T) {
	serve(t, setup{http2: true, noisy: true}, func(t *testing.T, s *testServer) {
		p := s.Script("p")
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		resp, err := func() (*http.Response, error) {
			r := callScripted(p).withMeta(`"io.modelcontextprotocol/logLevel":"info"`).post().build(ctx, t)
			go func() {
				p.Started()
				p.Log("hello")
			}()
			return s.client.Do(r)
		}()
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		stuck := make(chan int, 1)
		p.Begin(func(ctx context.Context) *mcp.ToolResult {
			n := 0
			for ; n < 10_000 && ctx.Err() == nil; n++ {
				mcp.Logger(ctx).Info(strings.Repeat("x", 10_000))
			}
			stuck <- n
			return nil
		})
		s.do(call("echo", "{}").post()).wantResult("1")
		s.open(revisionD).do(call("large", `{"n":1000000}`).legacy()).wantResult("1")
		if n := testbed.Await(t, stuck, "the handler to be given up"); n >= 10_000 {
			t.Errorf("the handler has written %d messages to a client that does not read", n)
		}
	})
}

// serveReal runs f against a server on a loopback socket.
func serveReal(t *testing.T, tls bool, f func(t *testing.T, s *mcp.Server, h *mcphttp.Handler, url string, c *http.Client)) {
	t.Helper()
	fixture := newFixture(t)
	defer fixture.End()
	h := mcphttp.NewHandler(fixture.Server)
	server := httptest.NewUnstartedServer(spec.NewTap(t).Handler(h))
	if tls {
		server.EnableHTTP2 = true
		server.StartTLS()
	} else {
		server.Start()
	}
	defer server.Close()
	defer h.Close()
	f(t, fixture.Server, h, server.URL, server.Client())
}

// Over real sockets, with TLS and HTTP/2 and without, many concurrent clients get their own
// replies.
func TestRealSockets(t *testing.T) {
	for _, tls := range []bool{false, true} {
		t.Run(fmt.Sprintf("TLS=%t", tls), func(t *testing.T) {
			serveReal(t, tls, func(t *testing.T, _ *mcp.Server, _ *mcphttp.Handler, url string, c *http.Client) {
				var wg sync.WaitGroup
				for client := range 8 {
					wg.Go(func() {
						for i := range 20 {
							text := fmt.Sprintf(`{"client":%d,"call":%d}`, client, i)
							if got, err := exchange(t, c, url, call("echo", text).post()); err != nil || !strings.Contains(got, fmt.Sprintf(`{\"client\":%d,\"call\":%d}`, client, i)) {
								t.Errorf("call %s: %v %s", text, err, got)
							}
							got, err := exchange(t, c, url, call("steps", `{"n":3}`).post())
							if err != nil || strings.Count(got, "notifications/progress") != 3 || !strings.Contains(got, `"done"`) {
								t.Errorf("steps: %v %s", err, got)
							}
						}
					})
				}
				wg.Wait()
				resp, err := c.Get(url)
				if err != nil {
					t.Fatal(err)
				}
				resp.Body.Close()
				if want := 1; tls && resp.ProtoMajor != 2 || !tls && resp.ProtoMajor != want {
					t.Errorf("the protocol is %s", resp.Proto)
				}
			})
		})
	}
}

func exchange(t *testing.T, c *http.Client, url string, r request) (string, error) {
	r.url = url
	resp, err := c.Do(r.build(t.Context(), t))
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode != 200 {
		err = errors.New(resp.Status)
	}
	return string(body), err
}

// A listen over a real socket ends with its result at Shutdown. Then the HTTP server can shut down.
func TestRealShutdown(t *testing.T) {
	for _, tls := range []bool{false, true} {
		t.Run(fmt.Sprintf("TLS=%t", tls), func(t *testing.T) {
			serveReal(t, tls, func(t *testing.T, _ *mcp.Server, h *mcphttp.Handler, url string, c *http.Client) {
				r := listen("7", `"toolsListChanged":true`).post()
				r.url = url
				resp, err := c.Do(r.build(t.Context(), t))
				if err != nil {
					t.Fatal(err)
				}
				defer resp.Body.Close()
				if err := h.Shutdown(t.Context()); err != nil {
					t.Errorf("shut down: %v", err)
				}
				body, err := io.ReadAll(resp.Body)
				if err != nil || !strings.Contains(string(body), "acknowledged") || !strings.Contains(string(body), `"id":7,"result"`) {
					t.Errorf("the listen ends with %v after %s", err, body)
				}
			})
		})
	}
}
