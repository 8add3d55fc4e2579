package spec

import (
	"encoding/json"
	"strings"
	"sync"
	"testing"
)

// Conn carries messages, like jsonrpc.Conn.
type Conn interface {
	Read() ([]byte, error)
	Write(batch []byte) error
	Close() error
}

// NewConn returns a client connection whose messages it validates in both directions.
func NewConn(t testing.TB, c Conn) Conn {
	p := NewTap(t)
	if p.all == nil {
		return c
	}
	return &tapped{Conn: c, conversation: p.Conversation()}
}

type tapped struct {
	Conn
	conversation *Conversation
}

func (c *tapped) Read() ([]byte, error) {
	m, err := c.Conn.Read()
	if err == nil {
		c.conversation.Server(string(m))
	}
	return m, err
}

func (c *tapped) Write(batch []byte) error {
	for line := range strings.Lines(string(batch)) {
		c.conversation.Client(line)
	}
	return c.Conn.Write(batch)
}

// CloseWrite ends the input of the server, if the connection supports it.
func (c *tapped) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}

// Lines splits a stream into lines. Write receives the next bytes.
type Lines struct {
	Take func(line string)

	mu   sync.Mutex
	rest string
}

// Write implements io.Writer.
func (l *Lines) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.rest += string(b)
	for {
		line, rest, ok := strings.Cut(l.rest, "\n")
		if !ok {
			return len(b), nil
		}
		l.rest = rest
		l.Take(line)
	}
}

// OnMessage returns a function that validates the messages of one client, for the mcptest option of
// that name.
func OnMessage(t testing.TB) func(fromServer bool, message json.RawMessage) {
	c := NewTap(t).Conversation()
	return func(fromServer bool, message json.RawMessage) {
		if fromServer {
			c.Server(string(message))
		} else {
			c.Client(string(message))
		}
	}
}
