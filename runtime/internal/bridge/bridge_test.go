package bridge

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/mcp"
)

const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"elicitation":{}},"progressToken":"p"}`

// client records notifications, and answers questions.
type client struct {
	mu       sync.Mutex
	notified []string
	notify   func()
	answer   string
	err      error
}

func (c *client) Notify(_ context.Context, method string, params json.RawMessage) {
	if c.notify != nil {
		c.notify()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.notified = append(c.notified, method+" "+string(params))
}

func (c *client) Ask(ctx context.Context, method string, _ json.RawMessage) (json.RawMessage, error) {
	if c.answer == "wait" {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	return json.RawMessage(c.answer), c.err
}

// newBridge returns a bridge to a server with one tool.
func newBridge(t *testing.T, f func(ctx context.Context, arguments json.RawMessage) (*mcp.ToolResult, error), options ...mcp.Option) *Bridge {
	t.Helper()
	s := mcp.NewServer(mcp.ServerInfo{Name: "test", Version: "1"}, options...)
	s.Register(mcp.NewTool(mcp.ToolInfo{Name: "tool"}, f))
	b := New(s, "bridged")
	t.Cleanup(b.Close)
	return b
}

func callOf(arguments, end string) *Request {
	if end != "" {
		end = "," + end
	}
	return &Request{Method: "tools/call", Params: []byte(`{"name":"tool","arguments":` + arguments + end + `}`)}
}

// open opens a session of revision 2025-11-25.
func open(t *testing.T, b *Bridge, notify func(string, json.RawMessage)) *Session {
	t.Helper()
	s, err := b.Open(t.Context(), &Hello{Revision: "2025-11-25", Capabilities: json.RawMessage(`{"elicitation":{}}`)}, notify)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// callers are the two ways of a request.
func callers(t *testing.T, b *Bridge) map[string]func(context.Context, string, Client) (json.RawMessage, error) {
	t.Helper()
	s := open(t, b, func(string, json.RawMessage) {})
	return map[string]func(context.Context, string, Client) (json.RawMessage, error){
		"session": func(ctx context.Context, arguments string, c Client) (json.RawMessage, error) {
			return s.Call(ctx, callOf(arguments, `"_meta":{"progressToken":"p"}`), c)
		},
		"request": func(ctx context.Context, arguments string, c Client) (json.RawMessage, error) {
			return b.Call(ctx, callOf(arguments, meta), c)
		},
	}
}

func TestCall(t *testing.T) {
	b := newBridge(t, func(ctx context.Context, arguments json.RawMessage) (*mcp.ToolResult, error) {
		if string(arguments) == `{"fail":1}` {
			return nil, &mcp.ProtocolError{Code: 5, Message: "no", Data: json.RawMessage(`{"a":"b"}`)}
		}
		mcp.Progress(ctx, 1, 2, "half")
		return mcp.TextResult(mcp.CallFrom(ctx).Transport() + string(arguments)), nil
	}, mcp.WithLimits(mcp.Limits{MessageBytes: 4 << 10}))
	for name, call := range callers(t, b) {
		c := new(client)
		result, err := call(t.Context(), `{"a":"`+"\n"+`"}`, c)
		if e, ok := errors.AsType[*jsonrpc.Error](err); !ok || result != nil {
			t.Errorf("%s: a text that is not JSON: %v %+v", name, err, e)
		}
		result, err = call(t.Context(), `{"a": 1}`, c)
		if err != nil || !strings.Contains(string(result), `bridged{\"a\": 1}`) {
			t.Errorf("%s: %v %s", name, err, result)
		}
		if len(c.notified) != 1 || !strings.Contains(c.notified[0], `"progress":1`) {
			t.Errorf("%s: %q", name, c.notified)
		}
		_, err = call(t.Context(), `{"fail":1}`, c)
		if e, ok := errors.AsType[*jsonrpc.Error](err); !ok || e.Code != 5 || e.Message != "no" || string(e.Data) != `{"a":"b"}` {
			t.Errorf("%s: %v", name, err)
		}
		if _, err = call(t.Context(), `{"a":"`+strings.Repeat("x", 5000)+`"}`, c); err == nil || !strings.Contains(err.Error(), "4096 bytes") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestCancel(t *testing.T) {
	started, ended := make(chan struct{}), make(chan error)
	b := newBridge(t, func(ctx context.Context, _ json.RawMessage) (*mcp.ToolResult, error) {
		started <- struct{}{}
		<-ctx.Done()
		ended <- context.Cause(ctx)
		return nil, ctx.Err()
	})
	given := errors.New("given up")
	for name, call := range callers(t, b) {
		ctx, cancel := context.WithCancelCause(t.Context())
		failed := make(chan error, 1)
		go func() {
			_, err := call(ctx, `{}`, nil)
			failed <- err
		}()
		<-started
		cancel(given)
		if err := <-failed; !errors.Is(err, given) {
			t.Errorf("%s: %v", name, err)
		}
		if err := <-ended; !errors.Is(err, mcp.ErrCancelled) {
			t.Errorf("%s: the handler ended with %v", name, err)
		}
		if _, err := call(ctx, `{}`, nil); !errors.Is(err, given) {
			t.Errorf("%s: %v", name, err)
		}
	}
	all := callers(t, b)
	for _, name := range []string{"session", "request"} { // the second one closes the bridge
		call, failed := all[name], make(chan error, 1)
		go func() {
			_, err := call(t.Context(), `{}`, nil)
			failed <- err
		}()
		<-started
		if name == "session" {
			continue
		}
		b.Close()
		if err := <-failed; !errors.Is(err, mcp.ErrConnectionClosed) {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := call(t.Context(), `{}`, nil); !errors.Is(err, mcp.ErrConnectionClosed) {
			t.Errorf("%s after Close: %v", name, err)
		}
	}
	for range 2 {
		<-ended
	}
}

// A call that is running when its session or bridge is closed has no result, whatever its handler
// returns then.
func TestEndedCalls(t *testing.T) {
	for i := range 400 {
		started := make(chan struct{})
		b := newBridge(t, func(ctx context.Context, _ json.RawMessage) (*mcp.ToolResult, error) {
			close(started)
			<-ctx.Done()
			return mcp.TextResult("too late"), nil
		})
		s := open(t, b, func(string, json.RawMessage) {})
		failed := make(chan error, 1)
		go func() {
			_, err := s.Call(t.Context(), callOf(`{}`, ""), nil)
			failed <- err
		}()
		<-started
		if i%2 == 0 {
			s.Close()
		}
		b.Close()
		if err := <-failed; !errors.Is(err, mcp.ErrConnectionClosed) {
			t.Fatalf("call %d: %v", i, err)
		}
	}
}

// Questions of a session are requests, whose answer or error reaches the handler.
func TestAsk(t *testing.T) {
	b := newBridge(t, func(ctx context.Context, _ json.RawMessage) (*mcp.ToolResult, error) {
		a, err := mcp.ElicitFields(ctx, "?", &mcp.FormInfo{Fields: []mcp.FormField{{Name: "a"}}})
		if err != nil {
			return nil, err
		}
		return mcp.TextResult(fmt.Sprint(a.Action, a.Value)), nil
	})
	s := open(t, b, func(string, json.RawMessage) {})
	for _, test := range []struct {
		client *client
		want   string
	}{
		{&client{answer: "{\n\"action\":\"accept\",\"content\":{\"a\":\"b\"}}"}, "acceptmap[a:b]"},
		{&client{err: errors.New("no person")}, "no person"},
		{&client{err: &jsonrpc.Error{Code: -1, Message: "refused"}}, "refused (-1)"},
	} {
		result, err := s.Call(t.Context(), callOf(`{}`, ""), test.client)
		if err != nil || !strings.Contains(string(result), test.want) {
			t.Errorf("%v %s, want %q", err, result, test.want)
		}
	}
	result, err := b.Call(t.Context(), callOf(`{}`, meta), new(client))
	if err != nil || !strings.Contains(string(result), `"inputRequests"`) {
		t.Errorf("%v %s", err, result)
	}
}

// An answer that the server refuses becomes an error, so that the handler does not wait for ever.
func TestRefusedAnswers(t *testing.T) {
	b := newBridge(t, func(ctx context.Context, _ json.RawMessage) (*mcp.ToolResult, error) {
		a, err := mcp.ElicitFields(ctx, "?", &mcp.FormInfo{Fields: []mcp.FormField{{Name: "a"}}})
		if err != nil {
			return nil, err
		}
		return mcp.TextResult(fmt.Sprint(a.Action, a.Value)), nil
	}, mcp.WithLimits(mcp.Limits{MessageBytes: 8 << 10}))
	s := open(t, b, func(string, json.RawMessage) {})
	deep := strings.Repeat("[", 1000) + strings.Repeat("]", 1000)
	for _, test := range []struct {
		client *client
		want   string
	}{
		{&client{answer: `{"action":"accept","content":{"a":` + deep + `}}`}, "nested deeper"},
		{&client{answer: `{"action":"accept","action":"decline"}`}, "duplicate key"},
		{&client{answer: "{\"action\":\"\xff\"}"}, "invalid UTF-8"},
		{&client{answer: `{"action":"accept","content":{"a":"` + strings.Repeat("x", 9<<10) + `"}}`}, "8192 bytes"},
		{&client{answer: ""}, "unexpected end"},
		{&client{err: &jsonrpc.Error{Code: -1, Message: "no", Data: json.RawMessage(deep)}}, "nested deeper"},
		{&client{err: errors.New(strings.Repeat("x", 9<<10))}, "8192 bytes"},
	} {
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		result, err := s.Call(ctx, callOf(`{}`, ""), test.client)
		cancel()
		if err != nil || !strings.Contains(string(result), `"isError":true`) || !strings.Contains(string(result), test.want) {
			t.Errorf("%v %s, want %q", err, result, test.want)
		}
	}
}

// A client that reads slowly makes the handler wait, and gets everything in order.
func TestSlowClient(t *testing.T) {
	const messages = 200
	b := newBridge(t, func(ctx context.Context, _ json.RawMessage) (*mcp.ToolResult, error) {
		for i := range messages {
			mcp.Logger(ctx).Info(fmt.Sprintf("%04d %s", i, strings.Repeat("x", 1000)))
		}
		return mcp.TextResult("done"), nil
	}, mcp.WithLogger(slog.New(slog.DiscardHandler)), mcp.WithLimits(mcp.Limits{QueueBytes: 4 << 10, LogRate: 10 * messages}))
	s := open(t, b, func(string, json.RawMessage) {})
	c := new(client)
	most := 0
	c.notify = func() { most++ }
	result, err := s.Call(t.Context(), callOf(`{}`, ""), c)
	if err != nil || !strings.Contains(string(result), "done") || len(c.notified) != messages {
		t.Fatalf("%v %s, %d messages", err, result, len(c.notified))
	}
	for i, text := range c.notified {
		if !strings.Contains(text, fmt.Sprintf("%04d xxx", i)) {
			t.Fatalf("message %d is %.100s", i, text)
		}
	}
}

// Notifications that do not belong to a request reach the function of the session.
func TestNotify(t *testing.T) {
	b := newBridge(t, func(context.Context, json.RawMessage) (*mcp.ToolResult, error) { return mcp.TextResult(""), nil })
	got := make(chan string, 1)
	s := open(t, b, func(method string, _ json.RawMessage) { got <- method })
	other, err := b.Open(t.Context(), &Hello{Revision: "1999-01-01"}, func(string, json.RawMessage) {})
	if err != nil {
		t.Fatal(err)
	}
	other.Close()
	if _, err := other.Call(t.Context(), callOf(`{}`, ""), nil); !errors.Is(err, mcp.ErrConnectionClosed) {
		t.Errorf("a session that is closed: %v", err)
	}
	_ = s
	inner := mcp.NewServer(mcp.ServerInfo{Name: "test"})
	inner.Register(mcp.NewTool(mcp.ToolInfo{Name: "a"}, nil))
	changing := New(inner, "bridged")
	defer changing.Close()
	open(t, changing, func(method string, _ json.RawMessage) { got <- method })
	inner.Register(mcp.NewTool(mcp.ToolInfo{Name: "b"}, nil))
	if method := <-got; method != "notifications/tools/list_changed" {
		t.Error(method)
	}
}

func TestToolResult(t *testing.T) {
	for text, want := range map[string]string{
		`{"content":[{"type":"text","text":"a","annotations":{"audience":["user"],"priority":0.5,"lastModified":"2026-01-02T03:04:05Z"}}],"isError":true}`:                                                                                                                                           "true 1 <nil>",
		`{"content":[{"type":"image","data":"cG5n","mimeType":"image/png"},{"type":"audio","data":"cG5n"},{"type":"resource_link","uri":"a://b","name":"b","size":3,"icons":[{"src":"https://a.example/b"}]},{"type":"resource","resource":{"uri":"a://b","blob":"cG5n"}}],"structuredContent":[1]}`: "false 4 [1]",
		`{}`:                             "false 0 <nil>",
		`{"content":[{"type":"video"}]}`: `error: read result: a tool cannot return a block of type "video"`,
		`{"content":[{"type":"image","data":"?"}]}`: "error: read result: content[0].data: must be base64",
		`{"inputRequests":{}}`:                      "error: the tool asks the client, which it cannot on a server of another library",
		`[]`:                                        "error: read result: must be an object",
	} {
		r, err := ToolResult(json.RawMessage(text))
		got := fmt.Sprint("error: ", err)
		if err == nil {
			structured := "<nil>"
			if r.Structured != nil {
				structured = string(r.Structured)
			}
			got = fmt.Sprint(r.IsError, " ", len(r.Content), " ", structured)
		}
		if !strings.HasPrefix(got, want) {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}
