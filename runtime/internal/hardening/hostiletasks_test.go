package hardening_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/internal/faulty"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpclient"
	"github.com/mcpgen/mcpgen/runtime/mcptaskclient"
)

// taskMessage is a request for a task of a hostile server.
type taskMessage struct {
	*faulty.Message
	server *faulty.Server
	n      int // argument of its call
	times  int // number of requests of this method for the task, from 1 on
}

// state returns a task in the form of the revision, with further members.
func (m *taskMessage) state(status, members string) string {
	text := fmt.Sprintf(`"taskId":"t%d","status":%q,"createdAt":"2026-01-02T03:04:05Z","lastUpdatedAt":"2026-01-02T03:04:05Z"`, m.n, status)
	if !strings.Contains(members, `"ttl`) {
		text += m.name(`,"ttlMs":60000`, `,"ttl":60000`)
	}
	if !strings.Contains(members, `"pollInterval`) {
		text += m.name(`,"pollIntervalMs":1`, `,"pollInterval":1`)
	}
	if members != "" {
		text += "," + members
	}
	return m.server.Complete(text, false)
}

// name returns the argument for the revision.
func (m *taskMessage) name(modern, legacy string) string {
	if m.server.Modern {
		return modern
	}
	return legacy
}

// created returns a task as the result of its call.
func (m *taskMessage) created(status, members string) string {
	text := m.state(status, members)
	if m.server.Modern {
		return strings.Replace(text, `"resultType":"complete"`, `"resultType":"task"`, 1)
	}
	return `{"task":` + text + `}`
}

const rightResult = `{"content":[{"type":"text","text":"right"}]}`

// completed replies that a task has completed. In a session, tasks/result contains its result.
func (m *taskMessage) completed() {
	_ = m.Reply(m.state("completed", m.name(`"result":`+rightResult, `"statusMessage":""`)))
}

// tasking returns a script for calls of the hostile tool that become tasks. f is called with each
// request for them, and tools/call itself; it returns false to send the correct reply: a new task
// that works, a completed task, and its result. The tool cancelled returns the number of
// cancellations of a task.
func tasking(f func(m *taskMessage) bool) func() func(*faulty.Server, *faulty.Message) bool {
	return func() func(*faulty.Server, *faulty.Message) bool {
		var mu sync.Mutex
		times := map[string]int{}
		cancelled := 0
		return func(s *faulty.Server, m *faulty.Message) bool {
			var p struct {
				TaskID string
				Task   json.RawMessage
			}
			_ = json.Unmarshal(m.Params, &p) // the client has sent it
			of := &taskMessage{Message: m, server: s, n: argumentN(m)}
			switch {
			case m.Method == "initialize" && !s.Modern:
				_ = m.Reply(`{"protocolVersion":"2025-11-25","capabilities":{"tools":{},"tasks":{"cancel":{},"requests":{"tools":{"call":{}}}}},"serverInfo":{"name":"faulty","version":"1"}}`)
				return true
			case m.Method == "tools/list":
				_ = m.Reply(s.Complete(`"tools":[{"name":"echo","inputSchema":{"type":"object"}},{"name":"hostile","inputSchema":{"type":"object"},"execution":{"taskSupport":"required"}}]`, true))
				return true
			case m.Is("cancelled"):
				mu.Lock()
				text := strconv.Itoa(cancelled)
				mu.Unlock()
				_ = m.Reply(s.Complete(`"content":[{"type":"text","text":"`+text+`"}]`, false))
				return true
			case m.Is("hostile") && !s.Modern && p.Task == nil:
				_ = m.Fail(-32601, "only as a task")
				return true
			case strings.HasPrefix(m.Method, "tasks/"):
				of.n, _ = strconv.Atoi(strings.TrimPrefix(p.TaskID, "t"))
			case !m.Is("hostile"):
				return false
			}
			key := fmt.Sprint(m.Method, of.n)
			mu.Lock()
			times[key]++
			of.times = times[key]
			if m.Method == "tasks/cancel" {
				cancelled++
			}
			mu.Unlock()
			switch {
			case f(of):
			case m.Is("hostile"):
				_ = m.Reply(of.created("working", ""))
			case m.Method == "tasks/get":
				of.completed()
			case m.Method == "tasks/result":
				_ = m.Reply(rightResult)
			case m.Method == "tasks/cancel":
				_ = m.Reply(of.name(s.Complete("", false), of.state("cancelled", "")))
			default:
				_ = m.Reply(`{"resultType":"complete"}`)
			}
			return true
		}
	}
}

// withTasks lets the client run tasks, and answer questions.
func withTasks(o *mcpclient.Options) {
	o.Elicit = accept
	mcptaskclient.Enable(o)
}

// callTasks calls the hostile tool with each number below n, concurrently.
func (h *hostile) callTasks(t *testing.T, n int, options []mcpclient.RequestOption, check func(n int, result *mcp.ToolResult, err error)) {
	t.Helper()
	var group sync.WaitGroup
	for i := range n {
		group.Go(func() {
			result, err := h.client.Call(t.Context(), "hostile", map[string]int{"n": i}, append(options, mcpclient.WithTimeout(enough))...)
			check(i, result, err)
		})
	}
	group.Wait()
}

// wantCancelled checks the number of tasks that the client cancelled.
func (h *hostile) wantCancelled(t *testing.T, least, most int) {
	t.Helper()
	result, err := h.client.Call(t.Context(), "cancelled", nil)
	if err != nil {
		t.Fatal(err)
	}
	if n, err := strconv.Atoi(result.Text()); err != nil || n < least || n > most {
		t.Errorf("%q tasks were cancelled, want %d to %d", result.Text(), least, most)
	}
}

// absurdTimes are intervals and times to live, as JSON.
var absurdTimes = []string{"0", "-1", "1", "0.001", "1e300", "86400000", "99999999999999999999999", "null", `"soon"`, "{}", "[]", "true"}

// strangeTasks are members that the specification does not allow for tasks: for working ones, in
// both forms.
var strangeTasks = []func(m *taskMessage) string{
	func(m *taskMessage) string {
		return strings.Replace(m.state("working", ""), `"taskId":`, `"taskID":`, 1)
	},
	func(m *taskMessage) string {
		return strings.Replace(m.state("working", ""), fmt.Sprintf(`"t%d"`, m.n), "7", 1)
	},
	func(m *taskMessage) string {
		return strings.Replace(m.state("working", ""), fmt.Sprintf(`"t%d"`, m.n), `""`, 1)
	},
	func(m *taskMessage) string {
		return strings.Replace(m.state("working", ""), fmt.Sprintf(`"t%d"`, m.n), `"`+strings.Repeat("x", 100_000)+`"`, 1)
	},
	func(m *taskMessage) string {
		return strings.Replace(m.state("working", ""), fmt.Sprintf(`"t%d"`, m.n), `"another"`, 1)
	},
	func(m *taskMessage) string { return strings.Replace(m.state("working", ""), `"working"`, "5", 1) },
	func(m *taskMessage) string { return m.state("done", "") },
	func(m *taskMessage) string { return m.state("", "") },
	func(m *taskMessage) string { return m.state("working", `"status":"completed"`) },
	func(m *taskMessage) string { return m.state("working", `"statusMessage":{}`) },
	func(m *taskMessage) string { return m.state("input_required", `"inputRequests":[]`) },
	func(m *taskMessage) string { return m.state("input_required", `"inputRequests":{"k":7}`) },
	func(m *taskMessage) string {
		return m.state("input_required", `"inputRequests":{"`+strings.Repeat("k", 10_000)+`":{"method":"roots/list"}}`)
	},
	func(m *taskMessage) string { return m.state("failed", `"error":"text"`) },
	func(m *taskMessage) string { return m.state("failed", `"error":{"code":"x"}`) },
	func(m *taskMessage) string { return m.state("completed", `"result":[]`) },
	func(m *taskMessage) string {
		return m.state("completed", `"result":{"resultType":"input_required","inputRequests":{}}`)
	},
	func(m *taskMessage) string {
		return m.state("completed", `"result":{"resultType":"task","taskId":"t"}`)
	},
	func(*taskMessage) string { return `{}` },
}

// modernTasks are such members of the extension, whose statuses have further members.
var modernTasks = []func(m *taskMessage) string{
	func(m *taskMessage) string { return m.state("completed", "") },
	func(m *taskMessage) string { return m.state("failed", "") },
	func(m *taskMessage) string { return m.state("input_required", "") },
	func(m *taskMessage) string { return m.state("input_required", `"inputRequests":{}`) },
	func(m *taskMessage) string {
		return m.state("input_required", `"inputRequests":{"k":{"method":"sampling/createMessage","params":{}}}`)
	},
	func(m *taskMessage) string {
		return m.state("input_required", `"inputRequests":{"k":{"method":"tools/call","params":{}}}`)
	},
}

// taskRows are attacks with tasks.
var taskRows = []hostileRow{
	{
		name: "EndlessTasks", what: "keeps a task working for ever, with intervals and times of any size and type", here: "the time of the call (`WithMaxTime`), and the task is cancelled; the next call works",
		script: tasking(func(m *taskMessage) bool {
			member := m.name(`"pollIntervalMs":`, `"pollInterval":`) + absurdTimes[m.n] + m.name(`,"ttlMs":`, `,"ttl":`) + absurdTimes[m.n]
			switch m.Method {
			case "tools/call":
				_ = m.Reply(m.created("working", member))
			case "tasks/get":
				_ = m.Reply(m.state("working", member))
			default:
				return false
			}
			return true
		}),
		options: withTasks,
		run: func(t *testing.T, h *hostile) {
			h.connect(t)
			h.callTasks(t, len(absurdTimes), []mcpclient.RequestOption{mcpclient.WithMaxTime(3 * soon)}, func(n int, _ *mcp.ToolResult, err error) {
				if !errors.Is(err, mcpclient.ErrTimeout) {
					t.Errorf("%s: %v", absurdTimes[n], err)
				}
			})
			h.wantCancelled(t, 1, len(absurdTimes)) // on a slow machine a call may end before its task begins
			h.works(t, "endless tasks")
		},
	},
	{
		name: "TasksBackwards", what: "changes a task that has ended, or lets its questions come and go", here: "the end that was seen first holds, and is not asked for again; one key is asked once",
		script: tasking(func(m *taskMessage) bool {
			if m.Method != "tasks/get" {
				return false
			}
			switch m.times {
			case 1, 3:
				_ = m.Reply(m.state("input_required", `"inputRequests":{"k":{"method":"elicitation/create","params":{"mode":"form","message":"m","requestedSchema":{"type":"object","properties":{}}}}}`))
			case 2:
				_ = m.Reply(m.state("working", ""))
			case 4:
				return false
			default:
				_ = m.Reply(m.state("cancelled", ""))
			}
			return true
		}),
		options: withTasks,
		run: func(t *testing.T, h *hostile) {
			h.connect(t)
			task, err := mcptaskclient.CallTask(t.Context(), h.client, "hostile", nil)
			if err != nil {
				t.Fatal(err)
			}
			for range 2 {
				result, err := task.Wait(t.Context())
				if err != nil || result.Text() != "right" {
					t.Errorf("%+v, %v", result, err)
				}
				// In a session the result has arrived before the server was asked for the end.
				if state, err := task.State(t.Context()); err != nil || h.era == modern && state.Status != mcptaskclient.Completed {
					t.Errorf("%+v, %v", state, err)
				}
			}
			h.works(t, "it")
		},
	},
	{
		name: "TasksAskForEver", what: "asks in a task for ever, or 1,000 questions at once", here: "`ErrQuestions` from 2026-07-28 on, the time of the call in a session; the task is cancelled",
		script: tasking(func(m *taskMessage) bool {
			const params = `{"mode":"form","message":"m","requestedSchema":{"type":"object","properties":{}}}`
			switch {
			case m.Method == "tasks/get":
				var questions []string
				for i := range 1 + m.n*999 {
					questions = append(questions, fmt.Sprintf(`"k%d.%d":{"method":"elicitation/create","params":%s}`, m.times, i, params))
				}
				_ = m.Reply(m.state("input_required", m.name(`"inputRequests":{`+strings.Join(questions, ",")+`}`, `"statusMessage":"asks"`)))
			case m.Method == "tasks/result":
				for i := range 20 {
					_ = m.Send(fmt.Sprintf(`{"jsonrpc":"2.0","id":"q%d.%d.%d","method":"elicitation/create","params":%s}`, m.n, m.times, i, params))
				}
			default:
				return false
			}
			return true
		}),
		options: withTasks,
		run: func(t *testing.T, h *hostile) {
			h.connect(t)
			most := enough
			if h.era == legacy {
				most = 3 * soon
			}
			h.callTasks(t, 2, []mcpclient.RequestOption{mcpclient.WithMaxTime(most)}, func(n int, _ *mcp.ToolResult, err error) {
				if want := map[bool]error{true: mcptaskclient.ErrQuestions, false: mcpclient.ErrTimeout}[h.era == modern]; !errors.Is(err, want) {
					t.Errorf("%d: %v, want %v", n, err, want)
				}
			})
			h.wantCancelled(t, 1, 2)
			h.works(t, "questions")
		},
	},
	{
		name: "TasksVanish", what: "does not know a task any more, or has no answer for it", here: "`*mcptaskclient.Error` with the id and the server's error",
		script: tasking(func(m *taskMessage) bool {
			if m.Method != "tasks/get" {
				return false
			}
			_ = m.Fail(-32602-m.n, "unknown task") // -32602, -32603 and so on
			return true
		}),
		options: withTasks,
		run: func(t *testing.T, h *hostile) {
			h.connect(t)
			h.callTasks(t, 3, nil, func(n int, _ *mcp.ToolResult, err error) {
				if e, ok := errors.AsType[*mcptaskclient.Error](err); !ok || e.Task != fmt.Sprintf("t%d", n) {
					t.Errorf("%v", err)
				}
				if e, ok := errors.AsType[*jsonrpc.Error](err); !ok || e.Code != -32602-n {
					t.Errorf("%v", err)
				}
			})
			h.works(t, "it")
		},
	},
	{
		name: "StrangeTasks", what: "sends tasks with another id, unknown statuses, wrong types, results of other kinds, members twice, and undeclared questions", here: "`*ProtocolViolationError`; the user is not asked",
		script: tasking(func(m *taskMessage) bool {
			all := append(append(strangeTasks[:0:0], strangeTasks...), modernTasks...)
			if m.Method != "tasks/get" {
				return false
			}
			_ = m.Reply(all[m.n](m))
			return true
		}),
		options: func(o *mcpclient.Options) {
			withTasks(o)
			o.Elicit = func(context.Context, *mcpclient.Elicitation) (mcpclient.ElicitAnswer, error) { panic("asked") }
		},
		run: func(t *testing.T, h *hostile) {
			h.connect(t)
			count := len(strangeTasks)
			if h.era == modern {
				count += len(modernTasks)
			}
			h.callTasks(t, count, nil, func(n int, result *mcp.ToolResult, err error) {
				if _, ok := errors.AsType[*mcpclient.ProtocolViolationError](err); !ok {
					t.Errorf("task %d: %+v, %v (%T)", n, result, err, err)
				}
			})
			h.works(t, "it")
		},
	},
	{
		name: "StrangeNewTasks", what: "replies to a call with a task that is none", here: "`*ProtocolViolationError`; in a session a result without a task is one of a call",
		script: tasking(func(m *taskMessage) bool {
			if !m.Is("hostile") {
				return false
			}
			text := strangeTasks[[]int{0, 1, 2, 3, 5, 6, 7, 8, 9}[m.n]](m)
			if m.server.Modern {
				_ = m.Reply(strings.Replace(text, `"complete"`, `"task"`, 1))
			} else {
				_ = m.Reply(`{"task":` + text + `}`)
			}
			return true
		}),
		options: withTasks,
		run: func(t *testing.T, h *hostile) {
			h.connect(t)
			h.callTasks(t, 9, nil, func(n int, result *mcp.ToolResult, err error) {
				if _, ok := errors.AsType[*mcpclient.ProtocolViolationError](err); !ok {
					t.Errorf("task %d: %+v, %v (%T)", n, result, err, err)
				}
			})
			h.works(t, "it")
		},
	},
	{
		name: "ResultsTwice", what: "replies twice to requests for a task, with different ends", here: "the first one holds, the second one is dropped",
		script: tasking(func(m *taskMessage) bool {
			switch m.Method {
			case "tasks/get":
				m.completed()
				_ = m.Reply(m.state("cancelled", ""))
			case "tasks/result":
				_ = m.Reply(rightResult)
				_ = m.Reply(`{"content":[{"type":"text","text":"wrong"}]}`)
			default:
				return false
			}
			return true
		}),
		options: withTasks,
		run: func(t *testing.T, h *hostile) {
			h.connect(t)
			h.callTasks(t, 3, nil, func(_ int, result *mcp.ToolResult, err error) {
				if err != nil || result.Text() != "right" {
					t.Errorf("%+v, %v", result, err)
				}
			})
			h.works(t, "it")
		},
	},
}
