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

	// Logger is for errors and warnings of the server, and for what it notes, at level debug. The default is that of slog.
	Logger *slog.Logger
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
	case o.Cluster != "" && !slices.ContainsFunc(o.Peers, func(peer string) bool { return peer != o.Listen }):
		return errors.New("embedded: a cluster needs the address of another server in Peers")
	}
	return nil
}

// Server is a running server. Its methods may be called by many goroutines. Where it cannot write any more, as on a full
// disk, the server starts again by itself when it can: see [Server.Ready].
type Server struct {
	options  server.Options
	dir      string
	user     string
	password string
	log      *logger

	mu       sync.Mutex
	server   *server.Server // that runs, or is being replaced
	failed   string         // what it has logged when it could not write
	disabled error          // why it is to start again; nil if it runs
	stop     chan struct{}  // closed by Close
	stopped  bool
	watching sync.WaitGroup
}

// routeUser is the name with the secret of a cluster.
const routeUser = "routes"

// startTime is for how long a server may take until it accepts clients.
const startTime = 30 * time.Second

// Start starts a server. When it returns, clients can connect; JetStream of a cluster answers when more than half
// of its servers have started. The error says if Dir cannot be written, or Listen is in use.
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
		ReconnectErrorReports: 60, // of the attempts each second, while another server does not run
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
	options := s.options.Clone() // the server changes them
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

// Connect returns a connection within the process. It connects again for ever, also to a server that was started again, and so lives
// until it is closed.
func (s *Server) Connect(options ...nats.Option) (*nats.Conn, error) {
	own := []nats.Option{nats.InProcessServer(inProcess{s}), nats.UserInfo(s.user, s.password), nats.MaxReconnects(-1)}
	nc, err := nats.Connect("", append(own, options...)...)
	if err != nil {
		return nil, fmt.Errorf("embedded: %w", err)
	}
	return nc, nil
}

// inProcess connects to the server that runs.
type inProcess struct{ *Server }

// InProcessConn implements [nats.InProcessConnProvider].
func (s inProcess) InProcessConn() (net.Conn, error) { return s.current().InProcessConn() }

// current returns the server that runs.
func (s *Server) current() *server.Server {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.server
}

// Close stops the server. What it leads in a cluster goes to the others first, for which they have a second; connections to
// it are closed within another one. If ctx ends before, Close returns the cause, and the server stops later.
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
		// Shutdown alone steps down and stops at once. Where the others are slow, the transfer is lost, and they
		// elect leaders, which takes seconds. LameDuckShutdown waits a second in between. It returns at once if
		// Close was called before: then Shutdown ends the wait.
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
