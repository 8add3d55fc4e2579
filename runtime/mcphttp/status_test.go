package mcphttp_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/internal/proof/spec"
	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcphttp"
)

// Bodies that cannot be parsed are refused without an id, whatever the header contains.
func TestUnreadable(t *testing.T) {
	serve(t, setup{}, func(t *testing.T, s *testServer) {
		x := s.open(revisionB)
		for body, code := range map[string]int{"{": -32700, "": -32700, `{}`: -32600} {
			for _, r := range []request{
				postBody(body), postBody(body, "Mcp-Protocol-Version: "+modern, "Mcp-Method: tools/list"), x.withSession(postBody(body)),
				postBody(body, "Mcp-Session-Id: no-such"),
			} {
				s.do(r.invalid()).wantError(400, code, "")
			}
		}
	})
}

// The status of an error in modern requests: 404 for unknown methods, 400 for errors that a proxy
// could detect, 200 for the rest. In sessions it is always 200.
func TestStatusOfErrors(t *testing.T) {
	spec.Holds(t, "S027", "S028", "S052", "S137")
	serve(t, setup{}, func(t *testing.T, s *testServer) {
		x := s.open(revisionD)
		missing := rpc{method: "resources/read", params: `"uri":"test://no-such"`}
		for _, c := range []struct {
			name           string
			r              rpc
			status, code   int
			session        int
			data           string
			modernFailure  bool // a failed result, not an error
			sessionFailure bool
		}{
			{name: "unknown method", r: rpc{method: "no/such"}, status: 404, code: -32601, session: -32601},
			{name: "unknown tool", r: call("no-such", "{}"), status: 200, code: -32602, session: -32602},
			{name: "unknown prompt", r: rpc{method: "prompts/get", params: `"name":"no-such"`}, status: 200, code: -32602, session: -32602},
			{name: "unknown resource", r: missing, status: 200, code: -32602, session: -32002, data: `"uri":"test://no-such"`},
			{name: "bad cursor", r: rpc{method: "tools/list", params: `"cursor":"x"`}, status: 200, code: -32602, session: -32602},
			{name: "arguments no object", r: call("echo", "7"), status: 200, code: -32602, session: -32602},
			{name: "capability", r: call("needs", "{}"), status: 400, code: -32021, data: `"requiredCapabilities":{"sampling":{}}`},
			{name: "panic", r: call("panics", "{}"), status: 200, modernFailure: true, sessionFailure: true},
			{name: "end of the goroutine", r: call("exits", "{}"), status: 200, modernFailure: true, sessionFailure: true},
		} {
			t.Log(c.name)
			var mark []string
			if c.name == "arguments no object" {
				mark = append(mark, spec.InvalidField)
			}
			a := s.do(c.r.withID(`"q"`).post().with(mark...))
			if c.modernFailure {
				if !strings.Contains(string(a.wantResult(`"q"`)), `"isError":true`) || strings.Contains(a.text(), "secret") {
					a.fail("want a failed result")
				}
			} else if e := a.wantError(c.status, c.code, `"q"`); !strings.Contains(string(e.Data), c.data) {
				a.fail("the data are %s", e.Data)
			}
			a = x.do(c.r.withID(`"q"`).legacy(), mark...)
			switch {
			case c.sessionFailure:
				if !strings.Contains(string(a.wantResult(`"q"`)), `"isError":true`) || strings.Contains(a.text(), "secret") {
					a.fail("want a failed result")
				}
			case c.session != 0:
				a.wantError(200, c.session, `"q"`)
			default:
				a.wantResult(`"q"`)
			}
		}
	})
}

// An error after the start of the event stream has no status, but is complete otherwise.
func TestErrorInAStream(t *testing.T) {
	serve(t, setup{}, func(t *testing.T, s *testServer) {
		p := s.Script("p")
		a := s.start(callScripted(p).withID("4").post())
		p.Started()
		p.Progress(1)
		a.wantStream()
		p.Begin(func(context.Context) *mcp.ToolResult { panic("secret") })
		a.wantEnd()
		m := a.wantMessages("notifications/progress", "result 4")[1]
		if !strings.Contains(string(m.Result), `"isError":true`) || strings.Contains(a.text(), "secret") {
			a.fail("want a failed result")
		}
	})
}

// GET, H absent or legacy, S known: an event stream.
func TestGet(t *testing.T) {
	spec.Holds(t, "S099", "S108")
	for _, version := range legacy {
		serveBoth(t, setup{}, func(t *testing.T, s *testServer) {
			x := s.open(version)
			for _, fields := range [][]string{{}, {"-Mcp-Protocol-Version"}, {"Mcp-Protocol-Version: " + revisionC}, {"Accept: */*"}} {
				a := x.listen(fields...)
				s.changeTools()
				a.wantMessages("notifications/tools/list_changed")
				a.disconnect()
			}
		})
	}
}

// GET with a modern H, or at a server without sessions: 405.
func TestGetNotAllowed(t *testing.T) {
	spec.Holds(t, "S108", "S154")
	serve(t, setup{}, func(t *testing.T, s *testServer) {
		x := s.open(revisionD)
		get := request{method: "GET"}.with("Mcp-Protocol-Version: " + modern)
		s.do(get).wantAllow("POST", "-GET")
		s.do(x.withSession(get)).wantAllow("POST", "-GET")
		s.do(x.withSession(get).with("Last-Event-ID: 1")).wantAllow("POST", "-GET")
	})
	serve(t, setup{handler: []mcphttp.Option{mcphttp.WithoutSessions()}}, func(t *testing.T, s *testServer) {
		for _, h := range []string{"", revisionB, revisionD, modern} {
			get := request{method: "GET"}.with("Mcp-Protocol-Version: " + h)
			if h == "" {
				get = request{method: "GET"}
			}
			s.do(get).wantAllow("POST", "-GET", "-DELETE")
			s.do(get.with("Mcp-Session-Id: x")).wantAllow("POST", "-GET", "-DELETE")
			get.method = "DELETE"
			s.do(get.with("Mcp-Session-Id: x")).wantAllow("POST", "-GET", "-DELETE")
		}
	})
}

// GET without S: 400. S unknown, closed, or of another principal: 404.
func TestGetWithoutSession(t *testing.T) {
	serve(t, setup{handler: []mcphttp.Option{mcphttp.WithPrincipal(principalOf)}}, func(t *testing.T, s *testServer) {
		x := s.open(revisionD, "Authorization: ann")
		over := s.open(revisionD, "Authorization: ann")
		over.delete()
		get := request{method: "GET"}
		s.do(get).wantRefusal(400)
		s.do(get.with("Last-Event-ID: 1")).wantRefusal(400)
		s.do(get.with("Mcp-Protocol-Version: " + revisionD)).wantRefusal(400)
		s.do(get.with("Mcp-Session-Id: no-such")).wantRefusal(404)
		s.do(get.with("Mcp-Session-Id: no-such", "Last-Event-ID: 1")).wantRefusal(404)
		s.do(over.withSession(get)).wantRefusal(404)
		s.do(x.withSession(get.with("Authorization: bob"))).wantRefusal(404)
		s.do(x.withSession(get.with("Authorization: bob", "Last-Event-ID: 1"))).wantRefusal(404)
	})
}

// DELETE with S: the session is closed. Without: 400. With a modern H: 405.
func TestDelete(t *testing.T) {
	spec.Holds(t, "S154")
	for _, version := range legacy {
		serve(t, setup{}, func(t *testing.T, s *testServer) {
			x, other := s.open(version), s.open(version)
			s.do(request{method: "DELETE"}).wantRefusal(400)
			s.do(request{method: "DELETE"}.with("Mcp-Session-Id: no-such")).wantRefusal(404)
			s.do(x.withSession(request{method: "DELETE"}.with("-Mcp-Protocol-Version"))).wantSuccess()
			x.do(call("echo", "{}").legacy()).wantStatus(404)
			x.delete().wantRefusal(404)
			s.do(other.withSession(request{method: "DELETE", fields: []string{"Mcp-Protocol-Version: " + modern}})).wantAllow("POST", "-DELETE")
			other.do(call("echo", "{}").legacy()).wantResult("1")
		})
	}
}

// Other methods: 405, before all other checks.
func TestOtherMethods(t *testing.T) {
	serve(t, setup{}, func(t *testing.T, s *testServer) {
		x := s.open(revisionD)
		for _, method := range []string{"HEAD", "PUT", "PATCH", "OPTIONS", "TRACE", "PROPFIND", "post"} {
			for _, r := range []request{{method: method}, x.withSession(request{method: method}), call("echo", "{}").post()} {
				r.method = method
				if method == "HEAD" || method == "TRACE" {
					r.body = ""
				}
				s.do(r).wantAllow("POST", "GET", "DELETE", "-"+method)
			}
		}
	})
}

// POST needs a client that accepts JSON and event streams; wildcards count.
func TestAccept(t *testing.T) {
	serve(t, setup{}, func(t *testing.T, s *testServer) {
		x := s.open(revisionD)
		for accept, ok := range map[string]bool{
			"application/json, text/event-stream": true, "text/event-stream,application/json": true, "*/*": true,
			"application/*, text/*": true, "APPLICATION/JSON, Text/Event-Stream": true,
			"application/json;q=0.1, text/event-stream;q=0.9, */*;q=0": true,
			"text/html, application/json; charset=utf-8, */*; q=0.5":   true,
			"application/json": false, "text/event-stream": false, "text/*": false, "application/*": false, "text/html": false,
			"application/json, text/event-stream;q=0": false, "*/*;q=0": false, "application/json, text/event-streams": false,
		} {
			field := "Accept: " + accept
			for _, r := range []request{call("echo", "{}").post(field), x.withSession(postBody(call("echo", "{}").legacy(), field))} {
				if a := s.do(r); ok {
					a.wantResult("1")
				} else {
					a.wantRefusal(406)
				}
			}
		}
		s.do(call("echo", "{}").post("Accept: application/json", "Accept: text/event-stream")).wantResult("1")
		s.do(x.withSession(postBody(initialized, "Accept: text/html"))).wantRefusal(406)

		get := request{method: "GET"}
		for _, accept := range []string{"application/json", "text/html", "text/event-stream;q=0"} {
			s.do(x.withSession(get.with("Accept: " + accept))).wantRefusal(406)
		}
		x.listen("Accept: text/*")
	})
}

// A request body without a length is read up to the limit as well.
func TestChunkedBody(t *testing.T) {
	serveBoth(t, setup{server: limited, noisy: true}, func(t *testing.T, s *testServer) {
		r := call("echo", "{}").post()
		req := r.build(t.Context(), t)
		req.ContentLength = -1
		resp, err := s.client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		a := &response{t: t, request: r}
		a.consume(resp)
		a.wantResult("1")

		r.body = strings.Repeat(" ", 1900) + r.body
		req = r.build(t.Context(), t)
		req.ContentLength = -1
		resp, err = s.client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		a = &response{t: t, request: r}
		a.consume(resp)
		a.wantRefusal(413)
	})
}

// Responses must not be cached.
func TestAnswersAreNotCached(t *testing.T) {
	serve(t, setup{}, func(t *testing.T, s *testServer) {
		a := s.do(postBody(initialize(revisionD)))
		if v := a.field("Cache-Control"); v != "" && !strings.Contains(v, "no-store") && !strings.Contains(v, "no-cache") {
			a.fail("Cache-Control is %q", v)
		}
		var m map[string]json.RawMessage
		if err := json.Unmarshal([]byte(a.text()), &m); err != nil {
			t.Fatal(err)
		}
		if a.field("Content-Length") == "" {
			a.fail("a plain answer has no Content-Length")
		}
		if v, _, _ := strings.Cut(a.field("Content-Type"), ";"); v != "application/json" {
			a.fail("Content-Type is %q", v)
		}
	})
}
