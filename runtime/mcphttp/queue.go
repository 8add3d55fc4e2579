package mcphttp

import (
	"slices"

	"github.com/mcpgen/mcpgen/runtime/internal/membudget"
)

// queue contains the messages of a stream that wait for its response, or that its log keeps, and
// counts their share of the server's memory budget. The guard of the stream protects it.
type queue struct {
	memory   *membudget.Budget
	charged  int      // bytes that are charged for the messages
	messages []queued // numbered from firstSeq on
	firstSeq int      // 1 at the start
	nextSeq  int      // number of the next message to be written
	waiting  int      // bytes from nextSeq on

	// Storage for one message, which is all that most streams need.
	single [1]queued
	pooled *[]byte // buffer, from the buffer pool, of a reply that is the only message
}

// queued is a message of a queue.
type queued struct {
	text   []byte
	notice uint64 // see [stream.NotifyNumbered]; 0 for other messages
}

// endSeq returns the sequence number after the last message.
func (q *queue) endSeq() int { return q.firstSeq + len(q.messages) }

// unpool moves the only message from its pooled buffer to storage of its own.
func (q *queue) unpool() {
	if plain := q.pooled; plain != nil {
		q.pooled = nil
		q.charge(messageCost(*plain) - bufferCost(cap(*plain)))
		q.messages[0].text = append([]byte(nil), *plain...)
		putBuffer(plain)
	}
}

// messageCost returns the charge for a message in storage of its own.
func messageCost(message []byte) int { return len(message) + 64 }

// bufferCost returns the charge for a pooled buffer.
func bufferCost(capacity int) int {
	if capacity <= membudget.Free {
		return 0 // included in requestCost
	}
	return capacity
}

// charge adds more, which may be negative, to the charge. The sender of a message has charged one
// copy itself, and releases that charge.
func (q *queue) charge(more int) {
	q.charged += more
	switch { // most replies are short and cost nothing; the budget is shared by all processors
	case more > 0:
		q.memory.Force(more)
	case more < 0:
		q.memory.Release(-more)
	}
}

// recycle returns the buffer of the only message to the pool, after it is written.
func (s *stream) recycle() {
	s.guard.Lock()
	plain := s.pooled
	if plain != nil {
		if cost := bufferCost(cap(*plain)); cost > 0 {
			s.charge(-cost)
		}
	}
	s.pooled, s.single[0].text = nil, nil
	s.guard.Unlock()
	if plain != nil {
		putBuffer(plain)
	}
}

// clear drops all messages.
func (q *queue) clear() {
	q.messages, q.waiting, q.pooled, q.single[0].text = nil, 0, nil, nil
	if q.charged != 0 {
		q.charge(-q.charged)
	}
}

// take returns the messages before end that have not been written.
func (q *queue) take(end int) []queued {
	taken := q.messages[q.nextSeq-q.firstSeq : end-q.firstSeq]
	for _, m := range taken {
		q.waiting -= len(m.text)
	}
	q.nextSeq = end
	return taken
}

// dropNotices drops the notices that wait to be written, since a client is notified of them when it
// resumes.
func (q *queue) dropNotices() {
	q.messages = slices.DeleteFunc(q.messages, func(m queued) bool {
		if m.notice > 0 {
			q.waiting -= len(m.text)
			q.charge(-messageCost(m.text))
		}
		return m.notice > 0
	})
}

// evict drops the oldest message and returns its size. ok is false if that message is about to be
// written. The caller holds the guard.
func (s *stream) evict() (size int, ok bool) {
	if len(s.messages) == 0 {
		return 0, true // its stream has been dropped already
	}
	text := s.messages[0].text
	if s.firstSeq == s.nextSeq {
		if s.current != nil {
			return 0, false
		}
		s.nextSeq++
		s.waiting -= len(text)
	}
	s.charge(-messageCost(text))
	s.messages[0].text = nil
	s.messages = s.messages[1:]
	s.firstSeq++
	return len(text), true
}
