package jsonrpc

import (
	"bytes"
	"strconv"
)

// MaxID is the largest size of an identifier, in bytes: of the digits of a number, or of the JSON
// text between the quotes of a string. It is bounded because receivers store identifiers: the
// identifier of a subscription as long as the client stays subscribed.
const MaxID = 1024

// ID is the identifier of a request: a JSON string or an integer, stored as the received bytes, so
// that the reply has the same bytes. The zero ID means that a message does not have an identifier.
// An ID that [Parse] returned aliases the parsed message.
type ID struct {
	raw []byte
}

// Null is the identifier of a reply to a message whose own identifier could not be read (JSON-RPC
// 2.0, section 5.1).
var Null = ID{raw: []byte("null")}

// IntID returns the identifier n.
func IntID(n int64) ID {
	return ID{raw: strconv.AppendInt(nil, n, 10)}
}

// TextID returns the identifier s.
func TextID(s string) ID {
	return ID{raw: appendString(nil, s)}
}

// RawID returns the identifier with the JSON text raw, and whether raw is one: a JSON string or
// integer without blanks around it, of at most [MaxID] bytes. Null, fractions and exponents are not
// identifiers. The result aliases raw.
func RawID(raw []byte) (ID, bool) {
	if IsLongID(raw) || !validID(raw) {
		return ID{}, false
	}
	return ID{raw: raw}, true
}

// IsLongID reports whether a JSON string or number is longer than [MaxID] allows.
func IsLongID(raw []byte) bool {
	switch {
	case len(raw) <= MaxID:
		return false
	case raw[0] == '"':
		return len(raw) > MaxID+2
	}
	return raw[0] == '-' || raw[0] >= '0' && raw[0] <= '9'
}

// IsZero reports whether id is the zero ID.
func (id ID) IsZero() bool { return len(id.raw) == 0 }

// Raw returns the identifier as JSON text. It must not be changed.
func (id ID) Raw() []byte { return id.raw }

// String returns the identifier as JSON text: "42" is a string, 42 a number.
func (id ID) String() string { return string(id.raw) }

// Clone returns a copy that does not alias the message it came with.
func (id ID) Clone() ID {
	return ID{raw: bytes.Clone(id.raw)}
}

// IDKey is an ID in a form that can be compared and used in a map. Two spellings of the same
// identifier have the same key, and "42" differs from 42.
type IDKey struct {
	kind byte
	n    int64
	s    string
}

const (
	keyInt    = 'i' // n holds the number
	keyBig    = 'b' // s holds the digits of a number outside int64
	keyString = 's'
)

// Key returns the canonical form for look-ups. It does not refer to the message.
func (id ID) Key() IDKey {
	raw := id.raw
	if len(raw) == 0 {
		return IDKey{}
	}
	if raw[0] == '"' {
		return IDKey{kind: keyString, s: unquote(raw)}
	}
	if n, err := strconv.ParseInt(string(raw), 10, 64); err == nil {
		return IDKey{kind: keyInt, n: n}
	}
	return IDKey{kind: keyBig, s: string(raw)}
}

func validID(raw []byte) bool {
	if len(raw) == 0 {
		return false
	}
	if raw[0] == '"' {
		return validString(raw)
	}
	digits := raw
	if digits[0] == '-' {
		digits = digits[1:]
	}
	if len(digits) == 0 || (digits[0] == '0' && len(digits) > 1) {
		return false
	}
	for _, c := range digits {
		if c < '0' || c > '9' {
			return false
		}
	}
	return true
}

// CopyTo returns a copy whose bytes are in buf if they fit.
func (id ID) CopyTo(buf []byte) ID {
	return ID{raw: append(buf[:0], id.raw...)}
}
