// Package discarded finds kind and identifier of a message that is discarded while it arrives, so
// that its sender can get an error.
package discarded

import "bytes"

// longest is the largest text that is stored, in bytes: an identifier of 1,024 bytes, each of them
// escaped.
const longest = 6*1024 + 2

// Message is a message of JSON-RPC in parts. It is not validated: for a text that is not JSON the
// results are meaningless.
type Message struct {
	depth    int
	inString bool
	escaped  bool
	value    bool   // at the top level: a value follows, or has begun
	key      []byte // the name of the member that the value belongs to
	text     []byte // the collected text: a name, or the value of an id
	lost     bool   // the text is too long

	id                     []byte
	ids                    int
	method, params, answer bool
}

// Write processes the next part.
func (m *Message) Write(part []byte) {
	for len(part) > 0 {
		if m.depth > 1 && m.inString && !m.escaped {
			// Most of a long message is nested deeply, where only strings matter.
			i := bytes.IndexAny(part, `"\`)
			if i < 0 {
				return
			}
			part = part[i:]
		}
		m.take(part[0])
		part = part[1:]
	}
}

func (m *Message) take(c byte) {
	if m.inString {
		m.inside(c)
		return
	}
	switch c {
	case ' ', '\t', '\r', '\n':
		return
	case '"':
		m.inString = true
		m.collect(c)
	case '{', '[':
		m.collect(c)
		m.depth++
	case '}', ']':
		if m.depth == 1 {
			m.member()
		}
		m.depth--
		m.collect(c)
	case ':':
		if m.depth == 1 && !m.value {
			m.key = append(m.key[:0], m.text...)
			m.value = true
			m.forget()
			switch string(m.key) {
			case `"method"`:
				m.method = true
			case `"params"`:
				m.params = true
			case `"result"`, `"error"`:
				m.answer = true
			}
		}
	case ',':
		if m.depth == 1 {
			m.member()
		}
	default:
		m.collect(c)
	}
}

// inside processes a byte of a string.
func (m *Message) inside(c byte) {
	m.collect(c)
	switch {
	case m.escaped:
		m.escaped = false
	case c == '\\':
		m.escaped = true
	case c == '"':
		m.inString = false
	}
}

// collect processes a byte of a name at the top level, or of the value of an id.
func (m *Message) collect(c byte) {
	switch {
	case m.depth != 1 || m.lost || m.value && string(m.key) != `"id"`:
	case len(m.text) == longest:
		m.lost = true
	default:
		m.text = append(m.text, c)
	}
}

func (m *Message) forget() { m.text, m.lost = m.text[:0], false }

// member handles the end of a member of the object.
func (m *Message) member() {
	if m.value && string(m.key) == `"id"` {
		m.ids++
		if m.id = nil; !m.lost {
			m.id = append(m.id, m.text...)
		}
	}
	m.value = false
	m.forget()
}

// IsCut reports whether data is a truncated JSON object or array, as the last message on a broken
// connection. It does not validate.
func IsCut(data []byte) bool {
	data = bytes.TrimLeft(data, " \t\r\n")
	if len(data) == 0 || data[0] != '{' && data[0] != '[' {
		return false
	}
	var m Message
	m.Write(data)
	return m.depth > 0
}

// Reset makes m ready for another message.
func (m *Message) Reset() { *m = Message{} }

// ID returns the id in the parts so far, as JSON text: nil if they do not contain exactly one.
func (m *Message) ID() []byte {
	if m.ids != 1 {
		return nil
	}
	return m.id
}

// The kinds of messages, equal to the constants in package jsonrpc.
const (
	Invalid = iota
	Request
	Notification
	Response
)

// Kind returns the kind of the message, judged by the names of the members so far, and by an id
// that is complete.
func (m *Message) Kind() uint8 {
	question := m.method || m.params && !m.answer // the method may come last
	switch {
	case question == m.answer:
		return Invalid
	case question && m.ids > 0:
		return Request
	case question:
		return Notification
	case m.ids > 0:
		return Response
	}
	return Invalid
}
