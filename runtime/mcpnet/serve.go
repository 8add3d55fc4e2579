package mcpnet

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/link"
	"github.com/mcpgen/mcpgen/runtime/internal/logs"
	"github.com/mcpgen/mcpgen/runtime/internal/share"
	"github.com/mcpgen/mcpgen/runtime/internal/usercode"
	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// handshakeTime is how long TLS and [WithPrincipal] may take.
const handshakeTime = 10 * time.Second

// Serve accepts connections and answers the clients at their other ends, each by
// its own goroutines, until ctx ends. Then it accepts and reads nothing more, waits
// until the requests that run are answered, up to the server's mcp.Limits.DrainTime,
// closes the connections and returns nil. If no connection can be accepted any more
// it ends the same way and returns why; errors that pass, such as too many open
// files, it waits out. It closes the listener in any case.
//
// The values of ctx are seen by calls, its end is not: they end with their
// connection.
//
// What a client that ends its input, or only its writing side, has asked for is
// answered before the connection is closed; what a client has asked for whose
// connection breaks is cancelled.
func Serve(ctx context.Context, s *mcp.Server, l net.Listener, options ...Option) error {
	host := link.Of(s)
	service := &service{
		server: s, limit: host.Limits().MessageBytes, log: logs.New(host.Log()), most: DefaultConnections,
		first: host.Limits().FirstMessageTime, conns: map[*conn]share.Client{}, count: share.Table{},
	}
	for _, option := range options {
		option(service)
	}
	if service.each == 0 {
		service.each = share.Quarter(service.most)
	}
	stop := context.AfterFunc(ctx, func() { _ = l.Close() })
	defer stop()
	err := service.accept(ctx, l)
	_ = l.Close()
	service.drain()
	return err
}

// service is what happens at one listener.
type service struct {
	server   *mcp.Server
	limit    int // bytes of a message
	log      *logs.Log
	most     int           // connections
	each     int           // connections of one client
	first    time.Duration // until the first message
	identify func(net.Conn) (mcp.Principal, error)

	running sync.WaitGroup
	mu      sync.Mutex
	conns   map[*conn]share.Client // and for whom each counts
	count   share.Table
	full    bool // and the log says so
}

// accept accepts connections until ctx ends or the listener fails.
func (s *service) accept(ctx context.Context, l net.Listener) error {
	var delay time.Duration
	for {
		c, err := l.Accept()
		switch {
		case err == nil:
			delay = 0
			s.take(ctx, c)
		case ctx.Err() != nil:
			return nil
		case passes(err):
			delay = min(max(2*delay, 5*time.Millisecond), time.Second)
			s.log.Client(ctx, slog.LevelWarn, "connection not accepted", slog.Any("error", err), slog.Duration("again_in", delay))
			if !sleep(ctx, delay) {
				return nil
			}
		default:
			return fmt.Errorf("accept connection: %w", err)
		}
	}
}

// passes reports whether an error of Accept says nothing about the next one.
func passes(err error) bool {
	var t interface{ Temporary() bool }
	return errors.As(err, &t) && t.Temporary()
}

// sleep reports whether the time is over before the context is.
func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// take serves a connection, unless there are too many.
func (s *service) take(ctx context.Context, nc net.Conn) {
	c := newConn(nc, s.limit)
	client := share.Of("", addressOf(nc))
	s.mu.Lock()
	if s.count[client] >= s.each && len(s.conns) < s.most {
		s.mu.Unlock()
		_ = nc.Close()
		s.log.Client(ctx, slog.LevelWarn, "connection refused: its client has as many as WithConnectionsPerClient allows",
			slog.String("client", client.String()), slog.Int("connections", s.each))
		return
	}
	if len(s.conns) >= s.most {
		first := !s.full
		s.full = true
		s.mu.Unlock()
		_ = nc.Close()
		if first {
			s.log.Client(ctx, slog.LevelWarn, "connections are refused: as many as WithConnections allows are open", slog.Int("connections", s.most))
		}
		return
	}
	s.conns[c] = client
	s.count.Add(client)
	s.mu.Unlock()
	s.running.Go(func() {
		defer s.leave(c)
		s.serve(context.WithoutCancel(ctx), c)
	})
}

func (s *service) leave(c *conn) {
	_ = c.Close()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.count.Remove(s.conns[c])
	delete(s.conns, c)
	s.full = false
}

var errShare = errors.New("the principal has as many connections as WithConnectionsPerClient allows")

// known has a connection count for its principal in the place of its address. It reports
// false if that has too many.
func (s *service) known(c *conn, principal string) bool {
	client := share.Of(principal, addressOf(c.net))
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case client == s.conns[c]:
		return true
	case s.count[client] >= s.each:
		return false
	}
	s.count.Remove(s.conns[c])
	s.count.Add(client)
	s.conns[c] = client
	return true
}

// addressOf returns the IP address at the other end of a connection, the zero one where
// there is none.
func addressOf(c net.Conn) netip.Addr {
	a := c.RemoteAddr()
	if a == nil {
		return netip.Addr{}
	}
	return share.Address(a.String())
}

// serve answers one client.
func (s *service) serve(ctx context.Context, c *conn) {
	who, err := s.greet(ctx, c)
	if err == nil {
		err = s.server.Serve(mcp.AddressContext(mcp.CallerContext(ctx, who, nil), addressOf(c.net)), c)
	}
	transport, client := slog.String("transport", c.net.LocalAddr().Network()), slog.String("client", c.net.RemoteAddr().String())
	switch {
	case err == nil, c.isDraining():
		s.log.Client(ctx, slog.LevelDebug, "connection ended", transport, client)
	default:
		s.log.Client(ctx, slog.LevelInfo, "connection failed", transport, client, slog.Any("error", err))
	}
}

// greet does what comes before the first message.
func (s *service) greet(ctx context.Context, c *conn) (who mcp.Principal, err error) {
	if err := c.allow(time.Now().Add(handshakeTime)); err != nil {
		return who, err
	}
	if secure, ok := c.net.(interface{ HandshakeContext(context.Context) error }); ok {
		if err := secure.HandshakeContext(ctx); err != nil {
			return who, fmt.Errorf("negotiate TLS: %w", err)
		}
	}
	if s.identify != nil {
		if who, err = s.principal(c.net); err != nil {
			return who, fmt.Errorf("identify client: %w", err)
		}
		if !s.known(c, who.ID) {
			return who, errShare
		}
	}
	return who, c.await(s.first)
}

// principal survives what users have written.
func (s *service) principal(c net.Conn) (who mcp.Principal, err error) {
	usercode.Call(func() { who, err = s.identify(c) }, func(e usercode.Failure) {
		s.log.Program(context.Background(), slog.LevelError, "panic in the function of WithPrincipal", e.Attrs()...)
		who, err = mcp.Principal{}, errors.New("panic")
	})
	return who, err
}

// drain lets all connections end.
func (s *service) drain() {
	s.mu.Lock()
	for c := range s.conns {
		c.drain()
	}
	s.mu.Unlock()
	s.running.Wait()
}
