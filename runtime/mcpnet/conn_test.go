package mcpnet_test

import (
	"crypto/tls"
	"errors"
	"io"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/mcpnet"
)

// ends returns two connected ends of each kind of connection.
func ends(t *testing.T, kind string) (near, far net.Conn) {
	t.Helper()
	switch kind {
	case "pipe":
		return net.Pipe()
	case "polite":
		near, far = net.Pipe()
		return &polite{Conn: near}, far
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	accepted := make(chan net.Conn, 1)
	go func() {
		c, _ := l.Accept()
		accepted <- c
	}()
	if near, err = net.Dial("tcp", l.Addr().String()); err != nil {
		t.Fatal(err)
	}
	far = <-accepted
	if kind == "tls" {
		server, client := pair(t)
		s, c := tls.Server(far, server), tls.Client(near, client)
		done := make(chan error, 1)
		go func() { done <- s.Handshake() }()
		if err := c.Handshake(); err != nil {
			t.Fatal(err)
		}
		if err := <-done; err != nil {
			t.Fatal(err)
		}
		near, far = c, s
	}
	return near, far
}

// polite writes before it closes, as TLS does.
type polite struct {
	net.Conn
	writing sync.Mutex
}

func (p *polite) Write(b []byte) (int, error) {
	p.writing.Lock()
	defer p.writing.Unlock()
	return p.Conn.Write(b)
}

func (p *polite) Close() error {
	p.writing.Lock()
	defer p.writing.Unlock()
	return p.Conn.Close()
}

// Close interrupts reads and writes.
func TestCloseInterrupts(t *testing.T) {
	for _, kind := range []string{"tcp", "pipe", "polite", "tls"} {
		t.Run(kind, func(t *testing.T) {
			near, far := ends(t, kind)
			defer far.Close()
			c := mcpnet.NewConn(near, 0)
			read, wrote := make(chan error, 1), make(chan error, 1)
			go func() {
				_, err := c.Read()
				read <- err
			}()
			go func() {
				batch := make([]byte, 1<<20)
				for {
					if err := c.Write(batch); err != nil {
						wrote <- err
						return
					}
				}
			}()
			// The other side reads a little, so that writing has begun.
			if _, err := io.ReadFull(far, make([]byte, 100_000)); err != nil {
				t.Fatal(err)
			}
			started := time.Now()
			if err := c.Close(); err != nil && !errors.Is(err, net.ErrClosed) {
				t.Errorf("Close: %v", err)
			}
			if err := <-read; err == nil {
				t.Error("Read goes on")
			}
			if err := <-wrote; err == nil {
				t.Error("Write goes on")
			}
			if d := time.Since(started); d > 4*time.Second {
				t.Errorf("it took %v", d)
			}
			_ = c.Close() // again
		})
	}
}

func TestBothEnds(t *testing.T) {
	a, b := net.Pipe()
	near, far := mcpnet.NewConn(a, 100), mcpnet.NewConn(b, 100)
	defer near.Close()
	go func() {
		near.Write([]byte("{\"a\":1}\n{\"b\":2}\n" + string(make([]byte, 200)) + "\n[]\n"))
		near.Close()
	}()
	for _, want := range []string{`{"a":1}`, `{"b":2}`} {
		if got, err := far.Read(); err != nil || string(got) != want {
			t.Errorf("%s, %v", got, err)
		}
	}
	if !far.(interface{ Buffered() bool }).Buffered() {
		t.Error("nothing is buffered")
	}
	var long *jsonrpc.FrameError
	if _, err := far.Read(); !errors.As(err, &long) || long.Limit != 100 {
		t.Errorf("%v", err)
	}
	if got, err := far.Read(); err != nil || string(got) != "[]" {
		t.Errorf("%s, %v", got, err)
	}
	if _, err := far.Read(); err != io.EOF {
		t.Errorf("%v", err)
	}
	if err := far.Close(); err != nil {
		t.Errorf("Close: %v", err)
	}
}
