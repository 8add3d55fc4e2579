package main

import (
	"context"
	"log/slog"
	"net/http"
	"sync"
	"time"
)

// Paths of the probes. They need no credentials.
const (
	livePath  = "/healthz"
	readyPath = "/readyz"
)

const (
	// probeTime limits the time for one check: it is less than the timeout of a probe.
	probeTime = 2 * time.Second
	// probePause is the time for which a result is valid, since any client can send such requests.
	probePause = time.Second
	// probePatience is the time for which a replica that was ready stays ready while NATS does not
	// answer, because a leader is being elected. Requests wait for the election, too, and the other
	// replicas could not serve more of them.
	probePatience = retryTime
)

// probes answers health checks, and makes clients open new connections while the replica stops.
type probes struct {
	ctx   context.Context                 // cancelled when the replica must stop
	check func(ctx context.Context) error // returns an error if it cannot serve

	mu            sync.Mutex
	checked, well time.Time // times of the last check, and of the last success
	err           error
}

// wrap adds the paths of the probes to a handler.
func (p *probes) wrap(next http.Handler) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if p.ctx.Err() != nil {
			// By now a balancer sends new connections elsewhere, but requests on open connections
			// would still come here.
			w.Header().Set("Connection", "close")
		}
		next.ServeHTTP(w, r)
	}))
	// Liveness does not depend on NATS: a restart would not bring back missing servers, and the
	// server inside restarts by itself after a full disk.
	mux.HandleFunc("GET "+livePath, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("live\n")) })
	mux.HandleFunc("GET "+readyPath, func(w http.ResponseWriter, r *http.Request) {
		switch {
		case p.ctx.Err() != nil:
			http.Error(w, "stopping", http.StatusServiceUnavailable)
		case p.ready(r.Context()) != nil:
			http.Error(w, "not ready", http.StatusServiceUnavailable)
		default:
			_, _ = w.Write([]byte("ready\n"))
		}
	})
	return mux
}

// ready checks whether the replica can serve, at most once in probePause.
func (p *probes) ready(ctx context.Context) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.checked.IsZero() && time.Since(p.checked) < probePause {
		return p.err
	}
	// A client that disconnects must not cause errors for other clients.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), probeTime)
	defer cancel()
	before, err := p.err, p.check(ctx)
	p.checked = time.Now()
	switch {
	case err == nil:
		p.well = p.checked
	case !p.well.IsZero() && time.Since(p.well) < probePatience:
		slog.Warn("the replica is not ready, and stays in service for now", "error", err)
		err = nil
	}
	p.err = err
	switch {
	case err != nil && before == nil:
		slog.Warn("the replica is not ready", "error", err)
	case err == nil && before != nil:
		slog.Info("the replica is ready again")
	}
	return err
}
