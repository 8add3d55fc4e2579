package mcphttp_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// checkEventIDs checks that the events of a session have different ids (basic/transports,
// resumability). An id may repeat for the same message, sent again, but not for an event without
// data.
func (s *testServer) checkEventIDs() {
	s.t.Helper()
	type name struct{ session, id string }
	seen := map[name]string{}
	for _, a := range s.responses {
		if a.code() != 200 || a.mediaType() != "text/event-stream" || a.field("Content-Encoding") != "" {
			continue
		}
		session := a.field("Mcp-Session-Id") // of a session that the request opens
		for _, field := range a.request.fields {
			if id, ok := strings.CutPrefix(field, "Mcp-Session-Id: "); ok {
				session = id
			}
		}
		for _, e := range a.events() {
			if !e.hasID {
				continue
			}
			key := name{session, e.id}
			if data, known := seen[key]; known && (data != e.data || data == "") {
				a.fail("two events have the id %q: %q and %q", e.id, data, e.data)
			}
			seen[key] = e.data
		}
	}
}

// Events without data have unique ids, and a stream can be resumed from them.
func TestEventsWithoutData(t *testing.T) {
	serveBoth(t, setup{}, func(t *testing.T, s *testServer) {
		x, p, a := s.startCall(revisionD)
		p.Log("one")
		letGo := func() { p.Run(func(ctx context.Context) { mcp.ReleaseStream(ctx, time.Second) }) }
		letGo()
		a.wantStream().wantEnd()
		seen := map[string]bool{}
		last := ""
		note := func(a *response) {
			t.Helper()
			for _, e := range a.events() {
				if e.comment {
					continue
				}
				if !e.hasID || seen[e.id] {
					a.fail("an event has the id %q", e.id)
				}
				seen[e.id] = true
				last = e.id
			}
		}
		note(a)
		for range 3 {
			b := x.resume(last)
			letGo()
			b.wantEnd()
			note(b)
		}
		p.Log("two")
		b := x.resume(last)
		b.wantOpen().wantMessages("notifications/message")
		p.Return("done")
		b.wantEnd()
		note(b)

		for range 3 { // the standalone stream, opened again and again
			c := x.listen()
			note(c)
			c.disconnect()
		}
		s.changeTools()
		c := x.resume(last)
		c.wantMessages("notifications/tools/list_changed")
		c.disconnect()
		for _, id := range []string{last + "-1", "0-0-", "0-0-0", "0-0-x", "0-0--1"} {
			s.do(x.withSession(request{method: "GET"}.with("Last-Event-ID: " + id))).wantRefusal(400)
		}
	})
}
