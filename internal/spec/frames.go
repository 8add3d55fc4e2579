package spec

import (
	"encoding/binary"
	"net"
	"strings"
	"sync"
	"testing"
)

// WebSocket returns the connection of a client whose messages it validates, in both
// directions, after the HTTP header (RFC 6455, section 5). Validation ends at an
// invalid frame, and with compression.
func WebSocket(t testing.TB, c net.Conn) net.Conn {
	p := NewTap(t)
	if p.all == nil {
		return c
	}
	conversation := p.Conversation()
	return &spied{
		Conn: c,
		said: &frames{take: conversation.Client, lost: conversation.Lose}, heard: &frames{take: conversation.Server, lost: func() {}},
	}
}

// spied is a connection whose bytes are recorded.
type spied struct {
	net.Conn
	said, heard *frames
}

func (c *spied) Write(b []byte) (int, error) {
	c.said.write(b)
	return c.Conn.Write(b)
}

func (c *spied) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	c.heard.write(b[:n])
	return n, err
}

// frames splits the bytes of one direction into messages.
type frames struct {
	take func(text string)
	lost func() // called when no more messages can be read

	mu      sync.Mutex
	opened  bool // the HTTP header has ended
	ended   bool // the following bytes cannot be parsed
	rest    []byte
	message strings.Builder
	within  bool // of a fragmented message
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

// frame consumes one frame, and reports whether there was one.
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
		f.lost()
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
		f.take(f.message.String())
		f.message.Reset()
	}
	return true
}
