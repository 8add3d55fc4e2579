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

	"github.com/mcpgen/mcpgen/runtime/internal/link"
	"github.com/mcpgen/mcpgen/runtime/internal/unread"
	"github.com/mcpgen/mcpgen/runtime/mcphttp"
)

// The limits of connections. Requests to the endpoints, and answers, have those of
// package mcphttp besides, since a stream may be quiet for long.
const (
	headerTime  = 10 * time.Second
	readTime    = time.Minute // for a whole request, to whatever path
	idleTime    = 2 * time.Minute
	headerBytes = 64 << 10
	mostRefused = unread.Most

	mostConnections = 10_000
)

// closingTime is how long the server may take to close connections whose requests are
// answered.
const closingTime = 2 * time.Second

// Where the endpoints are.
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

// site is what is served over HTTP.
type site struct {
	handlers []handler
	server   http.Server
	conns    connections
	bodies   unread.Bodies
	running  running
}

func (p *program) newSite(ctx context.Context) *site {
	options := append(slices.Clip(p.http), p.flags.options()...)
	streamable := mcphttp.NewHandler(p.server, options...)
	legacy := mcphttp.NewSSEHandler(p.server, options...)
	mux := http.NewServeMux()
	mux.Handle(endpoint, streamable)
	mux.Handle(legacyEndpoint, legacy)
	mux.HandleFunc("/", notFound)
	var root http.Handler = mux
	for _, wrap := range slices.Backward(p.wrap) {
		root = wrap(root)
	}
	// Calls may go on for a while after ctx has ended.
	values := context.WithoutCancel(ctx)
	s := &site{
		handlers: []handler{streamable, legacy},
		server: http.Server{
			ReadHeaderTimeout: headerTime,
			ReadTimeout:       readTime,
			IdleTimeout:       idleTime,
			MaxHeaderBytes:    headerBytes,
			BaseContext:       func(net.Listener) context.Context { return values },
			// OPTIONS * would be answered without the handler, and when its body has come.
			DisableGeneralOptionsHandler: true,
		},
	}
	s.bodies.Most = mostRefused
	s.server.Handler = s.within(root)
	s.conns.most = mostConnections
	s.server.ConnState = s.conns.state
	return s
}

// within lies around everything, middleware included, which may answer before a body has
// been read, as may [http.ServeMux].
func (s *site) within(root http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.running.add(1)
		defer s.running.add(-1)
		body, returned := s.bodies.Begin(w, r, 0), false
		defer func() { body.End(returned) }()
		root.ServeHTTP(w, r)
		returned = true
	})
}

// notFound answers at every other path.
func notFound(w http.ResponseWriter, _ *http.Request) {
	unread.Error(w, "not found: the MCP endpoint of this server is "+endpoint+
		" (streamable HTTP), and "+legacyEndpoint+" for clients of revision 2024-11-05", http.StatusNotFound)
}

func (p *program) serveHTTP(ctx context.Context) error {
	s := p.newSite(ctx)
	defer s.close()
	l, err := listen(ctx, p.flags.address)
	switch {
	case err == nil:
	case ctx.Err() != nil:
		return nil // it was told to stop before it had begun
	default:
		return err
	}
	url := endpointURL(p.flags.address, l.Addr())
	p.announce("at " + url)
	p.warn(l.Addr())
	if p.ready != nil {
		p.ready(url)
	}
	served := make(chan error, 1)
	go func() { served <- s.server.Serve(l) }()
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

// stop ends the serving in good order, if that can be done in time.
func (p *program) stop(ctx context.Context, s *site) error {
	within := link.Of(p.server).Limits().DrainTime
	again := ""
	if _, ok := errors.AsType[signalError](context.Cause(ctx)); ok {
		again = "; a second signal ends it at once"
	}
	slow := time.AfterFunc(time.Second, func() {
		fmt.Fprintf(p.stderr, "%s: stopping: calls that run may go on for %v%s\n", command(), within, again)
	})
	defer slow.Stop()
	deadline, cancel := context.WithTimeout(context.WithoutCancel(ctx), within)
	defer cancel()
	if s.shutdown(deadline) == nil {
		return nil
	}
	return fmt.Errorf("stop: calls that had not ended after %v were cut off", within)
}

// shutdown ends the handlers first: the server would wait for their standing
// streams. When all requests are answered, connections that the server still has are of
// clients that do not read, or send nothing more: they are not waited for.
func (s *site) shutdown(ctx context.Context) error {
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
		_ = s.server.Shutdown(closing) // it waits for connections, which are looked at above
	}()
	if err := s.running.wait(ctx); err != nil {
		errs = append(errs, err)
	}
	late := time.AfterFunc(closingTime, cancel)
	defer late.Stop()
	<-closed
	return errors.Join(errs...)
}

func (s *site) close() {
	for _, h := range s.handlers {
		_ = h.Close()
	}
	_ = s.server.Close()
}
