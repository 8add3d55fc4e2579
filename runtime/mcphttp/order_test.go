package mcphttp_test

import (
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/internal/proof/spec"
	"github.com/mcpgen/mcpgen/runtime/mcphttp"
)

// Errors are found in this order: method, Host, Origin, authentication, Content-Type, Accept, size,
// JSON, message, revision. The request begins with all errors, and each step corrects one.
func TestOrderOfChecks(t *testing.T) {
	serveBoth(t, setup{
		server: limited, handler: []mcphttp.Option{mcphttp.WithPrincipal(principalOf)}, noisy: true,
	}, func(t *testing.T, s *testServer) {
		long := strings.Repeat("x", 2000)
		r := request{method: "PUT", body: "{" + long}
		fields := map[string]string{
			"Host": "evil.example", "Origin": "http://evil.example", "Authorization": "mallory",
			"Content-Type": "text/plain", "Accept": "text/html", "Mcp-Protocol-Version": unknown, "Mcp-Session-Id": "no-such",
		}
		ask := func(more ...string) *response {
			t.Helper()
			r.fields = more
			for name, value := range fields {
				r.fields = append(r.fields, name+": "+value)
			}
			return s.do(r)
		}
		ask().wantAllow("POST", "GET", "DELETE", "-PUT")

		r.method = "POST"
		spec.Holds(t, "S098")
		host := ask().wantRefusal(403).text()
		if !strings.Contains(host, "Host") && !strings.Contains(host, "host") || !strings.Contains(host, "WithAllowedHosts") {
			t.Errorf("Host is refused with %q", host)
		}
		delete(fields, "Host")
		origin := ask().wantRefusal(403).text()
		if !strings.Contains(origin, "rigin") || !strings.Contains(origin, "WithAllowedOrigins") {
			t.Errorf("Origin is refused with %q", origin)
		}
		delete(fields, "Origin")
		if denied := ask().wantRefusal(401); strings.Contains(denied.text(), "secret") {
			denied.fail("the error of the authentication is shown")
		}
		fields["Authorization"] = "ann"
		ask().wantRefusal(415)
		fields["Content-Type"] = "application/json"
		ask().wantRefusal(406)
		fields["Accept"] = "*/*"
		ask().wantRefusal(413)
		r.body = "{"
		ask(spec.InvalidField).wantError(400, -32700, "")
		r.body = `{"id":1,"method":"tools/list","params":{}}`
		if a := ask(spec.InvalidField).wantStatus(400); a.wantJSON().Error.Code != -32600 {
			a.fail("want -32600")
		}
		r.body = rpc{method: "tools/list"}.modern()
		ask().wantError(400, -32020, "1")
		r.body = rpc{method: "tools/list"}.legacy()
		ask().wantError(400, -32022, "1")
		delete(fields, "Mcp-Protocol-Version")
		ask().wantStatus(404)
		delete(fields, "Mcp-Session-Id")
		ask().wantStatus(400)
		r.body = rpc{method: "tools/list"}.modern()
		fields["Mcp-Protocol-Version"], fields["Mcp-Method"] = modern, "tools/list"
		ask().wantResult("1")
	})
}

// GET and DELETE are checked by the same rules.
func TestOrderOfChecksOfOtherMethods(t *testing.T) {
	serve(t, setup{handler: []mcphttp.Option{mcphttp.WithPrincipal(principalOf)}}, func(t *testing.T, s *testServer) {
		x := s.open(revisionD)
		for _, method := range []string{"GET", "DELETE"} {
			r := request{method: method}
			s.do(x.withSession(r.with("Host: evil.example"))).wantRefusal(403)
			s.do(x.withSession(r.with("Origin: http://evil.example"))).wantRefusal(403)
			s.do(x.withSession(r.with("Authorization: mallory"))).wantRefusal(401)
			s.do(r.with("Authorization: mallory", "Mcp-Protocol-Version: "+modern)).wantRefusal(401)
		}
		x.do(call("echo", "{}").legacy()).wantResult("1")
	})
}

// Behind a Unix socket any Host is accepted, since browsers do not connect to one. The answer to a
// page of another site does not allow its origin.
func TestUnixSocket(t *testing.T) {
	serve(t, setup{local: "/run/mcp.sock"}, func(t *testing.T, s *testServer) {
		s.do(call("echo", "{}").post("Host: anything")).wantResult("1")
		a := s.do(call("echo", "{}").post("Host: anything", "Origin: http://evil.example")).wantRefusal(403)
		if a.field("Access-Control-Allow-Origin") != "" {
			a.fail("the origin is allowed")
		}
	})
}

// The client gets a Refusal's text, but no other error messages.
func TestAuthenticationFails(t *testing.T) {
	spec.Holds(t, "S094")
	serve(t, setup{handler: []mcphttp.Option{mcphttp.WithPrincipal(principalOf)}}, func(t *testing.T, s *testServer) {
		a := s.do(call("echo", "{}").post("Authorization: mallory")).wantRefusal(401)
		if strings.Contains(a.text(), "revoked") || a.field("Www-Authenticate") == "" {
			a.fail("want WWW-Authenticate and no reason")
		}
		if !strings.Contains(s.log.String(), "revoked") {
			t.Errorf("the reason is not in the log: %s", &s.log)
		}
		a = s.do(call("echo", "{}").post("Authorization: busy")).wantRefusal(429)
		if a.field("Retry-After") != "7" || !strings.Contains(a.text(), "come back later") {
			a.fail("want the text of the refusal")
		}
		me := whoami(t, s.do(call("whoami", "{}").post("Authorization: ann")).wantResult("1"))
		if me.Principal != "ann" || me.Claims != "claims of ann" {
			t.Errorf("the caller is %+v", me)
		}
		if me := whoami(t, s.do(call("whoami", "{}").post()).wantResult("1")); me.Principal != "" || me.Claims != "" {
			t.Errorf("the caller is %+v", me)
		}
	})
}
