package mcp_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/runtime/mcp"
)

type spanKey struct{}

// traced records the questions of a server, and gives them a trace.
func (e *events) traced(name string, trace mcp.Trace) mcp.Option {
	return mcp.WithQuestionHook(func(ctx context.Context, q *mcp.SentQuestion) func(error) {
		e.add("begin %s: %s %q of %s, %v", name, q.Method, q.ID, mcp.CallFrom(ctx).Feature(), ctx.Value(spanKey{}))
		if trace != (mcp.Trace{}) {
			q.Trace = trace
		}
		return func(err error) {
			if e2, ok := errors.AsType[*mcp.ClientError](err); ok {
				err = fmt.Errorf("code %d", e2.Code)
			}
			e.add("end %s: %s %q: %v", name, q.Method, q.ID, err)
		}
	})
}

// spanned gives handlers a context with a value, as a tracing interceptor does.
func spanned(next mcp.Handler) mcp.Handler {
	return func(ctx context.Context, req *mcp.Request) (mcp.Reply, error) {
		return next(context.WithValue(ctx, spanKey{}, "span"), req)
	}
}

// The hook runs for each question that is sent as a request, whatever its outcome, and the _meta of
// the request contains the trace of the hook.
func TestQuestionHook(t *testing.T) {
	const trace = `"_meta":{"traceparent":"00-a-b-01","tracestate":"x=\"1\"","baggage":"k=v"}`
	for _, test := range []struct{ name, answer, end string }{
		{"answered", answer(1, `{"action":"accept","content":{"yes":true}}`), "<nil>"},
		{"refused", `{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"no"}}`, "code -1"},
		{"late", "", "no answer from the client within 1m0s"},
		{"cancelled", `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}`, "request cancelled by the client"},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var e events
				s := newTalk(quiet, mcp.WithInterceptors(spanned),
					e.traced("a", mcp.Trace{}), e.traced("b", mcp.Trace{Parent: "00-a-b-01", State: `x="1"`, Baggage: "k=v"}),
					mcp.WithQuestionHook(nil), mcp.WithQuestionHook(func(context.Context, *mcp.SentQuestion) func(error) { return nil }))
				tool(s, "ask", func(ctx context.Context) (string, error) {
					_, err := mcp.Elicit[sure](ctx, "Sure?")
					return "done", err
				})
				p := limited(t, s)
				p.send(call(7, "ask", "{}") + "\n")
				synctest.Wait()
				if got := p.received(); len(got) != 1 || !strings.Contains(got[0], trace) || !strings.Contains(got[0], `"message":"Sure?"`) {
					t.Errorf("sent %s", got)
				}
				e.want(t, `begin a: elicitation/create "" of ask, span`, `begin b: elicitation/create "" of ask, span`)
				if test.answer == "" {
					time.Sleep(2 * time.Minute)
				} else {
					p.send(test.answer + "\n")
				}
				e.want(t, `end b: elicitation/create "1": `+test.end, `end a: elicitation/create "1": `+test.end)
				p.hangUp()
			})
		})
	}
}

// Without a trace, a question is the same as without hooks.
func TestTracesOfQuestions(t *testing.T) {
	for _, test := range []struct {
		trace mcp.Trace
		want  string
	}{
		{mcp.Trace{}, `{"jsonrpc":"2.0","id":1,"method":"roots/list","params":{}}`},
		{mcp.Trace{Parent: "p"}, `{"jsonrpc":"2.0","id":1,"method":"roots/list","params":{"_meta":{"traceparent":"p"}}}`},
	} {
		synctest.Test(t, func(t *testing.T) {
			var e events
			s := newTalk(quiet, e.traced("a", test.trace))
			tool(s, "ask", func(ctx context.Context) (string, error) {
				_, err := mcp.Roots(ctx)
				return "done", err
			})
			p := dial(t, s, "stdio")
			p.send(lines(strings.Replace(initialize("2025-11-25"), `"elicitation":{}`, `"roots":{}`, 1), initialized))
			synctest.Wait()
			p.received()
			p.expect(call(7, "ask", "{}"), test.want)
			p.hangUp()
		})
	}
}

// A question of a round is part of a result, and no goroutine waits for it.
func TestQuestionHookInRounds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var e events
		s := newTalk(quiet, e.traced("a", mcp.Trace{Parent: "p"}))
		tool(s, "ask", func(ctx context.Context) (string, error) {
			_, err := mcp.Elicit[sure](ctx, "Sure?")
			return "done", err
		})
		p := dial(t, s, "stdio")
		p.send(modernTalk(1, "ask", "") + "\n")
		synctest.Wait()
		if got := p.received(); len(got) != 1 || !strings.Contains(got[0], `"inputRequests"`) || strings.Contains(got[0], "traceparent") {
			t.Errorf("sent %s", got)
		}
		e.want(t)
		p.hangUp()
	})
}

// A hook that fails fails the call, and nothing else.
func TestQuestionHookFails(t *testing.T) {
	for name, fail := range map[string]func(){"panic": func() { panic("at the disco") }, "Goexit": runtime.Goexit} {
		for _, when := range []string{"begin", "end"} {
			synctest.Test(t, func(t *testing.T) {
				s := newTalk(quiet, mcp.WithQuestionHook(func(context.Context, *mcp.SentQuestion) func(error) {
					if when == "begin" {
						fail()
					}
					return func(error) { fail() }
				}))
				tool(s, "ask", func(ctx context.Context) (string, error) {
					_, err := mcp.Elicit[sure](ctx, "Sure?")
					return "done", err
				})
				p := limited(t, s)
				p.send(call(7, "ask", "{}") + "\n")
				synctest.Wait()
				if when == "end" {
					p.received()
					p.send(answer(1, `{"action":"accept","content":{"yes":true}}`) + "\n")
					synctest.Wait()
				}
				if got := p.received(); len(got) != 1 || !strings.Contains(got[0], "internal error") || strings.Contains(got[0], "disco") {
					t.Errorf("%s in %s: %s", name, when, got)
				}
				p.expect(request(8, "ping", "{}"), `"id":8,"result":{}`)
				p.hangUp()
			})
		}
	}
}
