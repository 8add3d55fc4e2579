package mcphttp_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing/synctest"
)

// wantStream checks that the response is an event stream so far.
func (a *response) wantStream() *response {
	a.t.Helper()
	synctest.Wait()
	a.wantStatus(http.StatusOK)
	if m := a.mediaType(); m != "text/event-stream" {
		a.fatal("Content-Type is %q, want text/event-stream", m)
	}
	if v := a.field("X-Accel-Buffering"); v != "no" {
		a.fail("X-Accel-Buffering is %q", v)
	}
	if v := a.field("Cache-Control"); !strings.Contains(v, "no-store") && !strings.Contains(v, "no-cache") {
		a.fail("Cache-Control is %q", v)
	}
	if v := a.field("Content-Length"); v != "" {
		a.fail("an event stream has the Content-Length %s", v)
	}
	return a
}

// wantPending checks that not even the header has arrived.
func (a *response) wantPending() *response {
	a.t.Helper()
	synctest.Wait()
	if a.code() != 0 || a.hasEnded() {
		a.fatal("there is an answer already")
	}
	return a
}

// event is the event between two empty lines of an event stream, or a comment.
type event struct {
	id, name, data, retry string
	hasID, hasData        bool
	comment               bool
}

// events returns all events so far. It reports lines that an event stream cannot contain, and an
// incomplete event at the end.
func (a *response) events() []event {
	a.t.Helper()
	synctest.Wait()
	var events []event
	var e event
	begun := false
	text := strings.ReplaceAll(a.text(), "\r\n", "\n")
	for line := range strings.Lines(text) {
		line, whole := strings.CutSuffix(line, "\n")
		if !whole {
			begun = true
			break
		}
		name, value, _ := strings.Cut(line, ":")
		value = strings.TrimPrefix(value, " ")
		switch {
		case line == "":
			if begun {
				events = append(events, e)
			}
			e, begun = event{}, false
			continue
		case name == "":
			if begun {
				a.fail("a comment inside an event")
			}
			events = append(events, event{comment: true})
			continue
		case name == "id":
			e.id, e.hasID = value, true
		case name == "event":
			e.name = value
		case name == "retry":
			e.retry = value
		case name == "data":
			if e.hasData {
				e.data += "\n"
			}
			e.data += value
			e.hasData = true
		default:
			a.fail("the stream has a line %q", line)
		}
		begun = true
	}
	if begun && a.hasEnded() && a.err == nil {
		a.fail("the last event is incomplete")
	}
	return events
}

// next returns the events since the last call of next.
func (a *response) next() []event {
	a.t.Helper()
	all := a.events()
	fresh := all[a.returned:]
	a.returned = len(all)
	return fresh
}

// messages returns the messages since the last call of next or messages.
func (a *response) messages() []*message {
	a.t.Helper()
	var messages []*message
	for _, e := range a.next() {
		if e.data != "" {
			messages = append(messages, parse(a.t, e.data))
		}
	}
	return messages
}

// wantMessages checks the kinds of messages since the last call, in order, and returns the
// messages.
func (a *response) wantMessages(kinds ...string) []*message {
	a.t.Helper()
	messages := a.messages()
	var got []string
	for _, m := range messages {
		got = append(got, m.kind())
	}
	if strings.Join(got, ", ") != strings.Join(kinds, ", ") {
		a.fatal("received %q, want %q", got, kinds)
	}
	return messages
}

// wantEnd checks that the stream closed without an error.
func (a *response) wantEnd() *response {
	a.t.Helper()
	synctest.Wait()
	a.mu.Lock()
	ended, err := a.ended, a.err
	a.mu.Unlock()
	if !ended || err != nil {
		a.fatal("the stream has not ended, or not orderly")
	}
	return a
}

// wantOpen checks that the stream has not ended.
func (a *response) wantOpen() *response {
	a.t.Helper()
	synctest.Wait()
	if a.hasEnded() {
		a.fatal("the stream has ended")
	}
	return a
}

// wantBroken checks that the connection is broken.
func (a *response) wantBroken() {
	a.t.Helper()
	synctest.Wait()
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.ended || a.err == nil || errors.Is(a.err, context.Canceled) {
		a.t.Errorf("the exchange has not broken: ended %t, error %v", a.ended, a.err)
	}
}
