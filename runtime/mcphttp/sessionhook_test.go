package mcphttp_test

import (
	"context"
	"encoding/json"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcphttp"
)

// Without sessions there is no hook, and calls have no session, whatever their revision.
func TestSessionHookWithoutSessions(t *testing.T) {
	began := mcp.WithSessionHook(func(_ context.Context, info mcp.SessionInfo) func() {
		t.Errorf("session %+v", info)
		return nil
	})
	serve(t, setup{server: []mcp.Option{began}, handler: []mcphttp.Option{mcphttp.WithoutSessions()}}, func(t *testing.T, s *testServer) {
		s.tool("session", "", func(ctx context.Context, _ json.RawMessage) (*mcp.ToolResult, error) {
			if c := mcp.CallFrom(ctx); c.Session() != "" || c.Transport() != "http" {
				t.Errorf("session %q over %q", c.Session(), c.Transport())
			}
			return mcp.TextResult("done"), nil
		})
		for range 2 {
			s.do(postBody(initialize(revisionD))).wantResult(`"init"`)
			s.do(postBody(call("session", "{}").legacy())).wantResult("1")
			s.do(call("session", "{}").post()).wantResult("1")
		}
	})
}

// Shutdown waits for the ends of sessions, including sessions that were closed before, until its
// context is cancelled.
func TestShutdownWaitsForSessionHooks(t *testing.T) {
	for _, late := range []bool{false, true} {
		var ended atomic.Int32
		slow := mcp.WithSessionHook(func(context.Context, mcp.SessionInfo) func() {
			return func() { time.Sleep(20 * time.Second); ended.Add(1) }
		})
		serve(t, setup{server: []mcp.Option{slow}}, func(t *testing.T, s *testServer) {
			deleted, open := s.open(revisionD), s.open(revisionD)
			s.do(deleted.withSession(request{method: "DELETE"}))
			synctest.Wait()
			ctx, stop := context.WithTimeout(t.Context(), time.Minute)
			if late {
				ctx, stop = context.WithTimeout(t.Context(), 10*time.Second)
			}
			defer stop()
			began := time.Now()
			err := s.handler.Shutdown(ctx)
			switch took := time.Since(began); {
			case late:
				if !errors.Is(err, context.DeadlineExceeded) || took != 10*time.Second {
					t.Errorf("Shutdown returns %v after %v", err, took)
				}
			case err != nil || took < 20*time.Second || ended.Load() != 2:
				t.Errorf("Shutdown returns %v after %v, with %d of 2 sessions ended", err, took, ended.Load())
			}
			_ = open
			time.Sleep(time.Minute)
			if ended.Load() != 2 {
				t.Errorf("%d of 2 sessions have ended", ended.Load())
			}
		})
	}
}

// Shutdown does not wait for the ends of sessions of other transports.
func TestShutdownWaitsForItsOwnSessions(t *testing.T) {
	slow := mcp.WithSessionHook(func(context.Context, mcp.SessionInfo) func() {
		return func() { time.Sleep(20 * time.Second) }
	})
	serve(t, setup{server: []mcp.Option{slow}}, func(t *testing.T, s *testServer) {
		client, wait := s.Server.Connect(t.Context())
		if err := client.Write([]byte(initialize(revisionD) + "\n")); err != nil {
			t.Fatal(err)
		}
		if _, err := client.Read(); err != nil {
			t.Fatal(err)
		}
		_ = client.Close()
		synctest.Wait()
		began := time.Now()
		if err := s.handler.Shutdown(t.Context()); err != nil || time.Since(began) != 0 {
			t.Errorf("Shutdown returns %v after %v", err, time.Since(began))
		}
		_ = wait()
		if took := time.Since(began); took < time.Second {
			t.Errorf("Serve has returned after %v", took)
		}
		time.Sleep(time.Minute)
	})
}
