package mcpcmd

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/logs"
	"github.com/mcpgen/mcpgen/runtime/internal/unreadbody"
	"github.com/mcpgen/mcpgen/runtime/mcphttp"
)

// Limits for connections. Package mcphttp further limits requests to the endpoints and responses,
// since a stream may be silent for a long time.
const (
	headerTime  = 10 * time.Second
	readTime    = time.Minute // for a whole request, at any path
	idleTime    = 2 * time.Minute
	headerBytes = 64 << 10
	mostRefused = unreadbody.Most

	mostConnections = 10_000
)

// closingTime limits the time for closing connections after their requests are answered.
const closingTime = 2 * time.Second

// The paths of the endpoints.
const (
	endpoint       = "/mcp"
	legacyEndpoint = "/sse"
)

// handler is one of the handlers of package mcphttp.
type handler interface {
	http.Handler
	Shutdown(ctx context.Context) error
	Close() error
}

// httpServer serves all endpoints over HTTP.
type httpServer struct {
	handlers []handler
	server   http.Server
	conns    connections
	bodies   unreadbody.Bodies
	running  running
}

// newHTTPServer returns the server of all endpoints. url is the address of streamable HTTP, for the
// page for browsers.
func (p *program) newHTTPServer(ctx context.Context, setups []HTTPSetup, url string) *httpServer {
	options, wraps := append(slices.Clip(p.http), p.flags.options()...), slices.Clip(p.wrap)
	for _, setup := range setups {
		options = append(options, setup.Options...)
		if setup.Wrap != nil {
			wraps = append(wraps, setup.Wrap)
		}
	}
	streamable := mcphttp.NewHandler(p.server, options...)
	legacy := mcphttp.NewSSEHandler(p.server, options...)
	mux := http.NewServeMux()
	page := func(next http.Handler) http.Handler {
		info := p.server.Info()
		return &pageFor{endpoint: streamable, next: next, name: info.Name, title: info.Title, about: info.Description, url: url}
	}
	mux.Handle(endpoint, page(streamable))
	mux.Handle(legacyEndpoint, legacy)
	mux.Handle("/{$}", page(http.HandlerFunc(notFound)))
	mux.HandleFunc("/", notFound)
	var root http.Handler = mux
	for _, wrap := range slices.Backward(wraps) {
		root = wrap(root)
	}
	// Calls may continue for a while after ctx is cancelled.
	values := context.WithoutCancel(ctx)
	s := &httpServer{
		handlers: []handler{streamable, legacy},
		server: http.Server{
			ReadHeaderTimeout: headerTime,
			ReadTimeout:       readTime,
			IdleTimeout:       idleTime,
			MaxHeaderBytes:    headerBytes,
			BaseContext:       func(net.Listener) context.Context { return values },
			// net/http would answer OPTIONS * itself, after reading the body.
			DisableGeneralOptionsHandler: true,
		},
	}
	s.bodies.Most = mostRefused
	s.server.Handler = s.closeUnread(root)
	s.conns.most = mostConnections
	s.server.ConnState = s.conns.onState
	return s
}

// closeUnread wraps all handlers, including middleware: middleware and [http.ServeMux] may respond
// before a body has been read.
func (s *httpServer) closeUnread(root http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.running.add(1)
		defer s.running.add(-1)
		body, returned := s.bodies.Begin(w, r, 0), false
		defer func() { body.End(returned) }()
		root.ServeHTTP(w, r)
		returned = true
	})
}

// notFound responds at all other paths.
func notFound(w http.ResponseWriter, _ *http.Request) {
	unreadbody.Error(w, "not found: the MCP endpoint of this server is "+endpoint+
		" (streamable HTTP), and "+legacyEndpoint+" for clients of revision 2024-11-05", http.StatusNotFound)
}

func (p *program) serveHTTP(ctx context.Context) error {
	l, err := listen(ctx, p.flags.address)
	switch {
	case err == nil:
	case ctx.Err() != nil:
		return nil // stopped before serving began
	default:
		return err
	}
	defer func() { _ = l.Close() }() // http.Server closes it, too
	secure := p.flags.tls.Cert != ""
	serving := HTTPServing{
		URL: endpointURL(p.flags.address, l.Addr(), secure), Loopback: isLoopback(l.Addr()), ClientCA: p.flags.tls.ClientCA,
	}
	setups, err := p.flags.setUp(serving)
	if err != nil {
		return err
	}
	callers := p.callers(setups)
	logger := logs.New(p.server.Transport().Log())
	config, err := tlsConfig(&p.flags.tls, logger, callers != "")
	if err != nil {
		return err
	}
	s := p.newHTTPServer(ctx, setups, serving.URL)
	defer s.close()
	serve := s.server.Serve
	if config != nil {
		s.server.TLSConfig, s.server.ErrorLog = config, newErrorLog(logger)
		serve = func(l net.Listener) error { return s.server.ServeTLS(l, "", "") }
	}
	p.announce("at " + serving.URL)
	p.announceCallers(callers)
	p.warn(l.Addr(), secure, callers != "" || serving.ClientCA != "")
	if p.ready != nil {
		p.ready(serving.URL)
	}
	served := make(chan error, 1)
	go func() { served <- serve(l) }()
	select {
	case err := <-served:
		return fmt.Errorf("serve over HTTP at %s: %w", l.Addr(), err)
	case <-ctx.Done():
	}
	err = p.stop(ctx, s)
	if end := <-served; err == nil && !errors.Is(end, http.ErrServerClosed) {
		err = fmt.Errorf("serve over HTTP at %s: %w", l.Addr(), end)
	}
	return err
}

// stop shuts down gracefully, within DrainTime.
func (p *program) stop(ctx context.Context, s *httpServer) error {
	drain := p.server.Transport().Limits().DrainTime
	again := ""
	if _, ok := errors.AsType[signalError](context.Cause(ctx)); ok {
		again = "; a second signal ends it at once"
	}
	slow := time.AfterFunc(time.Second, func() {
		fmt.Fprintf(p.stderr, "%s: stopping: calls that run may go on for %v%s\n", command(), drain, again)
	})
	defer slow.Stop()
	deadline, cancel := context.WithTimeout(context.WithoutCancel(ctx), drain)
	defer cancel()
	if errors.Join(s.shutdown(deadline), p.server.Transport().EndTasks(deadline)) == nil {
		return nil
	}
	return fmt.Errorf("stop: calls that had not ended after %v were cut off", drain)
}

// shutdown shuts down the handlers first, because the server would wait for their open streams.
// Connections that remain when all requests are answered belong to clients that do not read, or
// that send nothing more: shutdown does not wait for them.
func (s *httpServer) shutdown(ctx context.Context) error {
	errs := make([]error, len(s.handlers))
	var all sync.WaitGroup
	for i, h := range s.handlers {
		all.Go(func() { errs[i] = h.Shutdown(ctx) })
	}
	all.Wait()
	s.conns.closeUnused()
	s.bodies.Close()
	closed := make(chan struct{})
	closing, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		defer close(closed)
		_ = s.server.Shutdown(closing) // closing ends its wait for connections
	}()
	if err := s.running.wait(ctx); err != nil {
		errs = append(errs, err)
	}
	late := time.AfterFunc(closingTime, cancel)
	defer late.Stop()
	<-closed
	return errors.Join(errs...)
}

func (s *httpServer) close() {
	for _, h := range s.handlers {
		_ = h.Close()
	}
	_ = s.server.Close()
}
