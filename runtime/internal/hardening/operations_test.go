package hardening_test

import (
	"fmt"
	"strings"
	"time"

	"github.com/mcpgen/mcpgen/internal/proof/spec"
)

// operation is an operation of clients.
type operation struct {
	name  string
	often int // frequency, relative to others
	do    func(d *driver) error
}

var operations = []operation{
	{"echo", 40, (*driver).echo},
	{"mark", 10, (*driver).mark},
	{"several at once", 10, (*driver).several},
	{"look around", 8, (*driver).lookAround},
	{"nap", 6, (*driver).nap},
	{"cancel", 10, (*driver).cancelNap},
	{"ask for much", 2, (*driver).askForMuch},
	{"panic", 3, (*driver).panics},
	{"nonsense", 4, (*driver).nonsense},
	{"listen", 4, (*driver).listen},
	{"stall", 2, (*driver).stall},
}

// act does one operation. An error is a fault of the server.
func (d *driver) act() error {
	total := 0
	for _, x := range operations {
		total += x.often
	}
	n := d.rnd.IntN(total)
	for _, x := range operations {
		if n -= x.often; n >= 0 {
			continue
		}
		d.operations[x.name]++
		if err := x.do(d); err != nil {
			return fmt.Errorf("%s: %w", x.name, err)
		}
		return d.leftover()
	}
	return nil
}

// leftover checks the messages that no operation has waited for: notifications are allowed, replies
// are not, and on connections that break a part of a message is.
func (d *driver) leftover() error {
	for _, m := range d.in.all() {
		if m.Method == "" && !(d.fragile && m.nameless()) && !d.lost[m.id()] {
			return fmt.Errorf("an unexpected reply: %v", m)
		}
		delete(d.lost, m.id()) // there is at most one
		if strings.HasPrefix(m.Method, "not JSON") && !d.fragile {
			return fmt.Errorf("not a message: %v", m)
		}
	}
	return nil
}

// expect compares a reply with the expected text.
func expect(m *message, text string) error {
	if m != nil && (m.failed() || m.text() != text) {
		return fmt.Errorf("got %v, want %s", m, shorten(text))
	}
	return nil
}

func (d *driver) payload() string {
	size := d.rnd.IntN(2000)
	if d.rnd.IntN(20) == 0 {
		size = d.rnd.IntN(200_000)
	}
	return fmt.Sprintf(`{"n":%d,"pad":"%s"}`, d.rnd.Uint64(), strings.Repeat("x", size))
}

func (d *driver) echo() error {
	args := d.payload()
	m, err := d.exchange("tools/call", call("echo", args))
	if err != nil {
		return err
	}
	return expect(m, args)
}

// mark makes a call that must run at most once, and exactly once if it is answered.
func (d *driver) mark() error {
	token := fmt.Sprint(tokens.Add(1))
	m, err := d.exchange("tools/call", call("mark", fmt.Sprintf(`{"token":%q}`, token)))
	if err != nil {
		return err
	}
	d.s.mu.Lock()
	times := d.s.marks[token]
	if m != nil {
		delete(d.s.marks, token)
	}
	d.s.mu.Unlock()
	if times > 1 || (m != nil && times != 1) {
		return fmt.Errorf("the call has run %d times", times)
	}
	return expect(m, token)
}

func (d *driver) several() error {
	type open struct {
		id, args string
		sent     *delivery
	}
	var all []open
	for range 2 + d.rnd.IntN(6) {
		args := d.payload()
		id, sent := d.say("tools/call", call("echo", args))
		all = append(all, open{id, args, sent})
	}
	for _, o := range all {
		m, err := d.answer(o.id, o.sent)
		if err == nil {
			err = expect(m, o.args)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (d *driver) lookAround() error {
	for _, q := range []struct{ method, params string }{
		{"tools/list", ""}, {"resources/read", `"uri":"item://7"`}, {"prompts/get", `"name":"greet","arguments":{"who":"you"}`},
		{"completion/complete", `"ref":{"type":"ref/prompt","name":"greet"},"argument":{"name":"who","value":"y"}`}, {d.era.harmless(), ""},
	} {
		m, err := d.exchange(q.method, q.params)
		if err != nil {
			return err
		}
		if m != nil && m.failed() {
			return fmt.Errorf("%s: %v", q.method, m)
		}
	}
	return nil
}

func (d *driver) nap() error {
	id, sent := d.say("tools/call", call("nap", fmt.Sprintf(`{"steps":%d,"millis":%d}`, 1+d.rnd.IntN(4), d.rnd.IntN(20))))
	m, err := d.answer(id, sent)
	if err != nil {
		return err
	}
	return expect(m, "rested")
}

// cancelNap cancels a call. Its reply may cross the cancellation, and then it may arrive or not;
// but never later.
func (d *driver) cancelNap() error {
	id, sent := d.say("tools/call", call("nap", `{"steps":1000,"millis":10}`))
	if d.rnd.IntN(2) == 0 {
		time.Sleep(time.Duration(d.rnd.IntN(10)) * time.Millisecond)
	}
	if d.s.target.is(httpModern) {
		sent.cancel()
		if !d.over(sent.done) {
			return errHangs
		}
		d.in.take(func(m message) bool { return m.id() == id })
		return nil
	}
	if d.s.target.is(httpSSE) && !d.over(sent.answered) {
		return errHangs // two requests in flight may overtake one another
	}
	note := d.put(cancelled(id))
	if !d.over(note.answered) {
		return fmt.Errorf("the cancellation: %w", errHangs)
	}
	d.lost[id] = d.fragile // the cancellation may be lost
	if d.s.target.is(httpLegacy) {
		// The cancellation may overtake the call: then it has no effect.
		for again := true; again; {
			select {
			case <-sent.done:
				again = false
			case <-time.After(200 * time.Millisecond):
				note := d.put(cancelled(id))
				if !d.over(note.answered) {
					return fmt.Errorf("the cancellation: %w", errHangs)
				}
				again = note.refused == nil && note.status == 202
			}
		}
		if !d.over(sent.done) && !d.fragile {
			return fmt.Errorf("the cancelled call: %w", errHangs)
		}
		sent.cancel()
		if !d.over(sent.done) {
			return fmt.Errorf("the aborted call: %w", errHangs)
		}
	}
	if _, err := d.exchange(d.era.harmless(), ""); err != nil {
		return err
	}
	if m, ok := d.in.take(func(m message) bool { return m.Method == "" && m.id() == id }); ok && m.failed() && !d.ended {
		return fmt.Errorf("a cancelled call is answered: %v", m)
	}
	return nil
}

func (d *driver) askForMuch() error {
	id, sent := d.say("tools/call", call("large", `{"n":700000}`))
	m, err := d.answer(id, sent)
	if err == nil && m != nil && len(m.text()) != 700_000 {
		err = fmt.Errorf("%d bytes: %v", len(m.text()), m)
	}
	return err
}

func (d *driver) panics() error {
	m, err := d.exchange("tools/call", call("panics", `{"how":"error"}`))
	if err == nil && m != nil && (!m.failed() || strings.Contains(m.raw, secret)) {
		err = fmt.Errorf("%v", m)
	}
	return err
}

// nonsense sends texts that are not messages, and messages with unknown names.
func (d *driver) nonsense() error {
	if m, err := d.exchange("tools/call", call("no_such_tool", `{}`)); err != nil || (m != nil && m.code() == 0) {
		return fmt.Errorf("an unknown tool: %v, %w", m, err)
	}
	text := []string{`{`, `{"jsonrpc":"2.0","id":{},"method":"ping"}`, `[]`, `nonsense`, `{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}`}[d.rnd.IntN(5)]
	sent := d.put(text, spec.InvalidField)
	if !d.over(sent.answered) {
		return errHangs
	}
	m, ok := d.in.find(d.patience, func(m message) bool { return m.nameless() && m.Error != nil })
	if !ok && !d.fragile {
		return fmt.Errorf("no error on %s", text)
	}
	if ok && m.code() != -32700 && m.code() != -32600 && !(d.fragile && sent.status >= 400) {
		return fmt.Errorf("%s: %v", text, m)
	}
	return nil
}

// listen waits for a change.
func (d *driver) listen() error {
	uri := fmt.Sprintf("item://%d", d.rnd.IntN(1000))
	updated := func(m message) bool {
		return m.Method == "notifications/resources/updated" && strings.Contains(string(m.Params), uri)
	}
	var id string
	var stream *delivery
	if d.era == modern {
		id, stream = d.say("subscriptions/listen", fmt.Sprintf(`"notifications":{"resourceSubscriptions":[%q]}`, uri))
		if _, ok := d.in.find(d.patience, func(m message) bool { return strings.HasSuffix(m.Method, "/acknowledged") }); !ok {
			return d.broken(stream, "acknowledgement")
		}
	} else {
		if l, ok := d.link.(*httpLink); ok && d.s.target.is(httpLegacy) {
			stream = l.get()
			if !d.over(stream.answered) {
				return errHangs
			}
		}
		m, err := d.exchange("resources/subscribe", fmt.Sprintf(`"uri":%q`, uri))
		if err != nil || m == nil {
			return err
		}
	}
	d.s.server.ResourceUpdated(uri)
	if _, ok := d.in.find(d.patience, updated); !ok {
		return d.broken(stream, "change")
	}
	switch {
	case d.era == legacy:
		if _, err := d.exchange("resources/unsubscribe", fmt.Sprintf(`"uri":%q`, uri)); err != nil {
			return err
		}
	case d.s.target.is(httpModern):
	default:
		d.put(cancelled(id))
		if _, err := d.exchange(d.era.harmless(), ""); err != nil {
			return err
		}
	}
	if stream != nil && stream.cancel != nil {
		stream.cancel()
		if !d.over(stream.done) {
			return errHangs
		}
	}
	return nil
}

// broken returns the error for a message that has not arrived.
func (d *driver) broken(stream *delivery, what string) error {
	if d.fragile {
		if stream != nil && stream.cancel != nil {
			stream.cancel()
		}
		return nil
	}
	return fmt.Errorf("no %s", what)
}

// stall does not read for a while, and then reads everything.
func (d *driver) stall() error {
	d.in.pause()
	type open struct {
		id   string
		sent *delivery
	}
	var all []open
	for range 3 {
		id, sent := d.say("tools/call", call("large", `{"n":100000}`))
		all = append(all, open{id, sent})
	}
	time.Sleep(time.Duration(50+d.rnd.IntN(200)) * time.Millisecond)
	d.in.resume()
	for _, o := range all {
		m, err := d.answer(o.id, o.sent)
		if err == nil && m != nil && len(m.text()) != 100_000 {
			err = fmt.Errorf("%v", m)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
