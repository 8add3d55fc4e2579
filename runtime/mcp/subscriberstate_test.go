package mcp

import (
	"strings"
	"testing"
	"testing/synctest"

	"github.com/mcpgen/mcpgen/runtime/internal/engine"
	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
)

// slowSink is the sink of a client that reads slowly: it is full after each message, until read is
// called.
type slowSink struct {
	room     chan struct{}
	full     bool
	messages []string
	waits    int
}

func (s *slowSink) add(message []byte) {
	if len(message) > 0 {
		s.messages = append(s.messages, string(message))
	}
	s.full = true
}

func (s *slowSink) Reply(message []byte, _ int)  { s.add(message) }
func (s *slowSink) Answer(message []byte, _ int) { s.add(message) }
func (s *slowSink) Refuse(message []byte, _ int) { s.add(message) }
func (s *slowSink) Notify(message []byte)        { s.add(message) }
func (s *slowSink) FlushAsync()                  {}
func (s *slowSink) Flush()                       {}
func (s *slowSink) Full() bool                   { return s.full }
func (s *slowSink) Wait()                        { s.waits++; <-s.room; s.full = false }

// A slow client gets one message whenever there is room, each change once, from one goroutine.
func TestPendingChanges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		out := &slowSink{room: make(chan struct{}), full: true}
		sub := &subscriber{out: out, send: func(message []byte, _ uint64) { out.Notify(message) }, uris: map[string]struct{}{"x:a": {}, "x:b": {}}}
		for i := range sub.lists {
			sub.lists[i] = true
		}
		for range 3 {
			sub.changed(toolsChanged, 0)
			sub.changed(promptsChanged, 0)
			sub.updated("x:a", 0)
			sub.updated("x:b", 0)
			synctest.Wait()
			if out.waits != 1 || len(out.messages) != 0 {
				t.Fatalf("%d goroutines wait, %q is sent", out.waits, out.messages)
			}
		}
		for i, want := range []string{"tools/list_changed", "prompts/list_changed", `"uri":"x:a"`, `"uri":"x:b"`} {
			out.room <- struct{}{}
			synctest.Wait()
			if len(out.messages) != i+1 || !strings.Contains(out.messages[i], want) {
				t.Fatalf("after %d messages: %q, want %s", i, out.messages, want)
			}
		}
		out.full = false
		if sub.draining { // it waits once more, and finds nothing left
			out.room <- struct{}{}
			synctest.Wait()
		}
		sub.mu.Lock()
		defer sub.mu.Unlock()
		if sub.draining || len(out.messages) != 4 {
			t.Errorf("goes on %t after %q", sub.draining, out.messages)
		}
	})
}

// A session whose connection is closed is not among the subscribers, in whatever order the events
// happen.
func TestInitializedAtTheEnd(t *testing.T) {
	s := NewServer(ServerInfo{Name: "t", Version: "1"})
	c := newConn(s)
	c.BeginStream(t.Context(), "")
	out := &slowSink{}
	c.Out = out
	one := c.newSession(engine.Session{Revision: protocol.Negotiate("2025-11-25"), Client: new(engine.Client)})
	if !c.Begin(&one.Session) {
		t.Fatal("no session")
	}
	c.Close()
	c.startNotifying()
	if n := Subscribers(s); n != 0 {
		t.Errorf("%d subscribers", n)
	}
	if c.Receive([]byte(`{"jsonrpc":"2.0","id":1,"method":"ping"}`), out) || len(out.messages) != 0 {
		t.Errorf("a connection that has ended answers %q", out.messages)
	}
}

// Bytes of a MIME type as content of a result.
func TestContentByType(t *testing.T) {
	for mime, want := range map[string]string{
		"image/png": "Image", "image/svg+xml": "Image", "audio/wav": "Audio", "text/plain": "text", "TEXT/html; charset=utf-8": "text",
		"application/json": "text", "application/geo+json": "text", "application/atom+xml;type=entry": "text", "application/xml": "text",
		"application/pdf": "blob", "application/jsonp": "blob", "": "blob",
	} {
		for _, data := range []string{"text", "\xff"} {
			got := ""
			switch c := blobContent("x", mime, []byte(data)).(type) {
			case Image:
				got = "Image"
			case Audio:
				got = "Audio"
			case EmbeddedResource:
				if got = "blob"; c.Text == data {
					got = "text"
				}
			}
			expected := want
			if want == "text" && data == "\xff" {
				expected = "blob"
			}
			if got != expected {
				t.Errorf("%s %q: %s, want %s", mime, data, got, expected)
			}
		}
	}
}

// A question that is asked after the handler returns does not end a round.
func TestQuestionAfterTheRound(t *testing.T) {
	x := new(exchange)
	x.questions.returned.Store(true)
	if _, err := (roundAsker{}).ask(t.Context(), x, "key", new(question), ""); err != ErrNoCall || x.questions.asked() {
		t.Errorf("%v, %v", err, x.questions.made)
	}
}
