package mcphttp

import "slices"

// attachment is an HTTP response that a stream is written to. The response goroutine calls the
// methods of this file; the guard of the stream protects its fields.
type attachment struct {
	used bool
	wake chan struct{} // nil until the response waits
}

// attach attaches a response. It replaces the response before, which is then completed.
func (s *stream) attach() *attachment {
	s.guard.Lock()
	defer s.guard.Unlock()
	return s.attachLocked()
}

// attachLocked is like attach. The caller holds the guard, or the stream is new and unknown to
// others.
func (s *stream) attachLocked() *attachment {
	s.signal()
	s.current = &s.firstAttachment
	if s.firstAttachment.used {
		s.current = new(attachment)
	}
	s.current.used = true
	s.released = false
	return s.current
}

// attachAfter attaches a response for a client that has read up to seq. It returns false if the
// messages after seq are no longer stored.
func (s *stream) attachAfter(seq int) (*attachment, bool) {
	s.guard.Lock()
	defer s.guard.Unlock()
	if seq+1 < s.firstSeq || seq >= s.endSeq() {
		return nil, false
	}
	s.nextSeq, s.waiting = seq+1, 0
	for _, m := range s.messages[s.nextSeq-s.firstSeq:] {
		s.waiting += len(m.text)
	}
	return s.attachLocked(), true
}

// detach detaches a response. It does nothing if another response has replaced it.
func (s *stream) detach(r *attachment) {
	s.guard.Lock()
	defer s.guard.Unlock()
	if s.current == r {
		s.detachLocked()
	}
}

// Detach completes the response, since the client reads the stream elsewhere.
func (s *stream) Detach() {
	s.guard.Lock()
	defer s.guard.Unlock()
	if s.current != nil {
		s.detachLocked()
	}
}

func (s *stream) detachLocked() {
	s.signal()
	s.current = nil
	if s.notFull != nil {
		s.wakeAll()
	}
	switch {
	case s.session == nil || s.session.streams[s.number] != s:
		s.discard() // no client can attach to the stream again
	case s.log != nil:
		s.log.Changed()
	default:
		s.dropNotices()
	}
}

// pending contains the messages that a response must write, and the state of the stream.
type pending struct {
	outcome
	messages []queued
	seq      int      // number of the first message
	log      eventLog // source of the ids of the messages; nil if the client cannot resume from them
	events   bool     // write an event stream, not JSON
	ended    bool     // the response is to be completed: it is detached, or the stream is discarded
}

// next returns the messages to be written, and counts them as written. A reply that is the only
// message is not an event stream, unless events is set. If waits is set, later messages wake the
// response.
func (s *stream) next(r *attachment, events, waits bool) pending {
	s.guard.Lock()
	defer s.guard.Unlock()
	if waits && r.wake == nil {
		r.wake = make(chan struct{}, 1)
	}
	t := pending{outcome: s.outcome, seq: s.nextSeq, ended: s.discarded || s.current != r}
	if t.ended {
		return t
	}
	single := s.done && !s.noReply && s.count == 1
	t.events = events || s.standalone || s.log != nil || s.released || s.noReply || (s.count > 0 && !single)
	if t.events && !(s.noReply && s.count == 0) {
		s.beginLog()
	}
	t.log = s.log
	end := s.endSeq()
	if s.log != nil {
		end = min(end, s.log.Ready())
	}
	if end < s.nextSeq { // the log has not begun
		t.events, t.done, t.released = false, false, false
		return t
	}
	t.done = s.done && end == s.endSeq()
	t.messages = s.take(end)
	s.unthrottledBytes, s.newestBytes = 0, 0
	if s.log == nil {
		if s.pooled == nil && s.charged > 0 { // a pooled one is released by recycle, after the write
			s.charge(-s.charged)
		}
		s.messages, s.firstSeq = nil, s.nextSeq
	} else {
		t.messages = slices.Clone(t.messages) // the log may drop them during the write
		s.log.Changed()
	}
	s.wakeOne()
	return t
}
