package prove

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"reflect"
	"strconv"
	"testing"

	"github.com/mcpgen/mcpgen/internal/proof/zoo/identity"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// The revisions in use: one that allows any output schema, and the last one that requires an object
// at the root.
const (
	Modern = "2026-07-28"
	Legacy = "2025-11-25"
)

// Session calls the tools of a server in memory, one at a time.
type Session struct {
	conn   jsonrpc.Conn
	legacy bool
	id     int
	buf    []byte

	recorder identity.Recorder
	reached  bool
	result   *mcp.ToolResult
	err      error
}

// Outcome is the result of a call.
type Outcome struct {
	Accepted bool             // the function was called
	Problems []wire.Violation // why it was not called
	Err      error            // any other reason, or the error of the result
	Value    reflect.Value    // the decoded arguments

	Structured []byte // the result
	Sent       []byte // the same in the form that was sent, in a legacy revision
	Text       string // of an error or an unstructured result
	IsError    bool
}

// Tool is a listed tool.
type Tool struct {
	Name         string
	InputSchema  json.RawMessage
	OutputSchema json.RawMessage
}

// Connect starts serving.
func Connect(t testing.TB, server func(...mcp.Option) *mcp.Server, revision string) *Session {
	t.Helper()
	s := &Session{legacy: revision == Legacy}
	srv := server(
		mcp.WithInterceptors(s.intercept),
		mcp.WithLogger(slog.New(slog.NewTextHandler(io.Discard, nil))),
	)
	client, wait := srv.Connect(context.Background())
	s.conn = client
	t.Cleanup(func() {
		if err := client.Close(); err != nil {
			t.Error(err)
		}
		if err := wait(); err != nil {
			t.Errorf("serve: %v", err)
		}
	})
	if s.legacy {
		hello := `"protocolVersion":"` + revision + `","capabilities":{},"clientInfo":{"name":"prove","version":"1"}`
		if _, err := s.ask("initialize", []byte(hello)); err != nil {
			t.Fatal(err)
		}
		if err := s.conn.Write([]byte(`{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n")); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// intercept stores the result of the tool before it is rendered.
func (s *Session) intercept(next mcp.Handler) mcp.Handler {
	return func(ctx context.Context, req *mcp.Request) (mcp.Reply, error) {
		if req.Method != "tools/call" {
			return next(ctx, req)
		}
		s.reached = true
		reply, err := next(identity.With(ctx, &s.recorder), req)
		s.err = err
		if result, ok := reply.(*mcp.ToolResult); ok && result != nil {
			kept := *result
			kept.Structured = append(json.RawMessage(nil), result.Structured...)
			s.result = &kept
		}
		return reply, err
	}
}

// reply contains the checked parts of a reply.
type reply struct {
	Result json.RawMessage
	Error  *struct {
		Code    int
		Message string
	}
}

// ask sends a request with the given params.
func (s *Session) ask(method string, params []byte) ([]byte, error) {
	s.id++
	b := append(s.buf[:0], `{"jsonrpc":"2.0","id":`...)
	b = strconv.AppendInt(b, int64(s.id), 10)
	b = append(append(append(b, `,"method":"`...), method...), `","params":{`...)
	b = append(b, params...)
	if !s.legacy {
		if len(params) > 0 {
			b = append(b, ',')
		}
		b = append(b, `"_meta":{"io.modelcontextprotocol/protocolVersion":"`+Modern+`",`+
			`"io.modelcontextprotocol/clientInfo":{"name":"prove","version":"1"},`+
			`"io.modelcontextprotocol/clientCapabilities":{}}`...)
	}
	b = append(b, "}}\n"...)
	s.buf = b
	if err := s.conn.Write(b); err != nil {
		return nil, err
	}
	return s.conn.Read()
}

// Tools lists all tools.
func (s *Session) Tools() ([]Tool, error) {
	line, err := s.ask("tools/list", nil)
	if err != nil {
		return nil, err
	}
	var r reply
	if err := json.Unmarshal(line, &r); err != nil {
		return nil, err
	}
	if r.Error != nil {
		return nil, errors.New(r.Error.Message)
	}
	var page struct {
		Tools      []Tool
		NextCursor string
	}
	if err := json.Unmarshal(r.Result, &page); err != nil {
		return nil, err
	}
	if page.NextCursor != "" {
		return nil, fmt.Errorf("the list has further pages")
	}
	return page.Tools, nil
}

// Call calls a tool. If instead is valid, the function returns it.
func (s *Session) Call(tool string, arguments []byte, instead reflect.Value) (*Outcome, error) {
	s.recorder = identity.Recorder{Instead: instead}
	s.reached, s.result, s.err = false, nil, nil
	params := append([]byte(`"name":"`), tool...)
	params = append(append(params, `","arguments":`...), arguments...)
	line, err := s.ask("tools/call", params)
	if err != nil {
		return nil, err
	}
	out := &Outcome{Accepted: s.recorder.Type != nil, Value: s.recorder.Got}
	if bad, ok := errors.AsType[*wire.ArgumentsError](s.err); ok {
		out.Problems = bad.Problems
	} else if s.err != nil {
		out.Err = s.err
	} else if !s.reached {
		var r reply
		if err := json.Unmarshal(line, &r); err != nil {
			return nil, err
		}
		out.Err = errors.New("refused before the call: " + string(line))
	}
	if s.legacy && s.result != nil {
		var r struct {
			Result struct{ StructuredContent json.RawMessage }
		}
		if err := json.Unmarshal(line, &r); err != nil {
			return nil, err
		}
		out.Sent = r.Result.StructuredContent
	}
	if s.result != nil {
		out.Structured, out.IsError = s.result.Structured, s.result.IsError
		for _, c := range s.result.Content {
			if block, ok := c.(mcp.Text); ok {
				out.Text += block.Text
			}
		}
	}
	return out, nil
}
