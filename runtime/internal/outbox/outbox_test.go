package outbox_test

import (
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/bufpool"
	"github.com/mcpgen/mcpgen/runtime/internal/membudget"
	"github.com/mcpgen/mcpgen/runtime/internal/outbox"
)

// client is a connection whose writes wait for the test if gate is not nil.
type client struct {
	gate chan struct{}
	err  error

	mu     sync.Mutex
	writes []string
}

func (c *client) Read() ([]byte, error) { select {} }
func (c *client) Close() error          { return nil }

func (c *client) Write(b []byte) error {
	if c.gate != nil {
		<-c.gate
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.writes = append(c.writes, string(b))
	return c.err
}

func (c *client) written() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return strings.Join(c.writes, "|")
}

// queue is an outbox with its parts.
type queue struct {
	*outbox.Outbox
	client *client
	memory *membudget.Budget
	failed atomic.Int32
	active atomic.Int32
}

func newQueue(limit int, gate chan struct{}) *queue {
	q := &queue{client: &client{gate: gate}, memory: membudget.New(1<<20, 1)}
	q.Outbox = outbox.New(q.client, outbox.Options{
		QueueBytes: limit, WriteTime: time.Second, Memory: q.memory, Failed: func() { q.failed.Add(1) }, Active: &q.active,
	})
	return q
}

// done checks that the memory is released.
func (q *queue) done(t *testing.T) {
	t.Helper()
	if used := q.memory.Used(); used != 0 {
		t.Errorf("%d bytes are charged at the end", used)
	}
}

// TestFlush writes messages that were queued together in one call, in order, with a newline after
// each.
func TestFlush(t *testing.T) {
	q := newQueue(100, nil)
	q.Flush()
	q.Notify([]byte("one"))
	q.Reply([]byte("two"), 0)
	q.Notify(nil)
	q.Answer([]byte("three"), 0)
	q.Flush()
	q.Refuse([]byte("four"), 1)
	q.Flush()
	if got := q.client.written(); got != "one\ntwo\nthree\n|four\n" {
		t.Errorf("written %q", got)
	}
	q.done(t)
}

// TestServe writes for a goroutine that does not wait, and drains.
func TestServe(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gate := make(chan struct{})
		q := newQueue(100, gate)
		served := make(chan struct{})
		go func() { q.Serve(); close(served) }()
		q.Notify([]byte("one"))
		q.FlushAsync()
		synctest.Wait()
		q.Notify([]byte("two")) // while the first is being written
		q.FlushAsync()
		began := time.Now()
		q.Drain(100 * time.Millisecond)
		if took := time.Since(began); took != 100*time.Millisecond {
			t.Errorf("drained after %v", took)
		}
		gate <- struct{}{}
		gate <- struct{}{}
		q.Drain(time.Hour)
		if got := q.client.written(); got != "one\n|two\n" {
			t.Errorf("written %q", got)
		}
		q.Fail(errors.New("the end"))
		<-served
		q.done(t)
	})
}

// TestOwn takes over the storage of a reply if nothing else is queued.
func TestOwn(t *testing.T) {
	q := newQueue(100, nil)
	large := append(bufpool.Get(100<<10), strings.Repeat("x", 80<<10)...)
	if !q.Own(large, 0) {
		t.Fatal("an empty outbox has copied")
	}
	if q.Own([]byte("another"), 0) {
		t.Error("an outbox that is not empty has not copied")
	}
	q.Flush()
	if got := q.client.written(); got != strings.Repeat("x", 80<<10)+"\n" {
		t.Errorf("%d bytes are written", len(got))
	}
	q.done(t)
}

// TestWait has several handlers wait for room. Each handler that goes on queues a message, so one
// goes on at a time.
func TestWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gate := make(chan struct{})
		q := newQueue(10, gate)
		q.Notify([]byte("0123456789"))
		if !q.Full() {
			t.Fatal("it is not full")
		}
		var passed atomic.Int32
		var all sync.WaitGroup
		for range 5 {
			all.Go(func() {
				q.Wait()
				passed.Add(1)
				q.Reply([]byte("9876543210"), 0)
				q.Flush()
			})
		}
		synctest.Wait()
		if n := passed.Load(); n != 0 {
			t.Fatalf("%d have not waited", n)
		}
		go q.Flush()
		for n := range int32(5) {
			synctest.Wait()
			if got := passed.Load(); got != n+1 {
				t.Errorf("%d handlers have gone on, want %d", got, n+1)
			}
			gate <- struct{}{}
		}
		gate <- struct{}{}
		all.Wait()
		synctest.Wait()
		if got := q.client.written(); strings.Count(got, "\n") != 6 {
			t.Errorf("written %q", got)
		}
		q.done(t)
	})
}

// TestLargeStorage writes a large message while small ones are queued. A handler may wait for the
// memory of the large one: it is released, although that handler is active.
func TestLargeStorage(t *testing.T) {
	for name, queueLarge := range map[string]func(*queue, []byte){
		"copied": func(q *queue, b []byte) { q.Notify(b) },
		"owned":  func(q *queue, b []byte) { q.Own(b, 0) },
	} {
		synctest.Test(t, func(t *testing.T) {
			gate := make(chan struct{})
			q := newQueue(100, gate)
			q.active.Store(1)
			queueLarge(q, make([]byte, 3<<20))
			go q.Flush()
			synctest.Wait()
			for range 3 {
				q.Notify([]byte("small"))
				gate <- struct{}{}
				synctest.Wait()
			}
			gate <- struct{}{}
			synctest.Wait()
			if used := q.memory.Used(); used > 64<<10 {
				t.Errorf("%s: %d bytes are charged after the write", name, used)
			}
			q.Fail(errors.New("over"))
			q.done(t)
		})
	}
}

// TestOverloaded queues replies that do not wait for room: up to four times the limit, and the
// newest one in addition.
func TestOverloaded(t *testing.T) {
	q := newQueue(10, nil)
	for range 3 {
		q.Answer([]byte(strings.Repeat("x", 1000)), 0)
		if err := q.Err(); err != nil {
			t.Errorf("one reply of any length, after what is written: %v", err)
		}
		q.Flush()
	}
	q.Answer([]byte(strings.Repeat("x", 40)), 0)
	q.Answer([]byte("x"), 0)
	if err := q.Err(); err != nil {
		t.Errorf("40 bytes: %v", err)
	}
	q.Answer([]byte("x"), 0)
	if q.Err() != outbox.ErrStalled || q.failed.Load() != 1 {
		t.Errorf("41 bytes: %v, failed %d times", q.Err(), q.failed.Load())
	}
	q.done(t)
}

// TestWriteTime closes the connection of a client that does not read, once.
func TestWriteTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gate := make(chan struct{})
		q := newQueue(3, gate)
		q.Notify([]byte("one"))
		began := time.Now()
		go q.Flush()
		synctest.Wait()
		q.Notify([]byte("two"))
		q.Wait()
		if took := time.Since(began); took != time.Second {
			t.Errorf("the connection has failed after %v", took)
		}
		<-q.Broken()
		if q.Err() != outbox.ErrStalled || q.failed.Load() != 1 {
			t.Errorf("it has failed with %v, %d times", q.Err(), q.failed.Load())
		}
		q.Notify([]byte("late"))
		q.Fail(errors.New("again"))
		q.Drain(time.Hour)
		gate <- struct{}{}
		synctest.Wait()
		if got := q.client.written(); got != "one\n" || q.failed.Load() != 1 {
			t.Errorf("written %q, failed %d times", got, q.failed.Load())
		}
		q.done(t)
	})
}

// TestSlowWrites has each write take less than the limit, and all of them together more.
func TestSlowWrites(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gate := make(chan struct{})
		q := newQueue(100, gate)
		for range 5 {
			q.Notify([]byte("x"))
			go q.Flush()
			time.Sleep(900 * time.Millisecond)
			gate <- struct{}{}
			synctest.Wait()
		}
		if q.Err() != nil || q.client.written() != "x\n|x\n|x\n|x\n|x\n" {
			t.Errorf("%v, written %q", q.Err(), q.client.written())
		}
		time.Sleep(time.Minute)
		if q.Err() != nil {
			t.Errorf("it has failed without a write: %v", q.Err())
		}
		q.done(t)
	})
}

// TestWriteFails closes the connection after the error of a write.
func TestWriteFails(t *testing.T) {
	q := newQueue(100, nil)
	q.client.err = errors.New("broken pipe")
	q.Notify([]byte("one"))
	q.Flush()
	q.Notify([]byte("two"))
	q.Flush()
	if q.Err() != q.client.err || q.client.written() != "one\n" {
		t.Errorf("%v, written %q", q.Err(), q.client.written())
	}
	q.Wait()
	q.Serve()
	q.done(t)
}
