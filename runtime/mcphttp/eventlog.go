package mcphttp

import (
	"math"
	"slices"
	"strconv"
	"time"
)

// eventLog stores the messages of a stream for a client that resumes. There are two
// implementations: in the memory of this process ([memoryLog]), and in a store of replicas (package
// sharedsession). The caller of a method holds the guard of the stream.
type eventLog interface {
	// Changed is called when a message is added to the stream, when the stream is complete, when
	// messages are taken or dropped, and when the response is detached.
	Changed()
	// Ready returns the sequence number before which messages may be written, or 0 before the log
	// has begun.
	Ready() int
	// ID returns the id of the event with that sequence number.
	ID(seq int) string
}

// beginLog makes the stream keep all messages, the queued ones and those to come. The caller holds
// the guard.
func (s *stream) beginLog() {
	if begin := s.newLog; begin != nil {
		s.newLog = nil
		s.unpool()
		s.session.register(s)
		s.log = begin(s)
		s.log.Changed()
	}
}

// memoryLog leaves the messages in the queue of the stream, within the limits of the session.
type memoryLog struct {
	s       *stream
	next    int       // sequence number of the next message to be counted
	endedAt time.Time // zero while the stream is not complete, or a response is attached
}

func newMemoryLog(s *stream) eventLog { return &memoryLog{s: s, next: s.firstSeq} }

func (l *memoryLog) Ready() int { return math.MaxInt }

func (l *memoryLog) ID(seq int) string {
	return strconv.Itoa(l.s.number) + "-" + strconv.Itoa(seq)
}

func (l *memoryLog) Changed() {
	s, se := l.s, l.s.session
	for ; l.next < s.endSeq(); l.next++ {
		size := len(s.messages[l.next-s.firstSeq].text)
		se.bytes += size
		se.byAge = append(se.byAge, retainedMessage{s, se.memory.Age()})
	}
	if s.done && s.current == nil {
		l.endedAt = time.Now()
	}
	se.evict()
	se.listForShedding()
}

// retainedMessage is the entry of a stored message in byAge, with its age. The n-th entry of a
// stream belongs to its n-th stored message.
type retainedMessage struct {
	stream *stream
	age    uint64
}

// listForShedding reports to the memory budget that the session has messages to drop. The caller
// holds the lock.
func (se *session) listForShedding() {
	if !se.listed && !se.closed && len(se.byAge) > 0 {
		se.listed = true
		se.memory.List(se, se.byAge[0].age)
	}
}

// Shed drops the oldest message that is not about to be written; see [membudget.Holder].
func (se *session) Shed(age uint64) (oldest uint64, more bool) {
	se.mu.Lock()
	defer se.mu.Unlock()
	for i := 0; i < len(se.byAge); i++ {
		if k := se.byAge[i]; k.age > age {
			return k.age, true
		} else if !se.dropOldest(k.stream) {
			continue
		}
		se.byAge = slices.Delete(se.byAge, i, i+1)
		if i < len(se.byAge) {
			return se.byAge[i].age, true
		}
	}
	se.listed = false
	return 0, false
}

// evict drops the oldest messages until the rest is within the limit, except messages that are
// about to be written. The caller holds the lock.
func (se *session) evict() {
	for se.bytes > se.limits.EventBytes && len(se.byAge) > 0 && se.dropOldest(se.byAge[0].stream) {
		se.byAge = se.byAge[1:]
	}
	if se.bytes <= se.limits.EventBytes || len(se.byAge) == 0 {
		return
	}
	// The oldest message waits for a slow client: drop later ones.
	rest := se.byAge[:0]
	for _, k := range se.byAge {
		if se.bytes <= se.limits.EventBytes || !se.dropOldest(k.stream) {
			rest = append(rest, k)
		}
	}
	clear(se.byAge[len(rest):])
	se.byAge = rest
}

// dropOldest drops the oldest message of a stream. It returns false if that message is about to be
// written. The caller holds the lock.
func (se *session) dropOldest(s *stream) bool {
	size, ok := s.evict()
	if !ok {
		return false
	}
	se.bytes -= size
	if len(s.messages) == 0 && s.done {
		delete(se.streams, s.number)
	}
	return true
}

// expireStreams drops streams that were completed EventTime ago.
func (se *session) expireStreams(now time.Time) {
	se.mu.Lock()
	defer se.mu.Unlock()
	for number, s := range se.streams {
		if l, kept := s.log.(*memoryLog); kept && !l.endedAt.IsZero() && s.current == nil && now.Sub(l.endedAt) >= se.limits.EventTime {
			for _, m := range s.messages {
				se.bytes -= len(m.text)
			}
			s.clear()
			delete(se.streams, number)
		}
	}
	se.byAge = slices.DeleteFunc(se.byAge, func(k retainedMessage) bool { return k.stream.messages == nil })
}
