package gosdk

import (
	"context"
	encoding "encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"runtime/debug"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpgen/mcpgen/runtime/internal/bridge"
	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
	"github.com/mcpgen/mcpgen/runtime/internal/uimeta"
	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// Tool returns a tool of the SDK as a feature for a server of package mcp. The arguments are the
// same as for [sdk.AddTool], which derives the schemas and checks arguments and results as on an
// SDK server.
//
// The handler gets a separate session for each call. Its progress and log messages go to the
// client. Its TokenInfo is the value of the principal, or one that contains only the ID as UserID.
// The handler cannot ask the client: a result with InputRequests, and requests of its session, are
// errors.
//
// A panic of the handler becomes a panic of the call, which package mcp recovers. Tool itself
// panics where [sdk.AddTool] or [mcp.NewTool] does.
func Tool[In, Out any](t *sdk.Tool, h sdk.ToolHandlerFor[In, Out]) mcp.Feature {
	s := sdk.NewServer(&sdk.Implementation{Name: t.Name, Version: "1"}, nil)
	sdk.AddTool(s, t, h)
	all, _, err := existingOf(s)
	if err != nil {
		panic(fmt.Sprintf("gosdk: tool %q: %v", t.Name, err))
	}
	info, err := infoOf(all.tools[t.Name])
	if err != nil {
		panic(fmt.Sprintf("gosdk: tool %q: %v", t.Name, err))
	}
	s.AddReceivingMiddleware(recovering)
	return mcp.NewTool(info, func(ctx context.Context, arguments encoding.RawMessage) (*mcp.ToolResult, error) {
		return callServer(ctx, s, t.Name, arguments)
	})
}

// panicKey is the context key for a *panicked in the context of a call.
type panicKey struct{}

// panicked is a panic in the SDK's goroutine, which does not recover it.
type panicked struct {
	value any
	stack []byte
}

// recovering is middleware that stores a panic for the call's goroutine.
func recovering(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (result sdk.Result, err error) {
		defer func() {
			if e := recover(); e != nil {
				if p, ok := ctx.Value(panicKey{}).(*panicked); ok {
					p.value, p.stack = e, debug.Stack()
				}
				result, err = nil, fmt.Errorf("panic: %v", e)
			}
		}()
		return next(ctx, method, req)
	}
}

// infoOf returns the description of a tool.
func infoOf(t *sdk.Tool) (mcp.ToolInfo, error) {
	input, err := encoding.Marshal(t.InputSchema)
	if err != nil {
		return mcp.ToolInfo{}, fmt.Errorf("write the input schema: %w", err)
	}
	info := mcp.ToolInfo{Name: t.Name, Title: t.Title, Description: t.Description, InputSchema: string(input)}
	if t.OutputSchema != nil {
		output, err := encoding.Marshal(t.OutputSchema)
		if err != nil {
			return mcp.ToolInfo{}, fmt.Errorf("write the output schema: %w", err)
		}
		info.OutputSchema = string(output)
	}
	if info.Meta, err = metaFrom(t.Meta); err != nil {
		return mcp.ToolInfo{}, err
	}
	info.UI = uimeta.Take(info.Meta)
	for _, icon := range t.Icons {
		info.Icons = append(info.Icons, iconFrom(icon))
	}
	info.Hints = mcp.ToolHints{Destructive: true, OpenWorld: true} // the defaults of the specification
	if a := t.Annotations; a != nil {
		info.Hints = mcp.ToolHints{
			ReadOnly: a.ReadOnlyHint, Idempotent: a.IdempotentHint,
			Destructive: !a.ReadOnlyHint, OpenWorld: a.OpenWorldHint == nil || *a.OpenWorldHint,
		}
		if a.DestructiveHint != nil {
			info.Hints.Destructive = *a.DestructiveHint
		}
		if info.Title == "" {
			info.Title = a.Title
		}
	}
	return info, nil
}

// oneCall is a transport whose client sends one request.
type oneCall struct {
	*silent
	incoming chan jsonrpc.Message
	outgoing chan jsonrpc.Message
}

func (c *oneCall) Connect(context.Context) (sdk.Connection, error) { return c, nil }

func (c *oneCall) Read(ctx context.Context) (jsonrpc.Message, error) {
	select {
	case m := <-c.incoming:
		return m, nil
	case <-c.closed:
		return nil, io.EOF
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (c *oneCall) Write(ctx context.Context, m jsonrpc.Message) error {
	select {
	case c.outgoing <- m:
		return nil
	case <-c.closed:
		return io.ErrClosedPipe
	case <-ctx.Done():
		return ctx.Err()
	}
}

// callServer calls the tool in a separate session.
func callServer(ctx context.Context, s *sdk.Server, name string, arguments encoding.RawMessage) (*mcp.ToolResult, error) {
	request, err := requestFor(ctx, name, arguments)
	if err != nil {
		return nil, err
	}
	c := &oneCall{silent: &silent{closed: make(chan struct{})}, incoming: make(chan jsonrpc.Message, 1), outgoing: make(chan jsonrpc.Message)}
	c.incoming <- request
	failed := new(panicked)
	session, err := s.Connect(context.WithValue(context.WithoutCancel(ctx), panicKey{}, failed), c, nil)
	if err != nil {
		return nil, fmt.Errorf("call the tool of the Go SDK: %w", err)
	}
	defer func() {
		_ = c.Close() // later messages of the session are dropped
		_ = session.Close()
	}()
	for {
		select {
		case m := <-c.outgoing:
			switch m := m.(type) {
			case *jsonrpc.Response:
				if failed.value != nil {
					panic(fmt.Sprintf("%v\n\n%s", failed.value, failed.stack))
				}
				return resultFrom(m)
			case *jsonrpc.Request:
				passOn(ctx, m)
			}
		case <-ctx.Done(): // the end of the transport ends the context of the handler
			return nil, context.Cause(ctx)
		}
	}
}

// requestFor returns the request for a call, in the revision without sessions, which needs no
// handshake.
func requestFor(ctx context.Context, name string, arguments encoding.RawMessage) (*jsonrpc.Request, error) {
	call := mcp.CallFrom(ctx)
	meta := map[string]any{
		sdk.MetaKeyProtocolVersion:    protocol.All[len(protocol.All)-1].Version,
		sdk.MetaKeyClientCapabilities: map[string]any{},
		sdk.MetaKeyClientInfo:         map[string]any{"name": call.Client().Name, "version": call.Client().Version},
		protocol.MetaLogLevel:         "debug", // the call's logger applies the client's level
		"progressToken":               "call",
	}
	params, err := encoding.Marshal(map[string]any{"name": name, "arguments": arguments, "_meta": meta})
	if err != nil {
		return nil, fmt.Errorf("write params: %w", err)
	}
	id, err := jsonrpc.MakeID("call")
	if err != nil {
		return nil, fmt.Errorf("make an id: %w", err)
	}
	extra := &sdk.RequestExtra{Header: call.Header()}
	if p := call.Principal(); p.Value != nil || p.ID != "" {
		token, ok := p.Value.(*auth.TokenInfo)
		if !ok {
			token = &auth.TokenInfo{UserID: p.ID, Expiration: p.Expires}
		}
		extra.TokenInfo = token
	}
	return &jsonrpc.Request{ID: id, Method: protocol.ToolsCall.String(), Params: params, Extra: extra}, nil
}

// levels maps the levels of log messages to levels of package slog.
var levels = map[string]slog.Level{
	"debug": slog.LevelDebug, "info": slog.LevelInfo, "notice": 2, "warning": slog.LevelWarn,
	"error": slog.LevelError, "critical": 12, "alert": 16, "emergency": 20,
}

// passOn sends progress and log messages of the handler to the client.
func passOn(ctx context.Context, m *jsonrpc.Request) {
	switch m.Method {
	case protocol.Progress:
		var p sdk.ProgressNotificationParams
		if encoding.Unmarshal(m.Params, &p) == nil {
			mcp.Progress(ctx, p.Progress, p.Total, p.Message)
		}
	case protocol.LogMessage:
		var l struct {
			Level string
			Data  any
		}
		if encoding.Unmarshal(m.Params, &l) != nil {
			return
		}
		log, level := mcp.Logger(ctx), levels[l.Level]
		if text, ok := l.Data.(string); ok {
			log.Log(ctx, level, text)
		} else {
			log.Log(ctx, level, "log message", "data", l.Data)
		}
	}
}

// resultFrom returns the result of a response.
func resultFrom(m *jsonrpc.Response) (*mcp.ToolResult, error) {
	if e, ok := errors.AsType[*jsonrpc.Error](m.Error); ok {
		return nil, &mcp.ProtocolError{Code: int(e.Code), Message: e.Message, Data: e.Data}
	}
	if m.Error != nil {
		return nil, m.Error
	}
	return bridge.ToolResult(m.Result)
}

func iconFrom(i sdk.Icon) mcp.Icon {
	return mcp.Icon{Source: i.Source, MIMEType: i.MIMEType, Sizes: i.Sizes, Theme: string(i.Theme)}
}

// metaFrom returns the _meta of a tool.
func metaFrom(given sdk.Meta) (mcp.Meta, error) {
	meta := mcp.Meta{}
	for key, value := range given {
		text, err := encoding.Marshal(value)
		if err != nil {
			return nil, fmt.Errorf("write _meta: %w", err)
		}
		meta[key] = text
	}
	return meta, nil
}
