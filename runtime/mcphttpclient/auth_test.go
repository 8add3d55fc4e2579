package mcphttpclient_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/dial"
	"github.com/mcpgen/mcpgen/runtime/mcphttpclient"
)

// scriptedAuth is an Authorizer of two functions.
type scriptedAuth struct {
	authorize func(*http.Request) error
	challenge func(*http.Response) error
}

func (a *scriptedAuth) Authorize(_ context.Context, r *http.Request) error { return a.authorize(r) }
func (a *scriptedAuth) HandleChallenge(_ context.Context, _ *http.Request, resp *http.Response) error {
	return a.challenge(resp)
}
func (a *scriptedAuth) CacheKey() string { return "" }

// TestAuthorizerIgnoresContext: a request returns in its time even if its Authorizer does not
// return, and later actions of the Authorizer change no request.
func TestAuthorizerIgnoresContext(t *testing.T) {
	for _, test := range []struct {
		name string
		auth func(release chan struct{}) mcphttpclient.Authorizer
		sent int32
	}{
		{"Authorize", func(release chan struct{}) mcphttpclient.Authorizer {
			return &scriptedAuth{authorize: func(r *http.Request) error {
				<-release
				r.Header.Set("Authorization", "late")
				return nil
			}}
		}, 0},
		{"TokenFunc", func(release chan struct{}) mcphttpclient.Authorizer {
			return mcphttpclient.TokenFunc(func(context.Context) (string, error) { <-release; return "late", nil })
		}, 0},
		{"HandleChallenge", func(release chan struct{}) mcphttpclient.Authorizer {
			return &scriptedAuth{
				authorize: func(*http.Request) error { return nil },
				challenge: func(resp *http.Response) error {
					<-release
					_, _ = resp.Body.Read(make([]byte, 10))
					return nil
				},
			}
		}, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				release := make(chan struct{})
				var sent atomic.Int32
				c := requester(t, mcphttpclient.Endpoint{
					URL: "http://127.0.0.1/mcp", Auth: test.auth(release),
					Client: &http.Client{Transport: roundTripper(func(*http.Request) (*http.Response, error) {
						sent.Add(1)
						w := httptest.NewRecorder()
						w.WriteHeader(http.StatusUnauthorized)
						_, _ = w.WriteString(strings.Repeat("log in ", 1000))
						return w.Result(), nil
					})},
				}, nil)
				why := errors.New("the time of the request is over")
				ctx, cancel := context.WithTimeoutCause(t.Context(), time.Second, why)
				defer cancel()
				begin := time.Now()
				_, err := sendRequest(ctx, c, &dial.Message{Method: "tools/list", Revision: perRequest})
				if took := time.Since(begin); !errors.Is(err, why) || took != time.Second {
					t.Errorf("%v after %v, want the cause after a second", err, took)
				}
				close(release)
				synctest.Wait()
				if n := sent.Load(); n != test.sent {
					t.Errorf("%d requests were sent, want %d", n, test.sent)
				}
			})
		})
	}
}

// TestAuthorizerFails: a method that fails, panics or exits its goroutine fails the request with an
// error that names it, and nothing is sent.
func TestAuthorizerFails(t *testing.T) {
	errNoToken := errors.New("the keyring is locked")
	for _, test := range []struct {
		name string
		auth mcphttpclient.Authorizer
		want string
	}{
		{"error", mcphttpclient.TokenFunc(func(context.Context) (string, error) { return "", errNoToken }), "get credentials: the keyring is locked"},
		{"panic", mcphttpclient.TokenFunc(func(context.Context) (string, error) { panic("no token") }), "Authorize of Endpoint.Auth has failed: "},
		{"Goexit", mcphttpclient.TokenFunc(func(context.Context) (string, error) { runtime.Goexit(); return "", nil }), "runtime.Goexit called"},
		{"another host", &scriptedAuth{authorize: func(r *http.Request) error { r.URL.Host = "127.0.0.2:1"; return nil }}, "changed the host"},
		{"another scheme", &scriptedAuth{authorize: func(r *http.Request) error { r.URL.Scheme = "https"; return nil }}, "changed the host"},
	} {
		t.Run(test.name, func(t *testing.T) {
			var sent atomic.Int32
			c := requester(t, mcphttpclient.Endpoint{Auth: test.auth}, func(http.ResponseWriter, *http.Request) { sent.Add(1) })
			_, err := sendRequest(t.Context(), c, &dial.Message{Method: "tools/list", Revision: perRequest})
			failed, ok := errors.AsType[*dial.Error](err)
			if !ok || failed.Sent || !strings.Contains(err.Error(), test.want) || sent.Load() != 0 {
				t.Errorf("%v, %d requests, want %q", err, sent.Load(), test.want)
			}
			if test.name == "error" && !errors.Is(err, errNoToken) {
				t.Errorf("%v is not the error of the function", err)
			}
		})
	}
}
