package mcpws_test

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/internal/proof/spec"
	"github.com/mcpgen/mcpgen/runtime/internal/testbed"
)

// client is a client that sends valid and invalid frames, and answers no frame by itself.
type client struct {
	t    *testing.T
	conn net.Conn
	r    *bufio.Reader
	resp *http.Response

	inbox testbed.Inbox // received frames, by kind and payload
	done  chan struct{} // closed at the end of reading
}

// request returns an upgrade, changed by the fields: "Name: value" sets one, "-Name" removes it,
// "+Name: value" adds one, "GET ..." replaces the first line.
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

// dial sends a request and reads the header of the response.
func (s *testServer) dial(fields ...string) *client {
	s.t.Helper()
	conn, err := s.network.Dial(s.t.Context())
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

// refused sends a request and returns the status, text and header of the response.
func (s *testServer) refused(fields ...string) (int, string, http.Header) {
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

// open opens a connection and reads its frames.
func (s *testServer) open(fields ...string) *client {
	s.t.Helper()
	c := s.openWithoutReading(fields...)
	go c.readFrames()
	return c
}

// openWithoutReading opens a connection and does not read its frames.
func (s *testServer) openWithoutReading(fields ...string) *client {
	s.t.Helper()
	c := s.dial(fields...)
	c.checkOpen()
	return c
}

// checkOpen checks that the upgrade has been accepted.
func (c *client) checkOpen() {
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

// want checks the frames since the last call: each contains its text.
func (c *client) want(want ...string) {
	c.t.Helper()
	c.inbox.Want(c.t, want...)
}

func (c *client) write(b []byte) {
	c.t.Helper()
	if _, err := c.conn.Write(b); err != nil {
		c.t.Errorf("client writes: %v", err)
	}
}

func (c *client) frame(head byte, payload string) {
	c.t.Helper()
	c.write(testbed.MaskedFrame(head, payload))
}

// send sends each message as a text frame.
func (c *client) send(messages ...string) {
	c.t.Helper()
	for _, m := range messages {
		c.frame(fin|textFrame, m)
	}
}

// readFrames reads frames until the connection ends.
func (c *client) readFrames() {
	defer close(c.done)
	for {
		frame, err := c.read()
		if err != nil {
			c.inbox.Add(fmt.Sprintf("end %v", err))
			return
		}
		c.inbox.Add(frame)
	}
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
