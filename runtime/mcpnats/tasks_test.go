package mcpnats_test

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

	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpclient"
	"github.com/mcpgen/mcpgen/runtime/mcphttpclient"
	"github.com/mcpgen/mcpgen/runtime/mcpnats"
	"github.com/mcpgen/mcpgen/runtime/mcptask"
	"github.com/mcpgen/mcpgen/runtime/mcptaskclient"
	"github.com/mcpgen/mcpgen/runtime/replicatest"
)

func TestTasks(t *testing.T) {
	nc := connect(t, start(t))
	var n atomic.Int32
	replicatest.TestTaskStore(t, func() mcptask.Store {
		return open(t, nc, fmt.Sprintf("test%d", n.Add(1)), mcpnats.WithEventLimits(time.Minute, 1<<20), mcpnats.WithMaxBytes(8<<20)).Tasks()
	})
}

// taskRecord returns a task that is ready for its first run.
func taskRecord(id string) *mcptask.Record {
	return &mcptask.Record{
		Key: mcptask.Key{ID: id}, Account: mcptask.Digest{1}, Server: "books", Tool: "count", Ready: true,
		Created: time.Now(), Expires: time.Now().Add(time.Hour), Sealed: []byte("sealed " + id),
	}
}

// claimOf returns the claim of a replica.
func claimOf(owner string, lease time.Duration) mcptask.Claim {
	return mcptask.Claim{Owner: owner, Lease: lease, Server: "books", Tools: []string{"count"}}
}

// Two replicas create tasks at the same time: they share a quota, each task is claimed once, and
// each replica immediately reads the other's writes.
func TestTasksOfTwo(t *testing.T) {
	one, other := two(t)
	stores := []mcptask.Store{one.Tasks(), other.Tasks()}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	const limit = 11
	var created, refused atomic.Int32
	var all sync.WaitGroup
	for i := range 60 {
		all.Go(func() {
			err := stores[i%2].Create(ctx, taskRecord(fmt.Sprint(i)), mcptask.Quota{Account: limit}, time.Minute)
			switch {
			case err == nil:
				created.Add(1)
				if _, err := stores[(i+1)%2].Get(ctx, mcptask.Key{ID: fmt.Sprint(i)}); err != nil {
					t.Errorf("at the other one: %v", err)
				}
			case errors.Is(err, mcptask.ErrTooMany):
				refused.Add(1)
			default:
				t.Error(err)
			}
		})
	}
	all.Wait()
	if created.Load() != limit || refused.Load() != 60-limit {
		t.Errorf("%d are created and %d refused, want %d and %d", created.Load(), refused.Load(), limit, 60-limit)
	}
	for i, s := range stores {
		if n, err := s.CountActive(ctx, mcptask.Digest{1}); err != nil || n != limit {
			t.Errorf("store %d counts %d, %v", i, n, err)
		}
	}
	var mu sync.Mutex
	runs := map[string]*mcptask.Record{}
	for i := range limit {
		all.Go(func() {
			r, err := stores[i%2].Claim(ctx, claimOf(fmt.Sprint("owner", i%2), time.Minute))
			if err != nil {
				t.Error(err)
				return
			}
			mu.Lock()
			defer mu.Unlock()
			if runs[r.Key.ID] != nil {
				t.Errorf("%s is claimed twice", r.Key.ID)
			}
			runs[r.Key.ID] = r
		})
	}
	all.Wait()
	// Large data is in parts, which are replaced with the record.
	for id, r := range runs {
		r.Sealed = []byte(strings.Repeat(id, 400_000))
		if err := stores[0].Update(ctx, r); err != nil {
			t.Fatal(err)
		}
		r.Sealed = append(r.Sealed, '.')
		if err := stores[1].Update(ctx, r); err != nil {
			t.Fatal(err)
		}
		got, err := stores[0].Get(ctx, r.Key)
		if err != nil || string(got.Sealed) != string(r.Sealed) {
			t.Errorf("%s has %d bytes, %v, want %d", id, len(got.Sealed), err, len(r.Sealed))
		}
		r.Owner, r.Status = "", mcptask.Completed
		r.Sealed = []byte("result")
		if err := stores[0].Update(ctx, r); err != nil {
			t.Fatal(err)
		}
	}
	if n := one.Parts(t.Context()); n != 0 {
		t.Errorf("%d parts of replaced records are kept", n)
	}
	if n, err := stores[1].CountActive(ctx, mcptask.Digest{1}); err != nil || n != 0 {
		t.Errorf("%d tasks are open, %v", n, err)
	}
	// Tasks that one replica has finished make room on the other.
	for i := range 40 {
		r := taskRecord(fmt.Sprint("next", i))
		if err := stores[i%2].Create(ctx, r, mcptask.Quota{Account: 1}, 0); err != nil {
			t.Fatalf("task %d: %v", i, err)
		}
		r.Status = mcptask.Cancelled
		if err := stores[i%2].Update(ctx, r); err != nil {
			t.Fatal(err)
		}
	}
}

// A replica without a connection does not renew its leases: another one claims the task, and the
// first one cannot write it.
func TestLeaseOfLostReplica(t *testing.T) {
	s := start(t)
	conn := connect(t, s)
	lost, other := open(t, conn, "test").Tasks(), open(t, connect(t, s), "test").Tasks()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if err := lost.Create(ctx, taskRecord("a"), mcptask.Quota{}, 0); err != nil {
		t.Fatal(err)
	}
	run, err := lost.Claim(ctx, claimOf("lost", time.Second))
	if err != nil {
		t.Fatal(err)
	}
	conn.Close()
	next, err := other.Claim(ctx, claimOf("other", time.Minute))
	if err != nil || next.Attempt != 2 {
		t.Fatalf("%+v, %v", next, err)
	}
	if err := lost.Renew(ctx, run, time.Second); err == nil {
		t.Error("a lease is renewed without a connection")
	}
	if err := other.Renew(ctx, run, time.Minute); !errors.Is(err, mcptask.ErrLeaseLost) {
		t.Errorf("the first run: %v", err)
	}
}

// withoutServers calls each method of a store whose servers are gone, concurrently, and returns
// when each has failed. Their context lasts longer.
func withoutServers(t *testing.T) (failed map[string]time.Duration) {
	server := start(t)
	conn := connect(t, server)
	tasks := open(t, conn, "test").Tasks()
	ctx := t.Context()
	r := taskRecord("a")
	if err := tasks.Create(ctx, r, mcptask.Quota{}, 0); err != nil {
		t.Fatal(err)
	}
	// Claim fails only if it knows of a task: counting waits until the task is read.
	if n, err := tasks.CountActive(ctx, r.Account); err != nil || n != 1 {
		t.Fatalf("%d tasks, %v", n, err)
	}
	if err := server.Close(ctx); err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	var mu sync.Mutex
	failed = map[string]time.Duration{}
	for name, f := range map[string]func(ctx context.Context) error{
		"Create": func(ctx context.Context) error {
			return tasks.Create(ctx, taskRecord("b"), mcptask.Quota{Total: 5}, 0)
		},
		"Get":    func(ctx context.Context) error { _, err := tasks.Get(ctx, r.Key); return err },
		"Update": func(ctx context.Context) error { return tasks.Update(ctx, r.Clone()) },
		"Renew":  func(ctx context.Context) error { return tasks.Renew(ctx, r, time.Second) },
		"Count":  func(ctx context.Context) error { _, err := tasks.CountActive(ctx, r.Account); return err },
		"Watch": func(ctx context.Context) error {
			for _, err := range tasks.Watch(ctx, r.Key) {
				return err
			}
			return nil
		},
		"Claim": func(ctx context.Context) error { _, err := tasks.Claim(ctx, claimOf("a", time.Minute)); return err },
	} {
		all.Go(func() {
			ctx, cancel := context.WithTimeout(ctx, time.Hour)
			defer cancel()
			begin := time.Now()
			err := f(ctx)
			mu.Lock()
			failed[name] = time.Since(begin)
			mu.Unlock()
			if err == nil {
				t.Errorf("%s succeeds", name)
			}
			for _, e := range []error{mcptask.ErrNotFound, mcptask.ErrConflict, mcptask.ErrLeaseLost, mcptask.ErrStoreClosed, mcptask.ErrExists, mcptask.ErrTooMany} {
				if errors.Is(err, e) {
					t.Errorf("%s says %v", name, err)
				}
			}
		})
	}
	all.Wait()
	return failed
}

// Without servers each method fails, before its context is done.
func TestTasksWithoutServers(t *testing.T) { withoutServers(t) }

// runs counts the runs of each step of the tasks, over all replicas.
var runs struct {
	sync.Mutex
	begun map[string]int
}

// workTool returns a tool that runs as a task with three steps.
func workTool() mcp.Feature {
	return mcptask.Tool(mcp.NewTool(mcp.ToolInfo{Name: "work", InputSchema: `{"type":"object"}`}, func(ctx context.Context, _ json.RawMessage) (*mcp.ToolResult, error) {
		id := mcptask.FromContext(ctx).ID
		sum := 0
		for i := range 3 {
			n, err := mcp.Once(ctx, fmt.Sprint("step", i), func() (int, error) {
				runs.Lock()
				runs.begun[id]++
				runs.Unlock()
				select {
				case <-time.After(700 * time.Millisecond):
					return i, nil
				case <-ctx.Done():
					return 0, ctx.Err()
				}
			})
			if err != nil {
				return nil, err
			}
			sum += n
		}
		answer, err := mcp.ElicitFields(ctx, "Who?", &mcp.FormInfo{Fields: []mcp.FormField{{Name: "name", Kind: mcp.StringField}}})
		if err != nil {
			return nil, err
		}
		return mcp.TextResult(fmt.Sprint(answer.Value["name"], " ", sum)), nil
	}), mcptask.Support{Required: true, Restart: true})
}

// Clients of both forms of tasks wait for their tasks while a replica that runs some is killed: no
// task is lost, and each has one result.
func TestTasksOfReplicas(t *testing.T) {
	runs.begun = map[string]int{}
	b, front := startReplicas(t)
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
	defer cancel()
	var accepting, calling sync.WaitGroup
	for i, revision := range []string{"2025-11-25", "2026-07-28"} {
		o := mcpclient.Options{
			Revision: revision, Logger: slog.New(slog.DiscardHandler),
			Elicit: func(context.Context, *mcpclient.Elicitation) (mcpclient.ElicitAnswer, error) {
				return mcpclient.Accept(map[string]any{"name": fmt.Sprint("client ", i)}), nil
			},
		}
		mcptaskclient.Enable(&o)
		c, err := mcpclient.Connect(ctx, mcphttpclient.Endpoint{URL: front.URL}, o)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		for range 9 {
			accepting.Add(1)
			calling.Go(func() {
				task, err := mcptaskclient.CallTask(ctx, c, "work", nil)
				accepting.Done()
				if err != nil {
					t.Errorf("client %d: %v", i, err)
					return
				}
				result, err := task.Wait(ctx)
				if err != nil || result.Text() != fmt.Sprintf("client %d 3", i) {
					t.Errorf("client %d: %+v, %v", i, result, err)
				}
			})
		}
	}
	for { // until all are stored, and each replica runs some
		runs.Lock()
		n := len(runs.begun)
		runs.Unlock()
		if n >= 9 && b.replicas[1].cluster.Records(ctx) == 18 || ctx.Err() != nil {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	accepting.Wait() // a call without a response is lost with its replica
	b.replicas[0].kill()
	calling.Wait()
	again := 0
	for id, n := range runs.begun {
		if n > 3 {
			again++
		}
		if n < 3 || n > 3+1 {
			t.Errorf("%s: %d steps were begun", id, n)
		}
	}
	if len(runs.begun) != 18 || again == 0 {
		t.Errorf("%d tasks, of which %d were run again", len(runs.begun), again)
	}
}

// A lease that the server keeps too long, since its clock was ahead, does not prevent another
// replica from claiming the task of a dead one; if the first owner is still alive, it notices the
// loss.
func TestLastingLease(t *testing.T) {
	one, other := two(t)
	a, b := one.Tasks(), other.Tasks()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if err := a.Create(ctx, taskRecord("a"), mcptask.Quota{}, 0); err != nil {
		t.Fatal(err)
	}
	run, err := a.Claim(ctx, claimOf("one", time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	for mcpnats.LapseLeases(b) == 0 { // it reads the lease
		time.Sleep(time.Millisecond)
	}
	if r, err := b.Claim(ctx, claimOf("other", time.Hour)); err != nil || r.Attempt != 2 || r.Owner != "other" {
		t.Errorf("claimed: %+v, %v", r, err)
	}
	if err := a.Renew(ctx, run, time.Hour); !errors.Is(err, mcptask.ErrLeaseLost) {
		t.Errorf("renewed by the first run: %v", err)
	}
	if err := a.Update(ctx, run); !errors.Is(err, mcptask.ErrConflict) {
		t.Errorf("changed by the first run: %v", err)
	}
}
