package mcphttp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcphttp"
	"github.com/mcpgen/mcpgen/runtime/replicatest"
)

// Sessions that replicas share. The replicas are two handlers of one server, which get the requests
// in turn: they share the session only through the store.

// These tests also run with other sessions. Two of them run only here: for sessions that are not
// shared, the rows Takeover and IdleSession of package hardening test the same.
func TestSharedSessions(t *testing.T) {
	allShared = true
	defer func() { allShared = false }()
	for name, test := range map[string]func(*testing.T){
		"resume a call":              TestResumeACall,
		"resume an ended call":       TestResumeAnEndedCall,
		"resume a complete stream":   TestResumeACompleteStream,
		"resume takes over":          testResumeTakesOver,
		"resume while it talks":      TestResumeWhileItTalks,
		"events to come":             TestEventsToCome,
		"events without data":        TestEventsWithoutData,
		"questions":                  TestQuestion,
		"two questions":              TestTwoQuestions,
		"slow initialize":            TestSlowInitialize,
		"slow initialize that fails": TestSlowInitializeFails,
		"quiet calls":                TestQuietTime,
		"deadlines":                  TestServerTimeouts,
		"bodies":                     TestReadTimeIsForTheBody,
		"priming events":             TestPrimingEventOfQuietStreams,
		"a running call is not idle": testSessionIsNotIdle,
		"contexts of calls":          TestContextDeadline,
		"no resuming of requests":    TestNoResumingOfRequests,
	} {
		t.Run(name, test)
	}
}

// sharing runs a test with a session that two replicas share.
func sharing(t *testing.T, c setup, f func(t *testing.T, s *testServer, x *session)) {
	t.Helper()
	c.shared = true
	serve(t, c, func(t *testing.T, s *testServer) { f(t, s, s.open(revisionD)) })
}

// State that a client sets at one replica applies at the other: the log level, and subscriptions.
func TestSharedState(t *testing.T) {
	sharing(t, setup{}, func(t *testing.T, s *testServer, x *session) {
		s.replicas.use(1)
		x.do(rpc{method: "ping"}.legacy()).wantResult("1") // the other one opens the session
		stream := x.listen()
		s.replicas.use(0)
		x.do(rpc{method: "logging/setLevel", params: `"level":"debug"`}.legacy()).wantResult("1")
		x.do(rpc{method: "resources/subscribe", params: `"uri":"test://text"`}.legacy()).wantResult("1")
		synctest.Wait()
		s.ResourceUpdated("test://text")
		synctest.Wait()
		stream.next() // the priming event, and the notification
		if text := stream.text(); strings.Count(text, "resources/updated") != 1 {
			t.Errorf("the stream at the other replica is %s", text)
		}
		s.replicas.use(1)
		x.do(call("prints", "{}").legacy()).wantStream().wantMessages("notifications/message", "result 1")
		x.do(rpc{method: "resources/unsubscribe", params: `"uri":"test://text"`}.legacy()).wantResult("1")
		x.do(rpc{method: "logging/setLevel", params: `"level":"error"`}.legacy()).wantResult("1")
		synctest.Wait()
		s.ResourceUpdated("test://text")
		s.replicas.use(0)
		x.do(call("prints", "{}").legacy()).wantResult("1")
		time.Sleep(time.Second)
		if text := stream.text(); strings.Count(text, "resources/updated") != 1 {
			t.Errorf("after the end of the subscription the stream is %s", text)
		}
	})
}

// A subscription applies from its reply on, even for a stream at a replica that learns of it a
// moment later.
func TestSharedSubscriptionIsLate(t *testing.T) {
	c := setup{stores: func(_ int, s mcphttp.SessionStore) mcphttp.SessionStore { return lateStore{s} }}
	sharing(t, c, func(t *testing.T, s *testServer, x *session) {
		s.replicas.use(1)
		stream := x.listen()
		s.replicas.use(0)
		x.do(rpc{method: "resources/subscribe", params: `"uri":"test://text"`}.legacy()).wantResult("1")
		s.ResourceUpdated("test://text")
		time.Sleep(10 * time.Second)
		if text := stream.text(); strings.Count(text, "resources/updated") != 1 {
			t.Errorf("the stream is %s", text)
		}
	})
}

// Changes at both replicas at the same time are all stored.
func TestSharedStateConflicts(t *testing.T) {
	sharing(t, setup{}, func(t *testing.T, s *testServer, x *session) {
		const each = 20
		for n := range each {
			uri := fmt.Sprintf("test://part/%d", n)
			s.Register(mcp.TextResource(&mcp.ResourceInfo{URI: uri, Name: uri}, "text"))
		}
		var all []*response
		for n := range each {
			all = append(all, x.start(rpc{method: "resources/subscribe", id: fmt.Sprint(n), params: fmt.Sprintf(`"uri":"test://part/%d"`, n)}.legacy()))
		}
		for n, a := range all {
			a.wait()
			a.wantResult(fmt.Sprint(n))
		}
		for i := range 2 {
			s.replicas.use(i)
			stream := x.listen()
			synctest.Wait()
			stream.next()
			for n := range each {
				s.ResourceUpdated(fmt.Sprintf("test://part/%d", n))
			}
			time.Sleep(time.Second)
			for n := range each {
				if !strings.Contains(stream.text(), fmt.Sprintf(`"test://part/%d"`, n)) {
					t.Errorf("replica %d does not notify of resource %d", i, n)
				}
			}
		}
	})
}

// DELETE closes a session at all replicas, with its calls and streams.
func TestSharedEnd(t *testing.T) {
	var begun, ended atomic.Int32
	hook := mcp.WithSessionHook(func(context.Context, mcp.SessionInfo) func() {
		begun.Add(1)
		return func() { ended.Add(1) }
	})
	sharing(t, setup{server: []mcp.Option{hook}}, func(t *testing.T, s *testServer, x *session) {
		p := s.Script("p")
		x.start(callScripted(p).legacy())
		ctx := p.Started()
		stream := x.listen()
		s.replicas.use(0)
		x.delete().wantStatus(204)
		synctest.Wait()
		if ctx.Err() == nil || !stream.hasEnded() {
			t.Errorf("the call has the error %v, the stream has ended %t", ctx.Err(), stream.hasEnded())
		}
		for i := range 2 {
			s.replicas.use(i)
			s.do(x.withSession(postBody(rpc{method: "ping"}.legacy()))).wantStatus(404)
			s.do(x.withSession(request{method: "GET"})).wantRefusal(404)
			s.do(x.withSession(request{method: "DELETE"})).wantRefusal(404)
		}
		if begun.Load() != 1 || ended.Load() != 1 {
			t.Errorf("hooks have begun %d times and ended %d times", begun.Load(), ended.Load())
		}
	})
}

// The standalone stream is open at one replica at a time, and a client that resumes it elsewhere is
// notified of the changes that it has missed, and of no others.
func TestSharedStandaloneStream(t *testing.T) {
	sharing(t, setup{}, func(t *testing.T, s *testServer, x *session) {
		x.do(rpc{method: "resources/subscribe", params: `"uri":"test://text"`}.legacy()).wantResult("1")
		update := func() {
			s.ResourceUpdated("test://text")
			time.Sleep(time.Second)
		}
		first := x.listen()
		synctest.Wait()
		primed := lastEventID(t, first.next())
		update()
		id := lastEventID(t, first.next())
		first.disconnect()
		update()
		for _, after := range []struct {
			id      string
			updates int
		}{{primed, 2}, {id, 1}, {"", 2}} {
			for i := range 2 {
				s.replicas.use(i)
				var again *response
				if after.id == "" {
					again = x.listen()
				} else {
					again = x.resume(after.id)
				}
				time.Sleep(time.Second)
				if got := strings.Count(again.text(), "resources/updated"); after.id != "" && got != after.updates {
					t.Errorf("after %q: %d updates at replica %d, want %d: %s", after.id, got, i, after.updates, again.text())
				}
				other := x.listen() // the client is gone without a sign
				synctest.Wait()
				if !again.hasEnded() {
					t.Errorf("two streams are open")
				}
				other.disconnect()
			}
		}
		s.replicas.use(0)
		here := x.listen()
		s.replicas.use(1)
		there := x.listen()
		synctest.Wait()
		if !here.hasEnded() || there.hasEnded() {
			t.Errorf("the first stream has ended %t, the second %t", here.hasEnded(), there.hasEnded())
		}
		before := strings.Count(there.text(), "resources/updated")
		update()
		if got := strings.Count(there.text(), "resources/updated") - before; got != 1 {
			t.Errorf("%d updates: %s", got, there.text())
		}
	})
}

// The replica that runs a call is killed. A client that resumes gets the appended messages, then
// one error, however often and wherever it resumes.
func TestInterrupted(t *testing.T) {
	c, first := cutting()
	sharing(t, c, func(t *testing.T, s *testServer, x *session) {
		p := s.Script("p")
		s.replicas.use(0)
		a := x.start(callScripted(p).legacy())
		p.Started()
		p.Log("one")
		p.Log("two")
		synctest.Wait()
		id := firstEventID(t, a.wantStream().next())
		s.replicas.use(1)
		waiting := x.resume(id)
		time.Sleep(10 * time.Second) // the call is running: nothing is interrupted
		waiting.wantOpen().wantMessages("notifications/message")
		first.cut()
		time.Sleep(10 * time.Second)
		m := waiting.wantEnd().wantMessages("error 1")[0]
		if e := m.Error; e.Code != -32603 || !strings.Contains(string(e.Data), `"interrupted"`) {
			t.Errorf("the error is %+v", e)
		}
		last := lastEventID(t, waiting.events())
		p.Log("three") // it goes on, and its messages are too late
		p.Return("done")
		x.resume(id).wantEnd().wantMessages("notifications/message", "error 1")
		s.do(x.withSession(request{method: "GET"}.with("Last-Event-ID: " + last))).wantStatus(204)
	})
}

// A handler that releases its stream completes the response that follows it elsewhere, and the
// client resumes.
func TestReleaseFollower(t *testing.T) {
	sharing(t, setup{}, func(t *testing.T, s *testServer, x *session) {
		p := s.Script("p")
		s.replicas.use(0)
		a := x.start(callScripted(p).legacy())
		p.Started()
		p.Log("one")
		id := lastEventID(t, a.wantStream().next())
		for i := range 2 {
			s.replicas.use(i)
			b := x.resume(id)
			p.Run(func(ctx context.Context) {
				if !mcp.ReleaseStream(ctx, 3*time.Second) {
					t.Error("the stream is not released")
				}
			})
			b.wantEnd().wantMessages()
			if !strings.Contains(b.text(), "retry: 3000\n") {
				t.Errorf("the response at replica %d is %s", i, b.text())
			}
			id = lastEventID(t, b.events())
		}
		p.Return("done")
		x.resume(id).wantEnd().wantMessages("result 1")
	})
}

// Events that belong to another stream are not sent to the client.
func TestForeignEvents(t *testing.T) {
	for _, f := range []func(mcphttp.Event) mcphttp.Event{
		func(e mcphttp.Event) mcphttp.Event { e.Data = e.Data[:len(e.Data)-1]; return e },
		func(e mcphttp.Event) mcphttp.Event { e.Data = nil; return e },
		func(e mcphttp.Event) mcphttp.Event { e.Sequence++; return e },
	} {
		c := setup{stores: func(_ int, s mcphttp.SessionStore) mcphttp.SessionStore { return &changedStore{s, f} }}
		sharing(t, c, func(t *testing.T, s *testServer, x *session) {
			a := x.do(call("steps", `{"n":3}`).legacy())
			b := s.do(x.withSession(request{method: "GET"}.with("Last-Event-ID: " + firstEventID(t, a.wantStream().events()))))
			if b.code() != 500 || strings.Contains(b.text(), "progress") {
				b.fail("want status 500")
			}
		})
	}
}

// The end of a call and its interruption compete for the last event: the client gets one of them.
func TestInterruptedAtTheEnd(t *testing.T) {
	c, first := cutting()
	sharing(t, c, func(t *testing.T, s *testServer, x *session) {
		p := s.Script("p")
		s.replicas.use(0)
		a := x.start(callScripted(p).legacy())
		p.Started()
		p.Log("one")
		id := lastEventID(t, a.wantStream().next())
		a.disconnect()
		p.Return("done")
		synctest.Wait()
		first.cut()
		s.replicas.use(1)
		x.resume(id).wantEnd().wantMessages("result 1")
	})
}

// An answer to a question of a replica that has stopped is refused, so that the client knows.
func TestAnswerToNoReplica(t *testing.T) {
	c, first := cutting()
	sharing(t, c, func(t *testing.T, s *testServer, x *session) {
		s.replicas.use(0)
		a := x.start(call("asks", "{}").legacy())
		m := a.wantStream().wantMessages("elicitation/create")[0]
		s.replicas.use(1)
		x.do(rpc{method: "ping", id: "2"}.legacy()).wantResult("2")
		first.cut()
		x.do(reply(m.ID, acceptName("Ann"))).wantStatus(503)
		x.do(reply(json.RawMessage(`"other"`), acceptName("Ann"))).wantAccepted() // that no replica has sent
	})
}

// While events cannot be appended, a client that is connected gets all messages, without ids.
func TestAppendFails(t *testing.T) {
	c, first := cutting()
	sharing(t, c, func(t *testing.T, s *testServer, x *session) {
		p := s.Script("p")
		s.replicas.use(0)
		a := x.start(callScripted(p).legacy())
		p.Started()
		p.Log("one")
		a.wantStream().next()
		first.cut()
		p.Log("two")
		synctest.Wait()
		p.Run(func(ctx context.Context) {
			if mcp.ReleaseStream(ctx, time.Second) {
				t.Error("the stream is released, and cannot be resumed")
			}
		})
		p.Return("done")
		for _, m := range a.wantEnd().next() {
			if m.hasID {
				t.Errorf("an event that is not stored has an id: %+v", m)
			}
		}
		if text := a.text(); strings.Count(text, "notifications/message") != 2 || !strings.Contains(text, `"done"`) {
			t.Errorf("the stream is %s", text)
		}
		if !strings.Contains(s.log.String(), "cannot be kept") {
			t.Errorf("the log is %s", &s.log)
		}
	})
}

// A response that resumes a stream ends with its replica, even while it is not known whether the
// call is running: the client resumes elsewhere.
func TestSharedResumeEndsWithItsReplica(t *testing.T) {
	var slow *faultyStore
	c := setup{stores: func(i int, s mcphttp.SessionStore) mcphttp.SessionStore {
		if i == 0 {
			return s
		}
		slow = &faultyStore{SessionStore: s, fault: hangs}
		return slow
	}}
	sharing(t, c, func(t *testing.T, s *testServer, x *session) {
		p := s.Script("p")
		s.replicas.use(0)
		a := x.start(callScripted(p).legacy())
		p.Started()
		p.Log("one")
		id := lastEventID(t, a.wantStream().next())
		s.replicas.use(1)
		x.do(rpc{method: "ping", id: "2"}.legacy()).wantResult("2")
		slow.method.Store("Send")
		b := s.start(x.withSession(request{method: "GET"}.with("Last-Event-ID: " + id)))
		time.Sleep(7 * time.Second) // it has sent the other replica a message, and then asks it
		go func() { _ = s.replicas.handlers[1].Shutdown(t.Context()) }()
		b.wantEnd()
		if b.code() != 200 || b.text() != "" {
			b.fail("want an empty response")
		}
		slow.method.Store("")
		s.replicas.use(0)
		p.Return("done")
		x.resume(id).wantEnd().wantMessages("result 1")
		time.Sleep(2 * time.Minute) // the store gives up
	})
}

// Messages of the session are sent while the log waits for a store that cannot append an event.
func TestAppendFailsWithoutLog(t *testing.T) {
	c, first := cutting()
	sharing(t, c, func(t *testing.T, s *testServer, x *session) {
		p := s.Script("p")
		s.replicas.use(0)
		a := x.start(callScripted(p).legacy())
		p.Started()
		p.Log("one")
		a.wantStream().next()
		release := s.log.Hold()
		first.cut()
		p.Return("done")
		a.wantEnd()
		release()
		synctest.Wait()
		if !strings.Contains(a.text(), `"done"`) || !strings.Contains(s.log.String(), "cannot be kept") {
			t.Errorf("the stream is %s, the log %s", a.text(), &s.log)
		}
	})
}

// A copy that has missed a message reads the record: half a minute after the session was closed, or
// with the next request after a change.
func TestLostMessages(t *testing.T) {
	sharing(t, setup{stores: func(_ int, s mcphttp.SessionStore) mcphttp.SessionStore { return lossyStore{s} }}, func(t *testing.T, s *testServer, x *session) {
		s.replicas.use(1)
		x.do(rpc{method: "ping"}.legacy()).wantResult("1")
		s.replicas.use(0)
		x.do(rpc{method: "logging/setLevel", params: `"level":"debug"`}.legacy()).wantResult("1")
		time.Sleep(31 * time.Second)
		s.replicas.use(1)
		x.do(call("prints", "{}").legacy()).wantStream().wantMessages("notifications/message", "result 1")
		s.replicas.use(0)
		x.delete().wantStatus(204)
		time.Sleep(31 * time.Second)
		s.replicas.use(1)
		s.do(x.withSession(postBody(rpc{method: "ping"}.legacy()))).wantStatus(404)
	})
}

// A session that is used for long survives the key with which its record was encrypted.
func TestSharedSessionOutlivesKeys(t *testing.T) {
	c := limits(mcphttp.Limits{IdleTime: time.Hour})
	c.server = append(c.server, mcp.WithStateKeySource(dailyKeys{}))
	sharing(t, c, func(t *testing.T, s *testServer, x *session) {
		for hour := range 5 * 24 {
			s.replicas.use(hour / 40)
			if hour >= 80 {
				s.replicas.use(1) // which has opened its copy with the first keys, or with later ones
			}
			x.do(rpc{method: "ping"}.legacy()).wantResult("1")
			time.Sleep(time.Hour - 10*time.Minute)
		}
	})
}

// dailyKeys are keys for one day, which open for two.
type dailyKeys struct{}

func (dailyKeys) StateKeys(context.Context) (keys [][]byte, err error) {
	day := time.Now().Unix() / (24 * 60 * 60)
	for _, d := range []int64{day, day - 1} {
		keys = append(keys, fmt.Appendf(nil, "the key of the day %d since 1970", d))
	}
	return keys, nil
}

// A session expires when it has been idle at all replicas, and not before.
func TestSharedIdle(t *testing.T) {
	c := limits(mcphttp.Limits{IdleTime: time.Hour})
	sharing(t, c, func(t *testing.T, s *testServer, x *session) {
		s.replicas.use(1)
		for range 8 {
			x.do(rpc{method: "ping"}.legacy()).wantResult("1")
			time.Sleep(30 * time.Minute)
		}
		s.replicas.use(0)
		x.do(rpc{method: "ping"}.legacy()).wantResult("1")
		time.Sleep(2 * time.Hour)
		for i := range 2 {
			s.replicas.use(i)
			s.do(x.withSession(postBody(rpc{method: "ping"}.legacy()))).wantStatus(404)
		}
	})
}

// A DELETE that the store refuses does not keep the session alive: it expires when it has been
// idle.
func TestSharedIdleAfterRefusedEnd(t *testing.T) {
	var store *faultyStore
	c := limits(mcphttp.Limits{IdleTime: time.Hour})
	c.shared = true
	c.stores = func(i int, s mcphttp.SessionStore) mcphttp.SessionStore {
		if i > 0 {
			return s
		}
		store = &faultyStore{SessionStore: s, fault: fails}
		return store
	}
	serve(t, c, func(t *testing.T, s *testServer) {
		s.secrets = append(s.secrets, "nothing")
		s.replicas.use(0)
		x := s.open(revisionD)
		store.method.Store("Delete")
		s.do(x.withSession(request{method: "DELETE"})).wantStatus(503)
		store.method.Store("")
		time.Sleep(2 * time.Hour)
		s.do(x.withSession(postBody(rpc{method: "ping"}.legacy()))).wantStatus(404)
	})
}

// Whatever a store does, requests that need it get status 503 within about five seconds, its error
// messages stay in the log, calls in the session go on, and everything works again when the store
// does.
func TestStoreFaults(t *testing.T) {
	for _, f := range []fault{fails, panics, exits, hangs} {
		var both [2]*faultyStore
		c := setup{shared: true, stores: func(i int, s mcphttp.SessionStore) mcphttp.SessionStore {
			both[i] = &faultyStore{SessionStore: s, fault: f}
			return both[i]
		}}
		serve(t, c, func(t *testing.T, s *testServer) {
			s.secrets = append(s.secrets, "nothing")
			breaks := func(method string) {
				for _, store := range both {
					store.method.Store(method)
				}
			}
			refused := func(what string, a *response, begin time.Time) {
				t.Helper()
				a.wantStatus(503)
				if wait := time.Since(begin); wait > 11*time.Second {
					t.Errorf("fault %d of %s: answered after %s", f, what, wait)
				}
				if strings.Contains(a.text(), "secret") {
					t.Errorf("the client sees %s", a.text())
				}
			}
			breaks("Create")
			begin := time.Now()
			refused("Create", s.do(postBody(initialize(revisionD))), begin)
			breaks("Receive")
			begin = time.Now()
			a := s.do(postBody(initialize(revisionD)))
			if refused("Receive", a, begin); !strings.Contains(a.text(), "the session store cannot be used now") {
				a.fail("%s", a.text())
			}
			breaks("")
			s.replicas.use(0)
			x := s.open(revisionD)
			for method, request := range map[string]request{
				"Update":  postBody(rpc{method: "logging/setLevel", params: `"level":"debug"`}.legacy()),
				"Delete":  {method: "DELETE"},
				"Load":    postBody(rpc{method: "ping"}.legacy()),
				"Receive": postBody(rpc{method: "ping"}.legacy()),
			} {
				s.replicas.use(0)
				if method == "Load" || method == "Receive" {
					s.replicas.use(1)
				}
				breaks(method)
				begin := time.Now()
				refused(method, s.do(x.withSession(request)), begin)
				breaks("")
			}
			s.replicas.use(0)
			breaks("Update") // also for a notification, which would be lost otherwise
			begin = time.Now()
			refused("Update", s.do(x.withSession(postBody(`{"jsonrpc":"2.0","method":"notifications/initialized"}`))), begin)
			breaks("")
			a = x.do(call("steps", `{"n":3}`).legacy())
			id := firstEventID(t, a.wantStream().events())
			breaks("Events")
			begin = time.Now()
			refused("Events", s.do(x.withSession(request{method: "GET"}.with("Last-Event-ID: "+id))), begin)
			for _, method := range []string{"Append", "Send", "Load", "Update"} {
				breaks(method)
				x.do(call("echo", `{}`).legacy()).wantResult("1")
				x.do(call("steps", `{"n":3}`).legacy()).wantStream().wantMessages(
					"notifications/progress", "notifications/progress", "notifications/progress", "result 1")
			}
			breaks("")
			time.Sleep(2 * time.Minute)
			s.replicas.use(1)
			x.do(rpc{method: "ping"}.legacy()).wantResult("1")
			x.resume(id).wantEnd()
		})
	}
}

// firstEventID returns the id of the first event with an id and a message.
func firstEventID(t *testing.T, events []event) string {
	t.Helper()
	for _, e := range events {
		if e.hasID && e.data != "" {
			return e.id
		}
	}
	t.Fatalf("no event of %+v has an id", events)
	return ""
}

// Event ids that no replica has sent are refused, and change nothing.
func TestForgedSharedEventIDs(t *testing.T) {
	sharing(t, setup{}, func(t *testing.T, s *testServer, x *session) {
		p := s.Script("p")
		a := x.start(callScripted(p).legacy())
		p.Started()
		p.Log("one")
		id := lastEventID(t, a.wantStream().next())
		stream, _, _ := strings.Cut(id, "-")
		owner, _, _ := strings.Cut(stream, ".")
		for _, forged := range []string{
			"", "s", "s-", "s--1", "s-x", "s-1-0", "s-1-x", "s-99999999999999999999", stream, stream + "-", stream + "-9", stream + "--1",
			stream + "-1-0", owner + ".0-1", owner + ".01-1", owner + ".2-1", owner + ".-1-1", owner + "-1", "A." + id, strings.ToLower(id), id + "☃", "1-1",
		} {
			s.do(x.withSession(request{method: "GET"}.with("Last-Event-ID: " + forged))).wantRefusal(400)
		}
		other := s.open(revisionD)
		s.do(other.withSession(request{method: "GET"}.with("Last-Event-ID: " + id))).wantRefusal(400)
		p.Return("done")
		a.wantEnd()
	})
}

// A handler with a store needs keys that replicas can share, and sessions.
func TestSessionStoreOptions(t *testing.T) {
	store := failingStores(0, nil)
	keys := mcp.WithStateKeys([]byte("a key of at least thirty-two bytes"))
	for _, c := range []struct {
		server  []mcp.Option
		options []mcphttp.Option
	}{
		{nil, []mcphttp.Option{mcphttp.WithSessionStore(store)}},
		{[]mcp.Option{keys}, []mcphttp.Option{mcphttp.WithSessionStore(store), mcphttp.WithoutSessions()}},
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Error("NewHandler has not panicked")
				}
			}()
			mcphttp.NewHandler(mcp.NewServer(mcp.ServerInfo{Name: "x", Version: "1"}, c.server...), c.options...)
		}()
	}
	_ = mcphttp.NewSSEHandler(mcp.NewServer(mcp.ServerInfo{Name: "x", Version: "1"}), mcphttp.WithSessionStore(store)).Close()
}

// A replica that shuts down waits for answers to its questions, which arrive at another replica,
// until shortly before its deadline.
func TestSharedShutdownWaitsForAnswers(t *testing.T) {
	sharing(t, setup{}, func(t *testing.T, s *testServer, x *session) {
		s.replicas.use(0)
		a, late := x.start(call("asks", "{}").legacy()), x.start(call("asks", "{}").withID("2").legacy())
		asked := a.wantStream().wantMessages("elicitation/create")[0]
		late.wantStream().wantMessages("elicitation/create")
		ended := make(chan error, 1)
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		defer cancel()
		go func() { ended <- s.replicas.handlers[0].Shutdown(ctx) }()
		s.replicas.use(1)
		time.Sleep(10 * time.Second)
		x.do(reply(asked.ID, acceptName("Ann"))).wantAccepted()
		synctest.Wait()
		if text := a.text(); !strings.Contains(text, "Ann") {
			t.Errorf("the stream is %s", text)
		}
		time.Sleep(7 * time.Second)
		if len(ended) > 0 {
			t.Error("Shutdown has not waited for the other question")
		}
		time.Sleep(2 * time.Second)
		if err := <-ended; err != nil {
			t.Error(err)
		}
		if text := late.text(); !strings.Contains(text, "connection closed") {
			t.Errorf("the other stream is %s", text)
		}
	})
}

// slowPubSub takes a while to publish.
type slowPubSub struct {
	mcp.PubSub
	published atomic.Int32
}

func (p *slowPubSub) Publish(ctx context.Context, notice []byte) error {
	time.Sleep(time.Second)
	defer p.published.Add(1)
	return p.PubSub.Publish(ctx, notice)
}

// Shutdown waits until the changes of its last calls are published for other replicas.
func TestShutdownPublishesChanges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		inner := replicatest.NewPubSub()
		defer inner.Close()
		p := &slowPubSub{PubSub: inner}
		server := mcp.NewServer(mcp.ServerInfo{Name: "x", Version: "1"}, mcp.WithPubSub(p))
		server.Register(mcp.TextResource(&mcp.ResourceInfo{URI: "test://a", Name: "a"}, "text"))
		server.Register(mcp.TextResource(&mcp.ResourceInfo{URI: "test://b", Name: "b"}, "text"))
		h := mcphttp.NewHandler(server)
		server.ResourceUpdated("test://a")
		server.ResourceUpdated("test://b")
		if err := h.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
		if n := p.published.Load(); n != 2 {
			t.Errorf("%d of 2 changes are published", n)
		}
		time.Sleep(time.Second)
	})
}
