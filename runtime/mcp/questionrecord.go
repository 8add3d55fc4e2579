package mcp

import (
	"crypto/sha256"
	"encoding/json"
	"sync"
	"time"
)

// This file defines the record of a request (questions.go).

// questions are the questions of one request, and their answers. Most requests have no questions:
// the zero value needs no further storage.
type questions struct {
	mu       sync.Mutex
	returned bool            // the handler has returned, and can no longer ask
	made     *questionRecord // nil before the first question, answer or value
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
		c.made = new(questionRecord)
	}
	return c.made
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
