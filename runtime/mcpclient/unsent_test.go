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

// TestUnsent: a call that was not sent is sent again; a call that may have been sent is not.
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

// TestTriedOften: the error after the last attempt contains the number of attempts.
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

// TestSentBefore: an error does not claim that a request was unsent if an earlier attempt may have
// run.
func TestSentBefore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &scripted{t: t, handle: modern(func(_ int, m message) []string { return []string{closing} })}
		dials := 0
		c, err := mcpclient.Connect(t.Context(), mcpclient.Dialer("lost", func(ctx context.Context) (jsonrpc.Conn, error) {
			if dials++; dials > 1 {
				return nil, errors.New("refused")
			}
			return s.dial(ctx)
		}), mcpclient.Options{})
		if err != nil {
			t.Fatal(err)
		}
		_, err = c.Call(t.Context(), "x", nil, mcpclient.WithIdempotent())
		if e := errorAs[*mcpclient.ConnectionError](t, err); !e.Sent || !strings.Contains(err.Error(), "may have run") || !strings.Contains(err.Error(), "refused") {
			t.Errorf("the error is %v", err)
		}
		if n := s.count("tools/call"); n != 1 {
			t.Errorf("the server got %d calls", n)
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
		s.serving.Wait()
	})
}

// TestReplyAfterFailure: a reply that arrives on a connection that was given up is dropped without
// a report.
func TestReplyAfterFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		reply := make(chan struct{})
		s := &scripted{t: t}
		s.handle = modern(func(_ int, m message) []string {
			<-reply
			return []string{m.reply(okResult)}
		})
		c, err := mcpclient.Connect(t.Context(), mcpclient.Dialer("failing", func(ctx context.Context) (jsonrpc.Conn, error) {
			conn, err := s.dial(ctx)
			return &failingConn{conn, reply}, err
		}), mcpclient.Options{OnProtocolError: func(err error) { t.Errorf("reported: %v", err) }})
		if err != nil {
			t.Fatal(err)
		}
		_, err = c.Call(t.Context(), "x", nil)
		if e := errorAs[*mcpclient.ConnectionError](t, err); !e.Sent {
			t.Errorf("the error is %v", err)
		}
		synctest.Wait()
		if err := c.Close(); err != nil {
			t.Error(err)
		}
		s.serving.Wait()
	})
}

// failingConn reports that a call was not sent, and the reply arrives after that. It stays open
// until the reply has been read.
type failingConn struct {
	jsonrpc.Conn
	reply chan struct{}
}

func (c *failingConn) Write(batch []byte) error {
	err := c.Conn.Write(batch)
	if err == nil && bytes.Contains(batch, []byte("tools/call")) {
		time.AfterFunc(time.Second, func() { close(c.reply) })
		return &dial.Error{Sent: true, Err: errors.New("no response")}
	}
	return err
}

func (c *failingConn) Close() error {
	time.Sleep(2 * time.Second)
	return c.Conn.Close()
}
