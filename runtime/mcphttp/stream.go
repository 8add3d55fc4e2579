package mcphttp

import (
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/membudget"
	"github.com/mcpgen/mcpgen/runtime/internal/transport"
	"github.com/mcpgen/mcpgen/runtime/mcphttp/internal/sharedsession"
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

// stream is the queue of messages of one request, or of messages that do not belong to a request,
// and the position up to which they are written. Handlers add messages and never touch the HTTP
// response. The attached response's goroutine writes them. Another response may be attached later,
// to resume the stream.
type stream struct {
	// guard is &lock, or the lock of the session: the streams of a session share one store of
	// events.
	guard   *sync.Mutex
	lock    sync.Mutex
	notFull *sync.Cond // on guard; nil until a handler waits

	session    *session               // the session in which the client can resume the stream; nil if it cannot
	newLog     func(*stream) eventLog // creates the log; nil if the client cannot resume, or the log exists
	log        eventLog               // nil until the response is an event stream that the client can resume
	notices    *sharedsession.Notices // numbers the events of a standalone stream instead of a log; nil for others
	limit      int                    // bytes of waiting messages above which handlers wait
	standalone bool                   // does not end with a reply
	discarded  bool                   // further messages are dropped
	number     int                    // number in the session; 0 is the standalone stream
	outcome

	queue
	count            int // messages so far
	emptyEvents      int // events without data that have been written
	unthrottledBytes int // bytes of replies queued without waiting, except the newest
	newestBytes      int // size of the newest such reply

	current         *attachment
	firstAttachment attachment // storage for one response, which suffices for most streams
}

// outcome describes the end of a stream or of its response.
type outcome struct {
	done       bool // the last message is queued
	noReply    bool // the request gets no reply
	code       int  // code of the reply's error
	rejected   bool
	overloaded bool  // the server had no capacity for the request
	denied     error // the caller may not use the feature: an *mcp.AccessError
	released   bool  // the response is completed early; the client resumes after retry
	retry      time.Duration
}

func newStream(se *session, limit int, memory *membudget.Budget) *stream {
	s := &stream{session: se, limit: limit, queue: queue{memory: memory, firstSeq: 1, nextSeq: 1}}
	s.guard = &s.lock
	if se != nil {
		s.guard = &se.mu
		if se.shared == nil {
			s.newLog = newMemoryLog
		}
	}
	return s
}

// Reply queues the reply. It is the last message, except on standalone streams.
func (s *stream) Reply(message []byte, code int) {
	s.guard.Lock()
	defer s.guard.Unlock()
	s.reply(message, code)
}

// reply is like Reply. The caller holds the guard.
func (s *stream) reply(message []byte, code int) {
	switch {
	case s.done || s.discarded:
		return
	case len(message) == 0:
	case s.isSingle():
		plain := getBuffer(len(message))
		*plain = append(*plain, message...)
		s.replySingle(plain, code)
		return
	default:
		s.add(message, 0)
	}
	s.noteReply(code, len(message) == 0)
}

// Own is like Reply without a copy: the storage of the message belongs to the stream afterwards.
func (s *stream) Own(message []byte, code int) bool {
	s.guard.Lock()
	defer s.guard.Unlock()
	if s.done || s.discarded || !s.isSingle() {
		return false
	}
	s.replySingle(&message, code)
	return true
}

// isSingle reports whether a reply would be the only message, and is not stored by a log. The
// caller holds the guard.
func (s *stream) isSingle() bool {
	return s.count == 0 && !s.standalone && s.log == nil
}

// noteReply records the reply, or that the request gets none. The caller holds the guard.
func (s *stream) noteReply(code int, noReply bool) {
	if !s.standalone {
		s.done, s.code, s.noReply = true, code, noReply
		s.changed()
	}
	s.signal()
}

// Answer queues a reply without throttling: its sender has not waited for room.
func (s *stream) Answer(message []byte, code int) { s.answer(message, code, nil) }

// Refuse queues the error for a request that was not accepted.
func (s *stream) Refuse(message []byte, code int) { s.answer(message, code, &s.rejected) }

// Overload queues the error for a request that the server has no capacity for.
func (s *stream) Overload(message []byte, code int) { s.answer(message, code, &s.overloaded) }

// answer is like Answer, and sets the flag of the outcome that tells the reason, which may be nil.
func (s *stream) answer(message []byte, code int, why *bool) {
	s.guard.Lock()
	defer s.guard.Unlock()
	s.unthrottledBytes += s.newestBytes
	s.newestBytes = len(message)
	if why != nil && !s.standalone {
		*why = true
	}
	s.reply(message, code)
}

// Deny records the reason why the caller may not use a feature. The reply follows.
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

// NotifyNumbered implements [transport.Numberer].
func (s *stream) NotifyNumbered(message []byte, number uint64) {
	s.guard.Lock()
	defer s.guard.Unlock()
	if s.notices == nil {
		number = 0
	} else {
		number = s.notices.Number(number)
	}
	s.notify(message, number)
}

// notify is like Notify for the notice with that number, or 0. The caller holds the guard.
func (s *stream) notify(message []byte, notice uint64) {
	switch {
	case s.done || s.discarded:
		return
	case s.notices != nil && s.current == nil && (notice > 0 || s.waiting+len(message) > s.limit):
		return // the client is notified of notices when it resumes; other messages wait for it here, within limits
	}
	s.add(message, notice)
	s.signal()
}

// add queues a copy of a message. The caller holds the guard.
func (s *stream) add(message []byte, notice uint64) {
	s.charge(messageCost(message))
	s.messages = append(s.messages, queued{append([]byte(nil), message...), notice})
	s.waiting += len(message)
	s.count++
	s.changed()
}

// replySingle records the reply that is the only message of a stream without a log. In most cases
// it is written at once, and its pooled buffer is reused; see [stream.recycle]. The caller holds
// the guard.
func (s *stream) replySingle(plain *[]byte, code int) {
	s.pooled = plain
	if cost := bufferCost(cap(*plain)); cost > 0 {
		s.charge(cost)
	}
	s.messages, s.waiting, s.count = append(s.single[:0], queued{text: *plain}), len(*plain), 1
	s.done, s.code = true, code
	s.signal()
}

// changed makes the log look at the stream. The caller holds the guard.
func (s *stream) changed() {
	if s.log != nil {
		s.log.Changed()
	}
}

// signal wakes the response. The caller holds the guard.
func (s *stream) signal() {
	if s.current == nil {
		return
	}
	select {
	case s.current.wake <- struct{}{}:
	default: // a response that is not waiting reads the queue before it waits
	}
}

// FlushAsync does nothing: the response goroutine writes, and signal has woken it.
func (s *stream) FlushAsync() {}

// Flush wakes one waiting handler, if there is room.
func (s *stream) Flush() {
	s.memory.Trim()
	s.guard.Lock()
	defer s.guard.Unlock()
	s.wakeOne()
}

// wakeOne wakes one waiting handler, if there is room; see [transport.Sink]. The caller holds the
// guard.
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

// Full reports whether the attached client does not read fast enough, or the log is too slow.
// Without an attached client, handlers wait for the log alone.
func (s *stream) Full() bool {
	s.guard.Lock()
	defer s.guard.Unlock()
	return s.full()
}

func (s *stream) full() bool {
	return s.waiting > s.limit && (s.current != nil || s.log != nil && s.log.Ready() < s.endSeq())
}

// Listening reports whether a response is attached.
func (s *stream) Listening() bool {
	s.guard.Lock()
	defer s.guard.Unlock()
	return s.current != nil
}

// stalled reports whether more unthrottled replies are queued than the client can be expected to
// read. The newest reply does not count: it may be longer than the limit.
func (s *stream) stalled() bool {
	s.guard.Lock()
	defer s.guard.Unlock()
	return (s.unthrottledBytes+3)/4 > s.limit || s.unthrottledBytes > minUnthrottled && s.memory.Short()
}

// minUnthrottled is the number of bytes of unthrottled replies that may always be queued.
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

// wakeAll wakes all waiting handlers, of which there are or were some. The caller holds the guard.
func (s *stream) wakeAll() { s.notFull.Broadcast() }

// Release completes the response before the reply; the client resumes the stream. It returns false
// if the client cannot resume: only in sessions whose event streams begin with a priming event it
// can.
func (s *stream) Release(retry time.Duration) bool {
	if s.session == nil || s.standalone || !s.session.primes() {
		return false
	}
	s.guard.Lock()
	defer s.guard.Unlock()
	switch {
	case s.done || s.discarded || s.log == nil && s.newLog == nil:
		return false
	case s.current != nil:
		s.released, s.retry = true, retry
		s.signal()
	case s.session.shared != nil:
		s.session.shared.Release(s.number, retry)
	}
	return true
}

// nextEmpty returns the number of the next event without data.
func (s *stream) nextEmpty() int {
	s.guard.Lock()
	defer s.guard.Unlock()
	s.emptyEvents++
	return s.emptyEvents
}

// discard drops all messages, including messages that are added later. The caller holds the guard.
func (s *stream) discard() {
	s.discarded = true
	s.clear()
	s.signal()
	if s.notFull != nil {
		s.wakeAll()
	}
	if s.log != nil {
		s.changed()
	}
}
