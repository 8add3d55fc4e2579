package mcpclient_test

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/runtime/mcpclient"
)

// TestWantedRevisionIsSlow uses a server that replies to the probe after five seconds. With a given
// revision the client has no other one to try, so the reply may take until ConnectTime.
func TestWantedRevisionIsSlow(t *testing.T) {
	for _, c := range []struct {
		name    string
		after   time.Duration // of the reply
		limits  mcpclient.Limits
		took    time.Duration
		failure error
	}{
		{"a reply after five seconds", 20 * time.Second, mcpclient.Limits{}, 20 * time.Second, nil},
		{"no reply within ConnectTime", time.Hour, mcpclient.Limits{}, 30 * time.Second, mcpclient.ErrTimeout},
		{"another ConnectTime", time.Hour, mcpclient.Limits{ConnectTime: time.Minute / 2 * 3, RequestTime: time.Hour}, 90 * time.Second, mcpclient.ErrTimeout},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				answer := modern(func(int, message) []string { return nil })
				s := &scripted{t: t, handle: func(conn int, m message) []string {
					time.Sleep(c.after)
					return answer(conn, m)
				}}
				begin := time.Now()
				client, err := mcpclient.Connect(t.Context(), mcpclient.Dialer(t.Name(), s.dial), mcpclient.Options{
					Revision: "2026-07-28", Limits: c.limits,
				})
				if !errors.Is(err, c.failure) || time.Since(begin) != c.took {
					t.Errorf("Connect: %v after %v, want %v after %v", err, time.Since(begin), c.failure, c.took)
				}
				if len(s.conns) != 1 {
					t.Errorf("%d connections", len(s.conns))
				}
				if client != nil {
					if err := client.Close(); err != nil {
						t.Error(err)
					}
				}
				s.serving.Wait()
			})
		})
	}
}
