package spec

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/coder/websocket"
)

// complaints records errors of a test without failing.
type complaints struct {
	testing.TB
	said []string
}

func (c *complaints) Errorf(format string, args ...any) {
	c.said = append(c.said, fmt.Sprintf(format, args...))
}
func (c *complaints) Cleanup(func()) {}

const (
	hello   = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":%q,"capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`
	welcome = `{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":%q,"capabilities":{},"serverInfo":{"name":"s","version":"1"}}}`
	july    = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`
)

const aTask = `"taskId":"a","status":"working","createdAt":"2026-07-28T10:00:00Z","lastUpdatedAt":"2026-07-28T10:00:00Z","ttlMs":1`

// as returns the task with another status, and additional members.
func as(status, more string) string {
	return strings.Replace(aTask, "working", status, 1) + more
}

// Invalid messages are found in both directions, and valid ones pass. A line that begins with "<"
// is from the server, one with "!" is marked; a leading space means that an error is expected.
func TestTap(t *testing.T) {
	Dir(t)
	for name, lines := range map[string][]string{
		"a session": {
			`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, `<{"jsonrpc":"2.0","id":1,"result":{"tools":[]}}`,
			` <{"jsonrpc":"2.0","id":1,"result":{"tools":[{}]}}`, ` <{"jsonrpc":"2.0","id":9,"result":{}}`,
			` <{"jsonrpc":"2.0","id":1,"result":{},"error":{"code":1,"message":"both"}}`, ` <{"jsonrpc":"2.0","id":1}`,
			`<{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"x"}}`, ` <{"jsonrpc":"2.0","id":1,"error":{"code":1.5,"message":"x"}}`,
			` <{"jsonrpc":"2.0","id":1,"error":{"code":1}}`, ` <{"jsonrpc":"1.0","id":1,"result":{"tools":[]}}`,
			`<{"jsonrpc":"2.0","id":7,"method":"roots/list"}`, `{"jsonrpc":"2.0","id":7,"result":{"roots":[]}}`, ` {"jsonrpc":"2.0","id":7,"result":{}}`,
			` <{"jsonrpc":"2.0","id":8,"method":"tools/list"}`, ` <{"jsonrpc":"2.0","method":"notifications/nothing"}`,
			`{"jsonrpc":"2.0","id":2,"method":"nothing/known"}`, `<{"jsonrpc":"2.0","id":2,"error":{"code":-32601,"message":"x"}}`,
			` {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{}}`, `!{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{}}`,
			` !{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"x"}}`,
			` {"jsonrpc":"2.0","method":"tools/list"}`, ` {`, ` nonsense`, ` {"jsonrpc":"2.0","id":4,"id":5,"method":"ping"}`,
			" {\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"ping\",\"params\":{\"x\":\"\xff\"}}", ` {"jsonrpc":"2.0","id":4,"method":"ping","params":{"x":"\ud800"}}`,
			`{"jsonrpc":"2.0","id":4,"method":"ping","params":{"x":"\ud83d\ude00 \\ud800"}}`,
		},
		"a request by itself": {
			`{"jsonrpc":"2.0","id":"a","method":"tools/list","params":{` + july + `}}`,
			` <{"jsonrpc":"2.0","id":"a","result":{"tools":[]}}`,
			`<{"jsonrpc":"2.0","id":"a","result":{"tools":[],"resultType":"complete","ttlMs":0,"cacheScope":"private"}}`,
			`{"jsonrpc":"2.0","id":"b","method":"tools/call","params":{"name":"x",` + july + `}}`,
			`<{"jsonrpc":"2.0","id":"b","result":{"resultType":"input_required","requestState":"x"}}`,
			` <{"jsonrpc":"2.0","id":"b","result":{"resultType":"input_required","requestState":7}}`,
			` <{"jsonrpc":"2.0","id":"b","error":{"code":-32021,"message":"x"}}`,
			`<{"jsonrpc":"2.0","id":"b","error":{"code":-32021,"message":"x","data":{"requiredCapabilities":{"sampling":{}}}}}`,
			` <{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":"a"}}}`,
		},
		"tasks": {
			`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x",` + july + `}}`,
			`<{"jsonrpc":"2.0","id":1,"result":{"resultType":"task",` + aTask + `}}`,
			` <{"jsonrpc":"2.0","id":1,"result":{"resultType":"task",` + strings.Replace(aTask, `"working"`, `"works"`, 1) + `}}`,
			` <{"jsonrpc":"2.0","id":1,"result":{"resultType":"task",` + strings.Replace(aTask, `"ttlMs":1`, `"ttlMs":1.5`, 1) + `}}`,
			` <{"jsonrpc":"2.0","id":1,"result":{"resultType":"task",` + strings.Replace(aTask, `"taskId":"a",`, ``, 1) + `}}`,
			` <{"jsonrpc":"2.0","id":1,"result":{"resultType":"task",` + strings.Replace(aTask, `2026-07-28T`, `2026-07-28 `, 1) + `}}`,
			`{"jsonrpc":"2.0","id":2,"method":"tasks/get","params":{"taskId":"a",` + july + `}}`,
			`<{"jsonrpc":"2.0","id":2,"result":{"resultType":"complete",` + aTask + `}}`,
			` <{"jsonrpc":"2.0","id":2,"result":{"resultType":"task",` + aTask + `}}`,
			` <{"jsonrpc":"2.0","id":2,"result":{"resultType":"complete",` + aTask + `,"result":{"content":[]}}}`,
			` <{"jsonrpc":"2.0","id":2,"result":{"resultType":"complete",` + as("completed", ``) + `}}`,
			` <{"jsonrpc":"2.0","id":2,"result":{"resultType":"complete",` + as("completed", `,"result":{}`) + `}}`,
			`<{"jsonrpc":"2.0","id":2,"result":{"resultType":"complete",` + as("completed", `,"result":{"content":[],"resultType":"complete"}`) + `}}`,
			` <{"jsonrpc":"2.0","id":2,"result":{"resultType":"complete",` + as("failed", `,"error":{"code":1}`) + `}}`,
			`<{"jsonrpc":"2.0","id":2,"result":{"resultType":"complete",` + as("failed", `,"error":{"code":1,"message":"x"}`) + `}}`,
			` <{"jsonrpc":"2.0","id":2,"result":{"resultType":"complete",` + as("input_required", `,"inputRequests":{"q":{"method":"x"}}`) + `}}`,
			`<{"jsonrpc":"2.0","id":2,"result":{"resultType":"complete",` + as("input_required", `,"inputRequests":{"q":{"method":"roots/list","params":{}}}`) + `}}`,
			` {"jsonrpc":"2.0","id":3,"method":"tasks/get","params":{"taskId":7,` + july + `}}`,
			` {"jsonrpc":"2.0","id":3,"method":"tasks/cancel","params":{` + july + `}}`,
			` {"jsonrpc":"2.0","id":3,"method":"tasks/update","params":{"taskId":"a",` + july + `}}`,
			` {"jsonrpc":"2.0","id":3,"method":"tasks/update","params":{"taskId":"a","inputResponses":{"q":7},` + july + `}}`,
			`{"jsonrpc":"2.0","id":3,"method":"tasks/update","params":{"taskId":"a","inputResponses":{"q":{"roots":[]}},` + july + `}}`,
			` {"jsonrpc":"2.0","id":4,"method":"subscriptions/listen","params":{"notifications":{"taskIds":null},` + july + `}}`,
			` {"jsonrpc":"2.0","id":4,"method":"subscriptions/listen","params":{"notifications":{"taskIds":["a",null]},` + july + `}}`,
			`{"jsonrpc":"2.0","id":4,"method":"subscriptions/listen","params":{"notifications":{"taskIds":["a"]},` + july + `}}`,
			`<{"jsonrpc":"2.0","method":"notifications/tasks","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":4},` + aTask + `}}`,
			` <{"jsonrpc":"2.0","method":"notifications/tasks","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":4},` + as("failed", ``) + `}}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			said := &complaints{TB: t}
			c := NewTap(said).Conversation()
			if name == "a session" {
				c.Client(fmt.Sprintf(hello, "2025-06-18"))
				c.Server(fmt.Sprintf(welcome, "2025-06-18"))
			}
			for _, line := range lines {
				text, wrong := strings.CutPrefix(line, " ")
				switch said.said = nil; text[0] {
				case '<':
					c.Server(text[1:])
				case '!':
					c.Invalid(text[1:])
				default:
					c.Client(text)
				}
				if wrong != (len(said.said) == 1) {
					t.Errorf("%s\n%q", text, said.said)
				}
			}
		})
	}
}

// Only 2025-03-26 supports batches.
func TestTapOfBatches(t *testing.T) {
	Dir(t)
	for _, revision := range revisions[:4] {
		said := &complaints{TB: t}
		c := NewTap(said).Conversation()
		c.Client(fmt.Sprintf(hello, revision))
		c.Server(fmt.Sprintf(welcome, revision))
		c.Client(`[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":2,"method":"ping"}]`)
		c.Server(`[{"jsonrpc":"2.0","id":1,"result":{}},{"jsonrpc":"2.0","id":2,"result":{}}]`)
		if want := 2; (len(said.said) == 0) != (revision == "2025-03-26") || len(said.said) != 0 && len(said.said) != want {
			t.Errorf("%s: %q", revision, said.said)
		}
	}
}

// The tap validates messages in HTTP requests and responses, on the server's and on the client's
// side.
func TestTapOfHTTP(t *testing.T) {
	Dir(t)
	answers := map[string]string{
		"plain":  `{"jsonrpc":"2.0","id":1,"result":{"wrong":1}}`,
		"stream": "id: 1\ndata:\n\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/wrong\"}\n\nevent: message\ndata: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"wrong\":1}}\n\n",
	}
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		if r.Header.Get("Test-Invalid") != "" {
			t.Error("the mark is seen")
		}
		w.Header().Set("Content-Type", map[string]string{"plain": "application/json", "stream": "text/event-stream"}[r.URL.Path[1:]])
		_, _ = io.WriteString(w, answers[r.URL.Path[1:]])
	})
	for kind, want := range map[string]int{"plain": 2, "stream": 3} {
		said := &complaints{TB: t}
		server := httptest.NewServer(NewTap(said).Handler(handler))
		post := func(client *http.Client, fields http.Header) {
			req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL+"/"+kind, strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}`))
			if err != nil {
				t.Fatal(err)
			}
			if fields != nil {
				req.Header = fields
			}
			req.Header.Set("Mcp-Protocol-Version", newest)
			resp, err := client.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			_, _ = io.Copy(io.Discard, resp.Body)
			_ = resp.Body.Close()
		}
		post(server.Client(), nil)
		if len(said.said) != want {
			t.Errorf("%s: %q", kind, said.said)
		}
		said.said = nil
		post(server.Client(), http.Header{"Test-Invalid": {"true"}})
		if len(said.said) != want-1 {
			t.Errorf("%s, marked: %q", kind, said.said)
		}
		server.Close()
		server = httptest.NewServer(handler)
		said.said = nil
		post(&http.Client{Transport: Transport(said, http.DefaultTransport)}, nil)
		if len(said.said) != want {
			t.Errorf("%s, of the client: %q", kind, said.said)
		}
		server.Close()
	}
}

// The result of each method is known.
func TestResultOf(t *testing.T) {
	Dir(t)
	all, err := schemas()
	if err != nil {
		t.Fatal(err)
	}
	empty := map[string]bool{"ping": true, "logging/setLevel": true, "resources/subscribe": true, "resources/unsubscribe": true}
	for revision, s := range all {
		for method, definition := range s.byMethod {
			if strings.HasSuffix(definition, "Request") && (s.resultOf(method) == "EmptyResult") != empty[method] {
				t.Errorf("%s: %s has the result %s", revision, method, s.resultOf(method))
			}
		}
	}
}

// Messages of a WebSocket are validated in both directions on the handler's side, including those
// that arrive with the request.
func TestTapOfWebSockets(t *testing.T) {
	Dir(t)
	said := &complaints{TB: t}
	ended := make(chan struct{})
	server := httptest.NewServer(NewTap(said).WebSocketHandler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer close(ended)
		c, err := websocket.Accept(w, r, nil)
		if err != nil {
			t.Error(err)
			return
		}
		for range 2 {
			if _, _, err := c.Read(r.Context()); err != nil {
				t.Error(err)
			}
		}
		for _, answer := range []string{`{"jsonrpc":"2.0","id":0,"result":{"wrong":1}}`, `{"jsonrpc":"2.0","method":"notifications/wrong"}`} {
			if err := c.Write(r.Context(), websocket.MessageText, []byte(answer)); err != nil {
				t.Error(err)
			}
		}
		_ = c.CloseNow()
	})))
	defer server.Close()
	c, _, err := websocket.Dial(t.Context(), server.URL, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.CloseNow() }()
	for _, message := range []string{fmt.Sprintf(hello, revisions[1]), `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{}}`} {
		if err := c.Write(t.Context(), websocket.MessageText, []byte(message)); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 {
		if _, _, err := c.Read(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	<-ended
	if len(said.said) != 3 {
		t.Errorf("%q", said.said)
	}
}
