package mcphttp_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// hurry has so many short calls of the tool of puppets that the next one is answered
// by the goroutine of its request.
func (s *site) hurry() {
	for range 40 {
		s.do(call("puppet", `{"name":""}`).post()).wants(200).replied("1")
	}
}

// hurrying runs f, over HTTP/1.1 and over HTTP/2, with a server whose tool of puppets
// has been quick so far. A request is one of revision 2026-07-28 or one of a session.
func hurrying(t *testing.T, f func(t *testing.T, s *site, start func(r rpc) *answer, session bool)) {
	for _, session := range []bool{false, true} {
		overBoth(t, setup{}, func(t *testing.T, s *site) {
			start := func(r rpc) *answer { return s.start(r.post()) }
			if session {
				x := s.open(revisionC)
				start = func(r rpc) *answer { return x.start(r.legacy()) }
			}
			s.hurry()
			f(t, s, start, session)
		})
	}
}

// A call that takes long though none has so far is answered as ever.
func TestDirectCallTakesLong(t *testing.T) {
	hurrying(t, func(t *testing.T, s *site, start func(rpc) *answer, _ bool) {
		p := s.puppet("p")
		a := start(dance(p))
		p.called()
		a.silent()
		time.Sleep(time.Minute) // a plain answer is none for so long
		a.streaming().stays()
		p.answers("done")
		a.ends().hears("result 1")
	})
}

// What a call says before its reply comes at once.
func TestDirectCallSaysSomething(t *testing.T) {
	hurrying(t, func(t *testing.T, s *site, start func(rpc) *answer, _ bool) {
		p := s.puppet("p")
		a := start(dance(p))
		p.called()
		began := time.Now()
		p.advances(1)
		a.streaming().stays().hears("notifications/progress")
		p.advances(2)
		a.hears("notifications/progress")
		if took := time.Since(began); took > 0 {
			t.Errorf("it has taken %v", took)
		}
		p.answers("done")
		a.ends().hears("result 1")
	})
}

// A client that goes ends its call where it has no session, and only then.
func TestDirectCallLosesItsClient(t *testing.T) {
	hurrying(t, func(t *testing.T, s *site, start func(rpc) *answer, session bool) {
		p := s.puppet("p")
		a := start(dance(p))
		ctx := p.called()
		a.vanish()
		time.Sleep(30 * time.Millisecond)
		synctest.Wait()
		switch {
		case session && ctx.Err() != nil:
			t.Errorf("the call has ended: %v", context.Cause(ctx))
		case session:
			p.answers("done")
		case !errors.Is(p.cause(), mcp.ErrCancelled):
			t.Errorf("the cause is %v", context.Cause(ctx))
		}
		s.do(call("echo", `{}`).post()).wants(200)
	})
}

// A cancellation ends the call and its answer.
func TestDirectCallIsCancelled(t *testing.T) {
	overBoth(t, setup{}, func(t *testing.T, s *site) {
		x := s.open(revisionC)
		s.hurry()
		p := s.puppet("p")
		a := x.start(dance(p).legacy())
		p.called()
		x.do(cancelled("1")).accepted()
		if err := p.cause(); !errors.Is(err, mcp.ErrCancelled) {
			t.Errorf("the cause is %v", err)
		}
		a.wait()
		a.wants(200)
		// So does the end of the session.
		a = x.start(dance(p).as("2").legacy())
		p.called()
		x.end()
		p.cause()
		a.wait()
	})
}

// A tool that lets its response go is run so that it can be, from then on.
func TestDirectCallReleases(t *testing.T) {
	overBoth(t, setup{}, func(t *testing.T, s *site) {
		x := s.open(revisionD)
		s.hurry()
		for _, could := range []bool{false, true} {
			p := s.puppet("p")
			a := x.start(dance(p).legacy())
			p.called()
			p.run(func(ctx context.Context) {
				if got := mcp.ReleaseStream(ctx, time.Second); got != could {
					t.Errorf("let go: %v", got)
				}
			})
			if !could {
				p.answers("done")
				a.wait()
				a.replied("1")
				s.hurry()
				continue
			}
			id := idOf(t, a.streaming().ends().events())
			p.answers("done")
			x.resume(id).ends().hears("result 1")
		}
	})
}

// The handler can be shut down while a call runs.
func TestDirectCallAndShutdown(t *testing.T) {
	hurrying(t, func(t *testing.T, s *site, start func(rpc) *answer, _ bool) {
		p := s.puppet("p")
		a := start(dance(p))
		p.called()
		done := make(chan error, 1)
		go func() { done <- s.handler.Shutdown(context.Background()) }()
		synctest.Wait()
		p.answers("done")
		a.wait()
		a.replied("1")
		if err := await(t, done, "the end of Shutdown"); err != nil {
			t.Errorf("Shutdown: %v", err)
		}
	})
}

// A handler that ends its goroutine is answered for, and harms no other request.
func TestDirectCallExits(t *testing.T) {
	overBoth(t, setup{noisy: true}, func(t *testing.T, s *site) {
		for range 3 {
			for range 40 {
				s.do(call("exits", `{"stay":true}`).post()).wants(200)
			}
			a := s.do(call("exits", `{}`).post()).wants(200)
			if !strings.Contains(a.text(), "internal error") {
				a.fail("no error")
			}
			s.do(call("echo", `{}`).post()).wants(200).replied("1")
		}
	})
}
