package mcptask_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"maps"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcptask"
)

var key = mcp.WithStateKeys(bytes.Repeat([]byte("k"), 32))

// dying is the store of a process that may die: after that all operations of the process fail.
type dying struct {
	mcptask.Store
	life context.Context
	end  context.CancelFunc

	mu   sync.Mutex
	dead bool
	fail map[string]bool // operations that fail; "created" is a creation that fails although it was done

	account mcptask.Digest // of the last creation
}

var errDead = errors.New("the process is dead")

func (d *dying) die() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.dead = true
	d.end()
}

func (d *dying) failing(operation string, fails bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.fail == nil {
		d.fail = map[string]bool{}
	}
	d.fail[operation] = fails
}

func (d *dying) alive(operation string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.dead || d.fail[operation] {
		return errDead
	}
	return nil
}

func (d *dying) Create(ctx context.Context, r *mcptask.Record, q mcptask.Quota, lease time.Duration) error {
	if err := d.alive("create"); err != nil {
		return err
	}
	err := d.Store.Create(ctx, r, q, lease)
	d.mu.Lock()
	d.account = r.Account
	d.mu.Unlock()
	return errors.Join(err, d.alive("created"))
}

func (d *dying) Get(ctx context.Context, k mcptask.Key) (*mcptask.Record, error) {
	if err := d.alive("get"); err != nil {
		return nil, err
	}
	return d.Store.Get(ctx, k)
}

func (d *dying) Update(ctx context.Context, r *mcptask.Record) error {
	if err := d.alive("update"); err != nil {
		return err
	}
	return d.Store.Update(ctx, r)
}

func (d *dying) Claim(ctx context.Context, c mcptask.Claim) (*mcptask.Record, error) {
	if err := d.alive("claim"); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(d.life, cancel)()
	return d.Store.Claim(ctx, c)
}

func (d *dying) Renew(ctx context.Context, r *mcptask.Record, lease time.Duration) error {
	if err := d.alive("renew"); err != nil {
		return err
	}
	return d.Store.Renew(ctx, r, lease)
}

func (d *dying) Watch(ctx context.Context, k mcptask.Key) iter.Seq2[*mcptask.Record, error] {
	return func(yield func(*mcptask.Record, error) bool) {
		for r, err := range d.Store.Watch(ctx, k) {
			if failed := d.alive("watch"); failed != nil {
				yield(nil, failed)
				return
			}
			if !yield(r, err) {
				return
			}
		}
	}
}

// process is a server on a store that several processes share.
type process struct {
	*mcp.Server
	store *dying
}

func newProcess(t *testing.T, store mcptask.Store, options ...mcptask.Option) *process {
	p := &process{store: &dying{Store: store}}
	p.store.life, p.store.end = context.WithCancel(context.Background())
	p.Server = newServer(key, mcptask.WithStore(p.store, options...))
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		_ = mcptask.Shutdown(ctx, p.Server)
	})
	return p
}

// A task whose process dies runs again in another one if it may; others fail, unless they wait for
// an answer.
func TestProcessesDie(t *testing.T) {
	for name, test := range map[string]struct {
		restart, asks bool
		kills         int
		status, text  string
	}{
		"restart":            {true, false, 1, "completed", "run 2: 1"},
		"restart twice":      {true, false, 2, "completed", "run 3: 1"},
		"too often":          {true, false, 3, "failed", "the task was interrupted"},
		"no restart":         {false, false, 1, "failed", "the task was interrupted"},
		"at a question":      {false, true, 1, "completed", "run 2: 1"},
		"restarts, and asks": {true, true, 1, "completed", "run 2: 1"},
	} {
		t.Run(name, func(t *testing.T) {
			within(t, func(t *testing.T) {
				store := mcptask.NewMemory()
				runs, steps := 0, 0
				var p *process
				var c *client
				begin := func() {
					p = newProcess(t, store)
					add(p.Server, "work", mcptask.Support{Restart: test.restart}, func(ctx context.Context) (string, error) {
						runs++
						n := runs
						step, err := mcp.Once(ctx, "step", func() (int, error) { steps++; return steps, nil })
						if err != nil {
							return "", err
						}
						if test.asks {
							if _, err := confirm(ctx, "Sure?"); err != nil {
								return "", err
							}
						}
						select {
						case <-time.After(10 * time.Second):
						case <-ctx.Done():
						}
						return fmt.Sprintf("run %d: %d", n, step), ctx.Err()
					})
					c = connect(t, p.Server)
				}
				begin()
				id := c.begin("work")
				for range test.kills {
					time.Sleep(3 * time.Second)
					p.store.die()
					begin()
					time.Sleep(16 * time.Second) // the lease
				}
				wait()
				if test.asks {
					key, _ := c.question(id)
					c.answer(id, key)
				}
				time.Sleep(20 * time.Second)
				wait()
				got := c.is(id, test.status, test.text)
				if test.status == "failed" && (got.Error == nil || got.Error.Code != -32603 || string(got.Error.Data) != `{"reason":"interrupted"}`) {
					t.Errorf("%+v", got)
				}
				if steps != 1 {
					t.Errorf("%d steps", steps)
				}
			})
		})
	}
}

// A run ends if another process owns its task, and further output is dropped.
func TestLeaseLost(t *testing.T) {
	within(t, func(t *testing.T) {
		store := mcptask.NewMemory()
		first, second := newProcess(t, store, mcptask.WithConcurrency(1)), newProcess(t, store)
		causes := make(chan error, 2)
		f := func(name string) func(ctx context.Context) (string, error) {
			return func(ctx context.Context) (string, error) {
				select {
				case <-ctx.Done():
					causes <- context.Cause(ctx)
				case <-time.After(time.Minute):
				}
				_, err := mcp.Once(ctx, name, func() (int, error) { return 1, nil })
				return name + fmt.Sprint(err), nil
			}
		}
		add(first.Server, "work", mcptask.Support{Restart: true}, f("first"))
		c := connect(t, first.Server)
		id := c.begin("work")
		wait()
		first.store.failing("renew", true) // its process hangs
		time.Sleep(10 * time.Second)
		add(second.Server, "work", mcptask.Support{Restart: true}, f("second"))
		other := connect(t, second.Server)
		time.Sleep(6 * time.Second)
		first.store.failing("renew", false)
		if err := <-causes; !errors.Is(err, mcptask.ErrLeaseLost) {
			t.Errorf("cause %v", err)
		}
		time.Sleep(2 * time.Minute)
		other.is(id, "completed", "second<nil>")
		c.is(id, "completed", "second<nil>")
	})
}

// An old binary does not claim tasks of tools that it does not have.
func TestRollingUpdate(t *testing.T) {
	within(t, func(t *testing.T) {
		store := mcptask.NewMemory()
		old, fresh := newProcess(t, store), newProcess(t, store, mcptask.WithConcurrency(0))
		work := func(context.Context) (string, error) { return "done", nil }
		add(old.Server, "known", mcptask.Support{}, work)
		add(fresh.Server, "known", mcptask.Support{}, work)
		add(fresh.Server, "new", mcptask.Support{}, work)
		c, o := connect(t, fresh.Server), connect(t, old.Server)
		known, added := c.begin("known"), c.begin("new")
		time.Sleep(time.Minute)
		c.is(known, "completed", "done")
		c.is(added, "working", "")
		o.is(added, "working", "")
		add(old.Server, "new", mcptask.Support{}, work)
		wait()
		c.is(added, "completed", "done")
	})
}

// Shutdown gives back tasks that may run again or wait, and lets the others finish.
func TestShutdown(t *testing.T) {
	within(t, func(t *testing.T) {
		store := mcptask.NewMemory()
		p := newProcess(t, store)
		work := func(ctx context.Context) (string, error) {
			select {
			case <-time.After(time.Minute):
			case <-ctx.Done():
			}
			return "worked", context.Cause(ctx)
		}
		causes := make(chan error, 1)
		register := func(p *process) {
			add(p.Server, "again", mcptask.Support{Restart: true}, work)
			add(p.Server, "once", mcptask.Support{}, work)
			add(p.Server, "late", mcptask.Support{}, func(ctx context.Context) (string, error) {
				<-ctx.Done()
				causes <- context.Cause(ctx)
				time.Sleep(time.Second / 2)
				return "too late", nil
			})
			add(p.Server, "ask", mcptask.Support{}, func(ctx context.Context) (string, error) { return confirm(ctx, "Sure?") })
		}
		register(p)
		c := connect(t, p.Server)
		again, once, late, asks := c.begin("again"), c.begin("once"), c.begin("late"), c.begin("ask")
		time.Sleep(30 * time.Second)
		begun := time.Now()
		ctx, cancel := context.WithTimeout(context.Background(), 40*time.Second)
		defer cancel()
		ended := make(chan error)
		go func() { ended <- mcptask.Shutdown(ctx, p.Server) }()
		wait()
		other := newProcess(t, store)
		register(other)
		d := connect(t, other.Server)
		wait()
		d.is(again, "working", "")
		key, _ := d.question(asks)
		d.answer(asks, key)
		wait()
		d.is(asks, "completed", "accepttrue")
		if err := <-ended; !errors.Is(err, context.DeadlineExceeded) || time.Since(begun) < 40*time.Second || time.Since(begun) > 42*time.Second {
			t.Errorf("%v after %v", err, time.Since(begun))
		}
		if err := <-causes; !errors.Is(err, mcp.ErrConnectionClosed) {
			t.Errorf("cause %v", err)
		}
		d.is(once, "completed", "worked")
		d.is(late, "failed", "the task was interrupted")
		if got := c.call("again", ""); !strings.Contains(got, `"reason":"task store"`) {
			t.Errorf("after Shutdown: %s", got)
		}
		time.Sleep(time.Minute)
		d.is(again, "completed", "worked")
	})
}

// A task that was created although its creation has failed is cancelled, since no client has its
// id.
func TestUncertainCreation(t *testing.T) {
	within(t, func(t *testing.T) {
		p := newProcess(t, mcptask.NewMemory())
		ran := false
		add(p.Server, "work", mcptask.Support{}, func(ctx context.Context) (string, error) {
			select {
			case <-time.After(time.Minute):
				ran = true
			case <-ctx.Done():
			}
			return "", nil
		})
		c := connect(t, p.Server)
		p.store.failing("created", true)
		p.store.failing("get", true)
		c.call("work", "")
		time.Sleep(10 * time.Second)
		p.store.failing("get", false)
		p.store.failing("created", false)
		time.Sleep(2 * time.Minute)
		if ran {
			t.Error("it has run to its end")
		}
		if n, err := p.store.CountActive(t.Context(), p.store.account); err != nil || n != 0 {
			t.Errorf("%d tasks are open, %v", n, err)
		}
	})
}

// A run survives a store that fails for some seconds: at each write, and while it waits for an
// answer. No failure ends at the moment of a retry, and each is shorter than the rest of a lease
// after its renewal.
func TestRunOutlivesStore(t *testing.T) {
	within(t, func(t *testing.T) {
		p := newProcess(t, mcptask.NewMemory())
		fails := func(operations ...string) {
			for _, o := range operations {
				p.store.failing(o, true)
				time.AfterFunc(8500*time.Millisecond, func() { p.store.failing(o, false) })
			}
		}
		steps := 0
		add(p.Server, "work", mcptask.Support{}, func(ctx context.Context) (string, error) {
			fails("get")
			if _, err := mcp.Once(ctx, "step", func() (int, error) { steps++; return 1, nil }); err != nil {
				return "", err
			}
			fails("update", "renew")
			got, err := confirm(ctx, "Sure?", mcp.WithKey("sure"))
			fails("update")
			return got, err
		})
		add(p.Server, "large", mcptask.Support{}, func(ctx context.Context) (string, error) {
			_, err := mcp.Once(ctx, "large", func() (string, error) { return strings.Repeat("x", 1<<20), nil })
			return "", err
		})
		c := connect(t, p.Server)
		id := c.begin("work")
		time.Sleep(30 * time.Second)
		c.is(id, "input_required", "")
		fails("watch")
		c.answer(id, "sure")
		time.Sleep(30 * time.Second)
		c.is(id, "completed", "accepttrue")
		if steps != 1 {
			t.Errorf("the step ran %d times", steps)
		}
		id = c.begin("large") // a record that the store would never accept is not tried again
		wait()
		c.is(id, "completed", "")
	})
}

// If a store fails when a call is to become a task, no task is created.
func TestStoreFails(t *testing.T) {
	within(t, func(t *testing.T) {
		p := newProcess(t, mcptask.NewMemory())
		causes := make(chan error, 1)
		plain := func(context.Context) (string, error) { time.Sleep(time.Minute); return "plain", nil }
		add(p.Server, "optional", mcptask.Support{Inline: time.Second}, plain)
		add(p.Server, "now", mcptask.Support{}, plain)
		add(p.Server, "required", mcptask.Support{Required: true}, plain)
		add(p.Server, "later", mcptask.Support{Required: true, Inline: time.Second}, func(ctx context.Context) (string, error) {
			<-ctx.Done()
			causes <- context.Cause(ctx)
			return "", nil
		})
		c := connect(t, p.Server)
		p.store.failing("create", true)
		for _, name := range []string{"now", "required", "later"} {
			failed := `"message":"the task store cannot be used now; try again later","data":{"reason":"task store"}}`
			if name == "later" { // its handler has run
				failed = `"message":"the task cannot be stored","data":{"reason":"task store"}}`
			}
			if got := c.call(name, ""); !strings.Contains(got, failed) {
				t.Errorf("%s: %s", name, got)
			}
		}
		if err := <-causes; err == nil || errors.Is(err, context.Canceled) {
			t.Errorf("cause %v", err)
		}
		if got := c.call("optional", ""); !strings.Contains(got, `"text":"plain"`) {
			t.Error(got)
		}
		p.store.failing("create", false)
		id := c.begin("now")
		p.store.failing("get", true)
		if got := c.ask("tasks/get", `"taskId":"`+id+`"`); !strings.Contains(got, `try again later","data":{"reason":"task store"}`) {
			t.Error(got)
		}
		p.store.failing("get", false)
		time.Sleep(59 * time.Second)
		p.store.failing("update", true)
		time.Sleep(3 * time.Second) // the end of the run is written again
		p.store.failing("update", false)
		time.Sleep(3 * time.Second)
		c.is(id, "completed", "plain")
	})
}

// Runs get some header fields, a principal's id, and the values of a propagator, in every process.
func TestWhatRunsGet(t *testing.T) {
	type tenantKey struct{}
	within(t, func(t *testing.T) {
		store := mcptask.NewMemory()
		var seen []string
		options := []mcptask.Option{
			mcptask.WithHeaders("x-tenant"),
			mcptask.WithContextPropagator(func(ctx context.Context) ([]byte, error) {
				return []byte(mcp.CallFrom(ctx).Client().Name), nil
			}, func(ctx context.Context, saved []byte) (context.Context, error) {
				return context.WithValue(ctx, tenantKey{}, string(saved)), nil
			}),
			mcptask.WithInterceptors(func(next mcp.Handler) mcp.Handler {
				return func(ctx context.Context, req *mcp.Request) (mcp.Reply, error) {
					seen = append(seen, req.Method+" "+req.Name)
					if !req.IsRun() {
						t.Error("it is not a run")
					}
					return next(ctx, req)
				}
			}),
		}
		f := func(ctx context.Context) (string, error) {
			call := mcp.CallFrom(ctx)
			_, asked := confirm(ctx, "Sure?")
			return fmt.Sprint(maps.Clone(call.Header()), " ", call.Principal().ID, " ", ctx.Value(tenantKey{}), " ", call.Transport(), " ",
				call.Revision(), " ", call.Can(mcp.CapabilityElicitation), " ", string(call.Meta("x.example/a")), " ", call.ID()), asked
		}
		p := newProcess(t, store, append(options, mcptask.WithConcurrency(0))...)
		add(p.Server, "later", mcptask.Support{Inline: time.Second}, f)
		add(p.Server, "now", mcptask.Support{}, f)
		ctx := mcp.CallerContext(context.Background(), mcp.Principal{ID: "ada"}, map[string][]string{"X-Tenant": {"acme"}, "Authorization": {"secret"}})
		c := connectIn(ctx, t, p.Server)
		c.more = `,"x.example/a":1`
		id := c.begin("now")
		q := newProcess(t, store, options...)
		add(q.Server, "now", mcptask.Support{}, f)
		connect(t, q.Server)
		wait()
		key, _ := c.question(id)
		c.answer(id, key)
		wait()
		c.is(id, "completed", "map[X-Tenant:[acme]] ada  memory 2026-07-28 true 1 1")
		if fmt.Sprint(seen) != "[tools/call now]" {
			t.Errorf("interceptors of runs see %v", seen)
		}
	})
}

// Each propagator gets the value that it has stored, and nil for a task of a process without it.
func TestContextPropagators(t *testing.T) {
	type valuesKey struct{}
	propagator := func(name string) mcptask.Option {
		return mcptask.WithContextPropagator(func(context.Context) ([]byte, error) { return []byte(name), nil },
			func(ctx context.Context, saved []byte) (context.Context, error) {
				before, _ := ctx.Value(valuesKey{}).(string)
				return context.WithValue(ctx, valuesKey{}, before+name+"="+string(saved)+" "), nil
			})
	}
	for _, test := range []struct {
		first, second []string
		want          string
	}{
		{[]string{"a", "b", "c"}, []string{"a", "b", "c"}, "a=a b=b c=c "},
		{[]string{"a"}, []string{"a", "b"}, "a=a b= "},
		{nil, []string{"a", "b"}, "a= b= "},
		{[]string{"a", "b"}, []string{"a"}, "a=a "},
	} {
		within(t, func(t *testing.T) {
			store := mcptask.NewMemory()
			options := func(names []string) (o []mcptask.Option) {
				for _, name := range names {
					o = append(o, propagator(name))
				}
				return o
			}
			f := func(ctx context.Context) (string, error) { return fmt.Sprint(ctx.Value(valuesKey{})), nil }
			p := newProcess(t, store, append(options(test.first), mcptask.WithConcurrency(0))...)
			add(p.Server, "now", mcptask.Support{}, f)
			c := connect(t, p.Server)
			id := c.begin("now")
			q := newProcess(t, store, options(test.second)...)
			add(q.Server, "now", mcptask.Support{}, f)
			connect(t, q.Server)
			wait()
			c.is(id, "completed", test.want)
		})
	}
}

// Stored data can be read only with the keys of the server, and the store's own keys are used if it
// has some.
func TestSealed(t *testing.T) {
	within(t, func(t *testing.T) {
		store := &keyed{Store: mcptask.NewMemory()}
		s := newServer(mcptask.WithStore(store))
		defer mcptask.Shutdown(t.Context(), s)
		s.Register(mcptask.Tool(mcp.NewTool(mcp.ToolInfo{Name: "work"}, func(ctx context.Context, a json.RawMessage) (*mcp.ToolResult, error) {
			_, err := mcp.Once(ctx, "secret key", func() (string, error) { return "secret value", nil })
			if err != nil {
				return nil, err
			}
			answer, err := confirm(ctx, "secret question")
			return mcp.TextResult("secret result " + string(a) + answer), err
		}), mcptask.Support{}))
		c := connectAs(t, s, "secret principal")
		id := c.task(c.call("work", `,"arguments":{"a":"secret argument"}`)).TaskID
		wait()
		key, _ := c.question(id)
		c.answerBy(id, key, `{"action":"accept","content":{"yes":true},"_meta":{"x.example/a":"secret answer"}}`)
		wait()
		c.is(id, "completed", `secret result {"a":"secret argument"}accepttrue`)
		if store.asked == 0 || store.seen == 0 {
			t.Errorf("the keys of the store: %d times; records: %d", store.asked, store.seen)
		}
		if store.leaked != "" {
			t.Errorf("a record can be read: %s", store.leaked)
		}
	})
}

// keyed is a store with keys, which searches for plain text.
type keyed struct {
	mcptask.Store
	asked, seen int
	leaked      string
}

func (k *keyed) StateKeys(context.Context) ([][]byte, error) {
	k.asked++
	return [][]byte{bytes.Repeat([]byte("s"), 32)}, nil
}

func (k *keyed) look(r *mcptask.Record) {
	k.seen++
	if text := fmt.Sprintf("%+v %s", r, r.Sealed); strings.Contains(text, "secret") {
		k.leaked = text
	}
}

func (k *keyed) Create(ctx context.Context, r *mcptask.Record, q mcptask.Quota, lease time.Duration) error {
	k.look(r)
	return k.Store.Create(ctx, r, q, lease)
}

func (k *keyed) Update(ctx context.Context, r *mcptask.Record) error {
	k.look(r)
	return k.Store.Update(ctx, r)
}

// A run whose task was cancelled is not given back, and its end is not an error of the server, even
// if the handler goes on after its context was cancelled.
func TestShutdownAfterCancel(t *testing.T) {
	within(t, func(t *testing.T) {
		var logged bytes.Buffer
		s := newServer(key, mcp.WithLogger(slog.New(slog.NewTextHandler(&logged, nil))), mcptask.WithStore(mcptask.NewMemory()))
		for name, restart := range map[string]bool{"again": true, "once": false} {
			add(s, name, mcptask.Support{Restart: restart}, func(context.Context) (string, error) {
				time.Sleep(time.Hour)
				return "late", nil
			})
		}
		c := connect(t, s)
		again, once := c.begin("again"), c.begin("once")
		for _, id := range []string{again, once} {
			c.ask("tasks/cancel", fmt.Sprintf(`"taskId":%q`, id))
		}
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		_ = mcptask.Shutdown(ctx, s)
		c.is(again, "cancelled", "")
		c.is(once, "cancelled", "")
		if logged.Len() > 0 {
			t.Errorf("logged: %s", logged.String())
		}
		time.Sleep(time.Hour)
	})
}
