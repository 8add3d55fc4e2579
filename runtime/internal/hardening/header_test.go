package hardening_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/internal/proof/spec"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

func testContentType(t *testing.T, v target) {
	if v.is(webSocket) {
		v.visit(t, setup{}, func(t *testing.T, s *site) {
			c := s.open()
			l := c.link.(*webSocketLink)
			_ = l.frame(final|binFrame, []byte(v.era.text("7", "tools/call", call("echo", `{}`))))
			c.gone("a binary frame")
			if l.closed != 1003 || s.calls.Load() != 0 {
				t.Errorf("closed with %d, %d calls", l.closed, s.calls.Load())
			}
		})
		return
	}
	v.visit(t, setup{}, func(t *testing.T, s *site) {
		c := s.open()
		text := v.era.text("7", "tools/call", call("echo", `{}`))
		for _, kind := range []string{
			"text/plain", "text/plain;charset=utf-8", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x",
			"application/jsonp", "application/vnd.api+json", ";", "application/json-seq", "application/jsonx", "text/json", "application/octet-stream", "json", "*/*", "", "application/json, text/plain",
		} {
			d := c.put(text, "Content-Type: "+kind)
			if status := c.status(d); status != 415 {
				t.Errorf("%q: status %d", kind, status)
			}
		}
		for _, fields := range [][]string{{text, "-Content-Type"}, {initialized, "Content-Type: text/plain"}} {
			if status := c.status(c.put(fields[0], fields[1:]...)); status != 415 {
				t.Errorf("%s: status %d", fields[1], status)
			}
		}
		if n := s.calls.Load(); n != 0 {
			t.Errorf("%d calls have run", n)
		}
		c.s.settle()
		c.in.all()
		for _, kind := range []string{"application/json; charset=utf-8", "Application/JSON;charset=UTF-8", "application/json;x=y", " application/json "} {
			c.put(text, "Content-Type: "+kind)
			if m := c.reply("7"); m.failed() {
				t.Errorf("%q: %v", kind, m)
			}
		}
	})
}

func testProtocolVersion(t *testing.T, v target) {
	const unknown = "2099-01-01"
	v.visit(t, setup{}, func(t *testing.T, s *site) {
		c := s.open()
		swapped := strings.Replace(v.era.with("7", "tools/call", call("echo", `{}`), modernMeta), "2026-07-28", unknown, 1)
		if !v.is(httpLegacy) { // there the header is optional
			m, status := c.try(swapped, "Mcp-Protocol-Version: "+unknown)
			want := 400
			if v.is(httpSSE) {
				want = 202 // the answer is on the stream
			}
			if m.code() != -32022 || !strings.Contains(string(m.Error.Data), `"supported":[`) || !strings.Contains(string(m.Error.Data), `"requested":"`+unknown+`"`) {
				t.Errorf("unknown in the message: %v", m)
			}
			c.wantStatus("unknown in the message", status, want)
			c.alive("an unknown revision")
		}
		if v.era == legacy {
			other := s.connect("")
			other.put(legacy.text("1", "initialize", strings.Replace(initialize, "2025-11-25", unknown, 1)))
			if m := other.reply("1"); !strings.Contains(string(m.Result), `"protocolVersion":"2025-11-25"`) {
				t.Errorf("unknown in initialize: %v", m)
			}
		}
		if !v.is(httpLegacy, httpModern) {
			return
		}
		l := c.link.(*httpLink)
		before := s.calls.Load()
		for i, version := range []string{unknown, "1", "", "2025-11-25 ", "latest", "2025-11-25, 2025-11-25"} {
			id := fmt.Sprint(100 + i)
			d := c.put(v.era.text(id, "tools/call", call("echo", `{}`)), "Mcp-Protocol-Version: "+version)
			if strings.TrimSpace(version) == "2025-11-25" && v.era == legacy {
				if m := c.reply(id); m.failed() {
					t.Errorf("blanks around a value are none of it: %v", m)
				}
				before++
				continue
			}
			if status := c.status(d); status != 400 {
				t.Errorf("POST, revision %q: status %d", version, status)
			}
			if v.era == modern {
				continue
			}
			for name, send := range map[string]func(...string) *delivery{"GET": l.get, "DELETE": l.delete} {
				if status := c.status(send("Mcp-Protocol-Version: " + version)); status != 400 {
					t.Errorf("%s, revision %q: status %d", name, version, status)
				}
			}
		}
		if n := s.calls.Load(); n != before {
			t.Errorf("%d calls have run", n)
		}
		c.s.settle()
		c.in.all()
		c.alive("unknown revisions")
	})
}

func testHeaderMismatch(t *testing.T, v target) {
	spec.Holds(t, "S135", "S139", "S140", "S145", "S150", "S152")
	v.visit(t, setup{}, func(t *testing.T, s *site) {
		c := s.open()
		echo := v.era.text("7", "tools/call", call("echo", `{}`))
		mirrored := v.era.text("7", "tools/call", call("mirrored", `{"region":"eu"}`))
		list := v.era.text("7", "tools/list", "")
		unsaid := v.era.text("7", "tools/call", call("mirrored", `{}`))
		null := v.era.text("7", "tools/call", call("mirrored", `{"region":null}`))
		read := v.era.text("7", "resources/read", `"uri":"item://x"`)
		get := v.era.text("7", "prompts/get", `"name":"greet"`)
		for _, m := range []struct{ text, field string }{
			{echo, "-Mcp-Protocol-Version"}, {echo, "Mcp-Protocol-Version: 2025-11-25"}, {echo, "Mcp-Protocol-Version: 2099-01-01"},
			{echo, "Mcp-Protocol-Version: 2026-07-2"}, {echo, "Mcp-Protocol-Version: 2026-07-28, 2026-07-28"},
			{strings.Replace(echo, "2026-07-28", "2099-01-01", 1), "Mcp-Protocol-Version: 2026-07-28"},
			{strings.Replace(echo, "2026-07-28", "2025-11-25", 1), "Mcp-Protocol-Version: 2026-07-28"},
			{strings.Replace(echo, "2026-07-28", "2099-01-01", 1), "Mcp-Protocol-Version: 2098-01-01"},
			{strings.Replace(echo, "2026-07-28", "2025-06-18", 1), "Mcp-Protocol-Version: 2025-11-25"},
			{echo, "-Mcp-Method"}, {echo, "Mcp-Method: tools/list"}, {echo, "Mcp-Method: Tools/Call"}, {echo, "Mcp-Method: "},
			{echo, "Mcp-Method: tools call"}, {echo, "Mcp-Method: =?base64?dG9vbHMvY2FsbA==?="}, {echo, "Mcp-Name: =?base64?IGVjaG8=?="},
			{echo, "-Mcp-Name"}, {echo, "Mcp-Name: typed"}, {echo, "Mcp-Name: Echo"}, {echo, "Mcp-Name: "}, {echo, "Mcp-Name: echo, echo"},
			{echo, "Mcp-Name: =?base64?dHlwZWQ=?="}, {echo, "Mcp-Name: =?base64?ZWNobw?="}, {echo, "Mcp-Name: =?base64?ZWNob/8=?="},
			{read, "Mcp-Name: item://y"}, {read, "-Mcp-Name"}, {get, "Mcp-Name: echo"}, {get, "-Mcp-Name"},
			{mirrored, "-Mcp-Param-Region"}, {mirrored, "Mcp-Param-Region: us"}, {mirrored, "Mcp-Param-Region: EU"},
			{mirrored, "Mcp-Param-Region: =?base64?dXM=?="}, {unsaid, "Mcp-Param-Region: eu"}, {null, "Mcp-Param-Region: null"},
		} {
			reply, status := c.try(m.text, m.field)
			name, _, _ := strings.Cut(strings.TrimPrefix(m.field, "-"), ":")
			if reply.code() != -32020 || status != 400 || reply.id() != "7" || !strings.Contains(reply.text(), name) {
				t.Errorf("%s: status %d, %v", m.field, status, reply)
			}
		}
		for _, field := range []string{"Mcp-Name: echo", "Mcp-Method: tools/call", "Mcp-Protocol-Version: 2026-07-28"} {
			if status := c.status(c.put(echo, field, field)); status != 400 {
				t.Errorf("%s twice: status %d", field, status)
			}
		}
		s.settle()
		c.in.all()
		if n := s.calls.Load(); n != 0 {
			t.Errorf("%d calls have run", n)
		}
		for _, m := range []struct{ text, field string }{
			{echo, "Mcp-Name:  echo "}, {echo, "Mcp-Method:  tools/call\t"}, {echo, "Mcp-Protocol-Version:   2026-07-28 \t"}, {list, "Mcp-Name: anything"}, {echo, "Mcp-Name: =?base64?ZWNobw==?="}, {echo, "mcp-method: tools/call"}, {echo, "Mcp-Param-Region: us"},
			{mirrored, "Mcp-Param-Region: eu"}, {mirrored, "Mcp-Param-Region: =?base64?ZXU=?="}, {unsaid, "X: y"},
		} {
			reply, status := c.try(m.text, m.field)
			if reply.failed() || status != 200 {
				t.Errorf("%s: status %d, %v", m.field, status, reply)
			}
		}
		// The name of an unknown feature is repeated, too, and encoded if it is not ASCII.
		unknown := v.era.text("8", "tools/call", call("日本", `{}`))
		if m, status := c.try(unknown); m.code() != jsonrpc.CodeInvalidParams || status != 200 {
			t.Errorf("unknown tool: status %d, %v", status, m)
		}
		if m, status := c.try(unknown, "Mcp-Name: 日本"); m.code() != -32020 || status != 400 {
			t.Errorf("unknown tool, not encoded: status %d, %v", status, m)
		}
		if m, status := c.try(v.era.text("8", "no/such", "")); m.code() != jsonrpc.CodeMethodNotFound || status != 404 {
			t.Errorf("unknown method: status %d, %v", status, m)
		}
	})
}
