package hardening_test

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/internal/proof/spec"
)

// link is a client's end of a transport. It puts received messages into its inbox.
type link interface {
	// send sends one message.
	send(p parcel) *delivery
	// vanish breaks the connection without another message.
	vanish()
}

// parcel is a message on its way to a server.
type parcel struct {
	text   string
	body   io.Reader // instead of the text, if it is produced while it is sent
	fields []string  // for HTTP: "Name: value" sets a field, "-Name" removes one
}

// delivery is the outcome of a message.
type delivery struct {
	answered chan struct{} // closed when the status is known
	done     chan struct{} // closed when the answer is complete
	cancel   func()        // gives the request up; nil if that is not possible
	status   int           // of HTTP, or 0
	kind     string        // Content-Type
	refused  error         // reason why there is no status, or nil
	err      error         // error of the whole exchange, known when it is done
}

func newDelivery(cancel func()) *delivery {
	return &delivery{answered: make(chan struct{}), done: make(chan struct{}), cancel: cancel}
}

// delivered is a message that was put on a stream.
func delivered(err error) *delivery {
	d := newDelivery(nil)
	d.refused, d.err = err, err
	close(d.answered)
	close(d.done)
	return d
}

// inbox contains the messages that a client received.
type inbox struct {
	tap     *spec.Conversation
	fragile bool   // broken connections may truncate messages
	cut     string // the last message, if it is not JSON

	running sync.WaitGroup // goroutines that read for it

	mu       sync.Mutex
	received []message
	changed  chan struct{}
	over     chan struct{} // closed when the connection is closed
	ending   sync.Once
	paused   chan struct{} // closed when the client reads again; nil while it does
}

func newInbox(tap *spec.Conversation) *inbox {
	return &inbox{tap: tap, changed: make(chan struct{}, 1), over: make(chan struct{})}
}

func (in *inbox) add(m message) {
	if !m.signal {
		in.look(m.raw)
	}
	in.mu.Lock()
	defer in.mu.Unlock()
	in.received = append(in.received, m)
	select {
	case in.changed <- struct{}{}:
	default:
	}
}

// look passes a message to the tap. A message that is not JSON may have been truncated by the end
// of the connection, if nothing follows it.
func (in *inbox) look(text string) {
	in.mu.Lock()
	cut := in.cut
	in.cut = ""
	if !json.Valid([]byte(text)) {
		in.cut, text = text, ""
	}
	in.mu.Unlock()
	if cut != "" && !in.fragile {
		in.tap.Server(cut)
	}
	if text != "" {
		in.tap.Server(text)
	}
}

// pause makes the client stop reading, after the current message.
func (in *inbox) pause() {
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.paused == nil {
		in.paused = make(chan struct{})
	}
}

// resume makes it read again.
func (in *inbox) resume() {
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.paused != nil {
		close(in.paused)
		in.paused = nil
	}
}

// listen waits while the client does not read. Goroutines that read for it call listen first.
func (in *inbox) listen() {
	in.mu.Lock()
	paused := in.paused
	in.mu.Unlock()
	if paused != nil {
		<-paused
	}
}

func (in *inbox) end() { in.ending.Do(func() { close(in.over) }) }

// take removes and returns the first wanted message.
func (in *inbox) take(wanted func(message) bool) (message, bool) {
	in.mu.Lock()
	defer in.mu.Unlock()
	for i, m := range in.received {
		if wanted(m) {
			in.received = slices.Delete(in.received, i, i+1)
			return m, true
		}
	}
	return message{}, false
}

// find waits for a wanted message, until the connection is closed.
func (in *inbox) find(patience time.Duration, wanted func(message) bool) (message, bool) {
	timer := time.NewTimer(patience)
	defer timer.Stop()
	for {
		if m, ok := in.take(wanted); ok {
			return m, true
		}
		select {
		case <-in.changed:
		case <-in.over:
			return in.take(wanted)
		case <-timer.C:
			return message{}, false
		}
	}
}

// all removes and returns all messages.
func (in *inbox) all() []message {
	in.mu.Lock()
	defer in.mu.Unlock()
	received := in.received
	in.received = nil
	return received
}

// client is a client of a site.
type client struct {
	link
	t    *testing.T
	s    *site
	era  era
	in   *inbox
	last int // id
}

// connect opens a connection, without a session.
func (s *site) connect(who string) *client {
	s.t.Helper()
	c, err := s.dial(who)
	if err != nil {
		s.t.Fatal(err)
	}
	s.clients = append(s.clients, c)
	return c
}

// dial is like connect for clients that may fail, and that the site does not record.
func (s *site) dial(who string) (*client, error) {
	in := newInbox(s.tap)
	in.fragile = s.setup.plan != nil
	l, err := s.target.dial(s, in, who)
	if err != nil {
		in.running.Wait()
		return nil, err
	}
	return &client{t: s.t, s: s, era: s.target.era, in: in, link: l}, nil
}

// open opens a client that can send requests.
func (s *site) open() *client {
	s.t.Helper()
	return s.openAs("")
}

func (s *site) openAs(who string) *client {
	s.t.Helper()
	c := s.connect(who)
	if c.era == legacy {
		if m := c.ask("initialize", initialize); m.failed() {
			s.t.Fatalf("initialize: %v", m)
		}
		c.status(c.put(initialized))
	}
	return c
}

// put sends a text unchanged. [spec.InvalidField] marks a text that violates the schema.
func (c *client) put(text string, fields ...string) *delivery {
	take := c.s.tap.Client
	for mark, of := range map[string]func(string){spec.InvalidField: c.s.tap.Invalid, spec.PerhapsField: c.s.tap.Perhaps} {
		if i := slices.Index(fields, mark); i >= 0 {
			fields, take = slices.Delete(slices.Clone(fields), i, i+1), of
		}
	}
	take(text)
	return c.send(parcel{text: text, fields: fields})
}

// say sends a request, without waiting for its reply.
func (c *client) say(method, params string, fields ...string) (id string, d *delivery) {
	c.last++
	id = strconv.Itoa(c.last)
	return id, c.put(c.era.text(id, method, params), fields...)
}

// ask sends a request and returns the reply.
func (c *client) ask(method, params string) message {
	c.t.Helper()
	id, _ := c.say(method, params)
	return c.reply(id)
}

// try sends a text unchanged, and returns the answer, whatever its id.
func (c *client) try(text string, fields ...string) (message, int) {
	c.t.Helper()
	d := c.put(text, fields...)
	m := c.wait("answer to "+shorten(text), func(m message) bool { return m.Method == "" })
	return m, c.status(d)
}

// reply waits for the reply with that id.
func (c *client) reply(id string) message {
	c.t.Helper()
	return c.wait("reply with the id "+id, func(m message) bool { return m.Method == "" && m.id() == id })
}

// wait waits for a message.
func (c *client) wait(what string, wanted func(message) bool) message {
	c.t.Helper()
	m, ok := c.in.find(patience, wanted)
	if !ok {
		c.t.Fatalf("there is no %s; there is %v", what, c.in.all())
	}
	return m
}

// status waits for the status of an answer; 0 on transports without one.
func (c *client) status(d *delivery) int {
	c.t.Helper()
	await(c.s, d.answered, "status")
	return d.status
}

// quiet checks that the client receives nothing.
func (c *client) quiet(what string) {
	c.t.Helper()
	c.s.settle()
	if received := c.in.all(); len(received) > 0 {
		c.t.Errorf("%s: got %v", what, received)
	}
}

// alive checks that the client is served as if nothing had happened.
func (c *client) alive(after string) {
	c.t.Helper()
	if m := c.ask("tools/call", call("echo", `{"alive":true}`)); m.failed() || m.text() != `{"alive":true}` {
		c.t.Errorf("after %s: %v", after, m)
	}
}

// gone waits until the connection is closed.
func (c *client) gone(after string) {
	c.t.Helper()
	await(c.s, c.in.over, "end of the connection after "+after)
}

// wantStatus checks the status of an answer, on transports with one.
func (c *client) wantStatus(what string, got, want int) {
	c.t.Helper()
	if c.s.target.http && got != want {
		c.t.Errorf("%s: status %d, want %d", what, got, want)
	}
}

func shorten(text string) string {
	if len(text) > 200 {
		text = fmt.Sprintf("%s... (%d bytes)", text[:200], len(text))
	}
	return strings.ToValidUTF8(text, "\ufffd")
}
