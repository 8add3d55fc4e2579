package mcp_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/internal/proof/spec"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpimpl"
)

// limited serves a peer with a session, over the framing of stdio.
func limited(t *testing.T, s *mcp.Server) *peer {
	p := dial(t, s, "stdio")
	p.send(lines(initialize("2025-11-25"), initialized))
	synctest.Wait()
	p.received()
	return p
}

// expect sends a message and checks the message that comes back.
func (p *peer) expect(send, want string) {
	p.t.Helper()
	p.send(strings.TrimSuffix(send, "\n") + "\n")
	synctest.Wait()
	if got := p.received(); len(got) != 1 || !strings.Contains(got[0], want) {
		if len(send) > 300 {
			send = send[:300] + "…"
		}
		p.t.Errorf("%s\nheard %v\nwant  %s", send, got, want)
	}
}

const pong = `"result":{}`

func TestLimitResourceBytes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const limit = 100
		s := mcp.NewServer(fixtureInfo(), quiet, mcp.WithLimits(mcp.Limits{ResourceBytes: limit}))
		add := func(name string, info mcp.ReadInfo, read func(context.Context, *mcp.Request) (*mcp.ResourceResult, error)) {
			s.Register(mcpimpl.FuncResource(&mcp.ResourceInfo{URI: "test://" + name, Name: name, ReadInfo: info}, read))
		}
		var endless atomic.Int64
		for _, size := range []int{limit, limit + 1} {
			what := []byte(strings.Repeat("z", size))
			add(fmt.Sprint("text", size), mcp.ReadInfo{}, func(context.Context, *mcp.Request) (*mcp.ResourceResult, error) {
				return mcp.TextContents(string(what)), nil
			})
			add(fmt.Sprint("blob", size), mcp.ReadInfo{}, func(context.Context, *mcp.Request) (*mcp.ResourceResult, error) {
				return mcp.BlobContents(what), nil
			})
			add(fmt.Sprint("reader", size), mcp.ReadInfo{}, func(_ context.Context, req *mcp.Request) (*mcp.ResourceResult, error) {
				return mcpimpl.ReadBlob(req, bytes.NewReader(what))
			})
		}
		add("own101", mcp.ReadInfo{MaxBytes: 50}, func(context.Context, *mcp.Request) (*mcp.ResourceResult, error) {
			return mcp.TextContents(strings.Repeat("z", 51)), nil
		})
		add("endless101", mcp.ReadInfo{}, func(_ context.Context, req *mcp.Request) (*mcp.ResourceResult, error) {
			return mcpimpl.ReadBlob(req, readerFunc(func(b []byte) (int, error) { endless.Add(int64(len(b))); return len(b), nil }))
		})
		p := limited(t, s)
		for i, name := range []string{"text", "blob", "reader", "own", "endless"} {
			if i < 3 {
				p.expect(request(1, "resources/read", `{"uri":"test://`+name+`100"}`), `"contents"`)
			}
			p.expect(request(2, "resources/read", `{"uri":"test://`+name+`101"}`), `"code":-32603`)
			p.expect(request(2, "resources/read", `{"uri":"test://`+name+`101"}`), `"data":{"reason":"too large"}`)
		}
		if n := endless.Load(); n > 1<<20 {
			t.Errorf("%d bytes were read of what has no end", n)
		}
		p.hangUp()
	})
}

type readerFunc func(b []byte) (int, error)

func (f readerFunc) Read(b []byte) (int, error) { return f(b) }

func TestLimitSubscriptions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := mcp.NewServer(fixtureInfo(), quiet, mcp.WithLimits(mcp.Limits{Subscriptions: 2}))
		s.Register(mcp.NewTemplate(mcp.TemplateInfo{URITemplate: "x://{id}", Name: "x"}, nil))
		subscribe := func(id, uri string) string { return request(1, "resources/subscribe", `{"uri":"`+uri+`"}`) }
		listen := func(id int, uris string) string {
			return request(id, "subscriptions/listen", `{`+modernMeta+`,"notifications":{"resourceSubscriptions":[`+uris+`]}}`)
		}
		p := limited(t, s)
		p.expect(subscribe("1", "x://1"), pong)
		p.expect(subscribe("2", "x://2"), pong)
		p.expect(subscribe("3", "x://3"), `"error":{"code":-32603`)
		p.expect(subscribe("2", "x://2"), pong) // which counts already
		p.expect(listen(4, `"x://4"`), `"error":{"code":-32603`)
		p.expect(listen(5, `"x://1","x://2","x://3"`), `"error":{"code":-32603`)
		p.expect(request(6, "resources/unsubscribe", `{"uri":"x://1"}`), pong)
		p.expect(listen(7, `"x://4"`), "acknowledged")
		p.expect(subscribe("8", "x://5"), `"error":{"code":-32603`)
		p.hangUp()
	})
}

func TestLimitQuestionTime(t *testing.T) {
	spec.Holds(t, "S071", "S072", "S073")
	synctest.Test(t, func(t *testing.T) {
		s := mcp.NewServer(fixtureInfo(), quiet, mcp.WithLimits(mcp.Limits{QuestionTime: 20 * time.Second}))
		var failure error
		tool(s, "ask", func(ctx context.Context) (string, error) {
			_, failure = mcp.Elicit[sure](ctx, "Sure?")
			return "asked", failure
		})
		p := limited(t, s)
		p.expect(call(1, "ask", "{}"), "elicitation/create")
		time.Sleep(20*time.Second - time.Millisecond)
		synctest.Wait()
		if got := p.received(); len(got) != 0 {
			t.Errorf("got too early %v", got)
		}
		time.Sleep(2 * time.Millisecond)
		synctest.Wait()
		got := strings.Join(p.received(), "\n")
		if !strings.Contains(got, "no answer from the client within 20s") || !strings.Contains(got, "notifications/cancelled") || !errors.Is(failure, mcp.ErrNoAnswer) {
			t.Errorf("got %s, %v", got, failure)
		}
		p.hangUp()
	})
}

// A state that the client carries is valid for the same time.
func TestLimitQuestionTimeOfStates(t *testing.T) {
	spec.Holds(t, "S297")
	synctest.Test(t, func(t *testing.T) {
		s := mcp.NewServer(fixtureInfo(), quiet, mcp.WithLimits(mcp.Limits{QuestionTime: 20 * time.Second}))
		tool(s, "ask", func(ctx context.Context) (string, error) {
			_, err := mcp.Elicit[sure](ctx, "Sure?", mcp.WithKey("sure"))
			return "asked", err
		}, func(info *mcp.ToolInfo) { info.Hints.ReadOnly = true })
		p := dial(t, s, "memory")
		const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"elicitation":{}}}`
		p.send(request(1, "tools/call", `{`+meta+`,"name":"ask"}`) + "\n")
		synctest.Wait()
		state := between(t, strings.Join(p.received(), ""), `"requestState":"`, `"`)
		again := request(2, "tools/call", `{`+meta+`,"name":"ask","requestState":"`+state+`","inputResponses":{"sure":{"action":"accept","content":{"yes":true}}}}`)
		time.Sleep(19 * time.Second)
		p.expect(again, `"text":"asked"`)
		time.Sleep(2 * time.Second)
		p.expect(again, "params.requestState has expired")
		p.hangUp()
	})
}

func TestLimitStateBytes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := mcp.NewServer(fixtureInfo(), quiet, mcp.WithLimits(mcp.Limits{StateBytes: 1000}))
		size := 0
		tool(s, "keep", func(ctx context.Context) (string, error) {
			if _, err := mcp.Once(ctx, "k", func() (string, error) { return strings.Repeat("k", size), nil }); err != nil {
				return "", err
			}
			_, err := mcp.Elicit[sure](ctx, "Sure?", mcp.WithKey("sure"))
			return "asked", err
		}, func(info *mcp.ToolInfo) { info.Hints.ReadOnly = true })
		p := dial(t, s, "memory")
		const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"elicitation":{}}}`
		size = 900
		p.expect(request(1, "tools/call", `{`+meta+`,"name":"keep"}`), `"resultType":"input_required"`)
		size = 1100
		p.expect(request(1, "tools/call", `{`+meta+`,"name":"keep"}`), "have 1102 bytes, and at most 1000 are kept")
		// The limit also applies to answers that the client sends without being asked.
		long := request(1, "tools/call", `{`+meta+`,"name":"keep","inputResponses":{"sure":{"action":"accept","content":{"yes":true},"x":"`+strings.Repeat("y", 1000)+`"}}}`)
		p.expect(long, `"data":{"reason":"stateTooLarge"}`)
		p.hangUp()
	})
}

func TestLimitQueueBytes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client, server := jsonrpc.Pipe()
		client = spec.NewConn(t, client)
		slow := &stuck{Conn: server, closed: make(chan struct{})}
		s := mcp.NewServer(fixtureInfo(), quiet, mcp.WithLimits(mcp.Limits{QueueBytes: 2000, WriteTime: time.Hour}))
		var said atomic.Int64
		tool(s, "talk", func(ctx context.Context) (string, error) {
			for i := range 1000 {
				mcp.Progress(ctx, float64(i+1), 0, strings.Repeat("x", 100))
				said.Add(1)
			}
			return "", nil
		})
		done := make(chan error, 1)
		go func() { done <- s.Serve(t.Context(), slow) }()
		_ = client.Write([]byte(initialize("2025-11-25") + "\n"))
		synctest.Wait()
		_ = client.Write([]byte(request(1, "tools/call", `{"name":"talk","_meta":{"progressToken":1}}`) + "\n"))
		synctest.Wait()
		// Each message has approximately 200 bytes.
		if n := said.Load(); n < 5 || n > 20 {
			t.Errorf("the tool has said %d things to somebody who does not listen", n)
		}
		client.Close()
		slow.Close()
		<-done
	})
}

// A handler that ignores the cancellation delays the end of the connection for that time.
// [TestTimeouts] tests timeouts.
func TestLimitGraceTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newFixture(quiet, mcp.WithLimits(mcp.Limits{GraceTime: 3 * time.Second}))
		s.Register(maker("sleep", func(context.Context) (string, error) {
			time.Sleep(time.Minute)
			return "", nil
		}))
		ctx, cancel := context.WithCancel(t.Context())
		p := dialContext(t, ctx, s, "memory")
		p.send(lines(initialize("2025-11-25"), call(1, "sleep", "{}")))
		synctest.Wait()
		started := time.Now()
		cancel()
		<-p.done
		if d := time.Since(started); d != 3*time.Second || p.ended() != "canceled" {
			t.Errorf("ended with %s after %v", p.ended(), d)
		}
		time.Sleep(time.Minute)
		p.gone()
	})
}

// stuck is a connection whose client does not read.
type stuck struct {
	jsonrpc.Conn
	closed chan struct{}
	once   sync.Once
}

func (s *stuck) Write([]byte) error {
	<-s.closed
	return io.ErrClosedPipe
}

func (s *stuck) Close() error {
	s.once.Do(func() { close(s.closed) })
	return s.Conn.Close()
}
