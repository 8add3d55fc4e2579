package mcphttp

import (
	"context"
	"crypto/rand"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/link"
	"github.com/mcpgen/mcpgen/runtime/internal/membudget"
	"github.com/mcpgen/mcpgen/runtime/internal/share"
)

// session is what initialize opens in the revisions up to 2025-11-25: a client, who
// it is, and the streams that it can come back to.
type session struct {
	id        string
	principal string
	client    share.Client // for whom it counts
	conn      link.Conn
	limits    *Limits

	mu       sync.Mutex // also of its streams
	standing *stream
	streams  map[int]*stream // those that are kept, by number
	last     int             // number given to a stream
	bytes    int             // of messages that are kept
	order    []keptMessage   // the oldest first
	listed   bool            // among those that have something to give up
	memory   *membudget.Budget
	busy     int       // HTTP requests
	used     time.Time // when the last one ended
	over     bool
	done     chan struct{} // closed then
}

// keptMessage is the oldest message of a stream that is not in front of it, and how old
// it is.
type keptMessage struct {
	stream *stream
	age    uint64
}

// enter numbers a stream. The caller holds the lock.
func (se *session) enter(s *stream) {
	if s.number == 0 && !s.standing {
		se.last++
		s.number = se.last
	}
	if !se.over {
		se.streams[s.number] = s
	}
}

// keep counts a message that is kept. The caller holds the lock.
func (se *session) keep(s *stream, size int) {
	se.bytes += size
	se.order = append(se.order, keptMessage{s, se.memory.Age()})
	se.evict()
	se.list()
}

// list lets the budget of the server know that there is something to give up. The caller
// holds the lock.
func (se *session) list() {
	if !se.listed && !se.over && len(se.order) > 0 {
		se.listed = true
		se.memory.List(se, se.order[0].age)
	}
}

// Shed gives up the oldest message for which nobody waits; see [membudget.Holder].
func (se *session) Shed(age uint64) (oldest uint64, more bool) {
	se.mu.Lock()
	defer se.mu.Unlock()
	for i := 0; i < len(se.order); i++ {
		if k := se.order[i]; k.age > age {
			return k.age, true
		} else if !se.forget(k.stream) {
			continue
		}
		se.order = slices.Delete(se.order, i, i+1)
		if i < len(se.order) {
			return se.order[i].age, true
		}
	}
	se.listed = false
	return 0, false
}

// evict forgets the oldest messages until the rest is within the limit, but none
// that a client is about to read. The caller holds the lock.
func (se *session) evict() {
	for se.bytes > se.limits.EventBytes && len(se.order) > 0 && se.forget(se.order[0].stream) {
		se.order = se.order[1:]
	}
	if se.bytes <= se.limits.EventBytes || len(se.order) == 0 {
		return
	}
	// The oldest is one that a client is slow to read: later ones must go.
	rest := se.order[:0]
	for _, k := range se.order {
		if se.bytes <= se.limits.EventBytes || !se.forget(k.stream) {
			rest = append(rest, k)
		}
	}
	clear(se.order[len(rest):])
	se.order = rest
}

// forget forgets the oldest message of a stream. It reports false where that is yet
// to be read. The caller holds the lock.
func (se *session) forget(s *stream) bool {
	size, ok := s.evict()
	if !ok {
		return false
	}
	se.bytes -= size
	if len(s.log) == 0 && s.done {
		delete(se.streams, s.number)
	}
	return true
}

// begin notes an HTTP request of the session. It reports false if that is over.
func (se *session) begin() bool {
	se.mu.Lock()
	defer se.mu.Unlock()
	if se.over {
		return false
	}
	se.busy++
	return true
}

func (se *session) end() {
	se.mu.Lock()
	defer se.mu.Unlock()
	se.busy--
	se.used = time.Now()
}

// find returns a stream that is kept, nil if there is none of that number.
func (se *session) find(number int) *stream {
	se.mu.Lock()
	defer se.mu.Unlock()
	return se.streams[number]
}

// tidy forgets streams that have ended a while ago, and reports whether the session
// has been idle for too long.
func (se *session) tidy(now time.Time) (idle bool) {
	running := se.conn.Active() > 0
	se.mu.Lock()
	defer se.mu.Unlock()
	forgotten := false
	for number, s := range se.streams {
		if !s.ended.IsZero() && s.reader == nil && now.Sub(s.ended) >= se.limits.EventTime {
			for _, message := range s.log {
				se.bytes -= len(message)
			}
			s.clear()
			delete(se.streams, number)
			forgotten = true
		}
	}
	if forgotten {
		se.order = slices.DeleteFunc(se.order, func(k keptMessage) bool { return k.stream.log == nil })
	}
	if se.busy > 0 || running {
		se.used = now
	}
	return now.Sub(se.used) >= se.limits.IdleTime
}

// idle returns for how long nobody has used the session.
func (se *session) idle(now time.Time) time.Duration {
	running := se.conn.Active() > 0
	se.mu.Lock()
	defer se.mu.Unlock()
	if se.busy > 0 || running {
		return 0
	}
	return now.Sub(se.used)
}

// close ends the session: what runs is cancelled, and responses end.
func (se *session) close() {
	se.conn.Close()
	if se.finish() {
		se.memory.Unlist(se)
		se.memory.Release(sessionCost)
	}
	se.standing.end()
}

// finish forgets what is kept. It reports false if the session has ended before.
func (se *session) finish() bool {
	se.mu.Lock()
	defer se.mu.Unlock()
	if se.over {
		return false
	}
	se.over = true
	for _, s := range se.streams {
		if s.reader == nil { // otherwise the response writes what is there
			s.discard()
		}
	}
	clear(se.streams)
	se.order = nil
	close(se.done)
	return true
}

// sessionCost is what is charged for a session, besides what it keeps.
const sessionCost = 4 << 10

// sessions are those of a handler.
type sessions struct {
	limits *Limits

	mu      sync.Mutex
	byID    map[string]*session
	count   share.Table
	tidying bool
	ended   <-chan struct{} // closed when the handler closes
}

func newSessions(l *Limits, ended <-chan struct{}) *sessions {
	return &sessions{limits: l, byID: map[string]*session{}, count: share.Table{}, ended: ended}
}

// patience is how long a session that nobody uses is safe from those who want to
// open one where there are too many.
const patience = time.Minute

// open makes a session, which nobody knows of yet. It returns nil where there are
// too many. Otherwise those who open sessions and leave would lock out everybody
// until they are tidied away: the one that has been idle for longest makes room.
func (t *sessions) open(host link.Host, who *visitor, resumable bool) *session {
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
		return nil // somebody else was faster
	}
	memory := host.Memory()
	if !memory.Take(sessionCost) {
		return nil
	}
	se := &session{
		memory: memory,
		id:     rand.Text(), principal: who.ID, client: who.client, limits: t.limits, streams: map[int]*stream{}, used: time.Now(),
		done: make(chan struct{}),
	}
	limit := host.Limits().QueueBytes
	if resumable {
		se.standing = newStream(se, limit, memory)
		se.standing.kept = true
		se.streams[0] = se.standing
	} else {
		se.standing = newStream(nil, limit, memory)
	}
	se.standing.standing = true
	se.conn = host.Open(context.Background(), link.Options{
		Out: se.standing, Ended: t.ended, Silent: func() { t.end(se) },
	})
	t.byID[se.id] = se
	t.count.Add(who.client)
	if !t.tidying {
		t.tidying = true
		go t.tidy()
	}
	return se
}

// full reports whether there are too many sessions for one more, and whether that is
// because of the client's own.
func (t *sessions) full(client share.Client) (full, own bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.fullLocked(client)
}

// fullLocked is full for a caller that holds the lock.
func (t *sessions) fullLocked(client share.Client) (full, own bool) {
	own = t.count[client] >= t.limits.SessionsPerClient
	return own || len(t.byID) >= t.limits.Sessions, own
}

// mostIdle returns the session that has been idle for longest: of that client, or else
// of one of those that have the most. It returns nil if none has been for long.
func (t *sessions) mostIdle(client share.Client, own bool) (most *session) {
	t.mu.Lock()
	all, count := slices.Collect(maps.Values(t.byID)), maps.Clone(t.count)
	t.mu.Unlock()
	longest, largest := patience, 0
	now := time.Now()
	for _, se := range all {
		if own && se.client != client || count[se.client] < largest {
			continue
		}
		idle := se.idle(now)
		if idle < patience || count[se.client] == largest && idle < longest {
			continue
		}
		most, longest, largest = se, idle, count[se.client]
	}
	return most
}

// find returns the session with that id, if it is of that principal.
func (t *sessions) find(id, principal string) *session {
	t.mu.Lock()
	defer t.mu.Unlock()
	se := t.byID[id]
	if se == nil || se.principal != principal {
		return nil
	}
	return se
}

// end ends a session. It reports whether it was there.
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

// all returns the sessions that are open.
func (t *sessions) all() []*session {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Collect(maps.Values(t.byID))
}

// tidy ends idle sessions, as long as there are any.
func (t *sessions) tidy() {
	ticker := time.NewTicker(max(time.Millisecond, min(t.limits.IdleTime/4, t.limits.EventTime/4, time.Minute)))
	defer ticker.Stop()
	for {
		select {
		case <-t.ended:
			return
		case <-ticker.C:
		}
		for _, se := range t.all() {
			if se.tidy(time.Now()) {
				t.end(se)
			}
		}
		t.mu.Lock()
		if len(t.byID) == 0 {
			t.tidying = false
			t.mu.Unlock()
			return
		}
		t.mu.Unlock()
	}
}
