package mcp_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
	"github.com/mcpgen/mcpgen/runtime/internal/transport"
	"github.com/mcpgen/mcpgen/runtime/mcp"
)

var motto = mcp.TextResource(&mcp.ResourceInfo{URI: "test://motto", Name: "motto"}, "Read.")

const listChanged = "notifications/tools/list_changed"

// A session that sends initialized twice gets each notification once, and none after it is closed.
func TestInitializedTwice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newFixture(quiet)
		p := dial(t, s, "memory")
		p.send(lines(initialize("2025-11-25"), initialized, initialized))
		synctest.Wait()
		p.received()
		s.Register(named("late", "Late"))
		synctest.Wait()
		if got := p.received(); len(got) != 1 || !strings.Contains(got[0], listChanged) {
			t.Errorf("received %q", got)
		}
		p.hangUp()
		synctest.Wait()
		if n := mcp.Subscribers(s); n != 0 {
			t.Errorf("%d subscribers are left", n)
		}
	})
}

// Without a policy, updates of any URI are sent, however often it is percent-encoded.
func TestUpdateOfAnyURI(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		uri := "test://%" + strings.Repeat("25", 20) + "41"
		s := mcp.NewServer(fixtureInfo(), quiet)
		s.Register(mcp.TextResource(&mcp.ResourceInfo{URI: uri, Name: "a"}, "text"))
		p := dial(t, s, "memory")
		p.send(lines(initialize("2025-11-25"), initialized, request(1, "resources/subscribe", `{"uri":"`+uri+`"}`)))
		synctest.Wait()
		p.received()
		s.ResourceUpdated(uri)
		synctest.Wait()
		if got := p.received(); len(got) != 1 || !strings.Contains(got[0], uri) {
			t.Errorf("received %q", got)
		}
		p.hangUp()
	})
}

// A subscription that exceeds the memory of the server is refused, and does not count.
func TestSubscriptionsWithoutRoom(t *testing.T) {
	for _, modern := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			var s *mcp.Server
			full := true
			s = mcp.NewServer(fixtureInfo(), quiet, mcp.WithLimits(mcp.Limits{Subscriptions: 1}), mcp.WithInterceptors(func(next mcp.Handler) mcp.Handler {
				return func(ctx context.Context, req *mcp.Request) (mcp.Reply, error) {
					if full && (req.Method == "resources/subscribe" || req.Method == "subscriptions/listen") {
						const all = 1<<31 - 1
						s.Transport().Memory().Force(all)
						defer s.Transport().Memory().Release(all)
					}
					return next(ctx, req)
				}
			}))
			s.Register(motto)
			p := dial(t, s, "memory")
			subscribe := func(id int) string { return request(id, "resources/subscribe", `{"uri":"test://motto"}`) }
			done := `"result":{}`
			if modern {
				subscribe = func(id int) string {
					return request(id, "subscriptions/listen", `{`+modernMeta+`,"notifications":{"resourceSubscriptions":["test://motto"]}}`)
				}
				done = "acknowledged"
			} else {
				p.send(lines(initialize("2025-11-25"), initialized))
				synctest.Wait()
				p.received()
			}
			synctest.Wait()
			before := s.Transport().Memory().Used()
			for id := range 3 {
				p.expect(subscribe(id), overload)
			}
			if used := s.Transport().Memory().Used(); used != before {
				t.Errorf("modern %t: %d bytes are charged", modern, used-before)
			}
			full = false
			p.expect(subscribe(4), done)
			p.hangUp()
			gaveBack(t, s)
		})
	}
}

// A session whose client exceeds the memory of the server is not opened.
func TestSessionWithoutRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newFixture(quiet)
		p := dial(t, s, "memory")
		synctest.Wait()
		s.Transport().Memory().Force(1<<31 - 1)
		p.expect(initialize("2025-11-25"), overload)
		s.Transport().Memory().Release(1<<31 - 1)
		p.expect(initialize("2025-11-25"), `"serverInfo"`)
		p.hangUp()
		gaveBack(t, s)
	})
}

// A request that is refused at its start leaves no charge.
func TestRefusedCallsCostNothing(t *testing.T) {
	for name, limits := range map[string]mcp.Limits{
		"calls": {Calls: 1}, "in flight": {InFlight: 1}, "same id": {},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := newFixture(quiet, mcp.WithLimits(limits))
			p := limited(t, s)
			p.send(call(1, "block", "{}") + "\n")
			synctest.Wait()
			before := s.Transport().Memory().Used()
			for range 3 {
				p.expect(call(1, "block", "{}"), `"error"`)
			}
			if used := s.Transport().Memory().Used(); used != before {
				t.Errorf("%s: %d bytes are charged", name, used-before)
			}
			p.hangUp()
			gaveBack(t, s)
		})
	}
}

// sinkLog is a sink that records messages.
type sinkLog struct {
	replies, notifications []string
}

func (s *sinkLog) Reply(message []byte, _ int)  { s.replies = append(s.replies, string(message)) }
func (s *sinkLog) Answer(message []byte, _ int) { s.Reply(message, 0) }
func (s *sinkLog) Refuse(message []byte, _ int) { s.Reply(message, 0) }
func (s *sinkLog) Notify(message []byte)        { s.notifications = append(s.notifications, string(message)) }
func (s *sinkLog) FlushAsync()                  {}
func (s *sinkLog) Wait()                        {}
func (s *sinkLog) Flush()                       {}
func (s *sinkLog) Full() bool                   { return false }

// give passes a message to a connection, and returns the replies.
func give(t *testing.T, host transport.Server, conn transport.Conn, text string) *sinkLog {
	t.Helper()
	in := host.NewMessage()
	if err := in.Parse(append(in.Buffer(), text...)); err != nil {
		t.Fatal(err)
	}
	out := new(sinkLog)
	conn.Take(in, transport.Caller{}, out)
	synctest.Wait()
	return out
}

// Without a channel for messages that do not belong to a request, there are no subscriptions.
func TestConnectionsWithoutChannel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := mcp.NewServer(fixtureInfo(), quiet)
		s.Register(motto)
		host := s.Transport()
		conn := host.Open(t.Context(), transport.Options{Revision: protocol.Negotiate("2025-11-25")})
		give(t, host, conn, initialized)
		if n := mcp.Subscribers(s); n != 0 {
			t.Errorf("%d subscribers", n)
		}
		for _, method := range []string{"resources/subscribe", "resources/unsubscribe"} {
			out := give(t, host, conn, request(1, method, `{"uri":"test://motto"}`))
			if len(out.replies) != 1 || !strings.Contains(out.replies[0], `"code":-32601`) {
				t.Errorf("%s: %q", method, out.replies)
			}
		}
		conn.Close()
	})
}

// A request after its connection is closed is refused. A request that the client abandons gets no
// reply, and the context of its handler contains the cause.
func TestRequestsAtTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var cause error
		s := mcp.NewServer(fixtureInfo(), quiet)
		tool(s, "wait", func(ctx context.Context) (string, error) {
			<-ctx.Done()
			cause = context.Cause(ctx)
			return "", cause
		})
		host := s.Transport()
		conn := host.Open(t.Context(), transport.Options{Revision: protocol.Negotiate("2025-11-25")})
		out := give(t, host, conn, call(1, "wait", "{}"))
		conn.Cancel()
		synctest.Wait()
		if fmt.Sprintf("%q", out.replies) != `[""]` || !errors.Is(cause, mcp.ErrCancelled) {
			t.Errorf("replies %q, cause %v", out.replies, cause)
		}
		conn.Close()
		out = give(t, host, conn, call(2, "wait", "{}"))
		if len(out.replies) != 1 || !strings.Contains(out.replies[0], `"reason":"closed"`) {
			t.Errorf("replies %q", out.replies)
		}
		gaveBack(t, s)
	})
}

// A subscription of a session that has just been rejected is refused.
func TestSubscribeInARejectedSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rejected := make(chan struct{})
		waiting := make(chan struct{})
		s := mcp.NewServer(fixtureInfo(), quiet, mcp.WithInterceptors(func(next mcp.Handler) mcp.Handler {
			return func(ctx context.Context, req *mcp.Request) (mcp.Reply, error) {
				switch req.Method {
				case "initialize":
					<-waiting
					return nil, errors.New("not now")
				case "resources/subscribe":
					close(waiting)
					<-rejected
				}
				return next(ctx, req)
			}
		}))
		s.Register(motto)
		p := dial(t, s, "memory")
		p.send(lines(initialize("2025-11-25"), request(7, "resources/subscribe", `{"uri":"test://motto"}`)))
		synctest.Wait()
		if got := p.received(); len(got) != 1 || !strings.Contains(got[0], `"error"`) {
			t.Fatalf("received %q", got)
		}
		close(rejected)
		synctest.Wait()
		if got := p.received(); len(got) != 1 || !strings.Contains(got[0], `"id":7,"error":{"code":-32601`) {
			t.Errorf("received %q", got)
		}
		p.hangUp()
		gaveBack(t, s)
	})
}

// stuckConn is a connection whose client sends some messages and does not read.
type stuckConn struct {
	messages []string
	closed   bool
}

func (c *stuckConn) Read() ([]byte, error) {
	if len(c.messages) == 0 {
		return nil, io.EOF
	}
	next := c.messages[0]
	c.messages = c.messages[1:]
	return []byte(next), nil
}

func (c *stuckConn) Write([]byte) error { return errors.New("broken pipe") }
func (c *stuckConn) Close() error       { c.closed = true; return nil }

// A connection that exceeds the memory of the server is closed.
func TestConnectionWithoutRoom(t *testing.T) {
	s := newFixture(quiet, room(1000))
	conn := new(stuckConn)
	if err := s.Serve(t.Context(), conn); err == nil || !conn.closed {
		t.Errorf("served: %v, closed: %t", err, conn.closed)
	}
}

// If the client has closed its input and does not read, its calls end at once.
func TestBrokenWhileDraining(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newFixture(quiet)
		conn := &stuckConn{messages: []string{initialize("2025-11-25"), call(1, "wait", "{}")}}
		var waited time.Duration
		tool(s, "wait", func(ctx context.Context) (string, error) {
			began := time.Now()
			<-ctx.Done()
			waited = time.Since(began)
			return "", nil
		})
		err := s.Serve(t.Context(), conn)
		if err == nil || !strings.Contains(err.Error(), "broken pipe") || !conn.closed {
			t.Errorf("served: %v, closed: %t", err, conn.closed)
		}
		if waited != 0 {
			t.Errorf("the context of the handler ended after %v", waited)
		}
	})
}
