// Package embedded runs a NATS server with JetStream inside a program: a single server, or the
// servers of several replicas as a cluster. Programs with a NATS server elsewhere do not need it.
//
// Clients connect within the process ([Server.Connect]). The server also listens on a loopback
// address, with a random password, since it would not open routes to other servers otherwise.
package embedded

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
)

// Options configures a server. Dir is required; the other fields of the first group are for a
// cluster.
type Options struct {
	// Dir is the storage directory of the server. Two servers must not share it.
	Dir string
	// SyncAlways syncs each write to the disk before it is acknowledged, for data that must survive
	// a power cut of all servers at once. Otherwise the server syncs every two minutes.
	SyncAlways bool
	// MaxMemory and MaxStore limit the bytes that the server stores in memory and in files. Zero
	// means the defaults of JetStream for the machine.
	MaxMemory, MaxStore int64

	// Name is the name of this server in its cluster. It must not change in a restart.
	Name string
	// Cluster is the name of the cluster; "" for a single server.
	Cluster string
	// Listen is the address for routes from other servers, such as "10.0.0.1:6222".
	Listen string
	// Peers are the route addresses of the cluster's servers; they may include this server. A
	// cluster of three continues after the loss of one.
	Peers []string
	// Secret is shared by the servers of a cluster, at least 16 bytes. It is sent in plain text
	// unless TLS is set.
	Secret string
	// TLS is the configuration for routes, in both directions. May be nil.
	TLS *tls.Config

	// Logger gets errors and warnings of the server, and its notices at level debug. The default is
	// slog.Default.
	Logger *slog.Logger
}

// check returns an error if the options are invalid.
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
	case o.Cluster != "" && !slices.ContainsFunc(o.Peers, func(peer string) bool { return peer != o.Listen }):
		return errors.New("embedded: a cluster needs the address of another server in Peers")
	}
	return nil
}

// Server is a running server. Its methods are safe for concurrent use. If it can no longer write,
// for instance because the disk is full, it restarts by itself as soon as it can: see
// [Server.Ready].
type Server struct {
	options  server.Options
	dir      string
	user     string
	password string
	log      *logger

	mu       sync.Mutex
	server   *server.Server // the running server, or the one that is being replaced
	failed   string         // its log line about a failed write
	disabled error          // the reason for the next restart; nil while it runs
	stop     chan struct{}  // closed by Close
	stopped  bool
	watching sync.WaitGroup
}

// routeUser is the user name for the cluster's secret.
const routeUser = "routes"

// startTime limits the time until a server accepts clients.
const startTime = 30 * time.Second

// Start starts a server. When it returns, clients can connect; JetStream of a cluster responds when
// the majority of its servers has started. Start returns an error if Dir is not writable or Listen
// is in use.
func Start(o Options) (*Server, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	s := &Server{dir: o.Dir, user: "local", password: rand.Text(), stop: make(chan struct{})}
	s.log = newLogger(o.Logger, s.writeFailed, o.Secret, s.password)
	s.options = server.Options{
		ServerName: o.Name, Host: "127.0.0.1", Port: server.RANDOM_PORT, Username: s.user, Password: s.password,
		JetStream: true, StoreDir: o.Dir, SyncAlways: o.SyncAlways, NoSigs: true,
		JetStreamMaxMemory: o.MaxMemory, JetStreamMaxStore: o.MaxStore,
		LameDuckGracePeriod: time.Millisecond, LameDuckDuration: time.Second,
		ReconnectErrorReports: 60, // of one attempt per second, while another server is down
	}
	if o.Cluster != "" {
		host, port, err := splitAddress(o.Listen)
		if err != nil {
			return nil, err
		}
		s.options.Cluster = server.ClusterOpts{Name: o.Cluster, Host: host, Port: port, Username: routeUser, Password: o.Secret, TLSConfig: o.TLS}
		for _, peer := range o.Peers {
			if _, _, err := splitAddress(peer); err != nil {
				return nil, err
			}
			if peer != o.Listen {
				s.options.Routes = append(s.options.Routes, &url.URL{Scheme: "nats-route", User: url.UserPassword(routeUser, o.Secret), Host: peer})
			}
		}
	}
	if err := tryDir(o.Dir, 1); err != nil {
		return nil, fmt.Errorf("embedded: Options.Dir cannot be used: %w", err)
	}
	var err error
	if s.server, err = s.startOne(); err != nil {
		return nil, err
	}
	s.watching.Go(s.watch)
	return s, nil
}

// startOne starts a server with the options.
func (s *Server) startOne() (*server.Server, error) {
	options := s.options.Clone() // the server modifies them
	one, err := server.NewServer(options)
	if err != nil {
		return nil, fmt.Errorf("embedded: %w", err)
	}
	fatal := make(chan string, 1)
	one.SetLoggerV2(&starting{s.log, fatal}, false, false, false)
	ready := make(chan bool, 1)
	go func() {
		one.Start()
		ready <- one.ReadyForConnections(startTime)
	}()
	var reason string
	select {
	case reason = <-fatal:
	case ok := <-ready:
		select {
		case reason = <-fatal:
		default:
			if ok {
				return one, nil
			}
			reason = fmt.Sprintf("not ready after %s", startTime)
		}
	}
	one.Shutdown()
	one.WaitForShutdown()
	return nil, fmt.Errorf("embedded: the server of the directory %s does not start: %s", s.dir, reason)
}

// splitAddress splits a route address.
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

// Connect returns a connection within the process. It reconnects forever, even to a restarted
// server, until it is closed.
func (s *Server) Connect(options ...nats.Option) (*nats.Conn, error) {
	own := []nats.Option{nats.InProcessServer(inProcess{s}), nats.UserInfo(s.user, s.password), nats.MaxReconnects(-1)}
	nc, err := nats.Connect("", append(own, options...)...)
	if err != nil {
		return nil, fmt.Errorf("embedded: %w", err)
	}
	return nc, nil
}

// inProcess connects to the running server.
type inProcess struct{ *Server }

// InProcessConn implements [nats.InProcessConnProvider].
func (s inProcess) InProcessConn() (net.Conn, error) { return s.current().InProcessConn() }

// current returns the running server.
func (s *Server) current() *server.Server {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.server
}

// Close stops the server. In a cluster, it first transfers its leaderships to the other servers,
// which may take a second; then it closes its connections within another second. If ctx is done
// first, Close returns the cause, and the server stops later.
func (s *Server) Close(ctx context.Context) error {
	s.mu.Lock()
	if !s.stopped {
		s.stopped = true
		close(s.stop)
	}
	s.mu.Unlock()
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		s.watching.Wait()
		// Shutdown alone steps down and stops at once. If the other servers are slow, the transfer
		// is lost, and they elect leaders, which takes seconds. LameDuckShutdown waits for a second
		// in between. It returns at once if Close was called before: then Shutdown ends the wait.
		one := s.current()
		one.LameDuckShutdown()
		one.Shutdown()
		one.WaitForShutdown()
	}()
	select {
	case <-stopped:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
