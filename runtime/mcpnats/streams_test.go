package mcpnats_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/mcpgen/mcpgen/runtime/mcpnats"
	"github.com/mcpgen/mcpgen/runtime/mcptask"
)

// logBook is a log that tests can read during writes.
type logBook struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *logBook) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *logBook) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

// A lost stream is created again after a while, and not earlier. Its readers continue with higher
// sequence numbers.
func TestForgottenStreams(t *testing.T) {
	s := start(t)
	nc, log := connect(t, s), new(logBook)
	short := []mcpnats.Option{mcpnats.WithForgottenTime(500 * time.Millisecond), mcpnats.WithLogger(slog.New(slog.NewTextHandler(log, nil)))}
	c := open(t, nc, "test", short...)
	js, err := jetstream.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	notices := make(chan uint64, 10)
	go func() {
		last := uint64(0)
		for ctx.Err() == nil {
			for n, err := range c.PubSub().Subscribe(ctx, last) {
				if err != nil {
					break
				}
				last = n.Sequence
				notices <- last
			}
			time.Sleep(10 * time.Millisecond)
		}
	}()
	publish := func() uint64 {
		t.Helper()
		for c.PubSub().Publish(ctx, []byte("{}")) != nil {
			if ctx.Err() != nil {
				t.Fatal("it cannot be published")
			}
		}
		select {
		case n := <-notices:
			return n
		case <-ctx.Done():
			t.Fatalf("a notice is not read; the log: %s", log)
			return 0
		}
	}
	tasks := c.Tasks()
	if err := tasks.Create(ctx, taskRecord("a"), mcptask.Quota{}, 0); err != nil {
		t.Fatal(err)
	}
	before := publish()
	for _, kind := range []string{"change", "task", "session"} {
		if err := js.DeleteStream(ctx, "mcp-test-"+kind); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.Ready(ctx); err == nil {
		t.Error("it is ready without streams")
	}
	// A replica that starts waits for them too.
	other := make(chan error, 1)
	go func() {
		c, err := mcpnats.Open(ctx, nc, "test", append(short, mcpnats.WithSecret(secret))...)
		if err == nil {
			err = c.Close(ctx)
		}
		other <- err
	}()
	if after := publish(); after <= before {
		t.Errorf("the number of a notice is %d after %d", after, before)
	}
	for c.Ready(ctx) != nil {
		if ctx.Err() != nil {
			t.Fatalf("it is not ready again: %s", log)
		}
		time.Sleep(10 * time.Millisecond)
	}
	if err := <-other; err != nil {
		t.Error(err)
	}
	if err := tasks.Create(ctx, taskRecord("b"), mcptask.Quota{}, 0); err != nil {
		t.Error(err)
	}
	if r, err := tasks.Claim(ctx, claimOf("x", time.Minute)); err != nil || r.Key.ID != "b" {
		t.Errorf("claimed %+v, %v", r, err)
	}
	for _, kind := range []string{"change", "task", "session"} {
		if n := strings.Count(log.String(), "made anew, without its content\" stream=mcp-test-"+kind); n != 1 {
			t.Errorf("the log has %d lines about %s: %s", n, kind, log)
		}
	}
}

// A stream that is missing briefly is not created again.
func TestMissingStreamWaits(t *testing.T) {
	s := start(t)
	nc := connect(t, s)
	open(t, nc, "test")
	js, err := jetstream.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	if err := js.DeleteStream(t.Context(), "mcp-test-state"); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	_, err = mcpnats.Open(ctx, nc, "test", mcpnats.WithSecret(secret))
	if err == nil || !strings.Contains(err.Error(), "mcp-test-state is made anew") {
		t.Errorf("Open returns %v", err)
	}
}

// A full stream refuses new data with an error, without waiting for the time of an election;
// existing data can be read and removed.
func TestFullStream(t *testing.T) {
	nc := connect(t, start(t))
	c := open(t, nc, "test", mcpnats.WithMaxBytes(1<<20))
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	s := c.Sessions()
	n := 0
	for ; n < 100; n++ {
		if _, err := s.Create(ctx, fmt.Sprint("s", n), bytes.Repeat([]byte("x"), 100<<10), time.Hour); err != nil {
			if !strings.Contains(err.Error(), "maximum bytes exceeded") {
				t.Error(err)
			}
			break
		}
	}
	if n < 5 || n > 12 {
		t.Fatalf("%d records of 100 KiB fit into 1 MiB", n)
	}
	sent := nc.Stats().OutMsgs
	if _, err := s.Create(ctx, "more", bytes.Repeat([]byte("x"), 100<<10), time.Hour); err == nil || !strings.Contains(err.Error(), "maximum bytes exceeded") {
		t.Errorf("one more: %v", err)
	}
	if n := nc.Stats().OutMsgs - sent; n > 5 { // one, and the background requests
		t.Errorf("%d messages are sent for a record that is refused", n)
	}
	if _, _, err := s.Load(ctx, "s0"); err != nil {
		t.Error(err)
	}
	if err := s.Delete(ctx, "s0"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Create(ctx, "more", bytes.Repeat([]byte("x"), 50<<10), time.Hour); err != nil {
		t.Error(err)
	}
	if err := errors.Join(c.Ready(ctx)); err != nil {
		t.Error(err)
	}
}

// Events and messages may exceed the max_payload of the server.
func TestLargeEvents(t *testing.T) {
	one, other := two(t)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	a, b := one.Sessions(), other.Sessions()
	if _, err := a.Create(ctx, "x", []byte("record"), time.Hour); err != nil {
		t.Fatal(err)
	}
	large := [][]byte{bytes.Repeat([]byte("a"), 3<<20), []byte("small"), bytes.Repeat([]byte("b"), 256<<10), bytes.Repeat([]byte("c"), 256<<10+1)}
	for i, event := range large {
		if err := a.Append(ctx, "x", "stream", uint64(i), event); err != nil {
			t.Fatal(err)
		}
	}
	n := 0
	for e, err := range b.Events(ctx, "x", "stream", 0) {
		if err != nil || !bytes.Equal(e.Data, large[n]) {
			t.Fatalf("event %d has %d bytes, %v", n+1, len(e.Data), err)
		}
		if n++; n == len(large) {
			break
		}
	}
	got := make(chan []byte, 10)
	stop, err := b.Receive(ctx, "x", "copy", func(message []byte) bool { got <- message; return true })
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	for _, to := range []string{"copy", ""} {
		if taken, err := a.Send(ctx, "x", to, large[0]); err != nil || taken != (to != "") {
			t.Errorf("to %q: %t, %v", to, taken, err)
		}
		if m := <-got; !bytes.Equal(m, large[0]) {
			t.Errorf("a message of %d bytes has arrived with %d", len(large[0]), len(m))
		}
	}
}
