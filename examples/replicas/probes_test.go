package main

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"
)

func TestProbes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		var state error
		checks := 0
		p := &probes{ctx: ctx, check: func(context.Context) error { checks++; return state }}
		handler := p.wrap(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) }))
		get := func(path string, want int) *httptest.ResponseRecorder {
			t.Helper()
			w := httptest.NewRecorder()
			handler.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
			if w.Code != want {
				t.Errorf("%s: status %d, want %d", path, w.Code, want)
			}
			return w
		}
		for range 5 { // one check per second, however many requests come
			get(readyPath, http.StatusOK)
		}
		if checks != 1 {
			t.Errorf("%d checks", checks)
		}
		if w := get("/mcp", http.StatusTeapot); w.Header().Get("Connection") != "" {
			t.Error("connections are closed while the replica serves")
		}
		state = errors.New("JetStream has no leader")
		for range int(probePatience/probePause) - 1 {
			time.Sleep(probePause)
			get(readyPath, http.StatusOK)
		}
		time.Sleep(probePause)
		get(readyPath, http.StatusServiceUnavailable)
		get(livePath, http.StatusOK)
		state = nil
		time.Sleep(probePause)
		get(readyPath, http.StatusOK)
		cancel()
		get(readyPath, http.StatusServiceUnavailable)
		get(livePath, http.StatusOK)
		if w := get("/mcp", http.StatusTeapot); w.Header().Get("Connection") != "close" {
			t.Error("a client goes on with its connection to a replica that stops")
		}
	})
}

// A replica that was never ready gets no patience.
func TestProbeBeforeReady(t *testing.T) {
	p := &probes{ctx: t.Context(), check: func(context.Context) error { return errors.New("no leader yet") }}
	if err := p.ready(t.Context()); err == nil {
		t.Error("it is ready")
	}
}

// A request whose client disconnected does not make the replica unready for others.
func TestProbeOfClientThatHasGone(t *testing.T) {
	p := &probes{ctx: t.Context(), check: func(ctx context.Context) error { return ctx.Err() }}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if err := p.ready(gone); err != nil {
		t.Error(err)
	}
}
