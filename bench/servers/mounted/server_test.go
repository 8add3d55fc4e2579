//go:build unix

package mounted

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"syscall"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpgen/mcpgen/bench/servers/gosdk"
	generated "github.com/mcpgen/mcpgen/bench/servers/mcpgen"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// servers are the compared servers: tools written for the SDK, the generated tools mounted on an
// SDK server, and on mcpgen's server.
var servers = []struct {
	name  string
	serve func(ctx context.Context, in io.ReadCloser, out io.WriteCloser) error
}{
	{"gosdk", func(ctx context.Context, in io.ReadCloser, out io.WriteCloser) error {
		return run(ctx, gosdk.New(), in, out)
	}},
	{"mounted", func(ctx context.Context, in io.ReadCloser, out io.WriteCloser) error { return run(ctx, New(), in, out) }},
	{"mcpgen", func(ctx context.Context, in io.ReadCloser, out io.WriteCloser) error {
		return generated.NewMCPServer().Serve(ctx, jsonrpc.NewLineConn(in, out, 0))
	}},
}

func run(ctx context.Context, s *sdk.Server, in io.ReadCloser, out io.WriteCloser) error {
	session, err := s.Connect(ctx, &sdk.IOTransport{Reader: in, Writer: out}, nil)
	if err != nil {
		return err
	}
	return session.Wait()
}

// calls are params of tools/call, without the closing brace.
var calls = []struct{ name, params string }{
	{"add", `{"name":"add","arguments":{"a":2,"b":40}`},
	{"search", `{"name":"search","arguments":{"query":"distributed systems and the people who run them","limit":2,"offset":100,"sort":"year","exact":false,"filters":[{"field":"language","op":"in","values":["en","de","fr"],"boost":1.5},{"field":"year","op":"gt","values":["1990"]}],"labels":{"tenant":"north","source":"assistant"},"weights":{"title":0.75,"author":0.5},"page":{"number":5,"size":25,"cursor":"b2Zmc2V0OjEwMA=="},"since":"2024-02-29T12:30:00.25+01:00"}`},
	{"text", `{"name":"text","arguments":{"text":"hello"}`},
	{"records", `{"name":"records","arguments":{"count":100}`},
}

const meta = `,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"bench","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}`

// client is a client that writes lines.
type client struct {
	w    io.WriteCloser
	r    *bufio.Reader
	line []byte
}

// ask sends a line and returns the next one.
func (c *client) ask(t testing.TB, line string) []byte {
	t.Helper()
	if _, err := io.WriteString(c.w, line+"\n"); err != nil {
		t.Fatal(err)
	}
	c.line = c.line[:0]
	for {
		part, err := c.r.ReadSlice('\n')
		c.line = append(c.line, part...)
		if err == nil {
			return c.line
		}
		if err != bufio.ErrBufferFull {
			t.Fatal(err)
		}
	}
}

// connect serves a client, in a session or without one.
func connect(t testing.TB, serve func(context.Context, io.ReadCloser, io.WriteCloser) error, session bool) *client {
	t.Helper()
	in, w := io.Pipe()
	r, out := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- serve(context.Background(), in, out) }()
	t.Cleanup(func() {
		_ = w.Close()
		_ = r.Close()
		<-ended
	})
	c := &client{w: w, r: bufio.NewReaderSize(r, 64<<10)}
	if session {
		c.ask(t, `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}}`)
		if _, err := io.WriteString(w, `{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n"); err != nil {
			t.Fatal(err)
		}
	}
	return c
}

// request returns a tools/call as text.
func request(params string, session bool) string {
	end := ""
	if !session {
		end = meta
	}
	return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":` + params + end + `}}`
}

// The results of the three servers are equal.
func TestResults(t *testing.T) {
	for _, session := range []bool{true, false} {
		for _, call := range calls {
			var first any
			for _, s := range servers {
				answer := connect(t, s.serve, session).ask(t, request(call.params, session))
				var result struct {
					Result struct {
						IsError           bool
						Content           any
						StructuredContent any
					}
				}
				if err := json.Unmarshal(answer, &result); err != nil || result.Result.IsError || result.Result.Content == nil {
					t.Fatalf("%s: %v in %s", s.name, err, answer)
				}
				if first == nil {
					first = result.Result.StructuredContent
				} else if !reflect.DeepEqual(first, result.Result.StructuredContent) {
					t.Errorf("%s differs from %s: %s", s.name, servers[0].name, bytes.TrimSpace(answer))
				}
			}
		}
	}
}

// BenchmarkCalls measures sequential calls over a pipe in memory. The CPU time includes the client,
// which writes and reads lines.
func BenchmarkCalls(b *testing.B) {
	for _, session := range []bool{true, false} {
		for _, call := range calls {
			for _, s := range servers {
				era := "modern"
				if session {
					era = "session"
				}
				b.Run(fmt.Sprintf("%s/%s/%s", era, call.name, s.name), func(b *testing.B) {
					c := connect(b, s.serve, session)
					line := request(call.params, session)
					c.ask(b, line)
					b.ReportAllocs()
					began := cpu(b)
					for b.Loop() {
						c.ask(b, line)
					}
					b.ReportMetric(float64(cpu(b)-began)/float64(b.N), "cpu-ns/op")
				})
			}
		}
	}
}

// cpu returns the CPU time of the process, in nanoseconds.
func cpu(b *testing.B) int64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return u.Utime.Nano() + u.Stime.Nano()
}
