package mcphttp

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/access"
	"github.com/mcpgen/mcpgen/runtime/internal/clientlimit"
	"github.com/mcpgen/mcpgen/runtime/internal/logs"
	"github.com/mcpgen/mcpgen/runtime/internal/membudget"
	"github.com/mcpgen/mcpgen/runtime/internal/transport"
	"github.com/mcpgen/mcpgen/runtime/internal/unreadbody"
	"github.com/mcpgen/mcpgen/runtime/internal/usercode"
	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcphttp/internal/sharedsession"
)

// Handler is the streamable HTTP transport (basic/transports of the revisions with sessions,
// basic/transports/streamable-http of later ones). It serves POST, GET and DELETE on one path. Its
// methods are safe for concurrent use.
type Handler struct {
	core
}

// NewHandler returns the handler of a server. It panics if an option is invalid.
func NewHandler(s *mcp.Server, options ...Option) *Handler {
	h := new(Handler)
	h.init(s, "http", options)
	switch {
	case h.store == nil:
	case h.sessionless:
		panic("mcphttp: WithSessionStore and WithoutSessions exclude each other")
	case !h.host.SharesKeys():
		panic("mcphttp: WithSessionStore needs mcp.WithStateKeys or mcp.WithStateKeySource: a random key is that of one replica")
	default:
		h.replicas = &sharedsession.Replica{Store: sharedStore{h.store}, Host: h.host, Log: h.log, IdleTime: h.limits.IdleTime}
	}
	return h
}

// ServeHTTP answers one HTTP request.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h.serve(w, r, h.answer)
}

func (h *Handler) answer(w http.ResponseWriter, r *http.Request) {
	switch r.Method {
	case http.MethodPost, http.MethodGet, http.MethodDelete, http.MethodOptions:
	default:
		notAllowed(w, "GET, POST, DELETE")
		return
	}
	who, ok := h.admit(w, r)
	if !ok {
		return
	}
	switch r.Method {
	case http.MethodPost:
		h.post(w, r, who)
	case http.MethodGet:
		h.get(w, r, who)
	case http.MethodDelete:
		h.delete(w, r, who)
	default:
		notAllowed(w, "GET, POST, DELETE")
	}
}

// core is the part that the handlers of both transports share.
type core struct {
	settings
	host     transport.Server
	server   transport.Limits
	memory   *membudget.Budget
	policy   *access.Policy
	pages    bool // pages of other origins may call
	sessions *sessions
	replicas *sharedsession.Replica // the replicas that share the sessions; nil if sessions belong to this process
	endings  transport.Endings      // sessions that are ending
	bodies   unreadbody.Bodies

	mu        sync.Mutex
	closing   bool
	active    int               // HTTP requests in progress
	streams   int               // long-lived streams among them
	busy      clientlimit.Table // requests in progress by client, without streams
	streaming clientlimit.Table // streams by client
	each      int               // limit of one client for requests
	released  chan struct{}     // closed when a request or stream ends; nil unless a goroutine waits
	stopping  chan struct{}     // closed when long-lived streams must end
	stopOnce  sync.Once
	closed    chan struct{} // closed when all requests must end
	closeOnce sync.Once
}

func (h *core) init(s *mcp.Server, name string, options []Option) {
	h.host = s.Transport()
	h.memory = h.host.Memory()
	h.log, h.limits = logs.New(h.host.Log()), defaultLimits
	for _, option := range options {
		option(&h.settings)
	}
	for _, found := range h.servers {
		found(s)
	}
	h.server = h.host.Limits()
	h.each = clientlimit.Share(h.limits.Requests, h.server.ClientShare)
	var err error
	if h.policy, err = access.New(h.hosts, h.origins); err != nil {
		panic("mcphttp: " + err.Error())
	}
	h.pages = h.policy.HasOrigins()
	h.busy, h.streaming = clientlimit.Table{}, clientlimit.Table{}
	h.stopping, h.closed = make(chan struct{}), make(chan struct{})
	h.sessions = newSessions(&h.limits, h.server.ClientShare, name, h.stopping, &h.endings)
	h.bodies.Most = mostRefused
}

// serve calls answer for an HTTP request. Then it discards the rest of the body, so that an unread
// body delays neither the response nor, for long, the connection.
func (h *core) serve(w http.ResponseWriter, r *http.Request, answer http.HandlerFunc) {
	body, returned := h.bodies.Begin(w, r, h.limits.ReadTime), false
	defer func() { body.End(returned) }()
	answer(w, r)
	returned = true // without a panic
}

// requester is the principal and the client of a request.
type requester struct {
	mcp.Principal
	client  clientlimit.Client // the unit of limits per client
	address netip.Addr
}

// known returns the principal for a [transport.Caller], or nil if it is unknown.
func (q *requester) known() any {
	if q.ID == "" && q.Value == nil && q.Access == nil && q.Expires.IsZero() {
		return nil
	}
	known := q.Principal
	return &known
}

// errExpired is the reason why a request of a principal that has expired is refused.
var errExpired = errors.New("the principal has expired")

// requesterOf returns the requester for a principal, whose ID may be empty.
func (h *core) requesterOf(r *http.Request, p mcp.Principal) requester {
	var address netip.Addr
	if h.address == nil {
		address = clientlimit.Address(r.RemoteAddr)
	} else {
		address = access.Address(r, h.address)
	}
	return requester{p, clientlimit.Of(p.ID, address), address}
}

// admit checks a request before its message is read: origin, host, CORS and authentication. If it
// returns false, it has written the response.
func (h *core) admit(w http.ResponseWriter, r *http.Request) (who requester, ok bool) {
	if refusal := h.policy.Check(r); refusal != nil {
		h.log.Client(r.Context(), slog.LevelWarn, "request refused", slog.String("reason", refusal.Message))
		writeInvalid(w, refusal.Status, refusal.Message)
		return who, false
	}
	if (h.pages || r.Header["Origin"] != nil) && cors(w, r, h.policy) {
		return who, false
	}
	if h.principal == nil && h.address == nil {
		return h.requesterOf(r, mcp.Principal{}), true
	}
	who, err := h.identify(w, r)
	switch err {
	case nil:
		return who, true
	case errPrincipal:
		writeInternalError(w)
		return who, false
	}
	refusal, ok := errors.AsType[*Refusal](err)
	if !ok {
		h.log.Client(r.Context(), slog.LevelWarn, "request without a principal", slog.Any("error", err))
		refusal = &Refusal{Text: "the request has no valid credentials"}
	}
	header := w.Header()
	for name, values := range refusal.Header {
		header[http.CanonicalHeaderKey(name)] = values
	}
	status := refusal.Status
	if status == 0 {
		status = http.StatusUnauthorized
	}
	if status == http.StatusUnauthorized && header.Get("Www-Authenticate") == "" {
		header.Set("Www-Authenticate", "Bearer")
	}
	writeInvalid(w, status, refusal.Text)
	return who, false
}

// identify calls the functions of [WithPrincipal] and [WithClientAddress]. If one of them panics or
// calls runtime.Goexit, the request is refused.
func (h *core) identify(w http.ResponseWriter, r *http.Request) (who requester, err error) {
	usercode.Call(func() {
		var principal mcp.Principal
		if h.principal != nil {
			principal, err = h.principal(r)
		}
		if err == nil && !principal.Expires.IsZero() && !time.Now().Before(principal.Expires) {
			err = errExpired
		}
		if err == nil {
			who = h.requesterOf(r, principal)
		}
	}, func(e usercode.Failure) {
		if e.Panic == http.ErrAbortHandler {
			panic(e.Panic) // net/http closes the connection, as the caller expects
		}
		h.log.Program(r.Context(), slog.LevelError, "panic in the function of WithPrincipal or WithClientAddress", e.Attrs()...)
		who, err = requester{}, errPrincipal
		if e.Exits { // this goroutine exits: respond now, the connection is closed
			if r.ProtoMajor == 1 {
				w.Header().Set("Connection", "close")
			}
			writeInternalError(w)
			_ = http.NewResponseController(w).Flush()
		}
	})
	return who, err
}

func notAllowed(w http.ResponseWriter, allowed string) {
	w.Header().Set("Allow", allowed)
	writeInvalid(w, http.StatusMethodNotAllowed, "the method is not one of "+allowed)
}

// acquireRequest counts an HTTP request. If a limit is reached, or the handler is shutting down, it
// writes the response and returns false.
func (h *core) acquireRequest(w http.ResponseWriter, who *requester) bool {
	h.mu.Lock()
	full := h.active-h.streams >= h.limits.Requests || h.busy[who.client] >= h.each
	ok := !full && !h.closing
	if ok {
		h.active++
		h.busy.Add(who.client)
	}
	h.mu.Unlock()
	if ok && !h.memory.TakeControl(requestCost) {
		h.requestDone(who)
		writeOverloaded(w, noID, errNoMemory)
		return false
	}
	switch {
	case full:
		writeOverloaded(w, noID, "overloaded: too many requests")
	case !ok:
		w.Header().Set("Connection", "close")
		writeOverloaded(w, noID, "the server is closing")
	}
	return ok
}

// releaseRequest releases a request that acquireRequest has counted.
func (h *core) releaseRequest(who *requester) {
	h.memory.ReleaseControl(requestCost)
	h.requestDone(who)
}

// requestCost is charged for each HTTP request in progress. It includes buffers of up to
// [membudget.Free] bytes. Calls are charged separately.
const requestCost = 4 << 10

// requestDone stops counting a request.
func (h *core) requestDone(who *requester) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.active--
	h.busy.Remove(who.client)
	if h.released != nil {
		h.notifyWaiters()
	}
}

// notifyWaiters wakes the calls of waitRequests. The caller holds the lock.
func (h *core) notifyWaiters() {
	close(h.released)
	h.released = nil
}

// waitRequests waits until no HTTP request is in progress. Long-lived streams are included if
// streams is set.
func (h *core) waitRequests(ctx context.Context, streams bool) error {
	for {
		h.mu.Lock()
		left := h.active
		if !streams {
			left -= h.streams
		}
		if left == 0 {
			h.mu.Unlock()
			return nil
		}
		if h.released == nil {
			h.released = make(chan struct{})
		}
		fewer := h.released
		h.mu.Unlock()
		select {
		case <-fewer:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// acquireStream counts a request as a long-lived stream. It returns false if a limit is reached.
func (h *core) acquireStream(who *requester) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.streams >= h.limits.Streams || h.streaming[who.client] >= clientlimit.Share(h.limits.Streams, h.server.ClientShare) {
		return false
	}
	h.streams++
	h.streaming.Add(who.client)
	h.busy.Remove(who.client)
	return true
}

func (h *core) releaseStream(who *requester) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.streams--
	h.streaming.Remove(who.client)
	h.busy.Add(who.client)
	if h.released != nil {
		h.notifyWaiters()
	}
}

// field returns the value of a header field that may occur once. ok is false if the field occurs
// more than once or is empty.
func field(header http.Header, name string) (value string, ok bool) {
	values := header[name]
	if len(values) == 0 {
		return "", true
	}
	value = strings.Trim(values[0], " \t")
	return value, len(values) == 1 && value != ""
}
