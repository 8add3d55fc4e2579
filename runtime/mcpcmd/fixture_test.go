package mcpcmd_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/mcpgen/mcpgen/internal/proof/spec"
	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpcmd"
)

// TestMain is also the program that the tests of Main start.
func TestMain(m *testing.M) {
	if os.Getenv("MCPCMD_TEST_PROGRAM") != "" {
		theProgram()
	}
	goleak.VerifyTestMain(m)
}

// newServer has a tool that answers at once, one that waits, and some other features to count.
func newServer(wait func(context.Context) (string, error), options ...mcp.Option) *mcp.Server {
	options = append([]mcp.Option{mcp.WithLogger(slog.New(slog.DiscardHandler))}, options...)
	s := mcp.NewServer(mcp.ServerInfo{Name: "fixture", Version: "1.2.3", Description: "It is tested."}, options...)
	tool := func(name string, f func(context.Context) (string, error)) {
		s.Register(mcp.NewTool(mcp.ToolInfo{Name: name, InputSchema: `{"type":"object"}`},
			func(ctx context.Context, _ json.RawMessage) (*mcp.ToolResult, error) {
				text, err := f(ctx)
				if err != nil {
					return nil, err
				}
				return mcp.TextResult(text), nil
			}))
	}
	tool("greet", func(ctx context.Context) (string, error) {
		return "hello " + mcp.CallFrom(ctx).Principal().ID, nil
	})
	tool("wait", wait)
	tool("log", func(ctx context.Context) (string, error) {
		for range 3 {
			mcp.Logger(ctx).Warn("logged")
		}
		return "logged", nil
	})
	s.Register(mcp.TextResource(&mcp.ResourceInfo{URI: "fixture://a", Name: "a"}, "a"))
	return s
}

// never is for tests without a call of the waiting tool.
func never(context.Context) (string, error) { return "", nil }

// buffer is a buffer for several goroutines.
type buffer struct {
	mu sync.Mutex
	b  strings.Builder
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

// running is a server that Run serves over HTTP.
type running struct {
	t      *testing.T
	url    string
	stop   context.CancelFunc
	stderr *buffer
	ended  chan error
	client *http.Client
}

// serve runs a server at a free port until the test ends.
func serve(t *testing.T, s *mcp.Server, args []string, options ...mcpcmd.Option) *running {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	r := &running{t: t, stop: stop, stderr: new(buffer), ended: make(chan error, 1), client: &http.Client{Transport: spec.Transport(t, http.DefaultTransport)}}
	r.client.Transport = &http.Transport{DisableKeepAlives: true}
	ready := make(chan string, 1)
	options = append([]mcpcmd.Option{mcpcmd.WithReady(func(url string) { ready <- url }), mcpcmd.WithOutput(io.Discard, r.stderr)}, options...)
	args = append([]string{"-http", "127.0.0.1:0"}, args...)
	go func() {
		defer close(r.ended)
		r.ended <- mcpcmd.Run(ctx, s, args, options...)
	}()
	select {
	case r.url = <-ready:
	case err := <-r.ended:
		t.Fatal("Run:", err)
	}
	t.Cleanup(func() {
		stop()
		<-r.ended
	})
	return r
}

// request returns a request of revision 2026-07-28.
func request(ctx context.Context, url, method, name string) *http.Request {
	body := `{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":{`
	if name != "" {
		body += `"name":"` + name + `","arguments":{},`
	}
	body += `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		panic(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	r.Header.Set("MCP-Protocol-Version", "2026-07-28")
	r.Header.Set("Mcp-Method", method)
	if name != "" {
		r.Header.Set("Mcp-Name", name)
	}
	return r
}

// answer sends a request and reads all of the answer.
func (r *running) answer(req *http.Request) (status int, body string, err error) {
	return answer(r.client, req)
}

func answer(client *http.Client, req *http.Request) (status int, body string, err error) {
	resp, err := client.Do(req)
	if err != nil {
		return 0, "", err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	return resp.StatusCode, string(text), err
}

// call calls a tool.
func (r *running) call(tool string) (status int, body string, err error) {
	return r.answer(request(r.t.Context(), r.url, "tools/call", tool))
}

// theProgram is the program that the tests of Main start. A call of wait prints a line on standard
// error and waits for a byte on standard input, even after its context is cancelled.
func theProgram() {
	if os.Getenv("MCPCMD_TEST_FAIL") != "" && len(os.Args) == 1 {
		os.Exit(3)
	}
	signalGrace, err := time.ParseDuration(os.Getenv("MCPCMD_TEST_TOGETHER"))
	if err == nil {
		mcpcmd.SetSignalGrace(signalGrace)
	}
	in := bufio.NewReader(os.Stdin)
	wait := func(context.Context) (string, error) {
		fmt.Fprintln(os.Stderr, "waiting")
		_, err := in.ReadByte()
		return "released", err
	}
	if os.Getenv("MCPCMD_TEST_PROGRAM") == "stdio" {
		wait = func(ctx context.Context) (string, error) {
			fmt.Fprintln(os.Stderr, "waiting")
			<-ctx.Done()
			fmt.Fprintln(os.Stderr, "ended:", context.Cause(ctx))
			return "", context.Cause(ctx)
		}
	}
	cleanup := func() {
		if path := os.Getenv("MCPCMD_TEST_CLEANUP"); path != "" {
			_ = os.WriteFile(path, nil, 0o600)
		}
	}
	options := []mcpcmd.Option{mcpcmd.WithCleanup(cleanup)}
	if how := os.Getenv("MCPCMD_TEST_FLAGS"); how != "" {
		db := flag.String("db", "", "the database")
		options = append(options, mcpcmd.WithFlags(flag.CommandLine))
		if strings.Contains(how, "commands") {
			options = append(options, mcpcmd.WithCommands())
		}
		if strings.Contains(how, "parse") {
			flag.Parse()
		}
		options = append(options, mcpcmd.WithCleanup(func() { fmt.Fprintln(os.Stderr, "the database is", *db) }))
	}
	server := newServer(wait, mcp.WithLogger(slog.Default()))
	if how := os.Getenv("MCPCMD_TEST_OPEN"); how != "" {
		mcpcmd.MainFunc(func(ctx context.Context) (*mcp.Server, func(), error) {
			fmt.Fprintln(os.Stderr, "opening")
			switch how {
			case "fail":
				return nil, nil, errors.New("no database")
			case "wait":
				<-ctx.Done()
				return nil, nil, fmt.Errorf("connect: %w", ctx.Err())
			}
			return server, func() { fmt.Fprintln(os.Stderr, "closing") }, nil
		}, options...)
	}
	mcpcmd.Main(server, options...)
}
