package mcphttp

import (
	"context"
	"encoding/binary"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// This file is the stream of one request in a session that replicas share. Its messages are appended to
// the [SessionStore] before they are written: a goroutine of the stream appends them one by one, and
// the response writes what is appended. A client that resumes reads from the store (sharedresume.go),
// at this replica too. A stream that becomes one plain reply has none of this.

// eventLog is how far the messages of a stream are appended. The guard of the stream protects it.
type eventLog struct {
	shared   *sharedSession
	name     string
	id       jsonrpc.ID    // of the request
	appended int           // the sequence number of the last message; -1 before the beginning
	pending  int           // bytes of messages that are not appended
	broken   bool          // the store has failed: messages are written without ids
	lost     bool          // another replica has ended the stream
	wake     chan struct{} // there is something to append, or nothing will come
}

// An event in the store is its kind, the id of the request, and a message. The number of the
// beginning is 1, that of the n-th message n+1.
const (
	beginEvent byte = iota + 1 // without a message; so that the stream exists when the client has an id
	messageEvent
	lastEvent // of the stream; it may be without a message
)

// appendStored writes an event for the store.
func appendStored(b []byte, kind byte, id jsonrpc.ID, text []byte) []byte {
	b = append(b, kind)
	b = binary.AppendUvarint(b, uint64(len(id.Raw())))
	b = append(b, id.Raw()...)
	return append(b, text...)
}

// readStored reads an event of the store.
func readStored(b []byte) (kind byte, id jsonrpc.ID, text []byte, ok bool) {
	if len(b) == 0 {
		return 0, id, nil, false
	}
	kind, b = b[0], b[1:]
	size, n := binary.Uvarint(b)
	if n <= 0 || size > uint64(len(b)-n) {
		return 0, id, nil, false
	}
	id, ok = jsonrpc.RawID(b[n : n+int(size)])
	return kind, id, b[n+int(size):], ok
}

// full reports whether too many bytes wait to be appended. The caller holds the guard.
func (l *eventLog) full(limit int) bool { return !l.broken && !l.lost && l.pending > limit }

// release ends the response at another replica that follows the stream. The client resumes after that time.
func (l *eventLog) release(retry time.Duration) {
	go func() {
		l.shared.releaseFollower(l.name, retry)
		l.shared.sendAll(context.Background(), message{Kind: releasedMessage, Stream: l.name, Retry: retry})
	}()
}

// keeps reports whether a client can resume the stream. The caller holds the guard.
func (l *eventLog) keeps() bool { return l != nil && !l.broken }

// sharedEventID is the id of an event of a stream that replicas share.
func sharedEventID(stream string, seq int) string { return stream + "-" + strconv.Itoa(seq) }

// parseSharedEventID parses the result of sharedEventID, also with the end of [response.emptyID].
func parseSharedEventID(id string) (owner, stream string, seq uint64, ok bool) {
	stream, rest, found := strings.Cut(id, "-")
	owner, number, dotted := strings.Cut(stream, ".")
	if !found || !dotted || !isRandomText(owner) {
		return "", "", 0, false
	}
	if n, err := strconv.Atoi(number); err != nil || n < 1 || strconv.Itoa(n) != number {
		return "", "", 0, false
	}
	seq, ok = parseSequence(rest)
	return owner, stream, seq, ok
}

// parseSequence parses a number, which that of an empty event may follow.
func parseSequence(text string) (seq uint64, ok bool) {
	text, empty, more := strings.Cut(text, "-")
	if n, err := strconv.ParseUint(empty, 10, 64); more && (err != nil || n < 1) { // up to 1<<32, also where int has 32 bits
		return 0, false
	}
	seq, err := strconv.ParseUint(text, 10, 62)
	return seq, err == nil
}

// call returns the stream of a call of this copy whose messages are being appended, nil if there is none.
func (c *sharedSession) call(name string) *stream {
	se := c.session.Load()
	se.mu.Lock()
	defer se.mu.Unlock()
	for _, s := range se.streams {
		if s.log != nil && s.log.name == name {
			return s
		}
	}
	return nil
}

// runs reports whether messages of a stream are being appended here.
func (c *sharedSession) runs(name string) bool { return c.call(name) != nil }

// detachCall ends the response of a stream, since the client reads it elsewhere.
func (c *sharedSession) detachCall(name string) {
	if s := c.call(name); s != nil {
		s.detachCurrent()
	}
}

// beginLog begins to append the messages of a stream. The caller holds the guard.
func (s *stream) beginLog() {
	c := s.session.shared
	s.unpool()
	s.session.register(s)
	s.log = &eventLog{shared: c, name: c.name + "." + strconv.Itoa(s.number), id: s.request, appended: -1, wake: make(chan struct{}, 1)}
	for _, message := range s.queue {
		s.log.pending += len(message)
	}
	c.core.sessions.logs.Add()
	go s.appendAll()
}

// wakeLog has the goroutine look at the stream. The caller holds the guard.
func (s *stream) wakeLog() {
	if s.log != nil {
		select {
		case s.log.wake <- struct{}{}:
		default:
		}
	}
}

// appendAll appends all messages, until the stream ends.
func (s *stream) appendAll() {
	l := s.log
	defer l.shared.core.sessions.logs.Done()
	after := uint64(0)
	kind, text := beginEvent, []byte(nil)
	for {
		err := l.append(after, kind, text)
		if !s.noteAppended(kind, err) {
			if err != nil && !endsElsewhere(err) {
				// The messages of the session do not wait for the log.
				l.shared.core.fails(context.Background(), "events of a session cannot be kept: its client cannot resume", err)
			}
			return
		}
		after++
		for {
			var more bool
			if kind, text, more = s.nextToAppend(); !more {
				return
			}
			if kind != 0 {
				break
			}
			<-l.wake
		}
	}
}

// append adds an event with the number after+1.
func (l *eventLog) append(after uint64, kind byte, text []byte) error {
	ctx := context.Background()
	c := l.shared
	sealed, err := c.core.host.Seal(ctx, eventPurpose(c.id, l.name, after+1), appendStored(nil, kind, l.id, text))
	if err != nil {
		return err
	}
	return withStore(ctx, func(ctx context.Context) error { return c.core.store.Append(ctx, c.id, l.name, after, sealed) })
}

// eventPurpose is what an event is sealed for: none can be moved within a stream, or to another one.
func eventPurpose(id, stream string, number uint64) string {
	return "event " + id + " " + stream + " " + strconv.FormatUint(number, 10)
}

// endsElsewhere reports whether an error of the store means that another replica has said how the call ends.
func endsElsewhere(err error) bool {
	return errors.Is(err, ErrConflict) || errors.Is(err, ErrNoSession)
}

// noteAppended records that an event is in the store. It reports false if nothing can follow.
func (s *stream) noteAppended(kind byte, err error) bool {
	l := s.log
	s.guard.Lock()
	defer s.guard.Unlock()
	defer s.signal()
	switch {
	case err != nil && endsElsewhere(err):
		l.lost = true
		s.discard()
		s.finishLog()
		return false
	case err != nil:
		l.broken = true
		s.trim()
		s.wakeAll()
		s.finishLog()
		return false
	}
	if kind != beginEvent && l.appended+1 < s.firstSeq+len(s.queue) {
		l.pending -= len(s.queue[l.appended+1-s.firstSeq])
	}
	l.appended++
	s.trim()
	s.wakeOne()
	if kind == lastEvent {
		s.finishLog()
		return false
	}
	return true
}

// nextToAppend returns the next event; the kind is 0 if there is none yet. It reports false if none
// will follow.
func (s *stream) nextToAppend() (kind byte, text []byte, more bool) {
	s.guard.Lock()
	defer s.guard.Unlock()
	next := s.log.appended + 1
	last := s.firstSeq + len(s.queue) - 1
	switch {
	case s.discarded:
		s.finishLog()
		return 0, nil, false
	case next < last, next == last && !s.done:
		return messageEvent, s.queue[next-s.firstSeq], true
	case next == last:
		return lastEvent, s.queue[next-s.firstSeq], true
	case s.done:
		return lastEvent, nil, true // it ends without a reply
	}
	return 0, nil, true
}

// finishLog records that nothing more is appended. The caller holds the guard.
func (s *stream) finishLog() { delete(s.session.streams, s.number) }

// nextAppended is [stream.next] for a stream with a log: only what is appended is written. The caller
// holds the guard.
func (s *stream) nextAppended(t *pending) {
	l := s.log
	if l.appended < 0 && !l.broken {
		t.events, t.done, t.released = false, false, false // the beginning is not stored yet
		return
	}
	t.events, t.withoutIDs = true, l.broken
	end := s.firstSeq + len(s.queue)
	if !l.broken {
		end = min(end, l.appended+1)
	}
	t.messages = append([][]byte(nil), s.queue[s.nextSeq-s.firstSeq:end-s.firstSeq]...)
	for _, message := range t.messages {
		s.waitingBytes -= len(message)
	}
	s.nextSeq = end
	t.done = s.done && end == s.firstSeq+len(s.queue)
	s.unthrottledBytes, s.newestBytes = 0, 0
	s.trim()
	s.wakeOne()
}

// trim drops messages that are appended and, if a client reads, written. The caller holds the guard.
func (s *stream) trim() {
	end := s.log.appended + 1
	if s.log.broken {
		end = s.firstSeq + len(s.queue)
	}
	if s.current != nil {
		end = min(end, s.nextSeq)
	}
	for s.firstSeq < end && len(s.queue) > 0 {
		if s.firstSeq >= s.nextSeq {
			s.nextSeq++
			s.waitingBytes -= len(s.queue[0])
		}
		s.charge(-messageCost(s.queue[0]))
		s.queue[0] = nil
		s.queue = s.queue[1:]
		s.firstSeq++
	}
}

// detachCurrent ends the response of a stream, since the client reads it elsewhere.
func (s *stream) detachCurrent() {
	s.guard.Lock()
	defer s.guard.Unlock()
	if s.current == nil {
		return
	}
	s.signal()
	s.current = nil
	s.wakeAll()
	switch {
	case s.log != nil:
		s.trim()
	case s.isSharedStandalone():
		s.dropNumbered()
	}
}
