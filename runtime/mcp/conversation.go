package mcp

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"sync"

	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

var (
	// ErrPending says that a question has been put to the client, which will
	// call again with the answer (from revision 2026-07-28 on). It is what the
	// functions that ask return, and the cause with which the context ends.
	// Return it, or any error: the reply is the question, whatever the handler
	// returns.
	ErrPending = errors.New("waiting for the client to call again with an answer")
	// ErrNoCall says that there is no client to ask: the context is not that of
	// a tool, prompt or resource being answered, or the answer has been given.
	ErrNoCall = errors.New("only while a tool, a prompt or a resource is being answered can the client be asked")
)

// One question, from a handler's call of a function that asks to a valid answer: [ask] runs on
// the goroutine of the handler. Which questions have answers already is in conversation, which
// its own lock guards. How a question without an answer reaches the client is the backend's:
// blocking sends a request and waits (see peer.go), replay ends the round (see replay.go).

// maxAttempts is how often a question is asked whose answers are not valid.
const maxAttempts = 3

// maxRounds is how often a handler is called that returns [*InputRequired] to a
// client that cannot call again itself.
const maxRounds = 10

// AnswerError says that the client has answered a question several times, and
// never with what was asked for.
type AnswerError struct {
	Err error // what was wrong with the last answer
}

// Error says what was wrong.
func (e *AnswerError) Error() string { return "the client's answer is not valid: " + e.Err.Error() }

// Unwrap returns what was wrong.
func (e *AnswerError) Unwrap() error { return e.Err }

// AskOption changes how a question is asked.
type AskOption func(*askOptions)

type askOptions struct {
	key string
	id  string
}

// Key names a question. Without a name it is known by its place among the
// questions of the call, which must then be the same every time the handler
// runs: questions of several goroutines need names. A name is used for one
// question of a call.
func Key(name string) AskOption { return func(o *askOptions) { o.key = name } }

// Question is something to ask the client: what [FormQuestion], [FieldsQuestion],
// [URLQuestion] and [RootsQuestion] return, or a [*SampleRequest].
type Question interface {
	// question renders the question for the revision and the client of x.
	question(x *exchange, o *askOptions) (*question, error)
}

// question is a question as it is asked.
type question struct {
	method string
	// digest identifies what is asked: an answer belongs to the question with
	// this digest and to no other one.
	digest [sha256.Size]byte
	// params renders the question; the complaint says what was wrong with the
	// answer before, if there was one.
	params func(complaint string) []byte
	// read reads an answer. Its error says what is wrong with it.
	read func(result json.RawMessage) error
}

// newQuestion returns a question whose params do not depend on anything else.
func newQuestion(method string, params []byte, read func(json.RawMessage) error) *question {
	return &question{
		method: method, digest: questionDigest(method, params), read: read,
		params: func(string) []byte { return params },
	}
}

// checkSize refuses a question that has more bytes than a result may have.
func (x *exchange) checkSize(q *question) error {
	if limit := x.conn.server.limits.ResultBytes; len(q.params("")) > limit {
		return fmt.Errorf("the question has more than the %d bytes that are allowed", limit)
	}
	return nil
}

func questionDigest(method string, params []byte) [sha256.Size]byte {
	b := make([]byte, 0, len(method)+1+len(params))
	b = append(append(append(b, method...), '\n'), params...)
	return sha256.Sum256(b)
}

// backend is how a question reaches the client.
type backend interface {
	// open asks a question that has no answer yet. It returns the answer, or
	// ErrPending.
	open(ctx context.Context, x *exchange, key string, q *question, complaint string) (json.RawMessage, error)
}

// conversation is what a handler and its client have said to one another. The
// zero value is one in which nothing has been said.
type conversation struct {
	mu       sync.Mutex
	answers  map[string]*answer // of earlier rounds and of this one, by key
	unused   int                // answers of earlier rounds that have not been asked for yet
	position int                // questions without a name so far
	keys     map[string]bool    // names that have been used
	tries    map[string]int     // answers that were not valid, by key
	once     map[string]json.RawMessage
	size     int             // of answers and values, in bytes
	state    json.RawMessage // of the handler's own, from InputRequired

	round     *round // the state that the client has come back with
	pending   []pendingQuestion
	concluded *InputRequired // the reply that puts them
	refused   error          // the round cannot be answered
	over      bool           // the handler has returned
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

// exchangeFrom returns the request that ctx belongs to, nil where there is none.
func exchangeFrom(ctx context.Context) *exchange {
	x, _ := ctx.Value(exchangeKey{}).(*exchange)
	return x
}

// ask asks the client, and reads the answer by the question's own read.
func ask(ctx context.Context, q Question, options []AskOption) error {
	x := exchangeFrom(ctx)
	if x == nil || !x.method.MayAskClient() || x.isAnswered() {
		return ErrNoCall
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	var o askOptions
	for _, option := range options {
		option(&o)
	}
	rendered, err := q.question(x, &o)
	if err != nil {
		return err
	}
	return x.ask(ctx, o.key, rendered)
}

func (x *exchange) ask(ctx context.Context, name string, q *question) error {
	c := &x.talk
	if err := x.checkSize(q); err != nil {
		return err
	}
	key, value, err := c.recorded(x, name, q)
	if err != nil {
		return err
	}
	complaint := ""
	for {
		if value != nil {
			wrong := q.read(value)
			if wrong == nil {
				return c.keep(x, key, q, value)
			}
			if c.invalid(key) >= maxAttempts {
				return &AnswerError{wrong}
			}
			complaint = wrong.Error()
		}
		if value, err = x.backend().open(ctx, x, key, q, complaint); err != nil {
			return err
		}
	}
}

// recorded returns the key of a question, and the answer if it has been given in
// an earlier round.
func (c *conversation) recorded(x *exchange, name string, q *question) (key string, value json.RawMessage, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.refused != nil:
		return "", nil, c.refused
	case c.over:
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
		c.drop(key)
		return key, nil, nil
	}
	return key, a.value, nil
}

// drop forgets an answer.
func (c *conversation) drop(key string) {
	if a := c.answers[key]; a != nil {
		c.use(a)
		c.size -= len(key) + len(a.value)
		delete(c.answers, key)
	}
}

// use counts an answer of an earlier round that has been asked for.
func (c *conversation) use(a *answer) {
	if !a.used {
		a.used = true
		c.unused--
	}
}

// keep records a valid answer for the rounds to come.
func (c *conversation) keep(x *exchange, key string, q *question, value json.RawMessage) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if a := c.answers[key]; a != nil {
		c.use(a)
		a.free, a.digest = false, q.digest
		return nil
	}
	return c.add(x, key, &answer{digest: q.digest, value: value, used: true})
}

// add records an answer.
func (c *conversation) add(x *exchange, key string, a *answer) error {
	if c.answers == nil {
		c.answers = map[string]*answer{}
	}
	c.answers[key] = a
	if !a.used {
		c.unused++
	}
	return c.grow(x, len(key)+len(a.value))
}

// grow refuses what the state that the client carries would not hold, and where the
// call itself keeps the answers, more than a message may have.
func (c *conversation) grow(x *exchange, n int) error {
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
func (c *conversation) invalid(key string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.drop(key)
	if c.tries == nil {
		c.tries = map[string]int{}
	}
	c.tries[key]++
	return c.tries[key]
}

// again begins another run of the handler.
func (c *conversation) again() {
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
func (c *conversation) setOver(over bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.over = over
}

// muted reports whether what the handler says now has been said in an earlier
// round, or will be in the next one.
func (c *conversation) muted() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.unused > 0 || len(c.pending) > 0
}

// backend chooses how questions reach the client.
func (x *exchange) backend() backend {
	if x.revision.ServerRequests.Rounds {
		return replay{}
	}
	return blocking{}
}

// blocking sends a question as a request, and the handler waits.
type blocking struct{}

func (blocking) open(ctx context.Context, x *exchange, _ string, q *question, complaint string) (json.RawMessage, error) {
	result, err := x.sendRequest(ctx, q.method, q.params(complaint))
	if err != nil {
		return nil, err
	}
	return result, nil
}

// requires returns an error where the client lacks one of the capabilities.
func (x *exchange) requires(capabilities ...Capability) error {
	var missing []Capability
	for _, capability := range capabilities {
		if !x.call.Can(capability) {
			missing = append(missing, capability)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	return lacking(missing)
}

// lacking is the error for capabilities that a client lacks, each named once.
func lacking(missing []Capability) *CapabilityError {
	var once []Capability
	for _, capability := range missing {
		if !slices.Contains(once, capability) {
			once = append(once, capability)
		}
	}
	return &CapabilityError{Capability: once[0], Others: once[1:]}
}

// isObjectText reports whether an answer is an object, as all results are.
func isObjectText(value json.RawMessage) error {
	if !isObject(value) {
		return errors.New("it must be an object")
	}
	return nil
}

// memberText returns a member that must be a string.
func memberText(object []byte, name string) (string, error) {
	text, ok := jsonrpc.String(member(object, name))
	if !ok {
		return "", fmt.Errorf("%s must be a string", name)
	}
	return text, nil
}
