package mcphttp_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/internal/testbed"
)

const (
	modern      = "2026-07-28"
	unknown     = "2099-01-01"
	revisionA   = "2024-11-05"
	revisionB   = "2025-03-26"
	revisionC   = "2025-06-18"
	revisionD   = "2025-11-25"
	initialized = `{"jsonrpc":"2.0","method":"notifications/initialized"}`
)

var legacy = []string{revisionA, revisionB, revisionC, revisionD}

// rpc is a JSON-RPC request.
type rpc struct {
	id           string // JSON; default 1
	method       string
	params       string // members of the object, without braces
	version      string // M, for modern requests; default modern
	capabilities string // client capabilities, for modern requests; default {}
	meta         string // further members of _meta
}

// call calls a tool with the arguments, and asks for progress.
func call(tool, arguments string) rpc {
	return rpc{
		method: "tools/call", meta: `"progressToken":"p"`,
		params: fmt.Sprintf(`"name":%q,"arguments":%s`, tool, arguments),
	}
}

// callScripted calls the tool "scripted".
func callScripted(p *testbed.ScriptedCall) rpc { return call("scripted", p.Arguments()) }

func (r rpc) withID(id string) rpc             { r.id = id; return r }
func (r rpc) withCapabilities(caps string) rpc { r.capabilities = caps; return r }
func (r rpc) withVersion(version string) rpc   { r.version = version; return r }

// withMeta adds members to _meta.
func (r rpc) withMeta(meta string) rpc {
	r.meta = join(r.meta, meta)
	return r
}

func join(members ...string) string {
	var some []string
	for _, m := range members {
		if m != "" {
			some = append(some, m)
		}
	}
	return strings.Join(some, ",")
}

func (r rpc) text(meta string) string {
	if r.id == "" {
		r.id = "1"
	}
	if meta != "" {
		meta = `"_meta":{` + meta + `}`
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":%q,"params":{%s}}`, r.id, r.method, join(r.params, meta))
}

// legacy returns the body of the request in a session.
func (r rpc) legacy() string { return r.text(r.meta) }

// modern returns the body of the request in revision 2026-07-28.
func (r rpc) modern() string {
	if r.version == "" {
		r.version = modern
	}
	if r.capabilities == "" {
		r.capabilities = "{}"
	}
	return r.text(join(fmt.Sprintf(`"io.modelcontextprotocol/protocolVersion":%q,"io.modelcontextprotocol/clientCapabilities":%s,`+
		`"io.modelcontextprotocol/clientInfo":{"name":"tester","version":"1"}`, r.version, r.capabilities), r.meta))
}

// fields returns the header fields that repeat parts of a modern request.
func (r rpc) fields() []string {
	if r.version == "" {
		r.version = modern
	}
	fields := []string{"Mcp-Protocol-Version: " + r.version, "Mcp-Method: " + r.method}
	var p struct{ Name, URI string }
	_ = json.Unmarshal([]byte("{"+r.params+"}"), &p)
	switch r.method {
	case "tools/call", "prompts/get":
		fields = append(fields, "Mcp-Name: "+p.Name)
	case "resources/read":
		fields = append(fields, "Mcp-Name: "+p.URI)
	}
	return fields
}

// post returns the modern request; further fields replace its own fields.
func (r rpc) post(fields ...string) request {
	return request{body: r.modern(), fields: override(r.fields(), fields)}
}

// override replaces fields of the same name.
func override(own, fields []string) []string {
	nameOf := func(field string) string {
		name, _, _ := strings.Cut(strings.TrimPrefix(field, "-"), ":")
		return strings.ToLower(name)
	}
	own = slices.DeleteFunc(slices.Clone(own), func(o string) bool {
		return slices.ContainsFunc(fields, func(f string) bool { return nameOf(f) == nameOf(o) })
	})
	return append(own, fields...)
}

// postBody posts a body without header fields of the protocol.
func postBody(body string, fields ...string) request { return request{body: body}.with(fields...) }

func initialize(version string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":"init","method":"initialize","params":{"protocolVersion":%q,`+
		`"capabilities":{"elicitation":{},"sampling":{},"roots":{}},"clientInfo":{"name":"tester","version":"1"}}}`, version)
}

// session is a client with a session.
type session struct {
	s       *testServer
	id      string
	version string
	fields  []string
}

// open opens a session. All its requests contain the fields.
func (s *testServer) open(version string, fields ...string) *session {
	s.t.Helper()
	a := s.do(postBody(initialize(version), fields...))
	result := a.wantResult(`"init"`)
	var r struct{ ProtocolVersion string }
	if err := json.Unmarshal(result, &r); err != nil || r.ProtocolVersion != version {
		a.fatal("initialize has negotiated %q, want %q", r.ProtocolVersion, version)
	}
	x := &session{s: s, version: version, id: a.field("Mcp-Session-Id"), fields: fields}
	if x.id == "" {
		a.fatal("initialize has opened no session")
	}
	s.secrets = append(s.secrets, x.id)
	x.do(initialized).wantAccepted()
	return x
}

// withSession adds the fields of the session to a request.
func (x *session) withSession(r request) request {
	own := append([]string{"Mcp-Session-Id: " + x.id, "Mcp-Protocol-Version: " + x.version}, x.fields...)
	r.fields = override(own, r.fields)
	return r
}

func (x *session) start(body string, fields ...string) *response {
	x.s.t.Helper()
	return x.s.start(x.withSession(postBody(body, fields...)))
}

func (x *session) do(body string, fields ...string) *response {
	x.s.t.Helper()
	return x.s.do(x.withSession(postBody(body, fields...)))
}

// listen opens the standalone stream of the session.
func (x *session) listen(fields ...string) *response {
	x.s.t.Helper()
	a := x.s.start(x.withSession(request{method: "GET"}.with(fields...)))
	a.wantStream()
	return a
}

// resume resumes the stream of an event.
func (x *session) resume(id string) *response {
	x.s.t.Helper()
	a := x.s.start(x.withSession(request{method: "GET"}.with("Last-Event-ID: " + id)))
	a.wantStream()
	return a
}

// delete closes the session.
func (x *session) delete() *response {
	x.s.t.Helper()
	return x.s.do(x.withSession(request{method: "DELETE"}))
}

// reply answers a question of the server.
func reply(id json.RawMessage, result string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, id, result)
}

func acceptName(name string) string {
	return fmt.Sprintf(`{"action":"accept","content":{"name":%q}}`, name)
}

func cancelNotification(id string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%s,"reason":"enough"}}`, id)
}

// textOf returns the text in the result of a tool.
func textOf(t *testing.T, result json.RawMessage) string {
	t.Helper()
	var r struct {
		Content []struct{ Type, Text string }
		IsError bool
	}
	if err := json.Unmarshal(result, &r); err != nil || len(r.Content) != 1 || r.IsError {
		t.Fatalf("no result of one text: %s", result)
	}
	return r.Content[0].Text
}

// lastEventID returns the id of the last event with one. startCall opens a session and starts a
// scripted call in it.
func (s *testServer) startCall(version string) (*session, *testbed.ScriptedCall, *response) {
	s.t.Helper()
	x := s.open(version)
	p := s.Script("p")
	a := x.start(callScripted(p).legacy())
	p.Started()
	return x, p, a
}

// disconnectAfterLog has a call log, disconnects its client after that, and returns the id of the
// event.
func (a *response) disconnectAfterLog(p *testbed.ScriptedCall) (id string) {
	a.t.Helper()
	p.Log("one")
	id = lastEventID(a.t, a.wantStream().next())
	a.disconnect()
	return id
}

func lastEventID(t *testing.T, events []event) string {
	t.Helper()
	for i := len(events) - 1; i >= 0; i-- {
		if events[i].hasID {
			return events[i].id
		}
	}
	t.Fatalf("no event of %+v has an id", events)
	return ""
}
