package spec

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
)

// WebSocket returns a client connection whose messages it validates, in both directions, after the
// HTTP header (RFC 6455, section 5). Validation ends at an invalid frame, and with compression.
func WebSocket(t testing.TB, c net.Conn) net.Conn {
	p := NewTap(t)
	if p.all == nil {
		return c
	}
	conversation := p.Conversation()
	return &framedConn{
		Conn: c,
		sent: &frames{validate: conversation.Client, stop: conversation.lose}, received: &frames{validate: conversation.Server, stop: func() {}},
	}
}

// WebSocketHandler returns middleware that validates the messages on connections that a handler
// upgrades, in both directions. Validation ends at an invalid frame, and with compression.
func (p *Tap) WebSocketHandler(h http.Handler) http.Handler {
	if p.all == nil {
		return h
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.ServeHTTP(&upgraded{w, p.Conversation()}, r)
	})
}

// upgraded is the ResponseWriter of a request that may become a connection.
type upgraded struct {
	http.ResponseWriter
	conversation *Conversation
}

func (u *upgraded) Unwrap() http.ResponseWriter { return u.ResponseWriter }

func (u *upgraded) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	c, rw, err := http.NewResponseController(u.ResponseWriter).Hijack()
	if err != nil {
		return nil, nil, err
	}
	fromClient := &frames{validate: u.conversation.Client, stop: u.conversation.lose, opened: true}
	fromServer := &frames{validate: u.conversation.Server, stop: func() {}, opened: true}
	conn := &framedConn{Conn: c, sent: fromServer, received: fromClient}
	early, err := rw.Reader.Peek(rw.Reader.Buffered()) // that arrived with the request
	if err != nil {
		return nil, nil, err
	}
	early = bytes.Clone(early)
	fromClient.write(early)
	rw.Reader.Reset(io.MultiReader(bytes.NewReader(early), conn))
	if _, err := rw.Reader.Peek(len(early)); err != nil { // it stays buffered
		return nil, nil, err
	}
	rw.Writer.Reset(conn)
	return conn, rw, nil
}

// framedConn is a connection whose bytes are recorded.
type framedConn struct {
	net.Conn
	sent, received *frames
}

func (c *framedConn) Write(b []byte) (int, error) {
	c.sent.write(b)
	return c.Conn.Write(b)
}

func (c *framedConn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	c.received.write(b[:n])
	return n, err
}

// frames splits the bytes of one direction into messages.
type frames struct {
	validate func(text string)
	stop     func() // called when no more messages can be read

	mu      sync.Mutex
	opened  bool // the HTTP header is complete
	ended   bool // the following bytes cannot be parsed
	rest    []byte
	message strings.Builder
	within  bool // inside of a fragmented message
}

func (f *frames) write(b []byte) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.ended {
		return
	}
	f.rest = append(f.rest, b...)
	if !f.opened {
		_, rest, ok := strings.Cut(string(f.rest), "\r\n\r\n")
		if !ok {
			return
		}
		f.opened, f.rest = true, []byte(rest)
	}
	for !f.ended && f.frame() {
	}
}

// frame consumes one frame, and reports whether a complete one was buffered.
func (f *frames) frame() bool {
	b := f.rest
	if len(b) < 2 {
		return false
	}
	final, kind, masked := b[0]&0x80 != 0, b[0]&0x0f, b[1]&0x80 != 0
	size, at := uint64(b[1]&0x7f), 2
	switch {
	case size == 126 && len(b) >= 4:
		size, at = uint64(binary.BigEndian.Uint16(b[2:])), 4
	case size == 127 && len(b) >= 10:
		size, at = binary.BigEndian.Uint64(b[2:]), 10
	case size >= 126:
		return false
	}
	var key [4]byte
	if masked {
		if len(b) < at+4 {
			return false
		}
		at += copy(key[:], b[at:])
	}
	text := kind == 1 && !f.within || kind == 0 && f.within
	if b[0]&0x70 != 0 || !text && kind != 9 && kind != 10 || size > longestBody {
		f.ended, f.rest = true, nil
		f.stop()
		return false
	}
	if uint64(len(b)-at) < size {
		return false
	}
	payload := b[at : at+int(size)]
	for i := range payload {
		payload[i] ^= key[i%4]
	}
	f.rest = b[at+int(size):]
	if !text {
		return true
	}
	f.message.Write(payload)
	if f.within = !final; final {
		f.validate(f.message.String())
		f.message.Reset()
	}
	return true
}
