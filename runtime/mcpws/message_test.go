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

	"github.com/mcpgen/mcpgen/internal/spec"
	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// One message is one text frame, also where many are answered together.
func TestOneMessageAFrame(t *testing.T) {
	visit(t, setup{}, func(t *testing.T, s *site) {
		c := s.open()
		var all []byte
		var want []string
		for i := range 200 {
			all = append(all, masked(fin|textFrame, ping(i))...)
			want = append(want, pong(i))
		}
		c.write(all)
		c.wants(want...)
		c.say(call(1, "echo", `{"text":"a\nb"}`), " \r\n"+ping(2)+"\n")
		got := c.received()
		if len(got) != 2 || strings.Contains(strings.Join(got, ""), "\n") {
			t.Errorf("heard %q", got)
		}
	})
}

// Frames longer than all buffers on their way.
func TestLengths(t *testing.T) {
	visit(t, setup{}, func(t *testing.T, s *site) {
		c := s.open()
		for _, n := range []int{0, 1, 125, 126, 4 << 10, 32<<10 - 200, 32 << 10, 64 << 10, 1 << 20} {
			c.say(call(n, "echo", fmt.Sprintf(`{"x":%q}`, strings.Repeat("y", n))), ping(1))
			got := c.received()
			if len(got) != 2 || !strings.Contains(strings.Join(got, ""), `:\"`+strings.Repeat("y", n)+`\"}"`) {
				t.Errorf("%d: heard %s", n, short(got))
			}
		}
	})
}

func TestFragments(t *testing.T) {
	visit(t, setup{}, func(t *testing.T, s *site) {
		c := s.open()
		text := call(1, "echo", `{"word":"grün"}`)
		cut := strings.Index(text, "ü") + 1 // inside of a character
		c.frame(textFrame, text[:10])
		c.frame(fin|pingFrame, "between")
		c.frame(moreFrame, text[10:cut])
		c.frame(moreFrame, "")
		c.wants("pong between")
		c.frame(fin|moreFrame, text[cut:])
		c.wants(`grün`)
	})
}

// A message that breaks off is none, even if it looks whole.
func TestBrokenOff(t *testing.T) {
	whole := call(1, "block", "{}")
	for name, frames := range map[string][]byte{
		"between fragments": masked(textFrame, whole),
		"before the payload of a fragment": append(masked(textFrame, whole),
			masked(fin|moreFrame, strings.Repeat(" ", 100))[:8]...),
		"in a fragment":                      append(masked(textFrame, whole), masked(fin|moreFrame, strings.Repeat(" ", 100))[:50]...),
		"in a frame":                         masked(fin|textFrame, whole+strings.Repeat(" ", 10_000))[:8000],
		"in a frame, at the end of a buffer": masked(fin|textFrame, whole+strings.Repeat(" ", 10_000))[:8+4096],
	} {
		t.Run(name, func(t *testing.T) {
			visit(t, setup{}, func(t *testing.T, s *site) {
				c := s.open()
				c.write(frames)
				synctest.Wait()
				c.conn.Close()
				synctest.Wait()
				if len(s.causes) != 0 {
					t.Error("a message that has broken off is executed")
				}
			})
		})
	}
}

func TestMalformed(t *testing.T) {
	visit(t, setup{}, func(t *testing.T, s *site) {
		c := s.open()
		for text, want := range map[string]string{
			"":                          "-32700",
			"{":                         "-32700",
			ping(1) + ping(2):           "-32700",
			ping(1) + "\n" + ping(2):    "-32700",
			"{\"jsonrpc\":\"2.0\xff\"}": "-32700",
			`{"jsonrpc":"1.0","id":1}`:  "-32600",
			"\ufeff" + ping(1):          "-32700",
			`[` + ping(1) + `]`:         "-32600",
			strings.Repeat("[", 100000): "-32",
		} {
			c.say(spec.Invalid(text))
			c.wants(want)
			c.say(ping(1))
			c.wants(pong(1))
		}
	})
}

func TestBinaryFrame(t *testing.T) {
	visit(t, setup{}, func(t *testing.T, s *site) {
		c, other := s.open(), s.open()
		c.say(call(1, "block", "{}"))
		c.frame(fin|binFrame, ping(2))
		time.Sleep(5 * time.Second)
		c.wants(`"id":1`, "close 1003 messages are text frames", "end EOF")
		s.cancelled()
		other.say(ping(1))
		other.wants(pong(1))
		if log := s.log.String(); !strings.Contains(log, "client sent a binary frame") {
			t.Errorf("the log does not say why: %s", log)
		}
	})
}

// A binary frame that does not end does not hold the connection.
func TestEndlessBinaryFrame(t *testing.T) {
	visit(t, setup{}, func(t *testing.T, s *site) {
		c := s.open()
		c.write(masked(fin|binFrame, strings.Repeat("x", 70_000))[:100])
		time.Sleep(5 * time.Second)
		c.wants("close 1003", "end EOF")
	})
}

func TestProtocolErrors(t *testing.T) {
	unmasked := append([]byte{fin | textFrame, byte(len(ping(1)))}, ping(1)...)
	for name, frame := range map[string][]byte{
		"unmasked":             unmasked,
		"reserved bit":         masked(fin|0x40|textFrame, "{}"),
		"unknown opcode":       masked(fin|0x3, "{}"),
		"stray continuation":   masked(fin|moreFrame, "{}"),
		"interleaved messages": append(masked(textFrame, "{"), masked(fin|textFrame, "}")...),
		"fragmented ping":      masked(pingFrame, ""),
		"long ping":            masked(fin|pingFrame, strings.Repeat("x", 126)),
	} {
		t.Run(name, func(t *testing.T) {
			visit(t, setup{}, func(t *testing.T, s *site) {
				c := s.open()
				c.write(frame)
				time.Sleep(5 * time.Second)
				c.wants("close 1002", "end EOF")
			})
		})
	}
}

func TestTooLong(t *testing.T) {
	limit := mcp.WithLimits(mcp.Limits{MessageBytes: 300})
	visit(t, setup{server: []mcp.Option{limit}}, func(t *testing.T, s *site) {
		c := s.open()
		fits := ping(1) + strings.Repeat(" ", 300-len(ping(1)))
		c.say(fits)
		c.wants(pong(1))
		const refusal = `"error":{"code":-32600,"message":"invalid request: message is longer than 300 bytes"}`
		c.say(fits+" ", ping(2))
		c.wants(refusal, pong(2))
		c.say(spec.Invalid(strings.Repeat(ping(1), 10_000)), ping(3))
		c.wants(refusal, pong(3))

		// In fragments, and the error comes while there is still more of them.
		spec.Invalid(fits + " " + strings.Repeat(ping(1), 100))
		c.frame(textFrame, fits)
		c.wants()
		c.frame(moreFrame, " ")
		c.wants(refusal)
		for range 100 {
			c.frame(moreFrame, ping(1))
		}
		c.frame(fin|pingFrame, "alive")
		c.wants("pong alive")
		c.frame(fin|moreFrame, "")
		c.say(ping(4))
		c.wants(pong(4))

		// The same within one frame.
		frame := masked(fin|textFrame, spec.Invalid(strings.Repeat(ping(1), 100)))
		c.write(frame[:1000])
		c.wants(refusal)
		c.write(frame[1000:])
		c.say(ping(5))
		c.wants(pong(5))
	})
}

// TestNoRoom refuses messages for which there is no room, with their ids wherever those
// stand, in one frame and in many, and answers everything else.
func TestNoRoom(t *testing.T) {
	visit(t, setup{server: []mcp.Option{mcp.WithLimits(mcp.Limits{Memory: 512 << 10})}}, func(t *testing.T, s *site) {
		c := s.open()
		c.say(ping(0))
		c.wants(pong(0))
		long := `"params":{"x":"` + strings.Repeat("x", 1<<20) + `"}`
		const refusal = `"error":{"code":-32603,"message":"overloaded: `
		for range 3 {
			c.say(spec.Invalid(`{"id":1,"method":"tools/call",`+long+`,"jsonrpc":"2.0"}`), ping(2))
			c.wants(`{"jsonrpc":"2.0","id":1,`+refusal, pong(2))
			c.say(spec.Invalid(`{"method":"tools/call",`+long+`,"jsonrpc":"2.0","id":"3"}`), ping(2))
			c.wants(`{"jsonrpc":"2.0","id":"3",`+refusal, pong(2))
			c.frame(textFrame, `{"id":4,"method":"tools/call",`)
			c.frame(moreFrame, long)
			c.frame(fin|moreFrame, `}`)
			c.wants(`{"jsonrpc":"2.0","id":4,` + refusal)
			c.say(spec.Invalid(`{"method":"notifications/cancelled",`+long+`}`), spec.Invalid(`{"result":{},`+long+`,"id":5}`), ping(2))
			c.wants(pong(2))
			c.say(`{"id":6,"method":"tools/call",` + strings.Repeat(long+",", 5) + `"jsonrpc":"2.0"}`)
			c.wants("message is longer than")
		}

		// Where nothing is left, nobody else is let in.
		s.memory.Force(1 << 20)
		if status, _, header := s.refused(); status != 503 || header.Get("Retry-After") == "" {
			t.Errorf("status %d, header %v", status, header)
		}
		c.say(ping(7))
		c.wants(pong(7))
		s.memory.Release(1 << 20)
		c = s.open()
		c.say(ping(8))
		c.wants(pong(8))
	})
}

// What is too long is not kept.
func TestMemoryStaysFlat(t *testing.T) {
	visit(t, setup{server: []mcp.Option{mcp.WithLimits(mcp.Limits{MessageBytes: 1 << 18})}}, func(t *testing.T, s *site) {
		c := s.open()
		const size = 64 << 20
		head := masked(fin|textFrame, "")[:1]
		head = append(head, 0x80|127, 0, 0, 0, 0, 4, 0, 0, 0, 1, 2, 3, 4)
		piece := make([]byte, 64<<10)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		c.write(head)
		for range size / len(piece) {
			c.write(piece)
		}
		c.say(ping(1))
		c.wants("longer than 262144 bytes", pong(1))
		runtime.ReadMemStats(&after)
		if grown := after.TotalAlloc - before.TotalAlloc; grown > 4<<20 {
			t.Errorf("a message of %d MiB took %d MiB", size>>20, grown>>20)
		}
	})
}

// A long message is announced by its frame, and nothing is made ready for it.
func TestAnnouncedOnly(t *testing.T) {
	visit(t, setup{}, func(t *testing.T, s *site) {
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
	visit(t, setup{}, func(t *testing.T, s *site) {
		c := s.open()
		c.frame(fin|pingFrame, "")
		c.wants("pong ")
		c.frame(fin|pingFrame, strings.Repeat("p", 125))
		c.wants("pong " + strings.Repeat("p", 125))
		c.frame(fin|pongFrame, "unasked")
		c.wants()
		// Many at once may be answered by one pong, to the last of them.
		for i := range 1000 {
			c.frame(fin|pingFrame, fmt.Sprint(i))
		}
		got := c.received()
		if len(got) == 0 || got[len(got)-1] != "pong 999" {
			t.Errorf("heard %s", short(got))
		}
	})
}

// A client that fetches a long message slowly may ping meanwhile, and is heard.
func TestPingWhileWriting(t *testing.T) {
	visit(t, setup{}, func(t *testing.T, s *site) {
		c := s.openDeaf()
		c.say(call(1, "block", "{}"), call(2, "big", `{"bytes":1000000}`))
		synctest.Wait()
		c.frame(fin|pingFrame, "there?")
		c.say(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`, ping(3))
		synctest.Wait()
		if len(s.causes) != 1 {
			t.Error("the cancellation waits for the message to be read")
		}
		time.Sleep(20 * time.Second)
		go c.listen()
		got := c.received()
		if len(got) != 3 || !strings.HasSuffix(got[0], "}") || len(got[0]) < 1_000_000 ||
			strings.Join(got[1:], " ") != "pong there? "+pong(3) && strings.Join(got[1:], " ") != pong(3)+" pong there?" {
			t.Errorf("heard %s", short(got))
		}
	})
}

func TestPing(t *testing.T) {
	patient := mcp.WithLimits(mcp.Limits{FirstMessageTime: time.Hour})
	visit(t, setup{server: []mcp.Option{patient}}, func(t *testing.T, s *site) {
		mute, alive, busy, deaf := s.open(), s.open(), s.open(), s.openDeaf()
		mute.say(call(1, "block", "{}"))
		var sending sync.WaitGroup
		defer sending.Wait()
		sending.Go(func() { // a long message, slowly
			for _, b := range masked(fin|textFrame, ping(1)+strings.Repeat(" ", 40)) {
				if _, err := busy.conn.Write([]byte{b}); err != nil {
					return
				}
				time.Sleep(3 * time.Second)
			}
		})
		time.Sleep(29 * time.Second)
		mute.wants()
		time.Sleep(2 * time.Second)
		mute.wants("ping")
		alive.wants("ping")
		alive.frame(fin|pongFrame, "")
		busy.wants("ping")
		time.Sleep(28 * time.Second)
		mute.wants()
		time.Sleep(2 * time.Second)
		mute.wants("end EOF")
		s.cancelled()
		if !strings.Contains(s.log.String(), "client does not answer pings") {
			t.Errorf("the log does not say why: %s", s.log.String())
		}
		alive.wants("ping")
		// The one that does not even read is gone too.
		if _, err := io.Copy(io.Discard, deaf.conn); err != nil {
			t.Error(err)
		}
		if !strings.Contains(s.log.String(), "client does not read pings") {
			t.Errorf("the log does not say why: %s", s.log.String())
		}
		for range 10 {
			alive.say(ping(7))
			alive.wants(pong(7))
			time.Sleep(30 * time.Second)
			alive.wants("ping")
		}
		if got := strings.Join(busy.received(), "\n"); !strings.Contains(got, pong(1)) {
			t.Errorf("the busy client heard %s", got)
		}
	})
}
