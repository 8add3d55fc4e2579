package mcptask_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcptask"
)

// A client that listens to its tasks gets the state of each, and each change, until the task ends.
func TestListen(t *testing.T) {
	for name, options := range map[string][]mcp.Option{
		"parked":       nil,
		"interceptors": {mcp.WithInterceptors(func(next mcp.Handler) mcp.Handler { return next })},
		"no lists":     {mcp.WithoutCapabilities(mcp.ServerListChanged, mcp.ServerSubscribe)},
	} {
		t.Run(name, func(t *testing.T) {
			within(t, func(t *testing.T) {
				s := newServer(options...)
				add(s, "ask", mcptask.Support{}, func(ctx context.Context) (string, error) {
					time.Sleep(10 * time.Second)
					mcp.Progress(ctx, 1, 2, "half")
					time.Sleep(10 * time.Second)
					text, err := confirm(ctx, "Sure?")
					time.Sleep(time.Second)
					return text, err
				})
				defer mcptask.Shutdown(context.Background(), s)
				ada, bob := connectAs(t, s, "ada"), connectAs(t, s, "bob")
				id, foreign := ada.begin("ask"), bob.begin("ask")
				listen, _ := ada.start("subscriptions/listen", `"notifications":{"taskIds":["`+id+`","`+foreign+`","none","`+id+`"]}`)
				wait()
				got := ada.notifications()
				if len(got) != 2 || !strings.Contains(got[0], `"notifications":{"taskIds":["`+id+`"]}`) || !strings.Contains(got[0], "acknowledged") {
					t.Fatalf("%v", got)
				}
				changes := []string{ada.task(got[1]).Status}
				note := func() {
					for _, message := range ada.notifications() {
						var m struct {
							Method string
							Params struct {
								Meta map[string]json.RawMessage `json:"_meta"`
							}
						}
						if err := json.Unmarshal([]byte(message), &m); err != nil || m.Method != "notifications/tasks" ||
							string(m.Params.Meta["io.modelcontextprotocol/subscriptionId"]) != listen {
							t.Errorf("%s: %v", message, err)
						}
						got := ada.task(message)
						changes = append(changes, strings.TrimSpace(got.Status+" "+got.text()))
					}
				}
				time.Sleep(12 * time.Second)
				note()
				time.Sleep(9 * time.Second)
				note()
				key, _ := ada.question(id)
				ada.answer(id, key)
				time.Sleep(2 * time.Second)
				note()
				if got, want := strings.Join(changes, ", "), "working, working 1 of 2: half, input_required 1 of 2: half, working 1 of 2: half, completed accepttrue"; got != want {
					t.Errorf("%s, want %s", got, want)
				}
				if got := bob.notifications(); len(got) > 0 {
					t.Errorf("%v", got)
				}
			})
		})
	}
}

// Bad input of a listen.
func TestListenParams(t *testing.T) {
	within(t, func(t *testing.T) {
		s := newServer()
		c := connect(t, s)
		c.start("subscriptions/listen", `"notifications":{"taskIds":["x"],"toolsListChanged":true}`)
		add(s, "ask", mcptask.Support{}, nil)
		wait()
		c.notifications()
		for params, want := range map[string]string{
			`{"taskIds":"x"}`: "must be an array", `{"taskIds":[7]}`: "must consist of strings",
		} {
			if got := c.askInvalid("subscriptions/listen", `"notifications":`+params); !strings.Contains(got, `"code":-32602`) || !strings.Contains(got, want) {
				t.Errorf("%s: %s", params, got)
			}
		}
		c.capabilities = `{}`
		for _, ids := range []string{`["x"]`, `[]`} {
			if got := c.ask("subscriptions/listen", `"notifications":{"taskIds":`+ids+`}`); !strings.Contains(got, `"code":-32021`) ||
				!strings.Contains(got, `{"requiredCapabilities":{"extensions":{"io.modelcontextprotocol/tasks":{}}}}`) {
				t.Error(got)
			}
		}
	})
}

// An Access decides about the tool of a task, at each request and notification.
func TestAccess(t *testing.T) {
	within(t, func(t *testing.T) {
		var rule atomic.Pointer[error]
		allow := func(err error) { rule.Store(&err) }
		allow(nil)
		s := newServer(mcp.WithAccess(mcp.AccessFunc(func(ctx context.Context, f mcp.FeatureInfo) error {
			if f.Name != "ask" {
				return nil
			}
			return *rule.Load()
		})))
		add(s, "ask", mcptask.Support{}, func(ctx context.Context) (string, error) { return confirm(ctx, "Sure?") })
		c := connect(t, s)
		id := c.begin("ask")
		wait()
		key, _ := c.question(id)
		c.start("subscriptions/listen", `"notifications":{"taskIds":["`+id+`"]}`)
		wait()
		if got := c.notifications(); len(got) != 2 {
			t.Errorf("%v", got)
		}
		requests := map[string]string{
			"tasks/get": "", "tasks/cancel": "", "tasks/update": `,"inputResponses":{"` + key + `":{"action":"decline"}}`,
		}
		allow(errors.New("no"))
		for method, more := range requests {
			unknown(t, c.ask(method, `"taskId":"`+id+`"`+more))
		}
		allow(&mcp.AccessError{StepUp: true, Scopes: []string{"stock"}})
		for method, more := range requests {
			if got := c.ask(method, `"taskId":"`+id+`"`+more); !strings.Contains(got, `"data":{"reason":"insufficient scope","scopes":["stock"]}`) {
				t.Error(got)
			}
		}
		if got := c.ask("subscriptions/listen", `"notifications":{"taskIds":["`+id+`"]}`); !strings.Contains(got, "insufficient scope") {
			t.Error(got)
		}
		time.Sleep(2 * time.Minute) // it is parked: a change
		if got := c.notifications(); len(got) != 0 {
			t.Errorf("%v", got)
		}
		allow(nil)
		c.answer(id, key)
		wait()
		c.is(id, "completed", "accepttrue")
	})
}

// A server whose only changes are tasks supports listens.
func TestListenToTasksAlone(t *testing.T) {
	within(t, func(t *testing.T) {
		s := newServer(mcp.WithoutCapabilities(mcp.ServerListChanged, mcp.ServerSubscribe))
		c := connect(t, s)
		if got := c.ask("subscriptions/listen", `"notifications":{"toolsListChanged":true}`); !strings.Contains(got, "-32601") {
			t.Error(got)
		}
	})
	within(t, func(t *testing.T) {
		s := newServer(mcp.WithoutCapabilities(mcp.ServerListChanged, mcp.ServerSubscribe))
		add(s, "ask", mcptask.Support{}, func(ctx context.Context) (string, error) { return confirm(ctx, "Sure?") })
		c := connect(t, s)
		id := c.begin("ask")
		wait() // until it asks, which would be a third message
		c.start("subscriptions/listen", `"notifications":{"taskIds":["`+id+`"]}`)
		wait()
		if got := c.notifications(); len(got) != 2 { // the acknowledgement, and the state of the task
			t.Errorf("%v", got)
		}
		c.ask("tasks/cancel", `"taskId":"`+id+`"`)
	})
}
