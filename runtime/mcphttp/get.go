package mcphttp

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/internal/httpfield"
	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
)

// get opens the standalone stream of a session, or resumes a broken stream.
func (h *Handler) get(w http.ResponseWriter, r *http.Request, who requester) {
	se := h.sessionOf(w, r, who)
	if se == nil {
		return
	}
	defer se.release()
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
	se.conn.Renew(who.known())
	answer := &response{h: &h.core, w: w, r: r, s: se.standalone, sessionEnded: se.done, stopping: h.stopping, expires: who.Expires}
	last, resuming := r.Header[httpfield.LastEventID]
	answer.resumed = resuming
	switch {
	case se.shared != nil:
		answer.getShared(se, last)
	case !resuming:
		answer.write(se.standalone.attach())
	default:
		if reader := answer.attachAfter(se, last); reader != nil {
			answer.write(reader)
		}
	}
}

// checkNoBody checks that a GET has no body. Opening a stream does not wait for a body, and
// net/http does not notice a disconnect while one is outstanding (RFC 9110, section 9.3.1). If it
// returns false, it has written the response.
func checkNoBody(w http.ResponseWriter, r *http.Request) bool {
	if r.ContentLength == 0 {
		return true
	}
	writeInvalid(w, http.StatusBadRequest, "a GET request must not have a body")
	return false
}

// attachAfter attaches the response to the stream that the last event of the client belongs to. If
// it returns nil, it has written the response.
func (p *response) attachAfter(se *session, last []string) *attachment {
	number, seq, ok := parseEventID(last)
	if p.s = se.find(number); !ok || p.s == nil {
		writeInvalid(p.w, http.StatusBadRequest, errNoStream)
		return nil
	}
	if p.s != se.standalone {
		p.stopping = nil // its call will be answered
	}
	reader, ok := p.s.attachAfter(seq)
	if !ok {
		writeInvalid(p.w, http.StatusBadRequest, "the events after Last-Event-ID are no longer kept")
		return nil
	}
	return reader
}

// parseEventID parses the result of eventID or emptyID.
func parseEventID(values []string) (number, seq int, ok bool) {
	if len(values) != 1 {
		return 0, 0, false
	}
	first, second, found := strings.Cut(strings.Trim(values[0], " \t"), "-")
	number, err := strconv.Atoi(first)
	if !found || err != nil { // a sign would be before the first hyphen
		return 0, 0, false
	}
	second, third, empty := strings.Cut(second, "-")
	if n, err := strconv.Atoi(third); empty && (err != nil || n < 1) {
		return 0, 0, false
	}
	seq, err = strconv.Atoi(second)
	return number, seq, err == nil && seq >= 0
}

// delete closes a session.
func (h *Handler) delete(w http.ResponseWriter, r *http.Request, who requester) {
	se := h.sessionOf(w, r, who)
	if se == nil {
		return
	}
	defer se.release()
	if se.shared == nil {
		h.sessions.end(se)
	} else if err := se.shared.End(r.Context()); err != nil {
		h.refuseStore(w, r, noID, err)
		return
	}
	writeStatus(w, http.StatusNoContent)
}

// sessionOf returns the session of a GET or DELETE, and acquires it. If it returns nil, it has
// written the response.
func (h *Handler) sessionOf(w http.ResponseWriter, r *http.Request, who requester) *session {
	version, ok := field(r.Header, httpfield.ProtocolVersion)
	if !ok {
		writeInvalid(w, http.StatusBadRequest, "the header "+httpfield.ProtocolVersion+" must occur once")
		return nil
	}
	rev := revisionOf(version)
	switch {
	case h.sessionless || (rev != nil && rev.PerRequest):
		notAllowed(w, "POST")
		return nil
	case version != "" && rev == nil:
		writeError(w, http.StatusBadRequest, noID, unsupported(version, protocol.Versions))
		return nil
	}
	id, ok := field(r.Header, httpfield.SessionID)
	if !ok || id == "" {
		writeInvalid(w, http.StatusBadRequest, "the header "+httpfield.SessionID+" must occur once")
		return nil
	}
	se, err := h.acquireSession(r.Context(), id, &who)
	if err != nil {
		h.refuseStore(w, r, noID, err)
		return nil
	}
	return se
}
