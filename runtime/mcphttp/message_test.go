package mcphttp_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
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
	id      string // JSON; default 1
	method  string
	params  string // members of the object, without braces
	version string // M, of modern requests; default modern
	can     string // client capabilities, of modern requests; default {}
	meta    string // further members of _meta
}

// call calls a tool that gets the arguments, and asks for progress.
func call(tool, arguments string) rpc {
	return rpc{
		method: "tools/call", meta: `"progressToken":"p"`,
		params: fmt.Sprintf(`"name":%q,"arguments":%s`, tool, arguments),
	}
}

// dance calls a puppet.
func dance(p *puppet) rpc { return call("puppet", fmt.Sprintf(`{"name":%q}`, p.name)) }

func (r rpc) as(id string) rpc         { r.id = id; return r }
func (r rpc) able(caps string) rpc     { r.can = caps; return r }
func (r rpc) names(version string) rpc { r.version = version; return r }

// noting adds members to _meta.
func (r rpc) noting(meta string) rpc {
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

// legacy returns the body of the request as sessions send it.
func (r rpc) legacy() string { return r.text(r.meta) }

// modern returns the body of the request in revision 2026-07-28.
func (r rpc) modern() string {
	if r.version == "" {
		r.version = modern
	}
	if r.can == "" {
		r.can = "{}"
	}
	return r.text(join(fmt.Sprintf(`"io.modelcontextprotocol/protocolVersion":%q,"io.modelcontextprotocol/clientCapabilities":%s,`+
		`"io.modelcontextprotocol/clientInfo":{"name":"tester","version":"1"}`, r.version, r.can), r.meta))
}

// fields returns the header fields that mirror a modern request.
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

// post returns the modern request; further fields replace those that it has.
func (r rpc) post(fields ...string) request {
	return request{body: r.modern(), fields: override(r.fields(), fields)}
}

// override puts fields in the place of those of the same name.
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

// bare posts a body without any field of the protocol.
func bare(body string, fields ...string) request { return request{body: body}.with(fields...) }

func initialize(version string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":"init","method":"initialize","params":{"protocolVersion":%q,`+
		`"capabilities":{"elicitation":{},"sampling":{},"roots":{}},"clientInfo":{"name":"tester","version":"1"}}}`, version)
}

// session is a client with a session.
type session struct {
	s       *site
	id      string
	version string
	fields  []string
}

// open opens a session. The fields go with all its requests.
func (s *site) open(version string, fields ...string) *session {
	s.t.Helper()
	a := s.do(bare(initialize(version), fields...))
	result := a.replied(`"init"`)
	var r struct{ ProtocolVersion string }
	if err := json.Unmarshal(result, &r); err != nil || r.ProtocolVersion != version {
		a.fatal("initialize has negotiated %q, want %q", r.ProtocolVersion, version)
	}
	x := &session{s: s, version: version, id: a.field("Mcp-Session-Id"), fields: fields}
	if x.id == "" {
		a.fatal("initialize has opened no session")
	}
	s.secrets = append(s.secrets, x.id)
	x.do(initialized).accepted()
	return x
}

// as adds what belongs to the session to a request.
func (x *session) as(r request) request {
	own := append([]string{"Mcp-Session-Id: " + x.id, "Mcp-Protocol-Version: " + x.version}, x.fields...)
	r.fields = override(own, r.fields)
	return r
}

func (x *session) start(body string, fields ...string) *answer {
	x.s.t.Helper()
	return x.s.start(x.as(bare(body, fields...)))
}

func (x *session) do(body string, fields ...string) *answer {
	x.s.t.Helper()
	return x.s.do(x.as(bare(body, fields...)))
}

// listen opens the standing stream of the session.
func (x *session) listen(fields ...string) *answer {
	x.s.t.Helper()
	a := x.s.start(x.as(request{method: "GET"}.with(fields...)))
	a.streaming()
	return a
}

// resume resumes the stream of an event.
func (x *session) resume(id string) *answer {
	x.s.t.Helper()
	a := x.s.start(x.as(request{method: "GET"}.with("Last-Event-ID: " + id)))
	a.streaming()
	return a
}

// end ends the session.
func (x *session) end() *answer {
	x.s.t.Helper()
	return x.s.do(x.as(request{method: "DELETE"}))
}

// reply answers a question of the server.
func reply(id json.RawMessage, result string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, id, result)
}

func named(name string) string {
	return fmt.Sprintf(`{"action":"accept","content":{"name":%q}}`, name)
}

func cancelled(id string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%s,"reason":"enough"}}`, id)
}

// textOf returns the text of the result of a tool.
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

// idOf returns the id of the last event that has one.
func idOf(t *testing.T, events []event) string {
	t.Helper()
	for i := len(events) - 1; i >= 0; i-- {
		if events[i].hasID {
			return events[i].id
		}
	}
	t.Fatalf("no event of %+v has an id", events)
	return ""
}
