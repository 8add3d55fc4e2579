package mcphttp

import (
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/membudget"
	"github.com/mcpgen/mcpgen/runtime/internal/transport"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
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
	transport.Numberer
} = (*stream)(nil)

// stream is the queue of messages of one request, or of messages that belong to none,
// and how far they are written. Handlers add messages and never touch the HTTP
// response. The goroutine of the attached response writes them. Another response may be
// attached later, to resume the stream.
type stream struct {
	session *session   // whose client can resume the stream; nil if it cannot
	log     *eventLog  // of a stream that other replicas can resume; nil for others
	shares  bool       // other replicas can resume the stream, once it has a log
	request jsonrpc.ID // that the stream answers, if shares is set
	limit   int        // bytes that may wait for the client; handlers wait beyond that
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
	numbers          []uint64 // of the notices in the queue, on the standalone stream of a shared session; 0 for other messages
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
	case s.isSingle():
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
	if s.done || s.discarded || !s.isSingle() {
		return false
	}
	s.addSingle(&message)
	s.noteReply(code, false)
	return true
}

// isSingle reports whether a reply would be the only message, which nothing stores. The caller holds the guard.
func (s *stream) isSingle() bool {
	return s.count == 0 && !s.standalone && !s.resumable && s.log == nil
}

// noteReply records the reply, or that there is none. The caller holds the guard.
func (s *stream) noteReply(code int, noReply bool) {
	if !s.standalone {
		s.done, s.code, s.noReply = true, code, noReply
		if s.current == nil {
			s.endedAt = time.Now()
		}
		s.wakeLog()
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
	s.notify(message, 0)
}

// notify is Notify for the notice with that number, 0 for none. The caller holds the guard.
func (s *stream) notify(message []byte, number uint64) {
	if s.done || s.discarded || !s.keepsFor(len(message), number) {
		return
	}
	s.add(message)
	if s.isSharedStandalone() {
		s.numbers = append(s.numbers, number)
	}
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

func (s *stream) append(message []byte) {
	s.queue = append(s.queue, message)
	s.waitingBytes += len(message)
	s.count++
	if s.resumable {
		s.session.retain(s, len(message))
	}
	if s.log != nil {
		s.log.pending += len(message)
		s.wakeLog()
		if s.log.broken {
			s.trim() // nothing else does where no response writes
		}
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

func (s *stream) full() bool {
	return s.current != nil && s.waitingBytes > s.limit || s.log != nil && s.log.full(s.limit)
}

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
	return (s.unthrottledBytes+3)/4 > s.limit || s.unthrottledBytes > minUnthrottled && s.memory.Short()
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
	switch {
	case s.done || s.discarded:
		return false
	case s.log != nil && s.current == nil:
		s.log.release(retry)
		return true
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
	s.wakeLog()
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

// makeResumable stores all messages, those that are queued and those to come. The
// caller holds the guard.
func (s *stream) makeResumable() {
	switch {
	case s.session == nil || s.resumable:
		return
	case s.session.shared != nil:
		if s.shares && s.log == nil {
			s.beginLog()
		}
		return
	}
	s.resumable = true
	s.unpool()
	s.session.register(s)
	for _, message := range s.queue {
		s.session.retain(s, len(message))
	}
}
