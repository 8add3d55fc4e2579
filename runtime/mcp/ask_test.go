package mcp_test

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/internal/proof/spec"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/mcp"
)

const initialized = `{"jsonrpc":"2.0","method":"notifications/initialized"}`

func TestAskingWithoutACall(t *testing.T) {
	ctx := t.Context()
	_, err := mcp.Elicit[sure](ctx, "Sure?")
	_, err2 := mcp.Roots(ctx)
	_, err3 := mcp.Sample(ctx, &mcp.SampleRequest{})
	_, err4 := mcp.ElicitURL(ctx, "x", "https://example.com")
	_, err5 := mcp.ElicitFields(ctx, "x", &mcp.FormInfo{})
	for _, err := range []error{err, err2, err3, err4, err5} {
		if !errors.Is(err, mcp.ErrNoCall) {
			t.Errorf("the error is %v", err)
		}
	}
	if _, err := mcp.Sample(ctx, nil); err == nil {
		t.Error("a nil request")
	}
	mcp.Progress(ctx, 1, 1, "nobody listens")
	mcp.LinkAnswer{}.Complete(ctx)
	if mcp.Answered(ctx, "x") || mcp.RequestState(ctx) != nil {
		t.Error("nobody has answered")
	}
	if n, err := mcp.Once(ctx, "n", func() (int, error) { return 7, nil }); n != 7 || err != nil {
		t.Errorf("Once: %d, %v", n, err)
	}
}

// Questions in other requests than calls, and from a goroutine that outlives its call, are errors
// in every revision.
func TestAskingAtTheWrongTime(t *testing.T) {
	eachWay(t, func(t *testing.T, way string) {
		var listing error
		s := newTalk(quiet, mcp.WithInterceptors(func(next mcp.Handler) mcp.Handler {
			return func(ctx context.Context, req *mcp.Request) (mcp.Reply, error) {
				if req.Method == "tools/list" {
					_, listing = mcp.Elicit[sure](ctx, "Sure?")
				}
				return next(ctx, req)
			}
		}))
		late := make(chan error, 10)
		release := make(chan struct{})
		tool(s, "late", func(ctx context.Context) (string, error) {
			ctx = context.WithoutCancel(ctx)
			go func() {
				<-release
				_, err := mcp.Elicit[sure](ctx, "Sure?")
				late <- err
				mcp.Progress(ctx, 1, 1, "late")
				mcp.Logger(ctx).Error("late")
			}()
			return "done", nil
		})
		p := dial(t, s, way)
		p.send(lines(initialize("2025-11-25"), initialized, request(1, "tools/list", "{}"), call(2, "late", "{}"), modernTalk(3, "late", "")))
		synctest.Wait()
		p.received()
		close(release)
		synctest.Wait()
		for range 2 {
			if err := <-late; !errors.Is(err, mcp.ErrNoCall) {
				t.Errorf("late: %v", err)
			}
		}
		if !errors.Is(listing, mcp.ErrNoCall) {
			t.Errorf("while listing: %v", listing)
		}
		if got := p.received(); len(got) != 0 {
			t.Errorf("got %v", got)
		}
		p.hangUp()
	})
}

// An interceptor may ask, and sees the questions of the handler as the reply.
func TestInterceptorAsks(t *testing.T) {
	var seen []string
	s := newTalk(quiet, mcp.WithInterceptors(func(next mcp.Handler) mcp.Handler {
		return func(ctx context.Context, req *mcp.Request) (mcp.Reply, error) {
			answer, err := mcp.Elicit[sure](ctx, "May it?", mcp.WithKey("policy"))
			if err != nil {
				return nil, err
			}
			if !answer.Value.Yes {
				return nil, mcp.Errorf("not allowed")
			}
			reply, err := next(ctx, req)
			seen = append(seen, fmt.Sprintf("%T %v", reply, err))
			return reply, err
		}
	}))
	ask := asker(t, s)
	reply := ask(modernTalk(1, "named", ""))
	if !strings.Contains(reply, `"policy":{"method"`) {
		t.Fatalf("first: %s", reply)
	}
	reply = ask(retry(2, "named", "policy", stateOf(t, reply)))
	if !strings.Contains(reply, `"sure":{"method"`) || strings.Contains(reply, `"policy"`) {
		t.Fatalf("second: %s", reply)
	}
	reply = ask(retry(3, "named", "sure", stateOf(t, reply)))
	if !strings.Contains(reply, "accepttrue") {
		t.Fatalf("third: %s", reply)
	}
	if got := strings.Join(seen, ", "); got != "*mcp.InputRequired <nil>, *mcp.ToolResult <nil>" {
		t.Errorf("the interceptor saw %s", got)
	}
}

func TestPendingEndsTheContext(t *testing.T) {
	s := newTalk(quiet)
	var cause, after, once error
	tool(s, "pending", func(ctx context.Context) (string, error) {
		_, err := mcp.Elicit[sure](ctx, "Sure?")
		<-ctx.Done()
		cause = context.Cause(ctx)
		_, after = mcp.Roots(context.WithoutCancel(ctx))
		_, once = mcp.Once(ctx, "x", func() (int, error) { t.Error("it ran"); return 0, nil })
		return "", fmt.Errorf("wrapped: %w", err)
	})
	if reply := asker(t, s)(modernTalk(1, "pending", "")); !strings.Contains(reply, "input_required") {
		t.Errorf("got %s", reply)
	}
	for _, err := range []error{cause, after, once} {
		if !errors.Is(err, mcp.ErrPending) {
			t.Errorf("the error is %v", err)
		}
	}
}

// Questions may take a quarter of InFlight.
func TestOpenQuestions(t *testing.T) {
	eachWay(t, func(t *testing.T, way string) {
		p := dial(t, newTalk(quiet, mcp.WithLimits(mcp.Limits{InFlight: 8})), way)
		p.send(lines(initialize("2025-11-25"), initialized, call(1, "named", "{}"), call(2, "named", "{}")))
		synctest.Wait()
		p.received()
		p.send(lines(call(3, "named", "{}")))
		synctest.Wait()
		if got := p.received(); len(got) != 1 || !strings.Contains(got[0], "2 questions are open") {
			t.Errorf("got %v", got)
		}
		p.hangUp()
	})
}

// Limits that derive from the largest limits are at least as large as the default ones.
func TestBoundsOfLargestLimits(t *testing.T) {
	eachWay(t, func(t *testing.T, way string) {
		s := newTalk(quiet, mcp.WithLimits(mcp.Limits{InFlight: math.MaxInt, Subscriptions: math.MaxInt}))
		s.Register(mcp.NewTemplate(mcp.TemplateInfo{URITemplate: "x://{id}", Name: "x"}, nil))
		p := dial(t, s, way)
		p.send(lines(initialize("2025-11-25"), initialized, call(1, "named", "{}"),
			request(2, "resources/subscribe", `{"uri":"x://`+strings.Repeat("a", 1000)+`"}`)))
		synctest.Wait()
		if got := strings.Join(p.received(), "\n"); !strings.Contains(got, "elicitation/create") || !strings.Contains(got, `"id":2,"result":{}`) {
			t.Errorf("got %v", got)
		}
		p.hangUp()
	})
}

// The time of a tool goes on after the answer.
func TestTimeoutAfterAQuestion(t *testing.T) {
	eachWay(t, func(t *testing.T, way string) {
		s := newTalk(quiet)
		ended := make(chan error, 1)
		tool(s, "overdue", func(ctx context.Context) (string, error) {
			first, ok := ctx.Deadline()
			if _, err := mcp.Elicit[sure](ctx, "Sure?"); err != nil {
				return "", err
			}
			second, _ := ctx.Deadline()
			if d := second.Sub(first); !ok || d != 30*time.Second {
				t.Errorf("the deadline has moved by %v", d)
			}
			child, cancel := context.WithCancel(ctx)
			defer cancel()
			<-child.Done()
			if !errors.Is(ctx.Err(), context.DeadlineExceeded) {
				t.Errorf("Err is %v", ctx.Err())
			}
			ended <- context.Cause(child)
			return "", ctx.Err()
		}, func(info *mcp.ToolInfo) { info.Timeout = 2 * time.Second })
		p := dial(t, s, way)
		p.send(lines(initialize("2025-11-25"), initialized, call(1, "overdue", "{}")))
		time.Sleep(30 * time.Second)
		p.received()
		p.send(lines(answer(1, `{"action":"decline"}`)))
		started := time.Now()
		if err := <-ended; !errors.Is(err, mcp.ErrTimeout) || time.Since(started) != 2*time.Second {
			t.Errorf("ended with %v after %v", err, time.Since(started))
		}
		synctest.Wait()
		if got := p.received(); len(got) != 1 || !strings.Contains(got[0], "timed out after 2s") {
			t.Errorf("got %v", got)
		}
		p.hangUp()
	})
}

func TestProgressIncreases(t *testing.T) {
	spec.Holds(t, "S188")
	s := newTalk(quiet)
	tool(s, "busy", func(ctx context.Context) (string, error) {
		var all sync.WaitGroup
		var done atomic.Int64
		for range 8 {
			all.Go(func() {
				for range 50 {
					mcp.Progress(ctx, float64(done.Add(1)), math.Inf(1), "x")
				}
			})
		}
		all.Wait()
		mcp.Progress(ctx, math.NaN(), 1, "")
		mcp.Progress(ctx, math.Inf(1), 1, "")
		return "done", nil
	})
	conn, wait := s.Connect(t.Context())
	conn = spec.NewConn(t, conn)
	defer wait()
	defer conn.Close()
	conn.Write([]byte(initialize("2025-11-25") + "\n"))
	conn.Read()
	conn.Write([]byte(request(1, "tools/call", `{"name":"busy","_meta":{"progressToken":1}}`) + "\n"))
	last := 0.0
	for {
		text, err := conn.Read()
		if err != nil {
			t.Fatal(err)
		}
		var m struct {
			ID     *int
			Params struct{ Progress float64 }
		}
		if err := json.Unmarshal(text, &m); err != nil {
			t.Fatal(err)
		}
		if m.ID != nil {
			break
		}
		if m.Params.Progress <= last {
			t.Errorf("%v after %v", m.Params.Progress, last)
		}
		last = m.Params.Progress
	}
	if last == 0 {
		t.Error("no progress")
	}
}

// A client that goes away while it is asked, in the middle of many calls.
func TestDisconnectWhileAsked(t *testing.T) {
	eachWay(t, func(t *testing.T, way string) {
		s := newTalk(quiet)
		causes := make(chan error, 100)
		tool(s, "asked", func(ctx context.Context) (string, error) {
			_, err := mcp.Elicit[sure](ctx, "Sure?")
			causes <- err
			return "", err
		})
		p := dial(t, s, way)
		p.send(lines(initialize("2025-11-25"), initialized))
		for i := range 20 {
			p.send(call(i+1, "asked", "{}") + "\n")
		}
		synctest.Wait()
		p.hangUp()
		for range 20 {
			if err := <-causes; !errors.Is(err, mcp.ErrConnectionClosed) {
				t.Errorf("the error is %v", err)
			}
		}
	})
}

// survivor is a client that reads slowly, cancels a tenth of its calls, and answers no question.
type survivor struct {
	t        *testing.T
	conn     jsonrpc.Conn
	mu       sync.Mutex
	answered map[string]bool
}

var survived = flag.Int("calls", 1000, "calls of TestManyCallsSurvive; 10000 for the long form")

// TestManyCallsSurvive runs calls of which a tenth is cancelled, with questions that are never
// answered, progress and logs, by a client that reads slowly and goes away in the middle: no call
// is stuck, and memory stays flat. TestMain finds goroutines that are left.
func TestManyCallsSurvive(t *testing.T) {
	calls := *survived
	s := newTalk(quiet, mcp.WithLimits(mcp.Limits{QuestionTime: 20 * time.Millisecond, InFlight: 1 << 20}))
	round := func() {
		conn, wait := s.Connect(context.Background())
		conn = spec.NewConn(t, conn)
		c := &survivor{t: t, conn: conn, answered: map[string]bool{}}
		c.run(calls / 2)
		conn.Close()
		wait()
		// Another one goes away before it has read its answers.
		conn, wait = s.Connect(context.Background())
		conn = spec.NewConn(t, conn)
		conn.Write([]byte(initialize("2025-11-25") + "\n" + initialized + "\n"))
		for i := range calls / 2 {
			if conn.Write([]byte(c.call(i+1)+"\n")) != nil {
				break
			}
			if i == calls/4 {
				conn.Close()
			}
		}
		wait()
	}
	round()
	before := heap()
	round()
	after := heap()
	if after > before+4<<20 {
		t.Errorf("%d bytes are in use, and %d were before", after, before)
	}
}

func heap() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// call makes the i-th call: of tools that send messages, ask, and both, in two revisions.
func (c *survivor) call(i int) string {
	switch i % 5 {
	case 0:
		return request(i, "tools/call", `{"name":"report","_meta":{"progressToken":`+strconv.Itoa(i)+`}}`)
	case 1:
		return modernTalk(i, "steps", "")
	case 2:
		return call(i, "named", "{}")
	}
	return call(i, "stream", "{}")
}

func (c *survivor) run(calls int) {
	c.conn.Write([]byte(initialize("2025-11-25") + "\n" + initialized + "\n"))
	c.conn.Read()
	finished := make(chan struct{})
	go func() {
		defer close(finished)
		c.read()
	}()
	for i := 1; i <= calls; i++ {
		c.send(c.call(i))
		if i%10 == 0 {
			c.send(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d}}`, i))
		}
	}
	c.send(`{"jsonrpc":"2.0","id":"last","method":"ping"}`)
	c.conn.(interface{ CloseWrite() error }).CloseWrite()
	<-finished
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := 1; i <= calls; i++ {
		if !c.answered[strconv.Itoa(i)] && i%10 != 0 {
			c.t.Errorf("call %d is stuck", i)
			return
		}
	}
}

func (c *survivor) send(text string) {
	if err := c.conn.Write([]byte(text + "\n")); err != nil {
		c.t.Errorf("send: %v", err)
	}
}

// read reads the messages of the server, slowly, until the end.
func (c *survivor) read() {
	for n := 0; ; n++ {
		text, err := c.conn.Read()
		if err != nil {
			if !errors.Is(err, io.EOF) {
				c.t.Errorf("read: %v", err)
			}
			return
		}
		if n%512 == 0 {
			time.Sleep(time.Millisecond)
		}
		m, bad := jsonrpc.Parse(text)
		if bad != nil {
			c.t.Errorf("%s: %v", text, bad)
			return
		}
		if m.Kind != jsonrpc.Response {
			continue // no question is answered
		}
		id := m.ID.String()
		c.mu.Lock()
		if c.answered[id] {
			c.t.Errorf("%s is answered twice", id)
		}
		c.answered[id] = true
		c.mu.Unlock()
	}
}

// Goroutines that outlive the handler can no longer ask, even if the answer has not been sent yet:
// they must not turn a result into a question.
func TestAskingBeforeTheAnswerIsSent(t *testing.T) {
	for _, text := range []string{call(1, "quick", "{}"), modernTalk(1, "quick", "")} {
		synctest.Test(t, func(t *testing.T) {
			late := make(chan error, 1)
			s := newTalk(quiet, mcp.WithInterceptors(func(next mcp.Handler) mcp.Handler {
				return func(ctx context.Context, req *mcp.Request) (mcp.Reply, error) {
					reply, err := next(ctx, req)
					if req.Name == "quick" {
						_, wrong := mcp.Elicit[sure](ctx, "Sure?")
						late <- wrong
					}
					return reply, err
				}
			}))
			tool(s, "quick", func(context.Context) (string, error) { return "result", nil })
			p := dial(t, s, "memory")
			p.send(lines(initialize("2025-11-25"), initialized))
			synctest.Wait()
			p.received()
			p.send(text + "\n")
			synctest.Wait()
			if got := p.received(); len(got) != 1 || !strings.Contains(got[0], `"text":"result"`) {
				t.Errorf("got %v", got)
			}
			if err := <-late; !errors.Is(err, mcp.ErrNoCall) {
				t.Errorf("late: %v", err)
			}
			p.hangUp()
		})
	}
}
