package mcp_test

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
	"github.com/mcpgen/mcpgen/runtime/internal/transport"
	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// unreadConn is a connection over a network whose client sends nothing.
type unreadConn struct{ reads int }

func (*unreadConn) Transport() string { return "tcp" }

func (c *unreadConn) Read() ([]byte, error) {
	c.reads++
	return nil, io.EOF
}

func (*unreadConn) Write([]byte) error { return nil }
func (*unreadConn) Close() error       { return nil }

// waitingLog is a log whose records take long enough for every other goroutine to run until it
// blocks.
type waitingLog struct {
	slog.Handler
	record func(message string)
}

func (l waitingLog) Handle(_ context.Context, r slog.Record) error {
	synctest.Wait()
	l.record(r.Message)
	return nil
}

// Log lines about the start of a connection precede its first message: a client that has a reply
// finds them in the log.
func TestLogBeforeFirstMessage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		conn, records := new(unreadConn), 0
		log := slog.New(waitingLog{slog.NewTextHandler(io.Discard, nil), func(message string) {
			records++
			if conn.reads > 0 {
				t.Errorf("a message is read before this is logged: %s", message)
			}
		}})
		s := mcp.NewServer(fixtureInfo(), mcp.WithLogger(log))
		s.Register(mcp.NewTool(mcp.ToolInfo{Name: "guarded", InputSchema: `{"type":"object"}`, Scopes: []string{"write"}}, nil))
		if err := s.Serve(t.Context(), conn); err != nil {
			t.Error(err)
		}
		if records != 1 || conn.reads != 1 {
			t.Errorf("%d records and %d reads, want 1 and 1", records, conn.reads)
		}
	})
}

// replySink calls a function when a reply is queued.
type replySink struct {
	sinkLog
	replied func()
}

func (s *replySink) Reply([]byte, int) { s.replied() }

// A client that has a reply can send another request at once, on another connection: the call no
// longer counts.
func TestShareAfterReply(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := mcp.NewServer(fixtureInfo(), quiet, mcp.WithLimits(mcp.Limits{Calls: 4}))
		s.Register(mcp.NewTool(mcp.ToolInfo{Name: "done", InputSchema: `{"type":"object"}`}, func(context.Context, json.RawMessage) (*mcp.ToolResult, error) {
			return mcp.TextResult("done"), nil
		}))
		host, next := s.Transport(), new(sinkLog)
		take := func(out transport.Sink) {
			in := host.NewMessage()
			if err := in.Parse(append(in.Buffer(), call(1, "done", "{}")...)); err != nil {
				t.Error(err)
				return
			}
			conn := host.Open(t.Context(), transport.Options{Once: true, Revision: protocol.Negotiate("2025-11-25")})
			conn.Take(in, transport.Caller{}, out)
		}
		take(&replySink{replied: func() { take(next) }})
		synctest.Wait()
		if len(next.replies) != 1 || !strings.Contains(next.replies[0], `"done"`) {
			t.Errorf("the next call: %q", next.replies)
		}
	})
}
