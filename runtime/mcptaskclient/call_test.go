package mcptaskclient_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
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

// A call of a tool that requires a task returns its result, and reports the messages of the task.
func TestCall(t *testing.T) {
	inBoth(t, func(t *testing.T, revision string) {
		s := newServer()
		add(s, "import", required, func(ctx context.Context) (string, error) {
			for i := range 3 {
				mcp.Progress(ctx, float64(i+1), 3, "reading")
				time.Sleep(5 * time.Second)
			}
			return "done", nil
		})
		c := connect(t, s, mcpclient.Options{Revision: revision})
		var steps []string
		result, err := c.Call(t.Context(), "import", nil, mcpclient.WithProgress(func(p mcpclient.Progress) {
			if p.Done != 0 || p.Total != 0 {
				t.Errorf("progress %+v", p)
			}
			steps = append(steps, p.Message)
		}))
		wantText(t, result, err, "done")
		if !slices.Equal(steps, []string{"1 of 3: reading", "2 of 3: reading", "3 of 3: reading"}) {
			t.Errorf("messages %q", steps)
		}
		text, err := mcpclient.Call[string](t.Context(), c, "import", nil)
		if text != "done" || err != nil {
			t.Errorf("%q, %v", text, err)
		}
	})
}

// A call of an optional tool becomes a task after its inline time, from 2026-07-28 on, and remains
// a plain call in earlier revisions.
func TestCallOptional(t *testing.T) {
	inBoth(t, func(t *testing.T, revision string) {
		s := newServer()
		var asTask atomic.Bool
		add(s, "count", mcptask.Support{Inline: time.Second}, func(ctx context.Context) (string, error) {
			time.Sleep(10 * time.Second)
			asTask.Store(mcptask.FromContext(ctx) != nil)
			return "done", nil
		})
		c := connect(t, s, mcpclient.Options{Revision: revision})
		result, err := c.Call(t.Context(), "count", nil)
		wantText(t, result, err, "done")
		if asTask.Load() != (revision == modern) {
			t.Errorf("task: %v", asTask.Load())
		}
	})
}

// Questions of a task reach the functions of the options once, even if the answer takes so long
// that the run is parked.
func TestCallAsks(t *testing.T) {
	for _, after := range []time.Duration{time.Second, 5 * time.Minute} {
		inBoth(t, func(t *testing.T, revision string) {
			s := newServer()
			var runs atomic.Int32
			add(s, "ask", required, func(ctx context.Context) (string, error) {
				runs.Add(1)
				first, err := confirm(ctx, "sure?")
				if err != nil {
					return "", err
				}
				second, err := confirm(ctx, "really?")
				return first + " " + second, err
			})
			var asked atomic.Int32
			c := connect(t, s, mcpclient.Options{Revision: revision, Elicit: yes(after, &asked)})
			result, err := c.Call(t.Context(), "ask", nil)
			wantText(t, result, err, "accepttrue accepttrue")
			if asked.Load() != 2 {
				t.Errorf("asked %d times", asked.Load())
			}
			if parked := runs.Load() > 1; parked != (after > time.Minute) {
				t.Errorf("%d runs", runs.Load())
			}
		})
	}
}

// Failed tools, failed tasks and cancelled tasks have the same outcomes as plain calls.
func TestCallFails(t *testing.T) {
	inBoth(t, func(t *testing.T, revision string) {
		s := newServer()
		add(s, "fail", required, func(context.Context) (string, error) { return "", errors.New("no shelf") })
		add(s, "break", required, func(context.Context) (string, error) {
			return "", &mcp.ProtocolError{Code: 7, Message: "broken"}
		})
		c := connect(t, s, mcpclient.Options{Revision: revision})
		result, err := c.Call(t.Context(), "fail", nil)
		if err != nil || !result.IsError || result.Text() != "no shelf" {
			t.Errorf("%+v, %v", result, err)
		}
		_, err = mcpclient.Call[string](t.Context(), c, "fail", nil)
		if e, ok := errors.AsType[*mcpclient.ToolError](err); !ok || e.Tool != "fail" {
			t.Errorf("%v", err)
		}
		_, err = c.Call(t.Context(), "break", nil)
		if e, ok := errors.AsType[*jsonrpc.Error](err); !ok || e.Code != 7 || e.Message != "broken" {
			t.Errorf("%v", err)
		}
		if e, ok := errors.AsType[*mcptaskclient.Error](err); !ok || len(e.Task) != 26 {
			t.Errorf("%v", err)
		}
	})
}

// The end of the context cancels the task, and so does the end of the time of the call.
func TestCallCancels(t *testing.T) {
	why := errors.New("why")
	inBoth(t, func(t *testing.T, revision string) {
		s := newServer()
		causes := make(chan error, 1)
		add(s, "wait", required, func(ctx context.Context) (string, error) {
			<-ctx.Done()
			causes <- context.Cause(ctx)
			return "", ctx.Err()
		})
		c := connect(t, s, mcpclient.Options{Revision: revision})
		ctx, cancel := context.WithTimeoutCause(t.Context(), 5*time.Second, why)
		defer cancel()
		if _, err := c.Call(ctx, "wait", nil); !errors.Is(err, why) {
			t.Errorf("%v", err)
		}
		synctest.Wait()
		if cause := <-causes; !errors.Is(cause, mcp.ErrCancelled) {
			t.Errorf("the task ends by %v", cause)
		}
		begun := time.Now()
		if _, err := c.Call(t.Context(), "wait", nil, mcpclient.WithMaxTime(30*time.Minute)); !errors.Is(err, mcpclient.ErrTimeout) {
			t.Errorf("%v", err)
		}
		if d := time.Since(begun); d != 30*time.Minute {
			t.Errorf("after %v", d)
		}
		if cause := <-causes; !errors.Is(cause, mcp.ErrCancelled) {
			t.Errorf("the task ends by %v", cause)
		}
	})
}

// Close ends a call that waits for its task immediately, however long the polling interval is.
func TestClose(t *testing.T) {
	inBoth(t, func(t *testing.T, revision string) {
		s := newServer()
		add(s, "wait", mcptask.Support{Required: true, Poll: time.Minute}, func(ctx context.Context) (string, error) {
			<-ctx.Done()
			return "", ctx.Err()
		})
		c := connect(t, s, mcpclient.Options{Revision: revision})
		begun := time.Now()
		time.AfterFunc(90*time.Second, func() { c.Close() })
		if _, err := c.Call(t.Context(), "wait", nil); !errors.Is(err, mcpclient.ErrClosed) {
			t.Errorf("%v", err)
		}
		if d := time.Since(begun); d != 90*time.Second {
			t.Errorf("after %v", d)
		}
		// The task runs until its time is over.
		time.Sleep(time.Hour)
	})
}

// Refusing a question ends the call and its task.
func TestCallRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer()
		causes := make(chan error, 1)
		add(s, "ask", required, func(ctx context.Context) (string, error) {
			text, err := confirm(ctx, "sure?")
			causes <- context.Cause(ctx)
			return text, err
		})
		why := errors.New("the screen is locked")
		c := connect(t, s, mcpclient.Options{Elicit: func(context.Context, *mcpclient.Elicitation) (mcpclient.ElicitAnswer, error) {
			return mcpclient.Cancel(), why
		}})
		if _, err := c.Call(t.Context(), "ask", nil); !errors.Is(err, why) {
			t.Errorf("%v", err)
		}
		if cause := <-causes; !errors.Is(cause, mcp.ErrCancelled) {
			t.Errorf("the task ends by %v", cause)
		}
	})
}

// In 2025-11-25 the list of tools declares which calls must be tasks. A client that has not read it
// learns it from the server's error, once.
func TestCallLearns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer()
		add(s, "import", required, func(context.Context) (string, error) { return "done", nil })
		methods := map[string]int{}
		count := func(next mcpclient.Sender) mcpclient.Sender {
			return func(ctx context.Context, r *mcpclient.Request) (json.RawMessage, error) {
				methods[r.Method]++
				return next(ctx, r)
			}
		}
		c := connect(t, s, mcpclient.Options{Revision: session, Interceptors: []mcpclient.Interceptor{count}})
		for range 2 {
			result, err := c.Call(t.Context(), "import", nil)
			wantText(t, result, err, "done")
		}
		if methods["tools/call"] != 3 || methods["tools/list"] != 1 {
			t.Errorf("%v", methods)
		}
	})
}

// WithTTL is sent to servers of 2025-11-25.
func TestTTL(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer()
		add(s, "count", mcptask.Support{}, func(context.Context) (string, error) { return "done", nil })
		c := connect(t, s, mcpclient.Options{Revision: session}, mcptaskclient.WithTTL(10*time.Minute))
		task, err := mcptaskclient.CallTask(t.Context(), c, "count", nil)
		if err != nil {
			t.Fatal(err)
		}
		state, err := task.State(t.Context())
		if err != nil || state.TTL != 10*time.Minute || state.Poll != time.Second || state.Created.IsZero() || state.Updated.IsZero() {
			t.Errorf("%+v, %v", state, err)
		}
	})
}
