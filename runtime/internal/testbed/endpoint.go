package testbed

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/dial"
	"github.com/mcpgen/mcpgen/runtime/mcpclient"
)

// DialOptions returns options for tests of endpoints: messages of 1 MiB, and short times.
func DialOptions() dial.Options {
	return dial.Options{
		Limits: dial.Limits{MessageBytes: 1 << 20, HeaderBytes: 64 << 10, WriteTime: 200 * time.Millisecond, CloseTime: 200 * time.Millisecond},
		Logger: slog.New(slog.DiscardHandler),
		Report: func(error) {},
	}
}

// Open connects to a server with [DialOptions], until the test ends.
func Open(t *testing.T, target dial.Target) dial.Stream {
	t.Helper()
	conn, err := target.Dial(t.Context(), DialOptions())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return conn.(dial.Stream)
}

// WantConcurrentCalls calls the tool echo of a server several times at once, with arguments longer
// than any buffer.
func WantConcurrentCalls(t *testing.T, target mcpclient.Target) {
	t.Helper()
	c, err := mcpclient.Connect(t.Context(), target, mcpclient.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	var calls sync.WaitGroup
	for i := range 8 {
		calls.Go(func() {
			text := fmt.Sprintf("%d %s", i, strings.Repeat("y", 50_000*i))
			result, err := c.Call(t.Context(), "echo", map[string]string{"x": text})
			if err != nil || result.Text() != `{"x":"`+text+`"}` {
				t.Errorf("call %d: %v", i, err)
			}
		})
	}
	calls.Wait()
}

// WantDialError checks that a connection cannot be opened, that the error contains want and not
// "s3cret", and that its field Again equals again.
func WantDialError(t *testing.T, target dial.Target, want string, again bool) {
	t.Helper()
	conn, err := target.Dial(t.Context(), DialOptions())
	failed, ok := errors.AsType[*dial.Error](err)
	if conn != nil || !ok || failed.Again != again || failed.Sent || !strings.Contains(err.Error(), want) {
		t.Errorf("%s: %v, want %s", target.Name(), err, want)
	}
	if err != nil && strings.Contains(err.Error(), "s3cret") {
		t.Errorf("%v shows a secret", err)
	}
}

// WantUnread checks the connection to a server that does not read: a write fails after WriteTime,
// and Close stops a write and a read. The function start starts a server that calls serve with each
// connection.
func WantUnread(t *testing.T, start func(serve func(net.Conn)) dial.Target) {
	t.Helper()
	begun, done := make(chan struct{}, 2), make(chan struct{})
	defer close(done)
	target := start(func(c net.Conn) {
		if _, err := c.Read(make([]byte, 1)); err != nil {
			t.Errorf("the server reads: %v", err)
		}
		begun <- struct{}{}
		<-done
	})
	message := append(bytes.Repeat([]byte("x"), 16<<20), '\n') // more than the buffers of sockets hold
	const reason = "the server has not read for 200ms"
	stream := Open(t, target)
	err := stream.Write(message)
	if failed, ok := errors.AsType[*dial.Error](err); !ok || !failed.Sent || !strings.Contains(err.Error(), reason) {
		t.Errorf("write: %v", err)
	}
	if err := stream.Write([]byte("{}\n")); err == nil {
		t.Error("a second message can be written")
	}
	<-begun

	options := DialOptions()
	options.Limits.WriteTime = time.Hour
	conn, err := target.Dial(t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}
	ends := make(chan error, 2)
	go func() { ends <- conn.(dial.Stream).Write(message) }()
	go func() {
		_, err := conn.(dial.Stream).Read()
		ends <- err
	}()
	<-begun // the message is being written
	for range 2 {
		if err := conn.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	}
	for range cap(ends) {
		if err := <-ends; !errors.Is(err, net.ErrClosed) {
			t.Errorf("it ends with %v", err)
		}
	}
}
