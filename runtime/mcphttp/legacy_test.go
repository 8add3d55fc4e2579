package mcphttp_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/internal/proof/spec"
	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcphttp"
)

// Messages of the revisions with sessions, and their session. M is the revision in _meta of the
// request, H the revision in the header, S the session.

// whoami parses the result of the tool whoami.
func whoami(t *testing.T, result json.RawMessage) (me identity) {
	t.Helper()
	if err := json.Unmarshal([]byte(textOf(t, result)), &me); err != nil {
		t.Fatal(err)
	}
	return me
}

// initialize, M absent: a session, whose id is in the header. The revision is the requested one if
// it has sessions, otherwise the newest one with sessions.
func TestInitialize(t *testing.T) {
	spec.Holds(t, "S061")
	serveBoth(t, setup{}, func(t *testing.T, s *testServer) {
		ids := map[string]bool{}
		visible := regexp.MustCompile(`^[\x21-\x7e]{22,}$`)
		for asked, got := range map[string]string{
			revisionA: revisionA, revisionB: revisionB, revisionC: revisionC, revisionD: revisionD,
			modern: revisionD, unknown: revisionD, "1.0": revisionD, "": revisionD,
		} {
			for _, h := range []string{"", revisionA, revisionB, revisionC, revisionD, modern} {
				var fields []string
				if h != "" {
					fields = append(fields, "Mcp-Protocol-Version: "+h)
				}
				a := s.do(postBody(initialize(asked), fields...))
				var r struct {
					ProtocolVersion string
					ServerInfo      struct{ Name string }
				}
				if err := json.Unmarshal(a.wantResult(`"init"`), &r); err != nil || r.ProtocolVersion != got || r.ServerInfo.Name != "fixture" {
					a.fail("asked for %q, want %q", asked, got)
				}
				id := a.field("Mcp-Session-Id")
				if !visible.MatchString(id) || ids[id] {
					a.fail("the session id is %q", id)
				}
				ids[id] = true
			}
		}
	})
}

// initialize with a session, known or not: -32600.
func TestInitializeInASession(t *testing.T) {
	serve(t, setup{}, func(t *testing.T, s *testServer) {
		x := s.open(revisionC)
		x.do(initialize(revisionD)).wantError(400, -32600, `"init"`)
		s.do(postBody(initialize(revisionD), "Mcp-Session-Id: no-such")).wantError(400, -32600, `"init"`)
		if me := whoami(t, x.do(call("whoami", "{}").legacy()).wantResult("1")); me.Revision != revisionC {
			t.Errorf("the session is one of %s", me.Revision)
		}
	})
}

// An initialize that fails opens no session.
func TestInitializeFails(t *testing.T) {
	serve(t, setup{handler: []mcphttp.Option{mcphttp.WithLimits(mcphttp.Limits{Sessions: 1})}}, func(t *testing.T, s *testServer) {
		for range 3 {
			for _, params := range []string{`{}`, `{"protocolVersion":7}`, `{"protocolVersion":"2025-11-25"}`, `{"protocolVersion":"2025-11-25","capabilities":{}}`, `[]`} {
				a := s.do(postBody(`{"jsonrpc":"2.0","id":"i","method":"initialize","params":` + params + `}`).invalid())
				m := a.wantJSON()
				if m.Error == nil || m.Error.Code != -32602 || string(m.ID) != `"i"` || a.field("Mcp-Session-Id") != "" {
					a.fail("want an error -32602 and no session")
				}
			}
		}
		s.open(revisionD)
	})
}

// M absent, H legacy or absent, S known: the revision of the session.
func TestSessionRequest(t *testing.T) {
	spec.Holds(t, "S064", "S065", "S099", "S119")
	for _, version := range legacy {
		serve(t, setup{}, func(t *testing.T, s *testServer) {
			x := s.open(version)
			for _, fields := range [][]string{
				{}, {"-Mcp-Protocol-Version"}, {"Mcp-Protocol-Version: " + revisionA}, {"Mcp-Protocol-Version: " + revisionB},
				{"Mcp-Protocol-Version: " + revisionC}, {"Mcp-Protocol-Version: " + revisionD},
			} {
				a := x.do(call("whoami", "{}").legacy(), fields...)
				me := whoami(t, a.wantResult("1"))
				if me.Revision != version || me.Client != "tester" || me.ID != "1" {
					a.fail("want revision %s", version)
				}
				if strings.Contains(a.text(), "resultType") {
					a.fail("a result of another era")
				}
			}
			if got := string(x.do(rpc{method: "ping", id: `"p"`}.legacy()).wantResult(`"p"`)); got != "{}" {
				t.Errorf("ping is answered with %s", got)
			}
			x.do(rpc{method: "server/discover"}.legacy()).wantError(200, -32601, "1")
		})
	}
}

// S unknown, closed, or of another principal: 404.
func TestSessionNotFound(t *testing.T) {
	spec.Holds(t, "S118")
	who := mcphttp.WithPrincipal(principalOf)
	serve(t, setup{handler: []mcphttp.Option{who}}, func(t *testing.T, s *testServer) {
		x := s.open(revisionD, "Authorization: ann")
		over := s.open(revisionD, "Authorization: ann")
		over.delete().wantSuccess()
		for name, r := range map[string]request{
			"unknown":             postBody(call("echo", "{}").legacy(), "Mcp-Session-Id: no-such", "Authorization: ann"),
			"ended":               over.withSession(postBody(call("echo", "{}").legacy())),
			"another's":           x.withSession(postBody(call("echo", "{}").legacy(), "Authorization: bob")),
			"without a principal": x.withSession(postBody(call("echo", "{}").legacy(), "-Authorization")),
			"notification":        postBody(initialized, "Mcp-Session-Id: no-such", "Authorization: ann"),
			"other's note":        x.withSession(postBody(cancelNotification("1"), "Authorization: bob")),
			"reply":               postBody(`{"jsonrpc":"2.0","id":1,"result":{}}`, "Mcp-Session-Id: no-such", "Authorization: ann"),
			"other's reply":       x.withSession(postBody(`{"jsonrpc":"2.0","id":1,"result":{}}`, "Authorization: bob")),
		} {
			a := s.do(r)
			if a.code() != 404 {
				a.fail("%s: the status is %d", name, a.code())
			}
		}
		x.do(call("echo", "{}").legacy()).wantResult("1")
	})
}

// S absent: 400.
func TestRequestWithoutSession(t *testing.T) {
	spec.Holds(t, "S117")
	serve(t, setup{}, func(t *testing.T, s *testServer) {
		for _, r := range []rpc{call("echo", "{}"), {method: "ping"}, {method: "tools/list"}, {method: "server/discover"}, {method: "no/such"}} {
			for _, fields := range [][]string{nil, {"Mcp-Protocol-Version: " + revisionB}, {"Mcp-Protocol-Version: " + revisionD}, {"Mcp-Session-Id: "}} {
				a := s.do(postBody(r.legacy(), fields...)).wantStatus(400)
				m := a.wantJSON()
				// A client that probes the server must not take the response for a response of a
				// modern server.
				if m.Error == nil || m.Error.Code == -32020 || m.Error.Code == -32021 || m.Error.Code == -32022 {
					a.fail("want an error that is not one of the modern era")
				}
			}
		}
	})
}

// S absent, and the server has no sessions: the revision of H, 2025-03-26 without.
func TestWithoutSessions(t *testing.T) {
	spec.Holds(t, "S119")
	serveBoth(t, setup{handler: []mcphttp.Option{mcphttp.WithoutSessions()}}, func(t *testing.T, s *testServer) {
		a := s.do(postBody(initialize(revisionC)))
		a.wantResult(`"init"`)
		if a.field("Mcp-Session-Id") != "" {
			a.fail("there is a session")
		}
		s.do(postBody(initialized)).wantAccepted()
		s.do(postBody(initialized, "Mcp-Protocol-Version: "+revisionD)).wantAccepted()
		for h, want := range map[string]string{"": revisionB, revisionA: revisionA, revisionB: revisionB, revisionC: revisionC, revisionD: revisionD} {
			var fields []string
			if h != "" {
				fields = append(fields, "Mcp-Protocol-Version: "+h)
			}
			for _, session := range []string{"", "Mcp-Session-Id: of-another-replica"} {
				if session != "" {
					fields = append(fields, session)
				}
				a := s.do(postBody(call("whoami", "{}").legacy(), fields...))
				if me := whoami(t, a.wantResult("1")); me.Revision != want {
					a.fail("the revision is %s, want %s", me.Revision, want)
				}
				s.do(postBody(rpc{method: "tools/list"}.legacy(), fields...)).wantResult("1")
				s.do(postBody(rpc{method: "ping"}.legacy(), fields...)).wantResult("1")
			}
		}
		s.do(postBody(rpc{method: "tools/list"}.legacy(), "Mcp-Protocol-Version: "+unknown)).wantError(400, -32022, "1")
		s.do(call("echo", "{}").post()).wantResult("1")
		s.do(postBody(call("echo", "{}").legacy(), call("echo", "{}").fields()...).invalid()).wantError(400, -32602, "1")
	})
}

// Features that need a session are not offered without one.
func TestCapabilitiesWithoutSessions(t *testing.T) {
	serve(t, setup{handler: []mcphttp.Option{mcphttp.WithoutSessions()}}, func(t *testing.T, s *testServer) {
		a := s.do(postBody(initialize(revisionD)))
		a.wantResult(`"init"`)
		for _, missing := range []string{"listChanged", "subscribe"} {
			if strings.Contains(a.text(), missing) {
				a.fail("%s is declared", missing)
			}
		}
		for _, there := range []string{`"tools":{}`, `"resources":{}`, `"prompts":{}`} {
			if !strings.Contains(a.text(), there) {
				a.fail("%s is not declared", there)
			}
		}
		for _, method := range []string{"resources/subscribe", "resources/unsubscribe"} {
			s.do(postBody(rpc{method: method, params: `"uri":"note://one"`}.legacy(), "Mcp-Protocol-Version: "+revisionD)).wantError(200, -32601, "1")
		}
	})
	serve(t, setup{}, func(t *testing.T, s *testServer) {
		a := s.do(postBody(initialize(revisionD)))
		if !strings.Contains(a.text(), `"resources":{"subscribe":true,"listChanged":true}`) {
			a.fail("a session has no subscriptions")
		}
	})
}

// Without sessions batches are served, and responses are refused.
func TestOtherMessagesWithoutSessions(t *testing.T) {
	serve(t, setup{handler: []mcphttp.Option{mcphttp.WithoutSessions()}}, func(t *testing.T, s *testServer) {
		one := call("echo", "{}").legacy()
		for _, fields := range [][]string{nil, {"Mcp-Protocol-Version: " + revisionB}} {
			a := s.do(postBody("["+one+","+initialized+"]", fields...)).wantStatus(200)
			if !strings.HasPrefix(a.text(), "[{") || strings.Count(a.text(), `"result"`) != 1 {
				a.fail("want one reply in an array")
			}
			s.do(postBody("["+initialized+"]", fields...)).wantAccepted()
		}
		s.do(postBody("["+one+"]", "Mcp-Protocol-Version: "+revisionD).invalid()).wantError(400, -32600, "")
		spec.Holds(t, "S126")
		for _, h := range []string{revisionB, revisionD, modern} {
			r := postBody(`{"jsonrpc":"2.0","id":1,"result":{}}`, "Mcp-Protocol-Version: "+h)
			if h == modern {
				r = r.invalid() // the schema requires a resultType in every result
			}
			s.do(r).wantRefusal(400)
		}
		// The requests are independent: the same id may be used at once.
		p, q := s.Script("p"), s.Script("q")
		a, b := s.start(postBody(callScripted(p).legacy())), s.start(postBody(callScripted(q).legacy()))
		p.Started()
		q.Started()
		s.do(postBody(cancelNotification("1"))).wantAccepted()
		p.Return("p")
		q.Return("q")
		a.wait()
		b.wait()
		if got := textOf(t, a.wantResult("1")) + textOf(t, b.wantResult("1")); got != "pq" {
			t.Errorf("the answers are %q", got)
		}
	})
}

// If the client of a call without a session disconnects, the call is cancelled: it cannot be
// resumed, and the number of such calls would not be limited.
func TestVanishedWithoutSessions(t *testing.T) {
	serveBoth(t, setup{handler: []mcphttp.Option{mcphttp.WithoutSessions()}}, func(t *testing.T, s *testServer) {
		p := s.Script("p")
		a := s.start(postBody(callScripted(p).legacy()))
		p.Started()
		a.disconnect()
		if err := p.Ended(); !errors.Is(err, mcp.ErrCancelled) {
			t.Errorf("the cause is %v", err)
		}
	})
}

// Two session fields, or an empty one, are invalid.
func TestSeveralSessions(t *testing.T) {
	serve(t, setup{}, func(t *testing.T, s *testServer) {
		x, y := s.open(revisionD), s.open(revisionD)
		for _, fields := range [][]string{
			{"Mcp-Session-Id: " + x.id, "Mcp-Session-Id: " + y.id}, {"Mcp-Session-Id: " + x.id, "Mcp-Session-Id: " + x.id},
		} {
			s.do(postBody(call("echo", "{}").legacy(), fields...)).wantStatus(400)
			s.do(request{method: "GET"}.with(fields...)).wantRefusal(400)
			s.do(request{method: "DELETE"}.with(fields...)).wantRefusal(400)
		}
		s.do(postBody(call("echo", "{}").legacy(), "Mcp-Session-Id: "+x.id+", "+x.id)).wantStatus(404)
		x.do(call("echo", "{}").legacy()).wantResult("1")
		y.do(call("echo", "{}").legacy()).wantResult("1")
	})
}

// Without sessions questions are not possible: the handler gets an error at once.
func TestNoQuestionsWithoutSessions(t *testing.T) {
	serve(t, setup{handler: []mcphttp.Option{mcphttp.WithoutSessions()}}, func(t *testing.T, s *testServer) {
		s.do(postBody(initialize(revisionD))).wantResult(`"init"`)
		a := s.do(postBody(call("asks", "{}").legacy(), "Mcp-Protocol-Version: "+revisionD))
		if r := a.wantResult("1"); !strings.Contains(string(r), `"isError":true`) {
			a.fail("want a failed result")
		}
		// Notifications are still sent.
		a = s.do(postBody(call("steps", `{"n":2}`).legacy(), "Mcp-Protocol-Version: "+revisionD))
		a.wantStream().wantMessages("notifications/progress", "notifications/progress", "result 1")
		for _, e := range a.events() {
			if e.hasID || e.retry != "" {
				a.fail("there is nothing to resume")
			}
		}
	})
}

// A notification with a modern H is accepted and ignored: it cancels nothing, with any id. Other
// notifications need a session.
func TestNotification(t *testing.T) {
	serve(t, setup{}, func(t *testing.T, s *testServer) {
		x := s.open(revisionD)
		one, two := s.Script("one"), s.Script("two")
		first := s.start(callScripted(one).withID("5").post())
		second := x.start(callScripted(two).withID("5").legacy())
		one.Started()
		two.Started()

		h := "Mcp-Protocol-Version: " + modern
		spec.Holds(t, "S100", "S125")
		s.do(postBody(cancelNotification("5"), h)).wantAccepted()
		s.do(postBody(cancelNotification("5"), h, "Mcp-Method: notifications/cancelled")).wantAccepted()
		s.do(x.withSession(postBody(cancelNotification("5"), h))).wantAccepted()
		s.do(postBody(initialized, h)).wantAccepted()
		s.do(postBody(`{"jsonrpc":"2.0","method":"notifications/no/such"}`, h)).wantAccepted()
		spec.Holds(t, "S101")
		s.do(postBody(cancelNotification("5"))).wantRefusal(400)
		s.do(postBody(cancelNotification("5"), "Mcp-Protocol-Version: "+revisionD)).wantRefusal(400)
		s.do(postBody(initialized)).wantRefusal(400)
		first.wantPending()
		second.wantPending()

		x.do(`{"jsonrpc":"2.0","method":"notifications/no/such","params":{"x":1}}`).wantAccepted()
		x.do(cancelNotification("77")).wantAccepted()
		x.do(cancelNotification(`"5"`)).wantAccepted()
		second.wantPending()
		one.Return("first")
		two.Return("second")
		first.wait()
		second.wait()
		if got := textOf(t, first.wantResult("5")) + textOf(t, second.wantResult("5")); got != "firstsecond" {
			t.Errorf("the answers are %q", got)
		}
	})
}

// A response belongs to the session of the question. Modern clients send none.
func TestResponse(t *testing.T) {
	serve(t, setup{}, func(t *testing.T, s *testServer) {
		x := s.open(revisionD)
		for _, body := range []string{
			`{"jsonrpc":"2.0","id":"unknown","result":{}}`, `{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"no"}}`,
		} {
			x.do(body).wantAccepted()
			r := postBody(body, "Mcp-Protocol-Version: "+modern)
			if strings.Contains(body, "result") {
				r = r.invalid() // the schema requires a resultType in every result
			}
			s.do(r).wantRefusal(400)
			s.do(x.withSession(r)).wantRefusal(400)
			s.do(postBody(body)).wantRefusal(400)
		}
	})
}

// An array is a batch in a session of revision 2025-03-26, and invalid elsewhere.
func TestBatch(t *testing.T) {
	spec.Holds(t, "S020")
	serveBoth(t, setup{}, func(t *testing.T, s *testServer) {
		x := s.open(revisionB)
		one, two, note := call("echo", `{"n":1}`).withID("1").legacy(), call("echo", `{"n":2}`).withID(`"2"`).legacy(), initialized
		a := x.do("[" + one + "," + note + "," + two + "]")
		a.wantStatus(http.StatusOK)
		if a.mediaType() != "application/json" {
			a.fatal("the answer is %s", a.mediaType())
		}
		var replies []*message
		if err := json.Unmarshal([]byte(a.text()), &replies); err != nil || len(replies) != 2 {
			a.fatal("want two replies: %v", err)
		}
		texts := map[string]string{}
		for _, r := range replies {
			texts[string(r.ID)] = textOf(t, r.Result)
		}
		if texts["1"] != `{"n":1}` || texts[`"2"`] != `{"n":2}` {
			a.fail("the replies are %v", texts)
		}
		x.do("[" + note + "," + cancelNotification("9") + "]").wantAccepted()
		x.do("[" + note + `,{"jsonrpc":"2.0","id":4,"result":{}}]`).wantAccepted()
		x.do("[]", spec.InvalidField).wantError(400, -32600, "")

		spec.Holds(t, "S021")
		a = x.do("[" + strings.Replace(initialize(revisionB), `"init"`, "8", 1) + "," + call("echo", "{}").withID("9").modern() + "," + one + "]").wantStatus(http.StatusOK)
		if err := json.Unmarshal([]byte(a.text()), &replies); err != nil || len(replies) != 3 {
			a.fatal("want three replies: %v", err)
		}
		for _, r := range replies {
			if wrong := string(r.ID) != "1"; wrong != (r.Error != nil) || wrong && r.Error.Code != -32600 {
				a.fail("reply to %s", r.ID)
			}
		}

		for _, version := range []string{revisionA, revisionC, revisionD} {
			s.open(version).do("["+one+"]", spec.InvalidField).wantError(400, -32600, "")
		}
		batch := postBody("[" + one + "]")
		s.do(batch).wantError(400, -32600, "")
		s.do(batch.with("Mcp-Protocol-Version: "+modern).invalid()).wantError(400, -32600, "")
		s.do(x.withSession(batch).with("-Mcp-Protocol-Version")).wantStatus(200)
	})
}

// The response to a batch becomes an event stream like the response to a single request. It ends
// with the last reply.
func TestBatchStreams(t *testing.T) {
	serve(t, setup{}, func(t *testing.T, s *testServer) {
		x := s.open(revisionB)
		p := s.Script("p")
		a := x.start("[" + callScripted(p).withID("1").legacy() + "," + call("echo", "{}").withID("2").legacy() + "]")
		p.Started()
		a.wantPending()
		p.Log("first")
		a.wantStream()
		a.wantMessages("notifications/message")
		p.Return("done")
		var replies []*message
		last := a.next()
		if len(last) != 1 || json.Unmarshal([]byte(last[0].data), &replies) != nil || len(replies) != 2 {
			a.fail("want one array of two replies")
		}
		a.wantEnd()
	})
}
