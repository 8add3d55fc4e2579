package mcphttp

import (
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/membudget"
)

// stream is what is said in answer to one request, or to none: the messages in
// their order, and how far they are written. Handlers add to it and never touch the
// HTTP response; whoever holds the response writes, and may be followed by another
// one who comes back for the rest.
type stream struct {
	session  *session // whose client can come back for what it has missed; nil where it cannot
	standing bool     // goes on after a reply
	limit    int      // bytes that wait for the client before handlers wait too
	memory   *membudget.Budget
	held     int // bytes that are charged for the messages

	// guard is the session's where there is one: streams of a session have one
	// store of events.
	guard *sync.Mutex
	room  sync.Cond
	lock  sync.Mutex

	number  int      // within the session; 0 is the standing stream
	kept    bool     // what has been written stays for those who come back
	log     [][]byte // messages, from the sequence number first on
	first   int      // 1 at the start
	next    int      // what is to be written next
	empty   int      // events without data that have been written
	waiting int      // bytes from next on
	unasked int      // about as many of them for which nobody has waited, but for the last such message
	newest  int      // bytes of that one

	count    int  // messages so far
	done     bool // the reply is in, nothing follows
	mute     bool // there was none
	code     int  // of its error
	refused  bool
	noRoom   bool // for the request
	released bool // the client shall come back later
	retry    time.Duration
	gone     bool // nobody will ever read
	ended    time.Time

	reader *reader

	// What most streams need and no more: room for one response, and for one message.
	only  reader
	one   [1][]byte
	plain *[]byte // borrowed, of a reply that is the only message
}

// reader is the HTTP response that a stream is written to.
type reader struct {
	given bool
	wake  chan struct{} // nil until it waits
}

func newStream(se *session, limit int, memory *membudget.Budget) *stream {
	s := &stream{session: se, limit: limit, memory: memory, first: 1, next: 1}
	s.guard = &s.lock
	if se != nil {
		s.guard = &se.mu
	}
	s.room.L = s.guard
	return s
}

// Reply queues the reply, which is the last message but on standing streams.
func (s *stream) Reply(message []byte, code int) {
	s.guard.Lock()
	defer s.guard.Unlock()
	if s.done || s.gone {
		return
	}
	switch {
	case len(message) == 0:
	case s.count == 0 && !s.standing:
		plain := borrow(len(message))
		*plain = append(*plain, message...)
		s.addOnly(plain)
	default:
		s.add(message)
	}
	s.replied(code, len(message) == 0)
}

// Own is Reply for a message whose storage belongs to the stream from now on.
func (s *stream) Own(message []byte, code int) bool {
	s.guard.Lock()
	defer s.guard.Unlock()
	if s.done || s.gone || s.count > 0 || s.standing {
		return false
	}
	s.addOnly(&message)
	s.replied(code, false)
	return true
}

// replied notes that the reply is there, or that there is none. The caller holds the
// guard.
func (s *stream) replied(code int, mute bool) {
	if !s.standing {
		s.done, s.code, s.mute = true, code, mute
		if s.reader == nil {
			s.ended = time.Now()
		}
	}
	s.signal()
}

// Answer queues a reply for which nobody has waited.
func (s *stream) Answer(message []byte, code int) {
	s.guard.Lock()
	s.unasked += s.newest
	s.newest = len(message)
	s.guard.Unlock()
	s.Reply(message, code)
}

// Refuse queues the error for what has not been taken.
func (s *stream) Refuse(message []byte, code int) {
	s.guard.Lock()
	s.refused = true
	s.guard.Unlock()
	s.Answer(message, code)
}

// Overload queues the error for a request for which there is no room.
func (s *stream) Overload(message []byte, code int) {
	s.guard.Lock()
	s.noRoom = !s.standing
	s.guard.Unlock()
	s.Answer(message, code)
}

// Notify queues a message that is no reply.
func (s *stream) Notify(message []byte) {
	s.guard.Lock()
	defer s.guard.Unlock()
	if s.done || s.gone {
		return
	}
	s.add(message)
	s.signal()
}

// add appends a copy of a message. The caller holds the guard.
func (s *stream) add(message []byte) {
	s.charge(cost(message))
	s.append(append([]byte(nil), message...))
}

// addOnly is add for the only message of a stream, which mostly is written at once
// and then forgotten: its storage is used again for others; see [stream.reuse].
func (s *stream) addOnly(plain *[]byte) {
	s.plain = plain
	s.log = s.one[:0]
	s.charge(counted(cap(*s.plain)))
	s.append(*s.plain)
}

// own gives the only message storage of its own, and back what was borrowed for it. The
// caller holds the guard.
func (s *stream) own() {
	if plain := s.plain; plain != nil {
		s.plain = nil
		s.charge(cost(*plain) - counted(cap(*plain)))
		s.log[0] = append([]byte(nil), *plain...)
		giveBack(plain)
	}
}

// cost is what is charged for a message, but for one in a borrowed buffer.
func cost(message []byte) int { return len(message) + 64 }

// counted is what is charged for a buffer.
func counted(capacity int) int {
	if capacity <= membudget.Free {
		return 0 // it is part of what is charged for the request
	}
	return capacity
}

// charge charges so many bytes more, or less. Whoever queues a message has paid for one
// copy of it, and gives that back. The caller holds the guard.
func (s *stream) charge(more int) {
	s.held += more
	if more > 0 {
		s.memory.Force(more)
	} else {
		s.memory.Release(-more)
	}
}

// reuse gives back the storage of the only message, which nobody reads any more.
func (s *stream) reuse() {
	s.guard.Lock()
	plain := s.plain
	if plain != nil {
		s.charge(-counted(cap(*plain)))
	}
	s.plain, s.one[0] = nil, nil
	s.guard.Unlock()
	if plain != nil {
		giveBack(plain)
	}
}

func (s *stream) append(message []byte) {
	s.log = append(s.log, message)
	s.waiting += len(message)
	s.count++
	if s.kept {
		s.session.keep(s, len(message))
	}
}

// signal wakes who writes. The caller holds the guard.
func (s *stream) signal() {
	if s.reader == nil || s.reader.wake == nil {
		return // it looks before it waits
	}
	select {
	case s.reader.wake <- struct{}{}:
	default:
	}
}

// Kick has nothing to do: the goroutine that holds the response writes, and is told
// of every message.
func (s *stream) Kick() {}

// Flush lets the next handler pass that waits, if there is room.
func (s *stream) Flush() {
	s.memory.Trim()
	s.guard.Lock()
	defer s.guard.Unlock()
	s.pass()
}

// pass lets one handler pass that waits; see [link.Sink]. The caller holds the guard.
func (s *stream) pass() {
	if !s.full() {
		s.room.Signal()
	}
}

// Lost reports whether nobody will ever read.
func (s *stream) Lost() bool {
	s.guard.Lock()
	defer s.guard.Unlock()
	return s.gone
}

// Full reports whether a client that is there does not read. Nobody waits for one
// who has gone.
func (s *stream) Full() bool {
	s.guard.Lock()
	defer s.guard.Unlock()
	return s.full()
}

func (s *stream) full() bool { return s.reader != nil && s.waiting > s.limit }

// Listening reports whether there is a client that reads.
func (s *stream) Listening() bool {
	s.guard.Lock()
	defer s.guard.Unlock()
	return s.reader != nil
}

// stalled reports whether so much is waiting for a client that there is no hope:
// what is answered at once does not wait for room. The newest answer does not count,
// for one alone may be longer.
func (s *stream) stalled() bool {
	s.guard.Lock()
	defer s.guard.Unlock()
	return s.unasked > 4*s.limit || s.unasked > leastUnasked && s.memory.Short()
}

// leastUnasked is how many bytes of answers may wait in any case for a client that does
// not read.
const leastUnasked = 16 << 10

// Wait waits until there is room.
func (s *stream) Wait() {
	s.guard.Lock()
	defer s.guard.Unlock()
	for s.full() && !s.gone {
		s.room.Wait()
	}
}

// Release lets the response go before the reply. Only clients of sessions in which
// every event stream begins with an event of its own know how to come back.
func (s *stream) Release(retry time.Duration) bool {
	if s.session == nil || s.standing {
		return false
	}
	if rev := s.session.conn.Negotiated(); rev == nil || !rev.Fields.Polling {
		return false
	}
	s.guard.Lock()
	defer s.guard.Unlock()
	if s.done || s.gone {
		return false
	}
	s.released, s.retry = true, retry
	s.signal()
	return true
}

// nextEmpty returns the number of the next event without data.
func (s *stream) nextEmpty() int {
	s.guard.Lock()
	defer s.guard.Unlock()
	s.empty++
	return s.empty
}

// attach makes a response the one that is written to. The one before, if there is
// one, ends.
func (s *stream) attach() *reader {
	s.guard.Lock()
	defer s.guard.Unlock()
	return s.give()
}

// give is attach for a caller that holds the guard.
func (s *stream) give() *reader {
	s.signal()
	s.reader = &s.only
	if s.only.given {
		s.reader = new(reader)
	}
	s.reader.given = true
	s.released = false
	return s.reader
}

// attachAfter is attach for a client that has read up to a sequence number. It
// reports false if what follows is not there any more.
func (s *stream) attachAfter(seq int) (*reader, bool) {
	s.guard.Lock()
	defer s.guard.Unlock()
	if seq+1 < s.first || seq >= s.first+len(s.log) {
		return nil, false
	}
	s.seek(seq + 1)
	return s.give(), true
}

// seek sets what is to be written next. The caller holds the guard.
func (s *stream) seek(next int) {
	s.next, s.waiting = next, 0
	for _, message := range s.log[next-s.first:] {
		s.waiting += len(message)
	}
}

// detach ends the writing of a response. It does nothing where another one has
// followed already.
func (s *stream) detach(r *reader) {
	s.guard.Lock()
	defer s.guard.Unlock()
	if s.reader != r {
		return
	}
	s.reader = nil
	s.room.Broadcast()
	switch {
	case !s.kept && !s.standing, s.session != nil && s.session.over:
		s.discard() // nobody has an id to come back with
	case s.done:
		s.ended = time.Now()
	}
	if s.kept {
		s.session.list()
	}
}

// discard forgets everything, and takes nothing more. The caller holds the guard.
func (s *stream) discard() {
	s.gone = true
	s.clear()
	s.signal()
	s.room.Broadcast()
}

// end is discard for a stream whose session has ended, unless a response writes what is
// there.
func (s *stream) end() {
	s.guard.Lock()
	defer s.guard.Unlock()
	if s.reader == nil {
		s.discard()
	}
}

// clear forgets all messages. The caller holds the guard.
func (s *stream) clear() {
	s.log, s.waiting, s.plain, s.one[0] = nil, 0, nil, nil
	s.charge(-s.held)
}

// keep has what is written kept from now on, with what is there already. The caller
// holds the guard.
func (s *stream) keep() {
	if s.session == nil || s.kept {
		return
	}
	s.kept = true
	s.own()
	s.session.enter(s)
	for _, message := range s.log {
		s.session.keep(s, len(message))
	}
}

// evict forgets the oldest message, and returns its size. It reports false where
// that is about to be written. The caller holds the guard.
func (s *stream) evict() (size int, ok bool) {
	if len(s.log) == 0 {
		return 0, true // it has been forgotten with its stream
	}
	if s.first == s.next {
		if s.reader != nil {
			return 0, false
		}
		s.next++
		s.waiting -= len(s.log[0])
	}
	size = len(s.log[0])
	s.charge(-cost(s.log[0]))
	s.log[0] = nil
	s.log = s.log[1:]
	s.first++
	return size, true
}

// state is what a response can know of its stream.
type state struct {
	messages [][]byte
	seq      int  // of the first message
	events   bool // they are to be written as events
	done     bool
	code     int
	refused  bool
	noRoom   bool
	released bool
	retry    time.Duration
	over     bool // the response ends: another one has followed, or nobody shall read
}

// take returns what is to be written, and counts it as written. A reply that is all
// there is to say is no event stream, unless that is asked for. Whoever is going to
// wait is woken by what comes later.
func (s *stream) take(r *reader, events, waits bool) state {
	s.guard.Lock()
	defer s.guard.Unlock()
	if waits && r.wake == nil {
		r.wake = make(chan struct{}, 1)
	}
	t := state{
		seq: s.next, done: s.done, code: s.code, refused: s.refused, noRoom: s.noRoom,
		released: s.released, retry: s.retry, over: s.gone || s.reader != r,
	}
	if t.over {
		return t
	}
	alone := s.done && !s.mute && s.count == 1
	t.events = events || s.released || s.mute || (s.count > 0 && !alone)
	if t.events && !(s.mute && s.count == 0) {
		s.keep()
	}
	t.messages = s.log[s.next-s.first:]
	s.next += len(t.messages)
	s.waiting, s.unasked, s.newest = 0, 0, 0
	if s.kept {
		t.messages = append([][]byte(nil), t.messages...) // what is written can be evicted
		s.session.evict()
		s.session.list()
	} else {
		if s.plain == nil { // that is written out of its buffer
			s.charge(-s.held)
		}
		s.log, s.first = nil, s.next
	}
	s.pass()
	return t
}
