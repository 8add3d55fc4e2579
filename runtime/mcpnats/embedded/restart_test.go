package embedded_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/mcpgen/mcpgen/runtime/mcpnats/embedded"
)

// lines is a log that tests can read during writes.
type lines struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

func (l *lines) logger() *slog.Logger { return slog.New(slog.NewTextHandler(l, nil)) }

// until waits for a condition.
func until(t *testing.T, what string, is func() bool) {
	t.Helper()
	for begin := time.Now(); !is(); time.Sleep(10 * time.Millisecond) {
		if time.Since(begin) > time.Minute {
			t.Fatalf("never: %s", what)
		}
	}
}

// A server whose JetStream ends reports the reason, restarts when the directory is writable, and
// still has its data. Its connections remain usable.
func TestStartsAgain(t *testing.T) {
	dir, log := t.TempDir(), new(lines)
	s := start(t, embedded.Options{Dir: dir, Logger: log.logger()})
	js := connect(t, s)
	if _, err := js.CreateStream(t.Context(), jetstream.StreamConfig{Name: "a", Subjects: []string{"a"}}); err != nil {
		t.Fatal(err)
	}
	number := uint64(0)
	publish := func() {
		t.Helper()
		number++
		until(t, "published", func() bool {
			ack, err := js.Publish(t.Context(), "a", []byte("x"), jetstream.WithExpectLastSequence(number-1))
			return err == nil && ack.Sequence == number
		})
	}
	publish()
	if err := s.Ready(); err != nil {
		t.Errorf("before: %v", err)
	}
	block := filepath.Join(dir, ".room")
	if err := os.Mkdir(block, 0o700); err != nil { // makes the directory unwritable
		t.Fatal(err)
	}
	if err := s.EndJetStream(); err != nil {
		t.Fatal(err)
	}
	until(t, "not ready", func() bool { err := s.Ready(); return err != nil && strings.Contains(err.Error(), block) })
	if err := os.Remove(block); err != nil {
		t.Fatal(err)
	}
	until(t, "ready", func() bool { return s.Ready() == nil })
	publish()
	if got := log.String(); !strings.Contains(got, "JetStream cannot write") || !strings.Contains(got, block) || !strings.Contains(got, "runs again") {
		t.Errorf("the log is %s", got)
	}
	// Once more, for an unknown reason.
	if err := s.EndJetStream(); err != nil {
		t.Fatal(err)
	}
	if err := s.Ready(); err == nil {
		t.Error("ready without JetStream")
	}
	until(t, "ready", func() bool { return s.Ready() == nil })
	publish()
}

// One of three servers gets copies of the missed writes when it restarts.
func TestStartsAgainInCluster(t *testing.T) {
	peers := free(t, 3)
	var servers []*embedded.Server
	for i, address := range peers {
		servers = append(servers, start(t, embedded.Options{
			Dir: t.TempDir(), Name: fmt.Sprint("server", i), Cluster: "test", Listen: address, Peers: peers, Secret: "a secret of the cluster",
			Logger: slog.New(slog.DiscardHandler),
		}))
	}
	js := connect(t, servers[0])
	until(t, "made", func() bool {
		_, err := js.CreateStream(t.Context(), jetstream.StreamConfig{Name: "a", Subjects: []string{"a"}, Replicas: 3})
		return err == nil
	})
	if err := servers[1].EndJetStream(); err != nil {
		t.Fatal(err)
	}
	for range 10 {
		until(t, "published", func() bool { _, err := js.Publish(t.Context(), "a", []byte("x")); return err == nil })
	}
	until(t, "ready", func() bool { return servers[1].Ready() == nil })
	until(t, "current", func() bool {
		stream, err := js.Stream(t.Context(), "a")
		if err != nil || stream.CachedInfo().Cluster == nil {
			return false
		}
		for _, peer := range stream.CachedInfo().Cluster.Replicas {
			if !peer.Current || peer.Offline {
				return false
			}
		}
		return len(stream.CachedInfo().Cluster.Replicas) == 2
	})
}

// The obstacle to a start is returned as the error, immediately.
func TestStartErrors(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	inside := t.TempDir()
	if err := os.WriteFile(filepath.Join(inside, "jetstream"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	for name, c := range map[string]struct {
		o    embedded.Options
		want string
	}{
		"the directory is a file": {embedded.Options{Dir: file}, file},
		"it is in a file":         {embedded.Options{Dir: filepath.Join(file, "nats")}, file},
		"it has a file jetstream": {embedded.Options{Dir: inside}, inside},
		"the address is in use":   {embedded.Options{Dir: t.TempDir(), Name: "n", Cluster: "c", Listen: l.Addr().String(), Peers: free(t, 1), Secret: "a secret of the cluster"}, port},
	} {
		s, err := embedded.Start(c.o)
		if err == nil {
			stop(t, s)
		}
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "not ready") {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

// Servers of a cluster with different secrets log that, on both sides, without the secrets.
func TestWrongSecret(t *testing.T) {
	const right, wrong = "the secret of the cluster/:@", "another secret of 16 bytes"
	peers := free(t, 2)
	var logs [2]lines
	for i, secret := range []string{right, wrong} {
		start(t, embedded.Options{
			Dir: t.TempDir(), Name: fmt.Sprint("server", i), Cluster: "test", Listen: peers[i], Peers: peers, Secret: secret, Logger: logs[i].logger(),
		})
	}
	until(t, "the refused one says so", func() bool {
		return strings.Contains(logs[1].String(), "has refused this one: its Options.Secret differs")
	})
	until(t, "the other one says so", func() bool { return strings.Contains(logs[0].String(), "was refused: its Options.Secret differs") })
	for i := range logs {
		if got := logs[i].String(); strings.Contains(got, right) || strings.Contains(got, wrong) {
			t.Errorf("a secret is in the log: %s", got)
		}
	}
}

// A wrong password of a client is not logged as a wrong secret of a server.
func TestWrongPassword(t *testing.T) {
	var log lines
	s := start(t, embedded.Options{Dir: t.TempDir(), Logger: log.logger()})
	if nc, err := nats.Connect(s.Address(), nats.UserInfo("local", "guess")); err == nil {
		nc.Close()
		t.Fatal("connected")
	}
	until(t, "logged", func() bool { return strings.Contains(log.String(), "NATS server: error") })
	if got := log.String(); strings.Contains(got, "Options.Secret") || strings.Contains(got, "guess") {
		t.Errorf("the log is %s", got)
	}
}

// Server messages are logged at their level, without secrets, and their number is limited; messages
// for developers of the server are not logged.
func TestLogger(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := new(lines)
		l := embedded.NewLogger(slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug})), "secret/of @cluster", "")
		l.Noticef("starting %s", "a")
		l.Warnf("slow %d", 1)
		l.Debugf("debug")
		l.Tracef("trace")
		l.Errorf("Error trying to connect to route (attempt %d): %v", 1, "refused")
		l.Errorf("route nats-route://routes:%s@host, or %s", "secret%2Fof%20@cluster", "secret/of @cluster")
		got := log.String()
		for want, n := range map[string]int{"level=DEBUG": 1, "level=WARN": 2, "level=ERROR": 1, "[secret]": 1, "cluster@host": 0, "debug": 0, "trace": 0} {
			if strings.Count(got, want) < n || n == 0 && strings.Contains(got, want) {
				t.Errorf("%q is not %d times in %s", want, n, got)
			}
		}
		log.text.Reset()
		for i := range 10_000 {
			l.Errorf("127.0.0.1:%d - rid:%d - write failed", i, i)
		}
		time.Sleep(time.Minute)
		if got := log.String(); strings.Count(got, "\n") > 11 || !strings.Contains(got, "more_like_this=") {
			t.Errorf("%d lines: %s", strings.Count(got, "\n"), got)
		}
	})
}
