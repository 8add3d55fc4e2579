package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"runtime"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcphttp"
	"github.com/mcpgen/mcpgen/runtime/mcpnats"
	"github.com/mcpgen/mcpgen/runtime/mcprate"
	"github.com/mcpgen/mcpgen/runtime/mcpsqlite"
	"github.com/mcpgen/mcpgen/runtime/mcptask"
)

// replicaConfig configures a replica.
type replicaConfig struct {
	Name    string
	Listen  string
	NATS    []string // of clients; none for a server without a cluster
	Effects string   // the file to which handlers append their effects, or ""
	SQLite  string   // the file of tasks of a server without a cluster; "" means memory
}

// clusterSecret encrypts the state keys.
const clusterSecret = "a secret of the replicas, for tests alone"

const (
	drainTime = 500 * time.Millisecond // from the signal until requests are refused: the balancer probes more often
	endTime   = 20 * time.Second       // for requests in progress
)

// shared contains the state that a replica shares through a cluster, or its local replacement.
type shared struct {
	server []mcp.Option
	http   []mcphttp.Option
	rates  []mcprate.Option
	tasks  mcptask.Store
	ready  func(context.Context) error
	close  func(context.Context) error
}

// alone returns the local state of a server without a cluster.
func alone(c replicaConfig) (*shared, error) {
	none := func(context.Context) error { return nil }
	s := &shared{tasks: mcptask.NewMemory(), ready: none, close: none}
	if c.SQLite == "" {
		return s, nil
	}
	store, err := mcpsqlite.Open(c.SQLite)
	s.tasks = store
	return s, err
}

// join joins the cluster.
func join(ctx context.Context, c replicaConfig, log *slog.Logger) (*shared, error) {
	nc, err := nats.Connect("nats://"+strings.Join(c.NATS, ",nats://"), nats.MaxReconnects(-1), nats.RetryOnFailedConnect(true))
	if err != nil {
		return nil, err
	}
	opening, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	cluster, err := mcpnats.Open(opening, nc, "test", mcpnats.WithSecret([]byte(clusterSecret)), mcpnats.WithLogger(log))
	if err != nil {
		return nil, err
	}
	return &shared{
		server: cluster.Options(), http: cluster.HTTPOptions(), rates: []mcprate.Option{mcprate.WithStore(cluster.RateLimiter())},
		tasks: cluster.Tasks(), ready: cluster.Ready,
		close: func(ctx context.Context) error {
			defer nc.Close()
			return cluster.Close(ctx)
		},
	}, nil
}

// serveReplica serves until a signal, and then shuts down gracefully.
func serveReplica(c replicaConfig) error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	log := slog.New(slog.NewTextHandler(os.Stderr, nil))
	var has *shared
	var err error
	if len(c.NATS) > 0 {
		has, err = join(ctx, c, log)
	} else {
		has, err = alone(c)
	}
	if err != nil {
		return err
	}
	effects := io.Discard
	if c.Effects != "" {
		file, err := os.OpenFile(c.Effects, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			return err
		}
		defer file.Close()
		effects = file
	}
	s := mcp.NewServer(mcp.ServerInfo{Name: "replicas", Version: "1"}, append(has.server, mcp.WithLogger(log),
		mcp.WithLimits(mcp.Limits{LogRate: 1_000_000}), mcp.WithInterceptors(limit(has.rates...)),
		mcptask.WithStore(has.tasks, mcptask.WithConcurrency(32), mcptask.WithLimits(mcptask.Limits{Active: 10_000, MaxAttempts: 100})))...)
	(&tools{replica: c.Name, effects: effects, server: s}).register()
	h := mcphttp.NewHandler(s, has.http...)

	var draining atomic.Bool
	mux := http.NewServeMux()
	mux.Handle("/mcp", h)
	mux.HandleFunc("/serving", func(w http.ResponseWriter, _ *http.Request) {
		if draining.Load() {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	})
	mux.HandleFunc("/ready", func(w http.ResponseWriter, r *http.Request) {
		if err := has.ready(r.Context()); err != nil {
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
		}
	})
	mux.HandleFunc("/heap", func(w http.ResponseWriter, _ *http.Request) {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		fmt.Fprint(w, m.HeapAlloc)
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
	return errors.Join(h.Shutdown(ending), web.Shutdown(ending), mcptask.Shutdown(ending, s), has.close(ending))
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
