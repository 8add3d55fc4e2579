package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"time"
)

// connection is a lane over one HTTP connection: a separate client, with its own session if the
// revision has sessions.
type connection struct {
	conn net.Conn
	in   *bufio.Reader

	address  string
	session  string
	over     *transport
	scenario *scenario
	heads    [][]byte // of requests, by variant, up to the Content-Length value
	requests []pattern
	check    *checker

	last        int // the last number given to a request
	out, body   []byte
	text, event []byte
	answered    int // the last answered number
}

// newConnection connects to a server and opens a session if the revision has sessions.
func newConnection(address string, l *load, number int) (*connection, error) {
	c, err := dial(address, l.over)
	if err != nil {
		return nil, err
	}
	c.scenario = l.scenario
	c.requests, c.check = l.scenario.requests(l.over.modern), newChecker(l.scenario, l.over.modern)
	// Clients begin with different variants.
	c.last = number
	if !l.over.modern && !l.over.alone {
		if err := c.open(); err != nil {
			return nil, err
		}
	}
	for v := range l.scenario.variants {
		c.heads = append(c.heads, c.head(l.scenario.method, l.scenario.mirror(v)))
	}
	return c, nil
}

func dial(address string, over *transport) (*connection, error) {
	conn, err := net.Dial("tcp", address)
	if err != nil {
		return nil, err
	}
	return &connection{conn: conn, in: bufio.NewReaderSize(conn, 16<<10), address: address, over: over}, nil
}

// mirror returns the name in a request that a header field repeats.
func (s *scenario) mirror(variant int) string {
	if s.method == "resources/read" {
		return bookURI(variant)
	}
	return s.feature
}

// head returns the request header up to the Content-Length value.
func (c *connection) head(method, name string) []byte {
	var b strings.Builder
	b.WriteString("POST /mcp HTTP/1.1\r\nHost: " + c.address + "\r\nUser-Agent: bench\r\n" +
		"Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n")
	switch {
	case c.over.modern:
		b.WriteString("Mcp-Protocol-Version: 2026-07-28\r\nMcp-Method: " + method + "\r\n")
		if name != "" {
			b.WriteString("Mcp-Name: " + name + "\r\n")
		}
	case method != "initialize":
		b.WriteString("Mcp-Protocol-Version: 2025-11-25\r\n")
		if c.session != "" {
			b.WriteString("Mcp-Session-Id: " + c.session + "\r\n")
		}
	}
	b.WriteString("Content-Length: ")
	return []byte(b.String())
}

// post sends a message.
func (c *connection) post(head, body []byte) error {
	c.out = append(c.out[:0], head...)
	c.out = strconv.AppendInt(c.out, int64(len(body)), 10)
	c.out = append(c.out, "\r\n\r\n"...)
	c.out = append(c.out, body...)
	_, err := c.conn.Write(c.out)
	return err
}

// open opens a session.
func (c *connection) open() error {
	if err := c.post(c.head("initialize", ""), []byte(initializeMessage)); err != nil {
		return err
	}
	var text []byte
	a, err := c.receive(func(message []byte) error {
		text = bytes.Clone(message)
		return nil
	})
	switch {
	case err != nil:
		return err
	case a.status != 200 || !bytes.Contains(text, []byte(`"serverInfo"`)):
		return fmt.Errorf("initialize: status %d: %s", a.status, clip(string(text)))
	}
	c.session = a.session
	if err := c.post(c.head("notifications/initialized", ""), []byte(initializedMessage)); err != nil {
		return err
	}
	if a, err = c.receive(func([]byte) error { return nil }); err == nil && a.status >= 300 {
		err = fmt.Errorf("initialized: status %d", a.status)
	}
	return err
}

func (c *connection) close() { _ = c.conn.Close() }

func (c *connection) run(until time.Time) (times []time.Duration, err error) {
	// At least one call, to get a sample.
	for now := time.Now(); len(times) == 0 || now.Before(until); {
		c.last++
		v := c.last % len(c.requests)
		c.body = c.requests[v].append(c.body[:0], c.last)
		if err := c.post(c.heads[v], c.body); err != nil {
			return nil, fmt.Errorf("write request: %w", err)
		}
		c.answered = 0
		a, err := c.receive(c.take)
		if err != nil {
			return nil, err
		}
		if a.status != 200 || c.answered != c.last {
			return nil, fmt.Errorf("status %d, request %d, answer %d: %s", a.status, c.last, c.answered, clip(string(c.text)))
		}
		done := time.Now()
		times = append(times, done.Sub(now))
		now = done
	}
	return times, nil
}

func (c *connection) take(message []byte) error {
	id, err := c.check.take(message)
	if id != 0 {
		c.answered = id
	}
	return err
}

// answerHead is the head of an answer.
type answerHead struct {
	status  int
	session string
	length  int // -1 if chunked
	events  bool
}

// receive reads an answer and calls message for each message in it.
func (c *connection) receive(message func([]byte) error) (a answerHead, err error) {
	if a, err = c.readHead(); err != nil {
		return a, fmt.Errorf("read answer: %w", err)
	}
	if !a.events {
		if c.text, err = c.readBody(c.text[:0], a.length); err != nil {
			return a, fmt.Errorf("read answer: %w", err)
		}
		if a.status == 200 && len(c.text) > 0 {
			err = message(bytes.TrimSuffix(c.text, []byte("\n")))
		}
		return a, err
	}
	c.event = c.event[:0]
	for {
		size, err := c.chunk()
		if err != nil {
			return a, fmt.Errorf("read events: %w", err)
		}
		if size == 0 {
			break
		}
		if c.event, err = c.readBody(c.event, size); err != nil {
			return a, err
		}
		if _, err := c.in.Discard(2); err != nil {
			return a, err
		}
		for {
			event, rest, whole := bytes.Cut(c.event, []byte("\n\n"))
			if !whole {
				break
			}
			if err := eachData(event, message); err != nil {
				return a, err
			}
			c.event = append(c.event[:0], rest...)
		}
	}
	_, err = c.in.Discard(2)
	return a, err
}

// eachData passes on the data of an event. All servers write one line of data.
func eachData(event []byte, message func([]byte) error) error {
	for line := range bytes.SplitSeq(event, []byte("\n")) {
		if data, ok := bytes.CutPrefix(line, []byte("data:")); ok {
			if data = bytes.TrimPrefix(data, []byte(" ")); len(data) > 0 {
				return message(data)
			}
		}
	}
	return nil
}

func (c *connection) readHead() (a answerHead, err error) {
	a.length = -1
	for first := true; ; first = false {
		line, err := c.in.ReadSlice('\n')
		if err != nil {
			return a, err
		}
		line = bytes.TrimRight(line, "\r\n")
		if first {
			if len(line) < 12 {
				return a, fmt.Errorf("status line %q", line)
			}
			if a.status, err = strconv.Atoi(string(line[9:12])); err != nil {
				return a, err
			}
			continue
		}
		if len(line) == 0 {
			if a.status == 202 || a.status == 204 {
				a.length = max(a.length, 0)
			}
			return a, nil
		}
		name, value, _ := bytes.Cut(line, []byte(": "))
		switch len(name) {
		case len("Content-Length"):
			if bytes.EqualFold(name, []byte("Content-Length")) {
				if a.length, err = strconv.Atoi(string(value)); err != nil {
					return a, err
				}
			} else if bytes.EqualFold(name, []byte("Mcp-Session-Id")) {
				a.session = string(value)
			}
		case len("Content-Type"):
			if bytes.EqualFold(name, []byte("Content-Type")) {
				a.events = bytes.HasPrefix(value, []byte("text/event-stream"))
			}
		}
	}
}

// readBody appends a body with a length, or in chunks.
func (c *connection) readBody(b []byte, length int) ([]byte, error) {
	if length >= 0 {
		return c.readFull(b, length)
	}
	for {
		size, err := c.chunk()
		if err != nil {
			return b, err
		}
		if size > 0 {
			if b, err = c.readFull(b, size); err != nil {
				return b, err
			}
		}
		if _, err := c.in.Discard(2); err != nil {
			return b, err
		}
		if size == 0 {
			return b, nil
		}
	}
}

func (c *connection) readFull(b []byte, n int) ([]byte, error) {
	start := len(b)
	if cap(b)-start < n {
		b = append(make([]byte, 0, start+n), b...)
	}
	b = b[:start+n]
	_, err := io.ReadFull(c.in, b[start:])
	return b, err
}

// chunk reads the size of a chunk.
func (c *connection) chunk() (int, error) {
	line, err := c.in.ReadSlice('\n')
	if err != nil {
		return 0, err
	}
	size, err := strconv.ParseInt(string(bytes.TrimRight(line, "\r\n")), 16, 32)
	return int(size), err
}
