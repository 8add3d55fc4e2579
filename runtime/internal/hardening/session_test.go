package hardening_test

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/internal/proof/spec"
	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcphttp"
)

func testIdleSession(t *testing.T, v target) {
	v.visit(t, setup{}, func(t *testing.T, s *site) {
		idle, used, listening, calling := s.open(), s.open(), s.open(), s.open()
		stream := listening.link.(*httpLink).get()
		listening.wantStatus("GET", listening.status(stream), 200)
		h := s.hold("long")
		_, d := calling.say("tools/call", h.params())
		await(s, h.in, "call")
		d.cancel() // the call goes on without its client
		lives := func(c *client) bool {
			t.Helper()
			_, d := c.say("ping", "")
			status := c.status(d)
			await(s, d.done, "end of the answer")
			c.in.all()
			if status != 200 && status != 404 {
				t.Errorf("status %d", status)
			}
			return status == 200
		}
		for range 4 {
			time.Sleep(10 * time.Minute)
			if !lives(used) {
				t.Error("a session that is used has ended")
			}
		}
		if lives(idle) {
			t.Error("a session lives that has been idle for 40 minutes")
		}
		s.settle()
		select {
		case <-stream.done:
			t.Error("the stream of a session has ended")
		default:
		}
		h.answer("done")
		stream.cancel()
		time.Sleep(29 * time.Minute)
		for _, c := range []*client{listening, calling} {
			if !lives(c) {
				t.Error("a session has ended 29 minutes after its last use")
			}
		}
		time.Sleep(35 * time.Minute)
		for _, c := range []*client{listening, calling, used} {
			if lives(c) {
				t.Error("a session lives that has been idle for 35 minutes")
			}
		}
		s.open().alive("sessions have ended")
	})
}

// testEventStore has a call send much more than is stored, while its client is disconnected.
func testEventStore(t *testing.T, v target) {
	const limit = 100_000
	v.visit(t, setup{http: mcphttp.Limits{EventBytes: limit}}, func(t *testing.T, s *site) {
		c := s.open()
		l := c.link.(*httpLink)
		progress := func(m message) bool { return m.Method == "notifications/progress" }
		say := func(h *hold, n int, text string) {
			h.run(func(ctx context.Context) { mcp.Progress(ctx, float64(n), 0, text) })
		}
		leave := func(h *hold) (event string) {
			_, d := c.say("tools/call", h.params())
			await(s, h.in, "call")
			say(h, 1, "")
			event = c.wait("progress", progress).event
			d.cancel()
			await(s, d.done, "end of the answer")
			s.settle()
			c.in.all()
			return event
		}
		long, short := s.hold("long"), s.hold("short")
		lost, kept := leave(long), leave(short)
		if lost == "" || lost == kept {
			t.Fatalf("the events are %q and %q", lost, kept)
		}
		runtime.GC()
		before := heap()
		text := strings.Repeat("x", 10_000)
		for i := range 5000 { // 50 MB
			say(long, i+2, text)
		}
		runtime.GC()
		if grown := int64(heap()) - int64(before); grown > 5<<20 {
			t.Errorf("%d MB are kept", grown>>20)
		}
		d := l.get("Last-Event-ID: " + lost)
		c.wantStatus("a lost event", c.status(d), 400)
		if m := c.wait("error", func(m message) bool { return m.Error != nil }); !strings.Contains(m.text(), "kept") {
			t.Errorf("the error says %v", m)
		}
		for _, id := range []string{
			"", "x", "0", "1", "99-1", "1-99999", "-1", "-1-1", "1--1", "2_1_1", "1_999999", kept + ", " + lost, kept + "x", kept + "0", "☃", "9999999999999999999-1",
		} {
			if status := c.status(l.get("Last-Event-ID: " + id)); status != 400 {
				t.Errorf("event %q: status %d", id, status)
			}
		}
		s.settle()
		c.in.all()

		other := s.open().link.(*httpLink)
		for id, want := range map[string]int{other.session: 400, "no-such": 404, "": 400} {
			if status := c.status(l.get("Mcp-Session-Id: "+id, "Last-Event-ID: "+kept)); status != want {
				t.Errorf("in session %q: status %d, want %d", id, status, want)
			}
		}
		s.settle()
		c.in.all()

		// The other call has sent nothing since: its stream lost nothing.
		say(short, 2, "")
		d = l.get("Last-Event-ID: " + kept)
		c.wantStatus("an event that nothing was lost behind", c.status(d), 200)
		if m := c.wait("progress", progress); !strings.Contains(string(m.Params), `"progress":2`) {
			t.Errorf("resumed: %v", m)
		}
		short.answer("short")
		c.wait("reply", func(m message) bool { return m.text() == "short" })
		long.answer("long")
		c.alive("a full store")
	})
}

func testSessionID(t *testing.T, v target) {
	t.Run("random", func(t *testing.T) {
		v.visit(t, setup{}, func(t *testing.T, s *site) {
			const n = 300
			seen := map[string]bool{}
			letters := map[int]map[rune]bool{} // by their place in the id
			for range n {
				c := s.connect("")
				id := sessionOf(c)
				spec.Holds(t, "S115", "S116")
				for i, r := range id {
					if r < '!' || r > '~' {
						t.Fatalf("%q is not visible ASCII", id)
					}
					if letters[i] == nil {
						letters[i] = map[rune]bool{}
					}
					letters[i][r] = true
				}
				seen[id] = true
				c.vanish()
			}
			bits := 0.0
			for _, at := range letters {
				bits += math.Log2(float64(len(at)))
			}
			if bits < 128 {
				t.Errorf("the ids have %.0f bits", bits)
			}
			if len(seen) != n {
				t.Errorf("%d ids of %d are different", len(seen), n)
			}
		})
	})
	t.Run("principal", func(t *testing.T) {
		spec.Holds(t, "S002")
		v.visit(t, setup{authentic: true}, func(t *testing.T, s *site) {
			ann, bob := s.openAs("ann"), s.openAs("bob")
			stolen, own := sessionOf(ann), sessionOf(bob)
			if stolen == "" || stolen == own {
				t.Fatalf("the sessions are %q and %q", stolen, own)
			}
			thief := bob.link.(*httpLink)
			for _, id := range []string{stolen, "unknown", strings.ToLower(stolen)} {
				use(thief, v, id)
				var answers []string
				d := bob.put(legacy.text("7", "tools/call", call("echo", `{}`)))
				bob.wantStatus("POST to "+id, bob.status(d), 404)
				answers = append(answers, bob.wait("error", func(m message) bool { return m.Error != nil }).text())
				if v.is(httpLegacy) {
					bob.wantStatus("GET of "+id, bob.status(thief.get()), 404)
					bob.wantStatus("DELETE of "+id, bob.status(thief.delete()), 404)
				}
				s.settle()
				for _, m := range bob.in.all() {
					answers = append(answers, m.text())
				}
				for _, text := range answers {
					if text != answers[0] || strings.Contains(text, stolen) {
						t.Errorf("%q says more than %q", text, answers[0])
					}
				}
			}
			if n := s.calls.Load(); n != 0 {
				t.Errorf("%d calls have run", n)
			}
			use(thief, v, own)
			bob.alive("a theft")
			ann.alive("a theft")
			if m := ann.ask("tools/call", call("whoami", `{}`)); !strings.HasPrefix(m.text(), `"ann"`) {
				t.Errorf("she is %v", m)
			}
			// Without a token a request is refused, session or not.
			use(thief, v, stolen)
			bob.wantStatus("without a token", bob.status(bob.put(legacy.text("7", "ping", ""), "-Authorization")), 401)
		})
	})
	if v.is(httpSSE) {
		return
	}
	t.Run("chosen", func(t *testing.T) {
		v.visit(t, setup{}, func(t *testing.T, s *site) {
			c := s.connect("")
			d := c.put(legacy.text("1", "initialize", initialize), "Mcp-Session-Id: mine")
			c.wantStatus("a session of one's own choice", c.status(d), 400)
		})
	})
}

// sessionOf returns the id of the client's session, which it opens if necessary.
func sessionOf(c *client) string {
	c.t.Helper()
	l := c.link.(*httpLink)
	if c.s.target.is(httpSSE) {
		_, id, ok := strings.Cut(l.endpoint, "session=")
		if !ok {
			c.t.Fatalf("the endpoint is %q", l.endpoint)
		}
		return id
	}
	if l.session == "" {
		c.ask("initialize", initialize)
	}
	return l.session
}

// use has a client use the session of another one.
func use(l *httpLink, v target, id string) {
	l.session = id
	if v.is(httpSSE) {
		l.endpoint = "/mcp?session=" + id
	}
}

func testTakeover(t *testing.T, v target) {
	v.visit(t, setup{}, func(t *testing.T, s *site) {
		c := s.open()
		l := c.link.(*httpLink)
		h := s.hold("streams")
		id, posted := c.say("tools/call", h.params())
		await(s, h.in, "call")
		h.run(func(ctx context.Context) { mcp.Progress(ctx, 1, 0, "") })
		event := c.wait("progress", func(m message) bool { return m.Method == "notifications/progress" }).event

		running := func(d *delivery) bool {
			s.settle()
			select {
			case <-d.done:
				return false
			default:
				return true
			}
		}
		var streams []*delivery
		for i := range 4 {
			d := l.get()
			c.wantStatus("GET", c.status(d), 200)
			streams = append(streams, d)
			if i > 0 && running(streams[i-1]) {
				t.Errorf("stream %d goes on", i-1)
			}
			if !running(d) || !running(posted) {
				t.Errorf("stream %d: the new one goes on: %v, the one of the call: %v", i, running(d), running(posted))
			}
			if i > 0 && streams[i-1].err != nil {
				t.Errorf("stream %d ends with %v", i-1, streams[i-1].err)
			}
			c.in.all()
			// Messages that do not belong to a request are sent once.
			s.tool(s.server, mcp.ToolInfo{Name: fmt.Sprint("another", i)}, nil)
			c.wait("change", func(m message) bool { return m.Method == "notifications/tools/list_changed" })
			c.quiet("said once")
		}
		// A client that resumes continues with its own stream.
		resumed := l.get("Last-Event-ID: " + event)
		c.wantStatus("resume", c.status(resumed), 200)
		s.settle()
		if running(posted) || !running(resumed) || !running(streams[3]) {
			t.Errorf("the first goes on: %v, the second: %v, the standing one: %v", running(posted), running(resumed), running(streams[3]))
		}
		c.in.all()
		h.run(func(ctx context.Context) { mcp.Progress(ctx, 2, 0, "") })
		c.wait("progress", func(m message) bool { return m.Method == "notifications/progress" })
		h.answer("done")
		if m := c.reply(id); m.text() != "done" {
			t.Errorf("%v", m)
		}
		c.quiet("said once")
		if running(resumed) || !running(streams[3]) {
			t.Error("the resumed stream goes on, or the standing one does not")
		}
	})
}
