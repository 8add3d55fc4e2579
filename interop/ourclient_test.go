package interop

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	nethttp "net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	ours "github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpclient"
	"github.com/mcpgen/mcpgen/runtime/mcphttp"
)

// in and out are arguments and results of the tools.
type (
	in struct {
		Text string `json:"text"`
	}
	out struct {
		Text string `json:"text"`
	}
)

// sdkServer returns a server of the official SDK that uses everything that a server can
// ask of a client.
func sdkServer() *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "sdk", Version: "1"}, &mcp.ServerOptions{
		CompletionHandler: func(_ context.Context, r *mcp.CompleteRequest) (*mcp.CompleteResult, error) {
			return &mcp.CompleteResult{Completion: mcp.CompletionResultDetails{Values: []string{r.Params.Argument.Value + "tics", "math"}, Total: 2}}, nil
		},
		SubscribeHandler:   func(context.Context, *mcp.SubscribeRequest) error { return nil },
		UnsubscribeHandler: func(context.Context, *mcp.UnsubscribeRequest) error { return nil },
	})
	mcp.AddTool(s, &mcp.Tool{Name: "echo", Description: "Returns the text."}, func(_ context.Context, _ *mcp.CallToolRequest, a in) (*mcp.CallToolResult, out, error) {
		if a.Text == "" {
			return nil, out{}, errors.New("text is empty")
		}
		return nil, out(a), nil
	})
	mcp.AddTool(s, &mcp.Tool{Name: "steps", Description: "Reports progress and logs."}, func(ctx context.Context, r *mcp.CallToolRequest, _ in) (*mcp.CallToolResult, out, error) {
		for i := range 3 {
			if token := r.Params.GetProgressToken(); token != nil {
				if err := r.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: token, Progress: float64(i + 1), Total: 3}); err != nil {
					return nil, out{}, err
				}
			}
		}
		return nil, out{"done"}, nil
	})
	mcp.AddTool(s, &mcp.Tool{Name: "wait", Description: "Waits until it is cancelled."}, func(ctx context.Context, _ *mcp.CallToolRequest, _ in) (*mcp.CallToolResult, out, error) {
		select {
		case <-ctx.Done():
			cancelled <- struct{}{}
			return nil, out{}, ctx.Err()
		case <-time.After(2 * time.Second):
			return nil, out{}, errors.New("not cancelled")
		}
	})
	addAsk(s)
	s.AddResource(&mcp.Resource{URI: "test://a", Name: "a"}, func(context.Context, *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: "test://a", Text: "A"}}}, nil
	})
	s.AddResourceTemplate(&mcp.ResourceTemplate{URITemplate: "test://{x}", Name: "x"}, func(_ context.Context, r *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: r.Params.URI, Blob: []byte{1, 2, 3}}}}, nil
	})
	s.AddPrompt(&mcp.Prompt{Name: "p", Arguments: []*mcp.PromptArgument{{Name: "subject", Required: true}}}, func(_ context.Context, r *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		return &mcp.GetPromptResult{Messages: []*mcp.PromptMessage{{Role: "user", Content: &mcp.TextContent{Text: "About " + r.Params.Arguments["subject"]}}}}, nil
	})
	return s
}

// cancelled gets an element for each call of wait that was cancelled.
var cancelled = make(chan struct{}, 10)

// overPipes connects to a server over pipes, as to a program.
func overPipes(s *mcp.Server) mcpclient.Target {
	return mcpclient.Dialer("go-sdk", func(context.Context) (jsonrpc.Conn, error) {
		fromClient, toServer := io.Pipe()
		fromServer, toClient := io.Pipe()
		go func() {
			// The end of the connection is the end of the test.
			_ = s.Run(context.Background(), &mcp.IOTransport{Reader: fromClient, Writer: toClient})
			_ = toClient.Close()
		}()
		return jsonrpc.NewLineConn(fromServer, toServer, 64<<20), nil
	})
}

// TestOurClient tries our client on servers of others.
func TestOurClient(t *testing.T) {
	s := sdkServer()
	every := []string{"", "2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"}
	this := func(*nethttp.Request) *mcp.Server { return s }
	sessions := httptest.NewServer(mcp.NewStreamableHTTPHandler(this, nil))
	defer sessions.Close()
	stateless := httptest.NewServer(mcp.NewStreamableHTTPHandler(this, &mcp.StreamableHTTPOptions{Stateless: true}))
	defer stateless.Close()
	old := httptest.NewServer(mcp.NewSSEHandler(this, nil))
	defer old.Close()
	for _, server := range []struct {
		name      string
		target    mcpclient.Target
		revisions []string
	}{
		{"pipes", overPipes(s), every},
		{"HTTP", mcphttp.Endpoint{URL: sessions.URL}, every},
		{"stateless HTTP", mcphttp.Endpoint{URL: stateless.URL}, []string{"2026-07-28"}}, // its handlers do not end with their requests
		{"HTTP with SSE", mcphttp.Endpoint{URL: old.URL}, every[:1]},
	} {
		for _, revision := range server.revisions {
			t.Run(server.name+"/"+cmp.Or(revision, "newest"), func(t *testing.T) {
				useClient(t, s, server.target, revision)
			})
		}
	}
}

// useClient does everything that a client can do.
func useClient(t *testing.T, s *mcp.Server, target mcpclient.Target, revision string) {
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	var mu sync.Mutex
	var wrong []error
	c, err := mcpclient.Connect(ctx, target, mcpclient.Options{
		Revision: revision,
		Elicit: func(context.Context, *mcpclient.Elicitation) (mcpclient.ElicitAnswer, error) {
			return mcpclient.Accept(map[string]int{"n": 3}), nil
		},
		Sample: func(context.Context, *mcpclient.SampleRequest) (*mcpclient.SampleAnswer, error) {
			return mcpclient.TextAnswer("hello"), nil
		},
		Roots: func(context.Context) ([]ours.Root, error) { return []ours.Root{{URI: "file:///x"}}, nil },
		OnProtocolError: func(err error) {
			mu.Lock()
			defer mu.Unlock()
			wrong = append(wrong, err)
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	t.Logf("revision %s", c.Revision())
	check := func(what string, err error) {
		t.Helper()
		if err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
	info, err := c.Server(ctx)
	check("server", err)
	if info.Implementation.Name == "" {
		t.Errorf("server %+v", info)
	}
	tools, err := c.Tools(ctx)
	check("tools", err)
	if len(tools) != 4 {
		t.Errorf("%d tools", len(tools))
	}
	type text struct{ Text string }
	for i := range 20 {
		got, err := mcpclient.Call[text](ctx, c, "echo", map[string]string{"text": fmt.Sprint(i)})
		check("call", err)
		if got.Text != fmt.Sprint(i) {
			t.Errorf("echo returned %q", got.Text)
		}
	}
	_, err = mcpclient.Call[text](ctx, c, "echo", map[string]string{"text": ""})
	if _, ok := errors.AsType[*mcpclient.ToolError](err); !ok {
		t.Errorf("a failed call: %v", err)
	}
	var steps []float64
	_, err = c.Call(ctx, "steps", map[string]string{"text": "x"}, mcpclient.WithProgress(func(p mcpclient.Progress) { steps = append(steps, p.Done) }))
	check("steps", err)
	if len(steps) == 0 || steps[len(steps)-1] != 3 || !slices.IsSorted(steps) {
		t.Errorf("progress %v", steps)
	}
	short, stop := context.WithTimeout(ctx, 50*time.Millisecond)
	_, err = c.Call(short, "wait", map[string]string{"text": "x"})
	stop()
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("wait: %v", err)
	}
	if !strings.Contains(t.Name(), "stateless") {
		select {
		case <-cancelled:
		case <-ctx.Done():
			t.Error("the call was not cancelled at the server")
		}
	}
	if revision != "2024-11-05" && revision != "2025-03-26" {
		got, err := mcpclient.Call[text](ctx, c, "ask", map[string]string{"text": "x"})
		check("ask", err)
		if got.Text != "accept3hellofile:///x" && got.Text != "accept 3 hello file:///x" {
			t.Errorf("ask returned %q", got.Text)
		}
	}
	resources, err := c.Resources(ctx)
	check("resources", err)
	templates, err := c.Templates(ctx)
	check("templates", err)
	prompts, err := c.Prompts(ctx)
	check("prompts", err)
	if len(resources) != 1 || len(templates) != 1 || len(prompts) != 1 {
		t.Errorf("%d resources, %d templates, %d prompts", len(resources), len(templates), len(prompts))
	}
	read, err := c.Read(ctx, "test://a")
	check("read", err)
	if read.Text() != "A" {
		t.Errorf("read %q", read.Text())
	}
	read, err = c.Read(ctx, "test://b")
	check("read", err)
	if !slices.Equal(read.Blob(), []byte{1, 2, 3}) {
		t.Errorf("read %v", read.Blob())
	}
	_, err = c.Read(ctx, "other://b")
	if _, ok := errors.AsType[*jsonrpc.Error](err); !ok {
		t.Errorf("read of a resource that does not exist: %v", err)
	}
	prompt, err := c.Prompt(ctx, "p", map[string]string{"subject": "sea"})
	check("prompt", err)
	if prompt.Text() != "user: About sea" {
		t.Errorf("prompt %q", prompt.Text())
	}
	completion, err := c.CompletePrompt(ctx, "p", "subject", "mathema", nil)
	check("complete", err)
	if !slices.Equal(completion.Values, []string{"mathematics", "math"}) {
		t.Errorf("completion %v", completion)
	}
	sub, err := c.Subscribe(ctx, mcpclient.Filter{Tools: true, URIs: []string{"test://a"}})
	check("subscribe", err)
	if err == nil {
		changes := make(chan mcpclient.Change, 10)
		go func() {
			for change := range sub.Changes() {
				changes <- change
			}
		}()
		check("update", s.ResourceUpdated(ctx, &mcp.ResourceUpdatedNotificationParams{URI: "test://a"}))
		select {
		case change := <-changes:
			if change != (mcpclient.Change{Method: mcpclient.ResourceUpdated, URI: "test://a"}) {
				t.Errorf("change %v", change)
			}
		case <-ctx.Done():
			t.Error("no change was reported")
		}
		check("close of the subscription", sub.Close())
	}
	check("ping", c.Ping(ctx))
	raw, err := c.Request(ctx, "tools/list", nil)
	check("request", err)
	if !json.Valid(raw) {
		t.Errorf("request returned %s", raw)
	}
	mu.Lock()
	defer mu.Unlock()
	for _, err := range wrong {
		t.Errorf("violation: %v", err)
	}
}
