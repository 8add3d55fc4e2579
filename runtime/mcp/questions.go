package mcp

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"log/slog"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/engine"
	"github.com/mcpgen/mcpgen/runtime/internal/membudget"
)

// This file records the questions of one request: which ones its handler has asked, which have
// answers, and which wait for one. It does not ask. [exchange.ask] looks up and records answers,
// [Server.runRounds] reads the record at the end of a round, and [exchange.openRound] fills it with
// the answers of earlier rounds. A handler may ask from several goroutines, so a lock of the record
// guards all fields.

// questions are the questions of one request, and their answers. Most requests have no questions:
// the zero value needs no further storage, and its lock is not used.
//
// A question is recorded in this order: under the lock, make the record, then look whether the
// handler has returned. The end of a run sets returned first, and then looks for a record. So
// either the question is refused, or the end of the run finds it.
type questions struct {
	returned atomic.Bool // the handler has returned, and can no longer ask
	used     atomic.Bool // there is a record

	mu   sync.Mutex
	made *questionRecord // nil before the first question, answer or value
}

// questionRecord is the record of a request with questions. The lock of the questions guards it.
type questionRecord struct {
	answers  map[string]*answer         // answers of earlier rounds and of this one, by key
	unused   int                        // answers of earlier rounds whose questions this run has not asked yet
	position int                        // questions without a key so far
	keys     map[string]bool            // keys that this run has used
	tries    map[string]int             // answers that were not valid, by key
	once     map[string]json.RawMessage // values of [Once], by key
	size     int                        // size of answers and values, in bytes
	charged  int                        // bytes that the request is charged for: size and state
	state    json.RawMessage            // InputRequired.State of the handler

	round    *round            // request state that came with the request; nil without one
	pending  []pendingQuestion // questions in the reply; if there are any, the handler cannot ask more
	reply    *InputRequired    // the reply that contains the questions
	rejected error             // reason why the answers or the state of the request cannot be used
}

// make returns the record. The caller holds the lock, or no other goroutine can access c yet.
func (c *questions) make() *questionRecord {
	if c.made == nil {
		c.set(new(questionRecord))
	}
	return c.made
}

// set sets the record, under the same condition as make.
func (c *questions) set(r *questionRecord) {
	c.made = r
	c.used.Store(r != nil)
}

// answer is an answer of the client.
type answer struct {
	digest  [sha256.Size]byte // digest of the question
	unasked bool              // the client sent it without a question; it fits any question with its key
	used    bool              // this run of the handler has asked for it
	value   json.RawMessage
}

// pendingQuestion is a question in the reply.
type pendingQuestion struct {
	key    string
	method string
	params []byte
	digest [sha256.Size]byte
}

// asked reports whether the reply to the request contains questions.
func (c *questions) asked() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.askedLocked()
}

// askedLocked is like asked. The caller holds the lock.
func (c *questions) askedLocked() bool {
	return c.made != nil && (len(c.made.pending) > 0 || c.made.reply != nil)
}

// round is the request state that came with a request.
type round struct {
	id       string
	expires  time.Time
	consumed bool
}

// lookUp returns the key of a question, and its answer if an earlier round has one.
func (c *questions) lookUp(x *exchange, name string, q *question) (key string, value json.RawMessage, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	r := c.make()
	switch {
	case r.rejected != nil:
		return "", nil, r.rejected
	case c.returned.Load():
		return "", nil, ErrNoCall
	case len(r.pending) > 0:
		return "", nil, ErrPending
	case name == "":
		r.position++
		key = "#" + strconv.Itoa(r.position) + "-" + hex.EncodeToString(q.digest[:6])
	case r.keys[name]:
		return "", nil, fmt.Errorf("the key %q is used for two questions of one call", name)
	default:
		if r.keys == nil {
			r.keys = map[string]bool{}
		}
		r.keys[name] = true
		key = name
	}
	a := r.answers[key]
	if a == nil {
		return key, nil, nil
	}
	if a.digest != q.digest && !a.unasked {
		x.conn.server.log.Client(&x.Ctx, slog.LevelInfo, "answer to another question dropped",
			slog.String("name", x.Feature), slog.String("key", key))
		r.forget(key)
		return key, nil, nil
	}
	return key, a.value, nil
}

// forget removes an answer. The caller holds the lock.
func (r *questionRecord) forget(key string) {
	if a := r.answers[key]; a != nil {
		r.markUsed(a)
		r.size -= len(key) + len(a.value)
		delete(r.answers, key)
	}
}

// markUsed records that this run asked the question of an answer. The caller holds the lock.
func (r *questionRecord) markUsed(a *answer) {
	if !a.used {
		a.used = true
		r.unused--
	}
}

// record stores a valid answer for later rounds.
func (c *questions) record(x *exchange, key string, q *question, value json.RawMessage) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	r := c.make()
	if a := r.answers[key]; a != nil {
		r.markUsed(a)
		a.unasked, a.digest = false, q.digest
		return nil
	}
	if err := r.add(x, key, &answer{digest: q.digest, value: value, used: true}); err != nil {
		return err
	}
	return r.charge(x)
}

// charge charges the request for the answers, the values and the state. It returns an error if the
// memory budget is exhausted. The caller holds the lock, or no other goroutine can access r yet.
func (r *questionRecord) charge(x *exchange) error {
	more := r.size + len(r.state) - r.charged
	if more <= membudget.Free {
		return nil
	}
	if !x.Charge(more) {
		return protocolError(engine.ErrOverloaded)
	}
	r.charged += more
	return nil
}

// add adds an answer. The caller holds the lock, or no other goroutine can access r yet.
func (r *questionRecord) add(x *exchange, key string, a *answer) error {
	if r.answers == nil {
		r.answers = map[string]*answer{}
	}
	r.answers[key] = a
	if !a.used {
		r.unused++
	}
	return r.addSize(x, len(key)+len(a.value))
}

// addSize counts n bytes of answers and values. It returns an error if they exceed the limit: of
// the request state, or, if the handler waits for answers, of a message. The caller holds the lock,
// or no other goroutine can access r yet.
func (r *questionRecord) addSize(x *exchange, n int) error {
	r.size += n
	limit := x.conn.server.limits.MessageBytes
	if x.Revision.ServerRequests.Rounds {
		limit = x.conn.server.limits.StateBytes
	}
	if r.size > limit {
		return fmt.Errorf("the answers and values of the call have %d bytes, and at most %d are kept", r.size, limit)
	}
	return nil
}

// countInvalid removes an answer that is not valid, and returns the number of invalid answers to
// its question.
func (c *questions) countInvalid(key string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	r := c.make()
	r.forget(key)
	if r.tries == nil {
		r.tries = map[string]int{}
	}
	r.tries[key]++
	return r.tries[key]
}

// restart begins another run of the handler for the same request.
func (c *questions) restart() {
	c.mu.Lock()
	defer c.mu.Unlock()
	r := c.make()
	r.position, r.unused = 0, 0
	clear(r.keys)
	for _, a := range r.answers {
		a.used = false
		r.unused++
	}
}

// rejection returns the reason why the answers or the state of the request cannot be used, or nil.
func (c *questions) rejection() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.made == nil {
		return nil
	}
	return c.made.rejected
}

// suppressesOutput reports whether progress and log messages of the handler are not sent now: an
// earlier round has sent them, or the next one will.
func (c *questions) suppressesOutput() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.made != nil && (c.made.unused > 0 || len(c.made.pending) > 0)
}

// opened returns the round of the request state that came with the request, or nil without one.
func (c *questions) opened() *round {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.made == nil {
		return nil
	}
	return c.made.round
}

// resumed reports whether the request came with answers or with a request state.
func (c *questions) resumed() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.made != nil && (c.made.round != nil || len(c.made.answers) > 0)
}

// roundReply returns the reply that contains the questions, or nil without questions.
func (c *questions) roundReply() *InputRequired {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.made == nil {
		return nil
	}
	return c.made.reply
}
