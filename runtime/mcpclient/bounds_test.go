package mcpclient_test

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/mcpclient"
)

// TestGoroutines checks that a client on a stream runs one goroutine, and that a call starts no
// further one.
func TestGoroutines(t *testing.T) {
	synctest.Test(t, testGoroutines)
}

func testGoroutines(t *testing.T) {
	const clients, calls = 20, 50
	// A server without goroutines: the client's goroutine writes the replies.
	dial := func(context.Context) (jsonrpc.Conn, error) { return newEcho(), nil }
	before := goroutines()
	var all []*mcpclient.Client
	for i := range clients {
		c, err := mcpclient.Connect(t.Context(), mcpclient.Dialer(fmt.Sprint("echo ", i), dial), mcpclient.Options{})
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, c)
	}
	settle(t, before+clients)
	silent := newEcho()
	silent.silent = true
	c, err := mcpclient.Connect(t.Context(), mcpclient.Dialer("silent", func(context.Context) (jsonrpc.Conn, error) { return silent, nil }), mcpclient.Options{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var group sync.WaitGroup // the callers' goroutines
	for range calls {
		group.Go(func() {
			if _, err := c.Call(ctx, "x", nil); err == nil {
				t.Error("the call has returned")
			}
		})
	}
	settle(t, before+clients+1)
	cancel()
	group.Wait()
	for _, c := range append(all, c) {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}
	settle(t, before)
}

// goroutines returns the number of goroutines in this bubble that the package under test has
// started.
func goroutines() int {
	b := make([]byte, 4<<20)
	b = b[:runtime.Stack(b, true)]
	n := 0
	for stack := range strings.SplitSeq(string(b), "\n\n") {
		if strings.Contains(stack, "synctest bubble") && strings.Contains(stack, "created by github.com/mcpgen/mcpgen/runtime/mcpclient.") {
			n++
		}
	}
	return n
}

// settle waits until nothing happens, and checks the number of goroutines.
func settle(t *testing.T, want int) {
	t.Helper()
	synctest.Wait()
	if n := goroutines(); n != want {
		b := make([]byte, 64<<10)
		t.Fatalf("%d goroutines, want %d\n%s", n, want, b[:runtime.Stack(b, true)])
	}
}

// stuckConn never returns from Read.
type stuckConn struct{ jsonrpc.Conn }

func (c stuckConn) Read() ([]byte, error) {
	time.Sleep(time.Hour)
	return nil, context.Canceled
}

// TestCloseOfStuckConn checks that Close returns even if the connection does not.
func TestCloseOfStuckConn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client, server := jsonrpc.Pipe()
		began := time.Now()
		_, err := mcpclient.Connect(t.Context(), mcpclient.Dialer("stuck", func(context.Context) (jsonrpc.Conn, error) {
			return stuckConn{client}, nil
		}), mcpclient.Options{Limits: mcpclient.Limits{ConnectTime: time.Second}, Retry: mcpclient.Retry{Attempts: 1}})
		if took := time.Since(began); err == nil || took > time.Second+100*time.Millisecond {
			t.Errorf("%v after %v", err, took)
		}
		_ = server.Close()
		time.Sleep(2 * time.Hour)
	})
}
