package mcpws_test

import (
	"log"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/mcpgen/mcpgen/runtime/internal/membudget"
	"github.com/mcpgen/mcpgen/runtime/internal/testbed"
	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpws"
)

// setup configures a testServer. The zero value is a handler with its defaults.
type setup struct {
	server  []mcp.Option
	handler []mcpws.Option
	wrap    func(http.Handler) http.Handler // middleware
	local   net.Addr                        // of the listener; nil: 127.0.0.1:8080
	http2   bool
}

// testServer is a handler behind a server of net/http, on a network in memory and in a bubble of
// synctest.
type testServer struct {
	t       *testing.T
	network *testbed.Pipes
	handler *mcpws.Handler
	mcp     *mcp.Server
	memory  *membudget.Budget
	http    *http.Server
	log     testbed.Log
	tools   *testbed.Tools
}

// serve runs f in a bubble with a testServer.
func serve(t *testing.T, c setup, f func(t *testing.T, s *testServer)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := newTestServer(t, c)
		defer s.close()
		f(t, s)
	})
}

func newTestServer(t *testing.T, c setup) *testServer {
	s := &testServer{t: t, network: testbed.NewPipes(c.local)}
	server, tools := testbed.NewServer(append([]mcp.Option{mcp.WithLogger(s.log.Logger())}, c.server...)...)
	s.tools = tools
	s.mcp, s.memory = server, server.Transport().Memory()
	s.handler = mcpws.NewHandler(server, c.handler...)
	var h http.Handler = s.handler
	if c.wrap != nil {
		h = c.wrap(h)
	}
	var protocols http.Protocols
	protocols.SetHTTP1(!c.http2)
	protocols.SetUnencryptedHTTP2(c.http2)
	s.http = &http.Server{Handler: h, Protocols: &protocols, ErrorLog: log.New(&s.log, "http: ", 0)}
	go s.http.Serve(s.network)
	return s
}

func (s *testServer) close() {
	s.handler.Close()
	s.http.Close()
	synctest.Wait()
	if used := s.memory.Used(); used != 0 {
		s.t.Errorf("%d bytes are charged at the end", used)
	}
	if text := s.log.String(); strings.Contains(text, "http: ") {
		s.t.Errorf("the HTTP server reports errors: %s", text)
	}
}

// pong returns the frame with the reply to a ping request.
func pong(id int) string { return "text " + testbed.Pong(id) }
