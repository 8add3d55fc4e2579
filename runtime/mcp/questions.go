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

// One question, from a handler's call of a function that asks to a valid answer: [ask] runs on
// the goroutine of the handler. Which questions have answers already is in conversation, which
// its own lock guards. How a question without an answer reaches the client is the backend's:
// blocking sends a request and waits (see peer.go), replay ends the round (see replay.go).

// conversation is what a handler and its client have said to one another. The
// zero value is one in which nothing has been said.
type questions struct {
	mu       sync.Mutex
	answers  map[string]*answer // of earlier rounds and of this one, by key
	unused   int                // answers of earlier rounds that have not been asked for yet
	position int                // questions without a name so far
	keys     map[string]bool    // names that have been used
	tries    map[string]int     // answers that were not valid, by key
	once     map[string]json.RawMessage
	size     int             // of answers and values, in bytes
	state    json.RawMessage // of the handler's own, from InputRequired

	round    *round // the state that the client has come back with
	pending  []pendingQuestion
	reply    *InputRequired // the reply that puts them
	rejected error          // the round cannot be answered
	returned bool           // the handler has returned
}

// answer is what a client has answered to a question.
type answer struct {
	digest [sha256.Size]byte
	free   bool // it came without a question, and belongs to any of its name
	used   bool
	value  json.RawMessage
}

// pendingQuestion is one that ends the round.
type pendingQuestion struct {
	key    string
	method string
	params []byte
	digest [sha256.Size]byte
}

// recorded returns the key of a question, and the answer if it has been given in
// an earlier round.
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
	if a.digest != q.digest && !a.free {
		x.conn.server.log.Client(&x.ctx, slog.LevelInfo, "answer to another question dropped",
			slog.String("name", x.call.feature), slog.String("key", key))
		c.forget(key)
		return key, nil, nil
	}
	return key, a.value, nil
}

// drop forgets an answer.
func (c *questions) forget(key string) {
	if a := c.answers[key]; a != nil {
		c.markUsed(a)
		c.size -= len(key) + len(a.value)
		delete(c.answers, key)
	}
}

// use counts an answer of an earlier round that has been asked for.
func (c *questions) markUsed(a *answer) {
	if !a.used {
		a.used = true
		c.unused--
	}
}

// keep records a valid answer for the rounds to come.
func (c *questions) record(x *exchange, key string, q *question, value json.RawMessage) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if a := c.answers[key]; a != nil {
		c.markUsed(a)
		a.free, a.digest = false, q.digest
		return nil
	}
	return c.add(x, key, &answer{digest: q.digest, value: value, used: true})
}

// add records an answer.
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

// grow refuses what the state that the client carries would not hold, and where the
// call itself keeps the answers, more than a message may have.
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

// invalid forgets an answer that is not valid, and returns how often that was.
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

// again begins another run of the handler.
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

// setOver notes whether the handler has returned, so that nobody asks who has
// outlived it.
func (c *questions) setReturned(over bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.returned = over
}

// muted reports whether what the handler says now has been said in an earlier
// round, or will be in the next one.
func (c *questions) suppressesOutput() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.unused > 0 || len(c.pending) > 0
}
