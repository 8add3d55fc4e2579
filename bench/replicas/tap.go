package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
)

// tap reads a response that passes through the balancer, without code of mcpclient: the events of a
// stream, and the answers to requests.
type tap struct {
	ledger  *ledger
	session string // "" without a session
	stream  bool   // the response is an event stream
	rest    []byte // unread part of the body

	id   string // of the event
	data []byte
	last map[string]uint64 // the number of the last event of each stream in this response

	answers map[string]bool // the ids of requests that this response has answered
}

// exchange returns the tap of a response.
func (l *ledger) exchange(request http.Header, body []byte, resp *http.Response) *tap {
	t := &tap{
		ledger: l, session: request.Get("Mcp-Session-Id"), stream: strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream"),
		last: map[string]uint64{}, answers: map[string]bool{},
	}
	if bytes.Contains(body, []byte(`"method":"initialize"`)) && resp.StatusCode == http.StatusOK {
		l.opened(request.Get(clientField))
	}
	return t
}

// clientField is the header field with the name of a client.
const clientField = "X-Client"

func (t *tap) read(text []byte) {
	t.rest = append(t.rest, text...)
	for t.stream {
		line, rest, found := bytes.Cut(t.rest, []byte("\n"))
		if !found {
			return
		}
		t.line(string(line))
		t.rest = rest
	}
}

// end is called at the end of a complete response.
func (t *tap) end() {
	if !t.stream && len(t.rest) > 0 {
		t.message(t.rest, "")
	}
}

func (t *tap) line(line string) {
	name, value, _ := strings.Cut(line, ":")
	value = strings.TrimPrefix(value, " ")
	switch name {
	case "id":
		t.id = value
	case "data":
		t.data = append(t.data, value...)
	case "":
		if len(t.data) > 0 {
			t.message(t.data, t.id)
		}
		t.id, t.data = "", nil
	}
}

// message records a message, with the id of its event.
func (t *tap) message(text []byte, event string) {
	var m struct {
		ID     json.RawMessage
		Method string
	}
	if json.Unmarshal(text, &m) != nil {
		return
	}
	hash := sha256.Sum256(text)
	digest := string(hash[:8])
	if event != "" && t.session != "" {
		t.event(event, digest)
	}
	if m.Method != "" || len(m.ID) == 0 || string(m.ID) == "null" {
		return
	}
	id := string(m.ID)
	if t.answers[id] {
		t.ledger.fault("a response answers the request %s twice", id)
	}
	t.answers[id] = true
	if t.session != "" {
		t.ledger.once("answer of "+t.session+" to "+id, digest)
	}
}

// event checks an event of a session's stream: it is the same each time, and follows the previous
// one.
func (t *tap) event(id, digest string) {
	stream, number, ok := strings.Cut(id, "-")
	n, err := strconv.ParseUint(number, 10, 64)
	if !ok || err != nil || !strings.Contains(stream, ".") {
		return // of the stream without a request, whose numbers belong to changes
	}
	t.ledger.once("event "+id+" of "+t.session, digest)
	if last, seen := t.last[stream]; seen && n != last+1 {
		t.ledger.fault("event %d of a stream follows %d", n, last)
	}
	t.last[stream] = n
}

// once records a value, which must be the same each time.
func (l *ledger) once(what, value string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if before, seen := l.values[what]; seen && before != value {
		l.faults = append(l.faults, fmt.Sprintf("%s: there are two", what))
	}
	l.values[what] = value
}
