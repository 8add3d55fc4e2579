package mcphttp_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/internal/spec"
	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcphttp"
)

// listen asks for changes.
func listen(id, filter string) rpc {
	return rpc{id: id, method: "subscriptions/listen", params: `"notifications":{` + filter + `}`}
}

// subscribed checks that messages are those of a listen.
func subscribed(a *answer, id string, messages ...*message) {
	a.t.Helper()
	for _, m := range messages {
		body := m.Params
		if body == nil {
			body = m.Result
		}
		var p struct {
			Meta map[string]json.RawMessage `json:"_meta"`
		}
		if err := json.Unmarshal(body, &p); err != nil || string(p.Meta["io.modelcontextprotocol/subscriptionId"]) != id {
			a.fail("want the subscription %s: %s", id, body)
		}
	}
}

// A listen is an event stream at once: it acknowledges, then tells of changes, each
// with the id of the request, until the client closes it.
func TestListen(t *testing.T) {
	spec.Holds(t, "S056", "S197", "S218")
	overBoth(t, setup{}, func(t *testing.T, s *site) {
		for _, id := range []string{"5", `"5"`} {
			a := s.start(listen(id, `"toolsListChanged":true,"resourceSubscriptions":["test://text"]`).post())
			spec.Holds(t, "S309", "S310")
			ack := a.streaming().hears("notifications/subscriptions/acknowledged")[0]
			if p := string(ack.Params); !strings.Contains(p, `"toolsListChanged":true`) || !strings.Contains(p, `["test://text"]`) || strings.Contains(p, "prompts") {
				a.fail("acknowledged is %s", p)
			}
			subscribed(a, id, ack)
			spec.Holds(t, "S308")
			s.change()
			s.ResourceUpdated("test://text")
			s.ResourceUpdated("test://other")
			s.Unregister(mcp.KindPrompt, "no-such")
			subscribed(a, id, a.hears("notifications/tools/list_changed", "notifications/resources/updated")...)
			for _, e := range a.events() {
				if e.hasID || e.retry != "" {
					a.fail("there is nothing to resume: %+v", e)
				}
			}
			a.stays().vanish()
			s.change()
			a.hears()
		}
	})
}

// Several listens, of one client and of many, each get their own copy.
func TestListensApart(t *testing.T) {
	overBoth(t, setup{}, func(t *testing.T, s *site) {
		tools := s.start(listen("1", `"toolsListChanged":true`).post())
		same := s.start(listen("1", `"toolsListChanged":true`).post())
		resources := s.start(listen("2", `"resourceSubscriptions":["test://text"]`).post())
		nothing := s.start(listen("3", ``).post())
		session := s.open(revisionD).listen()
		for id, a := range map[string]*answer{"1": tools, "2": resources, "3": nothing} {
			subscribed(a, id, a.streaming().hears("notifications/subscriptions/acknowledged")...)
		}
		same.streaming().hears("notifications/subscriptions/acknowledged")
		s.change()
		s.ResourceUpdated("test://text")
		tools.hears("notifications/tools/list_changed")
		same.hears("notifications/tools/list_changed")
		resources.hears("notifications/resources/updated")
		nothing.stays().hears()
		session.hears("notifications/tools/list_changed")
		same.vanish()
		s.change()
		tools.stays().hears("notifications/tools/list_changed")
	})
}

// Neither progress nor log messages travel on a listen, and it is quiet until
// something happens: comments keep it alive.
func TestListenIsQuiet(t *testing.T) {
	spec.Holds(t, "S128")
	overBoth(t, setup{}, func(t *testing.T, s *site) {
		a := s.start(listen("1", `"toolsListChanged":true`).noting(`"progressToken":"p","io.modelcontextprotocol/logLevel":"debug"`).post())
		a.streaming().hears("notifications/subscriptions/acknowledged")
		s.do(call("steps", `{"n":3}`).noting(`"io.modelcontextprotocol/logLevel":"debug"`).post()).streaming()
		s.do(call("prints", `{}`).noting(`"io.modelcontextprotocol/logLevel":"debug"`).post()).streaming()
		time.Sleep(time.Hour)
		comments := 0
		for _, e := range a.stays().next() {
			if !e.comment {
				a.fail("there is %+v", e)
			}
			comments++
		}
		if comments < 239 || comments > 241 {
			a.fail("%d comments in an hour", comments)
		}
	})
}

// A shutdown ends listens with their result, then closes them.
func TestListenEnds(t *testing.T) {
	spec.Holds(t, "S311")
	overBoth(t, setup{}, func(t *testing.T, s *site) {
		a := s.start(listen(`"l"`, `"toolsListChanged":true`).post())
		a.streaming().hears("notifications/subscriptions/acknowledged")
		if err := s.handler.Shutdown(t.Context()); err != nil {
			t.Errorf("shut down: %v", err)
		}
		m := a.ends().hears(`result "l"`)[0]
		subscribed(a, `"l"`, m)
		if !strings.Contains(string(m.Result), `"resultType":"complete"`) {
			a.fail("the result is %s", m.Result)
		}
	})
}

// So does Close.
func TestListenEndsAtClose(t *testing.T) {
	visit(t, setup{}, func(t *testing.T, s *site) {
		a := s.start(listen("1", `"toolsListChanged":true`).post())
		a.streaming().hears("notifications/subscriptions/acknowledged")
		if err := s.handler.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
		synctest.Wait()
		if !a.over() {
			a.fail("the listen goes on")
		}
	})
}

// A listen that is wrong is refused without a stream.
func TestListenRefused(t *testing.T) {
	visit(t, setup{}, func(t *testing.T, s *site) {
		s.do(rpc{method: "subscriptions/listen"}.post().invalid()).refused(200, -32602, "1")
		s.do(listen("1", `"toolsListChanged":7`).post().invalid()).refused(200, -32602, "1")
		s.do(listen("1", "").post("-Mcp-Method")).refused(400, -32020, "1")
		s.open(revisionD).do(listen("1", "").legacy()).refused(200, -32601, "1")
	})
}

// Clients that do not know each other use the same ids.
func TestSameIDOfManyClients(t *testing.T) {
	overBoth(t, setup{}, func(t *testing.T, s *site) {
		var puppets []*puppet
		var answers []*answer
		for i := range 10 {
			p := s.puppet(fmt.Sprint("p", i))
			puppets = append(puppets, p)
			answers = append(answers, s.start(dance(p).as("1").post()))
			p.called()
		}
		answers[3].vanish()
		if err := puppets[3].cause(); !errors.Is(err, mcp.ErrCancelled) {
			t.Errorf("the cause is %v", err)
		}
		for i := 9; i >= 0; i-- {
			if i == 3 {
				continue
			}
			puppets[i].advances(1)
			puppets[i].answers(fmt.Sprint("answer ", i))
			m := answers[i].ends().hears("notifications/progress", "result 1")[1]
			if got := textOf(t, m.Result); got != fmt.Sprint("answer ", i) {
				answers[i].fail("the answer is %q", got)
			}
		}
	})
}

// There may be so many standing streams and no more; calls are not among them.
func TestStandingStreams(t *testing.T) {
	overBoth(t, limits(mcphttp.Limits{Streams: 3, StreamsPerClient: 3}), func(t *testing.T, s *site) {
		x, y := s.open(revisionD), s.open(revisionD)
		one := x.listen()
		two := s.start(listen("1", `"toolsListChanged":true`).post())
		two.streaming()
		three := s.start(listen("1", `"toolsListChanged":true`).post())
		three.streaming()
		s.do(listen("9", `"toolsListChanged":true`).post()).wants(503)
		s.do(y.as(request{method: "GET"})).turnedDown(503)
		p := s.puppet("p")
		a := s.start(dance(p).post())
		p.called()
		p.advances(1)
		a.streaming()
		three.vanish()
		synctest.Wait()
		again := y.listen()
		s.do(listen("9", `"toolsListChanged":true`).post()).wants(503)
		one.vanish()
		again.vanish()
		two.stays().vanish()
		synctest.Wait()
		s.start(listen("1", "").post()).streaming()
		p.answers("done")
	})
}
