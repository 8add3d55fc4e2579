package mcpclient_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/dial"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/mcpclient"
)

// endingConn ends when a call is written. The write fails after reading has.
type endingConn struct {
	jsonrpc.Conn
	sent  bool
	ended chan struct{}
}

func (c *endingConn) Read() ([]byte, error) {
	message := make(chan []byte, 1)
	failed := make(chan error, 1)
	go func() {
		m, err := c.Conn.Read()
		if err != nil {
			failed <- err
			return
		}
		message <- m
	}()
	select {
	case m := <-message:
		return m, nil
	case err := <-failed:
		return nil, err
	case <-c.ended:
		return nil, io.EOF
	}
}

func (c *endingConn) Write(batch []byte) error {
	if !bytes.Contains(batch, []byte("tools/call")) {
		return c.Conn.Write(batch)
	}
	close(c.ended)
	time.Sleep(10 * time.Millisecond)
	return &dial.Error{Sent: c.sent, Again: true, Err: errors.New("the input is closed")}
}

// TestUnsent: a call that a connection has not sent is sent again, one that it may have sent
// is not.
func TestUnsent(t *testing.T) {
	for _, sent := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			s := &scripted{t: t, handle: modern(func(_ int, m message) []string { return []string{m.reply(okResult)} })}
			dials := 0
			c, err := mcpclient.Connect(t.Context(), mcpclient.Dialer("ending", func(ctx context.Context) (jsonrpc.Conn, error) {
				conn, err := s.dial(ctx)
				if dials++; dials == 1 {
					conn = &endingConn{Conn: conn, sent: sent, ended: make(chan struct{})}
				}
				return conn, err
			}), mcpclient.Options{})
			if err != nil {
				t.Fatal(err)
			}
			result, err := c.Call(t.Context(), "x", nil)
			if sent {
				if e := errorAs[*mcpclient.ConnectionError](t, err); !e.Sent {
					t.Errorf("the error is %v", err)
				}
			} else if err != nil || result.Text() != "ok" {
				t.Errorf("the call: %v, %v", result, err)
			}
			if err := c.Close(); err != nil {
				t.Error(err)
			}
			s.serving.Wait()
		})
	}
}

// TestTriedOften: an error after the last attempt says how many there were.
func TestTriedOften(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &scripted{t: t, handle: modern(func(_ int, m message) []string { return []string{closing} })}
		c := connect(t, s, mcpclient.Options{Retry: mcpclient.Retry{Attempts: 3}})
		_, err := c.Call(t.Context(), "x", nil, mcpclient.WithIdempotent())
		e := errorAs[*mcpclient.ConnectionError](t, err)
		if e.Attempts != 3 || !e.Sent || !strings.Contains(e.Error(), "the request was tried 3 times, and may have run") {
			t.Errorf("%d attempts: %v", e.Attempts, err)
		}
		if n := s.count("tools/call"); n != 3 {
			t.Errorf("%d calls", n)
		}
		_, err = c.Call(t.Context(), "x", nil)
		if e := errorAs[*mcpclient.ConnectionError](t, err); e.Attempts != 0 || !strings.Contains(e.Error(), "so it was not sent again") {
			t.Errorf("%d attempts: %v", e.Attempts, err)
		}
	})
}
