package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpcmd"
	"github.com/mcpgen/mcpgen/runtime/mcpnats"
	"github.com/mcpgen/mcpgen/runtime/mcpnats/embedded"
	"github.com/mcpgen/mcpgen/runtime/mcprate"
	"github.com/mcpgen/mcpgen/runtime/mcptask"
)

// clusterName is the name that the replicas share. It is part of NATS subjects and streams.
const clusterName = "shop"

const (
	// startTime limits the time that a replica waits for NATS, and for the other replicas.
	startTime = 2 * time.Minute
	// drainTime limits the time for running calls after the replica stopped accepting new ones.
	drainTime = 10 * time.Second
	// closeTime limits the time for closing the connection to NATS, or the server inside.
	closeTime = 5 * time.Second
)

// stopTime limits the time for stopping a replica, after -stop-delay. Two seconds are for
// connections.
const stopTime = drainTime + 2*time.Second + closeTime

// replica is one process of the shop.
type replica struct {
	server  *embedded.Server // nil if NATS is elsewhere
	conn    *nats.Conn
	streams jetstream.JetStream
	cluster *mcpnats.Cluster
	shop    *Shop
}

// serveReplica serves one replica until ctx is cancelled, and then for -stop-delay.
func serveReplica(ctx context.Context, c *config, stdout, _ io.Writer) error {
	r, err := startReplica(ctx, c)
	if r != nil {
		defer r.close()
	}
	if err != nil {
		if ctx.Err() != nil {
			return nil // stopped before it began
		}
		return err
	}
	server := newServer(r.shop, append(r.cluster.Options(),
		mcp.WithLimits(mcp.Limits{DrainTime: drainTime}),
		mcptask.WithStore(r.cluster.Tasks()),
		mcp.WithInterceptors(mcprate.New(mcprate.WithStore(r.cluster.RateLimiter()), mcprate.WithRequestLimit(200, 400))),
	)...)
	p := &probes{ctx: ctx, check: r.ready}
	options := []mcpcmd.Option{c.serving, mcpcmd.WithHTTPOptions(r.cluster.HTTPOptions()...), mcpcmd.WithHandler(p.wrap)}
	if c.untilEOF {
		options = append(options, mcpcmd.WithReady(func(url string) { fmt.Fprintln(stdout, url) }))
	}
	later, cancel := delayed(ctx, c.stopDelay)
	defer cancel()
	return mcpcmd.Run(later, server, nil, options...)
}

// startReplica starts everything that a replica needs before it serves. The caller must close the
// replica even after an error, unless it is nil.
func startReplica(ctx context.Context, c *config) (*replica, error) {
	ctx, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	own := c.dir
	if c.routes != "" {
		own = "" // the others need the same secret
	}
	secret, err := c.secret(own)
	if err != nil {
		return nil, err
	}
	r := new(replica)
	if err := r.connect(ctx, c, secret); err != nil {
		return r, err
	}
	if r.streams, err = jetstream.New(r.conn); err != nil {
		return r, err
	}
	storeSecret, err := derive(secret, "store")
	if err != nil {
		return r, err
	}
	if r.cluster, err = mcpnats.Open(ctx, r.conn, clusterName, mcpnats.WithSecret([]byte(storeSecret))); err != nil {
		return r, err
	}
	stock, err := openStock(ctx, r.streams, r.conn.ConnectedClusterName() != "", c.copies)
	if err != nil {
		return r, err
	}
	r.shop = &Shop{stock: stock, supplierTime: c.supplierTime}
	return r, nil
}

// ready returns an error unless the replica can serve, and the next one may be replaced: if the
// NATS server inside has copies of streams, they must be current. Otherwise the loss of another
// server would leave only one current copy.
func (r *replica) ready(ctx context.Context) error {
	if r.server != nil {
		if err := r.server.Ready(); err != nil { // such as a full disk; the server restarts by itself
			return err
		}
	}
	if err := r.cluster.Ready(ctx); err != nil || r.server == nil {
		return err
	}
	own := r.conn.ConnectedServerName()
	all := r.streams.ListStreams(ctx)
	for s := range all.Info() {
		if s.Cluster == nil || s.Cluster.Leader == own {
			continue
		}
		for _, peer := range s.Cluster.Replicas {
			if peer.Name == own && !peer.Current {
				return fmt.Errorf("the copy of the stream %s is not current", s.Config.Name)
			}
		}
	}
	return all.Err()
}

// connect connects to NATS, and starts the server inside unless NATS is elsewhere.
func (r *replica) connect(ctx context.Context, c *config, secret []byte) (err error) {
	if c.natsURL != "" {
		r.conn, err = connectElsewhere(ctx, c)
		return err
	}
	o := embedded.Options{Dir: c.dir, SyncAlways: c.sync}
	if c.routes != "" {
		o.Name, o.Cluster, o.Listen, o.Peers = c.name, clusterName, c.routes, c.peerList()
		if o.Secret, err = derive(secret, "routes"); err != nil {
			return err
		}
		if o.TLS, err = routesTLS(c); err != nil {
			return err
		}
	}
	if r.server, err = embedded.Start(o); err != nil {
		return err
	}
	r.conn, err = r.server.Connect(nats.Name(c.name))
	return err
}

// connectElsewhere connects to the servers of -nats, and waits until one of them answers or ctx is
// cancelled.
func connectElsewhere(ctx context.Context, c *config) (*nats.Conn, error) {
	options := []nats.Option{nats.Name(c.name), nats.MaxReconnects(-1), nats.Timeout(5 * time.Second)}
	if c.natsUser != "" {
		// The file is read for each connection, so that a changed password needs no restart.
		options = append(options, nats.UserInfoHandler(func() (user, password string) {
			text, err := os.ReadFile(c.natsPassword)
			if err != nil {
				return c.natsUser, ""
			}
			return c.natsUser, strings.TrimSpace(string(text))
		}))
	}
	if c.natsJWT != "" {
		options = append(options, nats.UserCredentials(c.natsJWT))
	}
	for {
		nc, err := nats.Connect(c.natsURL, options...)
		if err == nil {
			return nc, nil
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("connect to %s: %w", c.natsURL, err)
		case <-time.After(time.Second):
		}
	}
}

// routesTLS returns the configuration for connections between the servers inside, or nil without
// certificates. Each side proves that the authority signed its certificate.
func routesTLS(c *config) (*tls.Config, error) {
	if c.routesCert == "" {
		return nil, nil
	}
	certificate, err := tls.LoadX509KeyPair(c.routesCert, c.routesKey)
	if err != nil {
		return nil, fmt.Errorf("read -routes-cert: %w", err)
	}
	authority, err := os.ReadFile(c.routesCA)
	if err != nil {
		return nil, fmt.Errorf("read -routes-ca: %w", err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(authority) {
		return nil, fmt.Errorf("read -routes-ca: %s has no certificate", c.routesCA)
	}
	return &tls.Config{
		Certificates: []tls.Certificate{certificate}, RootCAs: pool, ClientCAs: pool, ClientAuth: tls.RequireAndVerifyClientCert,
		MinVersion: tls.VersionTLS13,
	}, nil
}

// close closes everything that was started, within closeTime.
func (r *replica) close() {
	ctx, cancel := context.WithTimeout(context.Background(), closeTime)
	defer cancel()
	if r.cluster != nil {
		_ = r.cluster.Close(ctx)
	}
	if r.conn != nil {
		r.conn.Close()
	}
	if r.server != nil {
		_ = r.server.Close(ctx)
	}
}
