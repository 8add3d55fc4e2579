package mcpnats

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcphttp"
)

// Option configures a [Cluster].
type Option func(*settings)

type settings struct {
	copies     int
	secret     []byte
	eventTime  time.Duration
	eventBytes int64
	maxBytes   int64
	log        *slog.Logger
	forgotten  time.Duration // forgottenTime, or a test's value
}

// WithReplicas sets the number of servers that store a copy of persistent data: 1, 3 or 5. The
// default is the number of existing streams; otherwise 3 if the connected server belongs to a
// cluster, and else 1.
func WithReplicas(n int) Option { return func(s *settings) { s.copies = n } }

// WithSecret sets the secret that encrypts the state keys in the store, at least 16 bytes. It is
// required.
func WithSecret(secret []byte) Option {
	return func(s *settings) { s.secret = append([]byte(nil), secret...) }
}

// WithEventLimits sets for how long events of streams are stored for clients that resume, and the
// maximum bytes of all sessions together; the oldest are dropped first. The defaults are 5 minutes
// and 256 MiB.
func WithEventLimits(keep time.Duration, bytes int64) Option {
	return func(s *settings) { s.eventTime, s.eventBytes = keep, bytes }
}

// WithMaxBytes limits the bytes of sessions, used request states, tasks, and parts of large values,
// each; changes and rate limit buckets may have an eighth of it. Writes beyond the limit are
// refused. The default is 256 MiB. JetStream reserves the storage on each server with a copy.
func WithMaxBytes(n int64) Option { return func(s *settings) { s.maxBytes = n } }

// WithLogger sets the logger of the cluster. The default is slog.Default.
func WithLogger(l *slog.Logger) Option { return func(s *settings) { s.log = l } }

// Cluster is the shared state of the replicas with one name. Its methods are safe for concurrent
// use.
type Cluster struct {
	settings
	nc   *nats.Conn
	js   jetstream.JetStream
	name string

	clock   clocks
	readers atomic.Int32 // number of replicas that claim tasks, at the last look at the stream

	records, events, changes, states, keys, rates, tasks, parts jetstream.Stream

	mu       sync.Mutex
	receives map[*receiver]struct{}
	closed   bool
	stop     chan struct{} // closed by Close
	watching sync.WaitGroup
}

// maxName limits the length of a name.
const maxName = 32

// Open joins the replicas that share a name, which consists of letters, digits, hyphens and
// underscores. Open creates missing streams: immediately for a new cluster; if the servers have
// lost a stream, only when all servers that store its copies are there and it has been missing for
// 30 seconds. An existing stream with other settings is an error. Closing the cluster does not
// close the connection. Open waits until JetStream answers, or ctx is done.
func Open(ctx context.Context, nc *nats.Conn, name string, options ...Option) (*Cluster, error) {
	c := &Cluster{
		settings: settings{eventTime: 5 * time.Minute, eventBytes: 256 << 20, maxBytes: 256 << 20, log: slog.Default(), forgotten: forgottenTime},
		nc:       nc, name: name, receives: map[*receiver]struct{}{}, stop: make(chan struct{}),
	}
	for _, option := range options {
		option(&c.settings)
	}
	switch {
	case name == "" || len(name) > maxName || strings.Trim(name, nameCharacters) != "":
		return nil, fmt.Errorf("mcpnats: the name %q is not 1 to %d letters, digits, hyphens and underscores", name, maxName)
	case len(c.secret) < 16:
		return nil, errors.New("mcpnats: WithSecret needs at least 16 bytes")
	case c.copies < 0 || c.copies > 5:
		return nil, fmt.Errorf("mcpnats: WithReplicas(%d): want 1, 3 or 5", c.copies)
	case c.eventTime < time.Second || c.eventBytes < 1<<20:
		return nil, errors.New("mcpnats: WithEventLimits needs at least a second and 1 MiB")
	case c.maxBytes < 1<<20:
		return nil, errors.New("mcpnats: WithMaxBytes needs at least 1 MiB")
	}
	var err error
	if c.js, err = jetstream.New(nc); err != nil {
		return nil, fmt.Errorf("mcpnats: %w", err)
	}
	a := newAbsences()
	var reason error // of the last attempt that ctx did not end
	for {
		if err = c.openStreams(ctx, a); err == nil || !isTemporary(err) && !errors.Is(err, errStreamMissing) {
			break
		}
		if reason == nil || ctx.Err() == nil {
			reason = err
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("mcpnats: JetStream is not ready: %w", explain(reason))
		case <-time.After(openPause):
		}
	}
	if err != nil {
		return nil, fmt.Errorf("mcpnats: %w", explain(err))
	}
	c.clock.report(c.log)
	c.watchConnection()
	c.watching.Go(c.watchStreams)
	return c, nil
}

const nameCharacters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_"

// subject returns a subject of the cluster.
func (c *Cluster) subject(tokens ...string) string {
	return "mcp." + c.name + "." + strings.Join(tokens, ".")
}

// Options returns the options for a server: [mcp.WithPubSub], [mcp.WithStateStore] and
// [mcp.WithStateKeySource]. Tasks and rate limits need separate options:
// mcptask.WithStore(c.Tasks()) and mcprate.WithStore(c.RateLimiter()).
func (c *Cluster) Options() []mcp.Option {
	return []mcp.Option{mcp.WithPubSub(c.PubSub()), mcp.WithStateStore(c.StateStore()), mcp.WithStateKeySource(c.StateKeys())}
}

// HTTPOptions returns the options for a handler: [mcphttp.WithSessionStore].
func (c *Cluster) HTTPOptions() []mcphttp.Option {
	return []mcphttp.Option{mcphttp.WithSessionStore(c.Sessions())}
}

// Ready returns an error if the replica cannot serve all requests now: the connection is lost, or a
// stream has no leader. It is for readiness probes, and returns within about five seconds, or when
// ctx is done. A leader that loses the majority of its cluster notices that after 10 to 20 seconds;
// until then Ready may return nil although writes fail.
func (c *Cluster) Ready(ctx context.Context) error {
	if status := c.nc.Status(); status != nats.CONNECTED {
		return fmt.Errorf("mcpnats: the connection is %s", strings.ToLower(status.String()))
	}
	ctx, cancel := context.WithTimeout(ctx, readyWait) // a lost request gets no answer
	defer cancel()
	for _, s := range []jetstream.Stream{c.records, c.events, c.changes, c.states, c.keys, c.rates, c.tasks, c.parts} {
		name := s.CachedInfo().Config.Name
		info, err := s.Info(ctx)
		switch {
		case err != nil:
			return fmt.Errorf("mcpnats: the stream %s: %w", name, explain(err))
		case info.Config.Replicas > 1 && (info.Cluster == nil || info.Cluster.Leader == ""):
			return fmt.Errorf("mcpnats: the stream %s has no leader", name)
		}
	}
	return nil
}

// explain adds a hint to an error of JetStream.
func explain(err error) error {
	switch {
	case hasCode(err, errNoMetaLeader):
		return fmt.Errorf("%w: the NATS servers have no leader; more than half of them have to run, with one secret for their routes", err)
	case hasCode(err, jetstream.JSErrCodeJetStreamNotEnabled), hasCode(err, jetstream.JSErrCodeJetStreamNotEnabledForAccount), errors.Is(err, nats.ErrNoResponders):
		return fmt.Errorf("%w: JetStream is not enabled, or not for this account", err)
	case hasCode(err, errStorage), hasCode(err, errMemory), hasCode(err, errResources):
		return fmt.Errorf("%w: JetStream reserves what WithMaxBytes and WithEventLimits allow; lower them, or give the servers more "+
			"(max_file_store and max_memory_store, which without a value are three quarters of the free disk and memory)", err)
	}
	return err
}

// Error codes of servers that cannot reserve a stream's bytes: in files, in memory, or on enough
// servers of a cluster.
const (
	errStorage   jetstream.ErrorCode = 10047
	errMemory    jetstream.ErrorCode = 10028
	errResources jetstream.ErrorCode = 10023
)

// errNoMetaLeader is the error code of a cluster whose servers have not found each other, or of
// which the majority is missing.
const errNoMetaLeader jetstream.ErrorCode = 10008

// readyWait limits the time for which Ready waits for answers.
const readyWait = 5 * time.Second

// watchConnection makes the receivers look for missed messages after each loss of the connection.
func (c *Cluster) watchConnection() {
	again := c.nc.StatusChanged(nats.CONNECTED)
	c.watching.Go(func() {
		defer c.nc.RemoveStatusListener(again)
		for {
			select {
			case <-c.stop:
				return
			case _, ok := <-again:
				if !ok {
					return
				}
			}
			c.mu.Lock()
			for r := range c.receives {
				r.missed()
			}
			c.mu.Unlock()
		}
	})
}

// Close ends the cluster's use of the connection, which remains open. It ends the receivers of
// sessions.
func (c *Cluster) Close(ctx context.Context) error {
	c.mu.Lock()
	first := !c.closed
	c.closed = true
	receives := make([]*receiver, 0, len(c.receives))
	for r := range c.receives {
		receives = append(receives, r)
	}
	c.mu.Unlock()
	if first {
		close(c.stop)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for _, r := range receives {
			r.close()
		}
		c.watching.Wait()
	}()
	select {
	case <-ended:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// errClosed is returned by methods after Close.
var errClosed = errors.New("mcpnats: the cluster is closed")

// wholeSeconds rounds a duration up to seconds, the unit of message expiry.
func wholeSeconds(d time.Duration) time.Duration {
	return max(time.Second, (d + time.Second - 1).Truncate(time.Second))
}
