package mcphttp

import (
	"strings"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/membudget"
	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
	"github.com/mcpgen/mcpgen/runtime/internal/transport"
	"github.com/mcpgen/mcpgen/runtime/mcphttp/internal/sharedsession"
)

// fakeConn is the part of a session's connection that sessions and streams use.
type fakeConn struct {
	transport.Conn
	revision *protocol.Revision
	active   int
	closed   int
}

func (c *fakeConn) Negotiated() *protocol.Revision { return c.revision }
func (c *fakeConn) Active() int                    { return c.active }
func (c *fakeConn) Close()                         { c.closed++ }

// newTestSession returns a session of a revision whose clients can resume streams.
func newTestSession() (*session, *fakeConn) {
	conn := &fakeConn{revision: revisionOf("2025-11-25")}
	se := &session{
		conn: conn, limits: &Limits{EventBytes: 1 << 20, EventTime: time.Minute, IdleTime: time.Hour},
		memory: membudget.New(1<<20, 1), streams: map[int]*stream{}, done: make(chan struct{}),
	}
	se.standalone = newStream(se, 1000, se.memory)
	se.standalone.standalone = true
	return se, conn
}

// The state of a stream determines the messages that it accepts. Others change nothing, and are not
// charged.
func TestStatesOfStreams(t *testing.T) {
	large := []byte(strings.Repeat("x", membudget.Free+1))
	for _, state := range []struct {
		name                         string
		session                      bool
		prepare                      func(s *stream)
		replies, owns, notifies, let bool
	}{
		{"new", false, func(*stream) {}, true, true, true, false},
		{"new, in a session", true, func(*stream) {}, true, true, true, true},
		{"with a message", true, func(s *stream) { s.Notify([]byte("1")) }, true, false, true, true},
		{"with a message that is written", true, func(s *stream) {
			s.Notify([]byte("1"))
			s.next(s.current, false, false)
		}, true, false, true, true},
		{"with a reply", true, func(s *stream) { s.Reply([]byte("1"), 0) }, false, false, false, false},
		{"without a reply", true, func(s *stream) { s.Reply(nil, 0) }, false, false, false, false},
		{"with a reply that is written", true, func(s *stream) {
			s.Reply([]byte("1"), 0)
			s.next(s.current, false, false)
			s.recycle()
		}, false, false, false, false},
		{"discarded", true, func(s *stream) {
			s.detach(s.current)
		}, false, false, false, false},
		{"discarded, without a session", false, func(s *stream) {
			s.detach(s.current)
		}, false, false, false, false},
		{"that a client can resume, without a response", true, func(s *stream) {
			s.Notify([]byte("1"))
			s.next(s.current, false, false)
			s.detach(s.current)
		}, true, false, true, true},
		{"standalone", true, func(s *stream) { s.standalone = true }, true, false, true, false},
		{"standalone, with a reply", true, func(s *stream) {
			s.standalone = true
			s.Reply([]byte("1"), 0)
		}, true, false, true, false},
	} {
		for _, add := range []struct {
			name string
			call func(s *stream) bool
			want bool
		}{
			{"Reply", func(s *stream) bool { s.Reply(large, 0); return true }, state.replies},
			{"Answer", func(s *stream) bool { s.Answer(large, 0); return true }, state.replies},
			{"Own", func(s *stream) bool { return s.Own(large, 0) }, state.owns},
			{"Notify", func(s *stream) bool { s.Notify(large); return true }, state.notifies},
			{"Release", func(s *stream) bool { return s.Release(time.Second) }, state.let},
		} {
			t.Run(state.name+"/"+add.name, func(t *testing.T) {
				var s *stream
				if state.session {
					se, _ := newTestSession()
					s = newStream(se, 1000, se.memory)
				} else {
					s = newStream(nil, 1000, membudget.New(1<<20, 1))
				}
				s.attach()
				state.prepare(s)
				count, used, done := s.count, s.memory.Used(), s.done
				said := add.call(s)
				added := s.count - count
				switch {
				case add.name == "Release":
					if said != add.want || s.released != (add.want && s.current != nil) || added != 0 {
						t.Errorf("released %t, %t, want %t", said, s.released, add.want)
					}
				case !add.want:
					if added != 0 || s.memory.Used() != used || s.done != done || add.name == "Own" && said {
						t.Errorf("%d messages are added, %d bytes are charged", added, s.memory.Used()-used)
					}
				case added != 1 || s.memory.Used() < used+int64(len(large)) || !said:
					t.Errorf("%d messages are added, %d bytes are charged, returned %t", added, s.memory.Used()-used, said)
				}
				s.guard.Lock()
				s.clear()
				s.guard.Unlock()
				if s.memory.Used() != 0 {
					t.Errorf("%d bytes are charged at the end", s.memory.Used())
				}
			})
		}
	}
}

// A stream is released only if clients resume streams after a priming event.
func TestReleaseByRevision(t *testing.T) {
	for _, version := range []string{"", "2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"} {
		se, conn := newTestSession()
		conn.revision = revisionOf(version) // nil before initialize is answered
		s := newStream(se, 1000, se.memory)
		s.attach()
		if want := version == "2025-11-25"; s.Release(time.Second) != want || s.released != want {
			t.Errorf("%q: released %t, want %t", version, s.released, want)
		}
	}
}

// Without a response, the standalone stream of a shared session stores messages without a number,
// within its limit: the client is notified of the others when it resumes.
func TestNoticesWithoutResponse(t *testing.T) {
	se, _ := newTestSession()
	s := newStream(se, 1000, se.memory)
	s.standalone, s.newLog = true, nil
	s.useNotices(new(sharedsession.Notices))
	text := []byte(strings.Repeat("x", 400))
	for i, want := range []int{1, 1, 2, 2, 2} {
		if i == 1 || i == 4 {
			s.NotifyNumbered(text, 7)
		} else {
			s.Notify(text)
		}
		if s.count != want {
			t.Errorf("message %d: %d are kept, want %d", i, s.count, want)
		}
	}
	reader := s.attach()
	s.NotifyNumbered(text, 8)
	s.Notify(text)
	s.detach(reader)
	if n := len(s.messages); n != 3 || s.waiting != n*len(text) || s.memory.Used() != int64(n*messageCost(text)) {
		t.Errorf("%d messages are left, %d bytes wait, %d are charged", n, s.waiting, s.memory.Used())
	}
}

// A response that another one replaced gets no messages: they are for the other one.
func TestReplacedResponse(t *testing.T) {
	se, _ := newTestSession()
	s := newStream(se, 1000, se.memory)
	old := s.attach()
	s.Notify([]byte("1"))
	current := s.attach()
	if p := s.next(old, true, true); !p.ended || len(p.messages) != 0 {
		t.Errorf("the old one has %+v", p)
	}
	if p := s.next(current, true, true); p.ended || len(p.messages) != 1 || string(p.messages[0].text) != "1" {
		t.Errorf("the new one has %+v", p)
	}
}

// Buffers that every request needs are not charged, since they are included in its cost.
func TestCostOfBuffers(t *testing.T) {
	for capacity, want := range map[int]int{0: 0, 1: 0, membudget.Free: 0, membudget.Free + 1: membudget.Free + 1, 1 << 20: 1 << 20} {
		if got := bufferCost(capacity); got != want {
			t.Errorf("%d bytes: %d are charged, want %d", capacity, got, want)
		}
	}
}
