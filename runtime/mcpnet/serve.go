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

	"github.com/mcpgen/mcpgen/runtime/internal/clientlimit"
	"github.com/mcpgen/mcpgen/runtime/internal/logs"
	"github.com/mcpgen/mcpgen/runtime/internal/usercode"
	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// handshakeTime limits the duration of the TLS handshake and [WithPrincipal].
const handshakeTime = 10 * time.Second

// Serve accepts connections and serves them concurrently, until ctx is done. Then it accepts no
// further connections and reads no further messages, waits until the requests in progress are
// answered, up to the server's mcp.Limits.DrainTime, closes the connections and returns nil. If the
// listener fails, Serve ends in the same way and returns the error. After a temporary error, such
// as too many open files, it tries again. It always closes the listener.
//
// The contexts of calls contain the values of ctx, but end with their connection instead of ctx.
//
// If a client closes its write side, its requests are answered before the connection is closed. If
// a connection breaks, its requests are cancelled.
func Serve(ctx context.Context, s *mcp.Server, l net.Listener, options ...Option) error {
	host := s.Transport()
	service := &service{
		server: s, limit: host.Limits().MessageBytes, log: logs.New(host.Log()), limits: defaultLimits,
		firstMessageTime: host.Limits().FirstMessageTime, conns: map[*conn]clientlimit.Client{}, perClient: clientlimit.Table{},
	}
	for _, option := range options {
		option(service)
	}
	service.each = clientlimit.Share(service.limits.Connections, host.Limits().ClientShare)
	stop := context.AfterFunc(ctx, func() { _ = l.Close() })
	defer stop()
	err := service.accept(ctx, l)
	_ = l.Close()
	service.drain()
	return err
}

// service is one call of Serve.
type service struct {
	server           *mcp.Server
	limit            int // maximum bytes of a message
	log              *logs.Log
	limits           Limits
	each             int // maximum connections of one client
	firstMessageTime time.Duration
	identify         func(net.Conn) (mcp.Principal, error)

	running   sync.WaitGroup
	mu        sync.Mutex
	conns     map[*conn]clientlimit.Client // with the client under which each is counted
	perClient clientlimit.Table
	refusing  bool // connections are being refused, which was logged once
}

// accept accepts connections until ctx is done or the listener fails.
func (s *service) accept(ctx context.Context, l net.Listener) error {
	var delay time.Duration
	for {
		c, err := l.Accept()
		switch {
		case err == nil:
			delay = 0
			s.handle(ctx, c)
		case ctx.Err() != nil:
			return nil
		case isTemporary(err):
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

// isTemporary reports whether Accept may be tried again.
func isTemporary(err error) bool {
	var t interface{ Temporary() bool }
	return errors.As(err, &t) && t.Temporary()
}

// sleep reports whether the time is over before the context is done.
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

// handle serves a connection, unless the limit is reached.
func (s *service) handle(ctx context.Context, nc net.Conn) {
	c := newConn(nc, s.limit)
	client := clientlimit.Of("", addressOf(nc))
	s.mu.Lock()
	if s.perClient[client] >= s.each && len(s.conns) < s.limits.Connections {
		s.mu.Unlock()
		s.log.Client(ctx, slog.LevelWarn, "connection refused: its client has its share of Limits.Connections, which is mcp.Limits.ClientShare",
			slog.String("client", client.String()), slog.Int("connections", s.each))
		_ = nc.Close()
		return
	}
	if len(s.conns) >= s.limits.Connections {
		first := !s.refusing
		s.refusing = true
		s.mu.Unlock()
		if first {
			s.log.Client(ctx, slog.LevelWarn, "connections refused: Limits.Connections is reached", slog.Int("connections", s.limits.Connections))
		}
		_ = nc.Close()
		return
	}
	s.conns[c] = client
	s.perClient.Add(client)
	s.mu.Unlock()
	s.running.Go(func() {
		defer s.remove(c)
		s.serve(context.WithoutCancel(ctx), c)
	})
}

func (s *service) remove(c *conn) {
	_ = c.Close()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.perClient.Remove(s.conns[c])
	delete(s.conns, c)
	s.refusing = false
}

var errTooManyOfPrincipal = errors.New("the principal has its share of Limits.Connections, which is mcp.Limits.ClientShare")

// countForPrincipal counts a connection for its principal instead of its address. It reports
// whether the principal's limit allows it.
func (s *service) countForPrincipal(c *conn, principal string) bool {
	client := clientlimit.Of(principal, addressOf(c.net))
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case client == s.conns[c]:
		return true
	case s.perClient[client] >= s.each:
		return false
	}
	s.perClient.Remove(s.conns[c])
	s.perClient.Add(client)
	s.conns[c] = client
	return true
}

// addressOf returns the IP address of the other side, or the zero Addr if it has none.
func addressOf(c net.Conn) netip.Addr {
	a := c.RemoteAddr()
	if a == nil {
		return netip.Addr{}
	}
	return clientlimit.Address(a.String())
}

// networkOf returns the network of an address, or "".
func networkOf(a net.Addr) string {
	if a == nil {
		return ""
	}
	return a.Network()
}

// textOf returns an address as text, or "".
func textOf(a net.Addr) string {
	if a == nil {
		return ""
	}
	return a.String()
}

// serve serves one connection.
func (s *service) serve(ctx context.Context, c *conn) {
	who, err := s.handshake(ctx, c)
	if err == nil {
		err = s.server.Serve(mcp.AddressContext(mcp.CallerContext(ctx, who, nil), addressOf(c.net)), c)
	}
	transport, client := slog.String("transport", networkOf(c.net.LocalAddr())), slog.String("client", textOf(c.net.RemoteAddr()))
	switch {
	case err == nil, c.isDraining():
		s.log.Client(ctx, slog.LevelDebug, "connection ended", transport, client)
	default:
		s.log.Client(ctx, slog.LevelInfo, "connection failed", transport, client, slog.Any("error", err))
	}
}

// handshake performs the steps before the first message: TLS and [WithPrincipal].
func (s *service) handshake(ctx context.Context, c *conn) (who mcp.Principal, err error) {
	if err := c.setDeadline(time.Now().Add(handshakeTime)); err != nil {
		return who, err
	}
	if secure, ok := c.net.(interface{ HandshakeContext(context.Context) error }); ok {
		if err := secure.HandshakeContext(ctx); err != nil {
			return who, fmt.Errorf("negotiate TLS: %w", err)
		}
	}
	if s.identify != nil {
		if who, err = s.identifyClient(c.net); err != nil {
			return who, fmt.Errorf("identify client: %w", err)
		}
		if !s.countForPrincipal(c, who.ID) {
			return who, errTooManyOfPrincipal
		}
	}
	return who, c.startFirstMessageTime(s.firstMessageTime)
}

// identifyClient calls the function of [WithPrincipal] and recovers its panics.
func (s *service) identifyClient(c net.Conn) (who mcp.Principal, err error) {
	usercode.Call(func() { who, err = s.identify(c) }, func(e usercode.Failure) {
		s.log.Program(context.Background(), slog.LevelError, "panic in the function of WithPrincipal", e.Attrs()...)
		who, err = mcp.Principal{}, errors.New("function of WithPrincipal failed")
	})
	return who, err
}

// drain drains all connections and waits for their end.
func (s *service) drain() {
	s.mu.Lock()
	for c := range s.conns {
		c.drain()
	}
	s.mu.Unlock()
	s.running.Wait()
}
