package mcp

import (
	"context"
	"log/slog"

	"github.com/mcpgen/mcpgen/runtime/internal/engine"
	"github.com/mcpgen/mcpgen/runtime/internal/logs"
	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
	"github.com/mcpgen/mcpgen/runtime/internal/show"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// Logger returns a logger whose records contain the feature and the id of the call that ctx belongs
// to. They go to the log of the server, and to the client if their level is at least the level of
// its session (logging/setLevel; info by default) or, from revision 2026-07-28 on, the level in the
// request (none by default). So they must not contain secrets (server/utilities/logging).
//
// The levels of [slog] are debug, info, warning and error; the levels between them are notice (2),
// critical (12), alert (16) and emergency (20). The client gets a record with attributes as an
// object, with the text as message, and a record without attributes as the text. If records follow
// faster than [Limits.LogRate] allows, the client gets their number instead. Outside of a call
// Logger returns [slog.Default]. In a call, Logger panics if [WithoutCapabilities] leaves out
// [ServerLogging]: use the logger of [WithLogger] then.
func Logger(ctx context.Context) *slog.Logger {
	x := exchangeFrom(ctx)
	if x == nil {
		return slog.Default()
	}
	if x.conn.server.without.logging {
		panic("mcp: Logger is called, and WithoutCapabilities leaves out logging")
	}
	h := x.conn.server.log.Logger().Handler().WithAttrs([]slog.Attr{
		logs.Text(x.featureKind(), x.Feature),
		logs.Text("id", x.call.ID()),
	})
	return slog.New(&callLog{server: h, exchange: x})
}

// featureKind returns the log attribute for the feature of a call.
func (x *exchange) featureKind() string {
	switch x.Method {
	case protocol.PromptsGet:
		return "prompt"
	case protocol.ResourcesRead:
		return "resource"
	}
	return string(KindTool)
}

// callLog is the slog.Handler of [Logger]. It passes records to the handler of the server, and
// sends them to the client.
type callLog struct {
	server   slog.Handler
	exchange *exchange
	scope    *logScope
}

// logScope is a list of the attributes and groups that With and WithGroup have added, the innermost
// first.
type logScope struct {
	outer *logScope
	group string // "" = the attributes
	attrs []slog.Attr
}

func (l *callLog) Enabled(ctx context.Context, level slog.Level) bool {
	return l.server.Enabled(ctx, level) || l.exchange.sendsLog(levelOf(level))
}

func (l *callLog) Handle(ctx context.Context, r slog.Record) error {
	var err error
	if l.server.Enabled(ctx, r.Level) {
		err = l.server.Handle(ctx, safeRecord(r))
	}
	if level := levelOf(r.Level); l.exchange.sendsLog(level) && l.exchange.CountLog(level) {
		l.exchange.Emit(l.message(level, r))
	}
	return err
}

// safeRecord returns a copy of a record whose attributes are safe for every handler: values are
// bounded and do not panic.
func safeRecord(r slog.Record) slog.Record {
	attrs := make([]slog.Attr, 0, r.NumAttrs())
	r.Attrs(func(a slog.Attr) bool {
		attrs = append(attrs, a)
		return true
	})
	clone := slog.NewRecord(r.Time, r.Level, r.Message, r.PC)
	clone.AddAttrs(show.Safe(attrs)...)
	return clone
}

func (l *callLog) WithAttrs(attrs []slog.Attr) slog.Handler {
	if len(attrs) == 0 {
		return l
	}
	attrs = show.Safe(attrs)
	return &callLog{l.server.WithAttrs(attrs), l.exchange, &logScope{outer: l.scope, attrs: attrs}}
}

func (l *callLog) WithGroup(name string) slog.Handler {
	if name == "" {
		return l
	}
	return &callLog{l.server.WithGroup(name), l.exchange, &logScope{outer: l.scope, group: name}}
}

// levelOf returns the level of the protocol, as an index in [protocol.Levels].
func levelOf(level slog.Level) int8 {
	switch {
	case level < slog.LevelInfo:
		return 0
	case level < slog.LevelInfo+2:
		return 1
	case level < slog.LevelWarn:
		return 2
	case level < slog.LevelError:
		return 3
	}
	return int8(min(7, 4+(level-slog.LevelError)/4))
}

// answerSetLevel answers logging/setLevel for the session.
func (c *conn) answerSetLevel(p *jsonrpc.Params) *jsonrpc.Error {
	if c.server.without.logging {
		return engine.NotFound(protocol.SetLevel.String())
	}
	level, ok := engine.ReadLevel(p.Get("level"))
	if !ok {
		return engine.UnknownLevel("params.level")
	}
	c.Conn.SetLevel(level)
	return nil
}

// sendsLog reports whether messages of a level are sent to the client.
func (x *exchange) sendsLog(level int8) bool {
	least := x.Level
	if !x.Revision.PerRequest {
		_, _, least = x.conn.SessionState()
	}
	return level >= least && !x.questions.suppressesOutput() && x.record() == nil
}
