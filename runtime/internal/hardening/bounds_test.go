package hardening_test

import (
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"golang.org/x/time/rate"

	"github.com/mcpgen/mcpgen/internal/proof/spec"
	"github.com/mcpgen/mcpgen/runtime/internal/testbed"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcphttp"
	"github.com/mcpgen/mcpgen/runtime/mcprate"
)

// testLongNames sends values that a server would have to store, too long.
func testLongNames(t *testing.T, v target) {
	v.visit(t, setup{level: slog.LevelInfo}, func(t *testing.T, s *site) {
		c, other := s.open(), s.open()
		params := func(method string) string {
			switch method {
			case "tools/call":
				return call("echo", `{}`)
			case "resources/subscribe":
				return `"uri":"item://1"`
			case "subscriptions/listen":
				return `"notifications":{"toolsListChanged":true}`
			}
			return ""
		}
		refused := func(what, text string, code int) {
			t.Helper()
			m, status := c.try(text)
			if m.code() != code || len(m.raw) > 500 {
				t.Errorf("%s: %v", what, m)
			}
			if v.is(httpModern, httpLegacy) && status != 400 && status != 200 {
				t.Errorf("%s: status %d", what, status)
			}
		}
		for _, size := range []int{jsonrpc.MaxID + 1, 1 << 20} {
			methods := []string{"tools/call", "tools/list", "resources/subscribe", "subscriptions/listen", "unknown/method"}
			if size > jsonrpc.MaxID+1 {
				methods = methods[:1]
			}
			for _, id := range []string{
				`"` + strings.Repeat("i", size) + `"`, strings.Repeat("1", size), "-" + strings.Repeat("1", size),
				`"` + strings.Repeat(`\u0041`, size/6+1) + `"`, `"` + strings.Repeat("é", size/2+1) + `"`,
			} {
				for _, method := range methods {
					refused("id of "+method, c.era.text(id, method, params(method)), jsonrpc.CodeInvalidRequest)
				}
			}
		}
		for _, token := range []string{`"` + strings.Repeat("t", jsonrpc.MaxID+1) + `"`, strings.Repeat("1", 1<<20)} {
			meta := `"progressToken":` + token
			if c.era == modern {
				meta += "," + modernMeta
			}
			for method, params := range map[string]string{
				"tools/call": call("echo", `{}`), "tools/list": "", "prompts/get": `"name":"greet"`, "resources/read": `"uri":"item://1"`,
			} {
				refused("progress token of "+method, c.era.with("71", method, params, meta), jsonrpc.CodeInvalidRequest)
			}
		}
		meta := `"com.example/x":"` + strings.Repeat("x", 40<<10) + `"`
		if c.era == modern {
			meta += "," + modernMeta
		}
		refused("_meta", c.era.with("72", "tools/call", call("echo", `{}`), meta), jsonrpc.CodeInvalidParams)
		info := `{"name":"` + strings.Repeat("n", 16<<10) + `","version":"1"}`
		if c.era == modern {
			refused("clientInfo", c.era.with("73", "tools/list", "", modernMeta+`,"io.modelcontextprotocol/clientInfo":`+info), jsonrpc.CodeInvalidParams)
		} else {
			fresh := s.connect("")
			m := fresh.ask("initialize", strings.Replace(initialize, `{"name":"tester","version":"1"}`, info, 1))
			if m.code() != jsonrpc.CodeInvalidParams {
				t.Errorf("clientInfo: %v", m)
			}
		}
		for _, id := range []string{
			`"` + strings.Repeat("i", jsonrpc.MaxID) + `"`, strings.Repeat("7", jsonrpc.MaxID), `"` + strings.Repeat(`\u0041`, jsonrpc.MaxID/6) + `"`,
		} {
			for _, text := range []string{c.era.text(id, "tools/call", call("echo", `{}`)), c.era.text(id, "unknown/method", "")} {
				if m, _ := c.try(text); m.id() != id {
					t.Errorf("an id of %d bytes: %v", len(id), m)
				}
			}
		}
		c.alive("long names")
		other.alive("long names of somebody else")
	})
}

// testFloodedLog has clients repeat events that are logged.
func testFloodedLog(t *testing.T, v target) {
	const times = 500
	for name, text := range map[string]string{
		"stray":     `{"jsonrpc":"2.0","id":"` + strings.Repeat("s", 1000) + `","result":{}}`,
		"malformed": spec.Invalid(`{"jsonrpc":"2.0","id":1,"result":{},"error":{"` + strings.Repeat("k", 5000) + `":1}}`),
	} {
		t.Run(name, func(t *testing.T) {
			v.visit(t, setup{level: slog.LevelInfo}, func(t *testing.T, s *site) {
				c := s.open()
				for range times {
					c.status(c.put(text))
				}
				s.settle()
				lines := strings.Split(s.log.String(), "\n")
				if len(lines) > 12 {
					t.Errorf("%d lines", len(lines))
				}
				for _, line := range lines {
					if len(line) > 1500 {
						t.Errorf("a line of %d bytes", len(line))
					}
				}
				time.Sleep(11 * time.Second)
				s.settle()
				if text := s.log.String(); len(lines) > 5 && !strings.Contains(text, fmt.Sprintf("more_like_this=%d", times-10)) {
					t.Errorf("it is not said how many more there were: %s", text)
				}
				c.in.all()
				c.alive("a flood of what is logged")
			})
		})
	}
}

// testRates opens a new session, connection or stream for each call.
func testRates(t *testing.T, v target) {
	const most, calls = 3, 20
	limited := func() mcp.Option {
		return mcp.WithInterceptors(mcprate.New(mcprate.WithToolLimit("*", rate.Every(time.Hour), most)))
	}
	passes := func(c *client) int {
		if m := c.ask("tools/call", call("echo", `{}`)); !m.failed() {
			return 1
		} else if !strings.Contains(m.text(), "rate limit") {
			c.t.Errorf("%v", m)
		}
		return 0
	}
	if v.is(stdio, memory) {
		v.visit(t, setup{server: []mcp.Option{limited()}}, func(t *testing.T, s *site) {
			for range 2 { // without an address, connections belong to the program itself
				c, passed := s.open(), 0
				for range calls {
					passed += passes(c)
				}
				if passed != most {
					t.Errorf("%d calls of a connection passed", passed)
				}
			}
		})
		return
	}
	for _, authentic := range []bool{false, true} {
		t.Run(fmt.Sprintf("authentic=%v", authentic), func(t *testing.T) {
			v.visit(t, setup{server: []mcp.Option{limited()}, authentic: authentic}, func(t *testing.T, s *site) {
				count := func(who string, addresses ...string) (passed int) {
					for i := range calls {
						s.comesFrom(addresses[i%len(addresses)])
						c := s.openAs(who)
						passed += passes(c)
						c.vanish()
						s.settle()
					}
					return passed
				}
				for _, from := range [][]string{{"192.0.2.1"}, {"192.0.2.2", "::ffff:192.0.2.2"}, {"2001:db8::1", "2001:db8::ffff:1", "2001:db8::2"}} {
					if n := count("", from...); n != most {
						t.Errorf("%d of %d calls from %v passed", n, calls, from)
					}
				}
				if authentic {
					if n := count("ann", "192.0.2.1", "192.0.2.77", "2001:db8:7::1"); n != most {
						t.Errorf("%d of %d calls of ann passed", n, calls)
					}
				}
			})
		})
	}
}

// testFirstMessage opens connections and sends nothing, or half of a message.
func testFirstMessage(t *testing.T, v target) {
	const within = 30 * time.Second
	v.visit(t, setup{}, func(t *testing.T, s *site) {
		good, late := s.open(), s.connect("")
		good.alive("nothing")
		silent, half := s.connect(""), s.connect("")
		switch l := half.link.(type) {
		case *lineLink:
			_, _ = l.raw.Write([]byte(`{"jsonrpc":"2.0",`))
		case *webSocketLink:
			_, _ = l.conn.Write(testbed.MaskedFrame(final|textFrame, []byte(`{"jsonrpc":"2.0"}`))[:9])
		case *httpLink:
			half.put(`{"jsonrpc":"2.0","id":1,"method":"ping","params":{}}`) // does not open a session
		}
		started := time.Now()
		time.Sleep(within - time.Second)
		if late.era == legacy {
			if m := late.ask("initialize", initialize); m.failed() {
				t.Errorf("%v", m)
			}
		}
		late.alive("most of the time is over")
		for what, c := range map[string]*client{"silence": silent, "half a message": half} {
			c.gone(what)
			if d := time.Since(started); d < within || d > within+time.Second {
				t.Errorf("%s: after %v", what, d)
			}
		}
		for range 3 {
			time.Sleep(time.Hour)
			good.alive("a long silence later on")
			late.alive("a long silence later on")
		}
	})
}

// testShares has one client take all that it can get, and use it once a minute.
func testShares(t *testing.T, v target) {
	const most, each = 8, 2 // a quarter
	v.visit(t, setup{connections: most, http: mcphttp.Limits{Sessions: most, Streams: most, Requests: most}}, func(t *testing.T, s *site) {
		h := s.hold("share")
		greedy := []string{"192.0.2.1", "2001:db8::1", "2001:db8::2"}
		var held []*client
		take := func(address string) (taken bool) {
			s.comesFrom(address)
			c := s.connect("")
			switch v.name {
			case tcp:
				c.say("initialize", initialize)
				_, taken = c.in.find(time.Minute, func(m message) bool { return m.Method == "" })
			case httpModern:
				_, d := c.say("tools/call", h.params())
				s.settle()
				select {
				case <-h.in:
					taken = true
				default:
					if status := c.status(d); status != 503 {
						t.Errorf("status %d", status)
					}
				}
			default:
				_, d := c.say("initialize", initialize)
				taken = c.status(d) == 200
			}
			if taken {
				held = append(held, c)
			}
			return taken
		}
		opens := func(address string) bool {
			if v.is(webSocket, httpSSE) {
				s.comesFrom(address)
				c, err := s.dial("")
				if err == nil {
					s.clients, held = append(s.clients, c), append(held, c)
					c.say(c.era.harmless(), "")
					c.say("initialize", initialize)
					s.settle()
					c.in.all()
				}
				return err == nil
			}
			return take(address)
		}
		for _, want := range []struct {
			from string
			n    int
		}{{greedy[0], each}, {greedy[1], each}, {greedy[2], 0}} {
			n := 0
			for range 2 * most {
				if opens(want.from) {
					n++
				}
			}
			if n != want.n {
				t.Errorf("%d for %s, want %d", n, want.from, want.n)
			}
		}
		taken := append([]*client(nil), held...)
		for range 10 { // a client that uses its share keeps it, but not the share of others
			time.Sleep(50 * time.Second)
			if !v.is(httpModern) {
				for _, c := range taken {
					if v.era == legacy {
						if m := c.ask("ping", ""); m.failed() {
							t.Errorf("%v", m)
						}
					}
				}
			}
			s.comesFrom("198.51.100.7")
			good := s.open()
			good.alive("others have taken all that they can get")
			if v.is(httpLegacy) {
				good.status(good.link.(*httpLink).delete())
			} else {
				good.vanish()
			}
			s.settle()
		}
	})
}

// testStatedAddress has a proxy in front of the server.
func testStatedAddress(t *testing.T, v target) {
	limited := mcp.WithInterceptors(mcprate.New(mcprate.WithToolLimit("*", rate.Every(time.Hour), 2)))
	v.visit(t, setup{server: []mcp.Option{limited}, stated: true}, func(t *testing.T, s *site) {
		passed := func(address string) (n int) {
			for range 5 {
				s.stated = address
				c := s.open()
				if m := c.ask("tools/call", call("echo", `{}`)); !m.failed() {
					n++
				}
				c.vanish()
				s.settle()
			}
			return n
		}
		s.comesFrom("192.0.2.1")
		for _, want := range []struct {
			address string
			n       int
		}{{"198.51.100.1", 2}, {"198.51.100.2", 2}, {"198.51.100.1", 0}, {"no address", 2}, {"", 0}, {"192.0.2.1", 0}} {
			if n := passed(want.address); n != want.n {
				t.Errorf("%d calls for %q, want %d", n, want.address, want.n)
			}
		}
	})
}
