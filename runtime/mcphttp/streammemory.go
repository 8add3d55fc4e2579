package mcphttp

import (
	"github.com/mcpgen/mcpgen/runtime/internal/membudget"
)

// This file is what the messages of a stream take of the memory budget of the server, and of that of a session.

// unpool moves the only message from its pooled buffer to storage of its own. The
// caller holds the guard.
func (s *stream) unpool() {
	if plain := s.pooled; plain != nil {
		s.pooled = nil
		s.charge(messageCost(*plain) - bufferCost(cap(*plain)))
		s.queue[0] = append([]byte(nil), *plain...)
		putBuffer(plain)
	}
}

// messageCost is what is charged for a message in storage of its own.
func messageCost(message []byte) int { return len(message) + 64 }

// bufferCost is what is charged for a pooled buffer.
func bufferCost(capacity int) int {
	if capacity <= membudget.Free {
		return 0 // included in requestCost
	}
	return capacity
}

// charge changes the charge by more, which may be negative. The sender of a message has
// charged one copy itself, and releases that. The caller holds the guard.
func (s *stream) charge(more int) {
	s.charged += more
	switch { // most replies are short and cost nothing; the budget is shared by all processors
	case more > 0:
		s.memory.Force(more)
	case more < 0:
		s.memory.Release(-more)
	}
}

// recycle returns the buffer of the only message to the pool, after it has been
// written.
func (s *stream) recycle() {
	s.guard.Lock()
	plain := s.pooled
	if plain != nil {
		s.charge(-bufferCost(cap(*plain)))
	}
	s.pooled, s.single[0] = nil, nil
	s.guard.Unlock()
	if plain != nil {
		putBuffer(plain)
	}
}

// clear drops all messages. The caller holds the guard.
func (s *stream) clear() {
	s.queue, s.numbers, s.waitingBytes, s.pooled, s.single[0] = nil, nil, 0, nil, nil
	s.charge(-s.charged)
}

// evict drops the oldest message and returns its size. It reports false if that message
// is about to be written. The caller holds the guard.
func (s *stream) evict() (size int, ok bool) {
	if len(s.queue) == 0 {
		return 0, true // its stream has been dropped already
	}
	if s.firstSeq == s.nextSeq {
		if s.current != nil {
			return 0, false
		}
		s.nextSeq++
		s.waitingBytes -= len(s.queue[0])
	}
	size = len(s.queue[0])
	s.charge(-messageCost(s.queue[0]))
	s.queue[0] = nil
	s.queue = s.queue[1:]
	s.firstSeq++
	return size, true
}
