package mcp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// costlyValues make JSON of about so many bytes, of every shape that a reader may
// be slow with.
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

// costlyPlaces are messages with a place for a value, which stands for %s.
var costlyPlaces = []string{
	`{"jsonrpc":"2.0","id":1,"method":"ping","params":%s}`,
	`{"jsonrpc":"2.0","id":1,"method":"ping","x":%s}`,
	`{"jsonrpc":"2.0","id":%s,"method":"ping"}`,
	`{"jsonrpc":%s,"id":1,"method":"ping"}`,
	`{"jsonrpc":"2.0","id":1,"method":%s}`,
	`{"jsonrpc":"2.0","id":1,"result":%s}`,
	`{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"x","data":%s}}`,
	`[%s]`,
	`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":%s}}`,
	`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":{"progressToken":%s}}}`,
	`{"jsonrpc":"2.0","id":1,"method":"ping","params":{META,"x":%s}}`,
	`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":%s}}`,
	`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":%s,"clientInfo":{"name":"c","version":"1"}}}`,
	`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":%s,"capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`,
	`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{META,"cursor":%s}}`,
	`{"jsonrpc":"2.0","id":1,"method":"resources/list","params":{META,"cursor":%s}}`,
	`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{META,"uri":%s}}`,
	`{"jsonrpc":"2.0","id":1,"method":"resources/subscribe","params":{"uri":%s}}`,
	`{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{META,"name":%s}}`,
	`{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{META,"name":"review","arguments":%s}}`,
	`{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{META,"name":"review","arguments":{"code":%s}}}`,
	`{"jsonrpc":"2.0","id":1,"method":"completion/complete","params":{META,"ref":%s,"argument":{"name":"a","value":""}}}`,
	`{"jsonrpc":"2.0","id":1,"method":"completion/complete","params":{META,"ref":{"type":"ref/prompt","name":"review"},"argument":%s}}`,
	`{"jsonrpc":"2.0","id":1,"method":"completion/complete","params":{META,"ref":{"type":"ref/prompt","name":"review"},"argument":{"name":"language","value":%s}}}`,
	`{"jsonrpc":"2.0","id":1,"method":"completion/complete","params":{META,"ref":{"type":"ref/prompt","name":"review"},"argument":{"name":"language","value":""},"context":{"arguments":%s}}}`,
	`{"jsonrpc":"2.0","id":1,"method":"completion/complete","params":{META,"ref":{"type":"ref/resource","uri":%s},"argument":{"name":"a","value":""}}}`,
	`{"jsonrpc":"2.0","id":1,"method":"logging/setLevel","params":{"level":%s}}`,
	`{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{META,"notifications":%s}}`,
	`{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{META,"notifications":{"resourceSubscriptions":%s}}}`,
	`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{META,"name":%s}}`,
	`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{META,"name":"add","arguments":%s}}`,
	`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{META,"name":"add","arguments":{},"requestState":%s}}`,
	`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{META,"name":"add","arguments":{},"inputResponses":%s}}`,
	`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%s}}`,
	`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1,"reason":%s}}`,
	`{"jsonrpc":"2.0","method":"notifications/x","params":%s}`,
}

// TestCostlyMessages sends every such value in every such place, and holds the CPU
// time to ten times that of json.Unmarshal of the same bytes. They are of 4 MiB
// where MCPGEN_COSTLY is set in the environment.
func TestCostlyMessages(t *testing.T) {
	const most = 10
	size := 48 << 10
	if os.Getenv("MCPGEN_COSTLY") != "" {
		size = 4<<20 - 4096
	}
	s := newFixture(quiet, mcp.WithPolicy(mcp.Policy{Deny: []string{"secret://{+path}", "file:///etc/*"}}))
	conn, wait := s.Connect(context.Background())
	defer func() {
		_ = conn.Close()
		_ = wait()
	}()
	next := 0
	// exchange sends a message, and waits until it has been dealt with.
	exchange := func(message string) {
		next++
		id := "after-" + strconv.Itoa(next)
		for _, m := range []string{message, `{"jsonrpc":"2.0","id":"` + id + `","method":"ping"}`} {
			if err := conn.Write([]byte(m + "\n")); err != nil {
				t.Fatal(err)
			}
		}
		answered := !strings.Contains(message[:min(len(message), 40)], `"id":1,"method"`) || strings.Contains(message, "subscriptions/listen")
		for pinged := false; !pinged || !answered; {
			reply, err := conn.Read()
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(string(reply[:min(len(reply), 80)]), id) {
				pinged = true
			} else {
				answered = true
			}
		}
	}
	exchange(strings.TrimSuffix(initialize("2025-11-25"), "\n"))
	worst, worstOf := 0.0, ""
	for _, place := range costlyPlaces {
		for name, value := range costlyValues {
			message := strings.Replace(strings.Replace(place, "META", modernMeta, 1), "%s", value(size), 1)
			usual := []byte(message)
			took, plain := time.Duration(1<<62), time.Duration(1<<62)
			for range 4 {
				start := cpuTime()
				var v any
				_ = json.Unmarshal(usual, &v) // a number may be beyond float64, after all has been read
				between := cpuTime()
				exchange(message)
				plain, took = min(plain, between-start), min(took, cpuTime()-between)
				if took < most*plain {
					break
				}
			}
			ratio := float64(took) / float64(plain)
			if ratio > worst {
				worst, worstOf = ratio, name+" in "+place
			}
			if ratio > most {
				t.Errorf("%s in %s: %v, json.Unmarshal takes %v", name, place, took, plain)
			}
		}
	}
	t.Logf("at most %.1f times json.Unmarshal: %s", worst, worstOf)
}
