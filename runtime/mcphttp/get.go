package mcphttp

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
)

// get opens the stream of messages that belong to no request, or goes on with a
// stream that has broken off.
func (h *Handler) get(w http.ResponseWriter, r *http.Request, who visitor) {
	se := h.sessionOf(w, r, who)
	if se == nil {
		return
	}
	defer se.end()
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
	if answer, reader := h.standing(w, r, se); answer != nil {
		answer.write(reader)
	}
}

// bodiless reports whether a GET is without a body. What opens a stream does not wait
// for one, nor could it see that the client goes away while one is yet to come (RFC 9110,
// section 9.3.1). Where there is one, it answers.
func bodiless(w http.ResponseWriter, r *http.Request) bool {
	if r.ContentLength == 0 {
		return true
	}
	refuse(w, http.StatusBadRequest, "a GET has no body here")
	return false
}

// standing attaches the response to the stream that the client wants. Where there is
// none, it answers itself, and returns nil.
func (h *Handler) standing(w http.ResponseWriter, r *http.Request, se *session) (*response, *reader) {
	rev := se.conn.Negotiated()
	answer := &response{
		h: &h.core, w: w, r: r, s: se.standing, events: true, over: se.done, ending: h.ended,
		identified: true, priming: rev != nil && rev.Fields.Polling,
	}
	last, resuming := r.Header[lastEventField]
	if !resuming {
		return answer, se.standing.attach()
	}
	number, seq, ok := readEventID(last)
	answer.resumed = true
	if answer.s = se.find(number); !ok || answer.s == nil {
		refuse(w, http.StatusBadRequest, "Last-Event-ID is not that of a stream that can be resumed")
		return nil, nil
	}
	if answer.s != se.standing {
		answer.ending = nil // its call will be answered
	}
	reader, ok := answer.s.attachAfter(seq)
	if !ok {
		refuse(w, http.StatusBadRequest, "the events after Last-Event-ID are not kept any more")
		return nil, nil
	}
	return answer, reader
}

// readEventID reads what eventID or emptyID has written.
func readEventID(values []string) (number, seq int, ok bool) {
	if len(values) != 1 {
		return 0, 0, false
	}
	first, second, found := strings.Cut(strings.Trim(values[0], " \t"), "-")
	number, err := strconv.Atoi(first)
	if !found || err != nil || number < 0 {
		return 0, 0, false
	}
	second, third, empty := strings.Cut(second, "-")
	if n, err := strconv.Atoi(third); empty && (err != nil || n < 1) {
		return 0, 0, false
	}
	seq, err = strconv.Atoi(second)
	return number, seq, err == nil && seq >= 0
}

// delete ends a session.
func (h *Handler) delete(w http.ResponseWriter, r *http.Request, who visitor) {
	se := h.sessionOf(w, r, who)
	if se == nil {
		return
	}
	h.sessions.end(se)
	se.end()
	empty(w, http.StatusNoContent)
}

// sessionOf returns the session that a request without a message is about, and
// notes that it is busy. Where there is none, it answers itself.
func (h *Handler) sessionOf(w http.ResponseWriter, r *http.Request, who visitor) *session {
	version, ok := field(r.Header, versionHeader)
	if !ok {
		refuse(w, http.StatusBadRequest, "the header "+versionHeader+" must be there once")
		return nil
	}
	rev := revisionOf(version)
	switch {
	case h.sessionless || (rev != nil && rev.PerRequest):
		notAllowed(w, "POST")
		return nil
	case version != "" && rev == nil:
		fail(w, http.StatusBadRequest, noID, unsupported(version, protocol.Versions))
		return nil
	}
	id, ok := field(r.Header, sessionHeader)
	if !ok || id == "" {
		refuse(w, http.StatusBadRequest, "the header "+sessionHeader+" must be there once")
		return nil
	}
	se := h.sessions.find(id, who.ID)
	if se == nil || !se.begin() {
		fail(w, http.StatusNotFound, noID, errNoSession)
		return nil
	}
	return se
}
