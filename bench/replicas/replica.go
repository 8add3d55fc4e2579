package main

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcphttp"
	"github.com/mcpgen/mcpgen/runtime/mcpnats"
	"github.com/mcpgen/mcpgen/runtime/mcprate"
	"github.com/mcpgen/mcpgen/runtime/mcptask"
)

// replicaConfig configures a replica.
type replicaConfig struct {
	Name    string
	Listen  string
	NATS    []string // addresses of clients; none for a server alone, without a cluster
	Effects string   // the file to which handlers append what they do
	Copies  int      // of what lasts; 0 for the default
	Without []string // what a server alone does not share; see bench
}

// clusterSecret encrypts the state keys.
const clusterSecret = "a secret of the replicas, for tests alone"

const (
	drainTime = 500 * time.Millisecond // from the signal until requests are refused: the balancer asks more often
	endTime   = 20 * time.Second       // for requests in progress
)

// serveReplica serves until a signal, and then ends gracefully.
func serveReplica(c replicaConfig) error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	log := slog.New(slog.NewTextHandler(os.Stderr, nil))
	effects, err := os.OpenFile(c.Effects, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer effects.Close()
	nc, err := nats.Connect("nats://"+strings.Join(c.NATS, ",nats://"), nats.MaxReconnects(-1), nats.RetryOnFailedConnect(true))
	if err != nil {
		return err
	}
	defer nc.Close()
	opening, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	cluster, err := mcpnats.Open(opening, nc, "test", mcpnats.WithSecret([]byte(clusterSecret)), mcpnats.WithReplicas(c.Copies))
	if err != nil {
		return err
	}
	s := mcp.NewServer(mcp.ServerInfo{Name: "replicas", Version: "1"}, append(cluster.Options(), mcp.WithLogger(log),
		mcp.WithInterceptors(limit(mcprate.WithStore(cluster.RateLimiter()))),
		mcptask.WithStore(cluster.Tasks(), mcptask.WithConcurrency(32), mcptask.WithLimits(mcptask.Limits{Active: 10_000, MaxAttempts: 100})))...)
	(&tools{replica: c.Name, effects: effects, server: s}).register()
	h := mcphttp.NewHandler(s, append(cluster.HTTPOptions(), mcphttp.WithLogger(log))...)

	var draining atomic.Bool
	mux := http.NewServeMux()
	mux.Handle("/mcp", h)
	mux.HandleFunc("/serving", func(w http.ResponseWriter, _ *http.Request) {
		if draining.Load() {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	})
	mux.HandleFunc("/ready", func(w http.ResponseWriter, r *http.Request) {
		if err := cluster.Ready(r.Context()); err != nil {
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
		}
	})
	l, err := net.Listen("tcp", c.Listen)
	if err != nil {
		return err
	}
	web := &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	served := make(chan error, 1)
	go func() { served <- web.Serve(l) }()
	select {
	case err := <-served:
		return err
	case <-ctx.Done():
	}
	draining.Store(true)
	time.Sleep(drainTime)
	ending, cancel := context.WithTimeout(context.Background(), endTime)
	defer cancel()
	return errors.Join(h.Shutdown(ending), web.Shutdown(ending), mcptask.Shutdown(ending, s), cluster.Close(ending))
}

// The limit of the tool limited, for all callers together.
const (
	limitRate  = 50 // a second
	limitBurst = 40
)

// limit returns the interceptor that limits the tool.
func limit(options ...mcprate.Option) mcp.Interceptor {
	return mcprate.New(append(options, mcprate.WithToolLimit("limited", limitRate, limitBurst),
		mcprate.WithCaller(func(context.Context, *mcp.Request) string { return "all" }))...)
}
