//go:build cost

package mcp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
	"github.com/mcpgen/mcpgen/runtime/internal/testbed"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// costlyValues make JSON of about size bytes, of every shape that a reader may handle slowly.
var costlyValues = map[string]func(size int) string{
	"letters":       func(n int) string { return `"` + strings.Repeat("a", n) + `"` },
	"quotes":        func(n int) string { return `"` + strings.Repeat(`\"`, n/2) + `"` },
	"backslashes":   func(n int) string { return `"` + strings.Repeat(`\\`, n/2) + `"` },
	"escapes":       func(n int) string { return `"` + strings.Repeat(`\u00e9`, n/6) + `"` },
	"beyond ASCII":  func(n int) string { return `"` + strings.Repeat("é", n/2) + `"` },
	"percent":       func(n int) string { return `"test://` + strings.Repeat("%2e%2e/", n/7) + `"` },
	"slashes":       func(n int) string { return `"file:///` + strings.Repeat("../", n/3) + `"` },
	"base64":        func(n int) string { return `"` + strings.Repeat("AAAA", n/4) + `"` },
	"text of JSON":  func(n int) string { return `"` + strings.Repeat(`[{\"a\":`, n/8) + `"` },
	"digits":        func(n int) string { return strings.Repeat("1", n) },
	"zeros":         func(n int) string { return "0." + strings.Repeat("0", n) + "1e999999999" },
	"numbers":       func(n int) string { return "[" + strings.Repeat("1,", n/2) + "1]" },
	"lists":         func(n int) string { return "[" + strings.Repeat("[],", n/3) + "[]]" },
	"objects":       func(n int) string { return "[" + strings.Repeat("{},", n/3) + "{}]" },
	"strings":       func(n int) string { return "[" + strings.Repeat(`"a",`, n/4) + `""]` },
	"same name":     func(n int) string { return "{" + strings.Repeat(`"a":1,`, n/6) + `"a":1}` },
	"escaped names": func(n int) string { return members(n, `"\u0061%d":1`) },
	"many names":    func(n int) string { return members(n, `"%d":1`) },
	"deep": func(n int) string {
		one := strings.Repeat(`{"a":[`, 200) + strings.Repeat("]}", 200)
		return "[" + strings.Repeat(one+",", n/len(one)) + "1]"
	},
	"names twice": func(n int) string {
		return "[" + members(n/2, `"%d":1`) + "," + members(n/2, `"%d":{"a":1,"a":1}`) + "]"
	},
}

func members(size int, format string) string {
	var b strings.Builder
	b.WriteByte('{')
	for i := 0; b.Len() < size; i++ {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, format, 1_000_000+i)
	}
	return b.String() + "}"
}

// costlyAround put a value inside another value.
var costlyAround = []func(of func(size int) string) func(size int) string{
	func(of func(int) string) func(int) string { return of },
	func(of func(int) string) func(int) string { return of },
	func(of func(int) string) func(int) string {
		return func(n int) string { return "[" + strings.Repeat(of(n/50)+",", 49) + "1]" }
	},
	func(of func(int) string) func(int) string {
		return func(n int) string {
			text, _ := json.Marshal(of(n / 2)) // of JSON
			return string(text)
		}
	},
	func(of func(int) string) func(int) string {
		return func(n int) string {
			return strings.Repeat(`{"a":[`, 100) + of(n-800) + strings.Repeat("]}", 100)
		}
	},
	func(of func(int) string) func(int) string {
		return func(n int) string {
			one := of(n / 200)
			var b strings.Builder
			for i := range 190 {
				fmt.Fprintf(&b, `"%d":%s,`, i, one)
			}
			return "{" + b.String() + `"type":"ref/prompt"}`
		}
	},
}

// costlyMessages are valid messages of all kinds. The search replaces each value in them, and
// inserts values next to it.
var costlyMessages = []string{
	`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{"roots":{"listChanged":true},"sampling":{},"elicitation":{},"experimental":{"a":{}}},"clientInfo":{"name":"c","version":"1"},"_meta":{"progressToken":"p"}}}`,
	`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":{"progressToken":1}}}`,
	`{"jsonrpc":"2.0","id":"a","method":"server/discover","params":{META}}`,
	`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{META}}`,
	`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"add","arguments":{"a":1,"b":2},"_meta":{"progressToken":1}}}`,
	`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{META,"name":"echo","arguments":{}}}`,
	`{"jsonrpc":"2.0","id":1,"method":"resources/list","params":{META}}`,
	`{"jsonrpc":"2.0","id":1,"method":"resources/templates/list","params":{META}}`,
	`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{META,"uri":"shelf://a/b/c"}}`,
	`{"jsonrpc":"2.0","id":1,"method":"resources/subscribe","params":{"uri":"test://logo"}}`,
	`{"jsonrpc":"2.0","id":1,"method":"resources/unsubscribe","params":{"uri":"test://logo"}}`,
	`{"jsonrpc":"2.0","id":1,"method":"prompts/list","params":{META}}`,
	`{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{META,"name":"greet","arguments":{"name":"Ada","style":"formal"}}}`,
	`{"jsonrpc":"2.0","id":1,"method":"completion/complete","params":{META,"ref":{"type":"ref/prompt","name":"greet"},"argument":{"name":"style","value":"f"},"context":{"arguments":{"name":"Ada"}}}}`,
	`{"jsonrpc":"2.0","id":1,"method":"completion/complete","params":{META,"ref":{"type":"ref/resource","uri":"book://{isbn}{?lang}"},"argument":{"name":"isbn","value":"9"}}}`,
	`{"jsonrpc":"2.0","id":1,"method":"logging/setLevel","params":{"level":"error"}}`,
	`{"jsonrpc":"2.0","id":"listen","method":"subscriptions/listen","params":{META,"notifications":{"toolsListChanged":true,"resourceSubscriptions":["test://logo"]}}}`,
	`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
	`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"x","reason":"y"}}`,
	`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1,"total":2,"message":"m"}}`,
	`{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}`,
	`{"jsonrpc":"2.0","id":"none","result":{"roots":[{"uri":"file:///a","name":"a"}]}}`,
	`{"jsonrpc":"2.0","id":"none","error":{"code":1,"message":"x","data":{}}}`,
}

// costlyPlace is a place for a value in a message, between two parts of it.
type costlyPlace struct {
	before, after string
	answered      bool // the message contains an id and a method
}

// placesOf returns all places of a message of compact JSON: the place of each value, and one for
// another member or element in front.
func placesOf(message string) (all []costlyPlace) {
	isRequest := strings.Contains(message, `"id":`) && strings.Contains(message, `"method":`) && !strings.Contains(message, "listen")
	add := func(start, end int, comma string) {
		answered := isRequest && strings.Contains(message[:start], `"params":{`)
		all = append(all, costlyPlace{message[:start], comma + message[end:], answered})
	}
	var value func(i int) (end int)
	value = func(i int) (end int) {
		start := i
		switch message[i] {
		case '{', '[':
			closing, comma := map[byte]byte{'{': '}', '[': ']'}[message[i]], ","
			if message[i+1] == closing {
				comma = ""
			}
			if i++; closing == '}' {
				all = append(all, costlyPlace{message[:i] + `"x":`, comma + message[i:], isRequest && start > 0})
			} else {
				add(i, i, comma)
			}
			for message[i] != closing {
				if closing == '}' {
					i += strings.IndexByte(message[i:], ':') + 1
				}
				if i = value(i); message[i] == ',' {
					i++
				}
			}
			end = i + 1
		case '"':
			end = i + 2 + strings.IndexByte(message[i+1:], '"')
		default:
			end = i + strings.IndexAny(message[i:], ",]}")
		}
		add(start, end, "")
		return end
	}
	value(0)
	return all
}

// costly sends messages to a server.
type costly struct {
	t    *testing.T
	conn jsonrpc.Conn
	next int
}

// exchange sends a message, and waits until the server has handled it. It returns the last answer
// before the answer to the ping that follows.
func (c *costly) exchange(message string, answered bool) (answer []byte) {
	c.next++
	id := "after-" + strconv.Itoa(c.next)
	const ends = `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"listen"}}`
	for _, m := range []string{ends, message, `{"jsonrpc":"2.0","id":"` + id + `","method":"ping"}`} {
		if err := c.conn.Write([]byte(m + "\n")); err != nil {
			c.t.Fatal(err)
		}
	}
	for pinged := false; !pinged || answered && answer == nil; {
		reply, err := c.conn.Read()
		if err != nil {
			c.t.Fatal(err)
		}
		if strings.Contains(string(reply[:min(len(reply), 80)]), id) {
			pinged = true
		} else {
			answer = append([]byte(nil), reply...)
		}
	}
	return answer
}

// costs compares the CPU time of a message with json.Unmarshal of the same bytes. It returns the
// first of several turns that is below most, because the time of another thread may be counted
// late.
func (c *costly) costs(p costlyPlace, value string, turns int, most float64) (ratio float64) {
	message := p.before + value + p.after
	usual := []byte(message)
	for range turns {
		start := testbed.CPUTime()
		var v any
		_ = json.Unmarshal(usual, &v) // a number may be beyond float64, after all is read
		between := testbed.CPUTime()
		c.exchange(message, p.answered)
		if ratio = float64(testbed.CPUTime()-between) / float64(between-start); ratio < most {
			break
		}
	}
	return ratio
}

// TestCostlyMessages searches for the messages that take the most CPU for each byte, among all that
// a client can send: it puts large values of every shape in every place of every message, and
// continues with the slowest ones so far. None may take more than ten times as long as
// json.Unmarshal of the same bytes. The messages have 4 MiB, or MCPGEN_COSTLY times as many bytes
// if that variable is set.
func TestCostlyMessages(t *testing.T) {
	const most = 10
	size, tries := 48<<10, 250
	if long, err := strconv.Atoi(os.Getenv("MCPGEN_COSTLY")); err == nil {
		size, tries = 4<<20-4096, 100*long
	}
	s := mcp.NewServer(fixtureInfo(), quiet, mcp.WithPolicy(mcp.Policy{Deny: []string{"secret://{+path}", "file:///etc/*"}}))
	register(s)
	addLibrary(s)
	conn, wait := s.Connect(context.Background())
	defer func() {
		_ = conn.Close()
		_ = wait()
	}()
	c := &costly{t: t, conn: conn}
	c.exchange(strings.TrimSuffix(initialize("2025-11-25"), "\n"), true)
	known := map[string]bool{}
	var places []costlyPlace
	for _, message := range costlyMessages {
		message = strings.Replace(message, "META", modernMeta, 1)
		var m struct{ Method string }
		if err := json.Unmarshal([]byte(message), &m); err != nil {
			t.Fatal(err)
		}
		known[m.Method] = true
		places = append(places, placesOf(message)...)
		if request := strings.Contains(message, `"id":`) && m.Method != ""; request && m.Method != "initialize" { // which takes one request only
			if answer := c.exchange(message, true); strings.Contains(string(answer), `"error"`) {
				t.Errorf("%s: %s", message, answer)
			}
		}
	}
	for m := protocol.Unknown + 1; m < protocol.MethodCount; m++ {
		if !known[m.String()] {
			t.Errorf("no message has the method %s", m)
		}
	}
	r := rand.New(rand.NewPCG(1, 2))
	names := slices.Sorted(maps.Keys(costlyValues))
	type try struct {
		place  int
		value  string
		around int
		ratio  float64
	}
	var worst []try
	for i := range len(places) + tries {
		next := try{i, names[r.IntN(len(names))], r.IntN(len(costlyAround)), 0} // every place once
		if i >= len(places) {
			next.place = r.IntN(len(places))
			like := worst[r.IntN(min(len(worst), 12))]
			switch r.IntN(4) {
			case 0:
				next.place = like.place
			case 1:
				next.value, next.around = like.value, like.around
			case 2:
				next.place, next.value = like.place, like.value
			case 3:
				next.place, next.around = like.place, like.around
			}
		}
		p, value := places[next.place], costlyAround[next.around](costlyValues[next.value])(size)
		if next.ratio = c.costs(p, value, 8, most); next.ratio > most {
			t.Errorf("%.1f times json.Unmarshal: %s in %s%s", next.ratio, next.value, p.before, p.after)
		}
		at, _ := slices.BinarySearchFunc(worst, next, func(a, b try) int { return int(1000 * (b.ratio - a.ratio)) })
		worst = slices.Insert(worst, at, next)
	}
	for _, w := range worst[:3] {
		t.Logf("%.1f times json.Unmarshal: %s (%d) in %s and %s", w.ratio, w.value, w.around, places[w.place].before, places[w.place].after)
	}
	t.Logf("%d messages with values in %d places", len(worst), len(places))
}
