package mcphttp

import (
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/membudget"
	"github.com/mcpgen/mcpgen/runtime/internal/transport"
)

// Package mcp looks for the optional methods of a sink by assertions.
var _ interface {
	transport.Sink
	transport.Releaser
	transport.Owner
	transport.Overloader
	transport.Denier
	transport.Listener
	transport.PeerWatcher
} = (*stream)(nil)

// stream is the queue of messages of one request, or of messages that belong to none,
// and how far they are written. Handlers add messages and never touch the HTTP
// response. The goroutine of the attached response writes them. Another response may be
// attached later, to resume the stream.
type stream struct {
	session *session // whose client can resume the stream; nil if it cannot
	limit   int      // bytes that may wait for the client; handlers wait beyond that
	memory  *membudget.Budget
	charged int // bytes that are charged for the messages

	// guard is &lock, or the lock of the session: the streams of a session share one
	// store of events.
	guard   *sync.Mutex
	lock    sync.Mutex
	notFull *sync.Cond // of guard; nil until a handler waits

	standalone bool // does not end with a reply
	resumable  bool // what is written is stored, for a client that resumes
	done       bool // the last message is queued
	noReply    bool // the request had none
	rejected   bool
	overloaded bool  // there was no room for the request
	denied     error // the caller may not use the feature
	released   bool  // the response ends early; the client resumes later
	discarded  bool  // messages are dropped from now on

	number           int      // within the session; 0 is the standalone stream
	queue            [][]byte // messages, from firstSeq on
	firstSeq         int      // 1 at the start
	nextSeq          int      // of the next message to be written
	emptyEvents      int      // events without data that have been written
	waitingBytes     int      // from nextSeq on
	unthrottledBytes int      // of replies that are queued without waiting, except the newest
	newestBytes      int      // size of the newest such reply

	count   int // messages so far
	code    int // of the reply's error
	retry   time.Duration
	endedAt time.Time

	current *attachment

	// Storage that most streams need, and no more: for one response and one message.
	firstAttachment attachment
	single          [1][]byte
	pooled          *[]byte // from the buffer pool, of a reply that is the only message
}

func newStream(se *session, limit int, memory *membudget.Budget) *stream {
	s := &stream{session: se, limit: limit, memory: memory, firstSeq: 1, nextSeq: 1}
	s.guard = &s.lock
	if se != nil {
		s.guard = &se.mu
	}
	return s
}

// Reply queues the reply. It is the last message, except on standalone streams.
func (s *stream) Reply(message []byte, code int) {
	s.guard.Lock()
	defer s.guard.Unlock()
	if s.done || s.discarded {
		return
	}
	switch {
	case len(message) == 0:
	case s.count == 0 && !s.standalone:
		plain := getBuffer(len(message))
		*plain = append(*plain, message...)
		s.addSingle(plain)
	default:
		s.add(message)
	}
	s.noteReply(code, len(message) == 0)
}

// Own is Reply without a copy: the storage of the message belongs to the stream.
func (s *stream) Own(message []byte, code int) bool {
	s.guard.Lock()
	defer s.guard.Unlock()
	if s.done || s.discarded || s.count > 0 || s.standalone {
		return false
	}
	s.addSingle(&message)
	s.noteReply(code, false)
	return true
}

// noteReply records the reply, or that there is none. The caller holds the guard.
func (s *stream) noteReply(code int, noReply bool) {
	if !s.standalone {
		s.done, s.code, s.noReply = true, code, noReply
		if s.current == nil {
			s.endedAt = time.Now()
		}
	}
	s.signal()
}

// Answer queues a reply without throttling: its sender has not waited for room.
func (s *stream) Answer(message []byte, code int) {
	s.guard.Lock()
	s.unthrottledBytes += s.newestBytes
	s.newestBytes = len(message)
	s.guard.Unlock()
	s.Reply(message, code)
}

// Refuse queues the error for a request that was not accepted.
func (s *stream) Refuse(message []byte, code int) {
	s.guard.Lock()
	s.rejected = true
	s.guard.Unlock()
	s.Answer(message, code)
}

// Overload queues the error for a request for which there is no room.
func (s *stream) Overload(message []byte, code int) {
	s.guard.Lock()
	s.overloaded = !s.standalone
	s.guard.Unlock()
	s.Answer(message, code)
}

// Deny records why the caller may not use a feature. The reply follows.
func (s *stream) Deny(refusal error) {
	s.guard.Lock()
	defer s.guard.Unlock()
	if !s.standalone {
		s.denied = refusal
	}
}

// Notify queues a message that is not a reply.
func (s *stream) Notify(message []byte) {
	s.guard.Lock()
	defer s.guard.Unlock()
	if s.done || s.discarded {
		return
	}
	s.add(message)
	s.signal()
}

// add queues a copy of a message. The caller holds the guard.
func (s *stream) add(message []byte) {
	s.charge(messageCost(message))
	s.append(append([]byte(nil), message...))
}

// addSingle is add for the only message of a stream. In most cases it is written at
// once, and its pooled buffer is reused; see [stream.recycle].
func (s *stream) addSingle(plain *[]byte) {
	s.pooled = plain
	s.queue = s.single[:0]
	s.charge(bufferCost(cap(*s.pooled)))
	s.append(*s.pooled)
}

// unpool moves the only message from its pooled buffer to storage of its own. The
// caller holds the guard.
func (s *stream) unpool() {
	if plain := s.pooled; plain != nil {
		s.pooled = nil
		s.charge(messageCost(*plain) - bufferCost(cap(*plain)))
		s.queue[0] = append([]byte(nil), *plain...)
		putBuffer(plain)
	}
}

// messageCost is what is charged for a message in storage of its own.
func messageCost(message []byte) int { return len(message) + 64 }

// bufferCost is what is charged for a pooled buffer.
func bufferCost(capacity int) int {
	if capacity <= membudget.Free {
		return 0 // included in requestCost
	}
	return capacity
}

// charge changes the charge by more, which may be negative. The sender of a message has
// charged one copy itself, and releases that. The caller holds the guard.
func (s *stream) charge(more int) {
	s.charged += more
	switch { // most replies are short and cost nothing; the budget is shared by all processors
	case more > 0:
		s.memory.Force(more)
	case more < 0:
		s.memory.Release(-more)
	}
}

// recycle returns the buffer of the only message to the pool, after it has been
// written.
func (s *stream) recycle() {
	s.guard.Lock()
	plain := s.pooled
	if plain != nil {
		s.charge(-bufferCost(cap(*plain)))
	}
	s.pooled, s.single[0] = nil, nil
	s.guard.Unlock()
	if plain != nil {
		putBuffer(plain)
	}
}

func (s *stream) append(message []byte) {
	s.queue = append(s.queue, message)
	s.waitingBytes += len(message)
	s.count++
	if s.resumable {
		s.session.retain(s, len(message))
	}
}

// signal wakes the response. The caller holds the guard.
func (s *stream) signal() {
	if s.current == nil {
		return
	}
	select {
	case s.current.wake <- struct{}{}:
	default: // a response that does not wait yet reads the queue before
	}
}

// FlushAsync does nothing: the goroutine of the response writes, and signal has woken it.
func (s *stream) FlushAsync() {}

// Flush wakes one waiting handler, if there is room.
func (s *stream) Flush() {
	s.memory.Trim()
	s.guard.Lock()
	defer s.guard.Unlock()
	s.wakeOne()
}

// wakeOne wakes one waiting handler, if there is room; see [transport.Sink]. The caller
// holds the guard.
func (s *stream) wakeOne() {
	if s.notFull != nil && !s.full() {
		s.notFull.Signal()
	}
}

// PeerGone reports whether messages are dropped, since no client can read them.
func (s *stream) PeerGone() bool {
	s.guard.Lock()
	defer s.guard.Unlock()
	return s.discarded
}

// Full reports whether the attached client does not read fast enough. Without an
// attached client, handlers do not wait.
func (s *stream) Full() bool {
	s.guard.Lock()
	defer s.guard.Unlock()
	return s.full()
}

func (s *stream) full() bool { return s.current != nil && s.waitingBytes > s.limit }

// Listening reports whether a response is attached.
func (s *stream) Listening() bool {
	s.guard.Lock()
	defer s.guard.Unlock()
	return s.current != nil
}

// stalled reports whether more unthrottled replies are queued than the client can be
// expected to read. The newest reply does not count: it may be longer than the limit.
func (s *stream) stalled() bool {
	s.guard.Lock()
	defer s.guard.Unlock()
	return s.unthrottledBytes > 4*s.limit || s.unthrottledBytes > minUnthrottled && s.memory.Short()
}

// minUnthrottled is how many bytes of unthrottled replies may always be queued.
const minUnthrottled = 16 << 10

// Wait waits until there is room.
func (s *stream) Wait() {
	s.guard.Lock()
	defer s.guard.Unlock()
	for s.full() && !s.discarded {
		if s.notFull == nil {
			s.notFull = sync.NewCond(s.guard)
		}
		s.notFull.Wait()
	}
}

// wakeAll wakes all waiting handlers. The caller holds the guard.
func (s *stream) wakeAll() {
	if s.notFull != nil {
		s.notFull.Broadcast()
	}
}

// Release ends the response before the reply; the client resumes the stream. It reports
// false where clients cannot do that: only in sessions whose event streams begin with a
// priming event can they.
func (s *stream) Release(retry time.Duration) bool {
	if s.session == nil || s.standalone {
		return false
	}
	if rev := s.session.conn.Negotiated(); rev == nil || !rev.Fields.Polling {
		return false
	}
	s.guard.Lock()
	defer s.guard.Unlock()
	if s.done || s.discarded {
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
	s.emptyEvents++
	return s.emptyEvents
}

// discard drops all messages, and those to come. The caller holds the guard.
func (s *stream) discard() {
	s.discarded = true
	s.clear()
	s.signal()
	s.wakeAll()
}

// closeUnread is discard at the end of the session, unless a response is attached: that
// writes what is queued.
func (s *stream) closeUnread() {
	s.guard.Lock()
	defer s.guard.Unlock()
	if s.current == nil {
		s.discard()
	}
}

// clear drops all messages. The caller holds the guard.
func (s *stream) clear() {
	s.queue, s.waitingBytes, s.pooled, s.single[0] = nil, 0, nil, nil
	s.charge(-s.charged)
}

// makeResumable stores all messages, those that are queued and those to come. The
// caller holds the guard.
func (s *stream) makeResumable() {
	if s.session == nil || s.resumable {
		return
	}
	s.resumable = true
	s.unpool()
	s.session.register(s)
	for _, message := range s.queue {
		s.session.retain(s, len(message))
	}
}

// evict drops the oldest message and returns its size. It reports false if that message
// is about to be written. The caller holds the guard.
func (s *stream) evict() (size int, ok bool) {
	if len(s.queue) == 0 {
		return 0, true // its stream has been dropped already
	}
	if s.firstSeq == s.nextSeq {
		if s.current != nil {
			return 0, false
		}
		s.nextSeq++
		s.waitingBytes -= len(s.queue[0])
	}
	size = len(s.queue[0])
	s.charge(-messageCost(s.queue[0]))
	s.queue[0] = nil
	s.queue = s.queue[1:]
	s.firstSeq++
	return size, true
}
