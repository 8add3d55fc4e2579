package mcphttp_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/internal/proof/spec"
)

// The revision of a POST. M is the revision in _meta of the request, H the revision in the header,
// S the session.

// supported checks the data of an unsupported version error.
func supported(a *response, e *rpcError, requested string) {
	a.t.Helper()
	var data struct {
		Supported []string
		Requested *string
	}
	if err := json.Unmarshal(e.Data, &data); err != nil || data.Requested == nil || *data.Requested != requested {
		a.fail("the data are %s, want the requested version %q", e.Data, requested)
	}
	if !slices.Equal(data.Supported, []string{modern, revisionD, revisionC, revisionB, revisionA}) {
		a.fail("supported versions are %q", data.Supported)
	}
}

// M present, H absent: -32020.
func TestRevisionWithoutHeader(t *testing.T) {
	spec.Holds(t, "S138")
	serve(t, setup{}, func(t *testing.T, s *testServer) {
		x := s.open(revisionD)
		for _, r := range []rpc{
			call("echo", "{}").withID("7"), call("echo", "{}").withID(`"7"`), {id: "7", method: "server/discover"},
			call("echo", "{}").withID("7").withVersion(unknown), call("echo", "{}").withID("7").withVersion(revisionD), {id: "7", method: "no/such"},
		} {
			s.do(r.post("-Mcp-Protocol-Version")).wantError(400, -32020, r.id)
			s.do(x.withSession(r.post()).with("-Mcp-Protocol-Version")).wantError(400, -32020, r.id)
		}
		// An empty field counts as absent or different.
		s.do(call("echo", "{}").post("Mcp-Protocol-Version: ")).wantError(400, -32020, "1")
	})
}

// M = H, not a per-request revision, whether unknown or with sessions: -32022 with the supported
// revisions.
func TestRevisionNotServed(t *testing.T) {
	spec.Holds(t, "S076", "S136")
	serve(t, setup{}, func(t *testing.T, s *testServer) {
		x := s.open(revisionD)
		for _, version := range append([]string{unknown, "v999.0.0", "2026-07-27", "x"}, legacy...) {
			for _, r := range []rpc{call("echo", "{}"), {method: "server/discover"}, {method: "initialize"}, {method: "no/such"}} {
				a := s.do(r.withID("-3").withVersion(version).post())
				supported(a, a.wantError(400, -32022, "-3"), version)
			}
			a := s.do(x.withSession(call("echo", "{}").withVersion(version).post()))
			supported(a, a.wantError(400, -32022, "1"), version)
		}
	})
}

// M = H = modern: answered without a session. A session id and a Last-Event-ID are ignored, and no
// session is opened.
func TestModernRequest(t *testing.T) {
	spec.Holds(t, "S124")
	requests := []rpc{
		{method: "server/discover"}, {method: "tools/list"}, {method: "resources/list"},
		{method: "resources/templates/list"}, {method: "prompts/list"},
		{method: "resources/read", params: `"uri":"test://text"`},
		{method: "prompts/get", params: `"name":"greet","arguments":{"who":"Ann"}`},
		call("echo", `{"a":1}`),
	}
	serveBoth(t, setup{}, func(t *testing.T, s *testServer) {
		x := s.open(revisionB)
		for i, r := range requests {
			id := []string{"0", `"0"`, "-9007199254740991", `"é\u0041"`}[i%4]
			spec.Holds(t, "S155", "S156")
			for _, fields := range [][]string{
				nil, {"Mcp-Session-Id: no-such-session"}, {"Mcp-Session-Id: " + x.id}, {"Last-Event-ID: 12"},
				{"Mcp-Session-Id: " + x.id, "Last-Event-ID: no-such-event"},
			} {
				a := s.do(r.withID(id).post(fields...))
				result := a.wantResult(id)
				if !strings.Contains(string(result), `"resultType":"complete"`) {
					a.fail("the result is not one of the revision")
				}
				if a.field("Mcp-Session-Id") != "" {
					a.fail("a session is named")
				}
			}
		}
		me := whoami(t, s.do(call("whoami", "{}").post("Mcp-Session-Id: "+x.id)).wantResult("1"))
		if me.Revision != modern || me.Client != "tester" {
			t.Errorf("the call is %+v", me)
		}
	})
}

// The checks of a modern request have this order: Mcp-Method, Mcp-Name, unknown method, params,
// parameter headers.
func TestOrderOfModernChecks(t *testing.T) {
	serve(t, setup{}, func(t *testing.T, s *testServer) {
		region := `{"region":"eu"}`
		s.do(rpc{method: "no/such"}.post("-Mcp-Method")).wantError(400, -32020, "1")
		s.do(rpc{method: "no/such"}.post("Mcp-Method: tools/list")).wantError(400, -32020, "1")
		s.do(call("no-such", "[]").post("-Mcp-Method", "-Mcp-Name").invalid()).wantError(400, -32020, "1")
		s.do(call("no-such", "[]").post("-Mcp-Name").invalid()).wantError(400, -32020, "1")
		s.do(call("no-such", "[]").post("Mcp-Name: mirror").invalid()).wantError(400, -32020, "1")
		s.do(rpc{method: "no/such"}.post()).wantError(404, -32601, "1")
		s.do(rpc{method: "no/such", params: `"name":7`}.post()).wantError(404, -32601, "1")
		// Invalid params are reported before parameter headers, which cannot be compared with them.
		if a := s.do(call("mirror", "[]").post("Mcp-Param-Region: eu").invalid()); a.wantJSON().Error.Code != -32602 {
			a.fail("arguments that are no object")
		}
		s.do(call("mirror", region).post("Mcp-Param-Region: us")).wantError(400, -32020, "1")
		s.do(call("mirror", region).post()).wantError(400, -32020, "1")
		if got := textOf(t, s.do(call("mirror", region).post("Mcp-Param-Region: eu")).wantResult("1")); got != region {
			t.Errorf("the arguments are %s", got)
		}
	})
}

// Methods of sessions do not exist in modern requests.
func TestRemovedMethods(t *testing.T) {
	spec.Holds(t, "S137")
	serve(t, setup{}, func(t *testing.T, s *testServer) {
		for _, method := range []string{
			"initialize", "ping", "logging/setLevel", "resources/subscribe", "resources/unsubscribe", "no/such",
			"notifications/initialized", "tasks/get", "roots/list",
		} {
			post := rpc{method: method, id: `"m"`}.post()
			if method == "tasks/get" {
				post = post.invalid() // it lacks a taskId
			}
			s.do(post).wantError(404, -32601, `"m"`)
		}
		// Also with the params of sessions.
		r := rpc{method: "initialize", params: `"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}`}
		s.do(r.post()).wantError(404, -32601, "1")
	})
}

// M absent, H modern: -32602, in a session as well.
func TestHeaderWithoutRevision(t *testing.T) {
	serve(t, setup{}, func(t *testing.T, s *testServer) {
		x := s.open(revisionD)
		for _, r := range []rpc{{method: "server/discover"}, call("echo", "{}"), {method: "tools/list"}, {method: "no/such"}, {method: "ping"}} {
			post := postBody(r.withID(`"a"`).legacy(), r.fields()...)
			if r.method != "no/such" && r.method != "ping" {
				post = post.invalid() // the schema of the revision requires _meta
			}
			e := s.do(post).wantError(400, -32602, `"a"`)
			if !strings.Contains(e.Message, "io.modelcontextprotocol/protocolVersion") {
				t.Errorf("%s does not say what is missing", e.Message)
			}
			s.do(x.withSession(post)).wantError(400, -32602, `"a"`)
		}
		// Without params M is absent too.
		s.do(postBody(`{"jsonrpc":"2.0","id":1,"method":"server/discover"}`, rpc{method: "server/discover"}.fields()...).invalid()).wantError(400, -32602, "1")
	})
}

// M present, but client capabilities missing or not an object: -32602. The client info may be
// missing.
func TestRequiredMeta(t *testing.T) {
	spec.Holds(t, "S048", "S049")
	serve(t, setup{}, func(t *testing.T, s *testServer) {
		post := func(meta string, fields ...string) *response {
			return s.do(postBody(`{"jsonrpc":"2.0","id":"d","method":"server/discover","params":{"_meta":{`+meta+`}}}`,
				append(fields, "Mcp-Protocol-Version: "+modern, "Mcp-Method: server/discover")...))
		}
		version := `"io.modelcontextprotocol/protocolVersion":"2026-07-28"`
		caps := `"io.modelcontextprotocol/clientCapabilities":`
		post(version + "," + caps + "{}").wantResult(`"d"`)
		for _, meta := range []string{version, version + "," + caps + "null", version + "," + caps + "[]", version + "," + caps + `"x"`} {
			post(meta, spec.InvalidField).wantError(400, -32602, `"d"`)
		}
		post(version+","+caps+`{},"io.modelcontextprotocol/clientInfo":7`, spec.InvalidField).wantError(400, -32602, `"d"`)
		for _, m := range []string{"7", "null", "[]", `{}`} {
			a := post(`"io.modelcontextprotocol/protocolVersion":`+m+","+caps+"{}", spec.InvalidField).wantStatus(400)
			if reply := a.wantJSON(); reply.Error == nil || reply.Error.Code != -32602 && reply.Error.Code != -32020 || string(reply.ID) != `"d"` {
				a.fail("a version that is no string")
			}
		}
	})
}

// M absent, H unknown: -32022, in a session and for initialize as well.
func TestUnknownHeader(t *testing.T) {
	spec.Holds(t, "S120")
	serve(t, setup{}, func(t *testing.T, s *testServer) {
		x := s.open(revisionD)
		for _, version := range []string{unknown, "v999.0.0", "1900-01-01"} {
			field := "Mcp-Protocol-Version: " + version
			for _, body := range []string{call("echo", "{}").withID("9").legacy(), rpc{id: "9", method: "server/discover"}.legacy(), strings.Replace(initialize(revisionD), `"init"`, "9", 1)} {
				a := s.do(postBody(body, field))
				supported(a, a.wantError(400, -32022, "9"), version)
			}
			a := x.do(call("echo", "{}").withID("9").legacy(), field)
			supported(a, a.wantError(400, -32022, "9"), version)
			x.do(initialized, field).wantRefusal(400)
			x.do(`{"jsonrpc":"2.0","id":1,"result":{}}`, field).wantRefusal(400)
			s.do(x.withSession(request{method: "GET"}.with(field))).wantRefusal(400)
			s.do(x.withSession(request{method: "DELETE"}.with(field))).wantRefusal(400)
		}
	})
}
