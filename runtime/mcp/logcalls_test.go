package mcp_test

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/internal/proof/spec"
	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// logBook collects the lines of a log, without their time.
type logBook struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *logBook) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

// take returns the lines since the last call.
func (l *logBook) take() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	defer l.b.Reset()
	return strings.TrimSpace(l.b.String())
}

func (l *logBook) logger() *slog.Logger {
	return slog.New(slog.NewTextHandler(l, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}}))
}

func TestLogCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		book := &logBook{}
		explode := func(next mcp.Handler) mcp.Handler {
			return func(ctx context.Context, req *mcp.Request) (mcp.Reply, error) {
				if req.Method == "explode" {
					panic("secret of an interceptor")
				}
				return next(ctx, req)
			}
		}
		s := newLibrary(quiet, mcp.WithInterceptors(mcp.LogCalls(book.logger()), explode))
		register(s)
		tool(s, "sure", func(ctx context.Context) (string, error) {
			_, err := mcp.Elicit[sure](ctx, "secret question")
			return "done", err
		})
		p := dialContext(t, mcp.CallerContext(t.Context(), mcp.Principal{ID: "ada"}, nil), s, "memory")
		long := strings.Repeat("x", 1000)
		const modernSure = `{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"elicitation":{}}},"name":"sure"}`
		for _, test := range []struct{ send, want string }{
			{initialize("2025-11-25"), "level=INFO msg=request method=initialize principal=ada duration=0s outcome=ok"},
			{request(1, "ping", "{}"), "level=INFO msg=request method=ping principal=ada duration=0s outcome=ok"},
			{call(1, "add", `{"a":1,"b":2}`), "level=INFO msg=request method=tools/call feature=add principal=ada duration=0s outcome=ok"},
			{call(1, "nap", `{}`), "level=INFO msg=request method=tools/call feature=nap principal=ada duration=1s outcome=ok"},
			{call(1, "slow", `{}`), "level=WARN msg=request method=tools/call feature=slow principal=ada duration=2s outcome=timeout"},
			{call(1, "add", `{"a":"secret"}`), `level=WARN msg=request method=tools/call feature=add principal=ada duration=0s outcome="tool error"`},
			{call(1, "nothing", `{}`), `level=WARN msg=request method=tools/call feature=nothing principal=ada duration=0s outcome="tool error"`},
			{call(1, "fail", `{}`), `level=WARN msg=request method=tools/call feature=fail principal=ada duration=0s outcome="tool error"`},
			{call(1, "fail_protocol", `{}`), "level=WARN msg=request method=tools/call feature=fail_protocol principal=ada duration=0s outcome=error code=7"},
			{call(1, "fail_reserved", `{}`), "level=WARN msg=request method=tools/call feature=fail_reserved principal=ada duration=0s outcome=error code=-32603"},
			{call(1, "panic", `{}`), "level=WARN msg=request method=tools/call feature=panic principal=ada duration=0s outcome=panic"},
			{call(1, "no\nsuch", `{}`), `level=WARN msg=request method=tools/call feature="no\nsuch" principal=ada duration=0s outcome=error code=-32602`},
			{call(1, long, `{}`), "level=WARN msg=request method=tools/call feature=" + long[:256] + "… principal=ada duration=0s outcome=error code=-32602"},
			{request(1, "explode", "{}"), "level=WARN msg=request method=explode principal=ada duration=0s outcome=panic"},
			{request(1, "no/such", "{}"), "level=WARN msg=request method=no/such principal=ada duration=0s outcome=error code=-32601"},
			{request(1, "resources/read", `{"uri":"test://motto"}`), "level=INFO msg=request method=resources/read feature=test://motto principal=ada duration=0s outcome=ok"},
			{
				request(1, "resources/read", `{"uri":"test://me:secret@host/a?token=secret#secret"}`),
				"level=WARN msg=request method=resources/read feature=test://host/a principal=ada duration=0s outcome=error code=-32002",
			},
			{request(1, "resources/read", `{"uri":"book://x"}`), "level=WARN msg=request method=resources/read feature=book://x principal=ada duration=0s outcome=error code=-32002"},
			{
				request(1, "prompts/get", `{"name":"greet","arguments":{"name":"secret","times":"secret"}}`),
				"level=WARN msg=request method=prompts/get feature=greet principal=ada duration=0s outcome=error code=-32602",
			},
			{
				request(1, "prompts/get", `{"name":"greet","arguments":{"name":"secret"}}`),
				"level=INFO msg=request method=prompts/get feature=greet principal=ada duration=0s outcome=ok",
			},
			{request(1, "tools/call", modernSure), `level=INFO msg=request method=tools/call feature=sure principal=ada duration=0s outcome="input required"`},
			{lines(call(1, "block", `{}`), `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1,"reason":"gave up"}}`),
				`level=INFO msg=request method=tools/call feature=block principal=ada duration=0s outcome=cancelled reason="gave up"`},
			{lines(call(1, "block", `{}`), `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`),
				"level=INFO msg=request method=tools/call feature=block principal=ada duration=0s outcome=cancelled"},
		} {
			p.send(strings.TrimSuffix(test.send, "\n") + "\n")
			time.Sleep(3 * time.Second)
			synctest.Wait()
			if got := book.take(); got != test.want {
				t.Errorf("%s\nlogged %s\nwant   %s", test.send, got, test.want)
			}
		}
		p.send(lines(call(1, "block", `{}`)))
		synctest.Wait()
		p.hangUp()
		synctest.Wait()
		if got, want := book.take(), "level=INFO msg=request method=tools/call feature=block principal=ada duration=10s outcome=disconnected"; got != want {
			t.Errorf("logged %s\nwant   %s", got, want)
		}
	})
}

// The log contains the code that the client gets, and a request without authentication has no
// principal.
func TestLogCallsCodes(t *testing.T) {
	book := &logBook{}
	s := newLibrary(quiet, mcp.WithInterceptors(mcp.LogCalls(book.logger())))
	register(s)
	p := connect(t, s)
	book.take()
	for _, text := range []string{
		call(1, "sample", "{}"), call(1, "fail_resource", "{}"), call(1, "fail_protocol", "{}"), spec.Invalid(call(1, "add", `{"a":1,"a":2}`)),
		request(1, "resources/read", `{"uri":"none://"}`), spec.Invalid(request(1, "resources/read", `{"uri":7}`)),
		request(1, "completion/complete", `{"ref":{"type":"ref/resource","uri":"book://{isbn}{?lang}"},"argument":{"name":"isbn","value":"fail"}}`),
		strings.Replace(call(1, "sample", "{}"), `"params":{`, `"params":{`+modernMeta+`,`, 1),
		request(1, "resources/read", `{`+modernMeta+`,"uri":"none://"}`),
	} {
		var reply struct{ Error struct{ Code int } }
		if err := json.Unmarshal([]byte(p(text)), &reply); err != nil {
			t.Fatal(err)
		}
		line := book.take()
		want := `outcome="tool error"`
		if reply.Error.Code != 0 {
			want = "outcome=error code=" + jsonInt(reply.Error.Code)
		}
		if !strings.HasSuffix(line, want) || strings.Contains(line, "principal") {
			t.Errorf("%s\nlogged %s, want %s", text, line, want)
		}
	}
}

func jsonInt(n int) string {
	b, _ := json.Marshal(n)
	return string(b)
}
