package mcphttp_test

import (
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcphttp"
)

// The number of sessions, and their lifetime.

// limits returns a setup with limits that one client can reach.
func limits(l mcphttp.Limits) setup {
	return setup{server: share(100), handler: []mcphttp.Option{mcphttp.WithLimits(l)}}
}

// share sets the percentage of one client.
func share(percent int) []mcp.Option {
	return []mcp.Option{mcp.WithLimits(mcp.Limits{ClientShare: percent})}
}

// A session with an open stream or a running call is not idle. The idle time begins when they end.
func testSessionIsNotIdle(t *testing.T) {
	serve(t, limits(mcphttp.Limits{IdleTime: time.Minute}), func(t *testing.T, s *testServer) {
		listening, calling, abandoned := s.open(revisionD), s.open(revisionD), s.open(revisionD)
		stream := listening.listen()
		p, q := s.Script("p"), s.Script("q")
		a := calling.start(callScripted(p).legacy())
		b := abandoned.start(callScripted(q).legacy())
		p.Started()
		q.Started()
		b.disconnect() // the call is still running
		time.Sleep(time.Hour / 2)
		stream.wantOpen()
		p.Return("late")
		q.Return("late")
		a.wait()
		stream.disconnect()
		time.Sleep(30 * time.Second)
		for _, x := range []*session{listening, calling, abandoned} {
			x.do(rpc{method: "ping"}.legacy()).wantResult("1")
		}
		time.Sleep(2 * time.Minute)
		for _, x := range []*session{listening, calling, abandoned} {
			x.do(rpc{method: "ping"}.legacy()).wantStatus(404)
		}
	})
}

// Closing an idle session releases its resources.
func TestIdleSessionsMakeRoom(t *testing.T) {
	serve(t, limits(mcphttp.Limits{IdleTime: time.Minute, Sessions: 2}), func(t *testing.T, s *testServer) {
		s.open(revisionD)
		s.open(revisionD)
		s.do(postBody(initialize(revisionD))).wantLimitRefusal(503)
		time.Sleep(3 * time.Minute)
		s.open(revisionD)
		x := s.open(revisionD)
		s.do(postBody(initialize(revisionD))).wantLimitRefusal(503)
		x.delete()
		s.open(revisionD)
	})
}

// At the limit of sessions, a new one replaces the one that has been idle longest: clients that
// open sessions and leave cannot lock out others. Sessions in use, or used within the last minute,
// are not replaced.
func TestIdleSessionsGiveWay(t *testing.T) {
	serve(t, limits(mcphttp.Limits{Sessions: 4}), func(t *testing.T, s *testServer) {
		listening, calling := s.open(revisionD), s.open(revisionD)
		stream := listening.listen()
		p := s.Script("p")
		a := calling.start(callScripted(p).legacy())
		p.Started()
		a.disconnect()
		time.Sleep(time.Second) // without their stream and call, these two would be idle longest
		older := s.open(revisionD)
		time.Sleep(10 * time.Second)
		newer := s.open(revisionD)
		time.Sleep(45 * time.Second)
		s.do(postBody(initialize(revisionD))).wantLimitRefusal(503)
		time.Sleep(10 * time.Second)
		one := s.open(revisionD) // replaces older
		s.do(postBody(initialize(revisionD))).wantLimitRefusal(503)
		older.do(rpc{method: "ping"}.legacy()).wantStatus(404)
		newer.do(rpc{method: "ping"}.legacy()).wantResult("1")
		time.Sleep(55 * time.Second)
		newer.do(rpc{method: "ping"}.legacy()).wantResult("1")
		time.Sleep(10 * time.Second)
		s.open(revisionD) // replaces one
		one.do(rpc{method: "ping"}.legacy()).wantStatus(404)
		newer.do(rpc{method: "ping"}.legacy()).wantResult("1")
		stream.wantOpen()
		p.Return("done")
		calling.do(rpc{method: "ping", id: "2"}.legacy()).wantResult("2")
	})
}

// A client at its own limit of sessions replaces one of them, not one of another client.
func TestOwnSessionsGiveWay(t *testing.T) {
	serve(t, setup{handler: []mcphttp.Option{
		mcphttp.WithPrincipal(principalOf), mcphttp.WithLimits(mcphttp.Limits{Sessions: 8}),
	}}, func(t *testing.T, s *testServer) {
		bob := s.open(revisionD, "Authorization: bob")
		time.Sleep(time.Second)
		first := s.open(revisionD, "Authorization: ann")
		time.Sleep(time.Second)
		second := s.open(revisionD, "Authorization: ann")
		time.Sleep(2 * time.Minute)
		s.open(revisionD, "Authorization: ann")
		first.do(rpc{method: "ping"}.legacy()).wantStatus(404)
		second.do(rpc{method: "ping"}.legacy()).wantResult("1")
		bob.do(rpc{method: "ping"}.legacy()).wantResult("1")
	})
}

// It replaces one of its own even if another client has as many, idle for longer.
func TestOwnSessionsGiveWayFirst(t *testing.T) {
	serve(t, setup{server: share(2), handler: []mcphttp.Option{
		mcphttp.WithPrincipal(principalOf), mcphttp.WithLimits(mcphttp.Limits{Sessions: 100}),
	}}, func(t *testing.T, s *testServer) {
		var open []*session
		for _, name := range []string{"bob", "bob", "ann", "ann"} {
			open = append(open, s.open(revisionD, "Authorization: "+name))
			time.Sleep(time.Second)
		}
		time.Sleep(2 * time.Minute)
		s.open(revisionD, "Authorization: ann")
		for i, x := range open {
			a := x.do(rpc{method: "ping"}.legacy())
			if i == 2 {
				a.wantStatus(404)
			} else {
				a.wantResult("1")
			}
		}
	})
}

// At the limit of all clients, a new session replaces one of the client with the most sessions,
// even if a session of another client has been idle for longer; among those, the one that has been
// idle longest.
func TestSessionsOfTheLargestClientGiveWay(t *testing.T) {
	for range 10 { // sessions are visited in any order
		testLargestClientGivesWay(t)
	}
}

func testLargestClientGivesWay(t *testing.T) {
	serve(t, setup{server: share(100), handler: []mcphttp.Option{
		mcphttp.WithPrincipal(principalOf), mcphttp.WithLimits(mcphttp.Limits{Sessions: 8}),
	}}, func(t *testing.T, s *testServer) {
		var open []*session
		for _, name := range []string{"bob", "ann", "ann", "cid", "ann", "cid", "eve", "fay"} {
			open = append(open, s.open(revisionD, "Authorization: "+name))
			time.Sleep(time.Second)
		}
		time.Sleep(2 * time.Minute)
		s.open(revisionD, "Authorization: dan")
		for i, x := range open {
			a := x.do(rpc{method: "ping"}.legacy())
			if i == 1 { // the oldest session of ann
				a.wantStatus(404)
			} else {
				a.wantResult("1")
			}
		}
	})
}

// Many clients that open sessions concurrently do not exceed the limit.
func TestManyOpenAtOnce(t *testing.T) {
	serveBoth(t, setup{server: share(40), handler: []mcphttp.Option{
		mcphttp.WithPrincipal(principalOf), mcphttp.WithLimits(mcphttp.Limits{Sessions: 12}),
	}}, func(t *testing.T, s *testServer) {
		opened := map[string]int{}
		var answers []*response
		names := []string{"ann", "bob", "cid"}
		for i := range 45 {
			answers = append(answers, s.start(postBody(initialize(revisionD), "Authorization: "+names[i%3])))
		}
		for i, a := range answers {
			a.wait()
			if a.code() == 200 {
				opened[names[i%3]]++
			} else {
				a.wantLimitRefusal(503)
			}
		}
		total := 0
		for name, n := range opened {
			total += n
			if n > 5 {
				t.Errorf("%s has %d sessions", name, n)
			}
		}
		if total != 12 {
			t.Errorf("there are %d sessions: %v", total, opened)
		}
	})
}

// By default, one client may use a quarter of each limit.
func TestQuarterForEach(t *testing.T) {
	serve(t, setup{handler: []mcphttp.Option{mcphttp.WithLimits(mcphttp.Limits{Sessions: 8, Streams: 5})}}, func(t *testing.T, s *testServer) {
		first := s.open(revisionD)
		first.listen()
		second := s.open(revisionD)
		second.listen()
		s.do(postBody(initialize(revisionD))).wantLimitRefusal(503)
		s.do(listen("9", `"toolsListChanged":true`).post()).wantStatus(503)
		first.delete()
		s.open(revisionD)
	})
}
