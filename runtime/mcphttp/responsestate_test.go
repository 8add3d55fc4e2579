package mcphttp

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// faultyWriter is an http.ResponseWriter whose Write may fail.
type faultyWriter struct {
	*httptest.ResponseRecorder
	write error
}

func (w *faultyWriter) Write(b []byte) (int, error) {
	if w.write != nil {
		return 0, w.write
	}
	return w.ResponseRecorder.Write(b)
}

// faultyFlusher is a faultyWriter whose Flush may fail, too.
type faultyFlusher struct {
	*faultyWriter
	flush error
}

func (w *faultyFlusher) FlushError() error { return w.flush }

// unflushable hides Flush.
type unflushable struct{ http.ResponseWriter }

// A response has been received only if it could be written and flushed. If it cannot be flushed, it
// is sent at its end.
func TestResponsesThatFail(t *testing.T) {
	h := NewHandler(mcp.NewServer(mcp.ServerInfo{Name: "t", Version: "1"}))
	defer h.Close()
	broken := errors.New("broken pipe")
	recorder := func(err error) *faultyWriter { return &faultyWriter{httptest.NewRecorder(), err} }
	for _, test := range []struct {
		name string
		w    http.ResponseWriter
		want bool
	}{
		{"good", &faultyFlusher{recorder(nil), nil}, true},
		{"write fails", &faultyFlusher{recorder(broken), nil}, false},
		{"flush fails", &faultyFlusher{recorder(nil), broken}, false},
		{"no flush", unflushable{recorder(nil)}, true},
		{"no flush, write fails", unflushable{recorder(broken)}, false},
	} {
		for _, notified := range []bool{false, true} {
			s := newStream(nil, 1000, h.memory)
			reader := s.attach()
			if notified {
				s.Notify([]byte("1"))
			}
			s.Reply([]byte("2"), 0)
			p := &response{h: &h.core, w: test.w, r: httptest.NewRequest(http.MethodPost, "/", nil), s: s}
			if got := p.write(reader); got != test.want {
				t.Errorf("%s, notified %t: written %t, want %t", test.name, notified, got, test.want)
			}
			if used := h.memory.Used(); used != 0 {
				t.Errorf("%s, notified %t: %d bytes are charged", test.name, notified, used)
			}
		}
	}
}

// waitingContext is the context of a request. It calls waits when the response begins to wait.
type waitingContext struct {
	context.Context
	waits func()
}

func (c waitingContext) Done() <-chan struct{} {
	c.waits()
	return nil
}

// A reply that arrives when the session is closed is written, instead of the error that the session
// is closed.
func TestReplyAtTheEndOfTheSession(t *testing.T) {
	h := NewHandler(mcp.NewServer(mcp.ServerInfo{Name: "t", Version: "1"}))
	defer h.Close()
	ended := make(chan struct{})
	close(ended)
	for range 50 { // the reply and the end are seen in any order
		s := newStream(nil, 1000, h.memory)
		reader := s.attach()
		w := httptest.NewRecorder()
		r := httptest.NewRequest(http.MethodPost, "/", nil)
		r = r.WithContext(waitingContext{r.Context(), func() { s.Reply([]byte("reply"), 0) }})
		p := &response{h: &h.core, w: w, r: r, s: s, sessionEnded: ended}
		if !p.write(reader) || w.Code != http.StatusOK || strings.TrimSpace(w.Body.String()) != "reply" {
			t.Fatalf("status %d: %s", w.Code, w.Body)
		}
	}
}
