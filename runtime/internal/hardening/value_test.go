package hardening_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/mcpgen/mcpgen/internal/proof/spec"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/mcp"
)

func testIdentifiers(t *testing.T, v target) {
	spec.Holds(t, "S008", "S009")
	v.visit(t, setup{}, func(t *testing.T, s *site) {
		c := s.open()
		for _, id := range []string{
			`9007199254740993`, `-9007199254740993`, `9223372036854775807`, `123456789012345678901234567890`, `-1`, `0`,
			`"a"`, `"\u0061"`, `"a\/b\"c\\\n"`, `"\ud83d\ude00"`, `"😀"`, `""`, `" "`, `"` + strings.Repeat("x", 1000) + `"`,
		} {
			for _, m := range []struct{ method, params string }{
				{"tools/call", call("echo", `{}`)}, {c.era.harmless(), ""}, {"no/such", ""}, {"tools/call", `"name":7`},
			} {
				text := strings.Replace(c.era.with(id, m.method, m.params, c.era.meta()), `"_meta":{}`, `"_meta":{"x":1}`, 1)
				var mark []string
				if m.params == `"name":7` {
					mark = append(mark, spec.InvalidField)
				}
				reply, _ := c.try(text, mark...)
				if reply.id() != id {
					t.Errorf("%s of id %s: %v", m.method, id, reply)
				}
			}
		}
		for _, id := range []string{`1.5`, `1e400`, `1.0000000000000001`, `-0.5`, `{}`, `[1]`, `true`, `null`} {
			mark := spec.InvalidField
			if id == `1e400` {
				mark = spec.PerhapsField // an integer, if a parser supports numbers of that size
			}
			reply, status := c.try(c.era.with(id, "tools/call", call("echo", `{}`), c.era.meta()), mark)
			if reply.code() != jsonrpc.CodeInvalidRequest || !reply.nameless() {
				t.Errorf("id %s: %v", id, reply)
			}
			c.wantStatus("id "+id, status, 400)
		}
		c.alive("ids")

		// Ids are compared by value, not by spelling; and a string is not equal to a number.
		if v.name == httpModern {
			return // there the end of the request cancels it
		}
		h := s.hold("spelled")
		c.put(c.era.with(`"\u0061"`, "tools/call", h.params(), c.era.meta()))
		c.put(c.era.with(`42`, "tools/call", h.params(), c.era.meta()))
		await(s, h.in, "call")
		await(s, h.in, "call")
		c.put(cancelled(`"42"`))
		s.settle()
		if len(h.out) != 0 {
			t.Error(`"42" cancels 42`)
		}
		c.put(cancelled(`"a"`))
		if err := await(s, h.out, "end of the call"); err == nil {
			t.Error(`"a" does not cancel "\u0061"`)
		}
		h.answer("42")
		c.reply("42")
	})
}

func testIntegers(t *testing.T, v target) {
	v.visit(t, setup{}, func(t *testing.T, s *site) {
		c := s.open()
		for _, n := range []string{"9007199254740993", "-9007199254740993", "9223372036854775807", "-9223372036854775808", "0"} {
			m := c.ask("tools/call", call("typed", `{"n":`+n+`}`))
			var r struct {
				StructuredContent struct{ N json.RawMessage }
			}
			if err := json.Unmarshal(m.Result, &r); err != nil || string(r.StructuredContent.N) != n || !strings.Contains(m.text(), n) {
				t.Errorf("%s: %v", n, m)
			}
			if m := c.ask("tools/call", call("echo", `{"n":`+n+`}`)); m.text() != `{"n":`+n+`}` {
				t.Errorf("%s: %v", n, m)
			}
		}
		before := s.calls.Load()
		for _, n := range []string{"9223372036854775808", "-9223372036854775809", "1e400", "0.5", `"7"`, "true", "1e99999999999"} {
			if m := c.ask("tools/call", call("typed", `{"n":`+n+`}`)); !m.failed() {
				t.Errorf("%s: %v", n, m)
			}
		}
		if s.calls.Load() != before {
			t.Error("the tool has run with what is no int64")
		}
		c.alive("integers")
	})
}

// meta returns the members of _meta that a request must contain.
func (e era) meta() string {
	if e == modern {
		return modernMeta
	}
	return ""
}

// sized returns a request of size bytes.
func (e era) sized(id string, size int) string {
	text := e.text(id, "tools/call", call("large", `{"n":1,"pad":""}`))
	return strings.Replace(text, `"pad":""`, `"pad":"`+strings.Repeat("x", size-len(text))+`"`, 1)
}

const defaultLimit = 4 << 20

func testOversized(t *testing.T, v target) {
	t.Run("limits", func(t *testing.T) { testLengths(t, v) })
	t.Run("memory", func(t *testing.T) { testFlood(t, v) })
}

func testLengths(t *testing.T, v target) {
	limits := []int{1000}
	if v.is(memory, httpModern) || *allTransports { // the default is the same on all transports
		limits = append(limits, defaultLimit)
	}
	for _, limit := range limits {
		c := setup{}
		if limit != defaultLimit {
			c.limits.MessageBytes = limit
		}
		v.visit(t, c, func(t *testing.T, s *site) {
			c := s.open()
			c.put(c.era.sized("7", limit))
			if m := c.reply("7"); m.text() != "x" {
				t.Errorf("%d bytes: %v", limit, m)
			}
			sizes := []int{limit + 1, limit + 2, limit + 100_000}
			if limit == defaultLimit {
				sizes = sizes[:1]
			}
			for _, size := range sizes {
				m, status := c.try(c.era.sized("8", size))
				if m.code() != jsonrpc.CodeInvalidRequest || !m.nameless() || !strings.Contains(m.text(), fmt.Sprint(limit)) {
					t.Errorf("%d bytes: %v", size, m)
				}
				c.wantStatus("too long", status, 413)
				c.alive("a message that is too long")
			}
			c.quiet("too long")
		})
	}
}

// largeMessage is a message of many bytes, which is never in memory as a whole. It measures the
// live heap from time to time while it is read.
type largeMessage struct {
	head, tail string
	size       int
	most       atomic.Uint64 // of the heap so far
}

func (r *largeMessage) Read(p []byte) (int, error) {
	switch {
	case r.head != "":
		n := copy(p, r.head)
		r.head = r.head[n:]
		return n, nil
	case r.size > 0:
		if r.size%(2<<20) == 0 {
			runtime.GC()
			r.most.Store(max(r.most.Load(), heap()))
		}
		p = p[:min(len(p), r.size, 1<<16)]
		for i := range p {
			p[i] = 'x'
		}
		r.size -= len(p)
		return len(p), nil
	case r.tail != "":
		n := copy(p, r.tail)
		r.tail = r.tail[n:]
		return n, nil
	}
	return 0, io.EOF
}

// heap returns the bytes in use, including garbage.
func heap() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// testFlood sends a message that is many times as long as the limit.
func testFlood(t *testing.T, v target) {
	const size, most = 8 << 20, 2 << 20
	v.visit(t, setup{limits: mcp.Limits{MessageBytes: 256 << 10}}, func(t *testing.T, s *site) {
		c := s.open()
		c.alive("the start")
		runtime.GC()
		before := heap()
		head, tail, _ := strings.Cut(c.era.text("7", "tools/call", call("echo", `{"x":"|"}`)), "|")
		r := &largeMessage{head: head, tail: tail, size: size}
		d := c.send(parcel{body: r})
		m := c.wait("refusal of the flood", func(m message) bool { return m.Method == "" })
		if m.code() != jsonrpc.CodeInvalidRequest {
			t.Errorf("the flood: %v", m)
		}
		c.wantStatus("flood", c.status(d), 413)
		await(s, d.done, "end of the flood")
		runtime.GC()
		runtime.GC() // pools keep their content for one collection
		after := heap()
		if grown := int64(r.most.Load()) - int64(before); grown > most {
			t.Errorf("the heap has grown by %d bytes on the way", grown)
		}
		if kept := int64(after) - int64(before); kept > most {
			t.Errorf("%d bytes are kept", kept)
		}
		c.alive("a flood")
	})
}

func testDepth(t *testing.T, v target) {
	nested := func(depth int, open, inside, end string) string {
		return strings.Repeat(open, depth) + inside + strings.Repeat(end, depth)
	}
	e := v.era
	v.visit(t, setup{}, func(t *testing.T, s *site) {
		c := s.open()
		if m := c.ask("tools/call", call("echo", `{"a":`+nested(500, "[", "1", "]")+`}`)); m.failed() {
			t.Errorf("500 arrays: %v", m)
		}
		var all []harm
		depths := []int{513, 10_000}
		if v.is(memory) { // all transports use the same parser
			depths = append(depths, 200_000)
		}
		for _, depth := range depths {
			for name, text := range map[string]string{
				"arrays": nested(depth, "[", "1", "]"), "objects": nested(depth, `{"a":`, "1", "}"), "both": nested(depth, `[{"a":`, "1", "}]"),
				"open arrays": nested(depth, "[", "", ""), "open objects": nested(depth, `{"a":`, "", ""),
			} {
				if depth > 10_000 && name != "arrays" && name != "open objects" {
					continue
				}
				name = fmt.Sprint(depth, " ", name)
				all = append(all,
					harm{name + " in arguments", e.text("7", "tools/call", call("echo", `{"a":`+text+`}`)), ""},
					harm{name + " in read arguments", e.text("7", "tools/call", call("typed", `{"o":`+text+`}`)), ""},
					harm{name + " in an argument that nobody reads", e.text("7", "tools/call", call("typed", `{"x":`+text+`}`)), ""},
					harm{name + " in the params", e.text("7", "tools/call", call("echo", `{}`)+`,"x":`+text), ""},
					harm{name + " in _meta", e.with("7", "tools/call", call("echo", `{}`), modernMeta+`,"x":`+text), ""},
					harm{name + " in an argument of a prompt", e.text("7", "prompts/get", `"name":"greet","arguments":{"who":`+text+`}`), ""},
					harm{name + " beside the params", fmt.Sprintf(`{"jsonrpc":"2.0","id":7,"method":%q,"x":%s}`, e.harmless(), text), ""},
					harm{name + " and nothing else", text, ""},
				)
			}
		}
		harmful(t, s, spec.PerhapsField, all) // json.Valid does not accept the depth of some
	})
}

// testFiles asks for files outside of a directory.
func testFiles(t *testing.T, v target) {
	spec.Holds(t, "S231")
	root := newRoot(t)
	c := setup{register: func(s *site) {
		s.server.Register(mcp.NewFiles(mcp.FilesInfo{Prefix: "file:///docs/", Name: "docs"}, root))
	}}
	v.visit(t, c, func(t *testing.T, s *site) {
		c := s.open()
		for _, name := range []string{"read.md", "sub/inner.md", "inside"} {
			if m := c.ask("resources/read", `"uri":"file:///docs/`+name+`"`); m.failed() || !bytes.Contains(m.Result, []byte("welcome")) {
				t.Errorf("%s: %v", name, m)
			}
		}
		want := -32002
		if v.era == modern {
			want = jsonrpc.CodeInvalidParams
		}
		for _, name := range []string{
			"../secret.txt", "..", ".", "", "sub/..", "sub/../../secret.txt", "%2e%2e/secret.txt", "..%2fsecret.txt", "sub/%2e%2e/%2e%2e/secret.txt",
			`..\\secret.txt`, "..%5csecret.txt", "/etc/passwd", "%2fetc%2fpasswd", "/../secret.txt", "outside", "outside/secret.txt", "absolute",
			"read.md%00", "read.md%00.txt", "%00", `read.md\u0000`, ".hidden", "sub/.hidden", "sub", "read.md/", "sub//inner.md", "./read.md",
			"file:///etc/passwd", "C:%5cWindows", "%c0%ae%c0%ae/secret.txt", "nothing.md", "fifo", "%252e%252e/secret.txt", ".%2e/secret.txt",
			"x/../../secret.txt", "./../secret.txt", "....//secret.txt", "self/outside/secret.txt", "self/../../secret.txt", "read.md%00/../../secret.txt",
			"..%00/secret.txt", "read.md/.", "read.md/..", "%2e", "%2e%2e", "%2ehidden", "%ff", `\\\\host\\x`, "loop",
		} {
			m := c.ask("resources/read", `"uri":"file:///docs/`+name+`"`)
			if m.code() != want && m.code() != jsonrpc.CodeInvalidParams {
				t.Errorf("%s: %v, want code %d", name, m, want)
			}
			if strings.Contains(m.raw, "do not read") || strings.Contains(m.raw, "escapes") {
				t.Errorf("%s has been read: %v", name, m)
			}
		}
		if m := c.ask("resources/list", ""); bytes.Contains(m.Result, []byte("hidden")) || bytes.Contains(m.Result, []byte("outside")) ||
			bytes.Contains(m.Result, []byte("secret")) || !bytes.Contains(m.Result, []byte("read.md")) {
			t.Errorf("the list: %v", m)
		}
		c.alive("paths")
	})
}
