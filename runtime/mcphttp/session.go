package mcphttp

import (
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/clientlimit"
	"github.com/mcpgen/mcpgen/runtime/internal/membudget"
	"github.com/mcpgen/mcpgen/runtime/internal/transport"
	"github.com/mcpgen/mcpgen/runtime/mcphttp/internal/sharedsession"
)

// session is a session that initialize opens in the revisions up to 2025-11-25. It identifies the
// client, and contains the streams that the client can resume.
type session struct {
	id        string
	principal string
	client    clientlimit.Client // the unit of limits per client
	conn      transport.Conn
	limits    *Limits
	shared    *sharedsession.Session // nil if the session belongs to this process only

	mu         sync.Mutex // guards the following fields, and the streams
	standalone *stream
	streams    map[int]*stream   // resumable ones, by number
	last       int               // highest number of a stream
	bytes      int               // bytes of stored messages
	byAge      []retainedMessage // stored messages, the oldest first
	listed     bool              // registered in the memory budget
	memory     *membudget.Budget
	busy       int       // HTTP requests in progress
	lastUsed   time.Time // end of the last request
	closed     bool
	done       chan struct{} // closed when the session is closed
}

// register gives a stream its number and makes it available for resumption. The caller holds the
// lock.
func (se *session) register(s *stream) {
	if s.number == 0 && !s.standalone {
		se.last++
		s.number = se.last
	}
	if !se.closed {
		se.streams[s.number] = s
	}
}

// acquire counts an HTTP request of the session. It returns false if the session is closed.
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

// primes reports whether event streams of the session begin with an event without data, whose id
// allows a client to resume.
func (se *session) primes() bool {
	rev := se.conn.Negotiated()
	return rev != nil && rev.Fields.Polling
}

// find returns the resumable stream with that number, or nil.
func (se *session) find(number int) *stream {
	se.mu.Lock()
	defer se.mu.Unlock()
	return se.streams[number]
}

// idle returns the time for which the session has been unused.
func (se *session) idle(now time.Time) time.Duration {
	running := se.conn.Active() > 0
	se.mu.Lock()
	defer se.mu.Unlock()
	if se.busy > 0 || running {
		se.lastUsed = now
	}
	return now.Sub(se.lastUsed)
}

// close closes the session: it cancels running calls, and completes responses.
func (se *session) close() {
	se.conn.Close()
	if se.discardStreams() {
		se.memory.Unlist(se)
		se.memory.Release(sessionCost)
	}
	if se.shared != nil {
		se.shared.Leave()
	}
}

// discardStreams drops the stored messages. It returns false if the session was closed before.
func (se *session) discardStreams() bool {
	se.mu.Lock()
	defer se.mu.Unlock()
	if se.closed {
		return false
	}
	se.closed = true
	for _, s := range se.streams {
		if s.current == nil { // otherwise the response writes the queue
			s.discard()
		}
	}
	clear(se.streams)
	se.byAge = nil
	close(se.done)
	return true
}

// sessionCost is charged for each session, in addition to its messages.
const sessionCost = 4 << 10
