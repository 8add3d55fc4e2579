package mcp_test

import (
	"context"
	"io"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/mcp"
)

var quiet = mcp.WithLogger(slog.New(slog.DiscardHandler))

// eachWay runs a test over the framing of stdio and in memory.
func eachWay(t *testing.T, f func(t *testing.T, way string)) {
	for _, way := range []string{"stdio", "memory"} {
		t.Run(way, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { f(t, way) })
		})
	}
}

func TestContextEndsServing(t *testing.T) {
	eachWay(t, func(t *testing.T, way string) {
		ctx, cancel := context.WithCancel(t.Context())
		p := dialContext(t, ctx, newFixture(quiet), way)
		p.send(lines(initialize("2025-11-25"), call(1, "block", "{}"), call(2, "ignoring", "{}")))
		synctest.Wait()
		p.received()
		started := time.Now()
		cancel()
		<-p.done
		if d := time.Since(started); d > 2*time.Second || p.ended() != "canceled" {
			t.Errorf("ended with %s after %v", p.ended(), d)
		}
		if got := p.received(); len(got) != 1 || !strings.Contains(got[0], `"id":1`) {
			t.Errorf("got %v", got)
		}
		time.Sleep(2 * time.Minute)
		p.gone()
	})
}

// stuck is a connection whose client does not read.
type stuck struct {
	jsonrpc.Conn
	closed chan struct{}
	once   sync.Once
}

func (s *stuck) Write([]byte) error {
	<-s.closed
	return io.ErrClosedPipe
}

func (s *stuck) Close() error {
	s.once.Do(func() { close(s.closed) })
	return s.Conn.Close()
}

func TestPanicGoesToTheLogOnly(t *testing.T) {
	eachWay(t, func(t *testing.T, way string) {
		var log strings.Builder
		s := newFixture(mcp.WithLogger(slog.New(slog.NewTextHandler(&log, nil))),
			mcp.WithInterceptors(func(next mcp.Handler) mcp.Handler {
				return func(ctx context.Context, req *mcp.Request) (mcp.Reply, error) {
					if req.Method == "tools/list" {
						panic("secret of the interceptor")
					}
					reply, err := next(ctx, req)
					if req.Name == "panic" && (err == nil || strings.Contains(err.Error(), "secret")) {
						t.Errorf("the interceptor saw %v", err)
					}
					return reply, err
				}
			}))
		p := dial(t, s, way)
		for i, text := range []string{initialize("2025-11-25"), call(1, "panic", "{}"), request(2, "tools/list", "{}"), call(3, "fail_hidden", "{}")} {
			p.send(text + "\n")
			synctest.Wait()
			got := p.received()
			if len(got) != 1 || strings.Contains(got[0], "secret") || (i > 0 && !reference.MatchString(got[0])) {
				t.Fatalf("got %v", got)
			}
			if i > 0 {
				ref := strings.TrimPrefix(reference.FindString(got[0]), "reference ")
				if !strings.Contains(log.String(), "reference="+ref) {
					t.Errorf("reference %s is not in the log", ref)
				}
			}
		}
		p.hangUp()
		for _, want := range []string{"secret in a panic", "secret of the interceptor", "secret path", "fixture_test.go"} {
			if !strings.Contains(log.String(), want) {
				t.Errorf("%q is not in the log:\n%s", want, log.String())
			}
		}
	})
}
