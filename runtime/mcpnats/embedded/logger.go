package embedded

import (
	"context"
	"fmt"
	"log/slog"
	"net/url"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/internal/logs"
)

// logger writes the server's log to slog. It writes ten similar lines in ten seconds, and counts
// the others.
type logger struct {
	log     *logs.Log
	secrets *strings.Replacer
	failed  func(text string) // called after a failed write
}

// newLogger returns a logger that replaces secrets.
func newLogger(to *slog.Logger, failed func(string), secrets ...string) *logger {
	var pairs []string
	for _, s := range secrets {
		if s == "" {
			continue
		}
		for _, form := range []string{s, url.QueryEscape(s), url.PathEscape(s), url.UserPassword("", s).String()[1:]} {
			pairs = append(pairs, form, "[secret]")
		}
	}
	return &logger{logs.New(to), strings.NewReplacer(pairs...), failed}
}

// Log lines of nats-server that get an explanation here. A line that nats-server changes is logged
// unchanged.
const (
	refusedHere  = "authentication error - User"      // about a connection to this server
	refusedThere = "'Authorization Violation'"        // by another server
	notThere     = "Error trying to connect to route" // about a server that is down
	// notWritten is logged when a stream, or the log of its copies, no longer accepts writes.
	notWritten = "ritical write error"
	// plaintext refers to the random password of the process, and the secret of the cluster.
	plaintext = "Plaintext passwords detected"
	ofRoute   = " - rid:"
)

// Noticef and the other methods implement [server.Logger].
func (l *logger) Noticef(format string, v ...any) {
	ctx := context.Background()
	if to := l.log.Logger(); to.Enabled(ctx, slog.LevelDebug) {
		l.log.Client(ctx, slog.LevelDebug, "NATS server", slog.String("text", l.text(format, v)))
	}
}

func (l *logger) Warnf(format string, v ...any) {
	if text := l.text(format, v); !strings.Contains(text, plaintext) {
		l.line(slog.LevelWarn, text)
	}
}

func (l *logger) Errorf(format string, v ...any) {
	switch text := l.text(format, v); {
	case strings.Contains(text, refusedHere) && strings.Contains(text, ofRoute):
		l.log.Client(context.Background(), slog.LevelError,
			"a server that wants to join the cluster was refused: its Options.Secret differs from that of this one", slog.String("text", text))
	case strings.Contains(text, refusedThere) && strings.Contains(text, ofRoute):
		l.log.Client(context.Background(), slog.LevelError,
			"a server of the cluster has refused this one: its Options.Secret differs from that of this one", slog.String("text", text))
	case strings.Contains(text, notThere): // as at each start, until the others are running
		l.line(slog.LevelWarn, text)
	default:
		l.line(slog.LevelError, text)
		if strings.Contains(text, notWritten) {
			l.failed(text)
		}
	}
}

func (l *logger) Fatalf(format string, v ...any) { l.line(slog.LevelError, l.text(format, v)) }

func (l *logger) Debugf(string, ...any) {}
func (l *logger) Tracef(string, ...any) {}

func (l *logger) line(level slog.Level, text string) {
	message := "NATS server: warning"
	if level == slog.LevelError {
		message = "NATS server: error"
	}
	l.log.Client(context.Background(), level, message, slog.String("text", text))
}

// text returns a log text without secrets.
func (l *logger) text(format string, v []any) string {
	return l.secrets.Replace(strings.TrimSpace(fmt.Sprintf(format, v...)))
}

// starting is the logger of one server. A fatal error makes the server's start fail.
type starting struct {
	*logger
	fatal chan<- string
}

func (s *starting) Fatalf(format string, v ...any) {
	select {
	case s.fatal <- s.text(format, v):
	default: // the first one is the cause
		s.logger.Fatalf(format, v...)
	}
}
