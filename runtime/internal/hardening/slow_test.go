package hardening_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// testSlowReader has a client that does not read its replies.
func testSlowReader(t *testing.T, v target) {
	t.Run("cut off", func(t *testing.T) { testCutOff(t, v) })
	if v.is(httpLegacy, httpModern) {
		return // each reply has its own channel, and waits in its own buffer
	}
	t.Run("handlers wait", func(t *testing.T) { testHandlersWait(t, v) })
	t.Run("flood", func(t *testing.T) { testFloodWithoutReading(t, v) })
}

// testHandlersWait has a client that goes on asking and does not read: replies beyond the queue
// wait in their handlers, which count as running, so that the number is limited.
func testHandlersWait(t *testing.T, v target) {
	const most, asked, size = 6, 60, 50_000
	v.visit(t, setup{limits: mcp.Limits{WriteTime: time.Hour, QueueBytes: size, InFlight: most}}, func(t *testing.T, s *site) {
		c := s.open()
		c.in.pause()
		var ids []string
		for range asked {
			id, _ := c.say("tools/call", call("large", fmt.Sprintf(`{"n":%d}`, size)))
			ids = append(ids, id)
			s.settle()
		}
		c.in.resume()
		answered, refused := 0, 0
		for _, id := range ids {
			switch m := c.reply(id); {
			case len(m.text()) == size:
				answered++
			case m.code() == jsonrpc.CodeInternal && strings.Contains(m.raw, `"reason":"overloaded"`):
				refused++
			default:
				t.Errorf("%v", m)
			}
		}
		// In addition to the handlers that wait, there is the message being written, the queue, and
		// the buffers of sockets.
		if answered > asked/2 || answered < most || refused == 0 {
			t.Errorf("%d answered, %d refused of %d", answered, refused, asked)
		}
		c.alive("it reads again")
	})
}

// testFloodWithoutReading has a client that sends requests that are answered at once, and does not
// read: it is disconnected because of its queue, long before its write times out.
func testFloodWithoutReading(t *testing.T, v target) {
	v.visit(t, setup{limits: mcp.Limits{WriteTime: 24 * time.Hour, QueueBytes: 10_000}}, func(t *testing.T, s *site) {
		c, other := s.open(), s.open()
		s.settle()
		c.in.pause()
		started := time.Now()
		cut := func() bool {
			for range 10_000 {
				_, d := c.say("tools/list", "")
				s.settle()
				select {
				case <-d.answered:
				default:
					continue // its response waits, too
				}
				if d.refused != nil || d.status >= 400 {
					return true
				}
			}
			return false
		}
		if !cut() {
			t.Error("it goes on for ever")
		}
		if took := time.Since(started); took > time.Minute {
			t.Errorf("it took %v", took)
		}
		c.in.resume()
		other.alive("another client was cut off")
	})
}

// testCutOff has a client that does not read for longer than the limit of a write.
func testCutOff(t *testing.T, v target) {
	const writeTime = 5 * time.Second
	v.visit(t, setup{limits: mcp.Limits{WriteTime: writeTime, QueueBytes: 64 << 10}}, func(t *testing.T, s *site) {
		slow, fast := s.open(), s.open()
		h := s.hold("beside")
		slow.say("tools/call", h.params())
		ctx := await(s, h.in, "call")
		stopped := s.hold("stopped")
		id, _ := slow.say("tools/call", stopped.params())
		await(s, stopped.in, "call")
		slow.in.pause()
		started := time.Now()
		var answers []*delivery
		for range 50 {
			_, d := slow.say("tools/call", call("large", `{"n":50000}`))
			answers = append(answers, d)
		}
		s.settle()
		fast.alive("another client does not read")
		if m := fast.ask("tools/call", call("large", `{"n":1000000}`)); m.failed() {
			t.Errorf("the other client: %v", m)
		}
		if d := time.Since(started); d > 0 {
			t.Errorf("the other client has waited %v", d)
		}
		if v.is(httpLegacy, httpModern) {
			// Each answer has its own connection.
			time.Sleep(writeTime + time.Second)
			slow.in.resume()
			for _, d := range answers {
				if await(s, d.done, "end of the answer"); d.err == nil {
					t.Error("an answer came whole")
				}
			}
			if ctx.Err() != nil {
				t.Errorf("another call has ended: %v", context.Cause(ctx))
			}
			slow.in.all()
			h.answer("untouched")
			slow.wait("reply", func(m message) bool { return m.text() == "untouched" })
			slow.alive("it reads again")
			return
		}
		slow.put(cancelled(id))
		await(s, stopped.out, "end of the cancelled call")
		if d := time.Since(started); d > 0 {
			t.Errorf("the cancellation has waited %v", d)
		}
		await(s, ctx.Done(), "end of the context")
		if d := time.Since(started); d < writeTime-time.Second || d > writeTime+3*time.Second {
			t.Errorf("cut off after %v", d)
		}
		slow.in.resume()
		slow.gone("the write timeout")
		s.logs("client does not read")
		fast.alive("another client was cut off")
	})
}

// testLargeReplies sends many requests at once, and goes on before it has all replies, like clients
// with several tasks.
func testLargeReplies(t *testing.T, v target) {
	v.visit(t, setup{limits: mcp.Limits{QueueBytes: 10_000}}, func(t *testing.T, s *site) {
		c := s.open()
		c.in.pause()
		var ids []string
		for range 3 {
			for range 4 {
				id, _ := c.say("tools/call", call("large", `{"n":100000}`))
				ids = append(ids, id)
			}
			s.settle()
			id, _ := c.say("tools/call", call("echo", `{}`))
			ids = append(ids, id)
			s.settle()
		}
		c.in.resume()
		for _, id := range ids {
			if m := c.reply(id); m.failed() {
				t.Errorf("%v", m)
			}
		}
		c.alive("large replies")
	})
}

// testChanges sends many changes to a client that does not read for a while.
func testChanges(t *testing.T, v target) {
	const resources, changes = 50, 20_000
	v.visit(t, setup{limits: mcp.Limits{QueueBytes: 100_000}}, func(t *testing.T, s *site) {
		c, other := s.open(), s.open()
		uris := make([]string, resources)
		for i := range uris {
			uris[i] = fmt.Sprintf("item://%d", i)
			if v.era == legacy {
				if m := c.ask("resources/subscribe", fmt.Sprintf(`"uri":%q`, uris[i])); m.failed() {
					t.Fatal(m)
				}
			}
		}
		if v.era == modern {
			c.say("subscriptions/listen", `"notifications":{"resourceSubscriptions":["`+strings.Join(uris, `","`)+`"]}`)
			c.wait("acknowledgement", func(m message) bool { return strings.HasSuffix(m.Method, "/acknowledged") })
		}
		if v.is(httpLegacy) {
			c.wantStatus("GET", c.status(c.link.(*httpLink).get()), 200)
		}
		s.settle()
		c.in.all()
		c.in.pause()
		runtime.GC()
		before, started := heap(), time.Now()
		for i := range changes {
			s.server.ResourceUpdated(uris[i%resources])
		}
		if took := time.Since(started); took > 0 {
			t.Errorf("telling has waited %v", took)
		}
		other.alive("many changes")
		runtime.GC()
		if grown := int64(heap()) - int64(before); grown > 1<<20 { // less than a notification for each change
			t.Errorf("%d bytes are kept", grown)
		}
		c.in.resume()
		s.settle()
		received := map[string]int{}
		for _, m := range c.in.all() {
			received[string(m.Params)]++
		}
		for _, uri := range uris {
			found := 0
			for params, n := range received {
				if strings.Contains(params, `"`+uri+`"`) {
					found += n
				}
			}
			if found == 0 || found > changes/resources/2 {
				t.Errorf("of %s the client has got %d times", uri, found)
			}
		}
		c.alive("many changes")
	})
}

// testIdleMemory has clients that sent and received large messages, once, and stay connected.
func testIdleMemory(t *testing.T, v target) {
	const clients, size = 4, 256 << 10
	v.visit(t, setup{}, func(t *testing.T, s *site) {
		var all []*client
		for range clients {
			c := s.open()
			c.alive("the start")
			all = append(all, c)
		}
		s.settle()
		runtime.GC()
		runtime.GC()
		before := heap()
		for _, c := range all {
			id, d := c.say("tools/call", call("large", fmt.Sprintf(`{"n":%d}`, size)))
			if m := c.reply(id); len(m.text()) != size {
				t.Errorf("%v", m)
			}
			await(s, d.answered, "status")
			if m, _ := c.try(c.era.sized("7", size)); m.text() != "x" {
				t.Errorf("%v", m)
			}
		}
		time.Sleep(time.Minute)
		s.settle()
		runtime.GC()
		runtime.GC() // pools keep their content for one collection
		if kept := (int64(heap()) - int64(before)) / clients; kept > 16_000 {
			t.Errorf("each keeps %d bytes", kept)
		}
		for _, c := range all {
			c.alive("a minute")
		}
	})
}

// testStuckWriter shuts the server down while a client does not read.
func testStuckWriter(t *testing.T, v target) {
	v.visit(t, setup{limits: mcp.Limits{WriteTime: 24 * time.Hour, QueueBytes: 64 << 10}}, func(t *testing.T, s *site) {
		slow := s.open()
		h := s.hold("beside")
		slow.say("tools/call", h.params())
		ctx := await(s, h.in, "call")
		slow.in.pause()
		for range 50 {
			slow.say("tools/call", call("large", `{"n":50000}`))
		}
		s.settle()
		started := time.Now()
		soon := 4 * time.Second
		switch {
		case v.is(stdio, memory):
			s.stop(errTestOver)
			if err := await(s, slow.link.(*lineLink).served, "end of Serve"); !errors.Is(err, errTestOver) {
				t.Errorf("Serve: %v", err)
			}
		case v.is(tcp):
			s.stop(errTestOver)
			soon += 10 * time.Second // mcp.Limits.DrainTime
		default:
			if err := s.handler.Close(); err != nil {
				t.Errorf("Close: %v", err)
			}
			if !v.is(webSocket) && time.Since(started) > 0 {
				t.Error("Close waits")
			}
			_ = s.http.Close()
		}
		await(s, ctx.Done(), "end of the context")
		s.served.Wait()
		if took := time.Since(started); took > soon {
			t.Errorf("it took %v", took)
		}
	})
}
