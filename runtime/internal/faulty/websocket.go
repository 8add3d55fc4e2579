package faulty

import (
	"bufio"
	"crypto/sha1"
	"encoding/base64"
	"encoding/binary"
	"io"
	"net"
	"net/http"
)

// ServeWebSocket serves listeners until they are closed: one message in each text frame.
func (s *Server) ServeWebSocket(l net.Listener) { s.accept(l, s.serveWebSocket) }

// websocketKey is the constant of RFC 6455, section 1.3.
const websocketKey = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"

func (s *Server) serveWebSocket(conn io.ReadWriteCloser) {
	in := bufio.NewReader(conn)
	r, err := http.ReadRequest(in)
	if err != nil {
		_ = conn.Close()
		return
	}
	sum := sha1.Sum([]byte(r.Header.Get("Sec-WebSocket-Key") + websocketKey))
	_, err = io.WriteString(conn, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Protocol: mcp\r\n"+
		"Sec-WebSocket-Accept: "+base64.StdEncoding.EncodeToString(sum[:])+"\r\n\r\n")
	begun := false // a message is sent in frames, and not complete
	w := newStream(conn, func(text []byte, whole bool) []byte {
		head := byte(0)
		if !begun {
			head = 1 // text
		}
		if begun = !whole; whole {
			head |= 0x80 // the last frame
		}
		return Frame(head, text)
	})
	defer w.end()
	number := int(s.connections.Add(1))
	for err == nil {
		var opcode byte
		var payload []byte
		opcode, payload, err = readFrame(in)
		switch {
		case err != nil || opcode == 8:
			return
		case opcode == 1:
			w.handlers.Go(func() { s.handle(&turn{stream: w}, number, payload) })
		}
	}
}

// Frame returns a frame of a server.
func Frame(head byte, payload []byte) []byte {
	b := []byte{head}
	switch n := len(payload); {
	case n < 126:
		b = append(b, byte(n))
	case n < 1<<16:
		b = binary.BigEndian.AppendUint16(append(b, 126), uint16(n))
	default:
		b = binary.BigEndian.AppendUint64(append(b, 127), uint64(n))
	}
	return append(b, payload...)
}

// readFrame reads a frame of a client, which is masked.
func readFrame(in *bufio.Reader) (opcode byte, payload []byte, err error) {
	var head [2]byte
	if _, err := io.ReadFull(in, head[:]); err != nil {
		return 0, nil, err
	}
	size := uint64(head[1] & 0x7f)
	if more := map[uint64]int{126: 2, 127: 8}[size]; more > 0 {
		var long [8]byte
		if _, err := io.ReadFull(in, long[8-more:]); err != nil {
			return 0, nil, err
		}
		size = binary.BigEndian.Uint64(long[:])
	}
	var mask [4]byte
	if _, err := io.ReadFull(in, mask[:]); err != nil {
		return 0, nil, err
	}
	payload = make([]byte, size)
	if _, err := io.ReadFull(in, payload); err != nil {
		return 0, nil, err
	}
	for i := range payload {
		payload[i] ^= mask[i%4]
	}
	return head[0] & 0x0f, payload, nil
}
