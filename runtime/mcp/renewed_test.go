package mcp_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
	"github.com/mcpgen/mcpgen/runtime/internal/transport"
	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// renewing is a session whose requests have principals of their own, as over HTTP.
type renewing struct {
	t    *testing.T
	s    *mcp.Server
	host transport.Server
	conn transport.Conn
	out  *sinkLog
	id   int
}

func newRenewing(t *testing.T, options ...mcp.Option) *renewing {
	s := guardedServer(options...)
	s.Register(mcp.NewResource(mcp.ResourceInfo{URI: "own:///book", Name: "book", Scopes: []string{"books:write", "books:read"}}, nil))
	r := &renewing{t: t, s: s, host: s.Transport(), out: new(sinkLog)}
	r.conn = r.host.Open(t.Context(), transport.Options{Transport: "http", Revision: protocol.Negotiate("2025-11-25"), Out: r.out})
	r.send(nil, initialized)
	return r
}

func (r *renewing) send(p *mcp.Principal, text string) string {
	r.t.Helper()
	in := r.host.NewMessage()
	if err := in.Parse(append(in.Buffer(), text...)); err != nil {
		r.t.Fatal(err)
	}
	reply := new(sinkLog)
	from := transport.Caller{Header: map[string][]string{"Tenant": {"a"}}}
	if p != nil {
		from.Principal = p
	}
	r.conn.Take(in, from, reply)
	synctest.Wait()
	return strings.Join(reply.replies, "")
}

func (r *renewing) ask(p *mcp.Principal, method, params string) {
	r.t.Helper()
	r.id++
	if got := r.send(p, request(r.id, method, params)); !strings.Contains(got, `"result":`) {
		r.t.Errorf("%s: %s", method, got)
	}
}

// want updates a resource, and checks whether the session is notified.
func (r *renewing) want(when string, notified bool) {
	r.t.Helper()
	r.out.notifications = nil
	r.s.ResourceUpdated("own:///book")
	synctest.Wait()
	if got := slices.ContainsFunc(r.out.notifications, func(m string) bool { return strings.Contains(m, "own:///book") }); got != notified {
		r.t.Errorf("%s: notified is %t: %q", when, got, r.out.notifications)
	}
}

// ada returns a principal that expires after a time, and may use features with those scopes.
func ada(after time.Duration, scopes ...string) *mcp.Principal {
	p := &mcp.Principal{ID: "ada", Access: mcp.AccessFunc(func(ctx context.Context, f mcp.FeatureInfo) error {
		call := mcp.CallFrom(ctx)
		if got := call.Principal().Value; got != fmt.Sprint(scopes) {
			return fmt.Errorf("the principal of the call is another one: %v", got)
		}
		if ctx.Err() != nil || call.Header()["Tenant"] == nil || call.Transport() != "http" || call.Revision() != "2025-11-25" {
			return errors.New("the context is not that of a request of the session")
		}
		for _, scope := range f.Scopes {
			if !slices.Contains(scopes, scope) {
				return errors.New("hidden")
			}
		}
		return nil
	}), Value: fmt.Sprint(scopes)}
	if after > 0 {
		p.Expires = time.Now().Add(after)
	}
	return p
}

// The subscriptions of a session continue with a renewed token of the same principal, whose scopes
// decide, and nothing is sent after its expiry.
func TestSubscriptionsRenewed(t *testing.T) {
	all := []string{"books:read", "books:write"}
	for name, renew := range map[string]func(*renewing, *mcp.Principal){
		"subscribe again": func(r *renewing, p *mcp.Principal) { r.ask(p, "resources/subscribe", `{"uri":"own:///book"}`) },
		"ping":            func(r *renewing, p *mcp.Principal) { r.ask(p, "ping", "{}") },
		"call":            func(r *renewing, p *mcp.Principal) { r.ask(p, "tools/call", `{"name":"open","arguments":{}}`) },
		"notification": func(r *renewing, p *mcp.Principal) {
			r.send(p, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":77}}`)
		},
		"stream": func(r *renewing, p *mcp.Principal) { r.conn.Renew(p) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRenewing(t)
				defer r.conn.Close()
				r.ask(ada(time.Hour, all...), "resources/subscribe", `{"uri":"own:///book"}`)
				r.want("at first", true)
				time.Sleep(time.Hour - time.Second)
				r.want("before the end of the token", true)
				time.Sleep(time.Second)
				r.want("after the end of the token", false)
				renew(r, ada(time.Hour, all...))
				r.want("with a renewed token", true)
				time.Sleep(time.Hour)
				r.want("after the end of the renewed token", false)
				if name != "subscribe again" { // which needs the scopes
					renew(r, ada(time.Hour, "books:read"))
					r.want("with fewer scopes", false)
				}
				renew(r, ada(0, all...))
				r.want("with a token that does not end", true)
				time.Sleep(1000 * time.Hour)
				r.want("later", true)
			})
		})
	}
}

// If no Access has decided about a subscription, the Access of a later principal does.
func TestSubscriptionsDecidedLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRenewing(t)
		defer r.conn.Close()
		r.s.Register(mcp.NewResource(mcp.ResourceInfo{URI: "free:///a", Name: "free"}, nil))
		r.ask(&mcp.Principal{ID: "ada", Expires: time.Now().Add(time.Hour)}, "resources/subscribe", `{"uri":"free:///a"}`)
		notified := func() bool {
			r.out.notifications = nil
			r.s.ResourceUpdated("free:///a")
			synctest.Wait()
			return len(r.out.notifications) == 1
		}
		if !notified() {
			t.Error("not notified")
		}
		time.Sleep(time.Hour)
		if notified() {
			t.Error("notified after the end of the principal")
		}
		for hidden, err := range map[bool]error{true: errors.New("hidden"), false: nil} {
			r.conn.Renew(&mcp.Principal{ID: "ada", Access: mcp.AccessFunc(func(ctx context.Context, _ mcp.FeatureInfo) error {
				if mcp.CallFrom(ctx).Method() != "resources/subscribe" || mcp.CallFrom(ctx).Revision() != "2025-11-25" {
					t.Error("the context has another call")
				}
				return err
			})})
			if notified() == hidden {
				t.Errorf("hidden %t: notified %t", hidden, !hidden)
			}
		}
	})
}
