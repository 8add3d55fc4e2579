package mcphttp

import "time"

// attachment is an HTTP response that a stream is written to. The goroutine of the response
// calls the methods of this file; the guard of the stream protects its fields.
type attachment struct {
	used bool
	wake chan struct{} // nil until the response waits
}

// attach attaches a response. It replaces the one before, which ends.
func (s *stream) attach() *attachment {
	s.guard.Lock()
	defer s.guard.Unlock()
	return s.attachLocked()
}

// attachLocked is attach for a caller that holds the guard.
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

// attachAfter is attach for a client that has read up to seq. It reports false if the
// messages after that are not stored any more.
func (s *stream) attachAfter(seq int) (*attachment, bool) {
	s.guard.Lock()
	defer s.guard.Unlock()
	if seq+1 < s.firstSeq || seq >= s.firstSeq+len(s.queue) {
		return nil, false
	}
	s.seek(seq + 1)
	return s.attachLocked(), true
}

// seek sets the next message to be written. The caller holds the guard.
func (s *stream) seek(next int) {
	s.nextSeq, s.waitingBytes = next, 0
	for _, message := range s.queue[next-s.firstSeq:] {
		s.waitingBytes += len(message)
	}
}

// detach detaches a response. It does nothing if another one has replaced it.
func (s *stream) detach(r *attachment) {
	s.guard.Lock()
	defer s.guard.Unlock()
	if s.current != r {
		return
	}
	s.current = nil
	s.wakeAll()
	switch {
	case !s.resumable && !s.standalone && !s.log.keeps(), s.session != nil && s.session.closed:
		s.discard() // the client has no event id to resume from
	case s.log != nil:
		s.trim()
	case s.isSharedStandalone():
		s.dropNumbered()
	case s.done:
		s.endedAt = time.Now()
	}
	if s.resumable {
		s.session.evict() // what waited for the client does not wait any more
		s.session.listForShedding()
	}
}

// pending is what a response has to write, and the state of the stream.
type pending struct {
	messages   [][]byte
	numbers    []uint64 // of the notices among them; see [stream]
	seq        int      // of the first message
	events     bool     // write an event stream, not JSON
	done       bool
	code       int
	rejected   bool
	overloaded bool
	denied     error // an *mcp.AccessError
	released   bool
	retry      time.Duration
	withoutIDs bool // the client cannot resume from these messages
	ended      bool // the response ends: it is detached, or the stream is discarded
}

// next returns the messages to be written, and counts them as written. A reply that is
// the only message is not an event stream, unless events is set. With waits, later
// messages wake the response.
func (s *stream) next(r *attachment, events, waits bool) pending {
	s.guard.Lock()
	defer s.guard.Unlock()
	if waits && r.wake == nil {
		r.wake = make(chan struct{}, 1)
	}
	t := pending{
		seq: s.nextSeq, done: s.done, code: s.code, rejected: s.rejected, overloaded: s.overloaded, denied: s.denied,
		released: s.released, retry: s.retry, ended: s.discarded || s.current != r,
	}
	if t.ended {
		return t
	}
	single := s.done && !s.noReply && s.count == 1
	t.events = events || s.released || s.noReply || (s.count > 0 && !single)
	if t.events && !(s.noReply && s.count == 0) {
		s.makeResumable()
		if s.log != nil {
			s.nextAppended(&t)
			return t
		}
	}
	t.messages = s.queue[s.nextSeq-s.firstSeq:]
	s.nextSeq += len(t.messages)
	s.waitingBytes, s.unthrottledBytes, s.newestBytes = 0, 0, 0
	if s.resumable {
		t.messages = append([][]byte(nil), t.messages...) // evict may drop the stored ones during the write
		s.session.evict()
		s.session.listForShedding()
	} else {
		if s.pooled == nil { // otherwise recycle releases the charge, after the write
			s.charge(-s.charged)
		}
		t.numbers, s.numbers = s.numbers, nil
		s.queue, s.firstSeq = nil, s.nextSeq
	}
	s.wakeOne()
	return t
}
