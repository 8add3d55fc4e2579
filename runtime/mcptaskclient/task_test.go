package mcptaskclient_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpclient"
	"github.com/mcpgen/mcpgen/runtime/mcptask"
	"github.com/mcpgen/mcpgen/runtime/mcptaskclient"
)

// A handle returns the state of its task, and waits for its end repeatedly.
func TestCallTask(t *testing.T) {
	inBoth(t, func(t *testing.T, revision string) {
		s := newServer()
		add(s, "count", mcptask.Support{}, func(ctx context.Context) (string, error) {
			mcp.Progress(ctx, 1, 2, "counting")
			time.Sleep(10 * time.Second)
			return "done", nil
		})
		c := connect(t, s, mcpclient.Options{Revision: revision})
		task, err := mcptaskclient.CallTask(t.Context(), c, "count", map[string]any{})
		if err != nil || len(task.ID()) != 26 {
			t.Fatalf("%+v, %v", task, err)
		}
		time.Sleep(time.Second)
		state, err := task.State(t.Context())
		if err != nil || state.Status != mcptaskclient.Working || state.Message != "1 of 2: counting" || state.ID != task.ID() || state.TTL != time.Hour {
			t.Errorf("%+v, %v", state, err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := task.Wait(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%v", err)
		}
		var group sync.WaitGroup
		for range 3 { // the end of ctx did not end the task
			group.Go(func() {
				result, err := task.Wait(t.Context())
				wantText(t, result, err, "done")
			})
		}
		group.Wait()
		if state, err = task.State(t.Context()); err != nil || state.Status != mcptaskclient.Completed {
			t.Errorf("%+v, %v", state, err)
		}
		if err := task.Cancel(t.Context()); err != nil {
			t.Errorf("cancel after the end: %v", err)
		}
	})
}

// Another client finds the task by its id, like a restarted program, and answers its question.
func TestFind(t *testing.T) {
	inBoth(t, func(t *testing.T, revision string) {
		s := newServer()
		add(s, "ask", required, func(ctx context.Context) (string, error) { return confirm(ctx, "sure?") })
		var never, asked atomic.Int32
		o := mcpclient.Options{Revision: revision, Elicit: yes(time.Hour, &never)}
		mcptaskclient.Enable(&o)
		first, err := mcpclient.Connect(t.Context(), mcpclient.InMemory(s), o)
		if err != nil {
			t.Fatal(err)
		}
		task, err := mcptaskclient.CallTask(t.Context(), first, "ask", nil)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		var during atomic.Int32 // after the wait, a server of 2025-11-25 sends the question on another stream
		time.AfterFunc(4*time.Second, func() { during.Store(never.Load()) })
		if _, err := task.Wait(ctx); !errors.Is(err, context.DeadlineExceeded) || during.Load() != 1 {
			t.Errorf("%v, asked %d times", err, during.Load())
		}
		first.Close()
		c := connect(t, s, mcpclient.Options{Revision: revision, Elicit: yes(time.Second, &asked)})
		found, err := mcptaskclient.Find(t.Context(), c, task.ID())
		if err != nil {
			t.Fatal(err)
		}
		if state, err := found.State(t.Context()); err != nil || state.Status != mcptaskclient.InputRequired {
			t.Errorf("%+v, %v", state, err)
		}
		result, err := found.Wait(t.Context())
		wantText(t, result, err, "accepttrue")
		if asked.Load() != 1 {
			t.Errorf("asked %d times", asked.Load())
		}
		_, err = mcptaskclient.Find(t.Context(), c, "none")
		if e, ok := errors.AsType[*jsonrpc.Error](err); !ok || e.Code != jsonrpc.CodeInvalidParams {
			t.Errorf("%v", err)
		}
	})
}

// Cancel ends the task, and its waits.
func TestCancel(t *testing.T) {
	inBoth(t, func(t *testing.T, revision string) {
		s := newServer()
		add(s, "wait", required, func(ctx context.Context) (string, error) {
			<-ctx.Done()
			return "", ctx.Err()
		})
		c := connect(t, s, mcpclient.Options{Revision: revision})
		task, err := mcptaskclient.CallTask(t.Context(), c, "wait", nil)
		if err != nil {
			t.Fatal(err)
		}
		var group sync.WaitGroup
		group.Go(func() {
			if _, err := task.Wait(t.Context()); !errors.Is(err, mcptaskclient.ErrCancelled) {
				t.Errorf("%v", err)
			}
		})
		time.Sleep(time.Minute)
		other, err := mcptaskclient.Find(t.Context(), c, task.ID())
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if err := other.Cancel(t.Context()); err != nil {
				t.Errorf("%v", err)
			}
		}
		group.Wait()
		if _, err := other.Wait(t.Context()); !errors.Is(err, mcptaskclient.ErrCancelled) {
			t.Errorf("%v", err)
		}
	})
}

// A call that has not become a task also has a handle.
func TestNoTask(t *testing.T) {
	inBoth(t, func(t *testing.T, revision string) {
		s := newServer()
		add(s, "fast", mcptask.Support{Inline: time.Second}, func(context.Context) (string, error) { return "done", nil })
		o := mcpclient.Options{Revision: revision}
		c := connect(t, s, o)
		task, err := mcptaskclient.CallTask(t.Context(), c, "fast", nil)
		if err != nil || (task.ID() == "") != (revision == modern) {
			t.Fatalf("%+v, %v", task, err)
		}
		result, err := task.Wait(t.Context())
		wantText(t, result, err, "done")
		plain, err := mcpclient.Connect(t.Context(), mcpclient.InMemory(s), o)
		if err != nil {
			t.Fatal(err)
		}
		defer plain.Close()
		if _, err := mcptaskclient.CallTask(t.Context(), plain, "fast", nil); err == nil {
			t.Error("there is no error without Enable")
		}
	})
}

// If the server loses a task, the wait ends with an error that contains its id.
func TestVanishes(t *testing.T) {
	inBoth(t, func(t *testing.T, revision string) {
		s := newServer()
		add(s, "wait", mcptask.Support{Required: true, TTL: time.Minute}, func(ctx context.Context) (string, error) {
			<-ctx.Done()
			return "", ctx.Err()
		})
		c := connect(t, s, mcpclient.Options{Revision: revision})
		begun := time.Now()
		_, err := c.Call(t.Context(), "wait", nil)
		if e, ok := errors.AsType[*jsonrpc.Error](err); !ok || e.Code != jsonrpc.CodeInvalidParams {
			t.Errorf("%v", err)
		}
		if d := time.Since(begun); d > 2*time.Minute {
			t.Errorf("after %v", d)
		}
	})
}

// Many concurrent tasks.
func TestManyTasks(t *testing.T) {
	inBoth(t, func(t *testing.T, revision string) {
		s := newServer()
		add(s, "ask", required, func(ctx context.Context) (string, error) { return confirm(ctx, "sure?") })
		var asked atomic.Int32
		c := connect(t, s, mcpclient.Options{Revision: revision, Elicit: yes(time.Second, &asked)})
		var group sync.WaitGroup
		for range 10 {
			group.Go(func() {
				result, err := c.Call(t.Context(), "ask", nil)
				wantText(t, result, err, "accepttrue")
			})
		}
		group.Wait()
		synctest.Wait()
		if asked.Load() != 10 {
			t.Errorf("asked %d times", asked.Load())
		}
	})
}

// flaky is a store that fails for a while.
type flaky struct {
	mcptask.Store
	failing atomic.Bool
}

func (f *flaky) Get(ctx context.Context, k mcptask.Key) (*mcptask.Record, error) {
	if f.failing.Load() {
		return nil, errors.New("no leader")
	}
	return f.Store.Get(ctx, k)
}

func (f *flaky) Watch(ctx context.Context, k mcptask.Key) iter.Seq2[*mcptask.Record, error] {
	return func(yield func(*mcptask.Record, error) bool) {
		if f.failing.Load() {
			yield(nil, errors.New("no leader"))
			return
		}
		f.Store.Watch(ctx, k)(yield)
	}
}

// The wait for a task survives a store that fails for half a minute, even while its question is
// answered, and the question is asked once. It does not survive a store that fails forever.
func TestWaitOutlivesStore(t *testing.T) {
	inBoth(t, func(t *testing.T, revision string) {
		store := &flaky{Store: mcptask.NewMemory()}
		s := newServer(mcptask.WithStore(store))
		t.Cleanup(func() { _ = mcptask.Shutdown(context.Background(), s) })
		add(s, "ask", required, func(ctx context.Context) (string, error) {
			time.Sleep(3 * time.Second)
			a, err := mcp.ElicitFields(ctx, "Who?", &mcp.FormInfo{Fields: []mcp.FormField{{Name: "name", Kind: mcp.StringField}}})
			if err != nil {
				return "", err
			}
			return fmt.Sprint("hello ", a.Value["name"]), nil
		})
		asked := 0
		c := connect(t, s, mcpclient.Options{Revision: revision, Elicit: func(context.Context, *mcpclient.Elicitation) (mcpclient.ElicitAnswer, error) {
			asked++
			store.failing.Store(true)
			time.AfterFunc(30*time.Second, func() { store.failing.Store(false) })
			time.Sleep(2 * time.Second)
			return mcpclient.Accept(map[string]any{"name": "Ada"}), nil
		}})
		result, err := c.Call(t.Context(), "ask", nil)
		if err != nil || result.Text() != "hello Ada" || asked != 1 {
			t.Errorf("asked %d times: %+v, %v", asked, result, err)
		}
		task, err := mcptaskclient.CallTask(t.Context(), c, "ask", nil)
		if err != nil {
			t.Fatal(err)
		}
		store.failing.Store(true)
		begin := time.Now()
		if _, err := task.Wait(t.Context()); err == nil || time.Since(begin) > 2*time.Minute {
			t.Errorf("after %s: %v", time.Since(begin), err)
		}
		store.failing.Store(false)
		if err := task.Cancel(t.Context()); err != nil {
			t.Error(err)
		}
	})
}
