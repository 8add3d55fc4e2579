package mcptask_test

import (
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/runtime/mcphttp"
	"github.com/mcpgen/mcpgen/runtime/mcptask"
	"github.com/mcpgen/mcpgen/runtime/replicatest"
)

// lateClient is a client of a session that two replicas share.
type lateClient struct {
	t        *testing.T
	handlers [2]*mcphttp.Handler
	session  string
}

// post sends a message to a replica. The response may be used when all goroutines wait.
func (c *lateClient) post(replica int, body string) (w *httptest.ResponseRecorder, ended <-chan struct{}) {
	r := httptest.NewRequest(http.MethodPost, "http://localhost/mcp", strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	if c.session != "" {
		r.Header.Set("Mcp-Session-Id", c.session)
		r.Header.Set("MCP-Protocol-Version", session25)
	}
	w = httptest.NewRecorder()
	done := make(chan struct{})
	go func() {
		defer close(done)
		c.handlers[replica].ServeHTTP(w, r)
	}()
	return w, done
}

// ask sends a message and returns the whole response.
func (c *lateClient) ask(replica int, body string) *httptest.ResponseRecorder {
	w, ended := c.post(replica, body)
	<-ended
	return w
}

// The answer to a question of a task arrives at a replica that has not sent it, after the one that has was killed: it is
// stored, and the question is not sent again. Answers to no question change nothing.
func TestLateAnswer(t *testing.T) {
	within(t, func(t *testing.T) {
		store, sessions := mcptask.NewMemory(), replicatest.NewSessionStore()
		c := &lateClient{t: t}
		processes := [2]*process{newProcess(t, store), newProcess(t, store)}
		for i, p := range processes {
			add(p.Server, "ask", mcptask.Support{Restart: true}, asks)
			c.handlers[i] = mcphttp.NewHandler(p.Server, mcphttp.WithSessionStore(sessions))
			defer c.handlers[i].Close()
		}
		opened := c.ask(0, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"elicitation":{}},"clientInfo":{"name":"x","version":"1"}}}`)
		c.session = opened.Header().Get("Mcp-Session-Id")
		c.ask(0, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
		created := c.ask(0, `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"ask","arguments":{},"task":{}}}`).Body.String()
		_, rest, _ := strings.Cut(created, `"taskId":"`)
		id, _, _ := strings.Cut(rest, `"`)
		wait()
		stream, _ := c.post(0, `{"jsonrpc":"2.0","id":3,"method":"tasks/result","params":{"taskId":"`+id+`"}}`)
		time.Sleep(time.Second)
		wait()
		found := regexp.MustCompile(`"id":("[^"]+"),"method":"elicitation/create"`).FindStringSubmatch(stream.Body.String())
		if found == nil {
			t.Fatalf("no question: %s%s", created, stream.Body)
		}
		processes[0].store.die()
		_ = c.handlers[0].Close()
		status := func() string {
			return c.ask(1, `{"jsonrpc":"2.0","id":4,"method":"tasks/get","params":{"taskId":"`+id+`"}}`).Body.String()
		}
		answer := func(id, content string) int {
			return c.ask(1, `{"jsonrpc":"2.0","id":`+id+`,"result":{"action":"accept","content":`+content+`}}`).Code
		}
		// Of no question, of no task, broken, and none of the kind.
		for _, wrong := range []string{found[1][:len(found[1])-4] + `"`, `"` + strings.Repeat("A", 26) + `-1-tAAAA"`, `"x-1-t!"`, "7"} {
			if code := answer(wrong, `{"yes":true}`); code != http.StatusAccepted && code != http.StatusServiceUnavailable {
				t.Errorf("the answer to %s: status %d", wrong, code)
			}
		}
		time.Sleep(time.Second)
		has(t, status(), `"status":"input_required"`)
		if code := answer(found[1], `{"yes":true}`); code != http.StatusAccepted {
			t.Errorf("status %d", code)
		}
		if code := answer(found[1], `{"yes":false}`); code != http.StatusAccepted { // the second one is dropped
			t.Errorf("again: status %d", code)
		}
		time.Sleep(time.Minute)
		has(t, status(), `"status":"completed"`)
		result := c.ask(1, `{"jsonrpc":"2.0","id":5,"method":"tasks/result","params":{"taskId":"`+id+`"}}`).Body.String()
		has(t, result, "accepttrue")
		if strings.Contains(result, "elicitation") {
			t.Errorf("it is asked again: %s", result)
		}
	})
}
