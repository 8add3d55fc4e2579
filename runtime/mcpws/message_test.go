package mcpws_test

import (
	"fmt"
	"io"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/internal/proof/spec"
	"github.com/mcpgen/mcpgen/runtime/internal/testbed"
	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// Each message is one text frame, even if several are written together.
func TestOneMessageAFrame(t *testing.T) {
	serve(t, setup{}, func(t *testing.T, s *testServer) {
		c := s.open()
		var all []byte
		var want []string
		for i := range 200 {
			all = append(all, testbed.MaskedFrame(fin|textFrame, testbed.Ping(i))...)
			want = append(want, pong(i))
		}
		c.write(all)
		c.want(want...)
		c.send(testbed.Call(1, "echo", `{"text":"a\nb"}`), " \r\n"+testbed.Ping(2)+"\n")
		got := c.inbox.Received()
		if len(got) != 2 || strings.Contains(strings.Join(got, ""), "\n") {
			t.Errorf("received %q", got)
		}
	})
}

// Messages longer than any buffer.
func TestLengths(t *testing.T) {
	serve(t, setup{}, func(t *testing.T, s *testServer) {
		c := s.open()
		for _, n := range []int{0, 1, 125, 126, 4 << 10, 32<<10 - 200, 32 << 10, 64 << 10, 1 << 20} {
			c.send(testbed.Call(n, "echo", fmt.Sprintf(`{"x":%q}`, strings.Repeat("y", n))), testbed.Ping(1))
			got := c.inbox.Received()
			if len(got) != 2 || !strings.Contains(strings.Join(got, ""), `:\"`+strings.Repeat("y", n)+`\"}"`) {
				t.Errorf("%d: received %s", n, testbed.Shorten(got...))
			}
		}
	})
}

func TestFragments(t *testing.T) {
	serve(t, setup{}, func(t *testing.T, s *testServer) {
		c := s.open()
		text := testbed.Call(1, "echo", `{"word":"grün"}`)
		cut := strings.Index(text, "ü") + 1 // inside of a character
		c.frame(textFrame, text[:10])
		c.frame(fin|pingFrame, "between")
		c.frame(moreFrame, text[10:cut])
		c.frame(moreFrame, "")
		c.want("pong between")
		c.frame(fin|moreFrame, text[cut:])
		c.want(`grün`)
	})
}

// A message that is cut off is not processed, even if it looks complete.
func TestBrokenOff(t *testing.T) {
	whole := testbed.Call(1, "block", "{}")
	for name, frames := range map[string][]byte{
		"between fragments": testbed.MaskedFrame(textFrame, whole),
		"before the payload of a fragment": append(testbed.MaskedFrame(textFrame, whole),
			testbed.MaskedFrame(fin|moreFrame, strings.Repeat(" ", 100))[:8]...),
		"in a fragment":                      append(testbed.MaskedFrame(textFrame, whole), testbed.MaskedFrame(fin|moreFrame, strings.Repeat(" ", 100))[:50]...),
		"in a frame":                         testbed.MaskedFrame(fin|textFrame, whole+strings.Repeat(" ", 10_000))[:8000],
		"in a frame, at the end of a buffer": testbed.MaskedFrame(fin|textFrame, whole+strings.Repeat(" ", 10_000))[:8+4096],
	} {
		t.Run(name, func(t *testing.T) {
			serve(t, setup{}, func(t *testing.T, s *testServer) {
				c := s.open()
				c.write(frames)
				synctest.Wait()
				c.conn.Close()
				synctest.Wait()
				if len(s.tools.Causes) != 0 {
					t.Error("a message that has broken off is executed")
				}
			})
		})
	}
}

// A frame is one message: line feeds do not separate messages.
func TestNotOneMessage(t *testing.T) {
	serve(t, setup{}, func(t *testing.T, s *testServer) {
		c := s.open()
		for _, text := range []string{"", testbed.Ping(1) + "\n" + testbed.Ping(2)} {
			c.send(spec.Invalid(text))
			c.want("-32700")
		}
		c.send(testbed.Ping(1))
		c.want(pong(1))
	})
}

func TestBinaryFrame(t *testing.T) {
	serve(t, setup{}, func(t *testing.T, s *testServer) {
		c := s.open()
		c.send(testbed.Call(1, "block", "{}"))
		c.frame(fin|binFrame, testbed.Ping(2))
		time.Sleep(5 * time.Second)
		c.want(`"id":1`, "close 1003 messages are text frames", "end EOF")
		s.tools.WantCancelled(t)
		if log := s.log.String(); !strings.Contains(log, "client sent a binary frame") {
			t.Errorf("the log does not say why: %s", log)
		}
	})
}

// An incomplete binary frame does not keep the connection open.
func TestEndlessBinaryFrame(t *testing.T) {
	serve(t, setup{}, func(t *testing.T, s *testServer) {
		c := s.open()
		c.write(testbed.MaskedFrame(fin|binFrame, strings.Repeat("x", 70_000))[:100])
		time.Sleep(5 * time.Second)
		c.want("close 1003", "end EOF")
	})
}

func TestProtocolErrors(t *testing.T) {
	unmasked := append([]byte{fin | textFrame, byte(len(testbed.Ping(1)))}, testbed.Ping(1)...)
	for name, frame := range map[string][]byte{
		"unmasked":             unmasked,
		"reserved bit":         testbed.MaskedFrame(fin|0x40|textFrame, "{}"),
		"unknown opcode":       testbed.MaskedFrame(fin|0x3, "{}"),
		"stray continuation":   testbed.MaskedFrame(fin|moreFrame, "{}"),
		"interleaved messages": append(testbed.MaskedFrame(textFrame, "{"), testbed.MaskedFrame(fin|textFrame, "}")...),
		"fragmented ping":      testbed.MaskedFrame(pingFrame, ""),
		"long ping":            testbed.MaskedFrame(fin|pingFrame, strings.Repeat("x", 126)),
	} {
		t.Run(name, func(t *testing.T) {
			serve(t, setup{}, func(t *testing.T, s *testServer) {
				c := s.open()
				c.write(frame)
				time.Sleep(5 * time.Second)
				c.want("close 1002", "end EOF")
			})
		})
	}
}

// The error for a message that is too long arrives before the last fragment, and before the end of
// the frame, is sent.
func TestTooLong(t *testing.T) {
	limit := mcp.WithLimits(mcp.Limits{MessageBytes: 300})
	serve(t, setup{server: []mcp.Option{limit}}, func(t *testing.T, s *testServer) {
		c := s.open()
		fits := testbed.Ping(1) + strings.Repeat(" ", 300-len(testbed.Ping(1)))
		const refusal = `"error":{"code":-32600,"message":"invalid request: message is longer than 300 bytes"}`
		spec.Invalid(fits + " " + strings.Repeat(testbed.Ping(1), 100))
		c.frame(textFrame, fits)
		c.want()
		c.frame(moreFrame, " ")
		c.want(refusal)
		for range 100 {
			c.frame(moreFrame, testbed.Ping(1))
		}
		c.frame(fin|pingFrame, "alive")
		c.want("pong alive")
		c.frame(fin|moreFrame, "")
		c.send(testbed.Ping(4))
		c.want(pong(4))

		// The same in one frame.
		frame := testbed.MaskedFrame(fin|textFrame, spec.Invalid(strings.Repeat(testbed.Ping(1), 100)))
		c.write(frame[:1000])
		c.want(refusal)
		c.write(frame[1000:])
		c.send(testbed.Ping(5))
		c.want(pong(5))
	})
}

// TestNoRoom sends messages for which no memory is left. They are refused with their ids, wherever
// these are in the message, in one frame and in several. All others are answered.
func TestNoRoom(t *testing.T) {
	serve(t, setup{server: []mcp.Option{mcp.WithLimits(mcp.Limits{Memory: 512 << 10})}}, func(t *testing.T, s *testServer) {
		c := s.open()
		c.send(testbed.Ping(0))
		c.want(pong(0))
		long := `"params":{"x":"` + strings.Repeat("x", 1<<20) + `"}`
		const refusal = `"error":{"code":-32603,"message":"overloaded: `
		for range 3 {
			c.send(spec.Invalid(`{"id":1,"method":"tools/call",`+long+`,"jsonrpc":"2.0"}`), testbed.Ping(2))
			c.want(`{"jsonrpc":"2.0","id":1,`+refusal, pong(2))
			c.send(spec.Invalid(`{"method":"tools/call",`+long+`,"jsonrpc":"2.0","id":"3"}`), testbed.Ping(2))
			c.want(`{"jsonrpc":"2.0","id":"3",`+refusal, pong(2))
			c.frame(textFrame, `{"id":4,"method":"tools/call",`)
			c.frame(moreFrame, long)
			c.frame(fin|moreFrame, `}`)
			c.want(`{"jsonrpc":"2.0","id":4,` + refusal)
			c.send(spec.Invalid(`{"method":"notifications/cancelled",`+long+`}`), spec.Invalid(`{"result":{},`+long+`,"id":5}`), testbed.Ping(2))
			c.want(pong(2))
			c.send(`{"id":6,"method":"tools/call",` + strings.Repeat(long+",", 5) + `"jsonrpc":"2.0"}`)
			c.want("message is longer than")
		}

		// Without free memory, new connections are refused.
		s.memory.Force(1 << 20)
		if status, _, header := s.refused(); status != 503 || header.Get("Retry-After") == "" {
			t.Errorf("status %d, header %v", status, header)
		}
		c.send(testbed.Ping(7))
		c.want(pong(7))
		s.memory.Release(1 << 20)
		c = s.open()
		c.send(testbed.Ping(8))
		c.want(pong(8))
	})
}

// While a message that is too long is discarded, no memory is charged for it.
func TestTooLongIsNotCharged(t *testing.T) {
	serve(t, setup{server: []mcp.Option{mcp.WithLimits(mcp.Limits{MessageBytes: 1 << 18})}}, func(t *testing.T, s *testServer) {
		c := s.open()
		frame := testbed.MaskedFrame(fin|textFrame, spec.Invalid(strings.Repeat("x", 1<<20)))
		c.write(frame[:200_000])
		synctest.Wait()
		if used := s.memory.Used(); used < 150_000 {
			t.Errorf("%d bytes are charged for what has arrived", used)
		}
		c.write(frame[200_000:500_000])
		c.want("longer than 262144 bytes")
		if used := s.memory.Used(); used > 100_000 {
			t.Errorf("%d bytes are charged", used)
		}
		c.write(frame[500_000:])
		c.send(testbed.Ping(1))
		c.want(pong(1))
	})
}

// The length in a frame header does not allocate memory.
func TestAnnouncedOnly(t *testing.T) {
	serve(t, setup{}, func(t *testing.T, s *testServer) {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for range 100 {
			c := s.open()
			c.write([]byte{fin | textFrame, 0x80 | 127, 0, 0, 0, 0, 0, 0x10, 0, 0, 1, 2, 3, 4, 5})
		}
		synctest.Wait()
		runtime.ReadMemStats(&after)
		if grown := after.TotalAlloc - before.TotalAlloc; grown > 20<<20 {
			t.Errorf("100 announced messages took %d MiB", grown>>20)
		}
	})
}

func TestPingOfClient(t *testing.T) {
	serve(t, setup{}, func(t *testing.T, s *testServer) {
		c := s.open()
		c.frame(fin|pingFrame, "")
		c.want("pong ")
		c.frame(fin|pingFrame, strings.Repeat("p", 125))
		c.want("pong " + strings.Repeat("p", 125))
		c.frame(fin|pongFrame, "unasked")
		c.want()
		// One pong, for the last ping, may answer several pings.
		for i := range 1000 {
			c.frame(fin|pingFrame, fmt.Sprint(i))
		}
		got := c.inbox.Received()
		if len(got) == 0 || got[len(got)-1] != "pong 999" {
			t.Errorf("received %s", testbed.Shorten(got...))
		}
	})
}

// While a client reads a long message slowly, its pings and messages are processed.
func TestPingWhileWriting(t *testing.T) {
	serve(t, setup{}, func(t *testing.T, s *testServer) {
		c := s.openWithoutReading()
		c.send(testbed.Call(1, "block", "{}"), testbed.Call(2, "big", `{"bytes":1000000}`))
		synctest.Wait()
		c.frame(fin|pingFrame, "there?")
		c.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`, testbed.Ping(3))
		synctest.Wait()
		if len(s.tools.Causes) != 1 {
			t.Error("the cancellation waits for the message to be read")
		}
		time.Sleep(20 * time.Second)
		go c.readFrames()
		got := c.inbox.Received()
		if len(got) != 3 || !strings.HasSuffix(got[0], "}") || len(got[0]) < 1_000_000 ||
			strings.Join(got[1:], " ") != "pong there? "+pong(3) && strings.Join(got[1:], " ") != pong(3)+" pong there?" {
			t.Errorf("received %s", testbed.Shorten(got...))
		}
	})
}

func TestPing(t *testing.T) {
	patient := mcp.WithLimits(mcp.Limits{FirstMessageTime: time.Hour})
	serve(t, setup{server: []mcp.Option{patient}}, func(t *testing.T, s *testServer) {
		quiet, alive, busy, notReading := s.open(), s.open(), s.open(), s.openWithoutReading()
		quiet.send(testbed.Call(1, "block", "{}"))
		var sending sync.WaitGroup
		defer sending.Wait()
		sending.Go(func() { // a long message, slowly
			for _, b := range testbed.MaskedFrame(fin|textFrame, testbed.Ping(1)+strings.Repeat(" ", 40)) {
				if _, err := busy.conn.Write([]byte{b}); err != nil {
					return
				}
				time.Sleep(3 * time.Second)
			}
		})
		time.Sleep(29 * time.Second)
		quiet.want()
		time.Sleep(2 * time.Second)
		quiet.want("ping")
		alive.want("ping")
		alive.frame(fin|pongFrame, "")
		busy.want("ping")
		time.Sleep(28 * time.Second)
		quiet.want()
		time.Sleep(2 * time.Second)
		quiet.want("end EOF")
		s.tools.WantCancelled(t)
		if !strings.Contains(s.log.String(), "client does not answer pings") {
			t.Errorf("the log does not say why: %s", s.log.String())
		}
		alive.want("ping")
		// The client that does not read is disconnected too.
		if _, err := io.Copy(io.Discard, notReading.conn); err != nil {
			t.Error(err)
		}
		if !strings.Contains(s.log.String(), "client does not read pings") {
			t.Errorf("the log does not say why: %s", s.log.String())
		}
		for range 10 {
			alive.send(testbed.Ping(7))
			alive.want(pong(7))
			time.Sleep(30 * time.Second)
			alive.want("ping")
		}
		if got := strings.Join(busy.inbox.Received(), "\n"); !strings.Contains(got, pong(1)) {
			t.Errorf("the busy client received %s", got)
		}
	})
}
