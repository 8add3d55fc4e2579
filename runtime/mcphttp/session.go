package mcphttp

import (
	"slices"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/clientlimit"
	"github.com/mcpgen/mcpgen/runtime/internal/membudget"
	"github.com/mcpgen/mcpgen/runtime/internal/transport"
)

// session is opened by initialize in the revisions up to 2025-11-25. It has the
// identity of the client, and the streams that the client can resume.
type session struct {
	id        string
	principal string
	client    clientlimit.Client // limits are counted by it
	conn      transport.Conn
	limits    *Limits
	shared    *sharedSession // nil if the session is that of this process alone

	mu         sync.Mutex // guards the streams too
	standalone *stream
	streams    map[int]*stream   // resumable ones, by number
	last       int               // highest number of a stream
	bytes      int               // of stored messages
	byAge      []retainedMessage // stored messages, the oldest first
	listed     bool              // in the list of the memory budget
	memory     *membudget.Budget
	busy       int       // HTTP requests in progress
	lastUsed   time.Time // end of the last request
	closed     bool
	done       chan struct{} // closed when the session ends
}

// retainedMessage is the entry of a stored message in byAge, with its age. The n-th entry of
// a stream belongs to the n-th of its stored messages.
type retainedMessage struct {
	stream *stream
	age    uint64
}

// register gives a stream its number and makes it available for resumption. The caller
// holds the lock.
func (se *session) register(s *stream) {
	if s.number == 0 && !s.standalone {
		se.last++
		s.number = se.last
	}
	if !se.closed {
		se.streams[s.number] = s
	}
}

// retain counts a stored message. The caller holds the lock.
func (se *session) retain(s *stream, size int) {
	se.bytes += size
	se.byAge = append(se.byAge, retainedMessage{s, se.memory.Age()})
	se.evict()
	se.listForShedding()
}

// listForShedding reports to the memory budget that the session has messages to drop. The
// caller holds the lock.
func (se *session) listForShedding() {
	if !se.listed && !se.closed && len(se.byAge) > 0 {
		se.listed = true
		se.memory.List(se, se.byAge[0].age)
	}
}

// Shed drops the oldest message that is not about to be written; see
// [membudget.Holder].
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

// evict drops the oldest messages until the rest is within the limit, except those that
// are about to be written. The caller holds the lock.
func (se *session) evict() {
	for se.bytes > se.limits.EventBytes && len(se.byAge) > 0 && se.dropOldest(se.byAge[0].stream) {
		se.byAge = se.byAge[1:]
	}
	if se.bytes <= se.limits.EventBytes || len(se.byAge) == 0 {
		return
	}
	// The oldest one waits for a slow client: drop later ones.
	rest := se.byAge[:0]
	for _, k := range se.byAge {
		if se.bytes <= se.limits.EventBytes || !se.dropOldest(k.stream) {
			rest = append(rest, k)
		}
	}
	clear(se.byAge[len(rest):])
	se.byAge = rest
}

// dropOldest drops the oldest message of a stream. It reports false if that is about to
// be written. The caller holds the lock.
func (se *session) dropOldest(s *stream) bool {
	size, ok := s.evict()
	if !ok {
		return false
	}
	se.bytes -= size
	if len(s.queue) == 0 && s.done {
		delete(se.streams, s.number)
	}
	return true
}

// acquire counts an HTTP request of the session. It reports false if the session has
// ended.
func (se *session) acquire() bool {
	se.mu.Lock()
	defer se.mu.Unlock()
	if se.closed {
		return false
	}
	se.busy++
	return true
}

func (se *session) release() {
	se.mu.Lock()
	defer se.mu.Unlock()
	se.busy--
	se.lastUsed = time.Now()
}

// find returns the resumable stream with that number, nil if there is none.
func (se *session) find(number int) *stream {
	se.mu.Lock()
	defer se.mu.Unlock()
	return se.streams[number]
}

// expireStreams drops streams that ended EventTime ago, and reports whether the session
// has been idle for IdleTime.
func (se *session) expireStreams(now time.Time) (idle bool) {
	running := se.conn.Active() > 0
	se.mu.Lock()
	defer se.mu.Unlock()
	forgotten := false
	for number, s := range se.streams {
		if !s.endedAt.IsZero() && s.log == nil && s.current == nil && now.Sub(s.endedAt) >= se.limits.EventTime {
			for _, message := range s.queue {
				se.bytes -= len(message)
			}
			s.clear()
			delete(se.streams, number)
			forgotten = true
		}
	}
	if forgotten {
		se.byAge = slices.DeleteFunc(se.byAge, func(k retainedMessage) bool { return k.stream.queue == nil })
	}
	if se.busy > 0 || running {
		se.lastUsed = now
	}
	return now.Sub(se.lastUsed) >= se.limits.IdleTime
}

// idle returns for how long the session has been unused.
func (se *session) idle(now time.Time) time.Duration {
	running := se.conn.Active() > 0
	se.mu.Lock()
	defer se.mu.Unlock()
	if se.busy > 0 || running {
		return 0
	}
	return now.Sub(se.lastUsed)
}

// close ends the session: running calls are cancelled, and responses end.
func (se *session) close() {
	se.conn.Close()
	if se.discardStreams() {
		se.memory.Unlist(se)
		se.memory.Release(sessionCost)
	}
	se.standalone.closeUnread()
	if se.shared != nil {
		se.shared.stop()
	}
}

// discardStreams drops what is stored. It reports false if the session has ended
// before.
func (se *session) discardStreams() bool {
	se.mu.Lock()
	defer se.mu.Unlock()
	if se.closed {
		return false
	}
	se.closed = true
	for _, s := range se.streams {
		if s.current == nil { // otherwise the response writes what is queued
			s.discard()
		}
	}
	clear(se.streams)
	se.byAge = nil
	close(se.done)
	return true
}

// sessionCost is charged for each session, besides its messages.
const sessionCost = 4 << 10
