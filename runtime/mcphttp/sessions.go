package mcphttp

import (
	"context"
	"crypto/rand"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/clientlimit"
	"github.com/mcpgen/mcpgen/runtime/internal/transport"
	"github.com/mcpgen/mcpgen/runtime/mcphttp/internal/sharedsession"
)

// sessions are the open sessions of a handler.
type sessions struct {
	limits    *Limits
	share     int    // limit of one client, in percent
	transport string // name of the transport, for handlers
	endings   *transport.Endings

	mu       sync.Mutex
	byID     map[string]*session
	count    clientlimit.Table
	expiring bool
	stopping <-chan struct{} // closed when the handler shuts down
}

func newSessions(l *Limits, share int, name string, ended <-chan struct{}, endings *transport.Endings) *sessions {
	return &sessions{limits: l, share: share, transport: name, endings: endings, byID: map[string]*session{}, count: clientlimit.Table{}, stopping: ended}
}

// minIdle is the time for which a session must be idle before a new one may replace it.
const minIdle = time.Minute

// open opens a session of this process, whose streams can be resumed or not.
func (t *sessions) open(host transport.Server, who *requester, resumable bool) *session {
	se, _ := t.add(host, who, resumable, nil)
	return se
}

// add adds a session, or returns the existing session with the same id. If the limit is reached, it
// closes the session that has been idle longest: otherwise clients that open sessions and leave
// would lock out all others until those sessions expire. It returns nil if no session has been idle
// for minIdle.
func (t *sessions) add(host transport.Server, who *requester, resumable bool, shared *sharedsession.Session) (se *session, added bool) {
	t.mu.Lock()
	full, own := t.full(who.client)
	t.mu.Unlock()
	if full {
		idle := t.mostIdle(who.client, own)
		if idle == nil {
			return nil, false
		}
		t.end(idle)
	}
	id := rand.Text()
	if shared != nil {
		id = shared.ID
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if other := t.byID[id]; other != nil {
		return other, false
	}
	if full, _ := t.full(who.client); full {
		return nil, false // another request has taken the free place
	}
	memory := host.Memory()
	if !memory.Take(sessionCost) {
		return nil, false
	}
	se = &session{
		memory: memory,
		id:     id, principal: who.ID, client: who.client, limits: t.limits, streams: map[int]*stream{}, lastUsed: time.Now(),
		done: make(chan struct{}), shared: shared,
	}
	var resumed *session
	if resumable {
		resumed = se
	}
	se.standalone = newStream(resumed, host.Limits().QueueBytes, memory)
	se.standalone.standalone = true
	se.standalone.beginLog()
	options := transport.Options{
		Transport: t.transport, SessionID: se.id, Endings: t.endings,
		Out: se.standalone, Ended: t.stopping, PingTimeout: func() { t.end(se) },
	}
	if shared != nil {
		se.standalone.useNotices(&shared.Notices)
		shared.SetOptions(&options)
	}
	se.conn = host.Open(context.Background(), options)
	if shared != nil {
		shared.Open(se.conn, localSession{se, t})
	}
	t.byID[se.id] = se
	t.count.Add(who.client)
	if !t.expiring {
		t.expiring = true
		go t.expire()
	}
	return se, true
}

// full reports whether the limit is reached, and whether it is the limit for one client. The caller
// holds the lock.
func (t *sessions) full(client clientlimit.Client) (full, own bool) {
	own = t.count[client] >= clientlimit.Share(t.limits.Sessions, t.share)
	return own || len(t.byID) >= t.limits.Sessions, own
}

// mostIdle returns the session that has been idle longest: of the given client if own is set,
// otherwise of the clients with the most sessions. It returns nil if no session has been idle for
// minIdle.
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

// find returns the session with that id and principal, or nil.
func (t *sessions) find(id, principal string) *session {
	t.mu.Lock()
	defer t.mu.Unlock()
	se := t.byID[id]
	if se == nil || se.principal != principal {
		return nil
	}
	return se
}

// end closes a session. It reports whether the session was open.
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

// expire closes idle sessions. It returns when none is left.
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
			now := time.Now()
			se.expireStreams(now)
			switch idle := se.idle(now); {
			case se.shared != nil:
				se.shared.Keep(idle)
			case idle >= t.limits.IdleTime:
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

// acquireSession returns the session of a request, and acquires it. The error is [ErrNoSession] if
// there is no such session of the principal.
func (h *core) acquireSession(ctx context.Context, id string, who *requester) (*session, error) {
	if h.replicas != nil {
		return h.acquireShared(ctx, id, who)
	}
	se := h.sessions.find(id, who.ID)
	if se == nil || !se.acquire() {
		return nil, ErrNoSession
	}
	return se, nil
}
