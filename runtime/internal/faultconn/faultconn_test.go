package faultconn_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/faultconn"
)

// memory is a stream that stores written bytes and returns them.
type memory struct {
	bytes.Buffer
	writes []int
	closed bool
}

func (m *memory) Write(p []byte) (int, error) {
	m.writes = append(m.writes, len(p))
	return m.Buffer.Write(p)
}

func (m *memory) Close() error {
	m.closed = true
	return nil
}

func TestNoFaults(t *testing.T) {
	var m memory
	s := faultconn.Stream(&m, faultconn.Plan{})
	text := bytes.Repeat([]byte("x"), 10_000)
	if n, err := s.Write(text); n != len(text) || err != nil || len(m.writes) != 1 {
		t.Errorf("%d, %v, %v", n, err, m.writes)
	}
	if got, err := io.ReadAll(s); err != nil || !bytes.Equal(got, text) {
		t.Errorf("%d bytes, %v", len(got), err)
	}
	if n, err := s.Write(nil); n != 0 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
	if s.Close(); !m.closed {
		t.Error("not closed")
	}
}

func TestPieces(t *testing.T) {
	run := func(seed uint64) string {
		var m memory
		s := faultconn.Stream(&m, faultconn.Plan{Seed: seed, Piece: 10})
		text := []byte("The quick brown fox jumps over the lazy dog, and over the next one.")
		if n, err := s.Write(text); n != len(text) || err != nil {
			t.Errorf("%d, %v", n, err)
		}
		var reads []int
		var got []byte
		for len(got) < len(text) {
			p := make([]byte, 100)
			n, err := s.Read(p)
			if err != nil || n > 10 {
				t.Fatalf("read %d, %v", n, err)
			}
			got = append(got, p[:n]...)
			reads = append(reads, n)
		}
		if !bytes.Equal(got, text) || len(reads) < 7 || len(m.writes) < 7 {
			t.Errorf("%q in %v, written in %v", got, reads, m.writes)
		}
		return fmt.Sprint(reads, m.writes)
	}
	if a, b := run(1), run(1); a != b {
		t.Errorf("the same seed: %s and %s", a, b)
	}
	if a, b := run(1), run(2); a == b {
		t.Errorf("two seeds: %s", a)
	}
}

func TestWriteErrors(t *testing.T) {
	partial := 0
	for seed := range uint64(100) {
		m := memory{}
		m.Buffer.WriteString("to be read")
		s := faultconn.Stream(&m, faultconn.Plan{Seed: seed, Piece: 20, WriteError: 0.3})
		text := bytes.Repeat([]byte("0123456789"), 10)
		n, err := s.Write(text)
		for err == nil {
			n, err = s.Write(text)
		}
		if !errors.Is(err, faultconn.ErrWrite) || n > len(text) {
			t.Fatalf("%d, %v", n, err)
		}
		if n > 0 && n < len(text) {
			partial++
		}
		if _, err := io.ReadAll(s); err != nil || m.closed {
			t.Errorf("reading: %v, closed %t", err, m.closed)
		}
	}
	if partial < 50 {
		t.Errorf("only %d writes of 100 were broken off", partial)
	}
}

func TestResets(t *testing.T) {
	var m memory
	s := faultconn.Stream(&m, faultconn.Plan{Reset: 0.2})
	var err error
	for err == nil {
		_, err = s.Write([]byte("x"))
	}
	if !errors.Is(err, faultconn.ErrReset) || !m.closed {
		t.Errorf("%v", err)
	}
	if _, err := s.Read(make([]byte, 1)); !errors.Is(err, faultconn.ErrReset) {
		t.Errorf("reading: %v", err)
	}
}

func TestStalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		near, far := net.Pipe()
		defer near.Close()
		go io.Copy(io.Discard, near)
		c := faultconn.Conn(far, faultconn.Plan{Stall: 1, StallTime: time.Minute})
		started := time.Now()
		if _, err := c.Write([]byte("x")); err != nil || time.Since(started) == 0 || time.Since(started) > time.Minute {
			t.Errorf("%v after %v", err, time.Since(started))
		}
		// A deadline ends a stall, even if it is set during the stall.
		c.SetWriteDeadline(time.Now())
		if _, err := c.Write([]byte("x")); !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("%v", err)
		}
		c.SetDeadline(time.Time{})
		failed := make(chan error, 1)
		go func() {
			_, err := c.Read(make([]byte, 1))
			failed <- err
		}()
		synctest.Wait()
		c.SetReadDeadline(time.Now().Add(time.Millisecond))
		if err := <-failed; !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("%v", err)
		}
		c.SetReadDeadline(time.Time{})
		go func() {
			_, err := c.Read(make([]byte, 1))
			failed <- err
		}()
		synctest.Wait()
		started = time.Now()
		c.Close()
		if err := <-failed; !errors.Is(err, net.ErrClosed) || time.Since(started) > 0 {
			t.Errorf("%v after %v", err, time.Since(started))
		}
	})
}

func TestListener(t *testing.T) {
	l := faultconn.NewListener(func(n int) faultconn.Plan {
		return faultconn.Plan{Reset: float64(n)} // the second one breaks at once
	})
	accepted := make(chan net.Conn, 2)
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				close(accepted)
				return
			}
			accepted <- c
		}
	}()
	for i, want := range []error{nil, faultconn.ErrReset} {
		near, err := l.Dial(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		far := <-accepted
		if near.LocalAddr().String() != far.RemoteAddr().String() || far.LocalAddr().String() != l.Addr().String() {
			t.Errorf("addresses %v, %v, %v, %v", near.LocalAddr(), near.RemoteAddr(), far.LocalAddr(), far.RemoteAddr())
		}
		go near.Write([]byte("x"))
		if _, err := far.Read(make([]byte, 1)); err != want {
			t.Errorf("connection %d: %v", i, err)
		}
		near.Close()
		far.Close()
	}
	l.Close()
	if _, err := l.Dial(t.Context()); !errors.Is(err, net.ErrClosed) {
		t.Errorf("dial: %v", err)
	}
	<-accepted
}
