package mcp_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/internal/proof/spec"
	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpimpl"
)

// slowKinds are all requests that run functions of users. Each calls the same function.
var slowKinds = []struct{ name, request string }{
	{"tool", call(1, "slow", "{}")},
	{"resource", request(1, "resources/read", `{"uri":"test://slow"}`)},
	{"template", request(1, "resources/read", `{"uri":"slow://x"}`)},
	{"prompt", request(1, "prompts/get", `{"name":"slow"}`)},
	{"completion", request(1, "completion/complete", `{"ref":{"type":"ref/prompt","name":"slow"},"argument":{"name":"a","value":""}}`)},
	{"list", request(1, "resources/list", "{}")},
	{"extension", request(1, "com.example/slow", "{}")},
}

// newSlow returns a server whose functions are all f. own is the timeout of the features that can
// have one.
func newSlow(f func(ctx context.Context) error, own time.Duration, options ...mcp.Option) *mcp.Server {
	s := mcp.NewServer(fixtureInfo(), append(options, mcp.WithExtension(mcp.Extension{
		Name: "com.example/slow",
		Methods: map[string]mcp.ExtensionFunc{"com.example/slow": func(ctx context.Context, _ *mcp.Request) (json.RawMessage, error) {
			return nil, f(ctx)
		}},
		Notifications: map[string]func(context.Context, json.RawMessage){"com.example/slow/note": func(ctx context.Context, _ json.RawMessage) {
			_ = f(ctx)
		}},
	}))...)
	info := empty("slow", false)
	info.Timeout = own
	s.Register(mcpimpl.FuncTool(info, noArguments(func(ctx context.Context, _ *mcp.Request) (*mcp.ToolResult, error) {
		return mcp.TextResult("done"), f(ctx)
	})))
	read := func(ctx context.Context, _ *mcp.Request) (*mcp.ResourceResult, error) {
		return mcp.TextContents("done"), f(ctx)
	}
	reads := mcp.ReadInfo{Timeout: own}
	s.Register(mcpimpl.FuncResource(&mcp.ResourceInfo{URI: "test://slow", Name: "slow", ReadInfo: reads}, read))
	s.Register(mcpimpl.FuncTemplate(&mcp.TemplateInfo{URITemplate: "slow://{x}", Name: "slowly", ReadInfo: reads, List: func(ctx context.Context) ([]mcp.ResourceInfo, error) { return nil, f(ctx) }}, read))
	s.Register(mcpimpl.FuncPrompt(&mcp.PromptInfo{Name: "slow", Arguments: []mcp.PromptArgument{{Name: "a"}}, Timeout: own},
		func(ctx context.Context, _ *mcp.Request) (*mcp.PromptResult, error) {
			return mcp.PromptText("done"), f(ctx)
		},
		mcpimpl.WithCompletion("a", func(ctx context.Context, _ string, _ map[string]string) (mcp.Completion, error) {
			return mcp.Candidates(nil), f(ctx)
		})))
	return s
}

// returnsAtEnd returns when its context is cancelled, and stores the cause.
func returnsAtEnd(cause *error) func(ctx context.Context) error {
	return func(ctx context.Context) error {
		<-ctx.Done()
		*cause = context.Cause(ctx)
		return ctx.Err()
	}
}

// ignoresContext returns after that time, whether its context is cancelled or not.
func ignoresContext(d time.Duration) func(ctx context.Context) error {
	return func(context.Context) error {
		time.Sleep(d)
		return nil
	}
}

// late returns the reply to a request that has taken too long.
func late(kind string, after time.Duration) string {
	if kind == "tool" {
		return fmt.Sprintf(`"result":{"content":[{"type":"text","text":"timed out after %v"}],"isError":true}}`, after)
	}
	return fmt.Sprintf(`"error":{"code":-32603,"message":"timed out after %v","data":{"reason":"timeout"}}}`, after)
}

// expectAfter waits for the reply and checks the time until it arrives.
func (p *peer) expectAfter(after time.Duration, want string) {
	p.t.Helper()
	time.Sleep(after - time.Millisecond)
	synctest.Wait()
	if got := p.received(); len(got) != 0 {
		p.t.Errorf("got too early: %v", got)
	}
	time.Sleep(2 * time.Millisecond)
	synctest.Wait()
	if got := p.received(); len(got) != 1 || !strings.HasSuffix(got[0], want) {
		p.t.Errorf("got %v, want %s", got, want)
	}
}

// ready serves a peer with a session.
func ready(t *testing.T, s *mcp.Server) *peer {
	p := dial(t, s, "memory")
	p.send(lines(initialize("2025-11-25"), initialized))
	synctest.Wait()
	p.received()
	return p
}

func TestTimeouts(t *testing.T) {
	spec.Holds(t, "S073", "S074")
	const own, byDefault, most = 5 * time.Second, 7 * time.Second, 9 * time.Second
	grace := 2 * time.Second
	for _, test := range []struct {
		name           string
		own, byDefault time.Duration
		want           func(kind string) time.Duration
	}{
		{"own", own, byDefault, func(kind string) time.Duration {
			switch kind {
			case "completion", "list", "extension":
				return byDefault
			}
			return own
		}},
		{"default", 0, byDefault, func(string) time.Duration { return byDefault }},
		{"none", 0, 0, func(string) time.Duration { return most }},
		{"limit", time.Hour, 0, func(string) time.Duration { return most }},
	} {
		for _, kind := range slowKinds {
			options := func() []mcp.Option {
				return []mcp.Option{quiet, mcp.WithTimeout(test.byDefault), mcp.WithLimits(mcp.Limits{CallTime: most, GraceTime: grace})}
			}
			after := test.want(kind.name)
			t.Run(test.name+"/"+kind.name+"/returns", func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					var cause error
					p := ready(t, newSlow(returnsAtEnd(&cause), test.own, options()...))
					p.send(lines(kind.request))
					p.expectAfter(after, late(kind.name, after))
					if !errors.Is(cause, mcp.ErrTimeout) {
						t.Errorf("cause %v", cause)
					}
					p.hangUp()
				})
			})
			t.Run(test.name+"/"+kind.name+"/ignores", func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					p := ready(t, newSlow(ignoresContext(time.Minute), test.own, options()...))
					p.send(lines(kind.request))
					p.expectAfter(after+grace, late(kind.name, after))
					time.Sleep(time.Minute)
					synctest.Wait()
					if got := p.received(); len(got) != 0 {
						t.Errorf("answered twice: %v", got)
					}
					p.hangUp()
				})
			})
		}
	}
}

// The clock does not affect functions that return in time, even if they return just when it runs
// out.
func TestTimeoutInTime(t *testing.T) {
	for _, kind := range slowKinds {
		t.Run(kind.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newSlow(ignoresContext(3*time.Second), 4*time.Second, quiet, mcp.WithTimeout(4*time.Second), mcp.WithLimits(mcp.Limits{CallTime: 4 * time.Second}))
				p := ready(t, s)
				for range 5 {
					p.send(lines(kind.request))
					time.Sleep(3 * time.Second)
					synctest.Wait()
					if got := p.received(); len(got) != 1 || !strings.Contains(got[0], `"result"`) || strings.Contains(got[0], "isError") {
						t.Fatalf("got %v", got)
					}
				}
				p.hangUp()
			})
		})
	}
}

// The limit includes interceptors, before and after the handler.
func TestLimitCallTime(t *testing.T) {
	const most, grace = 10 * time.Second, time.Second
	slow := func(method string, before, after, ignores bool) mcp.Option {
		wait := func(ctx context.Context, yes bool) {
			if !yes {
				return
			}
			if ignores {
				time.Sleep(time.Hour)
			} else {
				<-ctx.Done()
			}
		}
		return mcp.WithInterceptors(func(next mcp.Handler) mcp.Handler {
			return func(ctx context.Context, req *mcp.Request) (mcp.Reply, error) {
				if req.Method != method {
					return next(ctx, req)
				}
				wait(ctx, before)
				reply, err := next(ctx, req)
				if wait(ctx, after); ctx.Err() != nil {
					return nil, ctx.Err()
				}
				return reply, err
			}
		})
	}
	for _, test := range []struct{ kind, method, request string }{
		{"tool", "tools/call", call(1, "hello", "{}")},
		{"ping", "ping", request(1, "ping", "{}")},
		{"list", "tools/list", request(1, "tools/list", "{}")},
		{"nothing", "no/such", request(1, "no/such", "{}")},
	} {
		for _, ignores := range []bool{false, true} {
			for _, before := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s/ignores %v/before %v", test.kind, ignores, before), func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) {
						s := newFixture(quiet, mcp.WithLimits(mcp.Limits{CallTime: most, GraceTime: grace}), slow(test.method, before, !before, ignores))
						p := ready(t, s)
						p.send(lines(test.request))
						want := most
						if ignores {
							want += grace
						}
						p.expectAfter(want, late(test.kind, most))
						p.hangUp()
						time.Sleep(3 * time.Hour)
					})
				})
			}
		}
	}

	t.Run("default", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			p := ready(t, newFixture(quiet))
			p.send(lines(call(1, "block", "{}")))
			p.expectAfter(time.Hour, late("tool", time.Hour))
			p.hangUp()
		})
	})

	// An initialize that is given up does not open a session.
	for _, ignores := range []bool{false, true} {
		t.Run(fmt.Sprintf("initialize/ignores %v", ignores), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newFixture(quiet, mcp.WithLimits(mcp.Limits{CallTime: most, GraceTime: grace}), slow("initialize", true, false, ignores))
				p := dial(t, s, "memory")
				for range 2 {
					p.send(lines(initialize("2025-11-25")))
					want := most
					if ignores {
						want += grace
					}
					p.expectAfter(want, late("initialize", most))
				}
				p.hangUp()
				time.Sleep(3 * time.Hour)
			})
		})
	}

	t.Run("notification", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			var cause error
			p := ready(t, newSlow(returnsAtEnd(&cause), 0, quiet, mcp.WithLimits(mcp.Limits{CallTime: most})))
			p.send(lines(`{"jsonrpc":"2.0","method":"com.example/slow/note"}`))
			time.Sleep(most)
			synctest.Wait()
			if !errors.Is(cause, mcp.ErrTimeout) {
				t.Errorf("cause %v", cause)
			}
			p.hangUp()
		})
	})

	// Waiting in a listen does not count, but the time of an interceptor before it does.
	t.Run("listen", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := newFixture(quiet, mcp.WithLimits(mcp.Limits{CallTime: most}))
			p := dial(t, s, "memory")
			p.send(lines(request(1, "subscriptions/listen", `{`+modernMeta+`,"notifications":{"toolsListChanged":true}}`)))
			time.Sleep(100 * most)
			synctest.Wait()
			if got := p.received(); len(got) != 1 || !strings.Contains(got[0], "acknowledged") {
				t.Errorf("got %v", got)
			}
			s.Register(named("new", ""))
			synctest.Wait()
			if got := p.received(); len(got) != 1 || !strings.Contains(got[0], "list_changed") {
				t.Errorf("got %v", got)
			}
			p.hangUp()
		})
	})
}

// While a person thinks, no clock runs: neither the clock of the function that asks nor the clock
// of the whole request.
func TestTimeoutsStandStill(t *testing.T) {
	for _, kind := range slowKinds[:4] {
		t.Run(kind.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				asks := func(ctx context.Context) error {
					time.Sleep(time.Second)
					if _, err := mcp.Elicit[sure](ctx, "Sure?"); err != nil {
						return err
					}
					<-ctx.Done()
					return ctx.Err()
				}
				p := ready(t, newSlow(asks, 0, quiet, mcp.WithTimeout(3*time.Second), mcp.WithLimits(mcp.Limits{CallTime: 4 * time.Second})))
				p.send(lines(kind.request))
				time.Sleep(10 * time.Minute)
				if got := p.received(); len(got) != 1 || !strings.Contains(got[0], "elicitation/create") {
					t.Fatalf("got %v", got)
				}
				p.send(lines(answer(1, `{"action":"decline"}`)))
				p.expectAfter(2*time.Second, late(kind.name, 3*time.Second))
				p.hangUp()
			})
		})
	}
}

// The timeout of a function cancels the function, not the request: an interceptor may try again.
func TestTimeoutLetsInterceptorsGoOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tries := 0
		f := func(ctx context.Context) error {
			if tries++; tries == 1 {
				<-ctx.Done()
			}
			return ctx.Err()
		}
		again := mcp.WithInterceptors(func(next mcp.Handler) mcp.Handler {
			return func(ctx context.Context, req *mcp.Request) (mcp.Reply, error) {
				reply, err := next(ctx, req)
				if errors.Is(err, mcp.ErrTimeout) {
					return next(ctx, req)
				}
				return reply, err
			}
		})
		p := ready(t, newSlow(f, 0, quiet, mcp.WithTimeout(3*time.Second), again))
		p.send(lines(call(1, "slow", "{}")))
		p.expectAfter(3*time.Second, `"result":{"content":[{"type":"text","text":"done"}]}}`)
		p.hangUp()
	})
}

// The deadline of the context is the deadline of the function, or a shorter one of an interceptor.
func TestTimeoutDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		deadlines := make(chan time.Duration, 1)
		tell := func(ctx context.Context) error {
			at, ok := ctx.Deadline()
			if !ok {
				at = time.Now()
			}
			deadlines <- time.Until(at)
			return nil
		}
		shorten := mcp.WithInterceptors(func(next mcp.Handler) mcp.Handler {
			return func(ctx context.Context, req *mcp.Request) (mcp.Reply, error) {
				if req.Call().ID() == "2" {
					var cancel context.CancelFunc
					ctx, cancel = context.WithTimeout(ctx, time.Second)
					defer cancel()
				}
				return next(ctx, req)
			}
		})
		p := ready(t, newSlow(tell, 0, quiet, mcp.WithTimeout(3*time.Second), shorten))
		for id, want := range map[int]time.Duration{1: 3 * time.Second, 2: time.Second} {
			p.send(lines(call(id, "slow", "{}")))
			if got := <-deadlines; got != want {
				t.Errorf("deadline in %v, want %v", got, want)
			}
		}
		p.hangUp()
	})
}

func TestTimeoutAboveTheLimitIsLogged(t *testing.T) {
	var log strings.Builder
	newSlow(ignoresContext(0), 2*time.Hour, mcp.WithLogger(slog.New(slog.NewTextHandler(&log, nil))))
	if n := strings.Count(log.String(), "timeout is cut to Limits.CallTime"); n != 4 {
		t.Errorf("%d warnings:\n%s", n, log.String())
	}
}
