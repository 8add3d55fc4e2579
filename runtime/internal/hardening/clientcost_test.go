//go:build cost

package hardening_test

import (
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/faulty"
	"github.com/mcpgen/mcpgen/runtime/internal/testbed"
	"github.com/mcpgen/mcpgen/runtime/mcpclient"
)

// costlyReply is a reply of any size that servers send for a call. The client's CPU time for it
// must grow linearly with the size.
type costlyReply struct {
	name string
	size int // of the larger one; the smaller one has a sixteenth of this size
	// send sends it; %ID is the id of the call. The texts are made before the time is taken.
	send func(n int) []string
	only []string // transports; nil for all
}

// textResult returns a result with the given content.
func textResult(members, text string) string {
	return `{"jsonrpc":"2.0","id":%ID,"result":{` + members + `"content":[{"type":"text","text":"` + text + `"}],"resultType":"complete"}}`
}

// repeated returns n texts that format makes of their numbers, separated by commas.
func repeated(n int, format string) string {
	var b strings.Builder
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, format, i)
	}
	return b.String()
}

var costlyReplies = []costlyReply{
	{name: "letters", size: 3_200_000, send: func(n int) []string { return []string{textResult("", strings.Repeat("a", n))} }},
	{name: "escapes", size: 160_000, send: func(n int) []string { return []string{textResult("", strings.Repeat(`\u00e9\"`, n))} }},
	{name: "surrogates", size: 80_000, send: func(n int) []string { return []string{textResult("", strings.Repeat(`\ud83d\ude00`, n))} }},
	{name: "members", size: 80_000, send: func(n int) []string { return []string{textResult(repeated(n, `"m%d":1`)+",", "right")} }},
	{name: "members of structured content", size: 80_000, send: func(n int) []string {
		return []string{textResult(`"structuredContent":{`+repeated(n, `"m%d":1`)+"},", "right")}
	}},
	{name: "lists", size: 4_000, send: func(n int) []string {
		deep := strings.Repeat("[", 100) + strings.Repeat("]", 100)
		return []string{textResult(`"structuredContent":{"x":[`+strings.Repeat(deep+",", n)+"1]},", "right")}
	}},
	{name: "digits", size: 1_600_000, send: func(n int) []string {
		return []string{textResult(`"structuredContent":{"x":`+strings.Repeat("1", n)+"},", "right")}
	}},
	{name: "white space", size: 1_600_000, send: func(n int) []string { return []string{textResult(strings.Repeat(" ", n), "right")} }},
	{name: "blocks", size: 8_000, send: func(n int) []string {
		return []string{`{"jsonrpc":"2.0","id":%ID,"result":{"content":[` + repeated(n, `{"type":"text","text":"%d"}`) + `],"resultType":"complete"}}`}
	}},
	{name: "blocks of other types", size: 8_000, send: func(n int) []string {
		return []string{`{"jsonrpc":"2.0","id":%ID,"result":{"content":[` + repeated(n, `{"type":"t%d","a":[{}]}`) + `],"resultType":"complete"}}`}
	}},
	{name: "notifications", size: 4_000, send: func(n int) []string {
		all := slices.Repeat([]string{`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"x"}}`}, n)
		return append(all, textResult("", "right"))
	}},
	{name: "unknown notifications", size: 4_000, send: func(n int) []string {
		return append(slices.Repeat([]string{`{"jsonrpc":"2.0","method":"notifications/x"}`}, n), textResult("", "right"))
	}},
	{name: "replies to other requests", size: 4_000, send: func(n int) []string {
		var all []string
		for i := range n {
			all = append(all, fmt.Sprintf(`{"jsonrpc":"2.0","id":"other%d","result":{}}`, i))
		}
		return append(all, textResult("", "right"))
	}},
	{name: "parts", size: 4_000, send: func(n int) []string {
		return append(slices.Repeat([]string{"+" + strings.Repeat(" ", 50)}, n), textResult("", "right"))
	}},
	{name: "comments", size: 16_000, only: []string{httpModern}, send: func(n int) []string {
		return []string{"+" + strings.Repeat("\n: comment\nevent: message\nid: 1\nretry: 100\n\ndata: ", n), textResult("", "right")}
	}},
	{name: "lines of an event", size: 80_000, only: []string{httpModern}, send: func(n int) []string {
		return []string{"+" + strings.Repeat(" \ndata: ", n), textResult("", "right")}
	}},
}

// TestCostlyReplies measures the CPU time of a client for replies of n and of 16n parts: linear
// time grows 16-fold, quadratic time 256-fold. Data that does not fit into the caches of a busy
// machine takes a few times longer, so the limit is 64. Streams of bytes, frames and events are
// read by three transports; the others use the same readers.
func TestCostlyReplies(t *testing.T) {
	for _, reply := range costlyReplies {
		t.Run(reply.name, func(t *testing.T) {
			small, large := reply.send(reply.size/16), reply.send(reply.size)
			for _, transport := range []string{memory, webSocket, httpModern} {
				if reply.only != nil && !slices.Contains(reply.only, transport) {
					continue
				}
				t.Run(transport, func(t *testing.T) { reply.measure(t, transport, small, large) })
			}
		})
	}
}

func (reply *costlyReply) measure(t *testing.T, transport string, small, large []string) {
	var next atomic.Pointer[[]string]
	row := hostileRow{script: onTool(func(_ *faulty.Server, m *faulty.Message) {
		for _, text := range *next.Load() {
			if part, ok := strings.CutPrefix(text, "+"); ok {
				_ = m.Raw(part) // the client may have gone
			} else {
				_ = m.Send(m.Text(text))
			}
		}
	})}
	h := &hostile{transport: transport, era: modern, options: mcpclient.Options{
		Eras: noEras{}, OnProtocolError: func(error) {}, Limits: mcpclient.Limits{MessageBytes: 16 << 20},
	}}
	defer h.serve(t, row)()
	client := h.connect(t)
	defer func() { _ = client.Close() }()
	took := func(texts []string) time.Duration {
		next.Store(&texts)
		best := time.Hour
		for range 3 {
			began := testbed.CPUTime()
			if _, err := h.call(t, 30*time.Second, nil); err != nil {
				t.Fatalf("the call: %v", err)
			}
			best = min(best, testbed.CPUTime()-began)
		}
		return best
	}
	took(small) // buffers
	for try := 1; ; try++ {
		n, more := took(small), took(large)
		t.Logf("%v, of 16 times the size %v", n, more)
		if more <= 64*n+40*time.Millisecond {
			return
		}
		if try == 5 { // another program may have disturbed some
			t.Fatalf("%v of CPU time, of 16 times the size %v", n, more)
		}
	}
}
