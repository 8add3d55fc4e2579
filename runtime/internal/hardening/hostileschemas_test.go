package hardening_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/internal/faulty"
	"github.com/mcpgen/mcpgen/runtime/mcpclient"
)

// strangeSchemas are schemas that a client must not follow. %URL is the address of a server that
// must not receive anything.
var strangeSchemas = []string{
	`{"type":"object","$ref":"%URL/a"}`,
	`{"type":"object","$schema":"%URL/b","properties":{"x":{"$ref":"%URL/c#/d"},"y":{"$dynamicRef":"%URL/e"}}}`,
	`{"type":"object","properties":{"x":{"$ref":"#"}},"allOf":[{"$ref":"#"}]}`,
	`{"type":"object","properties":{"x":{"$ref":"#/$defs/a"}},"$defs":{"a":{"$ref":"#/$defs/b"},"b":{"$ref":"#/$defs/a"}}}`,
	`{"type":"object","properties":{"x":{"type":"string","pattern":"^(a+)+$"},"y":{"pattern":"(((x*)*)*)*!"}},"patternProperties":{"(a|a)*b":{}}}`,
	`{"type":"object","properties":{"x":{"type":"string","pattern":"("}}}`,
	`{"type":"object","properties":7,"required":"x"}`,
}

// unused counts the connections to an address to which nothing may be sent.
type unused struct {
	address string
	n       atomic.Int32
}

// listenUnused listens until the function that it returns is called.
func listenUnused(t *testing.T) (u *unused, stop func()) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	u = &unused{address: l.Addr().String()}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			u.n.Add(1)
			_ = c.Close()
		}
	}()
	return u, func() {
		_ = l.Close()
		<-done
	}
}

// schemaRows are definitions of tools, and notifications that break the rules.
var schemaRows = []hostileRow{
	{
		name: "StrangeSchemas", what: "lists tools whose schemas refer to the network and to themselves, and have patterns that explode", here: "nothing is fetched; they are text, and a value is read against them in time",
		script: func() func(*faulty.Server, *faulty.Message) bool {
			var mu sync.Mutex // handlers may run concurrently
			var address string
			return func(s *faulty.Server, m *faulty.Message) bool {
				mu.Lock()
				defer mu.Unlock()
				switch {
				case m.Is("hostile"): // sends the address, since the server may be another process
					var p struct{ Arguments struct{ Address string } }
					_ = json.Unmarshal(m.Params, &p) // the client has sent it
					address = p.Arguments.Address
					right(s, m)
				case m.Method == "tools/list":
					var tools []string
					for i, schema := range strangeSchemas {
						schema = strings.ReplaceAll(schema, "%URL", "http://"+address)
						tools = append(tools, fmt.Sprintf(`{"name":"t%d","inputSchema":%s,"outputSchema":%s}`, i, schema, schema))
					}
					_ = m.Reply(s.Complete(`"tools":[`+strings.Join(tools, ",")+`]`, true)) // the client may have gone
				case m.Method == "tools/call" && !m.Is("echo"):
					a := strings.Repeat("a", 10_000)
					_ = m.Reply(s.Complete(`"content":[],"structuredContent":{"x":"`+a+`","y":"`+a+`","`+a+`":1}`, false))
				default:
					return false
				}
				return true
			}
		},
		run: func(t *testing.T, h *hostile) {
			listener, stop := listenUnused(t)
			defer stop()
			c := h.connect(t)
			if _, err := h.call(t, enough, map[string]string{"address": listener.address}); err != nil {
				t.Fatal(err)
			}
			tools, err := c.Tools(t.Context())
			if err != nil || len(tools) == 0 || !strings.Contains(string(tools[0].InputSchema), listener.address) {
				t.Fatalf("the list: %d tools, %v", len(tools), err)
			}
			for i := range strangeSchemas {
				v, err := mcpclient.Call[map[string]any](t.Context(), c, fmt.Sprintf("t%d", i), nil, mcpclient.WithTimeout(enough))
				if _, violation := errors.AsType[*mcpclient.ProtocolViolationError](err); !violation && (err != nil || len(v) != 3) {
					t.Errorf("tool %d: %d members, %v", i, len(v), err)
				}
			}
			h.works(t, "them")
			if n := listener.n.Load(); n > 0 {
				t.Errorf("%d connections to the address in the schemas", n)
			}
		},
	},
	{
		name: "LongSchema", what: "lists a tool with a schema of 3 MiB", here: "`*LimitError`, since the message is longer than `MessageBytes`; text within it",
		script: onMethod("tools/list", func(s *faulty.Server, m *faulty.Message) {
			_ = m.Reply(s.Complete(`"tools":[{"name":"t","inputSchema":{"type":"object","description":"`+strings.Repeat("x", 3<<20)+`"}}]`, true))
		}),
		run: failsList[*mcpclient.LimitError],
	},
	{
		name: "LongSchemaAllowed", what: "lists a tool with a schema of 3 MiB, within `MessageBytes`", here: "it is text to the client",
		script: onMethod("tools/list", func(s *faulty.Server, m *faulty.Message) {
			_ = m.Reply(s.Complete(`"tools":[{"name":"t","inputSchema":{"type":"object","description":"`+strings.Repeat("x", 3<<20)+`"}}]`, true))
		}),
		heap:    48 << 20, // buffers of 4 and 2 MiB, the message, the result and its decoded parts
		options: func(o *mcpclient.Options) { o.Limits.MessageBytes = 4 << 20 },
		run: func(t *testing.T, h *hostile) {
			tools, err := h.connect(t).Tools(t.Context())
			if err != nil || len(tools) != 1 || len(tools[0].InputSchema) < 3<<20 {
				t.Errorf("%d tools, %v", len(tools), err)
			}
			h.works(t, "it")
		},
	},
	{
		name: "StrangeProgress", what: "sends progress that is not a number, of strangers, backwards, and after the reply", here: "reported, or dropped after the reply; the call gets its reply",
		script: onTool(func(s *faulty.Server, m *faulty.Message) {
			for _, text := range []string{
				`{"progressToken":%ID,"progress":NaN}`, `{"progressToken":%ID,"progress":"1"}`, `{"progressToken":%ID,"progress":1e999}`, `{"progressToken":%ID}`,
				`{"progressToken":4711,"progress":1}`, `{"progressToken":"a","progress":1}`, `{"progressToken":null,"progress":1}`,
				`{"progressToken":%ID,"progress":2}`, `{"progressToken":%ID,"progress":1}`, `{"progressToken":%ID,"progress":2}`, `[]`,
			} {
				_ = m.Send(m.Text(`{"jsonrpc":"2.0","method":"notifications/progress","params":` + text + `}`)) // the client may have gone
			}
			right(s, m)
			_ = m.Send(m.Text(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%ID,"progress":3}}`))
		}),
		run: func(t *testing.T, h *hostile) {
			h.connect(t)
			var steps []float64
			result, err := h.client.Call(t.Context(), "hostile", nil, mcpclient.WithTimeout(enough),
				mcpclient.WithProgress(func(p mcpclient.Progress) { steps = append(steps, p.Done) }))
			if h.isHTTP() && err != nil { // text that is not JSON, on the response of the call
				wantError[*mcpclient.ProtocolViolationError](t, "the call", err)
				h.works(t, "it")
				return
			}
			if err != nil || result.Text() != "right" || len(steps) > 1 || len(steps) == 1 && steps[0] != 2 {
				t.Errorf("the call: %v, progress %v", err, steps)
			}
			h.works(t, "it")
			h.wantReports(10)
		},
	},
	{
		name: "ChangesOfLists", what: "sends 10,000 changes of a list while nothing reads them", here: "merged; `OnChange` is called a few times",
		script: onTool(func(s *faulty.Server, m *faulty.Message) {
			for range 10_000 {
				_ = m.Send(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`) // the client may have gone
			}
			right(s, m)
		}),
		eras: []era{legacy},
		run: func(t *testing.T, h *hostile) {
			released := make(chan struct{})
			var calls atomic.Int32
			h.options.OnChange = func(mcpclient.Change) {
				calls.Add(1)
				<-released
			}
			h.connect(t)
			result, err := h.call(t, enough, nil)
			if err != nil || result.Text() != "right" {
				t.Errorf("the call: %v", err)
			}
			close(released)
			h.works(t, "it")
			if n := calls.Load(); n == 0 || n > 2 {
				t.Errorf("OnChange was called %d times", n)
			}
		},
	},
}
