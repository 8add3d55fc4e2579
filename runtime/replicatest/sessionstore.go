package replicatest

import (
	"context"
	"iter"
	"slices"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/runtime/mcphttp"
)

// EventBytes limits the bytes of events that a [SessionStore] stores for a session.
const EventBytes = 1 << 20

// SessionStore is an [mcphttp.SessionStore] in memory. It stores the events of a session up to
// [EventBytes].
type SessionStore struct {
	mu       sync.Mutex
	sessions map[string]*storedSession
	copies   map[string][]*sessionCopy // by session id; also of deleted sessions
}

// NewSessionStore returns an empty store.
func NewSessionStore() *SessionStore {
	return &SessionStore{sessions: map[string]*storedSession{}, copies: map[string][]*sessionCopy{}}
}

// storedSession is a session.
type storedSession struct {
	record  []byte
	version uint64
	idle    time.Duration
	expires time.Time
	streams map[string]*storedStream
	bytes   int // of all events
}

// storedStream contains the events of a stream from a number on.
type storedStream struct {
	events [][]byte
	first  uint64
	added  chan struct{} // closed when an event is added, or the session is deleted
}

// last returns the number of the last event.
func (s *storedStream) last() uint64 { return s.first + uint64(len(s.events)) - 1 }

// find returns a session that has not expired. The caller holds the lock.
func (s *SessionStore) find(id string) *storedSession {
	se := s.sessions[id]
	if se != nil && time.Now().After(se.expires) {
		s.delete(id)
		return nil
	}
	return se
}

// delete deletes a session. The caller holds the lock.
func (s *SessionStore) delete(id string) {
	if se := s.sessions[id]; se != nil {
		for _, stream := range se.streams {
			close(stream.added)
		}
		delete(s.sessions, id)
	}
}

// Create implements [mcphttp.SessionStore].
func (s *SessionStore) Create(_ context.Context, id string, record []byte, idle time.Duration) (uint64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.find(id) != nil {
		return 0, mcphttp.ErrConflict
	}
	s.sessions[id] = &storedSession{
		record: slices.Clone(record), version: 1, idle: idle, expires: time.Now().Add(idle), streams: map[string]*storedStream{},
	}
	return 1, nil
}

// Load implements [mcphttp.SessionStore].
func (s *SessionStore) Load(_ context.Context, id string) ([]byte, uint64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	se := s.find(id)
	if se == nil {
		return nil, 0, mcphttp.ErrNoSession
	}
	return slices.Clone(se.record), se.version, nil
}

// Update implements [mcphttp.SessionStore].
func (s *SessionStore) Update(_ context.Context, id string, record []byte, version uint64) (uint64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	se := s.find(id)
	switch {
	case se == nil:
		return 0, mcphttp.ErrNoSession
	case se.version != version:
		return 0, mcphttp.ErrConflict
	}
	se.record, se.expires = slices.Clone(record), time.Now().Add(se.idle)
	se.version++
	return se.version, nil
}

// Touch implements [mcphttp.SessionStore].
func (s *SessionStore) Touch(_ context.Context, id string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	se := s.find(id)
	if se == nil {
		return mcphttp.ErrNoSession
	}
	se.expires = time.Now().Add(se.idle)
	return nil
}

// Delete implements [mcphttp.SessionStore].
func (s *SessionStore) Delete(_ context.Context, id string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.delete(id)
	return nil
}

// Append implements [mcphttp.SessionStore].
func (s *SessionStore) Append(_ context.Context, id, stream string, after uint64, event []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	se := s.find(id)
	if se == nil {
		return mcphttp.ErrNoSession
	}
	st := se.stream(stream)
	if st.last() != after {
		return mcphttp.ErrConflict
	}
	st.events = append(st.events, slices.Clone(event))
	for se.bytes += len(event); se.bytes > EventBytes && len(st.events) > 1; {
		se.bytes -= len(st.events[0])
		st.events[0] = nil
		st.events = st.events[1:]
		st.first++
	}
	close(st.added)
	st.added = make(chan struct{})
	return nil
}

// stream returns a stream, which may be empty.
func (se *storedSession) stream(name string) *storedStream {
	st := se.streams[name]
	if st == nil {
		st = &storedStream{first: 1, added: make(chan struct{})}
		se.streams[name] = st
	}
	return st
}

// Events implements [mcphttp.SessionStore].
func (s *SessionStore) Events(ctx context.Context, id, stream string, after uint64) iter.Seq2[mcphttp.Event, error] {
	return func(yield func(mcphttp.Event, error) bool) {
		for {
			s.mu.Lock()
			se := s.find(id)
			if se == nil {
				s.mu.Unlock()
				yield(mcphttp.Event{}, mcphttp.ErrNoSession)
				return
			}
			st := se.stream(stream)
			if after > 0 && (after > st.last() || after+1 < st.first) || after == 0 && st.first > 1 {
				s.mu.Unlock()
				yield(mcphttp.Event{}, mcphttp.ErrGone)
				return
			}
			rest, added := slices.Clone(st.events[after+1-st.first:]), st.added
			s.mu.Unlock()
			for _, event := range rest {
				after++
				if !yield(mcphttp.Event{Sequence: after, Data: slices.Clone(event)}, nil) {
					return
				}
			}
			if len(rest) > 0 {
				continue
			}
			select {
			case <-added:
			case <-ctx.Done():
				yield(mcphttp.Event{}, context.Cause(ctx))
				return
			}
		}
	}
}

// sessionCopy is a copy of a session that receives messages, in its own goroutine.
type sessionCopy struct {
	name   string
	handle func([]byte) bool
	ended  chan struct{} // closed after the last message

	mu      sync.Mutex
	queue   []queuedMessage
	added   chan struct{} // has a value when the queue has grown
	stopped bool
}

// queuedMessage is a message in the queue of a copy.
type queuedMessage struct {
	text  []byte
	taken chan<- bool // nil if the sender does not wait
}

// add queues a message. It reports whether the copy is still running.
func (c *sessionCopy) add(m queuedMessage) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.stopped {
		return false
	}
	c.queue = append(c.queue, m)
	c.wake()
	return true
}

// wake wakes the goroutine.
func (c *sessionCopy) wake() {
	select {
	case c.added <- struct{}{}:
	default:
	}
}

// run handles messages until the copy stops.
func (c *sessionCopy) run() {
	defer close(c.ended)
	for range c.added {
		for {
			c.mu.Lock()
			queue, stopped := c.queue, c.stopped
			c.queue = nil
			c.mu.Unlock()
			for _, m := range queue {
				taken := !stopped && c.handle(m.text)
				if m.taken != nil {
					m.taken <- taken
				}
			}
			if stopped {
				return
			}
			if len(queue) == 0 {
				break
			}
		}
	}
}

// Send implements [mcphttp.SessionStore].
func (s *SessionStore) Send(ctx context.Context, id, to string, message []byte) (bool, error) {
	s.mu.Lock()
	copies := slices.Clone(s.copies[id])
	s.mu.Unlock()
	taken := make(chan bool, 1)
	for _, c := range copies {
		switch {
		case to == "":
			c.add(queuedMessage{text: slices.Clone(message)})
		case to == c.name && c.add(queuedMessage{slices.Clone(message), taken}):
			select {
			case yes := <-taken:
				return yes, nil
			case <-ctx.Done():
				return false, context.Cause(ctx)
			}
		}
	}
	return false, nil
}

// Receive implements [mcphttp.SessionStore].
func (s *SessionStore) Receive(_ context.Context, id, name string, handle func([]byte) bool) (stop func(), err error) {
	c := &sessionCopy{name: name, handle: handle, ended: make(chan struct{}), added: make(chan struct{}, 1)}
	s.mu.Lock()
	s.copies[id] = append(s.copies[id], c)
	s.mu.Unlock()
	go c.run()
	return sync.OnceFunc(func() {
		s.mu.Lock()
		s.copies[id] = slices.DeleteFunc(s.copies[id], func(other *sessionCopy) bool { return other == c })
		if len(s.copies[id]) == 0 {
			delete(s.copies, id)
		}
		s.mu.Unlock()
		c.mu.Lock()
		c.stopped = true
		c.wake()
		c.mu.Unlock()
		<-c.ended
	}), nil
}
