package mcphttp

import (
	"context"
	"errors"
	mathrand "math/rand/v2"
	"net/http"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/internal/transport"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/mcphttp/internal/sharedsession"
)

// This file connects the sessions, streams and responses of this package with the sessions that
// replicas share.

var errTooManySessions = errors.New("overloaded: too many sessions")

// openSession opens a session for initialize.
func (h *core) openSession(ctx context.Context, who *requester) (*session, error) {
	var c *sharedsession.Session
	if h.replicas != nil {
		var err error
		if c, err = h.replicas.New(ctx, who.ID); err != nil {
			return nil, err
		}
	}
	se, _ := h.sessions.add(h.host, who, true, c)
	if se != nil {
		return se, nil
	}
	if c != nil {
		c.Leave()
	}
	return nil, errTooManySessions
}

// acquireShared is like acquireSession for sessions that replicas share.
func (h *core) acquireShared(ctx context.Context, id string, who *requester) (*session, error) {
	for range 3 { // a copy may be closed because of a limit, and is then opened again
		se, err := h.findShared(ctx, id, who)
		if err != nil {
			return nil, err
		}
		if se.acquire() {
			return se, nil
		}
	}
	return nil, errTooManySessions
}

// findShared returns the copy of a session, and opens it if necessary.
func (h *core) findShared(ctx context.Context, id string, who *requester) (*session, error) {
	if se := h.sessions.find(id, who.ID); se != nil {
		err := se.shared.Check(ctx)
		if errors.Is(err, ErrNoSession) {
			h.sessions.end(se)
		}
		return se, err
	}
	c, err := h.replicas.Find(ctx, id, who.ID)
	if err != nil {
		return nil, err
	}
	se, added := h.sessions.add(h.host, who, true, c)
	if !added {
		c.Leave()
	}
	switch {
	case se == nil:
		return nil, errTooManySessions
	case se.conn.Negotiated() == nil:
		h.sessions.end(se)
		return nil, errors.New("the session has a revision that this replica does not know")
	}
	return se, nil
}

// refuseStore writes the response to a request whose session or stream cannot be used.
func (h *core) refuseStore(w http.ResponseWriter, r *http.Request, id jsonrpc.ID, err error) {
	message := err.Error()
	switch {
	case errors.Is(err, ErrNoSession):
		writeError(w, http.StatusNotFound, id, errNoSession)
		return
	case errors.Is(err, errTooManySessions), errors.Is(err, sharedsession.ErrNoReplica):
	default:
		h.replicas.Fails(r.Context(), "the session store cannot be used", err)
		message = "the session store cannot be used now" // the cause is not for clients
	}
	writeOverloaded(w, id, message)
}

// forwarded sends a message about a call at another replica to that replica. It reports whether it
// has written the response.
func (p *posted) forwarded(se *session) bool {
	elsewhere, err := se.shared.Forward(p.r.Context(), p.in.Message(), p.in.Text())
	switch {
	case err != nil:
		p.refuseStore(p.w, p.r, noID, err)
	case elsewhere:
		writeStatus(p.w, http.StatusAccepted)
	default:
		return false
	}
	return true
}

// getShared writes a stream of a session that replicas share. Another response of the standalone
// stream is completed, at whichever replica it is.
func (p *response) getShared(se *session, last []string) {
	id := ""
	if len(last) == 1 {
		id = strings.Trim(last[0], " \t")
	}
	number, isNotice := sharedsession.ParseNoticeID(id)
	if p.resumed && !isNotice {
		p.resume(se, id)
		return
	}
	notify := se.shared.Listen(p.r.Context(), number, isNotice)
	reader := se.standalone.attach()
	notify()
	p.write(reader)
}

// resume writes the events of a request's stream after the event with the given id, which this
// replica or another has stored.
func (p *response) resume(se *session, id string) {
	f, err := se.shared.Follow(p.r.Context(), id)
	switch {
	case err == nil:
	case p.r.Context().Err() != nil:
		return
	case errors.Is(err, sharedsession.ErrUnknownID):
		writeInvalid(p.w, http.StatusBadRequest, errNoStream)
		return
	case errors.Is(err, ErrGone):
		writeInvalid(p.w, http.StatusBadRequest, "the events after Last-Event-ID are no longer kept, or no event has had that id")
		return
	case errors.Is(err, sharedsession.ErrOver):
		writeStatus(p.w, http.StatusNoContent) // see response.follow
		return
	case errors.Is(err, sharedsession.ErrUnreadable):
		writeInternalError(p.w)
		return
	default:
		p.h.refuseStore(p.w, p.r, noID, err)
		return
	}
	if f.IsLocal() {
		p.stopping = nil // its call will be answered
	}
	s := newStream(se, p.h.server.QueueBytes, p.h.memory)
	s.log, s.emptyEvents = f, randomEmpty()
	s.firstSeq, s.nextSeq = f.First, f.First
	p.s = s
	reader := s.attach()
	f.Start(s)
	p.write(reader)
	err = f.Close()
	switch {
	case err == nil:
	case p.started:
		p.h.replicas.Fails(p.r.Context(), "events of a session cannot be read", err)
	default:
		p.h.refuseStore(p.w, p.r, noID, err)
	}
}

// randomEmpty returns a number for the first event without data, so that the ids of replicas
// differ.
func randomEmpty() int { return mathrand.IntN(1 << 30) }

// useNotices makes the stream the standalone one of a session that replicas share.
func (s *stream) useNotices(n *sharedsession.Notices) {
	s.notices, s.emptyEvents = n, randomEmpty()
	s.session.register(s)
}

// share makes the stream store its messages for all replicas, once its response is an event stream.
func (s *stream) share(request jsonrpc.ID) {
	s.newLog = func(s *stream) eventLog { return s.session.shared.NewLog(s, s.guard, s.number, request) }
}

// Next implements [sharedsession.Stream], like the three methods after it.
func (s *stream) Next(seq int) (kind sharedsession.Kind, text []byte, more bool) {
	last := s.endSeq() - 1
	switch {
	case s.discarded:
		return 0, nil, false
	case seq < last, seq == last && !s.done:
		return sharedsession.MessageEvent, s.messages[seq-s.firstSeq].text, true
	case seq == last:
		return sharedsession.LastEvent, s.messages[seq-s.firstSeq].text, true
	case s.done:
		return sharedsession.LastEvent, nil, true // the stream ends without a reply
	}
	return 0, nil, true
}

func (s *stream) Drop(before int) {
	for s.firstSeq < before && len(s.messages) > 0 {
		if _, ok := s.evict(); !ok {
			return
		}
	}
}

func (s *stream) Advanced() {
	s.wakeOne()
	s.signal()
}

func (s *stream) Ended(err error) {
	delete(s.session.streams, s.number)
	switch {
	case err == nil:
		return
	case sharedsession.EndsElsewhere(err) || s.current == nil:
		s.discard()
	default:
		s.log, s.released = nil, false // the client, which cannot resume, gets the messages without ids
		s.Advanced()
	}
}

// Wake implements [sharedsession.Output].
func (s *stream) Wake() {
	s.guard.Lock()
	defer s.guard.Unlock()
	s.signal()
}

// localSession implements [sharedsession.Local].
type localSession struct {
	*session
	all *sessions
}

func (l localSession) Deliver(in transport.Message) {
	l.conn.Take(in, transport.Caller{Client: l.client}, l.standalone)
}

func (l localSession) Runs(number int) bool { return l.find(number) != nil }

func (l localSession) Detach(number int) {
	if s := l.find(number); s != nil {
		s.Detach()
	}
}

func (l localSession) End() { l.all.end(l.session) }
