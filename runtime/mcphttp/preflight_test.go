package mcphttp_test

import (
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/mcphttp"
)

const app = "https://app.example.com"

var forApp = setup{handler: []mcphttp.Option{mcphttp.WithAllowedOrigins(app), mcphttp.WithPrincipal(principalOf)}}

// lists reports whether a comma-separated field contains all names.
func lists(field string, names ...string) bool {
	has := map[string]bool{}
	for name := range strings.SplitSeq(strings.ToLower(field), ",") {
		has[strings.TrimSpace(name)] = true
	}
	for _, name := range names {
		if !has[strings.ToLower(name)] {
			return false
		}
	}
	return true
}

func preflight(origin, method, headers string) request {
	r := request{method: "OPTIONS"}.with("Origin: "+origin, "Access-Control-Request-Method: "+method)
	if headers != "" {
		r = r.with("Access-Control-Request-Headers: " + headers)
	}
	return r
}

// A page of an allowed origin may send the requests of clients, and read the responses. A preflight
// has no credentials.
func TestPreflight(t *testing.T) {
	serve(t, forApp, func(t *testing.T, s *testServer) {
		for _, method := range []string{"POST", "GET", "DELETE"} {
			a := s.do(preflight(app, method, "authorization,content-type,last-event-id,mcp-method,mcp-name,mcp-param-region,mcp-protocol-version,mcp-session-id"))
			a.wantSuccess()
			if a.text() != "" || a.field("Access-Control-Allow-Origin") != app || !lists(a.field("Vary"), "Origin") {
				a.fail("want leave for %s", app)
			}
			if !lists(a.field("Access-Control-Allow-Methods"), "POST", "GET", "DELETE") {
				a.fail("methods are %q", a.field("Access-Control-Allow-Methods"))
			}
			if !lists(a.field("Access-Control-Allow-Headers"), "Content-Type", "Authorization", "Mcp-Session-Id",
				"Mcp-Protocol-Version", "Mcp-Method", "Mcp-Name", "Last-Event-Id", "Mcp-Param-Region") {
				a.fail("header fields are %q", a.field("Access-Control-Allow-Headers"))
			}
			if a.field("Access-Control-Allow-Credentials") == "true" && a.field("Access-Control-Allow-Origin") == "*" {
				a.fail("credentials are allowed")
			}
		}
	})
}

// Other pages may not, and the responses do not reveal that some may.
func TestPreflightRefused(t *testing.T) {
	for _, c := range []setup{forApp, {}} {
		serve(t, c, func(t *testing.T, s *testServer) {
			for _, origin := range []string{"https://evil.example", "http://app.example.com", app + ":8443", app + ".evil.example", "null"} {
				a := s.do(preflight(origin, "POST", "content-type"))
				if code := a.code(); code != 403 && code != 405 {
					a.fail("the status is %d", code)
				}
				for name := range a.header {
					if strings.HasPrefix(name, "Access-Control-Allow") {
						a.fail("%s is sent", name)
					}
				}
			}
		})
	}
}

// A page may read its responses: results, refusals, streams, and the session id.
func TestAnswersToPages(t *testing.T) {
	serveBoth(t, forApp, func(t *testing.T, s *testServer) {
		origin := "Origin: " + app
		check := func(a *response) *response {
			t.Helper()
			if a.field("Access-Control-Allow-Origin") != app || !lists(a.field("Vary"), "Origin") {
				a.fail("a page of %s may not read it", app)
			}
			if !lists(a.field("Access-Control-Expose-Headers"), "Mcp-Session-Id") {
				a.fail("it exposes %q", a.field("Access-Control-Expose-Headers"))
			}
			return a
		}
		x := s.open(revisionD, origin)
		check(s.do(postBody(initialize(revisionD), origin))).wantResult(`"init"`)
		check(s.do(call("echo", "{}").post(origin))).wantResult("1")
		check(x.do(call("steps", `{"n":1}`).legacy())).wantStream()
		check(x.do(initialized)).wantAccepted()
		check(x.listen())
		check(s.do(rpc{method: "no/such"}.post(origin))).wantError(404, -32601, "1")
		check(s.do(postBody("{", origin).invalid())).wantError(400, -32700, "")
		check(s.do(call("echo", "{}").post(origin, "Content-Type: text/plain"))).wantRefusal(415)
		check(s.do(call("echo", "{}").post(origin, "Accept: text/html"))).wantRefusal(406)
		check(s.do(call("echo", "{}").post(origin, "Authorization: mallory"))).wantRefusal(401)
		check(s.do(postBody(call("echo", "{}").legacy(), origin, "Mcp-Session-Id: x"))).wantStatus(404)
		check(x.delete()).wantSuccess()

		a := s.do(call("echo", "{}").post())
		if a.field("Access-Control-Allow-Origin") != "" {
			a.fail("Access-Control-Allow-Origin without an Origin")
		}
	})
}
