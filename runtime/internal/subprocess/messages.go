package subprocess

import (
	"bytes"
	"fmt"
	"io"

	"github.com/mcpgen/mcpgen/runtime/internal/dial"
)

const (
	// maxSkipped limits the bytes between two messages that are not messages.
	maxSkipped = 64 << 10
	// maxQuoted limits the reported part of such a line, in bytes.
	maxQuoted = 256
)

// messages is the output of a program without the lines that cannot be messages: banners, logs,
// blank lines. A message is an object, or an array whose first element is an object.
type messages struct {
	r      io.Reader
	report func(error)

	state   lineState
	skipped int    // bytes since the last message
	quoted  []byte // the beginning of the line that is skipped
	lines   int    // lines skipped since the last message
	err     error
}

// lineState is the state of the current line.
type lineState uint8

const (
	lineBegins  lineState = iota // it contains only blanks so far
	lineBracket                  // a "[" is read, and not yet passed on
	lineMessage
	lineOther
)

func (m *messages) Read(p []byte) (int, error) {
	for m.err == nil {
		// If the bracket of the last read begins a message, it is put in front.
		held := 0
		if m.state == lineBracket {
			if len(p) < 2 {
				return 0, io.ErrShortBuffer
			}
			held = 1
		}
		n, err := m.r.Read(p[held:])
		passed := m.pass(p[:held+n], held)
		if m.err == nil {
			if m.err = err; err != nil {
				m.endRun()
			}
		}
		if passed > 0 {
			return passed, m.err
		}
	}
	return 0, m.err
}

// pass moves the bytes of messages to the front of p, from the index read on, and returns their
// number.
func (m *messages) pass(p []byte, read int) (passed int) {
	for read < len(p) && m.err == nil {
		switch m.state {
		case lineBegins:
			read += m.begin(p, read, &passed)
		case lineBracket:
			switch c := p[read]; {
			case c == ' ' || c == '\t' || c == '\r':
				m.skip(p[read : read+1])
				read++
			case c == '{':
				p[passed], p[passed+1] = '[', '{'
				passed += 2
				read++
				m.beginMessage()
			default:
				m.state = lineOther
				m.quoted = append(m.quoted[:0], '[')
			}
		default:
			line := p[read:]
			end := bytes.IndexByte(line, '\n')
			if end >= 0 {
				line = line[:end+1]
			}
			if m.state == lineMessage {
				if passed < read {
					copy(p[passed:], line)
				}
				passed += len(line)
			} else {
				m.quoted = append(m.quoted, line[:min(len(line), maxQuoted-len(m.quoted))]...)
				m.skip(line)
			}
			read += len(line)
			if end >= 0 {
				m.endLine()
			}
		}
	}
	return passed
}

// begin processes one byte at the beginning of a line, and returns 1, or 0 if it belongs to a line
// that is not a message.
func (m *messages) begin(p []byte, read int, passed *int) int {
	switch p[read] {
	case '{':
		p[*passed] = '{'
		*passed++
		m.beginMessage()
	case '[':
		m.skip(p[read : read+1])
		m.state = lineBracket
	case ' ', '\t', '\r', '\n', 0xef, 0xbb, 0xbf: // the last three are a byte order mark
		m.skip(p[read : read+1])
	default:
		m.state = lineOther
		m.quoted = m.quoted[:0]
		return 0
	}
	return 1
}

func (m *messages) beginMessage() {
	m.endRun()
	m.state, m.skipped = lineMessage, 0
}

// skip counts bytes that are not passed on.
func (m *messages) skip(p []byte) {
	if m.skipped += len(p); m.skipped > maxSkipped {
		m.err = &dial.Violation{
			Text:  fmt.Sprintf("the program has written more than %d bytes to its standard output that are not messages", maxSkipped),
			Bytes: bytes.Clone(m.quoted),
		}
	}
}

// endLine ends a line. The first skipped line is reported at once.
func (m *messages) endLine() {
	if m.state == lineOther {
		if m.lines++; m.lines == 1 {
			m.report(&dial.Violation{
				Text:  "the program has written a line to its standard output that is not a message and was skipped; what is not a message belongs on standard error",
				Bytes: bytes.TrimRight(bytes.Clone(m.quoted), "\r\n"),
			})
		}
	}
	m.state = lineBegins
}

// endRun reports the number of further skipped lines.
func (m *messages) endRun() {
	if m.state == lineOther {
		m.endLine()
	}
	if m.lines > 1 {
		m.report(&dial.Violation{Text: fmt.Sprintf("the program has written %d further lines to its standard output that are not messages", m.lines-1)})
	}
	m.lines = 0
}
