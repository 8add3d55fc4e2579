package mcphttp

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/access"
	"github.com/mcpgen/mcpgen/runtime/internal/link"
	"github.com/mcpgen/mcpgen/runtime/internal/logs"
	"github.com/mcpgen/mcpgen/runtime/internal/membudget"
	"github.com/mcpgen/mcpgen/runtime/internal/share"
	"github.com/mcpgen/mcpgen/runtime/internal/unread"
	"github.com/mcpgen/mcpgen/runtime/internal/usercode"
	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// Header fields of the transport, in canonical form.
const (
	sessionHeader  = "Mcp-Session-Id"
	versionHeader  = "Mcp-Protocol-Version"
	lastEventField = "Last-Event-Id"
)

// Handler is the streamable HTTP transport (basic/transports of the revisions with
// sessions, basic/transports/streamable-http since). It answers POST, GET and
// DELETE on one path, for any number of clients at the same time.
type Handler struct {
	core
}

// NewHandler returns the handler of a server. It panics if an option makes no
// sense.
func NewHandler(s *mcp.Server, options ...Option) *Handler {
	h := new(Handler)
	h.init(s, options)
	return h
}

// ServeHTTP answers one HTTP request.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	q := h.begin(w, r)
	defer q.end()
	h.answer(w, r)
	q.returned = true
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

// core is what the handlers of both transports have.
type core struct {
	settings
	host     link.Host
	memory   *membudget.Budget
	policy   *access.Policy
	sessions *sessions
	bodies   unread.Bodies

	mu       sync.Mutex
	closing  bool
	active   int           // HTTP requests that are answered
	streams  int           // standing ones among them
	busy     share.Table   // those that are answered and do not stand
	standing share.Table   // those that do
	fewer    chan struct{} // closed when there is one less; nil while nobody waits
	ended    chan struct{} // closed when standing streams are to end
	ending   sync.Once
	closed   chan struct{} // closed when everything is to end
	closes   sync.Once
}

func (h *core) init(s *mcp.Server, options []Option) {
	h.host = link.Of(s)
	h.memory = h.host.Memory()
	h.log, h.limits = logs.New(h.host.Log()), defaultLimits
	for _, option := range options {
		option(&h.settings)
	}
	var err error
	if h.policy, err = access.New(h.hosts, h.origins); err != nil {
		panic("mcphttp: " + err.Error())
	}
	h.busy, h.standing = share.Table{}, share.Table{}
	h.ended, h.closed = make(chan struct{}), make(chan struct{})
	h.sessions = newSessions(&h.limits, h.ended)
	h.bodies.Most = h.limits.Refused
}

// request is an HTTP request that is answered. Whatever answers it, and however early:
// what is left of its body holds up neither the answer nor, for long, the connection.
type request struct {
	body     *unread.Body
	returned bool // what answers has returned in an orderly way
}

func (h *core) begin(w http.ResponseWriter, r *http.Request) request {
	return request{body: h.bodies.Begin(w, r, h.limits.ReadTime)}
}

func (q *request) end() { q.body.End(q.returned) }

// visitor is who makes a request.
type visitor struct {
	mcp.Principal
	client share.Client // for what it counts
}

// visitor returns who makes a request of that principal, which may have no ID.
func (h *core) visitor(r *http.Request, p mcp.Principal) visitor {
	return visitor{p, share.Of(p.ID, access.Address(r, h.address))}
}

// admit checks all that there is to check before the message: who may send it, and
// who has.
func (h *core) admit(w http.ResponseWriter, r *http.Request) (who visitor, ok bool) {
	if refusal := h.policy.Check(r); refusal != nil {
		h.log.Client(r.Context(), slog.LevelWarn, "request refused", slog.String("reason", refusal.Message))
		refuse(w, refusal.Status, refusal.Message)
		return who, false
	}
	if cors(w, r, h.policy) {
		return who, false
	}
	if h.principal == nil && h.address == nil {
		return h.visitor(r, mcp.Principal{}), true
	}
	who, err := h.identify(w, r)
	switch err {
	case nil:
		return who, true
	case errPrincipal:
		broken(w)
		return who, false
	}
	refusal, ok := errors.AsType[*Refusal](err)
	if !ok {
		h.log.Client(r.Context(), slog.LevelWarn, "request without a principal", slog.Any("error", err))
		refusal = &Refusal{Text: "the request does not say who makes it, or not so that it is believed"}
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
	refuse(w, status, refusal.Text)
	return who, false
}

// identify calls the functions of [WithPrincipal] and [WithClientAddress]. Who cannot be
// told is not let in.
func (h *core) identify(w http.ResponseWriter, r *http.Request) (who visitor, err error) {
	usercode.Call(func() {
		var principal mcp.Principal
		if h.principal != nil {
			principal, err = h.principal(r)
		}
		if err == nil {
			who = h.visitor(r, principal)
		}
	}, func(e usercode.Failure) {
		if e.Panic == http.ErrAbortHandler {
			panic(e.Panic) // net/http closes the connection, as is asked for
		}
		h.log.Program(r.Context(), slog.LevelError, "panic in the function of WithPrincipal or WithClientAddress", e.Attrs()...)
		who, err = visitor{}, errPrincipal
		if e.Exits { // nothing else is going to answer, and the connection ends
			if r.ProtoMajor == 1 {
				w.Header().Set("Connection", "close")
			}
			broken(w)
			_ = http.NewResponseController(w).Flush()
		}
	})
	return who, err
}

func notAllowed(w http.ResponseWriter, allowed string) {
	w.Header().Set("Allow", allowed)
	refuse(w, http.StatusMethodNotAllowed, "the method is not one of "+allowed)
}

// enter counts an HTTP request that is being answered. Where there are too many, or
// the handler is closing, it answers itself and reports false.
func (h *core) enter(w http.ResponseWriter, who *visitor) bool {
	h.mu.Lock()
	full := h.active-h.streams >= h.limits.Requests || h.busy[who.client] >= h.limits.RequestsPerClient
	ok := !full && !h.closing
	if ok {
		h.active++
		h.busy.Add(who.client)
	}
	h.mu.Unlock()
	if ok && !h.memory.TakeControl(requestCost) {
		h.less(who)
		overloaded(w, noID, errNoRoom)
		return false
	}
	switch {
	case full:
		overloaded(w, noID, "overloaded: too many requests")
	case !ok:
		w.Header().Set("Connection", "close")
		overloaded(w, noID, "the server is closing")
	}
	return ok
}

// leave is the end of what enter has begun.
func (h *core) leave(who *visitor) {
	h.memory.ReleaseControl(requestCost)
	h.less(who)
}

// requestCost is what is charged for an HTTP request that is answered, with buffers of
// up to [membudget.Free] bytes. Calls are charged besides.
const requestCost = 4 << 10

// less counts one request less.
func (h *core) less(who *visitor) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.active--
	h.busy.Remove(who.client)
	h.tell()
}

// tell tells who waits for requests to end. The caller holds the lock.
func (h *core) tell() {
	if h.fewer != nil {
		close(h.fewer)
		h.fewer = nil
	}
}

// settle waits until no HTTP requests are answered, besides standing streams if
// those are left out.
func (h *core) settle(ctx context.Context, standing bool) error {
	for {
		h.mu.Lock()
		left := h.active
		if !standing {
			left -= h.streams
		}
		if left == 0 {
			h.mu.Unlock()
			return nil
		}
		if h.fewer == nil {
			h.fewer = make(chan struct{})
		}
		fewer := h.fewer
		h.mu.Unlock()
		select {
		case <-fewer:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// stand counts one of the requests as a standing stream. It reports false if there
// are too many.
func (h *core) stand(who *visitor) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.streams >= h.limits.Streams || h.standing[who.client] >= h.limits.StreamsPerClient {
		return false
	}
	h.streams++
	h.standing.Add(who.client)
	h.busy.Remove(who.client)
	return true
}

func (h *core) sit(who *visitor) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.streams--
	h.standing.Remove(who.client)
	h.busy.Add(who.client)
	h.tell()
}

// Shutdown ends the handler in an orderly way: new requests get 503, listens and
// other standing streams end, what was asked for is answered, and sessions end. If
// ctx ends before that, it closes the handler and returns the cause.
//
// Call it before [http.Server.Shutdown], which would wait for the standing streams.
func (h *core) Shutdown(ctx context.Context) error {
	h.end()
	for _, se := range h.sessions.all() {
		se.conn.Unheard() // no answer can come any more
	}
	err := h.settle(ctx, false)
	for _, se := range h.sessions.all() {
		if err == nil {
			err = drain(ctx, se.conn)
		}
		h.sessions.end(se)
	}
	if err == nil {
		err = h.settle(ctx, true)
	}
	if err != nil {
		_ = h.Close()
	}
	return err
}

// drain waits for handlers whose client has not waited for them.
func drain(ctx context.Context, conn link.Conn) error {
	within := time.Duration(1<<63 - 1)
	if deadline, ok := ctx.Deadline(); ok {
		within = time.Until(deadline)
	}
	drained := make(chan struct{})
	go func() {
		defer close(drained)
		conn.Drain(within)
	}()
	select {
	case <-drained:
		if conn.Active() == 0 {
			return nil
		}
		<-ctx.Done() // the same time is over
	case <-ctx.Done():
	}
	return context.Cause(ctx)
}

// Close ends the handler at once: what runs is cancelled. It does not wait. It
// always returns nil.
func (h *core) Close() error {
	h.end()
	h.closes.Do(func() { close(h.closed) })
	for _, se := range h.sessions.all() {
		h.sessions.end(se)
	}
	return nil
}

// end has nothing new begin, and standing streams end.
func (h *core) end() {
	h.mu.Lock()
	h.closing = true
	h.mu.Unlock()
	h.bodies.Close()
	h.ending.Do(func() { close(h.ended) })
}

// field returns a header field that may be there once. It reports false where it
// is there more often, or with blanks or commas in it.
func field(header http.Header, name string) (value string, ok bool) {
	values := header[name]
	if len(values) == 0 {
		return "", true
	}
	value = strings.Trim(values[0], " \t")
	return value, len(values) == 1 && value != ""
}
