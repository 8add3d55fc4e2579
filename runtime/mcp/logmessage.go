package mcp

import (
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/jsonobject"
	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
	"github.com/mcpgen/mcpgen/runtime/internal/show"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// message writes a record as notifications/message.
func (l *callLog) message(level int8, r slog.Record) []byte {
	b := append(make([]byte, 0, 200+len(r.Message)), `{"level":"`...)
	b = append(b, protocol.Levels[level]...)
	b = append(b, '"')
	b = jsonobject.AppendText(b, "logger", l.exchange.Feature)
	b = append(b, `,"data":`...)
	attrs := make([]slog.Attr, 0, r.NumAttrs())
	r.Attrs(func(a slog.Attr) bool {
		attrs = append(attrs, a)
		return true
	})
	for s := l.scope; s != nil; s = s.outer {
		if s.group != "" {
			attrs = []slog.Attr{{Key: s.group, Value: slog.GroupValue(attrs...)}}
		} else {
			attrs = append(append(make([]slog.Attr, 0, len(s.attrs)+len(attrs)), s.attrs...), attrs...)
		}
	}
	w := logWriter{b: append(b, '{'), left: maxLogAttributes}
	w.members(append([]slog.Attr{slog.String(messageKey, r.Message)}, attrs...))
	if w.count == 1 {
		b = wire.AppendString(b, shorten(r.Message))
	} else {
		b = append(w.b, '}')
	}
	return jsonrpc.AppendNotification(nil, protocol.LogMessage, append(b, '}'))
}

// messageKey is the key for the message of a record with attributes.
const messageKey = "message"

// logWriter writes the attributes of a record as JSON. Values of any type are bounded in size,
// cyclic ones included, and their panics are recovered.
type logWriter struct {
	b     []byte
	count int // members written, including nested ones
	depth int
	left  int // attributes that may follow
}

const (
	// maxLogDepth limits the nesting of groups, whose values may make new groups without end.
	maxLogDepth = 32
	// maxLogAttributes limits the attributes of a record, including the attributes in groups.
	maxLogAttributes = 4096
	// maxLogBytes limits an attribute, and approximately all attributes of a record together, as
	// text.
	maxLogBytes = 256 << 10
)

// members writes attributes as members of the open object. Of equal keys it writes the last one.
func (w *logWriter) members(attrs []slog.Attr) {
	attrs = w.flatten(nil, attrs, 0)
	first := true
	for i, a := range attrs {
		if len(w.b) > maxLogBytes {
			return
		}
		if shadowed(attrs[i+1:], a.Key) {
			continue
		}
		if !first {
			w.b = append(w.b, ',')
		}
		first = false
		w.count++
		w.b = wire.AppendString(w.b, a.Key)
		w.b = append(w.b, ':')
		w.value(a.Value)
	}
}

func shadowed(later []slog.Attr, key string) bool {
	for _, a := range later {
		if a.Key == key {
			return true
		}
	}
	return false
}

// flatten resolves values, leaves out empty ones, and replaces groups without a name by their
// attributes, as the handlers of slog do.
func (w *logWriter) flatten(to, attrs []slog.Attr, depth int) []slog.Attr {
	for _, a := range attrs {
		if w.left--; w.left < 0 {
			return to
		}
		a.Value = a.Value.Resolve()
		switch {
		case a.Equal(slog.Attr{}):
		case a.Value.Kind() != slog.KindGroup:
			to = append(to, a)
		case len(a.Value.Group()) == 0:
		case a.Key == "" && depth < maxLogDepth:
			to = w.flatten(to, a.Value.Group(), depth+1)
		default:
			to = append(to, a)
		}
	}
	return to
}

func (w *logWriter) value(v slog.Value) {
	switch v.Kind() {
	case slog.KindString:
		w.b = wire.AppendString(w.b, shorten(v.String()))
	case slog.KindInt64:
		w.b = strconv.AppendInt(w.b, v.Int64(), 10)
	case slog.KindUint64:
		w.b = strconv.AppendUint(w.b, v.Uint64(), 10)
	case slog.KindBool:
		w.b = strconv.AppendBool(w.b, v.Bool())
	case slog.KindDuration:
		w.b = wire.AppendString(w.b, v.Duration().String())
	case slog.KindTime:
		w.b = wire.AppendString(w.b, v.Time().Format(time.RFC3339Nano))
	case slog.KindGroup:
		if w.depth++; w.depth > maxLogDepth {
			w.b = append(w.b, "null"...)
		} else {
			w.b = append(w.b, '{')
			w.members(v.Group())
			w.b = append(w.b, '}')
		}
		w.depth--
	default:
		w.any(v.Any())
	}
}

// any writes a value like a value of a result. If the value has no JSON form, or is too large, it
// writes the reason instead.
func (w *logWriter) any(v any) {
	text, err := show.JSON(v, maxLogBytes)
	switch {
	case err == nil:
		w.b = append(w.b, text...)
	case show.Flat(v):
		w.b = wire.AppendString(w.b, fmt.Sprint(v))
	default:
		w.b = wire.AppendString(w.b, shorten("!ERROR: "+err.Error()))
	}
}

// shorten cuts a text that is logged.
func shorten(s string) string {
	if len(s) <= maxLogBytes {
		return s
	}
	return strings.ToValidUTF8(s[:maxLogBytes], "") + "…"
}
