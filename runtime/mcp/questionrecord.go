package mcp

import (
	"crypto/sha256"
	"encoding/json"
	"sync"
	"time"
)

// This file is the state of the record of a request (questions.go).

// questions are the questions of one request, and their answers. The zero value has none, as
// most requests, which need no storage for any.
type questions struct {
	mu       sync.Mutex
	returned bool            // the handler has returned, and cannot ask any more
	made     *questionRecord // nil before the first question, answer or value
}

// questionRecord is the record of a request with questions. The lock of the questions guards it.
type questionRecord struct {
	answers  map[string]*answer         // of earlier rounds and of this one, by key
	unused   int                        // answers of earlier rounds whose questions this run has not asked yet
	position int                        // questions without a key so far
	keys     map[string]bool            // keys that this run has used
	tries    map[string]int             // answers that were not valid, by key
	once     map[string]json.RawMessage // values of [Once], by key
	size     int                        // of answers and values, in bytes
	charged  int                        // of size and state: what the request is charged for
	state    json.RawMessage            // InputRequired.State of the handler

	round    *round            // of the request state that came with the request; nil without one
	pending  []pendingQuestion // questions that the reply asks; then the handler cannot ask more
	reply    *InputRequired    // the reply that asks them
	rejected error             // why the answers or the state of the request cannot be used
}

// make returns the record. The caller holds the lock, or is the only one with access.
func (c *questions) make() *questionRecord {
	if c.made == nil {
		c.made = new(questionRecord)
	}
	return c.made
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

// asked reports whether the reply to the request is a question, or several.
func (c *questions) asked() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.askedLocked()
}

// askedLocked is asked for a caller that holds the lock.
func (c *questions) askedLocked() bool {
	return c.made != nil && (len(c.made.pending) > 0 || c.made.reply != nil)
}

// round is the request state that came with a request.
type round struct {
	id       string
	expires  time.Time
	consumed bool
}
