package mcphttp_test

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/internal/proof/spec"
	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcphttp"
)

// sseClient is a client of HTTP+SSE, the transport of 2024-11-05: one stream for all messages of
// the server, whose first event contains the URL for POST.
type sseClient struct {
	s      *testServer
	stream *response
	url    string
	fields []string
}

// connect opens the stream and reads the URL for POST.
func (s *testServer) connect(fields ...string) *sseClient {
	s.t.Helper()
	c := &sseClient{s: s, fields: fields, stream: s.start(request{method: "GET"}.with(fields...))}
	events := c.stream.wantStream().next()
	if len(events) != 1 || events[0].name != "endpoint" || events[0].hasID || events[0].retry != "" {
		c.stream.fatal("the stream begins with %+v", events)
	}
	base, _ := url.Parse(endpoint)
	to, err := base.Parse(events[0].data)
	if err != nil || to.Host != base.Host || to.Scheme != base.Scheme {
		c.stream.fatal("the endpoint is %q: %v", events[0].data, err)
	}
	c.url = to.String()
	return c
}

// post sends a message; the reply is an event.
func (c *sseClient) post(body string, fields ...string) *response {
	c.s.t.Helper()
	r := request{url: c.url, body: body, fields: override(append([]string{"-Accept"}, c.fields...), fields)}
	return c.s.do(r)
}

// open opens the session.
func (c *sseClient) open(version string) *sseClient {
	c.s.t.Helper()
	c.post(initialize(version)).wantAccepted()
	m := c.stream.wantMessages(`result "init"`)[0]
	if !strings.Contains(string(m.Result), `"protocolVersion":"`+version+`"`) {
		c.stream.fatal("the result is %s", m.Result)
	}
	c.post(initialized).wantAccepted()
	return c
}

var oldSSE = setup{sse: true}

// Every message of the server is an event of type message, and every POST is accepted without a
// body. The revisions with sessions can be negotiated.
func TestSSE(t *testing.T) {
	spec.Holds(t, "S095")
	for _, version := range legacy {
		serveBoth(t, oldSSE, func(t *testing.T, s *testServer) {
			c := s.connect().open(version)
			c.post(call("whoami", "{}").legacy()).wantAccepted()
			if me := whoami(t, c.stream.wantMessages("result 1")[0].Result); me.Revision != version || me.Client != "tester" {
				t.Errorf("the caller is %+v", me)
			}
			c.post(call("steps", `{"n":3}`).withID(`"s"`).legacy()).wantAccepted()
			c.stream.wantMessages("notifications/progress", "notifications/progress", "notifications/progress", `result "s"`)
			c.post(rpc{method: "no/such"}.legacy()).wantAccepted()
			if e := c.stream.wantMessages("error 1")[0].Error; e.Code != -32601 {
				t.Errorf("the error is %+v", e)
			}
			s.changeTools()
			c.stream.wantMessages("notifications/tools/list_changed")
			for _, e := range c.stream.events()[1:] {
				if e.name != "message" && e.name != "" || e.hasID || e.retry != "" || e.data == "" {
					c.stream.fail("the stream has %+v", e)
				}
			}
		})
	}
}

// Clients that ask for a revision without sessions get the newest revision with sessions.
func TestSSENegotiation(t *testing.T) {
	serve(t, oldSSE, func(t *testing.T, s *testServer) {
		for _, version := range []string{modern, unknown} {
			c := s.connect()
			c.post(initialize(version)).wantAccepted()
			if m := c.stream.wantMessages(`result "init"`)[0]; !strings.Contains(string(m.Result), `"protocolVersion":"`+revisionD+`"`) {
				c.stream.fail("the result is %s", m.Result)
			}
		}
	})
}

// Modern requests are refused with the supported revisions.
func TestSSEHasNoModernRequests(t *testing.T) {
	serve(t, oldSSE, func(t *testing.T, s *testServer) {
		for _, c := range []*sseClient{s.connect(), s.connect().open(revisionA)} {
			for _, r := range []rpc{call("echo", "{}"), {method: "server/discover"}, {method: "initialize"}, {method: "subscriptions/listen"}} {
				fields := r.fields()
				if r.method == "subscriptions/listen" {
					fields = append(fields, spec.InvalidField) // the filter is missing
				}
				c.post(r.withID(`"m"`).modern(), fields...).wantAccepted()
				e := c.stream.wantMessages(`error "m"`)[0].Error
				if e.Code != -32022 || !strings.Contains(string(e.Data), `"requested":"2026-07-28"`) ||
					!strings.Contains(string(e.Data), revisionA) || strings.Contains(strings.ReplaceAll(string(e.Data), `"requested":"2026-07-28"`, ""), modern) {
					c.stream.fail("the error is %+v", e)
				}
			}
		}
	})
}

// Before initialize most requests are refused.
func TestSSEBeforeInitialize(t *testing.T) {
	serve(t, oldSSE, func(t *testing.T, s *testServer) {
		c := s.connect()
		c.post(rpc{method: "ping"}.legacy()).wantAccepted()
		c.stream.wantMessages("result 1")
		c.post(call("echo", "{}").legacy()).wantAccepted()
		if e := c.stream.wantMessages("error 1")[0].Error; e.Code != -32602 {
			t.Errorf("the error is %+v", e)
		}
		c.open(revisionA)
		c.post(initialize(revisionA)).wantAccepted()
		if e := c.stream.wantMessages(`error "init"`)[0].Error; e.Code != -32600 {
			t.Errorf("the error is %+v", e)
		}
	})
}

// The endpoint is relative, so that it works behind a proxy, and keeps the query of the URL.
func TestSSEEndpoint(t *testing.T) {
	spec.Holds(t, "S096")
	serveBoth(t, setup{sse: true, wrap: func(next http.Handler) http.Handler { return http.StripPrefix("/mcp", next) }}, func(t *testing.T, s *testServer) {
		other := s.connect().open(revisionA)
		theirs := strings.TrimPrefix(other.url[strings.Index(other.url, "?"):], "?session=")
		for _, path := range []string{
			"", "/", "/deeper/path", "?tenant=a%2Fb&x=1", "?session=" + theirs, "?session=" + theirs + "&x=1&session=" + theirs, "?%73ession=" + theirs, "?session", "?&", "?x=%zz",
		} {
			a := s.start(request{method: "GET", url: endpoint + path})
			e := a.wantStream().next()[0]
			base, _ := url.Parse(endpoint + path)
			to, err := base.Parse(e.data)
			if err != nil || to.Path != base.Path || to.Host != base.Host || strings.Contains(e.data, "127.0.0.1") {
				a.fail("the endpoint of %q is %q", path, e.data)
			}
			if ids := to.Query()["session"]; len(ids) != 1 || ids[0] == theirs || strings.Contains(e.data, theirs) {
				a.fail("the endpoint of %q is %q", path, e.data)
			}
			for name, values := range base.Query() {
				if name != "session" && to.Query().Get(name) != values[0] {
					a.fail("the endpoint of %q is %q", path, e.data)
				}
			}
			s.do(request{url: to.String(), body: initialize(revisionA)}).wantAccepted()
			a.wantMessages(`result "init"`)
		}
	})
}

// Requests of another origin's page open neither a session nor a stream.
func TestEmbedded(t *testing.T) {
	for _, sse := range []bool{false, true} {
		serve(t, setup{sse: sse}, func(t *testing.T, s *testServer) {
			r := request{method: "GET"}
			if !sse {
				r = s.open(revisionD).withSession(r)
			}
			for _, site := range []string{"cross-site", "same-site"} {
				s.do(r.with("Sec-Fetch-Site: " + site)).wantRefusal(403)
			}
			for _, site := range []string{"none", "same-origin"} {
				a := s.start(r.with("Sec-Fetch-Site: " + site))
				a.wantStream()
				a.disconnect()
			}
		})
	}
}

// POST without a session: 400. Unknown session: 404. Other methods: 405.
func TestSSEStatus(t *testing.T) {
	serve(t, setup{sse: true, server: limited, handler: []mcphttp.Option{mcphttp.WithPrincipal(principalOf)}, noisy: true}, func(t *testing.T, s *testServer) {
		c := s.connect("Authorization: ann").open(revisionA)
		s.do(postBody(call("echo", "{}").legacy(), "Authorization: ann")).wantRefusal(400)
		s.do(request{url: endpoint + "?session=no-such", body: call("echo", "{}").legacy()}).wantRefusal(404)
		c.post(call("echo", "{}").legacy(), "Authorization: bob").wantRefusal(404)
		c.post(call("echo", "{}").legacy(), "-Authorization").wantRefusal(404)
		c.post(call("echo", "{}").legacy(), "Authorization: mallory").wantRefusal(401)
		c.post(call("echo", "{}").legacy(), "Content-Type: text/plain").wantRefusal(415)
		spec.Holds(t, "S092")
		c.post(call("echo", "{}").legacy(), "Origin: http://evil.example").wantRefusal(403)
		c.post(call("echo", "{}").legacy(), "Host: evil.example").wantRefusal(403)
		c.post(call("echo", `{"x":"`+strings.Repeat("x", 2000)+`"}`).legacy()).wantRefusal(413)
		c.post("{", spec.InvalidField).wantError(400, -32700, "")
		c.stream.wantOpen().wantMessages()
		for _, method := range []string{"PUT", "DELETE", "PATCH", "HEAD", "OPTIONS"} {
			s.do(request{method: method, url: c.url}.with("Authorization: ann")).wantAllow("GET", "POST", "-"+method)
		}
		get := request{method: "GET"}
		s.do(get.with("Origin: http://evil.example")).wantRefusal(403)
		s.do(get.with("Host: evil.example")).wantRefusal(403)
		s.do(get.with("Origin: null")).wantRefusal(403)
		s.do(get.with("Authorization: mallory")).wantRefusal(401)
		s.do(get.with("Accept: application/json")).wantRefusal(406)
		c.post(call("whoami", "{}").legacy()).wantAccepted()
		if me := whoami(t, c.stream.wantMessages("result 1")[0].Result); me.Principal != "ann" {
			t.Errorf("the caller is %+v", me)
		}
	})
}

// Questions are events of the stream, and their answers are posted.
func TestSSEQuestion(t *testing.T) {
	serveBoth(t, oldSSE, func(t *testing.T, s *testServer) {
		c := s.connect().open(revisionD)
		c.post(call("asks", "{}").legacy()).wantAccepted()
		q := c.stream.wantMessages("elicitation/create")[0]
		c.post(reply(q.ID, acceptName("Ann"))).wantAccepted()
		if got := textOf(t, c.stream.wantMessages("result 1")[0].Result); got != "hello Ann" {
			t.Errorf("the result is %q", got)
		}
	})
}

// Arrays are batches in 2025-03-26 here, too.
func TestSSEBatch(t *testing.T) {
	serve(t, oldSSE, func(t *testing.T, s *testServer) {
		c := s.connect().open(revisionB)
		c.post("[" + call("echo", "{}").withID("1").legacy() + "," + call("echo", "{}").withID("2").legacy() + "]").wantAccepted()
		if events := c.stream.next(); len(events) != 1 || !strings.HasPrefix(events[0].data, "[{") || strings.Count(events[0].data, `"result"`) != 2 {
			c.stream.fail("want one array of two results")
		}
	})
}

// The stream is kept alive, is never released, and does not end when idle.
func TestSSEStands(t *testing.T) {
	serve(t, setup{sse: true, handler: []mcphttp.Option{mcphttp.WithLimits(mcphttp.Limits{IdleTime: time.Minute})}}, func(t *testing.T, s *testServer) {
		c := s.connect().open(revisionA)
		time.Sleep(time.Hour)
		comments := 0
		for _, e := range c.stream.wantOpen().next() {
			if !e.comment {
				c.stream.fail("there is %+v", e)
			}
			comments++
		}
		if comments < 239 || comments > 241 {
			c.stream.fail("%d comments in an hour", comments)
		}
		p := s.Script("p")
		c.post(callScripted(p).legacy()).wantAccepted()
		p.Started()
		p.Run(func(ctx context.Context) {
			if mcp.ReleaseStream(ctx, time.Second) {
				t.Error("the stream is let go")
			}
		})
		time.Sleep(time.Minute)
		p.Return("done")
		c.stream.wantOpen().wantMessages("result 1")
	})
}

// If the response cannot be flushed, there is no stream, and the response contains the reason.
func TestSSEWithoutFlush(t *testing.T) {
	wrap := wrapped(func(w http.ResponseWriter) http.ResponseWriter { return plainWriter{w} })
	serve(t, setup{sse: true, wrap: wrap}, func(t *testing.T, s *testServer) {
		a := s.do(request{method: "GET"})
		if a.wantRefusal(500); !strings.Contains(a.text(), "Unwrap") {
			a.fail("the answer does not say why")
		}
	})
}

// A session is closed with its stream, and makes room for the next one at once.
func TestSSESessionEndsWithStream(t *testing.T) {
	serve(t, setup{sse: true, handler: []mcphttp.Option{mcphttp.WithLimits(mcphttp.Limits{Sessions: 1})}}, func(t *testing.T, s *testServer) {
		for range 3 {
			c := s.connect().open("2024-11-05")
			c.stream.disconnect()
			synctest.Wait()
			c.post(rpc{method: "ping"}.legacy()).wantStatus(http.StatusNotFound)
		}
	})
}

// A stream whose client does not send initialize is closed, and its session with it.
func TestSSEWithoutInitialize(t *testing.T) {
	serve(t, setup{
		sse: true, server: []mcp.Option{mcp.WithLimits(mcp.Limits{FirstMessageTime: time.Minute, ClientShare: 100})},
		handler: []mcphttp.Option{mcphttp.WithLimits(mcphttp.Limits{Sessions: 2})},
	}, func(t *testing.T, s *testServer) {
		silent, open := s.connect(), s.connect().open(revisionA)
		s.do(request{method: "GET"}).wantLimitRefusal(503)
		time.Sleep(59 * time.Second)
		silent.stream.wantOpen()
		time.Sleep(2 * time.Second)
		silent.stream.wantEnd()
		silent.post(initialize(revisionA)).wantRefusal(404)
		s.connect()
		open.stream.wantOpen()
	})
}
