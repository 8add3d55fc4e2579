// Package logs writes the log of a server and its transports. It limits the output that clients can
// cause: texts are truncated, and of many lines of one kind the first ones are written and the
// others counted.
package logs

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/usercode"
)

const (
	// MaxText limits a logged text that a client chose, in bytes.
	MaxText = 256
	// maxError limits a logged error about a client, in bytes.
	maxError = 1 << 10
	// maxOwn limits a logged text that the program chose, in bytes. Such a text may quote a client.
	maxOwn = 16 << 10

	// window is the time over which lines of a kind are counted together.
	window = 10 * time.Second
	// maxClientLines limits the lines of a kind about clients in that time.
	maxClientLines = 10
	// maxProgramLines limits the lines of a kind about the program. Each belongs to a call, and may
	// contain a reference that a client reports.
	maxProgramLines = 1000
)

// Log is a [slog.Logger] with these limits. Its methods may be called by several goroutines.
type Log struct {
	logger *slog.Logger
	broken atomic.Bool // its handler is no longer called
	failed atomic.Bool // its handler has failed; standard error contains a line about it

	mu    sync.Mutex
	kinds map[string]*kind
}

// kind counts the lines of one message.
type kind struct {
	began time.Time // begin of the window
	lines int       // lines written in the window
	more  int       // lines not written in the window
	level slog.Level
}

// New returns a log that writes to l.
func New(l *slog.Logger) *Log { return &Log{logger: l, kinds: map[string]*kind{}} }

// Logger returns the logger without the limits, for lines that the program logs itself.
func (l *Log) Logger() *slog.Logger { return l.logger }

// Client logs an event that a client caused. The message is a constant: lines with the same message
// are of one kind.
func (l *Log) Client(ctx context.Context, level slog.Level, message string, attrs ...slog.Attr) {
	l.write(ctx, level, message, maxClientLines, MaxText, maxError, attrs)
}

// Program logs an event of the user's code. Texts that a client chose must be [Text] attributes.
func (l *Log) Program(ctx context.Context, level slog.Level, message string, attrs ...slog.Attr) {
	l.write(ctx, level, message, maxProgramLines, maxOwn, maxOwn, attrs)
}

// Text returns an attribute with a text that a client chose.
func Text(key, value string) slog.Attr { return slog.String(key, Cut(value, MaxText)) }

// URI returns a URI of a client without the parts that may be secret: query, fragment and user. It
// is truncated to MaxText.
func URI(uri string) string {
	uri, _, _ = strings.Cut(uri, "#")
	uri, _, _ = strings.Cut(uri, "?")
	if scheme, rest, ok := strings.Cut(uri, "://"); ok {
		authority, path, slash := strings.Cut(rest, "/")
		if i := strings.LastIndexByte(authority, '@'); i >= 0 {
			uri = scheme + "://" + authority[i+1:]
			if slash {
				uri += "/" + path
			}
		}
	}
	return Cut(uri, MaxText)
}

// Cut returns s or, if s is longer than most bytes, its beginning and a mark.
func Cut(s string, most int) string {
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}

func (l *Log) write(ctx context.Context, level slog.Level, message string, most, text, failure int, attrs []slog.Attr) {
	enabled := false
	l.call(func() { enabled = l.logger.Enabled(ctx, level) })
	if !enabled || !l.passes(level, message, most) {
		return
	}
	for i, a := range attrs {
		switch value := a.Value.Any().(type) {
		case string:
			attrs[i].Value = slog.StringValue(Cut(value, text))
		case error:
			attrs[i].Value = slog.StringValue(Cut(errorText(value), failure))
		}
	}
	l.call(func() { l.logger.LogAttrs(ctx, level, message, attrs...) })
}

// call calls the handler of the logger. If the handler panics, the code that logs must go on, and a
// line is written to standard error. A handler that exits its goroutine is not called again.
func (l *Log) call(f func()) {
	if l.broken.Load() {
		return
	}
	usercode.Call(f, func(e usercode.Failure) {
		if e.Exits {
			l.broken.Store(true)
		}
		if l.failed.CompareAndSwap(false, true) {
			fmt.Fprintln(os.Stderr, "the handler of the logger has failed:", e)
		}
	})
}

// errorText returns the result of an error's method Error, which may panic.
func errorText(err error) (text string) {
	defer func() {
		if recover() != nil {
			text = fmt.Sprintf("%T", err)
		}
	}()
	return err.Error()
}

// passes counts a line, and reports whether it is written. Lines below the level info are always
// written.
func (l *Log) passes(level slog.Level, message string, most int) bool {
	if level < slog.LevelInfo {
		return true
	}
	now := time.Now()
	l.mu.Lock()
	defer l.mu.Unlock()
	k := l.kinds[message]
	if k == nil {
		k = new(kind)
		l.kinds[message] = k
	}
	if now.Sub(k.began) >= window && k.more == 0 {
		k.began, k.lines = now, 0
	}
	if k.lines < most {
		k.lines++
		return true
	}
	if k.more++; k.more == 1 {
		k.level = level
		time.AfterFunc(window-now.Sub(k.began), func() { l.sum(message, k) })
	}
	return false
}

// sum logs the number of suppressed lines, when their window is over.
func (l *Log) sum(message string, k *kind) {
	l.mu.Lock()
	more, level := k.more, k.level
	k.more, k.lines, k.began = 0, 0, time.Now()
	l.mu.Unlock()
	l.call(func() {
		l.logger.LogAttrs(context.Background(), level, message,
			slog.Int("more_like_this", more), slog.Duration("within", window))
	})
}
