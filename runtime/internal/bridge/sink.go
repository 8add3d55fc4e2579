package bridge

import "sync"

// sink is a [transport.Sink] whose messages another goroutine takes.
type sink struct {
	limit   int           // limit of the bytes that wait
	changed chan struct{} // contains an element after each change

	mu       sync.Mutex
	room     sync.Cond
	messages [][]byte
	size     int
	reply    *[]byte // nil before the reply
	dropped  bool    // all further messages are dropped
}

func newSink(limit int) *sink {
	s := &sink{limit: limit, changed: make(chan struct{}, 1)}
	s.room.L = &s.mu
	return s
}

// take returns the messages since the last call, and the reply once it is queued.
func (s *sink) take() (messages [][]byte, reply *[]byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	messages, s.messages, s.size = s.messages, nil, 0
	s.room.Broadcast()
	return messages, s.reply
}

// drop makes the sink drop its messages, and all that follow.
func (s *sink) drop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.dropped, s.messages, s.size = true, nil, 0
	s.room.Broadcast()
}

func (s *sink) signal() {
	select {
	case s.changed <- struct{}{}:
	default:
	}
}

// Reply queues a copy of the reply.
func (s *sink) Reply(message []byte, code int) { s.Own(append([]byte(nil), message...), code) }

// Own queues the reply itself.
func (s *sink) Own(message []byte, _ int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.reply = &message
	s.signal()
	return true
}

// Answer is like Reply.
func (s *sink) Answer(message []byte, code int) { s.Reply(message, code) }

// Refuse is like Reply.
func (s *sink) Refuse(message []byte, code int) { s.Reply(message, code) }

// Notify queues a message.
func (s *sink) Notify(message []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.dropped {
		return
	}
	s.messages = append(s.messages, append([]byte(nil), message...))
	s.size += len(message)
	s.signal()
}

// Wait waits until there is room.
func (s *sink) Wait() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.full() {
		s.room.Wait()
	}
}

func (s *sink) full() bool { return !s.dropped && s.size > s.limit }

// Full reports whether Wait would wait.
func (s *sink) Full() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.full()
}

// Flush does nothing: each message wakes the other goroutine.
func (s *sink) Flush() {}

// FlushAsync does nothing.
func (s *sink) FlushAsync() {}
