package mcphttp

import (
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/httpfield"
	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
	"github.com/mcpgen/mcpgen/runtime/internal/transport"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// SSEHandler is the HTTP+SSE transport of revision 2024-11-05 (basic/transports), for clients
// without streamable HTTP. GET opens an event stream, which is the session. Its first event
// contains the URL for POST, and all messages of the server are events. It serves the revisions up
// to 2025-11-25. Its methods are safe for concurrent use.
type SSEHandler struct {
	core
}

// NewSSEHandler returns the handler of a server, for a path of its own. It ignores
// [WithoutSessions]. It panics if an option is invalid.
func NewSSEHandler(s *mcp.Server, options ...Option) *SSEHandler {
	h := new(SSEHandler)
	h.init(s, "sse", options)
	return h
}

// sessionQuery is the query parameter with the session id.
const sessionQuery = "session"

// ServeHTTP answers one HTTP request.
func (h *SSEHandler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h.serve(w, r, h.answer)
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

// get opens a session, which is closed with the response.
func (h *SSEHandler) get(w http.ResponseWriter, r *http.Request, who requester) {
	if !checkNoBody(w, r) {
		return
	}
	if _, events := acceptable(r.Header); !events {
		writeInvalid(w, http.StatusNotAcceptable, "Accept must list text/event-stream")
		return
	}
	if !canFlush(w) {
		writeInvalid(w, http.StatusInternalServerError, errNoFlush)
		return
	}
	if !h.acquireRequest(w, &who) {
		return
	}
	defer h.releaseRequest(&who)
	if !h.acquireStream(&who) {
		writeOverloaded(w, noID, "overloaded: too many streams")
		return
	}
	defer h.releaseStream(&who)
	se := h.sessions.open(h.host, &who, false)
	if se == nil {
		writeOverloaded(w, noID, "overloaded: too many sessions")
		return
	}
	se.acquire()
	defer h.sessions.end(se)
	firstMessage := time.AfterFunc(h.server.FirstMessageTime, func() {
		if se.conn.Negotiated() == nil {
			h.sessions.end(se)
		}
	})
	defer firstMessage.Stop()
	// A URL reference with only a query keeps the path, even if a router or a proxy has changed it
	// (RFC 3986, section 5.2).
	query := "?" + sessionQuery + "=" + url.QueryEscape(se.id) + withoutSessionQuery(r.URL.RawQuery)
	answer := response{h: &h.core, w: w, r: r, s: se.standalone, sessionEnded: se.done, endpoint: query, expires: who.Expires}
	answer.write(se.standalone.attach())
}

// withoutSessionQuery returns the query without session parameters, with a separator before each
// parameter. Two session parameters would be ambiguous, and an attacker could have chosen one of
// them.
func withoutSessionQuery(query string) string {
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

// post handles a POST. The reply is an event of the stream.
func (h *SSEHandler) post(w http.ResponseWriter, r *http.Request, who requester) {
	if !httpfield.IsJSON(r.Header.Get("Content-Type")) {
		writeInvalid(w, http.StatusUnsupportedMediaType, "Content-Type must be application/json")
		return
	}
	if !h.acquireRequest(w, &who) {
		return
	}
	defer h.releaseRequest(&who)
	id := r.URL.Query().Get(sessionQuery)
	if id == "" {
		writeInvalid(w, http.StatusBadRequest, "the URL has no session: post to the URL in the first event of the stream")
		return
	}
	se := h.acquireSession(id, who.ID)
	if se == nil {
		writeError(w, http.StatusNotFound, noID, errNoSession)
		return
	}
	defer se.release()
	in, ok := h.parse(w, r)
	if !ok {
		return
	}
	m := in.Message()
	if m.Kind == jsonrpc.Request {
		if version := metaVersion(m.Params.Get("_meta")); version != nil {
			text, _ := jsonrpc.String(version)
			se.standalone.Reply(jsonrpc.AppendError(nil, m.ID, unsupported(text, sessionVersions)), protocol.CodeUnsupportedVersion)
			in.Drop()
			writeStatus(w, http.StatusAccepted)
			return
		}
	}
	from := transport.Caller{Values: r.Context(), Header: r.Header, Principal: who.known(), Client: who.client, Address: who.address}
	if h.groups && r.URL.RawQuery != "" && !h.narrow(w, r, &from) {
		in.Drop()
		return
	}
	se.conn.Take(in, from, se.standalone)
	writeStatus(w, http.StatusAccepted)
}

// acquireSession returns the session and acquires it. It returns nil if the session is unknown. It
// closes the session if its client sends requests and does not read.
func (h *SSEHandler) acquireSession(id, principal string) *session {
	se := h.sessions.find(id, principal)
	if se == nil || !se.acquire() {
		return nil
	}
	if se.standalone.stalled() {
		se.release()
		h.sessions.end(se)
		return nil
	}
	return se
}

// sessionVersions are the revisions with sessions, newest first.
var sessionVersions = func() (versions []string) {
	for _, version := range protocol.Versions {
		if !revisionOf(version).PerRequest {
			versions = append(versions, version)
		}
	}
	return versions
}()
