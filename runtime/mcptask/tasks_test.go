package mcptask_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpimpl"
	"github.com/mcpgen/mcpgen/runtime/mcptask"
)

// A tool that works only as a task: the task is created at once, and ends later.
func TestRequired(t *testing.T) {
	within(t, func(t *testing.T) {
		s := newServer()
		add(s, "import", mcptask.Support{Required: true, TTL: 2 * time.Hour}, func(ctx context.Context) (string, error) {
			time.Sleep(90 * time.Second)
			return "imported", nil
		})
		c := connect(t, s)
		begun := time.Now()
		got := c.task(c.call("import", ""))
		if got.ResultType != "task" || got.Status != "working" || got.TTLMs != 7_200_000 || got.PollMs != 1000 || !got.CreatedAt.Equal(begun.Truncate(time.Millisecond)) {
			t.Errorf("created: %+v", got)
		}
		if now := time.Now(); now != begun {
			t.Errorf("the reply takes %v", now.Sub(begun))
		}
		c.is(got.TaskID, "working", "")
		time.Sleep(70 * time.Second)
		if old := c.get(got.TaskID); old.PollMs != 10_000 {
			t.Errorf("after a minute: %+v", old)
		}
		time.Sleep(20 * time.Second)
		wait()
		if ended := c.is(got.TaskID, "completed", "imported"); !ended.LastUpdatedAt.After(ended.CreatedAt) {
			t.Errorf("ended: %+v", ended)
		}
		time.Sleep(2 * time.Hour)
		unknown(t, c.ask("tasks/get", `"taskId":"`+got.TaskID+`"`))
	})
}

// unknown checks the error for a task that the client does not have.
func unknown(t *testing.T, reply string) {
	t.Helper()
	if !strings.Contains(reply, `"error":{"code":-32602,"message":"invalid params: unknown taskId"}`) {
		t.Errorf("%s", reply)
	}
}

// Clients that do not declare the extension.
func TestUndeclared(t *testing.T) {
	within(t, func(t *testing.T) {
		s := newServer()
		slow := func(context.Context) (string, error) { time.Sleep(time.Hour / 2); return "slow", nil }
		add(s, "import", mcptask.Support{Required: true}, slow)
		add(s, "count", mcptask.Support{Inline: time.Second}, slow)
		add(s, "now", mcptask.Support{}, slow)
		c := connect(t, s)
		c.capabilities = `{"elicitation":{}}`
		missing := `"error":{"code":-32021,"message":"the client lacks the capability extensions.io.modelcontextprotocol/tasks",` +
			`"data":{"requiredCapabilities":{"extensions":{"io.modelcontextprotocol/tasks":{}}}}}`
		for _, got := range []string{
			c.call("import", ""),
			c.ask("tasks/get", `"taskId":"x"`), c.ask("tasks/cancel", `"taskId":"x"`), c.ask("tasks/update", `"taskId":"x","inputResponses":{}`),
		} {
			if !strings.Contains(got, missing) {
				t.Errorf("%s, want %s", got, missing)
			}
		}
		for _, tool := range []string{"count", "now"} {
			if got := c.call(tool, `,"task":{"ttl":1000}`); !strings.Contains(got, `"text":"slow"`) {
				t.Error(got)
			}
		}
	})
}

// The extension is declared if a tool is a task, and its methods are the methods of the extension.
func TestDeclared(t *testing.T) {
	within(t, func(t *testing.T) {
		s := newServer()
		c := connect(t, s)
		for _, method := range []string{"tasks/get", "tasks/result", "tasks/list"} {
			if got := c.ask(method, `"taskId":"x"`); !strings.Contains(got, `"code":-32601`) {
				t.Errorf("without tasks: %s", got)
			}
		}
		if got := c.ask("server/discover", ""); strings.Contains(got, "extensions") {
			t.Errorf("without tasks: %s", got)
		}
		add(s, "import", mcptask.Support{}, nil)
		if got := c.ask("server/discover", ""); !strings.Contains(got, `"extensions":{"io.modelcontextprotocol/tasks":{}}`) || strings.Contains(got, `"tasks":{`) {
			t.Error(got)
		}
		for _, method := range []string{"tasks/result", "tasks/list", "tasks/other"} {
			if got := c.ask(method, `"taskId":"x"`); !strings.Contains(got, `"code":-32601`) {
				t.Error(got)
			}
		}
	})
}

// An optional call is a plain one if it returns in time. Otherwise it becomes a task, in which its
// handler goes on: the handler runs once.
func TestInline(t *testing.T) {
	within(t, func(t *testing.T) {
		s := newServer()
		var takes time.Duration
		runs := 0
		addGenerated(s, "count", mcptask.Support{Inline: 2 * time.Second}, func(ctx context.Context) (string, error) {
			runs++
			before := mcptask.FromContext(ctx)
			time.Sleep(takes)
			after := mcptask.FromContext(ctx)
			return fmt.Sprint(before == nil, after == nil, ctx.Err()), nil
		})
		c := connect(t, s)
		takes = 1999 * time.Millisecond
		if got := c.call("count", `,"arguments":{"n":1}`); !strings.Contains(got, `"result":{"content":[{"type":"text","text":"true true <nil>"}],"resultType":"complete"`) {
			t.Error(got)
		}
		takes = 5 * time.Second
		begun := time.Now()
		id := c.begin("count")
		if took := time.Since(begun); took != 2*time.Second {
			t.Errorf("a task after %v", took)
		}
		c.is(id, "working", "")
		time.Sleep(3 * time.Second)
		wait()
		c.is(id, "completed", "true false <nil>")
		if runs != 2 {
			t.Errorf("%d runs", runs)
		}
		if got := c.call("count", `,"arguments":{"n":"x"}`); !strings.Contains(got, `"isError":true`) {
			t.Errorf("wrong arguments: %s", got)
		}
	})
}

// Arguments are checked before a task is created, without running the handler.
func TestArgumentsAreCheckedFirst(t *testing.T) {
	within(t, func(t *testing.T) {
		s := newServer()
		runs := 0
		for name, support := range map[string]mcptask.Support{"now": {}, "import": {Required: true}, "later": {Required: true, Inline: time.Second}} {
			addGenerated(s, name, support, func(ctx context.Context) (string, error) { runs++; return "", nil })
		}
		s.Register(mcptask.Tool(mcpimpl.FuncTool(&mcp.ToolInfo{Name: "none", InputSchema: schema}, func(ctx context.Context, req *mcp.Request) (*mcp.ToolResult, error) {
			if err := mcpimpl.NoArguments(req); err != nil {
				return nil, err
			}
			runs++
			return nil, ctx.Err()
		}), mcptask.Support{}))
		c := connect(t, s)
		for _, name := range []string{"now", "import", "later", "none"} {
			if got := c.call(name, `,"arguments":{"n":"x"}`); !strings.Contains(got, `"isError":true`) || strings.Contains(got, "taskId") {
				t.Errorf("%s: %s", name, got)
			}
		}
		wait()
		if runs != 0 {
			t.Errorf("%d runs", runs)
		}
		for i, name := range []string{"now", "none"} {
			c.begin(name)
			wait()
			if runs != i+1 {
				t.Errorf("%d runs after %s", runs, name)
			}
		}
	})
}

// The results of handlers, in each kind of call.
func TestEnds(t *testing.T) {
	for name, test := range map[string]struct {
		f            func(ctx context.Context) (string, error)
		status, text string
		isError      bool
	}{
		"result": {func(context.Context) (string, error) { return "done", nil }, "completed", "done", false},
		"error":  {func(context.Context) (string, error) { return "", errors.New("broken") }, "completed", "broken", true},
		"protocol error": {func(context.Context) (string, error) {
			return "", &mcp.ProtocolError{Code: 7, Message: "no", Data: []byte(`{"a":1}`)}
		}, "failed", "no", false},
		"panic":   {func(context.Context) (string, error) { panic("at the disco") }, "completed", "internal error, reference", true},
		"timeout": {func(ctx context.Context) (string, error) { <-ctx.Done(); return "", ctx.Err() }, "completed", "timed out after 1m0s", true},
		"late":    {func(ctx context.Context) (string, error) { time.Sleep(10 * time.Minute); return "", nil }, "completed", "timed out after 1m0s", true},
		"large":   {func(ctx context.Context) (string, error) { return strings.Repeat("x", 2000), nil }, "completed", "", true},
	} {
		for kind, support := range map[string]mcptask.Support{"at once": {}, "later": {Inline: time.Second}, "required": {Required: true, Inline: 5 * time.Second}} {
			t.Run(name+"/"+kind, func(t *testing.T) {
				within(t, func(t *testing.T) {
					s := newServer(mcp.WithTimeout(time.Minute))
					addInfo(s, mcp.ToolInfo{Name: "tool", InputSchema: schema, MaxResult: 1000}, support, func(ctx context.Context) (string, error) {
						if kind == "later" {
							time.Sleep(2 * time.Second)
						}
						return test.f(ctx)
					})
					c := connect(t, s)
					id := c.begin("tool")
					time.Sleep(2 * time.Minute)
					wait()
					got := c.get(id)
					if got.Status != test.status || !strings.HasPrefix(got.text(), test.text) || got.Result.IsError != test.isError {
						t.Errorf("%+v", got)
					}
					if test.status == "failed" && (got.Error.Code != 7 || string(got.Error.Data) != `{"a":1}` || got.StatusMessage != "no") {
						t.Errorf("%+v", got)
					}
					time.Sleep(20 * time.Minute)
				})
			})
		}
	}
}

// A required call that may ask first: its question is a round, and the later result a task.
func TestRoundsBeforeTheTask(t *testing.T) {
	for name, takes := range map[string]time.Duration{"in time": 0, "later": 3 * time.Second} {
		t.Run(name, func(t *testing.T) {
			within(t, func(t *testing.T) {
				s := newServer()
				begun := 0
				add(s, "compose", mcptask.Support{Required: true, Inline: 2 * time.Second}, func(ctx context.Context) (string, error) {
					n, err := mcp.Once(ctx, "n", func() (int, error) { begun++; return begun, nil })
					if err != nil {
						return "", err
					}
					answer, err := confirm(ctx, "Sure?", mcp.WithKey("sure"))
					if err != nil {
						return "", err
					}
					time.Sleep(takes)
					again, err := confirm(ctx, "Really?", mcp.WithKey("really"))
					if err != nil {
						return "", err
					}
					return fmt.Sprint(n, " ", answer, " ", again), nil
				})
				c := connect(t, s)
				round := c.call("compose", "")
				if !strings.Contains(round, `"resultType":"input_required"`) || strings.Contains(round, "taskId") {
					t.Fatal(round)
				}
				next := func(key string) string {
					return c.call("compose", `,"requestState":"`+between(t, round, `"requestState":"`, `"`)+`","inputResponses":{"`+key+`":{"action":"accept","content":{"yes":true}}}`)
				}
				second := next("sure")
				if takes == 0 {
					round = second
					if !strings.Contains(round, `"resultType":"input_required"`) {
						t.Fatal(round)
					}
					got := c.task(next("really"))
					if got.ResultType != "task" || got.Status != "completed" {
						t.Errorf("%+v", got)
					}
					c.is(got.TaskID, "completed", "1 accepttrue accepttrue")
					return
				}
				id := c.task(second).TaskID
				time.Sleep(2 * time.Second)
				wait()
				key, message := c.question(id)
				if message != "Really?" {
					t.Errorf("asked: %s", message)
				}
				time.Sleep(10 * time.Minute) // it is parked
				c.answer(id, key)
				time.Sleep(5 * time.Second)
				wait()
				c.is(id, "completed", "1 accepttrue accepttrue")
				if begun != 1 {
					t.Errorf("%d values", begun)
				}
			})
		})
	}
}

func between(t *testing.T, s, before, after string) string {
	t.Helper()
	_, s, ok := strings.Cut(s, before)
	s, _, ok2 := strings.Cut(s, after)
	if !ok || !ok2 {
		t.Fatalf("nothing between %s and %s in %s", before, after, s)
	}
	return s
}

// The context of a handler contains the values of its request, but is not cancelled with it, nor
// with the connection.
func TestContextOfARun(t *testing.T) {
	within(t, func(t *testing.T) {
		type tenant struct{}
		s := newServer(mcp.WithInterceptors(func(next mcp.Handler) mcp.Handler {
			return func(ctx context.Context, req *mcp.Request) (mcp.Reply, error) {
				ctx, cancel := context.WithTimeout(context.WithValue(ctx, tenant{}, "acme"), 10*time.Second)
				defer cancel()
				reply, err := next(ctx, req)
				if a, ok := reply.(*mcptask.Accepted); req.Name == "count" && (!ok || a.ID == "" || a.Expires.Sub(a.Created) != time.Hour) {
					t.Errorf("next returns %T %+v", reply, reply)
				}
				return reply, err
			}
		}))
		add(s, "count", mcptask.Support{Inline: time.Second}, func(ctx context.Context) (string, error) {
			time.Sleep(time.Minute)
			return fmt.Sprint(ctx.Value(tenant{}), " ", ctx.Err(), " ", mcp.CallFrom(ctx).Feature()), nil
		})
		c := connect(t, s)
		id := c.begin("count")
		c.conn.Close()
		time.Sleep(2 * time.Minute)
		connect(t, s).is(id, "completed", "acme <nil> count")
	})
}

// Before its call is a task, a handler is cancelled with its request.
func TestRequestEndsFirst(t *testing.T) {
	within(t, func(t *testing.T) {
		s := newServer()
		causes := make(chan error, 10)
		add(s, "count", mcptask.Support{Inline: time.Minute}, func(ctx context.Context) (string, error) {
			<-ctx.Done()
			causes <- context.Cause(ctx)
			return "", ctx.Err()
		})
		c := connect(t, s)
		id, _ := c.start("tools/call", `"name":"count"`)
		wait()
		if err := c.conn.Write([]byte(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` + id + `}}` + "\n")); err != nil {
			t.Fatal(err)
		}
		if err := <-causes; !errors.Is(err, mcp.ErrCancelled) {
			t.Errorf("cancelled: %v", err)
		}
		c.start("tools/call", `"name":"count"`)
		wait()
		c.conn.Close()
		if err := <-causes; !errors.Is(err, mcp.ErrConnectionClosed) {
			t.Errorf("closed: %v", err)
		}
		time.Sleep(2 * time.Minute) // the time before the task is over
	})
}

// A task is cancelled: the context of its handler is cancelled, and its result is dropped.
func TestCancel(t *testing.T) {
	for kind, support := range map[string]mcptask.Support{"at once": {}, "later": {Inline: time.Second}} {
		t.Run(kind, func(t *testing.T) {
			within(t, func(t *testing.T) {
				s := newServer()
				causes := make(chan error, 1)
				add(s, "count", support, func(ctx context.Context) (string, error) {
					<-ctx.Done()
					causes <- context.Cause(ctx)
					_, err := mcp.Once(ctx, "late", func() (int, error) { return 1, nil })
					return fmt.Sprint("late ", err), nil
				})
				c := connect(t, s)
				id := c.begin("count")
				wait()
				acknowledged := func(got string) {
					if !strings.Contains(got, `"result":{"resultType":"complete","_meta"`) {
						t.Error(got)
					}
				}
				acknowledged(c.ask("tasks/cancel", `"taskId":"`+id+`"`))
				c.is(id, "cancelled", "")
				if err := <-causes; !errors.Is(err, mcp.ErrCancelled) {
					t.Errorf("cause %v", err)
				}
				wait()
				c.is(id, "cancelled", "")
				acknowledged(c.ask("tasks/cancel", `"taskId":"`+id+`"`))
			})
		})
	}
}

// Progress is the message of a task, written at most once a second.
func TestProgress(t *testing.T) {
	within(t, func(t *testing.T) {
		s := newServer()
		add(s, "count", mcptask.Support{}, func(ctx context.Context) (string, error) {
			mcp.Progress(ctx, 1, 0, "")
			time.Sleep(500 * time.Millisecond)
			for i := range 9 {
				mcp.Progress(ctx, float64(i+2), 10, "reading")
				mcp.Logger(ctx).Error("not sent")
				time.Sleep(time.Millisecond)
			}
			time.Sleep(time.Minute)
			return "counted", nil
		})
		c := connect(t, s)
		id := c.begin("count")
		wait()
		c.is(id, "working", "1")
		time.Sleep(700 * time.Millisecond)
		c.is(id, "working", "1")
		time.Sleep(time.Second)
		c.is(id, "working", "10 of 10: reading")
		time.Sleep(time.Minute)
		wait()
		if got := c.is(id, "completed", "counted"); got.StatusMessage != "" {
			t.Errorf("%+v", got)
		}
		if got := c.notifications(); len(got) > 0 {
			t.Errorf("sent: %v", got)
		}
	})
}

// Requests for tasks of others, and for tasks that do not exist, get the same reply.
func TestForeignPrincipals(t *testing.T) {
	within(t, func(t *testing.T) {
		s := newServer(mcptask.WithStore(mcptask.NewMemory()))
		defer mcptask.Shutdown(t.Context(), s)
		add(s, "count", mcptask.Support{TTL: time.Minute}, func(ctx context.Context) (string, error) { return confirm(ctx, "Sure?") })
		ada, bob, none := connectAs(t, s, "ada"), connectAs(t, s, "bob"), connect(t, s)
		id := ada.begin("count")
		wait()
		key, _ := ada.question(id)
		expired := ada.begin("count")
		for _, other := range []*client{bob, none} {
			for _, method := range []string{"tasks/get", "tasks/cancel", "tasks/update"} {
				more := `,"inputResponses":{"` + key + `":{"action":"decline"}}`
				if method != "tasks/update" {
					more = ""
				}
				foreign, missing := other.ask(method, `"taskId":"`+id+`"`+more), other.ask(method, `"taskId":"AAAAAAAAAAAAAAAAAAAAAAAAAA"`+more)
				other.last++
				strip := func(s string) string { _, s, _ = strings.Cut(s, `"error"`); return s }
				if strip(foreign) != strip(missing) {
					t.Errorf("%s\n%s", foreign, missing)
				}
				unknown(t, foreign)
				if more == "" {
					unknown(t, other.askInvalid(method, `"taskId":7`))
					unknown(t, other.askInvalid(method, ``))
				}
			}
		}
		ada.question(id)
		time.Sleep(2 * time.Minute)
		unknown(t, ada.ask("tasks/get", `"taskId":"`+expired+`"`))
	})
}

// Principals without an ID do not count as one principal: their calls do not become tasks, and they
// see none.
func TestPrincipalWithoutID(t *testing.T) {
	within(t, func(t *testing.T) {
		store := mcptask.NewMemory()
		s := newServer(mcptask.WithStore(store))
		defer mcptask.Shutdown(t.Context(), s)
		ran := func(ctx context.Context) (string, error) { return "ran", nil }
		add(s, "may", mcptask.Support{TTL: time.Minute}, ran)
		add(s, "must", mcptask.Support{TTL: time.Minute, Required: true}, ran)
		unknown := connect(t, s)
		id := unknown.begin("may")
		wait()
		ctx := mcp.CallerContext(context.Background(), mcp.Principal{Value: "claims"}, nil)
		const refused = `"reason":"principal without ID"`
		c := connectIn(ctx, t, s)
		if got := c.call("may", ""); !strings.Contains(got, `"text":"ran"`) {
			t.Errorf("a call that may become a task: %s", got)
		}
		for what, got := range map[string]string{
			"must":         c.call("must", ""),
			"tasks/get":    c.ask("tasks/get", `"taskId":"`+id+`"`),
			"tasks/cancel": c.ask("tasks/cancel", `"taskId":"`+id+`"`),
			"tasks/update": c.ask("tasks/update", `"taskId":"`+id+`","inputResponses":{}`),
			"listen":       c.ask("subscriptions/listen", `"notifications":{"taskIds":["`+id+`"]}`),
		} {
			if !strings.Contains(got, refused) {
				t.Errorf("%s: %s", what, got)
			}
		}
		old := openSessionIn(ctx, t, s)
		for what, got := range map[string]string{
			"call as a task": old.ask("tools/call", `"name":"may","arguments":{},"task":{}`),
			"tasks/get":      old.ask("tasks/get", `"taskId":"`+id+`"`),
			"tasks/result":   old.ask("tasks/result", `"taskId":"`+id+`"`),
		} {
			if !strings.Contains(got, refused) {
				t.Errorf("2025-11-25, %s: %s", what, got)
			}
		}
		if got := old.ask("tools/call", `"name":"may","arguments":{}`); !strings.Contains(got, `"text":"ran"`) {
			t.Errorf("2025-11-25, a plain call: %s", got)
		}
		unknown.is(id, "completed", "ran")
	})
}

// Parameters of the wrong shape.
func TestUpdateParams(t *testing.T) {
	within(t, func(t *testing.T) {
		s := newServer()
		add(s, "count", mcptask.Support{}, func(ctx context.Context) (string, error) { return confirm(ctx, "Sure?") })
		c := connect(t, s)
		id := c.begin("count")
		wait()
		key, _ := c.question(id)
		for _, more := range []string{``, `,"inputResponses":[]`, `,"inputResponses":{"` + key + `":7}`, `,"inputResponses":{"` + key + `":null}`} {
			if got := c.askInvalid("tasks/update", `"taskId":"`+id+`"`+more); !strings.Contains(got, `"code":-32602`) {
				t.Errorf("%s: %s", more, got)
			}
		}
		c.answerBy(id, "other", `{"action":"accept"}`)
		c.question(id)
		c.answer(id, key)
		wait()
		c.is(id, "completed", "accepttrue")
		c.answer(id, key) // late, and ignored
	})
}

// The tasks that have not ended are limited, for a principal and for all together.
func TestLimits(t *testing.T) {
	within(t, func(t *testing.T) {
		s := newServer(mcptask.WithStore(mcptask.NewMemory(), mcptask.WithLimits(mcptask.Limits{Active: 2, Total: 3, MaxTTL: 10 * time.Minute})))
		defer mcptask.Shutdown(t.Context(), s)
		release := make(chan bool)
		f := func(ctx context.Context) (string, error) {
			select {
			case <-release:
			case <-ctx.Done():
			}
			return "", nil
		}
		add(s, "count", mcptask.Support{}, f)
		add(s, "must", mcptask.Support{Required: true}, f)
		add(s, "later", mcptask.Support{Inline: time.Second}, func(context.Context) (string, error) { time.Sleep(time.Minute); return "plain", nil })
		ada, bob := connectAs(t, s, "ada"), connectAs(t, s, "bob")
		first := ada.begin("count")
		if got := ada.get(first); got.TTLMs != 600_000 {
			t.Errorf("kept for %d ms", got.TTLMs)
		}
		ada.begin("count")
		tooMany := `"error":{"code":-32603,"message":"too many tasks have not ended; try again later","data":{"reason":"too many tasks"}}`
		if got := ada.call("must", ""); !strings.Contains(got, tooMany) {
			t.Error(got)
		}
		if got := ada.call("later", ""); !strings.Contains(got, `"text":"plain"`) {
			t.Errorf("a call that cannot become a task: %s", got)
		}
		bob.begin("must")
		if got := bob.call("must", ""); !strings.Contains(got, tooMany) {
			t.Error(got)
		}
		wait()
		release <- true
		wait()
		bob.begin("must")
		for range 3 {
			release <- true
		}
	})
}

// The running handlers are limited, not counting handlers that wait for an answer.
func TestConcurrency(t *testing.T) {
	within(t, func(t *testing.T) {
		s := newServer(mcptask.WithStore(mcptask.NewMemory(), mcptask.WithConcurrency(2)))
		defer mcptask.Shutdown(t.Context(), s)
		var running atomic.Int32
		add(s, "work", mcptask.Support{}, func(ctx context.Context) (string, error) {
			defer running.Add(-1)
			if running.Add(1) > 2 {
				t.Error("more than two run")
			}
			time.Sleep(10 * time.Second)
			return "", nil
		})
		add(s, "ask", mcptask.Support{}, func(ctx context.Context) (string, error) { return confirm(ctx, "Sure?") })
		c := connect(t, s)
		for range 3 {
			c.begin("ask")
		}
		wait()
		begun := time.Now()
		var last string
		for range 6 {
			last = c.begin("work")
		}
		for c.get(last).Status != "completed" {
			time.Sleep(time.Second)
		}
		if took := time.Since(begun); took < 30*time.Second || took > 35*time.Second {
			t.Errorf("six runs of ten seconds take %v", took)
		}
	})
}
