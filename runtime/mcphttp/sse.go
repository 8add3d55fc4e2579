package mcphttp

import (
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/link"
	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// SSEHandler is the transport HTTP+SSE of revision 2024-11-05 (basic/transports),
// for clients that do not know streamable HTTP: GET opens an event stream, which is
// the session; its first event says where to POST messages, and everything that the
// server says is an event. Sessions of the revisions up to 2025-11-25 are served.
type SSEHandler struct {
	core
}

// NewSSEHandler returns the handler of a server, for a path of its own.
// [WithoutSessions] means nothing to it. It panics if an option makes no sense.
func NewSSEHandler(s *mcp.Server, options ...Option) *SSEHandler {
	h := new(SSEHandler)
	h.init(s, options)
	return h
}

// sessionQuery is the parameter of the URL that messages are posted to.
const sessionQuery = "session"

// ServeHTTP answers one HTTP request.
func (h *SSEHandler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	q := h.begin(w, r)
	defer q.end()
	h.answer(w, r)
	q.returned = true
}

func (h *SSEHandler) answer(w http.ResponseWriter, r *http.Request) {
	switch r.Method {
	case http.MethodPost, http.MethodGet, http.MethodOptions:
	default:
		notAllowed(w, "GET, POST")
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
	default:
		notAllowed(w, "GET, POST")
	}
}

// get opens a session, which lasts as long as the response.
func (h *SSEHandler) get(w http.ResponseWriter, r *http.Request, who visitor) {
	if !bodiless(w, r) {
		return
	}
	if _, events := acceptable(r.Header); !events {
		refuse(w, http.StatusNotAcceptable, "Accept must list text/event-stream")
		return
	}
	if !canFlush(w) {
		refuse(w, http.StatusInternalServerError, errNoFlush)
		return
	}
	if !h.enter(w, &who) {
		return
	}
	defer h.leave(&who)
	if !h.stand(&who) {
		overloaded(w, noID, "overloaded: too many standing streams")
		return
	}
	defer h.sit(&who)
	se := h.sessions.open(h.host, &who, false)
	if se == nil {
		overloaded(w, noID, "overloaded: too many sessions")
		return
	}
	se.begin()
	defer h.sessions.end(se)
	mute := time.AfterFunc(h.host.Limits().FirstMessageTime, func() {
		if se.conn.Negotiated() == nil {
			h.sessions.end(se)
		}
	})
	defer mute.Stop()
	// A reference that consists of a query alone is one to the same path, also
	// where a router or a proxy has changed it on the way (RFC 3986, section 5.2).
	query := "?" + sessionQuery + "=" + url.QueryEscape(se.id) + otherQuery(r.URL.RawQuery)
	answer := response{h: &h.core, w: w, r: r, s: se.standing, events: true, over: se.done, endpoint: query}
	answer.write(se.standing.attach())
}

// otherQuery returns what a query says besides the session, with a separator before each
// parameter: of two sessions, one could be another client's idea.
func otherQuery(query string) string {
	var b strings.Builder
	for pair := range strings.SplitSeq(query, "&") {
		name, _, _ := strings.Cut(pair, "=")
		name, err := url.QueryUnescape(name)
		if pair != "" && err == nil && name != sessionQuery {
			b.WriteString("&")
			b.WriteString(pair)
		}
	}
	return b.String()
}

// post takes a message, whose reply goes to the stream.
func (h *SSEHandler) post(w http.ResponseWriter, r *http.Request, who visitor) {
	if !isJSON(r.Header.Get("Content-Type")) {
		refuse(w, http.StatusUnsupportedMediaType, "Content-Type must be application/json")
		return
	}
	if !h.enter(w, &who) {
		return
	}
	defer h.leave(&who)
	id := r.URL.Query().Get(sessionQuery)
	if id == "" {
		refuse(w, http.StatusBadRequest, "the URL names no session: post to the one that the first event of the stream says")
		return
	}
	se := h.begun(id, who.ID)
	if se == nil {
		fail(w, http.StatusNotFound, noID, errNoSession)
		return
	}
	defer se.end()
	in, ok := h.parse(w, r, http.NewResponseController(w))
	if !ok {
		return
	}
	m := in.Message()
	if m.Kind == jsonrpc.Request {
		if version := metaVersion(m); version != nil {
			text, _ := jsonrpc.String(version)
			se.standing.Reply(jsonrpc.AppendError(nil, m.ID, unsupported(text, sessionVersions)), protocol.CodeUnsupportedVersion)
			in.Drop()
			empty(w, http.StatusAccepted)
			return
		}
	}
	se.conn.Take(in, link.Caller{Values: r.Context(), Header: r.Header, Principal: who.Principal, Client: who.client}, se.standing)
	empty(w, http.StatusAccepted)
}

// begun returns the session of a message, which is busy then. It returns nil if there is
// none, as when its client asks and does not read.
func (h *SSEHandler) begun(id, principal string) *session {
	se := h.sessions.find(id, principal)
	if se == nil || !se.begin() {
		return nil
	}
	if se.standing.stalled() {
		se.end()
		h.sessions.end(se)
		return nil
	}
	return se
}

// sessionVersions are those of the revisions with sessions, newest first.
var sessionVersions = func() (versions []string) {
	for _, version := range protocol.Versions {
		if !revisionOf(version).PerRequest {
			versions = append(versions, version)
		}
	}
	return versions
}()
