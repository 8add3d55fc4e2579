package mcpsqlite_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcphttp"
	"github.com/mcpgen/mcpgen/runtime/mcpsqlite"
	"github.com/mcpgen/mcpgen/runtime/mcptask"
)

// sessionClient is a client of revision 2025-11-25 over streamable HTTP, whose messages of all
// responses come together.
type sessionClient struct {
	t        *testing.T
	ctx      context.Context
	url, id  string
	last     int
	messages chan string
}

// openSession serves one process of several on a file, and connects a client.
func openSession(ctx context.Context, t *testing.T, path string) *sessionClient {
	t.Helper()
	store, err := mcpsqlite.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	s := mcp.NewServer(mcp.ServerInfo{Name: "sessions", Version: "1"}, mcp.WithLogger(slog.New(slog.DiscardHandler)), mcptask.WithStore(store))
	form := mcp.FormInfo{Fields: []mcp.FormField{{Name: "yes", Kind: mcp.BooleanField, Required: true}}}
	s.Register(mcptask.Tool(mcp.NewTool(mcp.ToolInfo{Name: "ask", InputSchema: `{"type":"object"}`}, func(ctx context.Context, _ json.RawMessage) (*mcp.ToolResult, error) {
		a, err := mcp.ElicitFields(ctx, "Sure?", &form, mcp.WithKey("sure"))
		if err != nil {
			return nil, err
		}
		return mcp.TextResult(fmt.Sprint("yes: ", a.Value["yes"])), nil
	}), mcptask.Support{}))
	h := mcphttp.NewHandler(s)
	server := httptest.NewServer(h)
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
		ended, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		_ = h.Shutdown(ended)
		_ = mcptask.Shutdown(ended, s)
		_ = store.Close()
	})
	c := &sessionClient{t: t, ctx: ctx, url: server.URL, messages: make(chan string, 100)}
	c.ask("initialize", `"protocolVersion":"2025-11-25","clientInfo":{"name":"c","version":"1"},"capabilities":{"elicitation":{}}`)
	c.wait(`"serverInfo"`)
	c.post(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return c
}

func (c *sessionClient) ask(method, params string) {
	c.t.Helper()
	c.last++
	c.post(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"%s","params":{%s}}`, c.last, method, params))
}

// post sends a message, and returns when the response begins.
func (c *sessionClient) post(text string) { c.do(http.MethodPost, text) }

// listen opens the stream of the session.
func (c *sessionClient) listen() { c.do(http.MethodGet, "") }

func (c *sessionClient) do(method, text string) {
	c.t.Helper()
	r, err := http.NewRequestWithContext(c.ctx, method, c.url, strings.NewReader(text))
	if err != nil {
		c.t.Fatal(err)
	}
	r.Header.Set("Accept", "application/json, text/event-stream")
	r.Header.Set("Content-Type", "application/json")
	if c.id != "" {
		r.Header.Set("Mcp-Session-Id", c.id)
		r.Header.Set("MCP-Protocol-Version", "2025-11-25")
	}
	began := make(chan error, 1)
	go func() {
		resp, err := http.DefaultClient.Do(r)
		if err == nil && c.id == "" {
			c.id = resp.Header.Get("Mcp-Session-Id")
		}
		began <- err
		if err != nil {
			return
		}
		defer resp.Body.Close()
		lines := bufio.NewScanner(resp.Body)
		for lines.Scan() {
			if text := strings.TrimPrefix(lines.Text(), "data: "); strings.HasPrefix(text, "{") {
				c.messages <- text
			}
		}
	}()
	if !strings.Contains(text, "tasks/result") { // whose response may begin with its end
		select {
		case err := <-began:
			if err != nil {
				c.t.Fatal(err)
			}
		case <-c.ctx.Done():
			c.t.Fatal("no response")
		}
	}
}

// wait returns the next message with a text. It reports what it leaves out.
func (c *sessionClient) wait(text string) (message string, before []string) {
	c.t.Helper()
	for {
		select {
		case message := <-c.messages:
			if strings.Contains(message, text) {
				return message, before
			}
			before = append(before, message)
		case <-c.ctx.Done():
			c.t.Fatalf("there is no %s after %v", text, before)
		}
	}
}

// Two processes share a file. Their clients have sessions over HTTP, and wait for the result of one
// task: one of them is asked, and both get the result. The one that has begun the task is notified,
// whichever process runs it.
func TestSessionsOfTwoProcesses(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	path := filepath.Join(t.TempDir(), "tasks.db")
	one, other := openSession(ctx, t, path), openSession(ctx, t, path)
	one.listen()
	one.ask("tools/call", `"name":"ask","task":{}`)
	created, _ := one.wait(`"result":{"task"`)
	_, id, _ := strings.Cut(created, `"taskId":"`)
	id = id[:26]
	one.wait(`"method":"notifications/tasks/status","params":{"taskId":"` + id + `","status":"input_required"`)
	result := `"taskId":"` + id + `"`
	other.ask("tasks/result", result)
	question, _ := other.wait(`"method":"elicitation/create"`)
	one.ask("tasks/result", result)
	time.Sleep(4 * time.Second) // the stream of the session would ask by now
	var m struct{ ID json.RawMessage }
	if err := json.Unmarshal([]byte(question), &m); err != nil {
		t.Fatal(err)
	}
	other.post(`{"jsonrpc":"2.0","id":` + string(m.ID) + `,"result":{"action":"accept","content":{"yes":true}}}`)
	_, before := other.wait(`"text":"yes: true"`)
	_, more := one.wait(`"text":"yes: true"`)
	for _, message := range append(before, more...) {
		if strings.Contains(message, "elicitation/create") {
			t.Errorf("asked again: %s", message)
		}
	}
	if !strings.Contains(strings.Join(more, ""), `"status":"completed"`) {
		one.wait(`"status":"completed"`)
	}
}
