package mcpclient_test

import (
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/runtime/mcpclient"
)

// TestVanishedServer simulates a network that suddenly loses everything without a sign. The client
// sends a ping after a request that times out; its reply does not arrive either, so the next
// request gets a new connection.
func TestVanishedServer(t *testing.T) {
	for name, serve := range map[string]func(func(int, message) []string) func(int, message) []string{"modern": modern, "legacy": legacy} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var gone atomic.Bool
				answer := serve(func(_ int, m message) []string { return []string{m.reply(okResult)} })
				s := &scripted{handle: func(conn int, m message) []string {
					if gone.Load() && conn == 1 {
						return nil
					}
					return answer(conn, m)
				}}
				lost := make(chan time.Time, 1)
				c := connect(t, s, mcpclient.Options{OnState: func(state mcpclient.State) {
					if state.Kind == mcpclient.Lost {
						lost <- time.Now()
					}
				}})
				gone.Store(true)
				start := time.Now()
				if _, err := c.Call(t.Context(), "x", nil); !errors.Is(err, mcpclient.ErrTimeout) {
					t.Errorf("the call: %v", err)
				}
				errs := make(chan error, 1)
				go func() {
					_, err := c.Call(t.Context(), "x", nil, mcpclient.WithTimeout(time.Hour))
					errs <- err
				}()
				if after := (<-lost).Sub(start); after != 2*time.Minute {
					t.Errorf("the connection was lost after %v", after)
				}
				if e := errorAs[*mcpclient.ConnectionError](t, <-errs); !e.Sent {
					t.Errorf("the call in flight: %v", e)
				}
				if _, err := c.Call(t.Context(), "x", nil); err != nil || len(s.conns) != 2 {
					t.Errorf("the next call: %v, %d connections", err, len(s.conns))
				}
			})
		})
	}
}

// TestSilentRequests uses a server that replies to everything but calls: its connection stays, even
// if a call waits long after the ping.
func TestSilentRequests(t *testing.T) {
	for name, serve := range map[string]func(func(int, message) []string) func(int, message) []string{"modern": modern, "legacy": legacy} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var v violations
				s := &scripted{handle: serve(func(_ int, m message) []string {
					if m.Method == "tools/call" || m.Method == "notifications/cancelled" {
						return nil
					}
					return []string{m.reply(`{}`)}
				})}
				c := connect(t, s, mcpclient.Options{OnProtocolError: v.add})
				for range 5 {
					if _, err := c.Call(t.Context(), "x", nil); !errors.Is(err, mcpclient.ErrTimeout) {
						t.Errorf("the call: %v", err)
					}
				}
				time.Sleep(time.Hour)
				if len(s.conns) != 1 || len(v.texts()) != 0 {
					t.Errorf("%d connections, %q", len(s.conns), v.texts())
				}
			})
		})
	}
}
