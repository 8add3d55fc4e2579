package spec

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
)

// Tap validates the messages of the connections to one server, in both directions. It fails the
// test for each message that violates the schema of its revision. Several goroutines may use a Tap.
type Tap struct {
	t   T
	all map[string]*schema // nil without schemas

	mu     sync.Mutex
	over   bool // the test is over and must not be failed
	theirs bool // the clients are third-party programs
	broken bool // the servers deliberately violate the schema
	scopes map[string]*Conversation
}

// T contains the methods of a test that a tap calls.
type T interface {
	Helper()
	Errorf(format string, args ...any)
	Fatal(args ...any)
	Cleanup(func())
}

// OfServers makes the tap fail the test only for messages of servers: the clients are third-party
// programs, whose messages may be invalid. It returns the tap.
func (p *Tap) OfServers() *Tap {
	p.theirs = true
	return p
}

// OfClients makes the tap fail the test only for messages of clients: a test of clients determines
// the messages of the servers. It returns the tap.
func (p *Tap) OfClients() *Tap {
	p.broken = true
	return p
}

// NewTap returns a tap. If MCP_SPEC_DIR is not set, and in benchmarks, it does nothing.
func NewTap(t T) *Tap {
	p := &Tap{t: t, scopes: map[string]*Conversation{}}
	if _, measures := t.(*testing.B); measures || os.Getenv("MCP_SPEC_DIR") == "" {
		return p
	}
	all, err := schemas()
	if err != nil {
		t.Fatal(err)
		return p
	}
	p.all = all
	t.Cleanup(func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.over = true
	})
	return p
}

// side is the sender of a message.
type side int

const (
	client side = iota
	server
)

func (s side) String() string { return [...]string{"client", "server"}[s] }

// Conversation is the state of one connection or session: its revision, and the requests without a
// result yet.
type Conversation struct {
	tap      *Tap
	revision string // the negotiated one
	hint     string // if none was negotiated: taken from the transport
	http     bool
	lost     bool // some requests are unknown
	asked    [2]map[string][]asked
}

// asked is a request.
type asked struct{ method, revision string }

// Conversation returns a new conversation.
func (p *Tap) Conversation() *Conversation {
	return &Conversation{tap: p, asked: [2]map[string][]asked{{}, {}}}
}

// Client validates a message or a batch that a client has sent.
func (c *Conversation) Client(text string) { c.take(client, []byte(text), unmarked) }

// Invalid is Client for a message that violates the schema; a valid one fails the test.
func (c *Conversation) Invalid(text string) { c.take(client, []byte(text), marked) }

// Perhaps is Client for a generated message that may violate the schema.
func (c *Conversation) Perhaps(text string) { c.take(client, []byte(text), perhaps) }

// Server validates a message that the server has sent.
func (c *Conversation) Server(text string) { c.take(server, []byte(text), unmarked) }

// InvalidServer is Server for a message that violates the schema; a valid one fails the test.
func (c *Conversation) InvalidServer(text string) { c.take(server, []byte(text), marked) }

// mark is a test's expectation for a message.
type mark int

const (
	unmarked mark = iota
	marked        // violates the schema
	perhaps       // may violate the schema
)

// lose declares that the client sends requests outside of the tap.
func (c *Conversation) lose() {
	c.tap.mu.Lock()
	defer c.tap.mu.Unlock()
	c.lost = true
}

// message contains the members of a message that the tap needs.
type message struct {
	ID     json.RawMessage
	Method string
	Params struct {
		Meta      map[string]json.RawMessage `json:"_meta"`
		Version   json.RawMessage            `json:"protocolVersion"`
		RequestID json.RawMessage            `json:"requestId"`
	}
	Result json.RawMessage
	Error  *struct{ Code int }
}

// longestOfClient limits the validated bytes of a client's message. Tests of limits send longer
// ones.
const longestOfClient = 512 << 10

func (c *Conversation) take(from side, text []byte, said mark) {
	p := c.tap
	if p.all == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	text = bytes.TrimSpace(text)
	if len(text) == 0 {
		return // an empty line is not a message
	}
	if said == unmarked && from == client && isInvalid(string(text)) {
		said = marked
	}
	text = shortened(text)
	if from == client && len(text) > longestOfClient {
		c.lost = true
		return
	}
	var batch []json.RawMessage
	if text[0] != '[' || json.Unmarshal(text, &batch) != nil {
		revision, err := c.one(from, text)
		p.verdict(from, revision, text, said, err)
		return
	}
	// All messages of a batch belong to one revision.
	revision, err := c.of(""), error(nil)
	if revision != "2025-03-26" {
		err = fmt.Errorf("a batch, which revision %s does not have", revision)
	}
	if len(batch) == 0 {
		err = errors.New("a batch of nothing")
	}
	for _, m := range batch {
		_, wrong := c.one(from, m)
		err = errors.Join(err, wrong)
	}
	p.verdict(from, revision, text, said, err)
}

// one validates one message.
func (c *Conversation) one(from side, text []byte) (revision string, err error) {
	var m message
	if err := json.Unmarshal(text, &m); err != nil && (from == server || !json.Valid(text)) {
		return c.of(""), err
	}
	defer func() { err = errors.Join(err, wellFormed(text)) }()
	switch {
	case m.Method != "" && (m.Result != nil || m.Error != nil), m.Result != nil && m.Error != nil:
		return c.of(""), errors.New("more than one of method, result and error")
	case m.Method != "":
		return c.call(from, &m, text)
	case m.Error != nil:
		return c.failure(from, &m, text)
	case m.Result != nil:
		return c.result(from, &m, text)
	}
	return c.of(""), errors.New("neither method, result nor error")
}

// call validates a request or a notification.
func (c *Conversation) call(from side, m *message, text []byte) (revision string, err error) {
	revision = c.revisionOf(from, m)
	s := c.tap.all[revision]
	kind, envelope := "Notification", "JSONRPCNotification"
	if m.ID != nil {
		kind, envelope = "Request", "JSONRPCRequest"
		if all, one := c.asked[from][string(m.ID)], (asked{m.Method, revision}); !slices.Contains(all, one) {
			c.asked[from][string(m.ID)] = append(all, one)
		}
	}
	if err := s.validate(envelope, text); err != nil {
		return revision, err
	}
	if revision == newest {
		if is, err := taskCall(s, m.Method, text); is {
			return revision, err
		}
	}
	kind = map[side]string{client: "Client", server: "Server"}[from] + kind
	if !s.union[kind][m.Method] {
		// A client may send unknown methods.
		name := s.byMethod[m.Method]
		if from == server || strings.HasSuffix(name, "Request") != (m.ID != nil) && name != "" {
			return revision, fmt.Errorf("no %s of %s", kind, revision)
		}
		return revision, nil
	}
	return revision, s.validate(s.byMethod[m.Method], text)
}

// revisionOf returns the revision of a request or a notification.
func (c *Conversation) revisionOf(from side, m *message) string {
	_, named := m.Params.Meta["io.modelcontextprotocol/protocolVersion"]
	switch {
	case m.Method == "initialize" && !named:
		var v string
		if json.Unmarshal(m.Params.Version, &v) == nil && c.tap.all[v] != nil && v != newest {
			return v
		}
		return revisions[len(revisions)-2]
	case named, m.Params.Meta["io.modelcontextprotocol/subscriptionId"] != nil:
		return newest
	case m.Method == "notifications/cancelled":
		for _, a := range c.asked[client][string(m.Params.RequestID)] {
			return a.revision
		}
	case from == server && c.revision == "" && c.hint == "":
		// No message of a session precedes initialize.
		return c.initializing(newest)
	}
	return c.of("")
}

// initializing returns the revision of an initialize request without a reply, or otherwise.
func (c *Conversation) initializing(otherwise string) string {
	for _, of := range c.asked[client] {
		for _, a := range of {
			if a.method == "initialize" {
				return a.revision
			}
		}
	}
	return otherwise
}

// of returns the revision of a message that does not name its own.
func (c *Conversation) of(request string) string {
	for _, r := range []string{request, c.revision, c.hint} {
		if r != "" {
			return r
		}
	}
	if c.http {
		return "2025-03-26" // the default for requests without the header field
	}
	return revisions[len(revisions)-2]
}

// failure validates an error.
func (c *Conversation) failure(from side, m *message, text []byte) (revision string, err error) {
	of := c.asked[1-from][string(m.ID)]
	if len(of) > 0 {
		revision = of[len(of)-1].revision
	}
	revision = c.of(revision)
	switch {
	case from == client:
	case string(m.ID) == "null":
		// JSON-RPC requires null if the id of a request cannot be read; the schemas do not allow
		// it.
		text = bytes.Replace(text, []byte(`"id":null`), []byte(`"id":0`), 1)
	case m.ID == nil && c.http:
		// According to the transport's specification, the body of a refusal may be an error without
		// an id.
		text = bytes.Replace(text, []byte(`{"jsonrpc":"2.0"`), []byte(`{"jsonrpc":"2.0","id":0`), 1)
	}
	if m.ID == nil && len(c.asked[client]) == 0 && c.revision == "" && c.hint == "" {
		revision = newest
	}
	s := c.tap.all[revision]
	return revision, s.validate(s.errorOf(m.Error.Code), text)
}

// result validates a result.
func (c *Conversation) result(from side, m *message, text []byte) (revision string, err error) {
	of := c.asked[1-from][string(m.ID)]
	if len(of) == 0 {
		revision = c.of("")
		if from == server && !c.lost {
			return revision, errors.New("a result without a request")
		}
		s := c.tap.all[revision]
		return revision, s.validate(s.first("JSONRPCResultResponse", "JSONRPCResponse"), text)
	}
	// Requests with the same id may run on several streams.
	for i := len(of) - 1; i >= 0; i-- {
		a := of[i]
		revision = a.revision
		if a.method == "initialize" && from == server {
			var r struct {
				Version string `json:"protocolVersion"`
			}
			if json.Unmarshal(m.Result, &r) == nil && c.tap.all[r.Version] != nil {
				c.revision, revision = r.Version, r.Version
			}
		}
		s := c.tap.all[revision]
		name := s.resultOf(a.method)
		if from == server && s.byMethod[a.method] != "" && !s.union["ClientRequest"][a.method] {
			name = "Result"
		}
		if revision == newest && strings.Contains(string(m.Result), `"resultType":"input_required"`) {
			name = "InputRequiredResult"
		}
		if revision == sessionTasks && a.method == "tools/call" && isSessionTask(m.Result) {
			name = "CreateTaskResult"
		}
		if err = s.validate(s.first("JSONRPCResultResponse", "JSONRPCResponse"), text); err == nil {
			isTask := false
			if revision == newest {
				isTask, err = taskResult(s, a.method, m.Result)
			}
			if !isTask {
				err = s.validate(name, m.Result)
			}
			if revision == sessionTasks && a.method == "tasks/result" {
				err = errors.Join(err, s.validate("CallToolResult", m.Result)) // the only call that is a task
			}
		}
		if err == nil {
			return revision, nil
		}
	}
	return revision, err
}

// verdict counts a message, and fails the test if the result differs from the mark.
func (p *Tap) verdict(from side, revision string, text []byte, said mark, err error) {
	count(revision, from)
	switch {
	case p.over, from == client && p.theirs, from == server && p.broken:
		return
	case said == marked && err == nil:
		err = errors.New("it is marked as invalid, and fits the schema")
	case said != unmarked, err == nil:
		return
	case from == client:
		err = fmt.Errorf("%w; where a test sends such a message on purpose, it marks it as invalid", err)
	}
	p.t.Errorf("message of the %s in %s: %v\n%s", from, revision, err, shorten(text))
}

func shorten(text []byte) string {
	if len(text) > 2000 {
		return fmt.Sprintf("%s... (%d bytes)", text[:2000], len(text))
	}
	return string(text)
}
