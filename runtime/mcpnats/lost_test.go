package mcpnats_test

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/mcpgen/mcpgen/runtime/mcpnats"
	"github.com/mcpgen/mcpgen/runtime/mcptask"
)

// quiet returns options for replicas that soon create missing streams again.
func quiet() []mcpnats.Option {
	return []mcpnats.Option{mcpnats.WithForgottenTime(500 * time.Millisecond), mcpnats.WithLogger(slog.New(slog.DiscardHandler))}
}

// If the servers have lost all streams, a replica that starts creates them immediately. An older
// replica then reads from the new streams.
func TestAllStreamsLost(t *testing.T) {
	s := start(t)
	nc := connect(t, s)
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	c := open(t, nc, "test", mcpnats.WithLogger(slog.New(slog.DiscardHandler)))
	notices := make(chan string, 100)
	go func() {
		last := uint64(0)
		for ctx.Err() == nil {
			for n, err := range c.PubSub().Subscribe(ctx, last) {
				if err != nil {
					break
				}
				last = n.Sequence
				notices <- string(n.Data)
			}
			time.Sleep(10 * time.Millisecond)
		}
	}()
	tasks := c.Tasks()
	for _, id := range []string{"a", "b", "c"} {
		if err := tasks.Create(ctx, taskRecord(id), mcptask.Quota{}, 0); err != nil {
			t.Fatal(err)
		}
		if err := c.PubSub().Publish(ctx, []byte("before")); err != nil {
			t.Fatal(err)
		}
		if n := <-notices; n != "before" {
			t.Fatal(n)
		}
	}
	js, err := jetstream.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range []string{"session", "state", "keys", "rate", "task", "part", "event", "change"} {
		if err := js.DeleteStream(ctx, "mcp-test-"+kind); err != nil {
			t.Fatal(err)
		}
	}
	other := open(t, nc, "test", quiet()...)
	if err := other.PubSub().Publish(ctx, []byte("after")); err != nil {
		t.Fatal(err)
	}
	select {
	case n := <-notices:
		if n != "after" {
			t.Errorf("the notice is %q", n)
		}
	case <-ctx.Done():
		t.Error("a notice of the new stream is not read")
	}
	if err := other.Tasks().Create(ctx, taskRecord("new"), mcptask.Quota{}, 0); err != nil {
		t.Fatal(err)
	}
	if r, err := tasks.Claim(ctx, claimOf("x", time.Minute)); err != nil || r.Key.ID != "new" {
		t.Errorf("claimed %+v, %v", r, err)
	}
}

// Lost tasks are not counted, and watching one returns an error.
func TestLostTasks(t *testing.T) {
	s := start(t)
	nc := connect(t, s)
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	tasks := open(t, nc, "test", quiet()...).Tasks()
	lost := taskRecord("lost")
	if err := tasks.Create(ctx, lost, mcptask.Quota{Account: 1}, 0); err != nil {
		t.Fatal(err)
	}
	watched := make(chan error, 1)
	reading := make(chan struct{})
	go func() {
		for _, err := range tasks.Watch(ctx, lost.Key) {
			if err != nil {
				watched <- err
				return
			}
			close(reading)
		}
	}()
	<-reading
	js, err := jetstream.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	if err := js.DeleteStream(ctx, "mcp-test-task"); err != nil {
		t.Fatal(err)
	}
	for err = mcptask.ErrTooMany; err != nil; time.Sleep(50 * time.Millisecond) {
		if ctx.Err() != nil {
			t.Fatalf("no task can be created: %v", err)
		}
		err = tasks.Create(ctx, taskRecord("new"), mcptask.Quota{Account: 1}, 0)
	}
	select {
	case err := <-watched:
		if err == nil {
			t.Error("the watched task is there")
		}
	case <-ctx.Done():
		t.Error("the loss of a watched task is not noticed")
	}
	if r, err := tasks.Claim(ctx, claimOf("x", time.Minute)); err != nil || r.Key.ID != "new" {
		t.Errorf("claimed %+v, %v", r, err)
	}
}
