package mcptask_test

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcptask"
)

// roomy returns options of a server whose store in memory allows a principal 1 MiB.
func roomy() []mcp.Option {
	return []mcp.Option{mcp.WithLimits(mcp.Limits{Memory: 8 << 20}), mcptask.WithStore(mcptask.NewMemory(), mcptask.WithConcurrency(1000))}
}

// Results of one principal take at most its share of the memory: the oldest are deleted. Results of
// others stay.
func TestRoomOfResults(t *testing.T) {
	within(t, func(t *testing.T) {
		s := newServer(roomy()...)
		defer mcptask.Shutdown(context.Background(), s)
		add(s, "large", mcptask.Support{}, func(context.Context) (string, error) { return strings.Repeat("x", 100<<10), nil })
		add(s, "huge", mcptask.Support{}, func(context.Context) (string, error) { return strings.Repeat("x", 2<<20), nil })
		ada, bob := connectAs(t, s, "ada"), connectAs(t, s, "bob")
		first := ada.begin("large")
		wait()
		var ids []string
		for range 200 {
			ids = append(ids, bob.begin("large"))
			wait()
		}
		kept := 0
		for i, id := range ids {
			got := bob.ask("tasks/get", `"taskId":"`+id+`"`)
			if strings.Contains(got, `"completed"`) {
				kept++
				continue
			}
			unknown(t, got)
			if kept > 0 {
				t.Errorf("task %d is deleted before an older one", i)
			}
		}
		if kept < 5 || kept > 10 {
			t.Errorf("%d results of 100 KiB are kept in 1 MiB", kept)
		}
		ada.is(first, "completed", "")
		huge := bob.begin("huge")
		wait()
		got := bob.is(huge, "failed", "the result is not kept: the tasks of the client take all the room that it may have")
		if got.Error == nil || string(got.Error.Data) != `{"reason":"no room"}` {
			t.Errorf("%+v", got.Error)
		}
		large := bob.begin("large")
		wait()
		bob.is(large, "completed", "")
	})
}

// Tasks that have not ended are not deleted for others: a call whose arguments do not fit is
// refused, even if other clients could store them.
func TestRoomOfArguments(t *testing.T) {
	within(t, func(t *testing.T) {
		s := newServer(roomy()...)
		defer mcptask.Shutdown(context.Background(), s)
		release := make(chan bool)
		defer close(release)
		add(s, "wait", mcptask.Support{}, func(ctx context.Context) (string, error) {
			select {
			case <-release:
			case <-ctx.Done():
			}
			return "", nil
		})
		ada, bob := connectAs(t, s, "ada"), connectAs(t, s, "bob")
		call := func(c *client) string {
			return c.call("wait", `,"arguments":{"n":1,"more":"`+strings.Repeat("y", 200<<10)+`"}`)
		}
		var last string
		n := 0
		for ; n < 20; n++ {
			got := call(bob)
			if strings.Contains(got, `"error"`) {
				has(t, got, tooManyTasks, "no room for another task: the tasks of this client take all that it may have; try again when some have ended")
				break
			}
			last = bob.task(got).TaskID
		}
		if n < 3 || n > 5 {
			t.Errorf("%d tasks of 200 KiB are kept in 1 MiB", n)
		}
		ada.is(ada.task(call(ada)).TaskID, "working", "")
		bob.is(last, "working", "")
		has(t, bob.ask("tasks/cancel", `"taskId":"`+last+`"`), `"result"`)
		wait()
		bob.task(call(bob))
	})
}

// A running task that grows in small steps takes no more space than a task that grows at once.
func TestRoomInSteps(t *testing.T) {
	within(t, func(t *testing.T) {
		s := newServer(mcp.WithLimits(mcp.Limits{Memory: 2 << 20}), mcptask.WithStore(mcptask.NewMemory(), mcptask.WithConcurrency(1000)))
		defer mcptask.Shutdown(context.Background(), s)
		const step, room = 800, 256 << 10
		stored := 0
		add(s, "grow", mcptask.Support{}, func(ctx context.Context) (string, error) {
			for i := range 250 {
				if _, err := mcp.Once(ctx, fmt.Sprint(i), func() (string, error) { return strings.Repeat("x", step), nil }); err != nil {
					break
				}
				stored += step
			}
			return confirm(ctx, "Sure?")
		})
		c := connectAs(t, s, "bob")
		for range 2 {
			c.begin("grow")
			wait()
		}
		if stored > room || stored < room/2 {
			t.Errorf("%d bytes are kept in %d", stored, room)
		}
	})
}

// A client that the server cannot distinguish from others can use the space of all.
func TestRoomOfUnknownClient(t *testing.T) {
	within(t, func(t *testing.T) {
		s := newServer(roomy()...)
		defer mcptask.Shutdown(context.Background(), s)
		add(s, "huge", mcptask.Support{}, func(context.Context) (string, error) { return strings.Repeat("x", 2<<20), nil })
		c := connect(t, s)
		id := c.begin("huge")
		wait()
		c.is(id, "completed", "")
	})
}

// One client uses a quarter of the places for handlers, and the tasks of another one begin at once.
func TestPlacesOfOneClient(t *testing.T) {
	within(t, func(t *testing.T) {
		s := newServer(mcptask.WithStore(mcptask.NewMemory(), mcptask.WithConcurrency(8)))
		defer mcptask.Shutdown(context.Background(), s)
		var running atomic.Int32
		add(s, "long", mcptask.Support{}, func(context.Context) (string, error) {
			running.Add(1)
			defer running.Add(-1)
			time.Sleep(time.Hour / 4)
			return "", nil
		})
		add(s, "quick", mcptask.Support{}, func(context.Context) (string, error) { return "done", nil })
		bob, ada := connectAs(t, s, "bob"), connectAs(t, s, "ada")
		for range 20 {
			bob.begin("long")
		}
		wait()
		if n := running.Load(); n != 2 {
			t.Errorf("%d tasks of one client run", n)
		}
		quick := ada.begin("quick")
		wait()
		ada.is(quick, "completed", "done")
		time.Sleep(time.Hour/4 + time.Second) // the next two of bob begin
		if n := running.Load(); n != 2 {
			t.Errorf("%d tasks of one client run after the first ones", n)
		}
		// Three more clients use all places: a client without running tasks comes before them.
		for _, name := range []string{"cyd", "dan", "eve"} {
			c := connectAs(t, s, name)
			for range 20 {
				c.begin("long")
			}
		}
		wait()
		if n := running.Load(); n != 8 {
			t.Errorf("%d tasks run", n)
		}
		quick = ada.begin("quick")
		wait()
		ada.is(quick, "working", "")
		time.Sleep(time.Hour / 4)
		wait()
		ada.is(quick, "completed", "done")
	})
}

// A client that the server cannot distinguish from others, as over stdio, can use all places.
func TestPlacesOfUnknownClient(t *testing.T) {
	within(t, func(t *testing.T) {
		s := newServer(mcptask.WithStore(mcptask.NewMemory(), mcptask.WithConcurrency(4)))
		defer mcptask.Shutdown(context.Background(), s)
		var running atomic.Int32
		add(s, "long", mcptask.Support{}, func(context.Context) (string, error) {
			running.Add(1)
			time.Sleep(time.Minute)
			return "", nil
		})
		c := connect(t, s)
		for range 10 {
			c.begin("long")
		}
		wait()
		if n := running.Load(); n != 4 {
			t.Errorf("%d tasks run", n)
		}
	})
}
