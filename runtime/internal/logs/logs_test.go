package logs_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/logs"
)

// record is a log in memory.
type record struct {
	mu sync.Mutex
	bytes.Buffer
}

func (r *record) Write(b []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.Buffer.Write(b)
}

// take returns the lines since the last call.
func (r *record) take() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	lines := strings.Split(strings.TrimSuffix(r.String(), "\n"), "\n")
	r.Reset()
	if len(lines) == 1 && lines[0] == "" {
		return nil
	}
	return lines
}

func open(level slog.Level) (*logs.Log, *record) {
	r := new(record)
	return logs.New(slog.New(slog.NewTextHandler(r, &slog.HandlerOptions{Level: level}))), r
}

func TestLinesAreCounted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, r := open(slog.LevelInfo)
		ctx := context.Background()
		for range 3 {
			for range 1000 {
				l.Client(ctx, slog.LevelWarn, "one")
			}
			l.Client(ctx, slog.LevelInfo, "another")
			if got := r.take(); len(got) != 11 {
				t.Fatalf("%d lines", len(got))
			}
			time.Sleep(10*time.Second - time.Nanosecond)
			synctest.Wait()
			if got := r.take(); len(got) != 0 {
				t.Fatalf("too early: %q", got)
			}
			time.Sleep(time.Nanosecond)
			synctest.Wait()
			got := r.take()
			if len(got) != 1 || !strings.HasSuffix(got[0], "level=WARN msg=one more_like_this=990 within=10s") {
				t.Fatalf("%q", got)
			}
		}
		// A few lines at a time are all written, without a line about suppressed ones.
		for range 100 {
			l.Client(ctx, slog.LevelWarn, "one")
			time.Sleep(2 * time.Second)
			synctest.Wait()
		}
		if got := r.take(); len(got) != 100 {
			t.Fatalf("%d lines", len(got))
		}
		for range 5000 {
			l.Program(ctx, slog.LevelError, "program")
		}
		if got := r.take(); len(got) != 1000 {
			t.Fatalf("%d lines", len(got))
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		if got := r.take(); len(got) != 1 || !strings.Contains(got[0], "more_like_this=4000") {
			t.Fatalf("%q", got)
		}
	})
}

func TestDebugLinesAreAllWritten(t *testing.T) {
	l, r := open(slog.LevelDebug)
	for range 100 {
		l.Client(context.Background(), slog.LevelDebug, "detail")
	}
	if got := r.take(); len(got) != 100 {
		t.Errorf("%d lines", len(got))
	}
	l, r = open(slog.LevelError)
	for range 100 {
		l.Client(context.Background(), slog.LevelWarn, "too low")
	}
	if got := r.take(); len(got) != 0 {
		t.Errorf("%q", got)
	}
}

// panics is an error whose Error method panics.
type panics struct{}

func (panics) Error() string { panic("no text") }

func TestTextsAreCut(t *testing.T) {
	l, r := open(slog.LevelInfo)
	long := strings.Repeat("é", 1<<20)
	ctx := context.Background()
	for want, attr := range map[int]slog.Attr{
		300: slog.String("text", long), 1100: slog.Any("error", fmt.Errorf("wrapped: %w", errors.New(long))),
	} {
		l.Client(ctx, slog.LevelWarn, "client", attr)
		if got := r.take(); len(got) != 1 || len(got[0]) < want-50 || len(got[0]) > want+100 || !strings.Contains(got[0], "…") {
			t.Errorf("%v: %d bytes", attr.Key, len(strings.Join(got, "")))
		}
	}
	l.Program(ctx, slog.LevelWarn, "program", slog.String("panic", long), logs.Text("name", long), slog.Any("error", panics{}))
	if got := r.take(); len(got) != 1 || len(got[0]) < 16<<10 || len(got[0]) > 17<<10 || !strings.Contains(got[0], "error=logs_test.panics") {
		t.Errorf("%d bytes", len(strings.Join(got, "")))
	}
	if got := logs.Cut("short", 5); got != "short" {
		t.Errorf("%q", got)
	}
	if got := logs.Cut("aéa", 2); got != "a…" {
		t.Errorf("%q", got)
	}
}

// failing is a handler that fails in one of its methods.
type failing struct {
	slog.Handler
	enabled, handle func()
	calls           int
}

func (f *failing) Enabled(context.Context, slog.Level) bool {
	f.calls++
	f.enabled()
	return true
}

func (f *failing) Handle(context.Context, slog.Record) error {
	f.handle()
	return nil
}

// A handler that panics has no effect on others; one that exits goroutines exits only one.
func TestFailingHandler(t *testing.T) {
	fine := func() {}
	for name, h := range map[string]*failing{
		"Enabled": {enabled: func() { panic("in Enabled") }, handle: fine},
		"Handle":  {enabled: fine, handle: func() { panic("in Handle") }},
	} {
		l := logs.New(slog.New(h))
		for range 3 {
			l.Client(t.Context(), slog.LevelInfo, "a line")
			l.Program(t.Context(), slog.LevelInfo, "another one")
		}
		if h.calls < 6 {
			t.Errorf("%s: %d calls", name, h.calls)
		}
	}
	for name, h := range map[string]*failing{
		"Enabled": {enabled: runtime.Goexit, handle: fine},
		"Handle":  {enabled: fine, handle: runtime.Goexit},
	} {
		l := logs.New(slog.New(h))
		ended := make(chan bool, 1)
		go func() {
			defer func() { ended <- true }()
			l.Client(t.Context(), slog.LevelInfo, "a line")
			ended <- false
		}()
		if !<-ended {
			t.Errorf("%s: the goroutine has not ended", name)
		}
		calls := h.calls
		l.Client(t.Context(), slog.LevelInfo, "a line")
		if h.calls != calls {
			t.Errorf("%s: it is called again", name)
		}
	}
}

// Lines below the level of the logger are not counted.
func TestUnwantedLinesAreNotCounted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, r := open(slog.LevelWarn)
		for range 1000 {
			l.Client(t.Context(), slog.LevelInfo, "one")
		}
		l.Client(t.Context(), slog.LevelWarn, "one")
		if got := r.take(); len(got) != 1 || !strings.HasSuffix(got[0], "level=WARN msg=one") {
			t.Errorf("%q", got)
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		if got := r.take(); len(got) != 0 {
			t.Errorf("%q", got)
		}
	})
}

func TestURI(t *testing.T) {
	for uri, want := range map[string]string{
		"":                                "",
		"test://motto":                    "test://motto",
		"https://host/a@b":                "https://host/a@b",
		"https://ada@host":                "https://host",
		"https://ada:p%40ss@w@host/a?q#f": "https://host/a",
		"https://host#f?q":                "https://host",
		"urn:isbn:1?token=secret":         "urn:isbn:1",
		"x://" + strings.Repeat("ä", 200): "x://" + strings.Repeat("ä", 126),
	} {
		if got := logs.URI(uri); !strings.HasPrefix(got, want) || len(got) > logs.MaxText+len("…") || len(uri) < 100 && got != want {
			t.Errorf("%q: %q, want %q", uri, got, want)
		}
	}
}
