package testbed

import (
	"bytes"
	"crypto/subtle"
	"encoding/binary"
	"fmt"
)

const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`

// Call returns a tools/call request of revision 2026-07-28. The arguments are JSON.
func Call(id int, tool, arguments string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s,%s}}`, id, tool, arguments, meta)
}

// Ping returns a ping request.
func Ping(id int) string { return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"ping"}`, id) }

// Pong returns the reply to a ping.
func Pong(id int) string { return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{}}`, id) }

// MaskedFrame returns a WebSocket frame of a client (RFC 6455, section 5.2). head is its first
// byte.
func MaskedFrame[T string | []byte](head byte, payload T) []byte {
	b := append(make([]byte, 0, len(payload)+14), head)
	switch n := len(payload); {
	case n < 126:
		b = append(b, 0x80|byte(n))
	case n < 1<<16:
		b = binary.BigEndian.AppendUint16(append(b, 0x80|126), uint16(n))
	default:
		b = binary.BigEndian.AppendUint64(append(b, 0x80|127), uint64(n))
	}
	b = append(b, mask[:4]...)
	begin := len(b)
	b = append(b, payload...)
	for part := b[begin:]; len(part) > 0; {
		n := subtle.XORBytes(part, part, mask)
		part = part[n:]
	}
	return b
}

// mask is a masking key, repeated.
var mask = bytes.Repeat([]byte{1, 2, 3, 4}, 256)
