package mcptask_test

import (
	"context"
	"encoding/json"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/testbed"
	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcptask"
)

// The client of a session gets notifications of its tasks, and their questions, on the stream for
// what belongs to no request; another session of the same principal does not.
func TestStreamOfASession(t *testing.T) {
	type began struct {
		c, other *peer
		id       string
	}
	var all []began
	for _, transport := range transports { // together, since each waits for three seconds
		if !slices.Contains(transport.revisions, session25) {
			continue
		}
		s := newServer(mcptask.WithStore(mcptask.NewMemory()))
		defer mcptask.Shutdown(context.Background(), s)
		add(s, "ask", mcptask.Support{}, func(ctx context.Context) (string, error) { return confirm(ctx, "Sure?") })
		c, other := transport.open(t, session25, s, "ada"), transport.open(t, session25, s, "ada")
		for _, w := range []*peer{c, other} {
			if w.listen != nil {
				w.listen()
			}
		}
		all = append(all, began{c, other, c.begin("ask")})
	}
	for _, b := range all {
		c, id := b.c, b.id
		c.find(`"method":"notifications/tasks/status","params":{"taskId":"` + id + `","status":"input_required"`)
		asked := c.find(`"method":"elicitation/create"`)
		has(t, asked, `"io.modelcontextprotocol/related-task":{"taskId":"`+id+`"}`)
		has(t, b.other.ask("tasks/get", `"taskId":"`+id+`"`), `"status":"input_required"`)
		c.put(answerTo(t, asked))
		c.find(`"status":"completed"`)
		has(t, c.ask("tasks/result", `"taskId":"`+id+`"`), `accepttrue`)
		if len(b.other.before) > 0 {
			t.Errorf("%s: another session gets %v", c.transport, b.other.before)
		}
		for _, message := range c.before {
			if strings.Contains(message, "elicitation") {
				t.Errorf("%s: asked again: %s", c.transport, message)
			}
		}
	}
	if len(all) != 5 {
		t.Errorf("%d transports", len(all))
	}
}

// answerTo returns the answer yes to a question.
func answerTo(t *testing.T, asked string) string {
	t.Helper()
	var m struct{ ID json.RawMessage }
	if err := json.Unmarshal([]byte(asked), &m); err != nil {
		t.Fatalf("%s: %v", asked, err)
	}
	return `{"jsonrpc":"2.0","id":` + string(m.ID) + `,"result":{"action":"accept","content":{"yes":true}}}`
}

// Without a stream of the session, the request for the result asks, on its own response.
func TestStreamOfAResult(t *testing.T) {
	onEachTransport(t, func(t *testing.T, open func(*mcp.Server, string) *peer) {
		s := newServer(mcptask.WithStore(mcptask.NewMemory()))
		defer mcptask.Shutdown(context.Background(), s)
		add(s, "ask", mcptask.Support{}, func(ctx context.Context) (string, error) { return confirm(ctx, "Sure?") })
		c := open(s, "ada")
		if c.listen == nil || c.revision != session25 {
			return
		}
		id := c.begin("ask")
		settled(func() bool {
			return strings.Contains(c.ask("tasks/get", `"taskId":"`+id+`"`), "input_required")
		})
		c.put(c.request("tasks/result", `"taskId":"`+id+`"`))
		waits := c.last
		asked := c.find(`"method":"elicitation/create"`)
		c.listen() // a stream that comes later does not ask again
		c.put(c.request("tasks/result", `"taskId":"`+id+`"`))
		c.put(answerTo(t, asked))
		has(t, c.reply(waits), "accepttrue")
		has(t, c.reply(waits+1), "accepttrue")
		for _, message := range c.before {
			if strings.Contains(message, "elicitation") {
				t.Errorf("asked again: %s", message)
			}
		}
	})
}

// Of several processes that clients of one principal ask for a result, one asks the question. When
// its client goes, another one does at once; when the process dies, after the time of a lease.
func TestOneProcessAsks(t *testing.T) {
	for _, how := range []string{"answers", "leaves", "dies"} {
		t.Run(how, func(t *testing.T) {
			within(t, func(t *testing.T) {
				store := mcptask.NewMemory()
				var clients []*session
				var processes []*process
				var id string
				for i := range 3 {
					p := newProcess(t, store)
					processes = append(processes, p)
					s := p.Server
					add(s, "ask", mcptask.Support{}, func(ctx context.Context) (string, error) { return confirm(ctx, "sure?") })
					c := openSession(t, s, "ada")
					clients = append(clients, c)
					if i == 0 {
						id = c.begin("ask", "")
						c.conn.Close() // its stream would ask
						wait()
						clients[0] = openSession(t, s, "ada")
					}
				}
				var mu sync.Mutex
				var asked []int
				questions := map[int]string{}
				var results atomic.Int32
				for i, c := range clients {
					c.write(c.request("tasks/result", `"taskId":"`+id+`"`))
					wait() // the first one asks
					go func() {
						for {
							message, err := c.conn.Read()
							if err != nil {
								return
							}
							mu.Lock()
							if strings.Contains(string(message), "elicitation/create") {
								asked = append(asked, i)
								questions[i] = string(message)
							}
							mu.Unlock()
							if strings.Contains(string(message), "accepttrue") {
								results.Add(1)
							}
						}
					}()
				}
				is := func(n int) {
					t.Helper()
					wait()
					mu.Lock()
					defer mu.Unlock()
					if len(asked) != n || asked[0] != 0 {
						t.Fatalf("clients %v are asked, want %d", asked, n)
					}
				}
				time.Sleep(10 * time.Minute) // it does not get tired
				is(1)
				last := 0
				switch how {
				case "leaves":
					clients[0].conn.Close()
					time.Sleep(time.Millisecond)
					is(2)
					last = asked[1]
				case "dies":
					processes[0].store.die()
					time.Sleep(10 * time.Second)
					is(1)
					time.Sleep(20 * time.Second)
					is(2)
					last = asked[1]
				}
				clients[last].write(answerTo(t, questions[last]))
				time.Sleep(time.Second)
				want := int32(3)
				if how != "answers" { // one client, or its server, has ended
					want = 2
				}
				if n := results.Load(); n != want {
					t.Errorf("%d clients have the result, want %d", n, want)
				}
				is(map[string]int{"answers": 1, "leaves": 2, "dies": 2}[how])
			})
		})
	}
}

// A request for a result asks its question when the store works again, on its response and on the
// stream of the session.
func TestAsksAfterFailures(t *testing.T) {
	for _, way := range []string{"tasks/result", "stream"} {
		within(t, func(t *testing.T) {
			p := newProcess(t, mcptask.NewMemory())
			add(p.Server, "ask", mcptask.Support{}, func(ctx context.Context) (string, error) { return confirm(ctx, "sure?") })
			c := openSession(t, p.Server, "ada")
			p.store.failing("update", true)
			id := c.begin("ask", "")
			if way == "stream" {
				time.AfterFunc(9*time.Second, func() { p.store.failing("update", false) })
			} else {
				p.store.failing("update", false)
				wait()
				c.conn.Close() // its stream would ask
				wait()
				c = openSession(t, p.Server, "ada")
				p.store.failing("update", true)
				c.write(c.request("tasks/result", `"taskId":"`+id+`"`))
				time.AfterFunc(9*time.Second, func() { p.store.failing("update", false) })
			}
			begin := time.Now()
			c.write(answerTo(t, c.read()))
			if d := time.Since(begin); d > 15*time.Second {
				t.Errorf("%s: asked after %v", way, d)
			}
			time.Sleep(time.Second)
			has(t, c.ask("tasks/result", `"taskId":"`+id+`"`), "accepttrue")
		})
	}
}

// A process that waits for another one to stop asking takes no processor while its store fails, and asks
// afterwards. A loop without a pause would stop the time of the test.
func TestWaitsToAskWhileTheStoreFails(t *testing.T) {
	within(t, func(t *testing.T) {
		store := mcptask.NewMemory()
		var processes []*process
		var clients []*session
		for range 2 {
			p := newProcess(t, store)
			add(p.Server, "ask", mcptask.Support{}, func(ctx context.Context) (string, error) { return confirm(ctx, "sure?") })
			processes, clients = append(processes, p), append(clients, openSession(t, p.Server, "ada"))
		}
		id := clients[0].begin("ask", "")
		clients[0].read() // its stream asks
		clients[1].write(clients[1].request("tasks/result", `"taskId":"`+id+`"`))
		wait()
		processes[1].store.failing("watch", true)
		time.Sleep(20 * time.Second)
		processes[1].store.failing("watch", false)
		clients[0].conn.Close()
		has(t, clients[1].read(), "elicitation/create")
	})
}

// A session with many tasks that wait has no goroutine for each, and gets all of their questions, some
// at a time.
func TestManyQuestionsOfASession(t *testing.T) {
	within(t, func(t *testing.T) {
		const tasks = 90
		s := newServer()
		add(s, "ask", mcptask.Support{}, func(ctx context.Context) (string, error) { return confirm(ctx, "Sure?") })
		c := openSession(t, s, "")
		var ids []string
		for range tasks {
			ids = append(ids, c.begin("ask", ""))
		}
		time.Sleep(2 * time.Minute) // all are parked
		c.ask("ping", "")
		first := len(c.before)
		if first == 0 || first > 16 {
			t.Errorf("%d questions at a time", first)
		}
		for answered := range tasks {
			c.write(answerTo(t, c.read()))
			wait()
			if n := len(c.before); n > 16 {
				t.Fatalf("%d questions are open after %d answers", n, answered)
			}
		}
		for _, id := range ids {
			has(t, c.ask("tasks/get", `"taskId":"`+id+`"`), `"status":"completed"`)
		}
		if len(c.before) > 0 {
			t.Errorf("asked again: %v", c.before)
		}
	})
}

// A stream does not show what the client may not see any more.
func TestStreamAsksRules(t *testing.T) {
	within(t, func(t *testing.T) {
		var refuse atomic.Bool
		s := newServer(mcp.WithAccess(mcp.AccessFunc(func(ctx context.Context, f mcp.FeatureInfo) error {
			if refuse.Load() {
				return context.Canceled
			}
			return nil
		})))
		add(s, "ask", mcptask.Support{}, func(ctx context.Context) (string, error) {
			time.Sleep(time.Minute)
			return confirm(ctx, "Sure?")
		})
		c := openSession(t, s, "ada")
		c.begin("ask", "")
		refuse.Store(true)
		time.Sleep(2 * time.Minute)
		c.ask("ping", "")
		if len(c.before)+len(c.statuses) > 0 {
			t.Errorf("sent: %v %v", c.before, c.statuses)
		}
	})
}

// Requests for a result end when the task expires, or is cancelled.
func TestResultOfATaskThatExpires(t *testing.T) {
	within(t, func(t *testing.T) {
		s := newServer()
		add(s, "ask", mcptask.Support{}, func(ctx context.Context) (string, error) { return confirm(ctx, "Sure?") })
		c := openSession(t, s, "")
		id := c.begin("ask", `"ttl":60000`)
		c.write(c.request("tasks/result", `"taskId":"`+id+`"`))
		waits := c.last
		time.Sleep(2 * time.Minute)
		has(t, c.reply(waits), `-32602`, `unknown taskId`)
		wait()
		c.ask("ping", "")
		asked := strconv.Itoa(strings.Count(strings.Join(c.before, ""), "notifications/cancelled"))
		if asked != "1" {
			t.Errorf("%s questions are taken back: %v", asked, c.before)
		}
	})
}

// A session is notified of what another process changes, without a goroutine for each of its tasks.
func TestChangesOfOtherProcesses(t *testing.T) {
	within(t, func(t *testing.T) {
		const tasks = 50
		store := mcptask.NewMemory()
		one, other := newProcess(t, store), newProcess(t, store)
		for _, p := range []*process{one, other} {
			add(p.Server, "ask", mcptask.Support{}, func(ctx context.Context) (string, error) { return confirm(ctx, "Sure?") })
		}
		c, second := openSession(t, one.Server, "ada"), openSession(t, other.Server, "ada")
		wait()
		before := testbed.Goroutines()
		var ids []string
		for range tasks {
			ids = append(ids, c.begin("ask", ""))
		}
		time.Sleep(2 * time.Minute)
		if n := testbed.Goroutines(); n > before+40 { // of 16 questions, by two each, and some more
			t.Errorf("%d goroutines, %d before", n, before)
		}
		c.ask("ping", "")
		c.statuses = nil
		for _, id := range ids {
			has(t, second.ask("tasks/cancel", `"taskId":"`+id+`"`), `"status":"cancelled"`)
		}
		time.Sleep(5 * time.Second)
		c.ask("ping", "")
		if n := len(c.statuses); n != tasks || slices.ContainsFunc(c.statuses, func(s string) bool { return s != "cancelled" }) {
			t.Errorf("%d notifications: %v", n, c.statuses)
		}
		if len(second.statuses) > 0 {
			t.Errorf("the other session gets %v", second.statuses)
		}
		if n := testbed.Goroutines(); n > before {
			buf := make([]byte, 1<<20)
			t.Errorf("%d goroutines are left, %d before: %s", n, before, buf[:runtime.Stack(buf, true)])
		}
	})
}
