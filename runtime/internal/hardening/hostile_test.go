package hardening_test

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/faulty"
	"github.com/mcpgen/mcpgen/runtime/internal/testbed"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpclient"
	"github.com/mcpgen/mcpgen/runtime/mcphttpclient"
	"github.com/mcpgen/mcpgen/runtime/mcpnet"
	"github.com/mcpgen/mcpgen/runtime/mcpws"
)

// hostileRow is an attack of servers on clients.
type hostileRow struct {
	name string // name of its tests
	what string // a short description
	here string // its outcome
	eras []era  // nil for both
	heap int64  // limit for the growth of the live heap in bytes; 0 for testbed.MaxHeap
	not  map[string]string
	// script returns the behavior of the server, see faulty.Server.
	script  func() func(*faulty.Server, *faulty.Message) bool
	options func(*mcpclient.Options) // nil for the defaults
	run     func(t *testing.T, h *hostile)
}

// hostileRows are all of them.
var hostileRows = slices.Concat(messageRows, limitRows, schemaRows, questionRows, taskRows)

// hostile is a hostile server with a client.
type hostile struct {
	transport string
	era       era
	target    mcpclient.Target
	options   mcpclient.Options
	client    *mcpclient.Client
	reported  atomic.Int32  // calls of OnProtocolError
	reports   chan struct{} // receives a value after such a call
}

// allTransports is for nightly runs: most rows test the same code on each transport.
var allTransports = flag.Bool("transports", false, "run each row over all its transports, also those that are enough on some before a merge")

// hostileTransports are the transports of the table, in the order of the tests.
var hostileTransports = []string{memory, httpLegacy, stdio, tcp, webSocket, httpModern, httpSSE}

const (
	hostileVariable = "HARDENING_HOSTILE" // names the row of a program
	hostileEra      = "HARDENING_ERA"
)

// TestHostileServers has a test for each row of the table and each transport.
func TestHostileServers(t *testing.T) {
	for _, row := range hostileRows {
		t.Run(row.name, func(t *testing.T) {
			if row.what == "" || row.here == "" {
				t.Error("the row is not complete")
			}
			tested := 0
			for _, transport := range hostileTransports {
				if row.not[transport] == "" && (row.has(transport, legacy) || row.has(transport, modern)) {
					tested++
				}
				if tested > 2 && !*allTransports {
					break
				}
				for _, e := range both {
					if !row.has(transport, e) {
						continue
					}
					t.Run(transport+"/"+string(e), func(t *testing.T) {
						if reason := row.not[transport]; reason != "" {
							t.Logf("does not apply: %s", reason)
							return
						}
						row.test(t, transport, e)
					})
				}
			}
		})
	}
}

// has reports whether a transport and a row support an era.
func (row hostileRow) has(transport string, e era) bool {
	if row.eras != nil && !slices.Contains(row.eras, e) {
		return false
	}
	switch transport {
	case httpModern:
		return e == modern
	case httpLegacy, httpSSE:
		return e == legacy
	}
	return true
}

func (row hostileRow) test(t *testing.T, transport string, e era) {
	goroutines, files := testbed.Goroutines(), testbed.OpenFiles()
	h := &hostile{transport: transport, era: e, reports: make(chan struct{}, 1)}
	h.options = mcpclient.Options{
		Eras:   noEras{},
		Limits: mcpclient.Limits{MessageBytes: 1 << 20, CloseTime: 500 * time.Millisecond},
		Retry:  mcpclient.Retry{Attempts: 2, First: time.Millisecond, Max: 10 * time.Millisecond},
		OnProtocolError: func(error) {
			h.reported.Add(1)
			select {
			case h.reports <- struct{}{}:
			default:
			}
		},
	}
	if row.options != nil {
		row.options(&h.options)
	}
	stop := h.serve(t, row)
	heap := testbed.WatchHeap()
	row.run(t, h)
	if h.client != nil {
		if err := h.client.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	}
	if grown, most := heap(), cmp.Or(row.heap, testbed.MaxHeap); grown > most {
		t.Errorf("the heap has grown by %d MiB, and may grow by %d", grown>>20, most>>20)
	}
	stop()
	testbed.WantNoMore(t, goroutines, files)
}

// noEras stores nothing, so that each test begins with a probe.
type noEras struct{}

func (noEras) Get(string) (mcpclient.Era, bool) { return mcpclient.Era{}, false }
func (noEras) Put(string, mcpclient.Era)        {}
func (noEras) Drop(string)                      {}

// serve starts the server, and sets the target.
func (h *hostile) serve(t *testing.T, row hostileRow) (stop func()) {
	server := row.server(h.era)
	switch h.transport {
	case stdio:
		exe, err := os.Executable()
		if err != nil {
			t.Fatal(err)
		}
		h.target = mcpclient.Command{Path: exe, Env: []string{
			programVariable + "=hostile", hostileVariable + "=" + row.name, hostileEra + "=" + string(h.era),
		}}
		return func() {}
	case memory:
		h.target = mcpclient.Dialer("memory", func(context.Context) (jsonrpc.Conn, error) {
			client, other := net.Pipe()
			go server.ServeStream(other)
			return jsonrpc.NewLineConn(client, client, h.options.Limits.MessageBytes), nil
		})
		return func() {}
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	serve := server.Serve
	h.target = mcpnet.Endpoint{Network: "tcp", Address: l.Addr().String()}
	if h.transport == webSocket {
		serve = server.ServeWebSocket
		h.target = mcpws.Endpoint{URL: "ws://" + l.Addr().String()}
	}
	if h.isHTTP() || h.transport == httpSSE {
		h.target = mcphttpclient.Endpoint{URL: "http://" + l.Addr().String() + "/mcp"}
		front := &http.Server{Handler: server, ErrorLog: log.New(io.Discard, "", 0)}
		if h.transport == httpSSE {
			h.target = mcphttpclient.Endpoint{URL: "http://" + l.Addr().String() + "/sse", SSE: mcphttpclient.SSEOnly}
			front.Handler = &faulty.SSE{Server: server}
		}
		go func() {
			defer close(done)
			_ = front.Serve(l) // returns after Close
		}()
		return func() {
			_ = front.Close()
			<-done
		}
	}
	go func() {
		defer close(done)
		serve(l)
	}()
	return func() {
		_ = l.Close() // which makes serve return
		<-done
	}
}

// isHTTP reports whether each call has a response of its own.
func (h *hostile) isHTTP() bool { return h.transport == httpLegacy || h.transport == httpModern }

func (row hostileRow) server(e era) *faulty.Server {
	script := row.script()
	server := &faulty.Server{Modern: e == modern}
	server.Script = func(m *faulty.Message) bool { return script(server, m) }
	return server
}

// hostileProgram serves a row on the standard streams.
func hostileProgram() int {
	i := slices.IndexFunc(hostileRows, func(r hostileRow) bool { return r.name == os.Getenv(hostileVariable) })
	hostileRows[i].server(era(os.Getenv(hostileEra))).ServeStream(struct {
		io.Reader
		io.Writer
		io.Closer
	}{os.Stdin, os.Stdout, closeBoth{}})
	return 0
}

// closeBoth closes the standard streams.
type closeBoth struct{}

func (closeBoth) Close() error {
	os.Exit(0) // closing standard input does not stop a read
	return nil
}

// connect connects, which must succeed.
func (h *hostile) connect(t *testing.T) *mcpclient.Client {
	t.Helper()
	c, err := mcpclient.Connect(t.Context(), h.target, h.options)
	if err != nil {
		t.Fatalf("Connect: %v", err)
	}
	h.client = c
	return c
}

// call calls the hostile tool.
func (h *hostile) call(t *testing.T, timeout time.Duration, arguments any) (*mcp.ToolResult, error) {
	t.Helper()
	return h.client.Call(t.Context(), "hostile", arguments, mcpclient.WithTimeout(timeout))
}

// works checks that the next call works.
func (h *hostile) works(t *testing.T, after string) {
	t.Helper()
	result, err := h.client.Call(t.Context(), "echo", nil, mcpclient.WithTimeout(20*time.Second))
	if err != nil || result.Text() != "right" {
		t.Errorf("the call after %s: %v", after, err)
	}
}

// wantError checks the type of an error.
func wantError[E error](t *testing.T, what string, err error) {
	t.Helper()
	if _, ok := errors.AsType[E](err); !ok {
		var none E
		t.Errorf("%s: %v (%T), want a %T", what, err, err, none)
	}
}
