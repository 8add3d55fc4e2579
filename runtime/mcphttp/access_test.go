package mcphttp_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcphttp"
)

// scoped authenticates by the scopes in Authorization, as "ada read write". Tools need the scope
// write, and "changed" is hidden from all but root.
func scoped(r *http.Request) (mcp.Principal, error) {
	name, scopes, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if name == "" {
		return mcp.Principal{}, errors.New("no credentials")
	}
	return mcp.Principal{ID: name, Access: mcp.AccessFunc(func(_ context.Context, f mcp.FeatureInfo) error {
		switch {
		case f.Kind != mcp.KindTool || strings.Contains(scopes, "write"):
			return nil
		case strings.Contains(scopes, "hidden"):
			return errors.New("hidden")
		}
		return &mcp.AccessError{Scopes: []string{"write"}, StepUp: true}
	})}, nil
}

var challenged = mcphttp.WithChallenge(func(r *http.Request, e *mcp.AccessError) http.Header {
	return http.Header{"www-authenticate": {`Bearer error="insufficient_scope", scope="` + strings.Join(e.Scopes, " ") + `"`}}
})

// A call that needs a scope is answered by status 403 with a challenge, in every mode; the scopes
// of the request decide, not the scopes of the request that has opened the session.
func TestAccessDenied(t *testing.T) {
	serveBoth(t, setup{handler: []mcphttp.Option{mcphttp.WithPrincipal(scoped), challenged}}, func(t *testing.T, s *testServer) {
		x := s.open(revisionD, "Authorization: ada write")
		echo := call("echo", `{}`)
		denied := func(a *response) {
			t.Helper()
			a.wantStatus(http.StatusForbidden)
			if got := a.field("Www-Authenticate"); got != `Bearer error="insufficient_scope", scope="write"` {
				a.fail("challenge %q", got)
			}
			if text := a.text(); !strings.Contains(text, `"code":-32603`) || !strings.Contains(text, `"data":{"reason":"insufficient scope","scopes":["write"]}`) {
				a.fail("%s", text)
			}
		}
		denied(x.do(echo.legacy(), "Authorization: ada read"))
		denied(s.do(echo.post("Authorization: ada read")))
		x.do(echo.legacy(), "Authorization: ada write").wantStatus(http.StatusOK)
		s.do(echo.post("Authorization: ada write")).wantStatus(http.StatusOK)
		// A hidden tool does not exist: neither the status nor the challenge reveals it.
		missing := strings.ReplaceAll(x.do(call("missing", `{}`).legacy(), "Authorization: ada hidden").wantStatus(http.StatusOK).text(), "missing", "echo")
		if got := x.do(echo.legacy(), "Authorization: ada hidden").wantStatus(http.StatusOK).text(); got != missing {
			t.Errorf("%s, and for a tool that does not exist %s", got, missing)
		}
		if got := x.do(rpc{method: "tools/list"}.legacy(), "Authorization: ada read").wantStatus(http.StatusOK).text(); !strings.Contains(got, `"echo"`) {
			t.Errorf("%s", got)
		}
		if got := x.do(rpc{method: "tools/list"}.legacy(), "Authorization: ada hidden").wantStatus(http.StatusOK).text(); strings.Contains(got, `"echo"`) {
			t.Errorf("%s", got)
		}
	})
}

// In a batch, the element is refused and the rest is not.
func TestAccessDeniedInBatch(t *testing.T) {
	serve(t, setup{handler: []mcphttp.Option{mcphttp.WithPrincipal(scoped), challenged}}, func(t *testing.T, s *testServer) {
		x := s.open(revisionB, "Authorization: ada read")
		a := x.do("[" + call("echo", `{}`).legacy() + "," + rpc{id: "2", method: "ping"}.legacy() + "]")
		a.wantStatus(http.StatusOK)
		if text := a.text(); !strings.Contains(text, `"scopes":["write"]`) || !strings.Contains(text, `"id":2,"result":{}`) || a.field("Www-Authenticate") != "" {
			a.fail("%s", text)
		}
	})
}

// If a function of WithChallenge panics, only the challenge is missing.
func TestChallengeFails(t *testing.T) {
	panics := mcphttp.WithChallenge(func(*http.Request, *mcp.AccessError) http.Header { panic("at the disco") })
	serve(t, setup{noisy: true, handler: []mcphttp.Option{mcphttp.WithPrincipal(scoped), panics}}, func(t *testing.T, s *testServer) {
		a := s.do(call("echo", `{}`).post("Authorization: ada read"))
		if a.wantStatus(http.StatusForbidden); strings.Contains(a.text(), "disco") {
			a.fail("it shows the panic")
		}
	})
}

// Without a function for it, there is no challenge, and nothing is logged.
func TestAccessDeniedWithoutChallenge(t *testing.T) {
	serve(t, setup{handler: []mcphttp.Option{mcphttp.WithPrincipal(scoped)}}, func(t *testing.T, s *testServer) {
		a := s.do(call("echo", `{}`).post("Authorization: ada read"))
		if a.wantStatus(http.StatusForbidden); a.field("Www-Authenticate") != "" {
			a.fail("there is a challenge")
		}
		if log := s.log.String(); log != "" {
			t.Errorf("the log is %s", log)
		}
	})
}

// A principal without an ID is identified by each of its other fields.
func TestPrincipalWithoutID(t *testing.T) {
	later := time.Now().Add(time.Hour)
	all := mcp.AccessFunc(func(context.Context, mcp.FeatureInfo) error { return nil })
	for name, p := range map[string]mcp.Principal{"value": {Value: "ada"}, "access": {Access: all}, "expiry": {Expires: later}} {
		t.Run(name, func(t *testing.T) {
			known := mcphttp.WithPrincipal(func(*http.Request) (mcp.Principal, error) { return p, nil })
			serve(t, setup{handler: []mcphttp.Option{known}}, func(t *testing.T, s *testServer) {
				script := s.Script("p")
				a := s.start(callScripted(script).post())
				got := mcp.CallFrom(script.Started()).Principal()
				if got.Value != p.Value || (got.Access == nil) != (p.Access == nil) || !got.Expires.Equal(p.Expires) {
					t.Errorf("the handler sees %+v, want %+v", got, p)
				}
				script.Return("done")
				synctest.Wait()
				a.wantStatus(http.StatusOK)
			})
		})
	}
}

// Streams end when the principal of their request expires, listens with a result; requests with a
// principal that has expired are refused.
func TestPrincipalExpires(t *testing.T) {
	var until atomic.Pointer[time.Time]
	known := mcphttp.WithPrincipal(func(*http.Request) (mcp.Principal, error) {
		return mcp.Principal{ID: "ada", Expires: *until.Load()}, nil
	})
	serve(t, setup{handler: []mcphttp.Option{known}}, func(t *testing.T, s *testServer) {
		first := time.Now().Add(time.Hour)
		until.Store(&first)
		x := s.open(revisionD)
		x.do(rpc{method: "resources/subscribe", params: `"uri":"test://text"`}.legacy()).wantStatus(http.StatusOK)
		stream := x.listen()
		l := s.start(listen(`"l"`, `"toolsListChanged":true`).post())
		time.Sleep(time.Hour - time.Second)
		synctest.Wait()
		stream.wantOpen()
		l.wantOpen()
		time.Sleep(time.Second)
		synctest.Wait()
		if !stream.hasEnded() {
			stream.fail("the stream goes on")
		}
		l.wantEnd()
		if text := l.text(); !strings.Contains(text, `"id":"l","result":`) {
			l.fail("%s", text)
		}
		x.do(rpc{method: "ping"}.legacy()).wantStatus(http.StatusUnauthorized)
		s.ResourceUpdated("test://text") // about which the session is not notified
		later := time.Now().Add(time.Hour)
		until.Store(&later)
		// A renewed token of the same principal continues the session and its subscriptions.
		renewed := x.listen()
		synctest.Wait()
		if text := renewed.text(); strings.Contains(text, "test://text") {
			renewed.fail("%s", text)
		}
		s.ResourceUpdated("test://text")
		synctest.Wait()
		if text := renewed.text(); strings.Count(text, "test://text") != 1 {
			renewed.fail("the session is not notified: %s", text)
		}
		x.do(rpc{method: "ping"}.legacy()).wantStatus(http.StatusOK)
	})
}
