package mcpws

import (
	"context"
	"log/slog"
	"net/http"
	"net/netip"
	"sync"
	"time"

	"github.com/coder/websocket"

	"github.com/mcpgen/mcpgen/runtime/internal/access"
	"github.com/mcpgen/mcpgen/runtime/internal/clientlimit"
	"github.com/mcpgen/mcpgen/runtime/internal/logs"
	"github.com/mcpgen/mcpgen/runtime/internal/membudget"
	"github.com/mcpgen/mcpgen/runtime/internal/unreadbody"
	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// upgradeTime limits the time in which the client must read the response to the upgrade.
const upgradeTime = 10 * time.Second

// maxRefused limits the refused requests whose remaining body is read at the same time.
const maxRefused = unreadbody.Most

// Handler upgrades requests to WebSocket connections and serves them. Its methods are safe for
// concurrent use.
type Handler struct {
	server           *mcp.Server
	limit            int // maximum bytes of a message
	memory           *membudget.Budget
	log              *logs.Log
	policy           *access.Policy
	hosts, origins   []string
	identify         func(*http.Request) (mcp.Principal, error)
	address          func(*http.Request) netip.Addr
	ping             time.Duration
	limits           Limits
	each             int // maximum connections of one client
	firstMessageTime time.Duration
	compression      websocket.CompressionMode
	bodies           unreadbody.Bodies // bodies of refused requests

	mu        sync.Mutex
	conns     map[*conn]clientlimit.Client // with the client under which each is counted
	perClient clientlimit.Table
	closing   bool
	drained   chan struct{} // closed when the handler is closing and has no connections left
}

// NewHandler returns the handler of a server. The server's mcp.Limits.MessageBytes limits the size
// of a message. A longer message is answered with an error, and the connection stays open.
// NewHandler panics if an allowed host or origin is invalid.
func NewHandler(s *mcp.Server, options ...Option) *Handler {
	host := s.Transport()
	h := &Handler{
		server: s, limit: host.Limits().MessageBytes, memory: host.Memory(), log: logs.New(host.Log()),
		ping: defaultPing, limits: defaultLimits, compression: websocket.CompressionDisabled,
		firstMessageTime: host.Limits().FirstMessageTime,
		conns:            map[*conn]clientlimit.Client{}, perClient: clientlimit.Table{}, drained: make(chan struct{}),
	}
	for _, option := range options {
		option(h)
	}
	h.each = clientlimit.Share(h.limits.Connections, host.Limits().ClientShare)
	policy, err := access.New(h.hosts, h.origins)
	if err != nil {
		panic("mcpws: " + err.Error())
	}
	h.policy = policy
	h.bodies.Most = maxRefused
	return h
}

// ServeHTTP upgrades the request to a connection, and returns when the connection is closed.
//
// It refuses requests with these statuses: 405 if the method is not GET; 403 if the Host or Origin
// is not allowed; 401 if [WithPrincipal] returns an error; 426 and 400 if the request is not an
// upgrade, has a body, or offers subprotocols without "mcp"; 503 if there are too many connections
// or the memory limit of the server is reached (mcp.Limits.Memory). A client that offers no
// subprotocol is served without one.
//
// The request context is the parent of the contexts of all calls. Calls end with the connection:
// when the client closes it, when it breaks, or when the handler is closed. A binary frame closes
// the connection with status 1003.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	// Only refused requests have a body, which no handler reads.
	body, returned := h.bodies.Begin(w, r, upgradeTime), false
	defer func() { body.End(returned) }()
	h.serve(w, r)
	returned = true
}

func (h *Handler) serve(w http.ResponseWriter, r *http.Request) {
	who, refusal := h.checkRequest(w, r)
	if refusal != nil {
		h.refuse(w, r, refusal)
		return
	}
	hijacker, refusal := hijackerOf(w, r)
	if refusal != nil {
		h.refuse(w, r, refusal)
		return
	}
	ctx, cancel := context.WithCancelCause(mcp.AddressContext(mcp.CallerContext(r.Context(), who.principal, r.Header), who.address))
	defer cancel(mcp.ErrConnectionClosed)
	c := newConn(serverSide, h.limit, h.memory, cancel)
	if refusal := h.add(c, clientlimit.Of(who.principal.ID, who.address)); refusal != nil {
		h.refuse(w, r, refusal)
		return
	}
	defer h.remove(c)
	// The deadline applies to the 101 response: a client that does not read it must not occupy a
	// connection. The upgrade clears it. Without this deadline, WriteTimeout of the server applies.
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(upgradeTime))
	socket := newSocket()
	ws, err := acceptWebSocket(&upgrade{w, hijacker, socket}, r, h.compression, c.onPing)
	if err != nil {
		h.log.Client(ctx, slog.LevelDebug, "upgrade refused", slog.String("client", r.RemoteAddr), slog.Any("error", err))
		return
	}
	c.open(ws, socket, h.ping, h.firstMessageTime)
	err = h.server.Serve(ctx, c)
	<-c.pumped
	c.release()
	h.logEnd(ctx, r, c, err)
}

// logEnd logs the end of a connection.
func (h *Handler) logEnd(ctx context.Context, r *http.Request, c *conn, err error) {
	client := slog.String("client", r.RemoteAddr)
	switch cause := c.cause(); {
	case c.isDraining(), c.wasClosedByClient(), context.Cause(ctx) != nil:
		h.log.Client(ctx, slog.LevelDebug, "connection ended", client)
	case cause != nil:
		h.log.Client(ctx, slog.LevelInfo, "connection failed", client, slog.Any("error", cause))
	case err != nil:
		h.log.Client(ctx, slog.LevelInfo, "connection failed", client, slog.Any("error", err))
	}
}

// add counts a connection.
func (h *Handler) add(c *conn, client clientlimit.Client) *refusal {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case h.closing:
		return &refusal{status: http.StatusServiceUnavailable, message: "the server is shutting down"}
	case h.memory.Short():
		return &refusal{
			status: http.StatusServiceUnavailable, message: "the memory limit of the server is reached",
			err: errNoMemory, header: http.Header{"Retry-After": {"10"}},
		}
	case len(h.conns) >= h.limits.Connections:
		return &refusal{
			status: http.StatusServiceUnavailable, message: "too many connections",
			err: errTooMany, header: http.Header{"Retry-After": {"10"}},
		}
	case h.perClient[client] >= h.each:
		return &refusal{
			status: http.StatusServiceUnavailable, message: "too many connections of this client",
			err: errTooManyOfClient, header: http.Header{"Retry-After": {"10"}},
		}
	}
	h.conns[c] = client
	h.perClient.Add(client)
	return nil
}

func (h *Handler) remove(c *conn) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.perClient.Remove(h.conns[c])
	delete(h.conns, c)
	if h.closing && len(h.conns) == 0 {
		close(h.drained)
	}
}

// endAll refuses new connections, and calls end for each open one.
func (h *Handler) endAll(how func(*conn)) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.closing {
		h.closing = true
		h.bodies.Close()
		if len(h.conns) == 0 {
			close(h.drained)
		}
	}
	for c := range h.conns {
		how(c)
	}
}

// Shutdown shuts the handler down gracefully. It refuses new connections, and reads no further
// messages on open ones. Each is closed with status 1001 after its requests in progress are
// answered, at the latest after the server's mcp.Limits.DrainTime. Shutdown returns nil when all
// are closed. If ctx is done first, it cancels the running calls, as [Handler.Close] does, and
// returns the cause without waiting.
func (h *Handler) Shutdown(ctx context.Context) error {
	h.endAll((*conn).drain)
	select {
	case <-h.drained:
		return nil
	case <-ctx.Done():
		h.endAll((*conn).abort)
		return context.Cause(ctx)
	}
}

// Close refuses new connections, cancels running calls, and closes all connections with
// status 1001. It returns when they are closed and session hooks have returned, like
// [mcp.Server.Serve]. It does not wait for handlers that do not return, or for clients that do not
// read. The error is always nil.
func (h *Handler) Close() error {
	h.endAll((*conn).abort)
	<-h.drained
	return nil
}
