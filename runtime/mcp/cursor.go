package mcp

import (
	"context"
	"encoding/base64"
	"encoding/binary"

	"github.com/mcpgen/mcpgen/runtime/internal/seal"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// position is a position in a list: after a feature, or after a resource that a template lists. It
// stays valid if features are added or removed.
type position struct {
	dynamic bool
	number  uint64 // number of the feature, or of the template
	key     string // URI of the resource
}

// A cursor is base64url of a version, the list, the position and a MAC by the state keys of the
// server. Equal positions have equal cursors, so that clients can use them as keys of a cache.
const (
	cursorVersion = 1
	cursorPurpose = "cursor"
	dynamicFlag   = 0x80
)

// cursor returns the cursor of a position.
func cursor(l *pagedList, at position, keys *seal.Keyring) string {
	kind := l.kind()
	if at.dynamic {
		kind |= dynamicFlag
	}
	b := binary.AppendUvarint([]byte{cursorVersion, kind}, at.number)
	b = append(b, at.key...)
	b = append(b, keys.MAC(cursorPurpose, b)...)
	return base64.RawURLEncoding.EncodeToString(b)
}

// readCursor reads the cursor of a request. ok is false if the cursor is not valid, or belongs to
// another list.
func (s *Server) readCursor(ctx context.Context, l *pagedList, cursor []byte) (at position, ok bool, err error) {
	text, ok := jsonrpc.String(cursor)
	if !ok {
		return at, false, nil
	}
	b, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil || len(b) < 3+seal.MACSize || len(text) != base64.RawURLEncoding.EncodedLen(len(b)) {
		return at, false, nil // the decoder ignores line ends
	}
	b, mac := b[:len(b)-seal.MACSize], b[len(b)-seal.MACSize:]
	ok, err = s.withKeys(ctx, func(keys *seal.Keyring) bool { return keys.CheckMAC(cursorPurpose, b, mac) })
	if !ok || b[0] != cursorVersion || b[1]&^dynamicFlag != l.kind() {
		return at, false, err
	}
	number, n := binary.Uvarint(b[2:])
	if n <= 0 {
		return at, false, nil
	}
	return position{dynamic: b[1]&dynamicFlag != 0, number: number, key: string(b[2+n:])}, true, nil
}
