package hardening_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/faulty"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpclient"
)

// soon is the timeout of a call that gets no reply, enough of a call that gets one.
const soon, enough = 100 * time.Millisecond, 20 * time.Second

// onTool returns a script for calls of the hostile tool.
func onTool(f func(s *faulty.Server, m *faulty.Message)) func() func(*faulty.Server, *faulty.Message) bool {
	return onMethod("hostile", f)
}

// onMethod returns a script for one tool, or one method.
func onMethod(name string, f func(s *faulty.Server, m *faulty.Message)) func() func(*faulty.Server, *faulty.Message) bool {
	return func() func(*faulty.Server, *faulty.Message) bool {
		return func(s *faulty.Server, m *faulty.Message) bool {
			if !m.Is(name) {
				return false
			}
			f(s, m)
			return true
		}
	}
}

// right sends the correct result of a call.
func right(s *faulty.Server, m *faulty.Message) {
	_ = m.Reply(s.Complete(`"content":[{"type":"text","text":"right"}]`, false)) // the client may have gone
}

// fails returns a test of a call that fails with a type of error, after which the next call works.
func fails[E error](timeout time.Duration) func(t *testing.T, h *hostile) {
	return func(t *testing.T, h *hostile) {
		h.connect(t)
		for range 2 {
			_, err := h.call(t, timeout, nil)
			wantError[E](t, "the call", err)
			h.works(t, "it")
		}
	}
}

// brokenReplies are replies that break the protocol. %ID is the id of the request.
var brokenReplies = []string{
	`{"jsonrpc":"2.0","id":%ID,"result":{`,
	`{"jsonrpc":"2.0","id":%ID,"result":{"content":[]}}}`,
	`{"jsonrpc":"2.0","id":%ID,"result":{"content":[]}} {}`,
	`{"jsonrpc":"2.0","id":%ID,"id":%ID,"result":{"content":[]}}`,
	`{"jsonrpc":"2.0","id":%ID,"result":{"content":[],"content":[]}}`,
	`{"jsonrpc":"2.0","id":%ID,"RESULT":{"content":[]}}`,
	`{"jsonrpc":"2.0","id":%ID,"result":{"content":[]},"error":{"code":1,"message":"m"}}`,
	`{"jsonrpc":"2.0","id":%ID}`,
	`{"jsonrpc":"1.0","id":%ID,"result":{"content":[]}}`,
	`{"id":%ID,"result":{"content":[]}}`,
	`[{"jsonrpc":"2.0","id":%ID,"result":{"content":[]}}]`,
	`{"jsonrpc":"2.0","id":%ID,"result":[]}`,
	`{"jsonrpc":"2.0","id":%ID,"result":null}`,
	`{"jsonrpc":"2.0","id":%ID,"result":{"content":{}}}`,
	`{"jsonrpc":"2.0","id":%ID,"result":{"content":[{"type":7}]}}`,
	`{"jsonrpc":"2.0","id":%ID,"result":{"content":[{"type":"image","mimeType":"image/png","data":"***"}]}}`,
	`{"jsonrpc":"2.0","id":%ID,"result":{"content":[{"type":"text","text":"\ud800"}]}}`,
	`{"jsonrpc":"2.0","id":%ID,"error":"text"}`,
	`{"jsonrpc":"2.0","id":%ID,"error":{"code":"1","message":"m"}}`,
	`{"jsonrpc":"2.0","id":%ID,"error":{"message":"m"}}`,
	`{"jsonrpc":"2.0","id":%ID,"result":{"content":[}}`,
	"{\"jsonrpc\":\"2.0\",\"id\":%ID,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"\xff\"}]}}",
	`"text"`,
	`{}`,
}

// levels is a value with as many levels.
var levels = strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000)

// deepReplies are replies that contain it: in members that are ignored, in members that are stored,
// and in an error.
var deepReplies = []string{
	`{"jsonrpc":"2.0","id":%ID,"result":{"content":[],"x":` + levels + `}}`,
	`{"jsonrpc":"2.0","id":%ID,"result":{"content":[],"structuredContent":{"x":` + levels + `}}}`,
	`{"jsonrpc":"2.0","result":{"content":[],"_meta":{"x":` + levels + `}},"id":%ID}`,
	`{"jsonrpc":"2.0","id":%ID,"error":{"code":1,"message":"m","data":` + levels + `}}`,
	`{"jsonrpc":"2.0","id":%ID,"result":{"content":[]},"x":` + levels + `,"y":` + levels + `}`,
}

// messageRows are messages that servers send, or leave out.
var messageRows = []hostileRow{
	{
		name: "Silence", what: "accepts a call and does not reply", here: "the timeout of the call; the next one works",
		script: onTool(func(*faulty.Server, *faulty.Message) {}),
		run: func(t *testing.T, h *hostile) {
			h.connect(t)
			for range 3 {
				if _, err := h.call(t, soon, nil); !errors.Is(err, mcpclient.ErrTimeout) {
					t.Errorf("the call: %v", err)
				}
			}
			h.works(t, "silence")
		},
	},
	{
		name: "SilenceAtFirst", what: "accepts a connection and sends nothing", here: "Connect returns when its context ends",
		script: func() func(*faulty.Server, *faulty.Message) bool {
			return func(*faulty.Server, *faulty.Message) bool { return true }
		},
		run: func(t *testing.T, h *hostile) {
			why := errors.New("why")
			ctx, cancel := context.WithTimeoutCause(t.Context(), soon, why)
			defer cancel()
			if _, err := mcpclient.Connect(ctx, h.target, h.options); !errors.Is(err, why) {
				t.Errorf("Connect: %v", err)
			}
		},
	},
	{
		name: "ByteByByte", what: "replies byte by byte", here: "the timeout of the call; the late reply is dropped",
		script: onTool(func(s *faulty.Server, m *faulty.Message) {
			reply := m.Text(`{"jsonrpc":"2.0","id":%ID,"result":` + s.Complete(`"content":[]`, false) + `}`)
			for i := range 30 {
				if m.Raw(reply[i:i+1]) != nil {
					return
				}
				time.Sleep(soon / 20)
			}
			_ = m.Send(reply[30:])
		}),
		run: func(t *testing.T, h *hostile) {
			h.connect(t)
			if _, err := h.call(t, soon, nil); !errors.Is(err, mcpclient.ErrTimeout) {
				t.Errorf("the call: %v", err)
			}
			h.works(t, "the late reply")
			if n := h.reported.Load(); n != 0 {
				t.Errorf("%d reports", n)
			}
		},
	},
	{
		name: "StopsInTheMiddle", what: "stops in the middle of a message", here: "the timeout of this call, and of the next",
		script: onTool(func(_ *faulty.Server, m *faulty.Message) { _ = m.Raw(`{"jsonrpc":"2.0","id":`) }),
		run: func(t *testing.T, h *hostile) {
			h.connect(t)
			for range 2 {
				if _, err := h.call(t, soon, nil); !errors.Is(err, mcpclient.ErrTimeout) {
					t.Errorf("the call: %v", err)
				}
			}
		},
	},
	{
		name: "EndlessMessage", heap: 24 << 20, what: "sends a message of 32 MiB that does not end", here: "`*LimitError`, the rest is not kept; the next call says that the connection is lost, or works",
		script: onTool(func(s *faulty.Server, m *faulty.Message) {
			if strings.Contains(string(m.Params), `"n":1`) {
				right(s, m)
				return
			}
			if m.Raw(m.Text(`{"jsonrpc":"2.0","id":%ID,"result":{"x":"`)) != nil {
				return
			}
			part := strings.Repeat("x", 1<<20)
			for range 32 {
				if m.Raw(part) != nil {
					return
				}
			}
			_ = m.Close()
		}),
		run: func(t *testing.T, h *hostile) {
			h.connect(t)
			_, err := h.call(t, enough, nil)
			wantError[*mcpclient.LimitError](t, "the call", err)
			// The next call may be sent before the server closes the connection.
			if _, err := h.call(t, enough, map[string]int{"n": 1}); err != nil {
				wantError[*mcpclient.ConnectionError](t, "the next call", err)
			}
			h.works(t, "it")
		},
	},
	{
		name: "LongMessage", what: "sends a message of 16 MiB, its id at the end", here: "`*LimitError` where it is the only request, or else its timeout; the next call works",
		script: onTool(func(s *faulty.Server, m *faulty.Message) {
			_ = m.Raw(`{"jsonrpc":"2.0","result":{"x":"`)
			part := strings.Repeat("x", 1<<20)
			for range 16 {
				_ = m.Raw(part)
			}
			_ = m.Send(m.Text(`"},"id":%ID}`))
		}),
		run: fails[*mcpclient.LimitError](enough),
	},
	{
		name: "BrokenReplies", what: "sends broken JSON, invalid UTF-8, duplicate keys, keys in another case, text behind a message, result and error together, neither, an array",
		here: "`*ProtocolViolationError` where it can be told which request it is for, or else a report and its timeout; the next call works",
		script: onTool(func(_ *faulty.Server, m *faulty.Message) {
			var p struct{ Arguments struct{ N int } }
			_ = json.Unmarshal(m.Params, &p) // the client has sent it
			_ = m.Send(m.Text(brokenReplies[p.Arguments.N]))
		}),
		run: func(t *testing.T, h *hostile) {
			h.connect(t)
			for n, reply := range brokenReplies {
				before := h.reported.Load()
				known := strings.HasPrefix(reply, `{"jsonrpc":"2.0","id":%ID,"result":`)
				timeout := soon
				if known {
					timeout = enough
				}
				_, err := h.call(t, timeout, map[string]int{"n": n})
				if errors.Is(err, mcpclient.ErrTimeout) && !known {
					h.wantReports(before + 1)
				} else if e, ok := errors.AsType[*mcpclient.ProtocolViolationError](err); !ok || e.Target == "" || e.Method != "tools/call" {
					t.Errorf("%.100s: %v", reply, err)
				}
				h.works(t, reply[:min(len(reply), 100)])
			}
		},
	},
	{
		name: "DeepReplies", what: "nests a reply in 100,000 levels", here: "`*LimitError` that names `Depth`; the next call works",
		script: onTool(func(_ *faulty.Server, m *faulty.Message) {
			var p struct{ Arguments struct{ N int } }
			_ = json.Unmarshal(m.Params, &p) // the client has sent it
			_ = m.Send(m.Text(deepReplies[p.Arguments.N]))
		}),
		run: func(t *testing.T, h *hostile) {
			h.connect(t)
			for n, reply := range deepReplies {
				_, err := h.call(t, enough, map[string]int{"n": n})
				if e, ok := errors.AsType[*mcpclient.LimitError](err); !ok || e.Limit != "Depth" || e.Value != 512 {
					t.Errorf("%.60s: %v (%T)", reply, err, err)
				}
				h.works(t, reply[:60])
			}
		},
	},
	{
		name: "DeepQuestions", what: "asks by a request of 100,000 levels, with the id of a call", here: "refused (-32600) in a session, and reported; the call gets its own reply",
		script: func() func(*faulty.Server, *faulty.Message) bool {
			var mu sync.Mutex // handlers may run concurrently
			var call *faulty.Message
			return func(s *faulty.Server, m *faulty.Message) bool {
				mu.Lock()
				defer mu.Unlock()
				switch {
				case m.Is("hostile"):
					call = m
					_ = m.Send(m.Text(`{"jsonrpc":"2.0","id":%ID,"method":"roots/list","params":{"x":` + levels + `}}`))
					if s.Modern { // which gets no answer
						right(s, m)
					}
					return true
				case m.Method == "" && strings.Contains(string(m.Error), "-32600"):
					right(s, call)
					return true
				}
				return false
			}
		},
		run: func(t *testing.T, h *hostile) {
			h.connect(t)
			result, err := h.call(t, enough, nil)
			if err != nil || result.Text() != "right" {
				t.Errorf("the call: %v", err)
			}
			h.works(t, "it")
			h.wantReports(1)
		},
	},
	{
		name: "OtherIDs", what: "replies to ids that were not sent: another one, text for a number, null, twice", here: "reported and dropped, and the call gets its own reply; over HTTP `*ProtocolViolationError` for a result without an id",
		script: onTool(func(s *faulty.Server, m *faulty.Message) {
			wrong := s.Complete(`"content":[{"type":"text","text":"wrong"}]`, false)
			for _, id := range []string{"999999", `"` + string(m.ID) + `"`, "null", string(m.ID) + ".0", "-" + string(m.ID), "0"} {
				_ = m.Send(`{"jsonrpc":"2.0","id":` + id + `,"result":` + wrong + `}`)
			}
			right(s, m)
			_ = m.Reply(wrong)
		}),
		run: func(t *testing.T, h *hostile) {
			h.connect(t)
			result, err := h.call(t, enough, nil)
			if h.isHTTP() { // a message on the response of a request belongs to that request
				wantError[*mcpclient.ProtocolViolationError](t, "the call", err)
				h.works(t, "it")
				return
			}
			if err != nil || result.Text() != "right" {
				t.Errorf("the call: %+v %v", result, err)
			}
			h.works(t, "it")
			h.wantReports(7)
		},
	},
	{
		name: "ErrorWithoutID", what: "sends an error without an id", here: "the error of the only request in flight",
		script: onTool(func(_ *faulty.Server, m *faulty.Message) {
			_ = m.Send(`{"jsonrpc":"2.0","error":{"code":-32000,"message":"no id"}}`)
		}),
		run: fails[*jsonrpc.Error](enough),
	},
	{
		name: "ErrorsOfSeveral", what: "sends an error without an id while several requests wait", here: "reported; each request waits for its own reply",
		script: onTool(func(_ *faulty.Server, m *faulty.Message) {
			_ = m.Send(`{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"no id"}}`)
		}),
		options: func(o *mcpclient.Options) { o.Limits.RequestTime = enough },
		run: func(t *testing.T, h *hostile) {
			h.connect(t)
			var group sync.WaitGroup
			for range 2 {
				group.Go(func() {
					// The first error may arrive before the second call is sent.
					_, err := h.call(t, 3*soon, nil)
					if _, ok := errors.AsType[*jsonrpc.Error](err); !ok && !errors.Is(err, mcpclient.ErrTimeout) {
						t.Errorf("the call: %v", err)
					}
				})
			}
			group.Wait()
			h.works(t, "it")
		},
	},
	{
		name: "EndlessList", what: "lists for ever, with new cursors", here: "`*LimitError`, no part of the list",
		script: func() func(*faulty.Server, *faulty.Message) bool {
			var mu sync.Mutex
			n := 0
			return func(s *faulty.Server, m *faulty.Message) bool {
				if m.Method != "tools/list" {
					return false
				}
				mu.Lock()
				defer mu.Unlock()
				n++
				_ = m.Reply(s.Complete(fmt.Sprintf(`"tools":[{"name":"t%d","inputSchema":{"type":"object"}}],"nextCursor":"%d"`, n, n), true))
				return true
			}
		},
		run: failsList[*mcpclient.LimitError],
	},
	{
		name: "SameCursor", what: "lists with the same cursor for ever", here: "`*ProtocolViolationError`",
		script: onMethod("tools/list", func(s *faulty.Server, m *faulty.Message) {
			_ = m.Reply(s.Complete(`"tools":[],"nextCursor":""`, true))
		}),
		run: failsList[*mcpclient.ProtocolViolationError],
	},
	{
		name: "LongList", what: "lists a hundred thousand items in one page", here: "`*LimitError` at ListItems",
		script: onMethod("tools/list", func(s *faulty.Server, m *faulty.Message) {
			_ = m.Reply(s.Complete(`"tools":[`+strings.Repeat(`{},`, 100_000)+`{}]`, true))
		}),
		options: func(o *mcpclient.Options) { o.Limits.ListItems = 1000 },
		run:     failsList[*mcpclient.LimitError],
	},
	{
		name: "StrangeItems", what: "lists a tool twice, without a name, with a schema that is not an object", here: "the first of two stays, the others are left out and reported",
		script: onMethod("tools/list", func(s *faulty.Server, m *faulty.Message) {
			_ = m.Reply(s.Complete(`"tools":[{"name":"a","title":"first","inputSchema":{"type":"object"}},`+
				`{"name":"a","title":"second","inputSchema":{"type":"object"}},{"inputSchema":{"type":"object"}},`+
				`{"name":"","inputSchema":{"type":"object"}},{"name":"b","inputSchema":[]},{"name":"c","inputSchema":{"$ref":"http://127.0.0.1:1/x"}},7]`, true))
		}),
		run: func(t *testing.T, h *hostile) {
			tools, err := h.connect(t).Tools(t.Context())
			var names []string
			for _, tool := range tools {
				names = append(names, tool.Name+" "+tool.Title)
			}
			if got := strings.Join(names, ","); err != nil || got != "a first,c " {
				t.Errorf("%q %v", got, err)
			}
			h.wantReports(5)
			h.works(t, "it")
		},
	},
	{
		name: "Flood", what: "sends 2,000 pings, logs, list changes, progress of strangers and backwards, before the reply", here: "limits; the reply is taken",
		script: onTool(func(s *faulty.Server, m *faulty.Message) {
			for i := range 2000 {
				for _, text := range []string{
					fmt.Sprintf(`{"jsonrpc":"2.0","id":"p%d","method":"ping"}`, i),
					`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"` + strings.Repeat("x", 100) + `"}}`,
					`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`,
					fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%d,"progress":1}}`, 1_000_000+i),
					m.Text(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%%ID,"progress":%d}}`, -i)),
				} {
					if m.Send(text) != nil {
						return
					}
				}
			}
			right(s, m)
		}),
		options: func(o *mcpclient.Options) {
			var calls atomic.Int32
			slow := func() { // slow at first
				if calls.Add(1) < 100 {
					time.Sleep(time.Millisecond)
				}
			}
			o.OnLog = func(mcpclient.LogMessage) { slow() }
			o.OnChange = func(mcpclient.Change) { slow() }
			o.Logger = slog.New(slog.DiscardHandler)
		},
		run: func(t *testing.T, h *hostile) {
			h.connect(t)
			result, err := h.call(t, time.Minute, nil)
			if err != nil || result.Text() != "right" {
				t.Errorf("the call: %v", err)
			}
			h.works(t, "it")
		},
	},
	{
		name: "UndeclaredQuestions", what: "asks what was not declared, by requests", here: "-32601; in 2026-07-28 reported, never an answer", eras: []era{legacy},
		script: func() func(*faulty.Server, *faulty.Message) bool {
			var mu sync.Mutex
			var call *faulty.Message
			refused := 0
			questions := []string{"sampling/createMessage", "elicitation/create", "roots/list", "unknown/method"}
			return func(s *faulty.Server, m *faulty.Message) bool {
				mu.Lock()
				defer mu.Unlock()
				switch {
				case m.Is("hostile"):
					call = m
					for i, method := range questions {
						_ = m.Send(fmt.Sprintf(`{"jsonrpc":"2.0","id":"q%d","method":%q,"params":{}}`, i, method))
					}
					return true
				case m.Method == "" && strings.Contains(string(m.Error), "-32601"):
					if refused++; refused%len(questions) == 0 {
						right(s, call)
					}
					return true
				}
				return false
			}
		},
		run: func(t *testing.T, h *hostile) {
			h.connect(t)
			result, err := h.call(t, enough, nil)
			if err != nil || result.Text() != "right" {
				t.Errorf("the call: %v", err)
			}
			h.works(t, "it")
		},
	},
	{
		name: "ModernQuestions", what: "asks by requests in 2026-07-28", here: "reported, never an answer", eras: []era{modern},
		script: func() func(*faulty.Server, *faulty.Message) bool {
			return func(s *faulty.Server, m *faulty.Message) bool {
				switch {
				case m.Is("hostile"):
					_ = m.Send(`{"jsonrpc":"2.0","id":"q","method":"elicitation/create","params":{"message":"m","requestedSchema":{"type":"object","properties":{}}}}`)
					_ = m.Send(`{"jsonrpc":"2.0","id":"q","method":"ping"}`)
					return false
				case m.Method == "" && m.Result != nil: // an answer: reply with an error
					_ = m.Close()
				}
				return m.Method == ""
			}
		},
		options: func(o *mcpclient.Options) { o.Elicit = accept },
		run: func(t *testing.T, h *hostile) {
			h.connect(t)
			result, err := h.call(t, enough, nil)
			if err != nil || result.Text() != "right" {
				t.Errorf("the call: %v", err)
			}
			h.works(t, "it")
			h.wantReports(1)
		},
	},
	{
		name: "EndlessRounds", what: "requires input for ever", here: "`*LimitError` after ten rounds", eras: []era{modern},
		script:  onTool(func(_ *faulty.Server, m *faulty.Message) { _ = m.Reply(inputRequired) }),
		options: func(o *mcpclient.Options) { o.Elicit = accept },
		run:     fails[*mcpclient.LimitError](enough),
	},
	{
		name: "UndeclaredRounds", what: "requires input that was not declared, or none", here: "`*ProtocolViolationError`", eras: []era{modern},
		script: onTool(func(_ *faulty.Server, m *faulty.Message) { _ = m.Reply(inputRequired) }),
		run:    fails[*mcpclient.ProtocolViolationError](enough),
	},
	{
		name: "RoundsWithoutInput", what: "requires input without a question and without a state", here: "`*ProtocolViolationError`", eras: []era{modern},
		script:  onTool(func(_ *faulty.Server, m *faulty.Message) { _ = m.Reply(`{"resultType":"input_required"}`) }),
		options: func(o *mcpclient.Options) { o.Elicit = accept },
		run:     fails[*mcpclient.ProtocolViolationError](enough),
	},
	{
		name: "RoundsOfLists", what: "requires input for a list", here: "`*ProtocolViolationError`", eras: []era{modern},
		script:  onMethod("tools/list", func(_ *faulty.Server, m *faulty.Message) { _ = m.Reply(inputRequired) }),
		options: func(o *mcpclient.Options) { o.Elicit = accept },
		run:     failsList[*mcpclient.ProtocolViolationError],
	},
	{
		name: "UnknownRevision", what: "answers the first request with an unknown revision", here: "`*RevisionError`",
		script: func() func(*faulty.Server, *faulty.Message) bool {
			return func(_ *faulty.Server, m *faulty.Message) bool {
				switch m.Method {
				case "initialize":
					_ = m.Reply(`{"protocolVersion":"1999-01-01","capabilities":{},"serverInfo":{"name":"n","version":"1"}}`)
				case "server/discover":
					return !failModern(m, `["1999-01-01"]`)
				}
				return m.Method == "initialize"
			}
		},
		run: failsConnect[*mcpclient.RevisionError],
	},
	{
		name: "ModernSession", what: "answers `initialize` with a revision without sessions", here: "`*RevisionError`", eras: []era{legacy},
		script: onMethod("initialize", func(_ *faulty.Server, m *faulty.Message) {
			_ = m.Reply(`{"protocolVersion":"2026-07-28","capabilities":{},"serverInfo":{"name":"n","version":"1"}}`)
		}),
		run: failsConnect[*mcpclient.RevisionError],
	},
	{
		name: "CapabilitiesOfNoObject", what: "declares capabilities that are not an object", here: "`*ProtocolViolationError`",
		script: func() func(*faulty.Server, *faulty.Message) bool {
			return func(s *faulty.Server, m *faulty.Message) bool {
				switch {
				case m.Method == "initialize" && !s.Modern:
					_ = m.Reply(`{"protocolVersion":"2025-11-25","capabilities":[],"serverInfo":{"name":"n","version":"1"}}`)
				case m.Method == "server/discover" && s.Modern:
					_ = m.Reply(`{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":7,"ttlMs":0,"cacheScope":"private"}`)
				default:
					return false
				}
				return true
			}
		},
		run: failsConnect[*mcpclient.ProtocolViolationError],
	},
	{
		name: "EndsAtOnce", what: "ends at the first message, each time", here: "an error after the attempts of Retry",
		script: func() func(*faulty.Server, *faulty.Message) bool {
			return func(_ *faulty.Server, m *faulty.Message) bool {
				_ = m.Close()
				return true
			}
		},
		run: func(t *testing.T, h *hostile) {
			_, err := mcpclient.Connect(t.Context(), h.target, h.options)
			if h.transport == stdio {
				wantError[*mcpclient.ExitError](t, "Connect", err)
			} else {
				wantError[*mcpclient.ConnectionError](t, "Connect", err)
			}
		},
	},
	{
		name: "EndsInCalls", what: "ends in the middle of each call", here: "`*ConnectionError` that says that the call may have run; the next one works on a new connection",
		script: onTool(func(_ *faulty.Server, m *faulty.Message) { _ = m.Close() }),
		run: func(t *testing.T, h *hostile) {
			h.connect(t)
			for range 2 {
				_, err := h.call(t, enough, nil)
				if e, ok := errors.AsType[*mcpclient.ConnectionError](err); !ok || !e.Sent {
					t.Errorf("the call: %v", err)
				}
				h.works(t, "it")
			}
		},
	},
	{
		name: "Banners", what: "prints banners before and between messages", here: "skipped and reported",
		not: map[string]string{memory: "prints to standard output only", tcp: "prints to standard output only", webSocket: "prints to standard output only", httpLegacy: "prints to standard output only", httpModern: "prints to standard output only", httpSSE: "prints to standard output only"},
		script: func() func(*faulty.Server, *faulty.Message) bool {
			return func(_ *faulty.Server, m *faulty.Message) bool {
				for _, banner := range []string{"Server is running on stdio", "", "[info] {}", "\x1b[32mok\x1b[0m"} {
					_ = m.Send(banner)
				}
				return false
			}
		},
		run: func(t *testing.T, h *hostile) {
			h.connect(t)
			for range 5 {
				h.works(t, "banners")
			}
			h.wantReports(6)
		},
	},
}

// inputRequired asks for input by a form.
const inputRequired = `{"resultType":"input_required","requestState":"s","inputRequests":{"k":{"method":"elicitation/create",` +
	`"params":{"mode":"form","message":"m","requestedSchema":{"type":"object","properties":{}}}}}}`

func accept(context.Context, *mcpclient.Elicitation) (mcpclient.ElicitAnswer, error) {
	return mcpclient.ElicitAnswer{Action: mcp.ActionAccept}, nil
}

// failModern sends the error for an unsupported version, or returns false for a message without an
// id.
func failModern(m *faulty.Message, supported string) bool {
	return m.Send(m.Text(`{"jsonrpc":"2.0","id":%ID,"error":{"code":-32022,"message":"m","data":{"requested":"2026-07-28","supported":`+supported+`}}}`)) != nil
}

// failsConnect tests a Connect that fails with a type of error.
func failsConnect[E error](t *testing.T, h *hostile) {
	_, err := mcpclient.Connect(t.Context(), h.target, h.options)
	wantError[E](t, "Connect", err)
}

// failsList tests a list that fails with a type of error, after which a call works.
func failsList[E error](t *testing.T, h *hostile) {
	tools, err := h.connect(t).Tools(t.Context())
	wantError[E](t, "the list", err)
	if len(tools) > 0 {
		t.Errorf("%d tools with the error", len(tools))
	}
	h.works(t, "it")
}

// wantReports waits until a number of violations was reported.
func (h *hostile) wantReports(want int32) {
	for h.reported.Load() < want {
		<-h.reports
	}
}
