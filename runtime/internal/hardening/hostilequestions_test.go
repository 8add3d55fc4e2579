package hardening_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/internal/faulty"
	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpclient"
)

// argumentN returns the argument n of a call.
func argumentN(m *faulty.Message) int {
	var p struct{ Arguments struct{ N int } }
	_ = json.Unmarshal(m.Params, &p) // the client has sent it
	return p.Arguments.N
}

// asking returns a script that asks a question in each call: by a request in a session, otherwise
// by a round. params returns the params of the question, by the argument n of the call; answered
// reports whether the client's message for it is correct: a result in a session or a round, or an
// error.
func asking(method string, params func(n int) string, answered func(result, failure string) bool) func() func(*faulty.Server, *faulty.Message) bool {
	return func() func(*faulty.Server, *faulty.Message) bool {
		var mu sync.Mutex // handlers may run concurrently
		var call *faulty.Message
		return func(s *faulty.Server, m *faulty.Message) bool {
			mu.Lock()
			defer mu.Unlock()
			switch {
			case m.Is("hostile") && s.Modern && strings.Contains(string(m.Params), `"inputResponses"`):
				if answered(string(m.Params), "") {
					right(s, m)
					return true
				}
				_ = m.Fail(-32000, "not the answer that was expected")
			case m.Is("hostile") && s.Modern:
				_ = m.Reply(`{"resultType":"input_required","requestState":"s","inputRequests":{"k":{"method":"` + method + `","params":` + params(argumentN(m)) + `}}}`)
			case m.Is("hostile"):
				call = m
				_ = m.Send(`{"jsonrpc":"2.0","id":"q","method":"` + method + `","params":` + params(argumentN(m)) + `}`)
			case m.Method == "" && call != nil:
				if answered(string(m.Result), string(m.Error)) {
					right(s, call)
					return true
				}
				_ = call.Fail(-32000, "not the answer that was expected")
			default:
				return false
			}
			return true
		}
	}
}

// badForms return schemas that are not valid for a form.
var badForms = []func() string{
	func() string {
		var fields []string
		for i := range 10_000 {
			fields = append(fields, fmt.Sprintf(`"f%d":{"type":"string"}`, i))
		}
		return `{"type":"object","properties":{` + strings.Join(fields, ",") + `}}`
	},
	func() string { return `{"type":"object","properties":{"a":{"type":"object","properties":{}}}}` },
	func() string {
		return `{"type":"object","properties":{"a":{"type":"array","items":{"type":"object"}}}}`
	},
	func() string { return `{"type":"object","properties":{"a":{"$ref":"#"}}}` },
	func() string { return `{"type":"array","properties":{}}` },
	func() string { return `{"type":"object","properties":{},"required":["a"]}` },
	func() string { return `[]` },
	func() string {
		return `{"type":"object","properties":{"a":{"type":"string","enum":["` + strings.Repeat(`x","x`, 20_000) + `"]}}}`
	},
}

// badLinks are links that must not be shown to a user.
var badLinks = []string{
	"javascript:alert(1)", "file:///etc/passwd", "http://example.com/", "data:text/html,x", "ftp://example.com/", "//example.com/", "",
	"https://", "HTTP://example.com", "http://127.0.0.1.example.com/", "vscode://x", "https:\\\\example.com", " https://example.com", "http://localhost@example.com/",
}

// questionRows are questions of servers.
var questionRows = []hostileRow{
	{
		name: "StrangeForms", what: "asks with forms of 10,000 fields, nested objects, schemas that are none", here: "-32602 in a session, `*ProtocolViolationError` of the call in 2026-07-28; the user is not asked",
		script: asking("elicitation/create",
			func(n int) string { return `{"mode":"form","message":"m","requestedSchema":` + badForms[n]() + `}` },
			func(_, failure string) bool { return strings.Contains(failure, "-32602") }),
		options: func(o *mcpclient.Options) {
			o.Elicit = func(context.Context, *mcpclient.Elicitation) (mcpclient.ElicitAnswer, error) { panic("asked") }
		},
		run: func(t *testing.T, h *hostile) {
			h.connect(t)
			for n := range badForms {
				result, err := h.call(t, enough, map[string]int{"n": n})
				if h.era == modern {
					wantError[*mcpclient.ProtocolViolationError](t, fmt.Sprint("form ", n), err)
				} else if err != nil || result.Text() != "right" {
					t.Errorf("form %d: %v", n, err)
				}
				h.works(t, "it")
			}
		},
	},
	{
		name: "StrangeLinks", what: "asks with links that are neither https nor http to this machine", here: "declined; the user is not shown them",
		script: asking("elicitation/create",
			func(n int) string {
				link, _ := json.Marshal(badLinks[n])
				return `{"mode":"url","message":"m","elicitationId":"e","url":` + string(link) + `}`
			},
			func(result, failure string) bool {
				return strings.Contains(result, `"decline"`) || strings.Contains(failure, "-32602")
			}),
		options: func(o *mcpclient.Options) {
			o.OpenURL = func(_ context.Context, e *mcpclient.Elicitation) (mcp.ElicitAction, error) { panic("shown " + e.URL) }
		},
		run: func(t *testing.T, h *hostile) {
			h.connect(t)
			for n, link := range badLinks {
				result, err := h.call(t, enough, map[string]int{"n": n})
				_, violation := errors.AsType[*mcpclient.ProtocolViolationError](err)
				if !(h.era == modern && violation) && (err != nil || result.Text() != "right") {
					t.Errorf("%q: %v", link, err)
				}
				h.works(t, link)
			}
		},
	},
	{
		name: "ManyQuestions", what: "asks 1,000 questions and 10,000 pings at a time", here: "as many as `Questions` are answered, -32603 for the others; the call gets its reply", eras: []era{legacy},
		script: manyQuestions(1000, 10_000),
		not: map[string]string{
			httpLegacy: "each answer is a request of its own, which takes seconds; see FewQuestions",
			httpSSE:    "each answer is a request of its own, which takes seconds; see FewQuestions",
		},
		options: slowRoots,
		run:     succeeds,
	},
	{
		name: "FewQuestions", what: "asks 100 questions and 100 pings at a time", here: "as ManyQuestions", eras: []era{legacy},
		script:  manyQuestions(100, 100),
		options: slowRoots,
		run:     succeeds,
	},
	{
		name: "EarlyQuestions", what: "asks before the session is initialized", here: "only `ping` is answered, -32600 for others; reported", eras: []era{legacy},
		script: func() func(*faulty.Server, *faulty.Message) bool {
			var mu sync.Mutex
			var begin *faulty.Message
			var pong, refused bool
			return func(s *faulty.Server, m *faulty.Message) bool {
				mu.Lock()
				defer mu.Unlock()
				switch {
				case m.Method == "initialize":
					begin = m
					_ = m.Send(`{"jsonrpc":"2.0","id":"q","method":"roots/list"}`)
					_ = m.Send(`{"jsonrpc":"2.0","id":"p","method":"ping"}`)
					return true
				case m.Method == "" && string(m.ID) == `"p"`:
					pong = m.Result != nil
				case m.Method == "" && string(m.ID) == `"q"`:
					refused = strings.Contains(string(m.Error), "-32600")
				default:
					return false
				}
				if pong && refused {
					_ = begin.Reply(`{"protocolVersion":"2025-11-25","capabilities":` + faulty.Capabilities + `,"serverInfo":{"name":"n","version":"1"}}`)
				}
				return true
			}
		},
		options: func(o *mcpclient.Options) {
			o.Roots = func(context.Context) ([]mcp.Root, error) { return nil, nil }
		},
		run: func(t *testing.T, h *hostile) {
			h.connect(t)
			h.works(t, "it")
			h.wantReports(1)
		},
	},
	{
		name: "LargeState", heap: 24 << 20, what: "requires input with a state of 32 MiB", here: "`*LimitError`", eras: []era{modern},
		script: onTool(func(_ *faulty.Server, m *faulty.Message) {
			if m.Raw(m.Text(`{"jsonrpc":"2.0","id":%ID,"result":{"resultType":"input_required","requestState":"`)) != nil {
				return
			}
			part := strings.Repeat("x", 1<<20)
			for range 32 {
				if m.Raw(part) != nil {
					return
				}
			}
			_ = m.Send(`"}}`)
		}),
		options: func(o *mcpclient.Options) { o.Elicit = accept },
		run:     fails[*mcpclient.LimitError](enough),
	},
}

// manyQuestions returns a script that asks questions concurrently, and replies when all are
// answered and at least one was refused. It reports that by a log message.
func manyQuestions(questions, pings int) func() func(*faulty.Server, *faulty.Message) bool {
	return func() func(*faulty.Server, *faulty.Message) bool {
		var mu sync.Mutex
		var call *faulty.Message
		var answers int
		var refused bool
		return func(s *faulty.Server, m *faulty.Message) bool {
			if m.Is("hostile") {
				mu.Lock()
				call = m
				mu.Unlock()
				for i := range questions {
					_ = m.Send(fmt.Sprintf(`{"jsonrpc":"2.0","id":"q%d","method":"roots/list"}`, i))
				}
				for i := range pings {
					_ = m.Send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"ping"}`, i))
				}
				return true
			}
			if m.Method != "" {
				return false
			}
			mu.Lock()
			answers++
			first := !refused && strings.Contains(string(m.Error), "-32603")
			refused = refused || first
			done := answers == questions+pings
			mu.Unlock()
			if first {
				_ = call.Send(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"refused"}}`)
			}
			if done {
				right(s, call)
			}
			return true
		}
	}
}

// slowRoots answers when the server reports that it has refused a question.
func slowRoots(o *mcpclient.Options) {
	refused := make(chan struct{})
	var once sync.Once
	o.OnLog = func(mcpclient.LogMessage) { once.Do(func() { close(refused) }) }
	o.Roots = func(ctx context.Context) ([]mcp.Root, error) {
		select {
		case <-refused:
		case <-ctx.Done():
		}
		return nil, nil
	}
}

// succeeds tests a call that gets its own reply.
func succeeds(t *testing.T, h *hostile) {
	h.connect(t)
	result, err := h.call(t, enough, nil)
	if err != nil || result.Text() != "right" {
		t.Errorf("the call: %v", err)
	}
	h.works(t, "it")
}
