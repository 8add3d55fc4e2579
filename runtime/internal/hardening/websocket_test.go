package hardening_test

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"

	"github.com/mcpgen/mcpgen/runtime/internal/testbed"
)

// webSocketLink is a WebSocket client that sends only the frames of the test, valid or not, and
// pongs.
type webSocketLink struct {
	in          *inbox
	conn        net.Conn
	r           *bufio.Reader
	ignorePings atomic.Bool

	// A goroutine that writes holds the one place of this channel. A mutex would stop the time of a
	// bubble while others wait for a write that waits for time to pass.
	writing chan struct{}
	closed  int // status of the received close frame, 0 before
}

// Kinds of frames (RFC 6455, section 5.2).
const (
	final      = 0x80
	moreFrame  = 0x0
	textFrame  = 0x1
	binFrame   = 0x2
	closeFrame = 0x8
	pingFrame  = 0x9
	pongFrame  = 0xa
)

// upgrade opens a connection.
func upgrade(s *site, fields ...string) (net.Conn, *bufio.Reader, error) {
	conn, err := s.net.Dial(s.ctx)
	if err != nil {
		return nil, nil, err
	}
	head := http.Header{
		"Host": {s.addr}, "Connection": {"Upgrade"}, "Upgrade": {"websocket"}, "Sec-Websocket-Version": {"13"},
		"Sec-Websocket-Key": {"dGhlIHNhbXBsZSBub25jZQ=="}, "Sec-Websocket-Protocol": {"mcp"},
	}
	setFields(head, fields)
	var b strings.Builder
	b.WriteString("GET /mcp HTTP/1.1\r\n")
	_ = head.Write(&b)
	b.WriteString("\r\n")
	r := bufio.NewReader(conn)
	var resp *http.Response
	if _, err = io.WriteString(conn, b.String()); err == nil {
		resp, err = http.ReadResponse(r, nil)
	}
	if err == nil && resp.StatusCode != http.StatusSwitchingProtocols {
		err = fmt.Errorf("upgrade: %s", resp.Status)
	}
	if err != nil {
		_ = conn.Close()
		return nil, nil, err
	}
	return conn, r, nil
}

func dialWebSocket(s *site, in *inbox, who string) (link, error) {
	conn, r, err := upgrade(s, "Authorization: "+s.credential(who), "X-Test: "+s.marked(who), "X-Client: "+s.stated)
	if err != nil {
		return nil, err
	}
	l := &webSocketLink{in: in, conn: conn, r: r, writing: make(chan struct{}, 1)}
	in.running.Go(func() {
		defer in.end()
		l.listen()
	})
	return l, nil
}

// listen reads frames until the connection is closed.
func (l *webSocketLink) listen() {
	for {
		l.in.listen()
		kind, payload, err := readFrame(l.r)
		if err != nil {
			return
		}
		switch kind {
		case final | textFrame:
			l.in.add(parse(string(payload)))
		case final | pingFrame:
			if !l.ignorePings.Load() && l.frame(final|pongFrame, payload) != nil {
				return
			}
		case final | closeFrame:
			if len(payload) >= 2 {
				l.closed = int(binary.BigEndian.Uint16(payload))
			}
			_ = l.frame(final|closeFrame, payload)
			return
		default:
			l.in.add(message{raw: fmt.Sprintf("frame %#x %q", kind, payload), Method: "frame", signal: true})
		}
	}
}

func readFrame(r io.Reader) (kind byte, payload []byte, err error) {
	var head [2]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return 0, nil, err
	}
	size := uint64(head[1])
	switch size {
	case 126:
		var b [2]byte
		_, err = io.ReadFull(r, b[:])
		size = uint64(binary.BigEndian.Uint16(b[:]))
	case 127:
		var b [8]byte
		_, err = io.ReadFull(r, b[:])
		size = binary.BigEndian.Uint64(b[:])
	}
	if err != nil {
		return 0, nil, err
	}
	payload = make([]byte, size)
	_, err = io.ReadFull(r, payload)
	return head[0], payload, err
}

// frame sends a frame.
func (l *webSocketLink) frame(head byte, payload []byte) error {
	l.writing <- struct{}{}
	defer func() { <-l.writing }()
	_, err := l.conn.Write(testbed.MaskedFrame(head, payload))
	return err
}

func (l *webSocketLink) send(p parcel) *delivery {
	if p.body == nil {
		return delivered(l.frame(final|textFrame, []byte(p.text)))
	}
	kind := byte(textFrame)
	piece := make([]byte, 64<<10)
	for {
		n, err := io.ReadFull(p.body, piece)
		if n > 0 {
			if err := l.frame(kind, piece[:n]); err != nil {
				return delivered(err)
			}
			kind = moreFrame
		}
		if err != nil {
			return delivered(l.frame(final|kind, nil))
		}
	}
}

func (l *webSocketLink) vanish() { _ = l.conn.Close() }
