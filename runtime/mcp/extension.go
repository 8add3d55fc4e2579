package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"

	"github.com/mcpgen/mcpgen/internal/valid"
	"github.com/mcpgen/mcpgen/runtime/internal/clientlimit"
	"github.com/mcpgen/mcpgen/runtime/internal/engine"
	"github.com/mcpgen/mcpgen/runtime/internal/jsonobject"
	"github.com/mcpgen/mcpgen/runtime/internal/logs"
	"github.com/mcpgen/mcpgen/runtime/internal/usercode"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// WithExtension declares an extension and handles its methods and notifications. It panics if a
// name is invalid or already used.
func WithExtension(e Extension) Option {
	if e.Experimental {
		if e.Required || e.Name == "" {
			panic(fmt.Sprintf("mcp: experimental capability %q must have a name, and must not be Required", e.Name))
		}
		settings := checkSettings("experimental capability "+e.Name, e.Settings)
		return func(s *Server) { s.extensions.declare(e, settings) }
	}
	prefix, name, ok := strings.Cut(e.Name, "/")
	if !ok || prefix == "" || name == "" {
		panic(fmt.Sprintf("mcp: name %q of an extension must have a prefix and a slash", e.Name))
	}
	if !valid.IsMetaPrefix(prefix) || !valid.IsMetaName(name) {
		panic(fmt.Sprintf("mcp: name %q of an extension must be labels joined by dots, a slash and a name, such as com.example/search", e.Name))
	}
	settings := checkSettings("extension "+e.Name, e.Settings)
	return func(s *Server) { s.extensions.declare(e, settings) }
}

func checkSettings(what string, settings json.RawMessage) json.RawMessage {
	if len(settings) == 0 {
		return emptyObject
	}
	if err := wire.Valid(settings, 0); err != nil {
		panic(fmt.Sprintf("mcp: settings of %s: %v", what, err))
	}
	compact := wire.AppendCompact(nil, settings)
	if compact[0] != '{' {
		panic(fmt.Sprintf("mcp: settings of %s must be an object", what))
	}
	return compact
}

// answer answers a request of an extension.
func (m *extensionMethod) answer(ctx context.Context, req *Request) (Reply, error) {
	if m.required && req.Call().Extension(m.extension) == nil {
		return nil, &CapabilityError{Capability: Capability("extensions." + m.extension)}
	}
	result, err := within(ctx, req, 0, m.call)
	if err != nil {
		return nil, err
	}
	return &RawReply{JSON: result, own: m.own}, nil
}

// Extension returns the settings with which the client has declared an extension, or nil if the
// client has not declared it.
func (c *Call) Extension(name string) json.RawMessage {
	if c == nil || c.x == nil || c.x.Client == nil {
		return nil
	}
	settings := jsonobject.Member(jsonobject.Member(c.x.Client.Capabilities, "extensions"), name)
	if !jsonobject.Is(settings) {
		return nil
	}
	return settings
}

// extensionNotification calls the handler of a notification, in its own goroutine, which counts as
// a running request.
func (c *conn) extensionNotification(m *jsonrpc.Message, from *engine.Caller) {
	take := c.server.extensions.notifications[string(m.Method)]
	if take == nil {
		return
	}
	if err := m.Params.Check(c.server.limits.Depth); err != nil {
		c.server.log.Client(c.Ctx, slog.LevelWarn, "malformed notification dropped", slog.Any("error", err))
		return
	}
	method, cost := string(m.Method), engine.CallCost+len(m.Params.Raw)
	var who *clientlimit.Client // a copy, since the handler outlives the message
	if client := from.CountedAs(); client != nil {
		copied := *client
		who = &copied
	}
	if !c.Admit(who, cost) {
		c.server.log.Client(c.Ctx, slog.LevelWarn, "notification dropped: too much is in flight", slog.String("method", method))
		return
	}
	var params json.RawMessage
	if m.Params.Raw != nil {
		params = append(params, m.Params.Raw...)
	}
	session := sessionOf(c.Opened())
	go func() {
		defer c.Dismiss(who, cost)
		ctx, cancel := c.server.timeLimited(c.Ctx)
		defer cancel()
		if session.awaitHooks(ctx) != nil {
			return // the session has not opened
		}
		usercode.Call(func() { take(ctx, params) }, func(e usercode.Failure) {
			c.server.log.Program(c.Ctx, slog.LevelError, "handler panicked", append(e.Attrs(), logs.Text("method", method))...)
		})
	}()
}
