package mcphttp

import (
	"net/http"
	"strconv"
	"strings"
)

// This file is the stream for messages that belong to no request, in a session that replicas share. The
// client has it at one replica. Nothing of it is stored: the id of an event is the number of the notice
// ([mcp.PubSub]) that it is from, and a client that resumes is notified of those after it. Messages
// without a notice, such as the change of a list of tools, have no id, and are those of this replica.

// noticePrefix is the beginning of the ids of events.
const noticePrefix = "s-"

// isSharedStandalone reports whether the stream is such a one.
func (s *stream) isSharedStandalone() bool {
	return s.standalone && s.session != nil && s.session.shared != nil
}

// NotifyNumbered implements [transport.Numberer].
func (s *stream) NotifyNumbered(message []byte, number uint64) {
	s.guard.Lock()
	defer s.guard.Unlock()
	if s.isSharedStandalone() && s.session.shared.resuming > 0 {
		number = 0 // earlier ones may follow
	}
	s.notify(message, number)
}

// keepsFor reports whether a message of that size is queued. The caller holds the guard.
func (s *stream) keepsFor(size int, number uint64) bool {
	if !s.isSharedStandalone() || s.current != nil {
		return true
	}
	// The client is notified of notices when it resumes; the rest waits for it here, within limits.
	return number == 0 && s.waitingBytes+size <= s.limit
}

// dropNumbered drops the notices that wait to be written, since the client is notified of them when it resumes.
// The caller holds the guard.
func (s *stream) dropNumbered() {
	queue, numbers := s.queue, s.numbers
	s.queue, s.numbers = nil, nil
	for i, message := range queue {
		if numbers[i] == 0 {
			s.queue, s.numbers = append(s.queue, message), append(s.numbers, 0)
			continue
		}
		s.waitingBytes -= len(message)
		s.charge(-messageCost(message))
	}
}

// noticeID is the id of the event with that sequence number, or of an empty one beside it.
func (p *response) noticeID(t *pending, seq int) string {
	c := p.s.session.shared
	p.s.guard.Lock()
	defer p.s.guard.Unlock()
	number := c.last
	if i := seq - t.seq; i >= 0 && i < len(t.numbers) {
		if number = t.numbers[i]; number == 0 {
			return ""
		}
		c.last = max(c.last, number)
	}
	return noticePrefix + strconv.FormatUint(number, 10)
}

// parseNoticeID parses the result of noticeID.
func parseNoticeID(id string) (number uint64, ok bool) {
	text, ok := strings.CutPrefix(id, noticePrefix)
	if !ok {
		return 0, false
	}
	return parseSequence(text)
}

// getStandalone writes the standalone stream. The one before ends, at whichever replica it is. A client that
// resumes has all notices up to that number.
func (h *Handler) getStandalone(w http.ResponseWriter, r *http.Request, se *session, who requester, number uint64, resumes bool) {
	c := se.shared
	answer := &response{
		h: &h.core, w: w, r: r, s: se.standalone, events: true, sessionEnded: se.done, stopping: h.stopping, expires: who.Expires, resumed: resumes,
	}
	c.sendAll(r.Context(), message{Kind: listenMessage})
	se.mu.Lock()
	if resumes {
		c.last = number
	}
	after := c.last
	reader := se.standalone.attachLocked()
	se.mu.Unlock()
	c.resume(se, after)
	answer.write(reader)
}

// resume notifies the client of what may have changed after a notice.
func (c *sharedSession) resume(se *session, after uint64) {
	set := func(more int) {
		se.mu.Lock()
		defer se.mu.Unlock()
		c.resuming += more
	}
	set(1)
	defer set(-1)
	se.conn.Resume(after)
}
