package embedded_test

import (
	"context"
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/mcpgen/mcpgen/runtime/mcpnats/embedded"
)

// start starts a server that stops at the end of the test.
func start(t *testing.T, o embedded.Options) *embedded.Server {
	t.Helper()
	s, err := embedded.Start(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { stop(t, s) })
	return s
}

func stop(t *testing.T, s *embedded.Server) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := s.Close(ctx); err != nil {
		t.Error(err)
	}
}

// connect returns the JetStream context of a server.
func connect(t *testing.T, s *embedded.Server) jetstream.JetStream {
	t.Helper()
	nc, err := s.Connect()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	js, err := jetstream.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	return js
}

// The data of a single server is there after a restart.
func TestAlone(t *testing.T) {
	dir := t.TempDir()
	for i := range 3 {
		s := start(t, embedded.Options{Dir: dir, SyncAlways: i == 1})
		js := connect(t, s)
		if i == 0 {
			if _, err := js.CreateStream(t.Context(), jetstream.StreamConfig{Name: "a", Subjects: []string{"a"}}); err != nil {
				t.Fatal(err)
			}
		}
		if ack, err := js.Publish(t.Context(), "a", []byte("x")); err != nil || ack.Sequence != uint64(i+1) {
			t.Fatalf("publish %d: %+v, %v", i, ack, err)
		}
		stop(t, s)
	}
}

// Only the password of the process opens the loopback listener.
func TestPassword(t *testing.T) {
	s := start(t, embedded.Options{Dir: t.TempDir()})
	if host, _, _ := net.SplitHostPort(s.Address()); host != "127.0.0.1" {
		t.Errorf("the server listens on %s", s.Address())
	}
	for password, works := range map[string]bool{s.Password(): true, "guess": false, "": false} {
		nc, err := nats.Connect(s.Address(), nats.UserInfo("local", password))
		if (err == nil) != works {
			t.Errorf("with the password %q: %v", password, err)
		}
		if err == nil {
			nc.Close()
		}
	}
}

// free returns loopback addresses that are currently free.
func free(t *testing.T, n int) (addresses []string) {
	t.Helper()
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		addresses = append(addresses, l.Addr().String())
	}
	return addresses
}

// Three servers form a cluster, which continues without one of them.
func TestCluster(t *testing.T) {
	peers := free(t, 3)
	var servers []*embedded.Server
	for i, address := range peers {
		servers = append(servers, start(t, embedded.Options{
			Dir: t.TempDir(), Name: fmt.Sprint("server", i), Cluster: "test", Listen: address, Peers: peers, Secret: "a secret of the cluster",
		}))
	}
	js := connect(t, servers[0])
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	retry := func(f func(context.Context) error) {
		t.Helper()
		for {
			one, cancel := context.WithTimeout(ctx, 2*time.Second)
			err := f(one)
			cancel()
			if err == nil {
				return
			}
			if ctx.Err() != nil {
				t.Fatal(err)
			}
			time.Sleep(50 * time.Millisecond)
		}
	}
	retry(func(ctx context.Context) error {
		_, err := js.CreateStream(ctx, jetstream.StreamConfig{Name: "a", Subjects: []string{"a"}, Replicas: 3})
		return err
	})
	retry(func(ctx context.Context) error { _, err := js.Publish(ctx, "a", []byte("first")); return err })
	stop(t, servers[2])
	retry(func(ctx context.Context) error { _, err := js.Publish(ctx, "a", []byte("second")); return err })
	stranger := start(t, embedded.Options{
		Dir: t.TempDir(), Name: "stranger", Cluster: "test", Listen: free(t, 1)[0], Peers: peers[:1], Secret: "another secret of 16 bytes",
	})
	nc, err := stranger.Connect()
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	other, _ := jetstream.New(nc)
	short, cancel := context.WithTimeout(t.Context(), 2*time.Second)
	defer cancel()
	if _, err := other.Stream(short, "a"); err == nil {
		t.Error("a server with another secret has joined the cluster")
	}
}

func TestBadOptions(t *testing.T) {
	for _, c := range []struct {
		o    embedded.Options
		want string
	}{
		{embedded.Options{}, "Dir"},
		{embedded.Options{Dir: "x", Listen: "127.0.0.1:1"}, "Cluster"},
		{embedded.Options{Dir: "x", Cluster: "c", Listen: "127.0.0.1:1", Secret: strings.Repeat("s", 16)}, "Name"},
		{embedded.Options{Dir: "x", Cluster: "c", Name: "n", Secret: strings.Repeat("s", 16)}, "Listen"},
		{embedded.Options{Dir: "x", Cluster: "c", Name: "n", Listen: "127.0.0.1:1", Secret: "short"}, "Secret"},
		{embedded.Options{Dir: "x", Cluster: "c", Name: "n", Listen: "127.0.0.1", Peers: []string{"127.0.0.1:2"}, Secret: strings.Repeat("s", 16)}, "127.0.0.1"},
		{embedded.Options{Dir: "x", Cluster: "c", Name: "n", Listen: "127.0.0.1:1", Secret: strings.Repeat("s", 16)}, "Peers"},
		{embedded.Options{Dir: "x", Cluster: "c", Name: "n", Listen: "127.0.0.1:1", Peers: []string{"127.0.0.1:1"}, Secret: strings.Repeat("s", 16)}, "Peers"},
		{embedded.Options{Dir: "x", Cluster: "c", Name: "n", Listen: "127.0.0.1:1", Peers: []string{"here"}, Secret: strings.Repeat("s", 16)}, "here"},
	} {
		s, err := embedded.Start(c.o)
		if err == nil {
			stop(t, s)
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %q", c.o, err, c.want)
		}
	}
}
