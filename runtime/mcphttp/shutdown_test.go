package mcphttp_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcphttp"
)

// Shutdown takes nothing new, ends what stands, waits for what runs, and ends the
// sessions last.
func TestShutdown(t *testing.T) {
	overBoth(t, setup{}, func(t *testing.T, s *site) {
		x := s.open(revisionD)
		one, two, three := s.puppet("one"), s.puppet("two"), s.puppet("three")
		alone := s.start(dance(one).post())
		inSession := x.start(dance(two).as("2").legacy())
		vanished := x.start(dance(three).as("3").legacy())
		contexts := []context.Context{one.called(), two.called(), three.called()}
		vanished.vanish()
		standing := x.listen()
		listening := s.start(listen("1", `"toolsListChanged":true`).post())
		listening.streaming()
		two.says("hello")
		inSession.streaming()
		four := s.puppet("four")
		left := x.start(dance(four).as("4").legacy())
		four.called()
		four.says("hello")
		id := idOf(t, left.streaming().next())
		left.vanish()
		resumed := x.resume(id)

		done := make(chan error, 1)
		go func() { done <- s.handler.Shutdown(context.Background()) }()
		standing.ends()
		listening.ends().hears("notifications/subscriptions/acknowledged", "result 1")
		for _, ctx := range contexts {
			if ctx.Err() != nil {
				t.Errorf("a call has been cancelled: %v", context.Cause(ctx))
			}
		}
		for _, r := range []request{
			call("echo", "{}").post(), x.as(bare(call("echo", "{}").as("9").legacy())), bare(initialize(revisionD)), x.as(request{method: "GET"}),
		} {
			a := s.do(r)
			if a.code() != 503 {
				a.fail("want 503")
			}
		}
		if len(done) != 0 {
			t.Error("it does not wait")
		}
		one.answers("one")
		two.answers("two")
		alone.wait()
		alone.replied("1")
		inSession.ends().hears("notifications/message", "result 2")
		resumed.stays()
		four.answers("four")
		resumed.ends().hears("result 4")
		time.Sleep(time.Minute)
		if len(done) != 0 {
			t.Error("it does not wait for the call whose client has gone")
		}
		three.answers("three")
		if err := await(t, done, "the end of the shutdown"); err != nil {
			t.Errorf("shut down: %v", err)
		}
	})
}

// A shutdown that takes too long ends what is left.
func TestShutdownInTime(t *testing.T) {
	overBoth(t, setup{}, func(t *testing.T, s *site) {
		x := s.open(revisionD)
		one, two := s.puppet("one"), s.puppet("two")
		alone := s.start(dance(one).post())
		inSession := x.start(dance(two).legacy())
		one.called()
		two.called()
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		began := time.Now()
		if err := s.handler.Shutdown(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("shut down: %v", err)
		}
		if d := time.Since(began); d != time.Minute {
			t.Errorf("it took %v", d)
		}
		if err := two.cause(); !errors.Is(err, mcp.ErrConnectionClosed) {
			t.Errorf("the cause is %v", err)
		}
		synctest.Wait()
		if !inSession.over() {
			inSession.fail("the answer is open")
		}
		if err := one.cause(); !errors.Is(err, mcp.ErrConnectionClosed) {
			t.Errorf("the cause is %v", err)
		}
		alone.wait()
	})
}

// A shutdown does not wait for people: what they are asked cannot be answered any
// more.
func TestShutdownAmidAQuestion(t *testing.T) {
	overBoth(t, setup{}, func(t *testing.T, s *site) {
		x := s.open(revisionD)
		a := x.start(call("asks", "{}").legacy())
		a.streaming().hears("elicitation/create")
		began := time.Now()
		if err := s.handler.Shutdown(t.Context()); err != nil || time.Since(began) != 0 {
			t.Errorf("shut down after %v: %v", time.Since(began), err)
		}
		a.ends().hears("result 1")
	})
}

// Close ends everything at once, with a cause.
func TestClose(t *testing.T) {
	overBoth(t, setup{}, func(t *testing.T, s *site) {
		x := s.open(revisionD)
		one, two := s.puppet("one"), s.puppet("two")
		alone := s.start(dance(one).post())
		inSession := x.start(dance(two).legacy())
		one.called()
		two.called()
		two.says("hello")
		standing := x.listen()
		began := time.Now()
		for range 2 {
			if err := s.handler.Close(); err != nil {
				t.Errorf("close: %v", err)
			}
		}
		for _, p := range []*puppet{one, two} {
			if err := p.cause(); !errors.Is(err, mcp.ErrConnectionClosed) {
				t.Errorf("the cause is %v", err)
			}
		}
		standing.ends()
		inSession.ends()
		alone.wait()
		if time.Since(began) != 0 {
			t.Errorf("it took %v", time.Since(began))
		}
		s.do(call("echo", "{}").post()).wants(503)
		if err := s.handler.Shutdown(t.Context()); err != nil {
			t.Errorf("shut down what is closed: %v", err)
		}
	})
}

// What the handlers leave behind is nothing.
func TestShutdownOfNothing(t *testing.T) {
	visit(t, setup{}, func(t *testing.T, s *site) {
		h := mcphttp.NewHandler(s.Server)
		if err := h.Shutdown(t.Context()); err != nil {
			t.Errorf("shut down: %v", err)
		}
		if err := h.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
}
