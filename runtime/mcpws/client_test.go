package mcpws_test

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/mcpgen/mcpgen/internal/spec"
)

// client is a client that sends what it is told, right or wrong, and answers
// nothing by itself.
type client struct {
	t    *testing.T
	conn net.Conn
	r    *bufio.Reader
	resp *http.Response

	mu    sync.Mutex
	heard []string
	done  chan struct{} // closed when there is nothing more to hear
}

// request returns an upgrade, changed by the fields: "Name: value" sets one, "-Name"
// removes it, "+Name: value" adds one, "GET ..." replaces the first line.
func request(fields ...string) string {
	lines := []string{
		"GET /mcp HTTP/1.1", "Host: 127.0.0.1:8080", "Connection: Upgrade", "Upgrade: websocket",
		"Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Protocol: mcp",
	}
	for _, field := range fields {
		name, _, ok := strings.Cut(field, ":")
		if !ok && strings.HasSuffix(field, "HTTP/1.1") {
			lines[0] = field
			continue
		}
		if added, more := strings.CutPrefix(field, "+"); more {
			lines = append(lines, added)
			continue
		}
		name = strings.TrimPrefix(name, "-")
		kept := lines[:0]
		for _, line := range lines {
			if !strings.HasPrefix(line, name+":") {
				kept = append(kept, line)
			}
		}
		if lines = kept; ok {
			lines = append(lines, field)
		}
	}
	return strings.Join(lines, "\r\n") + "\r\n\r\n"
}

// dial sends a request and reads the answer's header.
func (s *site) dial(fields ...string) *client {
	s.t.Helper()
	conn, err := s.net.Dial(s.t.Context())
	if err != nil {
		s.t.Fatal(err)
	}
	return dialOn(s.t, conn, fields...)
}

func dialOn(t *testing.T, conn net.Conn, fields ...string) *client {
	t.Helper()
	conn = spec.WebSocket(t, conn)
	c := &client{t: t, conn: conn, r: bufio.NewReader(conn), done: make(chan struct{})}
	if _, err := io.WriteString(conn, request(fields...)); err != nil {
		t.Fatal(err)
	}
	var err error
	if c.resp, err = http.ReadResponse(c.r, nil); err != nil {
		t.Fatal(err)
	}
	return c
}

// refused sends a request and returns status and text of the answer.
func (s *site) refused(fields ...string) (int, string, http.Header) {
	s.t.Helper()
	c := s.dial(fields...)
	defer c.conn.Close()
	if c.resp.StatusCode == http.StatusSwitchingProtocols {
		return c.resp.StatusCode, "", c.resp.Header
	}
	text, err := io.ReadAll(c.resp.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return c.resp.StatusCode, string(text), c.resp.Header
}

// open opens a connection and listens.
func (s *site) open(fields ...string) *client {
	s.t.Helper()
	c := s.openDeaf(fields...)
	go c.listen()
	return c
}

// openDeaf opens a connection and does not listen.
func (s *site) openDeaf(fields ...string) *client {
	s.t.Helper()
	c := s.dial(fields...)
	c.opened()
	return c
}

func (c *client) opened() {
	c.t.Helper()
	if c.resp.StatusCode != http.StatusSwitchingProtocols {
		text, _ := io.ReadAll(c.resp.Body)
		c.t.Fatalf("status %s, %s", c.resp.Status, text)
	}
}

// Frames that the client sends.
const (
	fin        = 0x80
	textFrame  = 0x1
	moreFrame  = 0x0
	binFrame   = 0x2
	closeFrame = 0x8
	pingFrame  = 0x9
	pongFrame  = 0xa
)

func masked(head byte, payload string) []byte {
	b := []byte{head}
	switch n := len(payload); {
	case n < 126:
		b = append(b, 0x80|byte(n))
	case n < 1<<16:
		b = binary.BigEndian.AppendUint16(append(b, 0x80|126), uint16(n))
	default:
		b = binary.BigEndian.AppendUint64(append(b, 0x80|127), uint64(n))
	}
	key := [4]byte{1, 2, 3, 4}
	b = append(b, key[:]...)
	for i := range len(payload) {
		b = append(b, payload[i]^key[i%4])
	}
	return b
}

func (c *client) write(b []byte) {
	c.t.Helper()
	if _, err := c.conn.Write(b); err != nil {
		c.t.Errorf("client writes: %v", err)
	}
}

func (c *client) frame(head byte, payload string) {
	c.t.Helper()
	c.write(masked(head, payload))
}

func (c *client) say(messages ...string) {
	c.t.Helper()
	for _, m := range messages {
		c.frame(fin|textFrame, m)
	}
}

// listen reads frames until the connection ends.
func (c *client) listen() {
	defer close(c.done)
	for {
		frame, err := c.read()
		if err != nil {
			c.hear(fmt.Sprintf("end %v", err))
			return
		}
		c.hear(frame)
	}
}

func (c *client) hear(frame string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.heard = append(c.heard, frame)
}

func (c *client) read() (string, error) {
	var head [2]byte
	if _, err := io.ReadFull(c.r, head[:]); err != nil {
		return "", err
	}
	size := uint64(head[1])
	switch size {
	case 126:
		var b [2]byte
		if _, err := io.ReadFull(c.r, b[:]); err != nil {
			return "", err
		}
		size = uint64(binary.BigEndian.Uint16(b[:]))
	case 127:
		var b [8]byte
		if _, err := io.ReadFull(c.r, b[:]); err != nil {
			return "", err
		}
		size = binary.BigEndian.Uint64(b[:])
	}
	payload := make([]byte, size)
	if _, err := io.ReadFull(c.r, payload); err != nil {
		return "", err
	}
	switch head[0] {
	case fin | textFrame:
		return "text " + string(payload), nil
	case fin | pingFrame:
		return "ping " + string(payload), nil
	case fin | pongFrame:
		return "pong " + string(payload), nil
	case fin | closeFrame:
		return fmt.Sprintf("close %d %s", binary.BigEndian.Uint16(payload), payload[2:]), nil
	}
	return fmt.Sprintf("frame %#x %q", head[0], payload), nil
}

// received waits until nothing happens any more and returns what has been heard
// since it was asked last.
func (c *client) received() []string {
	synctest.Wait()
	c.mu.Lock()
	defer c.mu.Unlock()
	heard := c.heard
	c.heard = nil
	return heard
}

// wants checks what is heard: each frame contains its text.
func (c *client) wants(want ...string) {
	c.t.Helper()
	got := c.received()
	if len(got) != len(want) {
		c.t.Errorf("heard %d frames, want %d: %s", len(got), len(want), short(got))
		return
	}
	for i := range want {
		if !strings.Contains(got[i], want[i]) {
			c.t.Errorf("heard %s, want %s", short(got[i:i+1]), want[i])
		}
	}
}

func short(frames []string) string {
	var b strings.Builder
	for _, f := range frames {
		if len(f) > 300 {
			f = fmt.Sprintf("%s... (%d bytes)", f[:300], len(f))
		}
		b.WriteString("\n\t" + f)
	}
	return b.String()
}
