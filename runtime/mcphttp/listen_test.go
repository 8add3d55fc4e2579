package mcphttp_test

import (
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/internal/proof/spec"
	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcphttp"
)

// listen returns a subscriptions/listen request.
func listen(id, filter string) rpc {
	return rpc{id: id, method: "subscriptions/listen", params: `"notifications":{` + filter + `}`}
}

// checkSubscription checks that messages contain the id of the listen.
func checkSubscription(a *response, id string, messages ...*message) {
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

// A listen is an event stream at once. It acknowledges, then sends changes, each with the id of the
// request, until the client closes it.
func TestListen(t *testing.T) {
	spec.Holds(t, "S056", "S197", "S218")
	serveBoth(t, setup{}, func(t *testing.T, s *testServer) {
		for _, id := range []string{"5", `"5"`} {
			a := s.start(listen(id, `"toolsListChanged":true,"resourceSubscriptions":["test://text"]`).post())
			spec.Holds(t, "S309", "S310")
			ack := a.wantStream().wantMessages("notifications/subscriptions/acknowledged")[0]
			if p := string(ack.Params); !strings.Contains(p, `"toolsListChanged":true`) || !strings.Contains(p, `["test://text"]`) || strings.Contains(p, "prompts") {
				a.fail("acknowledged is %s", p)
			}
			checkSubscription(a, id, ack)
			spec.Holds(t, "S308")
			s.changeTools()
			s.ResourceUpdated("test://text")
			s.ResourceUpdated("test://other")
			s.Unregister(mcp.KindPrompt, "no-such")
			checkSubscription(a, id, a.wantMessages("notifications/tools/list_changed", "notifications/resources/updated")...)
			for _, e := range a.events() {
				if e.hasID || e.retry != "" {
					a.fail("there is nothing to resume: %+v", e)
				}
			}
			a.wantOpen().disconnect()
			s.changeTools()
			a.wantMessages()
		}
	})
}

// Each of several listens, of one client and of many, gets its own copy.
func TestListensApart(t *testing.T) {
	serveBoth(t, setup{}, func(t *testing.T, s *testServer) {
		tools := s.start(listen("1", `"toolsListChanged":true`).post())
		same := s.start(listen("1", `"toolsListChanged":true`).post())
		resources := s.start(listen("2", `"resourceSubscriptions":["test://text"]`).post())
		nothing := s.start(listen("3", ``).post())
		session := s.open(revisionD).listen()
		for id, a := range map[string]*response{"1": tools, "2": resources, "3": nothing} {
			checkSubscription(a, id, a.wantStream().wantMessages("notifications/subscriptions/acknowledged")...)
		}
		same.wantStream().wantMessages("notifications/subscriptions/acknowledged")
		s.changeTools()
		s.ResourceUpdated("test://text")
		tools.wantMessages("notifications/tools/list_changed")
		same.wantMessages("notifications/tools/list_changed")
		resources.wantMessages("notifications/resources/updated")
		nothing.wantOpen().wantMessages()
		session.wantMessages("notifications/tools/list_changed")
		same.disconnect()
		s.changeTools()
		tools.wantOpen().wantMessages("notifications/tools/list_changed")
	})
}

// A listen contains neither progress nor log messages. Comments keep it alive.
func TestListenIsQuiet(t *testing.T) {
	spec.Holds(t, "S128")
	serveBoth(t, setup{}, func(t *testing.T, s *testServer) {
		a := s.start(listen("1", `"toolsListChanged":true`).withMeta(`"progressToken":"p","io.modelcontextprotocol/logLevel":"debug"`).post())
		a.wantStream().wantMessages("notifications/subscriptions/acknowledged")
		s.do(call("steps", `{"n":3}`).withMeta(`"io.modelcontextprotocol/logLevel":"debug"`).post()).wantStream()
		s.do(call("prints", `{}`).withMeta(`"io.modelcontextprotocol/logLevel":"debug"`).post()).wantStream()
		time.Sleep(time.Hour)
		comments := 0
		for _, e := range a.wantOpen().next() {
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

// Shutdown answers listens with their result, then closes them.
func TestListenEnds(t *testing.T) {
	spec.Holds(t, "S311")
	serveBoth(t, setup{}, func(t *testing.T, s *testServer) {
		a := s.start(listen(`"l"`, `"toolsListChanged":true`).post())
		a.wantStream().wantMessages("notifications/subscriptions/acknowledged")
		if err := s.handler.Shutdown(t.Context()); err != nil {
			t.Errorf("shut down: %v", err)
		}
		m := a.wantEnd().wantMessages(`result "l"`)[0]
		checkSubscription(a, `"l"`, m)
		if !strings.Contains(string(m.Result), `"resultType":"complete"`) {
			a.fail("the result is %s", m.Result)
		}
	})
}

// Close closes them too.
func TestListenEndsAtClose(t *testing.T) {
	serve(t, setup{}, func(t *testing.T, s *testServer) {
		a := s.start(listen("1", `"toolsListChanged":true`).post())
		a.wantStream().wantMessages("notifications/subscriptions/acknowledged")
		if err := s.handler.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
		synctest.Wait()
		if !a.hasEnded() {
			a.fail("the listen goes on")
		}
	})
}

// An invalid listen is refused without a stream.
func TestListenRefused(t *testing.T) {
	serve(t, setup{}, func(t *testing.T, s *testServer) {
		s.do(rpc{method: "subscriptions/listen"}.post().invalid()).wantError(200, -32602, "1")
		s.do(listen("1", `"toolsListChanged":7`).post().invalid()).wantError(200, -32602, "1")
		s.do(listen("1", "").post("-Mcp-Method")).wantError(400, -32020, "1")
		s.open(revisionD).do(listen("1", "").legacy()).wantError(200, -32601, "1")
	})
}

// The number of long-lived streams is limited; calls do not count.
func TestStandingStreams(t *testing.T) {
	serveBoth(t, limits(mcphttp.Limits{Streams: 3}), func(t *testing.T, s *testServer) {
		x, y := s.open(revisionD), s.open(revisionD)
		one := x.listen()
		two := s.start(listen("1", `"toolsListChanged":true`).post())
		two.wantStream()
		three := s.start(listen("1", `"toolsListChanged":true`).post())
		three.wantStream()
		s.do(listen("9", `"toolsListChanged":true`).post()).wantStatus(503)
		s.do(y.withSession(request{method: "GET"})).wantRefusal(503)
		p := s.Script("p")
		a := s.start(callScripted(p).post())
		p.Started()
		p.Progress(1)
		a.wantStream()
		three.disconnect()
		synctest.Wait()
		again := y.listen()
		s.do(listen("9", `"toolsListChanged":true`).post()).wantStatus(503)
		one.disconnect()
		again.disconnect()
		two.wantOpen().disconnect()
		synctest.Wait()
		s.start(listen("1", "").post()).wantStream()
		p.Return("done")
	})
}
