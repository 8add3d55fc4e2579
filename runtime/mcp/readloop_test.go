package mcp_test

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// streams are the ways to serve one stream of messages in each direction.
var streams = []string{"stdio", "memory"}

// sends waits until the server is idle, and compares the messages that it has sent. No time may
// pass in the bubble meanwhile.
func (p *peer) sends(parts ...string) {
	p.t.Helper()
	began := time.Now()
	synctest.Wait()
	got := p.received()
	if len(got) != len(parts) {
		p.t.Errorf("received %q, want %q", got, parts)
		return
	}
	for i, part := range parts {
		if !strings.Contains(got[i], part) {
			p.t.Errorf("received %q, want %q in it", got[i], part)
		}
	}
	if took := time.Since(began); took > 0 {
		p.t.Errorf("it has taken %v", took)
	}
}

// openStream starts a session in revision 2025-11-25.
func openStream(t *testing.T, s *mcp.Server, way string) *peer {
	t.Helper()
	p := dial(t, s, way)
	p.send(lines(initialize("2025-11-25"), initialized))
	p.sends(`"serverInfo"`)
	return p
}

// finish closes the input of the client, and expects that Serve returns without an error.
func (p *peer) finish() {
	p.t.Helper()
	p.eof()
	synctest.Wait()
	if ended := p.ended(); ended != "nil" {
		p.t.Errorf("Serve: %s", ended)
	}
}

// TestReadWhileHandlersRun sends a ping, a cancellation and other calls while a handler waits: each
// is handled at once. Time passes in the bubble only while all goroutines wait, so any delay would
// be detected.
func TestReadWhileHandlersRun(t *testing.T) {
	for _, way := range streams {
		t.Run(way, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := mcp.NewServer(fixtureInfo(), quiet)
				var causes []error
				tool(s, "quick", func(context.Context) (string, error) { return "quick", nil })
				tool(s, "slow", func(ctx context.Context) (string, error) {
					<-ctx.Done()
					causes = append(causes, context.Cause(ctx))
					return "", ctx.Err()
				})
				p := openStream(t, s, way)
				p.send(lines(call(1, "slow", "{}")))
				p.sends()
				p.send(lines(request(2, "ping", "{}")))
				p.sends(`"id":2`)
				p.send(lines(call(3, "quick", "{}")))
				p.sends(`"quick"`)
				p.send(lines(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`, request(4, "ping", "{}")))
				p.sends(`"id":4`)
				if len(causes) != 1 || causes[0] != mcp.ErrCancelled {
					t.Errorf("the handler has ended with %v", causes)
				}
				// A message and its cancellation that arrive together.
				p.send(lines(call(5, "slow", "{}"), `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5}}`, request(6, "ping", "{}")))
				p.sends(`"id":6`)
				if len(causes) != 2 {
					t.Errorf("the handlers have ended with %v", causes)
				}
				p.finish()
			})
		})
	}
}

// TestHandlersThatEndGoroutines tests handlers that exit their goroutine, panic, or keep their
// thread locked. The next message is always read and answered.
func TestHandlersThatEndGoroutines(t *testing.T) {
	for _, way := range streams {
		t.Run(way, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := mcp.NewServer(fixtureInfo(), quiet)
				tool(s, "quick", func(context.Context) (string, error) { return "quick", nil })
				tool(s, "exit", func(context.Context) (string, error) { runtime.Goexit(); return "", nil })
				tool(s, "panic", func(context.Context) (string, error) { panic("no") })
				tool(s, "lock", func(context.Context) (string, error) { runtime.LockOSThread(); return "locked", nil })
				p := openStream(t, s, way)
				for i := range 3 {
					for name, want := range map[string]string{"exit": "internal error", "panic": "internal error", "lock": "locked"} {
						p.send(lines(call(10*i+1, name, "{}")))
						p.sends(want)
						p.send(lines(call(10*i+2, "quick", "{}"), request(10*i+3, "ping", "{}")))
						synctest.Wait()
						if got := p.received(); len(got) != 2 {
							t.Errorf("after %s: %q", name, got)
						}
					}
				}
				p.finish()
			})
		})
	}
}

// TestQuestionsWhileReading asks the client during a call: its answer is read while the handler
// waits.
func TestQuestionsWhileReading(t *testing.T) {
	for _, way := range streams {
		t.Run(way, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := mcp.NewServer(fixtureInfo(), quiet)
				tool(s, "sure", func(ctx context.Context) (string, error) {
					answer, err := mcp.Elicit[sure](ctx, "Sure?")
					return string(answer.Action), err
				})
				p := openStream(t, s, way)
				p.send(lines(call(1, "sure", "{}")))
				p.sends("elicitation/create")
				p.send(lines(answer(1, `{"action":"decline"}`)))
				p.sends("decline")
				p.finish()
			})
		})
	}
}

// TestReadForAClientThatDoesNotRead sends messages and does not read replies: the server goes on
// reading until the write has taken too long, and then closes the connection.
func TestReadForAClientThatDoesNotRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := mcp.NewServer(fixtureInfo(), quiet, mcp.WithLimits(mcp.Limits{WriteTime: time.Minute}))
		tool(s, "quick", func(context.Context) (string, error) { return "quick", nil })
		inR, inW := io.Pipe()
		outR, outW := io.Pipe()
		ended := make(chan error, 1)
		go func() { ended <- s.Serve(t.Context(), jsonrpc.NewLineConn(inR, outW, 0)) }()
		began := time.Now()
		messages := []string{initialize("2025-11-25"), initialized}
		for i := range 20 {
			messages = append(messages, call(2*i+1, "quick", "{}"), request(2*i+2, "ping", "{}"))
		}
		for _, m := range messages {
			if _, err := fmt.Fprintln(inW, m); err != nil {
				t.Fatal(err)
			}
		}
		if took := time.Since(began); took > 0 {
			t.Errorf("the server has not read for %v", took)
		}
		if err := <-ended; err == nil || time.Since(began) > 61*time.Second {
			t.Errorf("Serve: %v after %v", err, time.Since(began))
		}
		outR.Close()
	})
}
