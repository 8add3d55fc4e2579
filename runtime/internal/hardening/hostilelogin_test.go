package hardening_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/faulty"
	"github.com/mcpgen/mcpgen/runtime/mcpclient"
	"github.com/mcpgen/mcpgen/runtime/mcphttpclient"
)

// login is an Authorizer with a person who takes some time to log in.
type login struct {
	takes time.Duration
	done  bool
}

func (l *login) Authorize(_ context.Context, r *http.Request) error {
	if l.done {
		r.Header.Set("Authorization", "good")
	}
	return nil
}

func (l *login) HandleChallenge(ctx context.Context, _ *http.Request, _ *http.Response) error {
	select {
	case <-time.After(l.takes):
		l.done = true
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (*login) CacheKey() string { return "login" }

// TestLoginTime checks that the time of a login does not count for ConnectTime, and that the time
// of the server before and after it does. QuestionTime limits a login that never ends.
func TestLoginTime(t *testing.T) {
	// A request without a response gets half of connectTime, and is then sent again.
	const connectTime, slow = 30 * time.Second, 14 * time.Second
	for _, c := range []struct {
		name          string
		login         time.Duration
		before, after time.Duration // time that the server takes
		took          time.Duration
		failure       error
	}{
		{"a login", 10 * time.Minute, 0, 0, 10 * time.Minute, nil},
		{"slow before it", 10 * time.Minute, slow, 0, 10*time.Minute + slow, nil},
		{"slow before and after it", 10 * time.Minute, slow, 20 * time.Second, 10*time.Minute + connectTime, mcpclient.ErrTimeout},
		{"silent after it", 10 * time.Minute, 0, time.Hour, 10*time.Minute + connectTime, mcpclient.ErrTimeout},
		{"without end", 24 * time.Hour, 0, 0, 30*time.Minute + connectTime, mcpclient.ErrTimeout},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server := &faulty.Server{Modern: true}
				wait := func(r *http.Request, d time.Duration) error {
					select {
					case <-time.After(d):
						return nil
					case <-r.Context().Done():
						return r.Context().Err()
					}
				}
				target := mcphttpclient.Endpoint{
					URL: "https://memory/mcp", Auth: &login{takes: c.login},
					Client: &http.Client{Transport: roundTripper(func(r *http.Request) (*http.Response, error) {
						w := httptest.NewRecorder()
						if r.Header.Get("Authorization") == "" {
							if err := wait(r, c.before); err != nil {
								return nil, err
							}
							answer(w, 401, "text/plain", "log in")
							return w.Result(), nil
						}
						if err := wait(r, c.after); err != nil {
							return nil, err
						}
						server.ServeHTTP(w, r)
						return w.Result(), nil
					})},
				}
				begin := time.Now()
				client, err := mcpclient.Connect(t.Context(), target, mcpclient.Options{Eras: noEras{}})
				if took := time.Since(begin); !errors.Is(err, c.failure) || took != c.took {
					t.Errorf("Connect: %v after %v, want %v after %v", err, took, c.failure, c.took)
				}
				if client != nil {
					if err := client.Close(); err != nil {
						t.Error(err)
					}
				}
			})
		})
	}
}
