package mcphttp

import (
	"context"
	"crypto/rand"
	"maps"
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
		if !s.endedAt.IsZero() && s.current == nil && now.Sub(s.endedAt) >= se.limits.EventTime {
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

// sessions are the open sessions of a handler.
type sessions struct {
	limits    *Limits
	transport string // its name, for handlers
	endings   *transport.Endings

	mu       sync.Mutex
	byID     map[string]*session
	count    clientlimit.Table
	expiring bool
	stopping <-chan struct{} // closed when the handler shuts down
}

func newSessions(l *Limits, name string, ended <-chan struct{}, endings *transport.Endings) *sessions {
	return &sessions{limits: l, transport: name, endings: endings, byID: map[string]*session{}, count: clientlimit.Table{}, stopping: ended}
}

// minIdle is how long a session must be idle before a new one may replace it.
const minIdle = time.Minute

// open opens a session. If there are too many, it ends the one that has been idle
// longest: otherwise clients that open sessions and leave would lock out all others
// until those expire. It returns nil if none has been idle for minIdle.
func (t *sessions) open(host transport.Server, who *requester, resumable bool) *session {
	if full, own := t.full(who.client); full {
		idle := t.mostIdle(who.client, own)
		if idle == nil {
			return nil
		}
		t.end(idle)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if full, _ := t.fullLocked(who.client); full {
		return nil // another request has taken the place
	}
	memory := host.Memory()
	if !memory.Take(sessionCost) {
		return nil
	}
	se := &session{
		memory: memory,
		id:     rand.Text(), principal: who.ID, client: who.client, limits: t.limits, streams: map[int]*stream{}, lastUsed: time.Now(),
		done: make(chan struct{}),
	}
	limit := host.Limits().QueueBytes
	if resumable {
		se.standalone = newStream(se, limit, memory)
		se.standalone.resumable = true
		se.streams[0] = se.standalone
	} else {
		se.standalone = newStream(nil, limit, memory)
	}
	se.standalone.standalone = true
	se.conn = host.Open(context.Background(), transport.Options{
		Transport: t.transport, SessionID: se.id, Endings: t.endings,
		Out: se.standalone, Ended: t.stopping, PingTimeout: func() { t.end(se) },
	})
	t.byID[se.id] = se
	t.count.Add(who.client)
	if !t.expiring {
		t.expiring = true
		go t.expire()
	}
	return se
}

// full reports whether there are too many sessions for one more, and whether the reason
// is the limit for one client.
func (t *sessions) full(client clientlimit.Client) (full, own bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.fullLocked(client)
}

// fullLocked is full for a caller that holds the lock.
func (t *sessions) fullLocked(client clientlimit.Client) (full, own bool) {
	own = t.count[client] >= t.limits.SessionsPerClient
	return own || len(t.byID) >= t.limits.Sessions, own
}

// mostIdle returns the session that has been idle longest: of that client if own is
// set, otherwise of the clients that have the most. It returns nil if none has been
// idle for minIdle.
func (t *sessions) mostIdle(client clientlimit.Client, own bool) (most *session) {
	t.mu.Lock()
	all, count := slices.Collect(maps.Values(t.byID)), maps.Clone(t.count)
	t.mu.Unlock()
	longest, largest := minIdle, 0
	now := time.Now()
	for _, se := range all {
		if own && se.client != client || count[se.client] < largest {
			continue
		}
		idle := se.idle(now)
		if idle < minIdle || count[se.client] == largest && idle < longest {
			continue
		}
		most, longest, largest = se, idle, count[se.client]
	}
	return most
}

// find returns the session with that id and principal, nil if there is none.
func (t *sessions) find(id, principal string) *session {
	t.mu.Lock()
	defer t.mu.Unlock()
	se := t.byID[id]
	if se == nil || se.principal != principal {
		return nil
	}
	return se
}

// end ends a session. It reports whether the session was open.
func (t *sessions) end(se *session) bool {
	t.mu.Lock()
	there := t.byID[se.id] == se
	if there {
		delete(t.byID, se.id)
		t.count.Remove(se.client)
	}
	t.mu.Unlock()
	se.close()
	return there
}

// all returns the open sessions.
func (t *sessions) all() []*session {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Collect(maps.Values(t.byID))
}

// expire ends idle sessions. It returns when none is left.
func (t *sessions) expire() {
	ticker := time.NewTicker(max(time.Millisecond, min(t.limits.IdleTime/4, t.limits.EventTime/4, time.Minute)))
	defer ticker.Stop()
	for {
		select {
		case <-t.stopping:
			return
		case <-ticker.C:
		}
		for _, se := range t.all() {
			if se.expireStreams(time.Now()) {
				t.end(se)
			}
		}
		t.mu.Lock()
		if len(t.byID) == 0 {
			t.expiring = false
			t.mu.Unlock()
			return
		}
		t.mu.Unlock()
	}
}
