package mcp_test

import (
	"context"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/mcpgen/mcpgen/runtime/internal/testbed"
	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// Parked listens need no goroutines, unless interceptors wait for their end. They end in the same
// ways.
func TestListensStand(t *testing.T) {
	const listens = 50
	around := func(next mcp.Handler) mcp.Handler {
		return func(ctx context.Context, req *mcp.Request) (mcp.Reply, error) {
			reply, err := next(ctx, req)
			if !strings.Contains(string(req.Params), "toolsListChanged") {
				t.Errorf("the params have become %s", req.Params)
			}
			return reply, err
		}
	}
	for _, kind := range []struct {
		name    string
		options []mcp.Option
		most    int // goroutines, including some of the runtime
	}{
		{"alone", nil, listens / 5},
		{"intercepted", []mcp.Option{mcp.WithInterceptors(around)}, 2 * listens},
	} {
		begin := func(t *testing.T) (s *mcp.Server, p *peer) {
			s = small(kind.options...)
			p = dial(t, s, "memory")
			synctest.Wait()
			before := testbed.Goroutines()
			for i := range listens {
				p.send(lines(request(i, "subscriptions/listen", `{`+modernMeta+`,"notifications":{"toolsListChanged":true}}`)))
			}
			synctest.Wait()
			if more := testbed.Goroutines() - before; more > kind.most {
				t.Errorf("%d listens have %d goroutines", listens, more)
			}
			if got := p.received(); len(got) != listens || strings.Count(strings.Join(got, ""), "acknowledged") != listens {
				t.Errorf("got %q", got)
			}
			return s, p
		}
		t.Run(kind.name+"/cancelled", func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, p := begin(t)
				for i := range listens - 1 {
					p.send(lines(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` + strconv.Itoa(i) + `}}`))
				}
				synctest.Wait()
				if got := p.received(); len(got) != 0 {
					t.Errorf("got %q", got)
				}
				s.Register(named("new", ""))
				synctest.Wait()
				if got := p.received(); len(got) != 1 || !strings.Contains(got[0], `subscriptionId":`+strconv.Itoa(listens-1)) {
					t.Errorf("got %q", got)
				}
				p.send(lines(request(0, "subscriptions/listen", `{`+modernMeta+`,"notifications":{"toolsListChanged":true}}`)))
				synctest.Wait()
				if got := p.received(); len(got) != 1 || !strings.Contains(got[0], "acknowledged") {
					t.Errorf("with an id that was another's: got %q", got)
				}
				p.hangUp()
			})
		})
		t.Run(kind.name+"/ended", func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				_, p := begin(t)
				p.eof()
				<-p.done
				synctest.Wait()
				got := strings.Join(p.received(), "\n")
				if n := strings.Count(got, `"resultType":"complete"`); n != listens {
					t.Errorf("%d of %d are answered: %s", n, listens, got)
				}
				if n := strings.Count(got, "notifications/cancelled"); n != listens {
					t.Errorf("the client is notified of %d of %d: %s", n, listens, got)
				}
			})
		})
	}
}
