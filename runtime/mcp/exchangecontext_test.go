package mcp_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// The context of a handler behaves like a context of package context, whether it is used before the
// cancellation or not.
func TestContextOfHandlers(t *testing.T) {
	type userKey struct{}
	cancel := `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1,"reason":"enough"}}`
	for _, looked := range []bool{false, true} {
		for _, test := range []struct {
			name  string
			end   func(p *peer) // cancels the context while the handler runs; nil if it returns
			cause error
		}{
			{"returned", nil, context.Canceled},
			{"cancelled", func(p *peer) { p.send(cancel + "\n") }, mcp.ErrCancelled},
			{"timeout", func(*peer) { time.Sleep(2 * time.Hour) }, mcp.ErrTimeout},
			{"vanished", func(p *peer) { p.gone(); time.Sleep(15 * time.Second) }, mcp.ErrConnectionClosed},
		} {
			t.Run(fmt.Sprintf("%s, looked at: %v", test.name, looked), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					s := mcp.NewServer(fixtureInfo(), quiet)
					contexts, release := make(chan context.Context, 1), make(chan bool)
					tool(s, "keep", func(ctx context.Context) (string, error) {
						contexts <- ctx
						<-release
						return "kept", nil
					})
					p := dialContext(t, context.WithValue(t.Context(), userKey{}, 7), s, "stdio")
					p.send(lines(initialize("2025-11-25"), initialized, call(1, "keep", "{}")))
					ctx := <-contexts
					if looked {
						if ctx.Err() != nil || ctx.Value(userKey{}) != 7 {
							t.Errorf("before the end: %v, %v", ctx.Err(), ctx.Value(userKey{}))
						}
						select {
						case <-ctx.Done():
							t.Error("ended before the end")
						default:
						}
					}
					synctest.Wait()
					if test.end != nil {
						test.end(p)
						synctest.Wait()
					} else {
						close(release)
						synctest.Wait()
					}
					if err := ctx.Err(); !errors.Is(err, context.Canceled) {
						t.Errorf("Err: %v", err)
					}
					if err := context.Cause(ctx); !errors.Is(err, test.cause) {
						t.Errorf("cause: %v", err)
					}
					<-ctx.Done()
					child, stop := context.WithTimeout(ctx, time.Hour)
					defer stop()
					if err := context.Cause(child); !errors.Is(err, test.cause) {
						t.Errorf("cause of a child: %v", err)
					}
					after := make(chan bool)
					context.AfterFunc(ctx, func() { close(after) })
					<-after
					if v := ctx.Value(userKey{}); v != 7 {
						t.Errorf("value: %v", v)
					}
					if test.end != nil {
						close(release)
					}
					p.close()
					<-p.done
				})
			})
		}
	}
}

// A goroutine that waits for the cancellation of the context is woken, through derived contexts
// too.
func TestWaitingForTheEndOfHandlers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := mcp.NewServer(fixtureInfo(), quiet)
		type otherKey struct{}
		type received struct {
			err   error
			after time.Duration
		}
		ends := make(chan received, 3)
		tool(s, "wait", func(ctx context.Context) (string, error) {
			began := time.Now()
			context.AfterFunc(ctx, func() { ends <- received{context.Cause(ctx), time.Since(began)} })
			child, cancel := context.WithCancel(context.WithValue(ctx, otherKey{}, 1))
			defer cancel()
			<-child.Done()
			ends <- received{context.Cause(child), time.Since(began)}
			_, ok := child.Deadline()
			if ok {
				t.Error("a deadline that nobody has set")
			}
			return "", ctx.Err()
		})
		p := dial(t, s, "stdio")
		p.send(lines(initialize("2025-11-25"), initialized, call(1, "wait", "{}")))
		time.Sleep(time.Second)
		p.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}` + "\n")
		for range 2 {
			if e := <-ends; !errors.Is(e.err, mcp.ErrCancelled) || e.after != time.Second {
				t.Errorf("%v after %v", e.err, e.after)
			}
		}
		p.close()
		<-p.done
	})
}
