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
	"github.com/mcpgen/mcpgen/runtime/internal/link"
	"github.com/mcpgen/mcpgen/runtime/internal/logs"
	"github.com/mcpgen/mcpgen/runtime/internal/membudget"
	"github.com/mcpgen/mcpgen/runtime/internal/share"
	"github.com/mcpgen/mcpgen/runtime/internal/unread"
	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// upgradeTime is how long the client may take to read that its upgrade is granted.
const upgradeTime = 10 * time.Second

// mostRefused is how many requests that are refused before their body has come are
// waited for at the same time.
const mostRefused = unread.Most

// Handler opens WebSocket connections and serves each until it ends. Its methods
// may be called by many goroutines.
type Handler struct {
	server         *mcp.Server
	limit          int // bytes of a message
	memory         *membudget.Budget
	log            *logs.Log
	policy         *access.Policy
	hosts, origins []string
	identify       func(*http.Request) (mcp.Principal, error)
	address        func(*http.Request) netip.Addr
	ping           time.Duration
	most           int           // connections
	each           int           // connections of one client
	first          time.Duration // until the first message
	compression    websocket.CompressionMode
	bodies         unread.Bodies // of requests that are refused

	mu     sync.Mutex
	conns  map[*conn]share.Client // and for whom each counts
	count  share.Table
	ending bool
	empty  chan struct{} // closed when no connection is left and none will come
}

// NewHandler returns the handler of a server. The size of a message is limited by
// the server's mcp.Limits.MessageBytes: a longer one is answered with an error, and
// the connection goes on. It panics if an allowed host or origin is not one.
func NewHandler(s *mcp.Server, options ...Option) *Handler {
	host := link.Of(s)
	h := &Handler{
		server: s, limit: host.Limits().MessageBytes, memory: host.Memory(), log: logs.New(host.Log()),
		ping: DefaultPing, most: DefaultConnections, compression: websocket.CompressionDisabled,
		first: host.Limits().FirstMessageTime,
		conns: map[*conn]share.Client{}, count: share.Table{}, empty: make(chan struct{}),
	}
	for _, option := range options {
		option(h)
	}
	if h.each == 0 {
		h.each = share.Quarter(h.most)
	}
	policy, err := access.New(h.hosts, h.origins)
	if err != nil {
		panic("mcpws: " + err.Error())
	}
	h.policy = policy
	h.bodies.Most = mostRefused
	return h
}

// ServeHTTP upgrades the request to a connection, and returns when that has ended.
//
// It refuses with status 405 what is not a GET; 403 a Host or Origin that is not
// allowed; 401 whom [WithPrincipal] does not know; 426 and 400 what is no upgrade, has
// a body, or offers subprotocols without "mcp" among them; 503 one connection too many,
// or any while the server has no room (mcp.Limits.Memory). A client that offers no
// subprotocol at all is served, and not promised any.
//
// The context of the request is that of all calls, with its values. It, and they,
// end with the connection: when the client closes it, which cancels what is
// running, when it breaks, or when the handler is closed. A binary frame ends it
// with status 1003.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	// Only what is refused has a body, for which nobody waits.
	body, returned := h.bodies.Begin(w, r, upgradeTime), false
	defer func() { body.End(returned) }()
	h.serve(w, r)
	returned = true
}

func (h *Handler) serve(w http.ResponseWriter, r *http.Request) {
	who, refusal := h.admit(w, r)
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
	c := newConn(h.limit, h.memory, cancel)
	if refusal := h.enter(c, share.Of(who.principal.ID, who.address)); refusal != nil {
		h.refuse(w, r, refusal)
		return
	}
	defer h.leave(c)
	// The answer is short, and a client that does not take it must not keep its place.
	// The time ends with the upgrade. Where it cannot be set the server's own counts.
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(upgradeTime))
	socket := newSocket()
	ws, err := websocket.Accept(&upgrade{w, hijacker, socket}, r, &websocket.AcceptOptions{
		Subprotocols:       []string{subprotocol},
		InsecureSkipVerify: true, // admit is stricter
		CompressionMode:    h.compression,
		OnPingReceived:     c.onPing,
	})
	if err != nil {
		h.log.Client(ctx, slog.LevelDebug, "upgrade refused", slog.String("client", r.RemoteAddr), slog.Any("error", err))
		return
	}
	c.open(ws, socket, h.ping, h.first)
	err = h.server.Serve(ctx, c)
	<-c.pumped
	c.forget()
	h.tell(ctx, r, c, err)
}

// tell logs how a connection has ended.
func (h *Handler) tell(ctx context.Context, r *http.Request, c *conn, err error) {
	client := slog.String("client", r.RemoteAddr)
	switch cause := c.failure(); {
	case c.isDraining(), c.wasClosedByClient(), context.Cause(ctx) != nil:
		h.log.Client(ctx, slog.LevelDebug, "connection ended", client)
	case cause != nil:
		h.log.Client(ctx, slog.LevelInfo, "connection failed", client, slog.Any("error", cause))
	case err != nil:
		h.log.Client(ctx, slog.LevelInfo, "connection failed", client, slog.Any("error", err))
	}
}

// enter takes a place for a connection.
func (h *Handler) enter(c *conn, client share.Client) *refusal {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case h.ending:
		return &refusal{status: http.StatusServiceUnavailable, message: "the server is shutting down"}
	case h.memory.Short():
		return &refusal{
			status: http.StatusServiceUnavailable, message: "the server holds as much for its clients as it may",
			err: errShort, header: http.Header{"Retry-After": {"10"}},
		}
	case len(h.conns) >= h.most:
		return &refusal{
			status: http.StatusServiceUnavailable, message: "too many connections",
			err: errFull, header: http.Header{"Retry-After": {"10"}},
		}
	case h.count[client] >= h.each:
		return &refusal{
			status: http.StatusServiceUnavailable, message: "too many connections of this client",
			err: errShare, header: http.Header{"Retry-After": {"10"}},
		}
	}
	h.conns[c] = client
	h.count.Add(client)
	return nil
}

func (h *Handler) leave(c *conn) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.count.Remove(h.conns[c])
	delete(h.conns, c)
	if h.ending && len(h.conns) == 0 {
		close(h.empty)
	}
}

// end opens nothing more, and has what is open ended in some way.
func (h *Handler) end(how func(*conn)) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.ending {
		h.ending = true
		h.bodies.Close()
		if len(h.conns) == 0 {
			close(h.empty)
		}
	}
	for c := range h.conns {
		how(c)
	}
}

// Shutdown opens no connection any more and takes no further request on those that
// are open; each is closed, with status 1001, once what is running on it has been
// answered, but after the server's mcp.Limits.DrainTime at the latest. It returns
// nil when all are closed. When ctx ends before, it cancels what is still running,
// as [Handler.Close] does, and returns the cause without waiting.
func (h *Handler) Shutdown(ctx context.Context) error {
	h.end((*conn).drain)
	select {
	case <-h.empty:
		return nil
	case <-ctx.Done():
		h.end((*conn).abort)
		return context.Cause(ctx)
	}
}

// Close opens no connection any more, cancels what is running, closes all
// connections with status 1001, and returns when that is done. It does not wait
// for handlers that do not return, nor for clients that do not read. The error is
// always nil.
func (h *Handler) Close() error {
	h.end((*conn).abort)
	<-h.empty
	return nil
}
