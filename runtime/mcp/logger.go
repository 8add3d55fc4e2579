package mcp

import (
	"context"
	"log/slog"
)

// Logger returns a logger whose records carry the tool and the id of the call
// that ctx belongs to. They go to the server's own log. Outside of a call it is
// [slog.Default].
func Logger(ctx context.Context) *slog.Logger {
	x, _ := ctx.Value(exchangeKey{}).(*exchange)
	if x == nil {
		return slog.Default()
	}
	h := x.conn.server.log.Handler().WithAttrs([]slog.Attr{
		slog.String(string(KindTool), x.call.feature),
		slog.String("id", x.call.ID()),
	})
	return slog.New(&callLog{Handler: h, exchange: x})
}

// callLog is the handler behind the logger of a call. What is logged belongs to
// the exchange, so that it can also reach its client.
type callLog struct {
	slog.Handler
	exchange *exchange
}

func (l *callLog) WithAttrs(attrs []slog.Attr) slog.Handler {
	return &callLog{Handler: l.Handler.WithAttrs(attrs), exchange: l.exchange}
}

func (l *callLog) WithGroup(name string) slog.Handler {
	return &callLog{Handler: l.Handler.WithGroup(name), exchange: l.exchange}
}
