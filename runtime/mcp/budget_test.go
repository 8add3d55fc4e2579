package mcp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/internal/proof/spec"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// room returns the option that limits the memory of a server to bytes.
func room(bytes int) mcp.Option { return mcp.WithLimits(mcp.Limits{Memory: bytes}) }

// gaveBack checks that all charges are released.
func gaveBack(t *testing.T, s *mcp.Server) {
	t.Helper()
	for range 1000 {
		if s.Transport().Memory().Used() == 0 {
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Errorf("%d bytes are charged at the end", s.Transport().Memory().Used())
}

const overload = `"error":{"code":-32603,"message":"overloaded: the memory limit of the server is reached; try again later","data":{"reason":"overloaded"}}`

// TestLimitMemory checks that requests which exceed the memory limit are refused, with the id
// wherever it is in the message, and that everything else before and after them is answered.
func TestLimitMemory(t *testing.T) {
	eachWay(t, func(t *testing.T, way string) {
		s := newFixture(quiet, room(1<<20))
		p := dial(t, s, way)
		p.expect(initialize("2025-11-25"), `"serverInfo"`)
		p.send(initialized + "\n")
		large := `{"x":"` + strings.Repeat("y", 2<<20) + `"}`
		for range 3 {
			p.expect(call(1, "echo", large), `"id":1,`+overload)
			p.expect(`{"method":"tools/call","params":{"name":"echo","arguments":`+large+`},"id":"2","jsonrpc":"2.0"}`, `"id":"2",`+overload)
			p.expect(spec.Invalid(`[{"id":3,"jsonrpc":"2.0","method":"ping","params":`+large+`}]`), overload)
			p.expect(request(4, "ping", "{}"), pong)
			p.expect(call(5, "hello", "{}"), `"id":5,"result"`)
			// Neither of these gets a reply.
			p.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":` + large + "}\n" +
				`{"jsonrpc":"2.0","id":6,"result":` + large + "}\n")
			synctest.Wait()
			if got := p.received(); len(got) > 0 {
				t.Errorf("got %.200v", got)
			}
		}
		p.hangUp()
		gaveBack(t, s)
	})
}

// TestMemoryOfOthers has one client use all of the memory. Others get errors for their requests,
// their small messages are answered, and afterwards everything works again.
func TestMemoryOfOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newFixture(quiet, room(1<<20))
		greedy, other := limited(t, s), limited(t, s)
		running := 0
		for i := 1; ; i++ {
			greedy.send(call(i, "block", "{}") + "\n")
			synctest.Wait()
			if received := greedy.received(); len(received) > 0 {
				if len(received) != 1 || !strings.Contains(received[0], overload) {
					t.Fatalf("got %v", received)
				}
				break
			}
			running++
		}
		if running < 40 || running > 64 {
			t.Errorf("%d calls run in a megabyte", running)
		}
		other.expect(call(1, "hello", "{}"), overload)
		other.expect(request(2, "ping", "{}"), pong)
		greedy.expect(request(1000, "ping", "{}"), pong)
		for i := range running {
			greedy.send(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d}}`+"\n", i+1))
		}
		synctest.Wait()
		other.expect(call(3, "hello", "{}"), `"id":3,"result"`)
		greedy.hangUp()
		other.hangUp()
		gaveBack(t, s)
	})
}

// TestReplyBeyondMemory sends replies that are larger than the memory limit, several at a time, and
// some to clients that do not read.
func TestReplyBeyondMemory(t *testing.T) {
	const size = 3 << 20
	for name, reply := range map[string]mcp.Feature{
		"text": mcp.NewTool(mcp.ToolInfo{Name: "give"}, func(context.Context, json.RawMessage) (*mcp.ToolResult, error) {
			return mcp.TextResult(strings.Repeat("x", size)), nil
		}),
		"image": mcp.NewTool(mcp.ToolInfo{Name: "give"}, func(context.Context, json.RawMessage) (*mcp.ToolResult, error) {
			return mcp.ContentResult(mcp.Image{Data: make([]byte, size)}), nil
		}),
		"structured": mcp.NewTool(mcp.ToolInfo{Name: "give"}, func(context.Context, json.RawMessage) (*mcp.ToolResult, error) {
			return &mcp.ToolResult{Structured: []byte(`{"x":"` + strings.Repeat("x", size) + `"}`)}, nil
		}),
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newFixture(quiet, room(1<<20))
				s.Register(reply)
				p := limited(t, s)
				p.send(lines(call(1, "give", "{}"), call(2, "give", "{}"), call(3, "give", "{}")))
				synctest.Wait()
				received := p.received()
				whole := 0
				for _, m := range received {
					if len(m) > size {
						whole++
					} else if !strings.Contains(m, overload) {
						t.Errorf("got %.200s", m)
					}
				}
				if len(received) != 3 || whole == 0 {
					t.Errorf("%d replies, %d of them whole", len(received), whole)
				}

				// Only the first of these replies exceeds the budget, as long as it is not read.
				var stuck []*silentPeer
				for range 6 {
					d := dialSilent(t, s)
					d.send(lines(initialize("2025-11-25"), initialized, call(1, "give", "{}")))
					stuck = append(stuck, d)
				}
				synctest.Wait()
				if used := s.Transport().Memory().Used(); used < size || used > 1<<20+3*size {
					t.Errorf("%d bytes are charged", used)
				}
				p.expect(request(8, "ping", "{}"), pong)
				for _, d := range stuck {
					<-d.done // after Limits.WriteTime
				}
				time.Sleep(time.Minute) // for the replies that wait for a place
				p.expect(call(9, "hello", "{}"), `"id":9,"result"`)
				p.hangUp()
				gaveBack(t, s)
			})
		})
	}
}

// silentPeer is a client that sends and does not read.
type silentPeer struct {
	to   *io.PipeWriter
	done chan struct{}
}

func dialSilent(t *testing.T, s *mcp.Server) *silentPeer {
	inR, inW := io.Pipe()
	_, outW := io.Pipe()
	d := &silentPeer{to: inW, done: make(chan struct{})}
	go func() {
		defer close(d.done)
		_ = s.Serve(t.Context(), jsonrpc.NewLineConn(inR, outW, s.Transport().Limits().MessageBytes))
		inR.Close()
	}()
	return d
}

func (d *silentPeer) send(text string) { _, _ = io.WriteString(d.to, text) }
