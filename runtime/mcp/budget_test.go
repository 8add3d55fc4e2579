package mcp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/internal/spec"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// room returns the option that leaves a server so many bytes.
func room(bytes int) mcp.Option { return mcp.WithLimits(mcp.Limits{Memory: bytes}) }

// gaveBack checks that nothing is charged any more.
func gaveBack(t *testing.T, s *mcp.Server) {
	t.Helper()
	for range 1000 {
		if mcp.Memory(s).Used() == 0 {
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Errorf("%d bytes are charged at the end", mcp.Memory(s).Used())
}

const overload = `"error":{"code":-32603,"message":"overloaded: the server holds as much for its clients as it may; try again later","data":{"reason":"overloaded"}}`

// TestLimitMemory refuses what there is no room for, with its id wherever that stands,
// and answers everything else before and after it.
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
			// Neither of these has a reply.
			p.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":` + large + "}\n" +
				`{"jsonrpc":"2.0","id":6,"result":` + large + "}\n")
			synctest.Wait()
			if got := p.received(); len(got) > 0 {
				t.Errorf("heard %.200v", got)
			}
		}
		p.hangUp()
		gaveBack(t, s)
	})
}

// TestMemoryOfOthers has one client take all that there is. Others get errors for what
// they ask, their small messages are answered, and afterwards all goes on.
func TestMemoryOfOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newFixture(quiet, room(1<<20))
		greedy, other := limited(t, s), limited(t, s)
		running := 0
		for i := 1; ; i++ {
			greedy.send(call(i, "block", "{}") + "\n")
			synctest.Wait()
			if heard := greedy.received(); len(heard) > 0 {
				if len(heard) != 1 || !strings.Contains(heard[0], overload) {
					t.Fatalf("heard %v", heard)
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

// TestReplyBeyondMemory sends replies that are larger than all that there is, several
// at a time, and some to clients that do not read.
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
				heard := p.received()
				whole := 0
				for _, m := range heard {
					if len(m) > size {
						whole++
					} else if !strings.Contains(m, overload) {
						t.Errorf("heard %.200s", m)
					}
				}
				if len(heard) != 3 || whole == 0 {
					t.Errorf("%d replies, %d of them whole", len(heard), whole)
				}

				// No more than the first of these goes beyond, as long as it is not read.
				var stuck []*deafPeer
				for range 6 {
					d := dialDeaf(t, s)
					d.send(lines(initialize("2025-11-25"), initialized, call(1, "give", "{}")))
					stuck = append(stuck, d)
				}
				synctest.Wait()
				if used := mcp.Memory(s).Used(); used < size || used > 1<<20+3*size {
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

// deafPeer is a client that sends and does not read.
type deafPeer struct {
	to   *io.PipeWriter
	done chan struct{}
}

func dialDeaf(t *testing.T, s *mcp.Server) *deafPeer {
	inR, inW := io.Pipe()
	_, outW := io.Pipe()
	d := &deafPeer{to: inW, done: make(chan struct{})}
	go func() {
		defer close(d.done)
		_ = s.Serve(t.Context(), jsonrpc.NewLineConn(inR, outW, mcp.MessageBytes(s)))
		inR.Close()
	}()
	return d
}

func (d *deafPeer) send(text string) { _, _ = io.WriteString(d.to, text) }

// TestMemoryOfReplies makes a thousand calls with a megabyte each over one pipe that is
// not read. What is live stays within the budget and the replies beyond it, and other
// clients are answered.
func TestMemoryOfReplies(t *testing.T) {
	const memory, size, calls = 32 << 20, 1 << 20, 1000
	s := mcp.NewServer(fixtureInfo(), quiet, mcp.WithLimits(mcp.Limits{Memory: memory, ResultBytes: 2 << 20, WriteTime: time.Minute, DrainTime: time.Millisecond, GraceTime: time.Millisecond}))
	text := strings.Repeat("x", size)
	result := mcp.TextResult(text)
	var called sync.WaitGroup
	called.Add(calls)
	s.Register(mcp.NewTool(mcp.ToolInfo{Name: "give"}, func(context.Context, json.RawMessage) (*mcp.ToolResult, error) {
		called.Done()
		called.Wait()
		return result, nil
	}))
	s.Register(mcp.NewTool(mcp.ToolInfo{Name: "hello"}, func(context.Context, json.RawMessage) (*mcp.ToolResult, error) {
		return mcp.DoneResult(), nil
	}))
	before := live()
	d := dialDeaf(t, s)
	d.send(lines(initialize("2025-11-25"), initialized))
	for i := range calls {
		d.send(call(i+1, "give", "{}") + "\n")
	}
	called.Wait()
	if grown := live() - before; grown > memory+mcp.LargeReplies*4*(2<<20)+4<<20 {
		t.Errorf("%d MB are live", grown>>20)
	} else {
		t.Logf("%d MB are live, %d are charged", grown>>20, mcp.Memory(s).Used()>>20)
	}
	other, wait := s.Connect(t.Context())
	if err := other.Write([]byte(lines(initialize("2025-11-25"), initialized, call(1, "hello", "{}")))); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"serverInfo", "done"} {
		if answer, err := other.Read(); err != nil || !strings.Contains(string(answer), want) {
			t.Errorf("other clients read %s, %v", answer, err)
		}
	}
	_ = other.Close()
	_ = wait()
	d.to.Close()
	<-d.done
	gaveBack(t, s)
}

// live returns how many bytes are live.
func live() int64 {
	runtime.GC()
	runtime.GC() // what pools keep survives one
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
