package mcptask_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcphttp"
	"github.com/mcpgen/mcpgen/runtime/mcptask"
)

func limited(l mcptask.Limits) mcp.Option {
	return mcptask.WithStore(mcptask.NewMemory(), mcptask.WithLimits(l))
}

func asks(ctx context.Context) (string, error) { return confirm(ctx, "Sure?", mcp.WithKey("sure")) }

const tooManyTasks = `"data":{"reason":"too many tasks"}`

// Each limit allows values at the limit, and refuses values above.
func TestLimitsOnBothSides(t *testing.T) {
	t.Run("Active", func(t *testing.T) {
		within(t, func(t *testing.T) {
			s := newServer(limited(mcptask.Limits{Active: 3}))
			defer mcptask.Shutdown(t.Context(), s)
			add(s, "ask", mcptask.Support{}, asks)
			ada, bob, none := connectAs(t, s, "ada"), connectAs(t, s, "bob"), connect(t, s)
			var id string
			for range 3 {
				id = ada.begin("ask")
			}
			has(t, ada.call("ask", ""), tooManyTasks)
			has(t, openSession(t, s, "ada").ask("tools/call", `"name":"ask","task":{}`), tooManyTasks) // calls in the other form count too
			bob.begin("ask")
			none.begin("ask")
			wait()
			ada.answer(id, "sure")
			wait()
			ada.begin("ask")
			has(t, ada.call("ask", ""), tooManyTasks)
		})
	})
	t.Run("Total", func(t *testing.T) {
		within(t, func(t *testing.T) {
			s := newServer(limited(mcptask.Limits{Active: 2, Total: 3}))
			defer mcptask.Shutdown(t.Context(), s)
			add(s, "ask", mcptask.Support{}, asks)
			ada, bob := connectAs(t, s, "ada"), connectAs(t, s, "bob")
			ada.begin("ask")
			ada.begin("ask")
			bob.begin("ask")
			has(t, bob.call("ask", ""), tooManyTasks)
		})
	})
	t.Run("StateBytes", func(t *testing.T) {
		const limit = 1000
		answer := func(n int) string {
			return `{"action":"accept","content":{"yes":true},"_meta":{"x.example/a":"` + strings.Repeat("x", n) + `"}}`
		}
		fits := limit - len("sure") - len("sure") - len(answer(0)) // the key of the answer, and the name of the question
		for more, refused := range []bool{false, true} {
			within(t, func(t *testing.T) {
				s := newServer(limited(mcptask.Limits{StateBytes: limit}))
				defer mcptask.Shutdown(t.Context(), s)
				add(s, "ask", mcptask.Support{}, asks)
				c := connect(t, s)
				id := c.begin("ask")
				wait()
				got := c.ask("tasks/update", `"taskId":"`+id+`","inputResponses":{"sure":`+answer(fits+more)+`}`)
				if strings.Contains(got, `"reason":"stateTooLarge"`) != refused {
					t.Errorf("%d bytes more than allowed: %s", more, got)
				}
				wait()
				c.is(id, map[bool]string{false: "completed", true: "input_required"}[refused], "")
			})
		}
	})
	t.Run("OpenQuestions", func(t *testing.T) {
		for _, n := range []int{2, 3} {
			within(t, func(t *testing.T) {
				s := newServer(limited(mcptask.Limits{OpenQuestions: 2}))
				defer mcptask.Shutdown(t.Context(), s)
				add(s, "ask", mcptask.Support{}, func(ctx context.Context) (string, error) {
					questions := map[string]mcp.Question{}
					for i := range n {
						questions[fmt.Sprint(i)] = mcp.FormQuestion[sure]("Sure?")
					}
					return "", &mcp.InputRequired{Questions: questions}
				})
				c := connect(t, s)
				id := c.begin("ask")
				wait()
				c.is(id, map[int]string{2: "input_required", 3: "failed"}[n], "")
			})
		}
	})
	t.Run("MaxTTL", func(t *testing.T) {
		within(t, func(t *testing.T) {
			s := newServer(limited(mcptask.Limits{MaxTTL: 10 * time.Minute}))
			defer mcptask.Shutdown(t.Context(), s)
			for name, ttl := range map[string]time.Duration{"at": 10 * time.Minute, "above": 11 * time.Minute} {
				add(s, name, mcptask.Support{TTL: ttl}, asks)
			}
			c := connect(t, s)
			for _, name := range []string{"at", "above"} {
				if got := c.get(c.begin(name)); got.TTLMs != 600_000 {
					t.Errorf("%s is kept for %d ms", name, got.TTLMs)
				}
			}
			id := c.begin("above")
			time.Sleep(10*time.Minute - time.Millisecond)
			c.get(id)
			time.Sleep(time.Millisecond)
			unknown(t, c.ask("tasks/get", `"taskId":"`+id+`"`))
		})
	})
	t.Run("MaxAttempts", func(t *testing.T) {
		for deaths, status := range map[int]string{1: "working", 2: "failed"} {
			within(t, func(t *testing.T) {
				store := mcptask.NewMemory()
				var p *process
				begin := func() *client {
					p = newProcess(t, store, mcptask.WithLimits(mcptask.Limits{MaxAttempts: 2}))
					add(p.Server, "work", mcptask.Support{Restart: true}, func(ctx context.Context) (string, error) {
						<-ctx.Done()
						return "", ctx.Err()
					})
					return connect(t, p.Server)
				}
				c := begin()
				id := c.begin("work")
				for range deaths {
					time.Sleep(time.Second)
					p.store.die()
					c = begin()
					time.Sleep(16 * time.Second)
				}
				c.is(id, status, "")
			})
		}
	})
	t.Run("taskIds", func(t *testing.T) {
		for more, refused := range []bool{false, true} {
			within(t, func(t *testing.T) {
				const most = 5
				s := newServer(mcp.WithLimits(mcp.Limits{Subscriptions: most}))
				defer mcptask.Shutdown(t.Context(), s)
				add(s, "ask", mcptask.Support{}, asks)
				c := connect(t, s)
				var ids []string
				for range most + more {
					ids = append(ids, `"`+c.begin("ask")+`"`)
				}
				wait()
				_, reply := c.start("subscriptions/listen", `"notifications":{"taskIds":[`+strings.Join(ids, ",")+`]}`)
				wait()
				select {
				case got := <-reply:
					if !refused || !strings.Contains(got, `"reason":"too many subscriptions"`) {
						t.Error(got)
					}
				default:
					if n := len(c.notifications()); refused || n != most+1 {
						t.Errorf("%d notifications", n)
					}
					// One more listen to one more task.
					if got := c.ask("subscriptions/listen", `"notifications":{"taskIds":[`+ids[0]+`]}`); !strings.Contains(got, `"reason":"too many subscriptions"`) {
						t.Error(got)
					}
				}
			})
		}
	})
}

// If the principal is unknown, the tasks of an address count together.
func TestTasksOfAnAddress(t *testing.T) {
	s := newServer(limited(mcptask.Limits{Active: 2}))
	defer mcptask.Shutdown(context.Background(), s)
	add(s, "ask", mcptask.Support{}, asks)
	url := serve(t, s, func() http.Handler {
		return mcphttp.NewHandler(s, mcphttp.WithClientAddress(func(r *http.Request) netip.Addr {
			return netip.MustParseAddr(r.Header.Get("Authorization"))
		}))
	})
	call := func(address string) string {
		w := &peer{t: t, revision: extension, transport: "http", messages: make(chan string, 1), measured: true, as: address}
		w.do(http.MethodPost, url, w.request("tools/call", `"name":"ask"`), func(string) {})
		return w.receive()
	}
	for _, address := range []string{"192.0.2.1", "192.0.2.1", "198.51.100.7"} {
		has(t, call(address), `"resultType":"task"`)
	}
	has(t, call("192.0.2.1"), tooManyTasks)
	has(t, call("198.51.100.7"), `"resultType":"task"`)
}

// Updates that are large, or many at a time, change a task once, and are cheap.
func TestUpdateFlood(t *testing.T) {
	within(t, func(t *testing.T) {
		store := &counting{Store: mcptask.NewMemory()}
		s := newServer(mcptask.WithStore(store))
		defer mcptask.Shutdown(t.Context(), s)
		runs := 0
		add(s, "ask", mcptask.Support{}, func(ctx context.Context) (string, error) {
			runs++
			return asks(ctx)
		})
		c := connect(t, s)
		id := c.begin("ask")
		time.Sleep(2 * time.Minute) // it is parked
		before := store.updates.Load()
		var many strings.Builder
		for i := range 5000 {
			fmt.Fprintf(&many, `%q:{"action":"decline"},`, fmt.Sprint("other", i))
		}
		c.ask("tasks/update", `"taskId":"`+id+`","inputResponses":{`+strings.TrimSuffix(many.String(), ",")+`}`)
		c.is(id, "input_required", "")
		if n := store.updates.Load() - before; n != 0 {
			t.Errorf("answers to nothing are written %d times", n)
		}
		var all sync.WaitGroup
		var replies []<-chan string
		for i := range 50 {
			_, reply := c.start("tasks/update", `"taskId":"`+id+`","inputResponses":{"sure":{"action":"accept","content":{"yes":`+fmt.Sprint(i%2 == 0)+`}}}`)
			replies = append(replies, reply)
		}
		for _, reply := range replies {
			all.Go(func() {
				if got := <-reply; !strings.Contains(got, `"result":{"resultType":"complete"`) {
					t.Error(got)
				}
			})
		}
		all.Wait()
		wait()
		c.is(id, "completed", "")
		if runs != 2 {
			t.Errorf("the handler ran %d times", runs)
		}
	})
}

// Ids that are not valid for a task are unknown, and a store does not see them.
func TestIDsOfAnyShape(t *testing.T) {
	within(t, func(t *testing.T) {
		store := &counting{Store: mcptask.NewMemory()}
		s := newServer(mcptask.WithStore(store))
		defer mcptask.Shutdown(t.Context(), s)
		add(s, "ask", mcptask.Support{}, asks)
		c, old := connect(t, s), openSession(t, s, "")
		for _, id := range []string{"", "x", strings.Repeat("A", 65), strings.Repeat("A", 100_000), "../../etc/passwd" + strings.Repeat("/", 100), strings.Repeat("\u0000", 70)} {
			text, _ := json.Marshal(id)
			for _, method := range []string{"tasks/get", "tasks/cancel"} {
				unknown(t, c.ask(method, `"taskId":`+string(text)))
				unknown(t, old.ask(method, `"taskId":`+string(text)))
			}
			unknown(t, c.ask("tasks/update", `"taskId":`+string(text)+`,"inputResponses":{}`))
			unknown(t, old.ask("tasks/result", `"taskId":`+string(text)))
		}
		if n := store.calls.Load(); n > 2*6 { // for "" and "x", which are short
			t.Errorf("%d calls of the store", n)
		}
		for _, id := range []string{`7`, `null`, `{}`, `["x"]`, `true`} {
			unknown(t, c.askInvalid("tasks/get", `"taskId":`+id))
			unknown(t, old.askInvalid("tasks/result", `"taskId":`+id))
		}
	})
}

// A cancellation and the return of the handler at the same time: one of them ends the task.
func TestCancelRacesWithResult(t *testing.T) {
	const tries = 100
	s := newServer(limited(mcptask.Limits{Active: tries}))
	defer mcptask.Shutdown(context.Background(), s)
	release := make(chan chan bool, 1)
	add(s, "work", mcptask.Support{}, func(ctx context.Context) (string, error) {
		goOn := make(chan bool)
		release <- goOn
		<-goOn
		return "worked", nil
	})
	c, old := connect(t, s), openSession(t, s, "")
	seen := map[string]int{}
	for i := range tries {
		session := i%2 == 1
		var id string
		if session {
			id = old.begin("work", "")
		} else {
			id = c.begin("work")
		}
		goOn := <-release
		var both sync.WaitGroup
		var reply string
		both.Go(func() { close(goOn) })
		if session {
			reply = old.ask("tasks/cancel", `"taskId":"`+id+`"`)
		} else {
			reply = c.ask("tasks/cancel", `"taskId":"`+id+`"`)
		}
		both.Wait()
		get := func() string {
			if session {
				return between(t, old.ask("tasks/get", `"taskId":"`+id+`"`), `"status":"`, `"`)
			}
			return c.get(id).Status
		}
		status := get()
		if status != "completed" && status != "cancelled" || session && (status == "cancelled") != strings.Contains(reply, `"status":"cancelled"`) {
			t.Fatalf("the task is %s after %s", status, reply)
		}
		seen[status]++
		if again := get(); again != status {
			t.Errorf("the task is %s, and was %s", again, status)
		}
		if session {
			has(t, old.ask("tasks/result", `"taskId":"`+id+`"`), map[string]string{"completed": "worked", "cancelled": "has been cancelled"}[status])
		}
	}
	t.Log(seen)
}

// A process that does not have the tool of a task, in a rolling update, shows the task, and cancels
// it, unless an Access decides who sees which tool.
func TestTaskOfADeletedTool(t *testing.T) {
	for name, rules := range map[string][]mcp.Option{
		"any client": nil,
		"rules":      {mcp.WithAccess(mcp.Visible(func(context.Context, mcp.FeatureInfo) bool { return true }))},
	} {
		t.Run(name, func(t *testing.T) {
			within(t, func(t *testing.T) {
				store := mcptask.NewMemory()
				keys := mcp.WithStateKeys([]byte("0123456789abcdef"))
				old := newServer(append(rules, mcptask.WithStore(store), keys)...)
				defer mcptask.Shutdown(t.Context(), old)
				add(old, "gone", mcptask.Support{}, asks)
				id := connectAs(t, old, "ada").begin("gone")
				ended := connectAs(t, old, "ada").begin("gone")
				wait()
				connectAs(t, old, "ada").answer(ended, "sure")
				recent := newServer(append(rules, mcptask.WithStore(store), keys)...)
				defer mcptask.Shutdown(t.Context(), recent)
				add(recent, "other", mcptask.Support{}, asks)
				wait()
				c := connectAs(t, recent, "ada")
				if rules != nil {
					for _, method := range []string{"tasks/get", "tasks/cancel"} {
						unknown(t, c.ask(method, `"taskId":"`+id+`"`))
					}
					return
				}
				c.is(ended, "completed", "accepttrue")
				c.question(id)
				if got := c.ask("tasks/cancel", `"taskId":"`+id+`"`); !strings.Contains(got, `"resultType":"complete"`) {
					t.Error(got)
				}
				c.is(id, "cancelled", "")
			})
		})
	}
}

// A task expires while its client listens to it: the listen goes on with the others.
func TestListenToATaskThatExpires(t *testing.T) {
	within(t, func(t *testing.T) {
		s := newServer()
		add(s, "short", mcptask.Support{TTL: time.Minute}, asks)
		add(s, "long", mcptask.Support{TTL: time.Hour}, asks)
		c := connect(t, s)
		short, long := c.begin("short"), c.begin("long")
		wait()
		c.start("subscriptions/listen", `"notifications":{"taskIds":["`+short+`","`+long+`"]}`)
		time.Sleep(2 * time.Minute)
		c.notifications()
		unknown(t, c.ask("tasks/get", `"taskId":"`+short+`"`))
		unknown(t, c.ask("tasks/update", `"taskId":"`+short+`","inputResponses":{"sure":{"action":"decline"}}`))
		c.answer(long, "sure")
		wait()
		if got := strings.Join(c.notifications(), "\n"); !strings.Contains(got, `"status":"completed"`) || strings.Contains(got, short) {
			t.Errorf("%s", got)
		}
	})
}

// If a task expires while its handler runs, the context of the handler is cancelled.
func TestRunOfATaskThatExpires(t *testing.T) {
	within(t, func(t *testing.T) {
		s := newServer()
		causes := make(chan error, 1)
		add(s, "work", mcptask.Support{TTL: time.Minute}, func(ctx context.Context) (string, error) {
			<-ctx.Done()
			causes <- context.Cause(ctx)
			return "", nil
		})
		c := connect(t, s)
		c.begin("work")
		time.Sleep(2 * time.Minute)
		select {
		case err := <-causes:
			if !errors.Is(err, mcptask.ErrLeaseLost) {
				t.Errorf("cause %v", err)
			}
		default:
			t.Error("the handler goes on")
		}
	})
}

// A handler that asks while its process shuts down is given back at once, and does not fail.
func TestQuestionWhileTheProcessEnds(t *testing.T) {
	within(t, func(t *testing.T) {
		store := mcptask.NewMemory()
		first := newProcess(t, store)
		steps := 0
		f := func(ctx context.Context) (string, error) {
			if _, err := mcp.Once(ctx, "step", func() (int, error) { steps++; time.Sleep(5 * time.Second); return 1, nil }); err != nil {
				return "", err
			}
			return asks(ctx)
		}
		add(first.Server, "work", mcptask.Support{}, f)
		id := connect(t, first.Server).begin("work")
		wait()
		begun := time.Now()
		ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
		defer cancel()
		if err := mcptask.Shutdown(ctx, first.Server); err != nil {
			t.Errorf("it ends with %v", err)
		}
		if took := time.Since(begun); took > 6*time.Second {
			t.Errorf("it ends after %v", took)
		}
		second := newProcess(t, store)
		add(second.Server, "work", mcptask.Support{}, f)
		c := connect(t, second.Server)
		c.question(id)
		c.answer(id, "sure")
		wait()
		c.is(id, "completed", "accepttrue")
		if steps != 1 {
			t.Errorf("%d steps", steps)
		}
	})
}
