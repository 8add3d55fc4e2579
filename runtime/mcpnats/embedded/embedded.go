// Package embedded is a NATS server with JetStream inside a program: one alone, or those of several
// replicas as a cluster. Programs that have a NATS server elsewhere do not need it.
//
// Clients are in the process ([Server.Connect]). The server listens on a loopback address too, with a
// random password, since it opens no routes to other servers otherwise.
package embedded

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strconv"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
)

// Options are those of a server. Dir is required; the rest of the first group is for a cluster.
type Options struct {
	// Dir is the directory of what the server stores. Two servers must not have the same.
	Dir string
	// SyncAlways has each write reach the disk before it is acknowledged, for what must survive a power
	// cut of all servers at once. Otherwise the server syncs every two minutes.
	SyncAlways bool
	// MaxMemory and MaxStore are how many bytes the server stores in memory and in files. Zero means what
	// JetStream chooses by the machine.
	MaxMemory, MaxStore int64

	// Name is the name of this server in its cluster. It must stay the same over restarts.
	Name string
	// Cluster is the name of the cluster; "" for a server alone.
	Cluster string
	// Listen is the address for routes of other servers, such as "10.0.0.1:6222".
	Listen string
	// Peers are the addresses for routes of the servers of the cluster; this one may be among them. A cluster
	// of three goes on when one of them is lost.
	Peers []string
	// Secret is common to the servers of a cluster, at least 16 bytes. It is sent in plain text unless TLS is set.
	Secret string
	// TLS is for routes, in both directions. May be nil.
	TLS *tls.Config
}

// check returns the error of options that cannot be used.
func (o *Options) check() error {
	switch {
	case o.Dir == "":
		return errors.New("embedded: Options.Dir is empty")
	case o.Cluster == "" && (o.Listen != "" || len(o.Peers) > 0):
		return errors.New("embedded: Options.Listen and Peers need the name of a Cluster")
	case o.Cluster != "" && o.Name == "":
		return errors.New("embedded: a server of a cluster needs a Name")
	case o.Cluster != "" && o.Listen == "":
		return errors.New("embedded: a server of a cluster needs the address Listen for routes")
	case o.Cluster != "" && len(o.Secret) < 16:
		return errors.New("embedded: a cluster needs a Secret of at least 16 bytes")
	}
	return nil
}

// Server is a running server. Its methods may be called by many goroutines.
type Server struct {
	server         *server.Server
	user, password string
}

// routeUser is the name with the secret of a cluster.
const routeUser = "routes"

// startTime is for how long a server may take until it accepts clients.
const startTime = 30 * time.Second

// Start starts a server. When it returns, clients can connect; JetStream of a cluster answers when more than half
// of its servers have started.
func Start(o Options) (*Server, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	s := &Server{user: "local", password: rand.Text()}
	c := &server.Options{
		ServerName: o.Name, Host: "127.0.0.1", Port: server.RANDOM_PORT, Username: s.user, Password: s.password,
		JetStream: true, StoreDir: o.Dir, SyncAlways: o.SyncAlways, NoSigs: true, NoLog: true,
		JetStreamMaxMemory: o.MaxMemory, JetStreamMaxStore: o.MaxStore,
		LameDuckGracePeriod: time.Millisecond, LameDuckDuration: time.Second,
	}
	if o.Cluster != "" {
		host, port, err := splitAddress(o.Listen)
		if err != nil {
			return nil, err
		}
		c.Cluster = server.ClusterOpts{Name: o.Cluster, Host: host, Port: port, Username: routeUser, Password: o.Secret, TLSConfig: o.TLS}
		for _, peer := range o.Peers {
			if _, _, err := splitAddress(peer); err != nil {
				return nil, err
			}
			if peer != o.Listen {
				c.Routes = append(c.Routes, &url.URL{Scheme: "nats-route", User: url.UserPassword(routeUser, o.Secret), Host: peer})
			}
		}
	}
	var err error
	if s.server, err = server.NewServer(c); err != nil {
		return nil, fmt.Errorf("embedded: %w", err)
	}
	s.server.Start()
	if !s.server.ReadyForConnections(startTime) {
		s.server.Shutdown()
		s.server.WaitForShutdown()
		return nil, fmt.Errorf("embedded: the server is not ready after %s: is the directory %s or the address %s in use?", startTime, o.Dir, o.Listen)
	}
	return s, nil
}

// splitAddress splits an address of routes.
func splitAddress(address string) (host string, port int, err error) {
	host, text, err := net.SplitHostPort(address)
	if err == nil {
		port, err = strconv.Atoi(text)
	}
	if err != nil || port < 1 || port > 1<<16-1 || host == "" {
		return "", 0, fmt.Errorf("embedded: %q is not an address such as 10.0.0.1:6222", address)
	}
	return host, port, nil
}

// Connect returns a connection within the process. It connects again for ever, and so lives until it is closed.
func (s *Server) Connect(options ...nats.Option) (*nats.Conn, error) {
	own := []nats.Option{nats.InProcessServer(s.server), nats.UserInfo(s.user, s.password), nats.MaxReconnects(-1)}
	nc, err := nats.Connect("", append(own, options...)...)
	if err != nil {
		return nil, fmt.Errorf("embedded: %w", err)
	}
	return nc, nil
}

// Close stops the server. What it leads in a cluster goes to the others first, for which they have a second; connections to
// it are closed within another one. If ctx ends before, Close returns the cause, and the server stops later.
func (s *Server) Close(ctx context.Context) error {
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		// Shutdown alone steps down and stops at once. Where the others are slow, the transfer is lost, and they
		// elect leaders, which takes seconds. LameDuckShutdown waits a second in between. It returns at once if
		// Close was called before: then Shutdown ends the wait.
		s.server.LameDuckShutdown()
		s.server.Shutdown()
		s.server.WaitForShutdown()
	}()
	select {
	case <-stopped:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
