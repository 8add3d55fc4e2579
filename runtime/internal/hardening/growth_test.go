//go:build !race

package hardening_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
)

// requests are messages of each kind that a client sends, each time with another id, name, cursor,
// token or URI. %[1]d is their number.
var requests = map[string][]string{
	"initialize":               {""}, // see opening
	"ping":                     {`{}`},
	"server/discover":          {`{}`},
	"tools/list":               {`{}`, `{"cursor":"%[1]d"}`},
	"tools/call":               {`{"name":"done","arguments":{}}`, `{"name":"done","arguments":{"a%[1]d":%[1]d}}`, `{"name":"none%[1]d","arguments":{}}`},
	"resources/list":           {`{}`, `{"cursor":"%[1]d"}`},
	"resources/templates/list": {`{"cursor":"%[1]d"}`},
	"resources/read":           {`{"uri":"none://%[1]d"}`, `{"uri":"item:%[1]d"}`},
	"resources/subscribe":      {`{"uri":"item://%[1]d"}`},
	"resources/unsubscribe":    {`{"uri":"item://%[1]d"}`},
	"prompts/list":             {`{"cursor":"%[1]d"}`},
	"prompts/get":              {`{"name":"none%[1]d"}`},
	"completion/complete":      {`{"ref":{"type":"ref/resource","uri":"item://{key}"},"argument":{"name":"key","value":"%[1]d"}}`, `{"ref":{"type":"ref/prompt","name":"p%[1]d"},"argument":{"name":"a%[1]d","value":""}}`},
	"logging/setLevel":         {`{"level":"info"}`, `{"level":"l%[1]d"}`},
	"subscriptions/listen":     {`{"notifications":{"toolsListChanged":true}}`},
	"tasks/get":                {`{"taskId":"t%[1]d"}`},
	"tasks/update":             {`{"taskId":"t%[1]d","inputResponses":{"k%[1]d":{"action":"accept"}}}`},
	"tasks/cancel":             {`{"taskId":"t%[1]d"}`},
	"tasks/result":             {`{"taskId":"t%[1]d"}`},
	"none%[1]d":                {`{}`},

	protocol.Initialized:      {`{}`},
	protocol.Cancelled:        {`{"requestId":"r%[1]d","reason":"%[1]d"}`},
	protocol.Progress:         {`{"progressToken":"p%[1]d","progress":1}`},
	protocol.RootsListChanged: {`{}`},
	"notifications/n%[1]d":    {`{}`},
}

// growing are the messages that make a server store data, with their row in the table of stored
// data.
var growing = map[string]string{
	"HTTP initialize":                "session of streamable HTTP, with the same",
	"session resources/subscribe":    "subscriptions of a connection or session to resources, by short URIs",
	"connection resources/subscribe": "subscriptions of a connection or session to resources, by short URIs",
	"HTTP subscriptions/listen":      "`subscriptions/listen` over HTTP, without resources",
}

// TestGrowth sends many messages of every method, with new ids, names and addresses each time, to a
// server over streamable HTTP, in a session, and on a connection. As many again leave no more data
// behind, except for the messages with a row.
func TestGrowth(t *testing.T) {
	const number, each = 400, 32 // each is smaller than an entry of any map
	for m := protocol.Method(1); ; m++ {
		if m == protocol.MethodCount {
			continue
		}
		if m > protocol.TasksResult {
			break
		}
		if requests[m.String()] == nil {
			t.Errorf("no message of %s is sent", m)
		}
	}
	for name := range growing {
		row := growing[name]
		found := false
		for _, r := range kept {
			found = found || r.kind == row
		}
		if !found {
			t.Errorf("%s: the table of what is kept has no row %q", name, row)
		}
	}
	for _, place := range []string{"HTTP", "session", "connection"} {
		t.Run(place, func(t *testing.T) {
			k := newKeeper(t, 0)
			send := k.sender(t, place)
			for method, all := range requests {
				name := place + " " + strings.ReplaceAll(method, "%[1]d", "")
				if growing[name] != "" {
					continue
				}
				last := 0
				many := func() uint64 {
					for range number {
						last++
						for _, params := range all {
							send(last, strings.ReplaceAll(method, "%[1]d", fmt.Sprint(last)), strings.ReplaceAll(params, "%[1]d", fmt.Sprint(last)))
						}
					}
					return keptHeap()
				}
				before, after := many(), many()
				if grown := int64(after) - int64(before); grown > number*each {
					t.Errorf("%d more of %s leave %d bytes behind", number, name, grown)
				}
			}
		})
	}
}

// sender returns a function that sends a message with a number to a place.
func (k *keeper) sender(t *testing.T, place string) func(i int, method, params string) {
	message := func(i int, method, params, meta string) string {
		if method == "initialize" {
			return opening(i)
		}
		id := fmt.Sprintf(`"id":"i%d",`, i)
		if strings.HasPrefix(method, "notifications/") {
			id = ""
		}
		if params == "{}" {
			return fmt.Sprintf(`{"jsonrpc":"2.0",%s"method":%q,"params":{"_meta":{%s}}}`, id, method, meta)
		}
		return fmt.Sprintf(`{"jsonrpc":"2.0",%s"method":%q,"params":%s,"_meta":{%s}}}`, id, method, strings.TrimSuffix(params, "}"), meta)
	}
	token := func(i int) string { return fmt.Sprintf(`"progressToken":"p%d"`, i) }
	switch place {
	case "HTTP":
		return func(i int, method, params string) {
			meta := modernMeta + fmt.Sprintf(`,"io.modelcontextprotocol/clientInfo":{"name":"c%d","version":"%[1]d"},`, i) + token(i)
			fields := []string{"Mcp-Protocol-Version: 2026-07-28", "Mcp-Method: " + method}
			for _, member := range []string{`"name":"`, `"uri":"`, `"taskId":"`} {
				if _, value, ok := strings.Cut(params, member); ok && method != "completion/complete" {
					value, _, _ = strings.Cut(value, `"`)
					fields = append(fields, "Mcp-Name: "+value)
				}
			}
			k.post(k.ctx, newBare(), i, message(i, method, params, meta), fields...)
		}
	case "session":
		id, err := k.session(0)
		if err != nil {
			t.Fatal(err)
		}
		return func(i int, method, params string) {
			k.post(k.ctx, newBare(), 0, message(i, method, params, token(i)), "Mcp-Session-Id: "+id, fmt.Sprintf("X-Number: %d", i))
			k.post(k.ctx, newBare(), i, message(i, method, params, token(i)), fmt.Sprintf("Mcp-Session-Id: none%d", i))
		}
	}
	ask, err := k.open(0, opening(0))
	if err != nil {
		t.Fatal(err)
	}
	return func(i int, method, params string) {
		text := message(i, method, params, token(i))
		if !strings.HasPrefix(method, "notifications/") {
			if reply := ask(text); !strings.HasPrefix(reply, `{"jsonrpc"`) {
				t.Fatalf("%s: %s", text, reply)
			}
			return
		}
		if err := k.shared.Write([]byte(text + "\n")); err != nil {
			t.Fatal(err)
		}
		if reply := ask(`{"jsonrpc":"2.0","id":1,"method":"ping"}`); !strings.Contains(reply, `"result"`) {
			t.Fatalf("after %s: %s", text, reply)
		}
	}
}
