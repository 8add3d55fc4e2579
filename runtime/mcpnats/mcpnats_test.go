package mcpnats_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcphttp"
	"github.com/mcpgen/mcpgen/runtime/mcpnats"
	"github.com/mcpgen/mcpgen/runtime/mcpnats/embedded"
	"github.com/mcpgen/mcpgen/runtime/mcprate"
	"github.com/mcpgen/mcpgen/runtime/replicatest"
)

var secret = []byte("a secret of at least 16 bytes")

// storage is what the servers of tests may reserve. Without it they would take a share of the free
// disk, and a test of many stores would depend on that.
const storage = 1 << 40

// start starts a server.
func start(t *testing.T) *embedded.Server {
	t.Helper()
	s, err := embedded.Start(embedded.Options{Dir: t.TempDir(), MaxStore: storage, MaxMemory: storage})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return s
}

// connect returns a connection to a server.
func connect(t *testing.T, s *embedded.Server, options ...nats.Option) *nats.Conn {
	t.Helper()
	nc, err := s.Connect(options...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	return nc
}

// open joins a cluster.
func open(t *testing.T, nc *nats.Conn, name string, options ...mcpnats.Option) *mcpnats.Cluster {
	t.Helper()
	c, err := mcpnats.Open(t.Context(), nc, name, append([]mcpnats.Option{mcpnats.WithSecret(secret)}, options...)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return c
}

// two returns two replicas.
func two(t *testing.T) (one, other *mcpnats.Cluster) {
	t.Helper()
	s := start(t)
	return open(t, connect(t, s), "test"), open(t, connect(t, s), "test")
}

func TestSessions(t *testing.T) {
	replicatest.TestSessionStore(t, func(t *testing.T) (one, other mcphttp.SessionStore) {
		a, b := two(t)
		return a.Sessions(), b.Sessions()
	})
}

func TestPubSub(t *testing.T) {
	replicatest.TestPubSub(t, func(t *testing.T) (one, other mcp.PubSub) {
		a, b := two(t)
		return a.PubSub(), b.PubSub()
	})
}

func TestRates(t *testing.T) {
	replicatest.TestRateStore(t, func(t *testing.T) (one, other mcprate.Store) {
		a, b := two(t)
		return a.RateLimiter(), b.RateLimiter()
	})
}

// One of several concurrent uses of a state is the first, until the state has expired.
func TestStates(t *testing.T) {
	one, other := two(t)
	both := []mcp.StateStore{one.StateStore(), other.StateStore()}
	for _, id := range []string{"a", "", "a.b>*", strings.Repeat("x", 10_000), "☃ \r\n"} {
		firsts := make(chan bool, 10)
		for i := range cap(firsts) {
			go func() {
				first, err := both[i%2].Consume(t.Context(), id, time.Now().Add(time.Hour))
				if err != nil {
					t.Error(err)
				}
				firsts <- first
			}()
		}
		n := 0
		for range cap(firsts) {
			if <-firsts {
				n++
			}
		}
		if n != 1 {
			t.Errorf("%d uses of %.10q are the first", n, id)
		}
	}
	// A state that expired long ago may have been used, although its record is gone.
	for ago, want := range map[time.Duration]bool{10 * time.Second: true, time.Hour: false} {
		if first, err := both[0].Consume(t.Context(), "expired"+ago.String(), time.Now().Add(-ago)); first != want || err != nil {
			t.Errorf("a state that has expired %s ago: %t, %v", ago, first, err)
		}
	}
}

// Clusters with different names share nothing.
func TestNames(t *testing.T) {
	s := start(t)
	one, other := open(t, connect(t, s), "a"), open(t, connect(t, s), "a-b")
	if _, err := one.Sessions().Create(t.Context(), "X", []byte("record"), time.Minute); err != nil {
		t.Fatal(err)
	}
	if _, _, err := other.Sessions().Load(t.Context(), "X"); err != mcphttp.ErrNoSession {
		t.Errorf("a session of another name: %v", err)
	}
	for _, name := range []string{"", "a.b", "a b", "*", ">", strings.Repeat("x", 33), "ä"} {
		if _, err := mcpnats.Open(t.Context(), connect(t, s), name, mcpnats.WithSecret(secret)); err == nil || !strings.Contains(err.Error(), "name") {
			t.Errorf("Open with the name %q: %v", name, err)
		}
	}
}

// Existing streams with other settings are an error that names both, and a wrong secret is an
// error.
func TestOtherSettings(t *testing.T) {
	s := start(t)
	one := open(t, connect(t, s), "test")
	if _, err := one.StateKeys().StateKeys(t.Context()); err != nil {
		t.Fatal(err)
	}
	_, err := mcpnats.Open(t.Context(), connect(t, s), "test", mcpnats.WithSecret(secret), mcpnats.WithEventLimits(time.Hour, 1<<30))
	if err == nil || !strings.Contains(err.Error(), "5m0s") || !strings.Contains(err.Error(), "1h0m0s") || !strings.Contains(err.Error(), "mcp-test-event") {
		t.Errorf("Open with other limits: %v", err)
	}
	if _, err := mcpnats.Open(t.Context(), connect(t, s), "test"); err == nil || !strings.Contains(err.Error(), "WithSecret") {
		t.Errorf("Open without a secret: %v", err)
	}
	other := open(t, connect(t, s), "test", mcpnats.WithSecret([]byte("a different secret of 16 bytes")))
	if _, err := other.StateKeys().StateKeys(t.Context()); err == nil || !strings.Contains(err.Error(), "another secret") {
		t.Errorf("state keys with a wrong secret: %v", err)
	}
	short, cancel := context.WithTimeout(t.Context(), 3*time.Second)
	defer cancel()
	if _, err := mcpnats.Open(short, connect(t, s), "many", mcpnats.WithSecret(secret), mcpnats.WithReplicas(3)); err == nil {
		t.Error("three copies on one server")
	}
}

// The replicas have the same keys, which are stored encrypted.
func TestStateKeys(t *testing.T) {
	one, other := two(t)
	a, err := one.StateKeys().StateKeys(t.Context())
	if err != nil || len(a) != 1 || len(a[0]) != 32 {
		t.Fatalf("%d keys, %v", len(a), err)
	}
	b, err := other.StateKeys().StateKeys(t.Context())
	if err != nil || len(b) != 1 || string(a[0]) != string(b[0]) {
		t.Errorf("the other replica has %d other keys, %v", len(b), err)
	}
}

// Ready fails while the connection is lost, and Close ends everything.
func TestReady(t *testing.T) {
	s := start(t)
	nc := connect(t, s)
	c := open(t, nc, "test")
	if err := c.Ready(t.Context()); err != nil {
		t.Fatal(err)
	}
	stop, err := c.Sessions().Receive(t.Context(), "X", "a", func([]byte) bool { return true })
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	stop()
	if nc.NumSubscriptions() > 1 { // the one for replies
		t.Errorf("%d subscriptions are left", nc.NumSubscriptions())
	}
	if _, err := c.Sessions().Receive(t.Context(), "X", "a", func([]byte) bool { return true }); err == nil {
		t.Error("Receive after Close")
	}
	nc.Close()
	if err := c.Ready(t.Context()); err == nil || !strings.Contains(err.Error(), "closed") {
		t.Errorf("Ready without a connection: %v", err)
	}
}
