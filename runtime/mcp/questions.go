package mcp

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"log/slog"
	"strconv"
	"sync"
)

// This file is the record of one request: which questions its handler has asked, which have
// answers, and which wait for one. It asks nothing itself. [exchange.ask] looks up and records
// answers, [Server.runRounds] reads the record at the end of a round, and [exchange.openRound]
// fills it with the answers of earlier rounds. A handler may ask from several goroutines, so
// a lock of its own guards all fields.

// questions are the questions of one request, and their answers. The zero value has none.
type questions struct {
	mu       sync.Mutex
	answers  map[string]*answer         // of earlier rounds and of this one, by key
	unused   int                        // answers of earlier rounds whose questions this run has not asked yet
	position int                        // questions without a key so far
	keys     map[string]bool            // keys that this run has used
	tries    map[string]int             // answers that were not valid, by key
	once     map[string]json.RawMessage // values of [Once], by key
	size     int                        // of answers and values, in bytes
	state    json.RawMessage            // InputRequired.State of the handler

	round    *round            // of the request state that came with the request; nil without one
	pending  []pendingQuestion // questions that the reply asks; then the handler cannot ask more
	reply    *InputRequired    // the reply that asks them
	rejected error             // why the answers or the state of the request cannot be used
	returned bool              // the handler has returned, and cannot ask any more
}

// answer is an answer of the client.
type answer struct {
	digest  [sha256.Size]byte // of the question
	unasked bool              // the client sent it without a question; it fits any question with its key
	used    bool              // this run of the handler has asked for it
	value   json.RawMessage
}

// pendingQuestion is a question that the reply asks.
type pendingQuestion struct {
	key    string
	method string
	params []byte
	digest [sha256.Size]byte
}

// lookUp returns the key of a question, and its answer if there is one of an earlier round.
func (c *questions) lookUp(x *exchange, name string, q *question) (key string, value json.RawMessage, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.rejected != nil:
		return "", nil, c.rejected
	case c.returned:
		return "", nil, ErrNoCall
	case len(c.pending) > 0:
		return "", nil, ErrPending
	case name == "":
		c.position++
		key = "#" + strconv.Itoa(c.position) + "-" + hex.EncodeToString(q.digest[:6])
	case c.keys[name]:
		return "", nil, fmt.Errorf("the key %q is used for two questions of one call", name)
	default:
		if c.keys == nil {
			c.keys = map[string]bool{}
		}
		c.keys[name] = true
		key = name
	}
	a := c.answers[key]
	if a == nil {
		return key, nil, nil
	}
	if a.digest != q.digest && !a.unasked {
		x.conn.server.log.Client(&x.ctx, slog.LevelInfo, "answer to another question dropped",
			slog.String("name", x.call.feature), slog.String("key", key))
		c.forget(key)
		return key, nil, nil
	}
	return key, a.value, nil
}

// forget removes an answer. The caller holds the lock.
func (c *questions) forget(key string) {
	if a := c.answers[key]; a != nil {
		c.markUsed(a)
		c.size -= len(key) + len(a.value)
		delete(c.answers, key)
	}
}

// markUsed counts an answer whose question this run has asked. The caller holds the lock.
func (c *questions) markUsed(a *answer) {
	if !a.used {
		a.used = true
		c.unused--
	}
}

// record keeps a valid answer for later rounds.
func (c *questions) record(x *exchange, key string, q *question, value json.RawMessage) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if a := c.answers[key]; a != nil {
		c.markUsed(a)
		a.unasked, a.digest = false, q.digest
		return nil
	}
	return c.add(x, key, &answer{digest: q.digest, value: value, used: true})
}

// add adds an answer. The caller holds the lock, or is the only one with access.
func (c *questions) add(x *exchange, key string, a *answer) error {
	if c.answers == nil {
		c.answers = map[string]*answer{}
	}
	c.answers[key] = a
	if !a.used {
		c.unused++
	}
	return c.addSize(x, len(key)+len(a.value))
}

// addSize counts n bytes of answers and values. It returns an error if there are too many:
// for the request state, or, if the handler waits for answers, for a message. The caller
// holds the lock, or is the only one with access.
func (c *questions) addSize(x *exchange, n int) error {
	c.size += n
	limit := x.conn.server.limits.MessageBytes
	if x.revision.ServerRequests.Rounds {
		limit = x.conn.server.limits.StateBytes
	}
	if c.size > limit {
		return fmt.Errorf("the answers and values of the call have %d bytes, and at most %d are kept", c.size, limit)
	}
	return nil
}

// countInvalid removes an answer that is not valid, and returns how many of its question were not.
func (c *questions) countInvalid(key string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.forget(key)
	if c.tries == nil {
		c.tries = map[string]int{}
	}
	c.tries[key]++
	return c.tries[key]
}

// restart begins another run of the handler for the same request.
func (c *questions) restart() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.position, c.unused = 0, 0
	clear(c.keys)
	for _, a := range c.answers {
		a.used = false
		c.unused++
	}
}

// setReturned records whether the handler has returned. Its goroutines that still run cannot
// ask then.
func (c *questions) setReturned(returned bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.returned = returned
}

// suppressesOutput reports whether progress and log messages of the handler are not sent now:
// an earlier round has sent them, or the next one will.
func (c *questions) suppressesOutput() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.unused > 0 || len(c.pending) > 0
}

// asked reports whether the reply to the request is a question, or several.
func (c *questions) asked() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.pending) > 0 || c.reply != nil
}

// resumed reports whether the request came with answers or with a request state.
func (c *questions) resumed() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.round != nil || len(c.answers) > 0
}

// roundReply returns the reply that asks the questions, nil without one.
func (c *questions) roundReply() *InputRequired {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.reply
}
