package mcp

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/jsonhash"
	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Rounds of a request (basic/patterns/mrtr): what comes with the request is opened by
// [exchange.openRound] before the handler runs, [Server.converse] runs the handler, and
// [exchange.conclude] seals what the next round needs into the reply. All of it runs on the
// goroutine of the request; only replay.open may run on other goroutines of a handler.

// replay ends the round with the question. The client calls again with the
// answer, and the handler runs again from the top, where questions with answers
// return at once (basic/patterns/mrtr).
type replay struct{}

func (replay) open(_ context.Context, x *exchange, key string, q *question, complaint string) (json.RawMessage, error) {
	c := &x.talk
	c.mu.Lock()
	if c.over {
		c.mu.Unlock()
		return nil, ErrNoCall
	}
	if len(c.pending) == 0 {
		c.pending = []pendingQuestion{{key, q.method, q.params(complaint), q.digest}}
	}
	c.mu.Unlock()
	x.stop(ErrPending)
	return nil, ErrPending
}

// round is one that the client has come back for, with a state.
type round struct {
	id       string
	expires  time.Time
	consumed bool
}

// sealedRound is what a request state holds, sealed.
type sealedRound struct {
	ID        string                     `json:"i"`
	Expires   int64                      `json:"e"` // seconds since 1970
	Principal string                     `json:"p,omitempty"`
	Request   []byte                     `json:"r"`           // the digest of the request
	Asked     map[string][]byte          `json:"q,omitempty"` // digests of the open questions
	Answers   map[string]sealedAnswer    `json:"a,omitempty"`
	Tries     map[string]int             `json:"t,omitempty"`
	Once      map[string]json.RawMessage `json:"o,omitempty"`
	State     json.RawMessage            `json:"s,omitempty"`
}

type sealedAnswer struct {
	Digest []byte          `json:"d"`
	Value  json.RawMessage `json:"v"`
}

// statePurpose keeps request states apart from whatever else is sealed.
const statePurpose = "requestState"

// openRound reads the answers and the state that came with the request. What is
// wrong with them is the answer to the request, once its interceptors have seen
// it.
func (x *exchange) openRound() {
	if !x.revision.ServerRequests.Rounds || !x.method.MayAskClient() {
		return
	}
	p := &x.buffers.msg.Params
	answers, state := p.Get("inputResponses"), p.Get("requestState")
	if answers == nil && state == nil {
		return
	}
	if err := x.readRound(answers, state); err != nil {
		x.talk = conversation{refused: err}
	} else if !x.hold(x.talk.size + len(x.talk.state)) {
		x.talk = conversation{refused: protocolError(errOverloaded)}
	}
}

func (x *exchange) readRound(answers, state json.RawMessage) error {
	if answers != nil && !isObject(answers) {
		return wrongParams("params.inputResponses must be an object")
	}
	if state == nil {
		return x.takeFree(answers)
	}
	text, ok := jsonrpc.String(state)
	if !ok {
		return wrongParams("params.requestState must be a string")
	}
	s, err := x.openState(text)
	if err != nil {
		return err
	}
	c := &x.talk
	c.round = &round{id: s.ID, expires: time.Unix(s.Expires, 0)}
	c.tries, c.once, c.state = s.Tries, s.Once, s.State
	for key, a := range s.Answers {
		if err := c.add(x, key, &answer{digest: digestOf(a.Digest), value: a.Value}); err != nil {
			return stateTooLarge(err)
		}
	}
	for _, value := range c.once {
		c.size += len(value)
	}
	return x.takeAnswers(answers, func(key string) *answer {
		if digest := s.Asked[key]; digest != nil {
			return &answer{digest: digestOf(digest)}
		}
		return nil // nobody has asked
	})
}

// takeFree takes answers to questions that have not been asked: by their names
// alone, and not where they may do harm.
func (x *exchange) takeFree(answers json.RawMessage) error {
	if x.method == protocol.ToolsCall {
		if t, _ := x.conn.server.lookUp(shelfTools, x.req.Name).(*tool); t == nil || t.destructive() {
			return nil
		}
	}
	return x.takeAnswers(answers, func(key string) *answer {
		if strings.HasPrefix(key, "#") {
			return nil
		}
		return &answer{free: true}
	})
}

func (x *exchange) takeAnswers(answers json.RawMessage, about func(key string) *answer) (err error) {
	jsonrpc.Members(answers, func(name, value []byte) bool {
		if a := about(string(name)); a != nil {
			a.value = append(json.RawMessage(nil), value...)
			err = x.talk.add(x, string(name), a)
		}
		return err == nil
	})
	if err != nil {
		return stateTooLarge(err)
	}
	return nil
}

func stateTooLarge(err error) *ProtocolError {
	return &ProtocolError{Code: jsonrpc.CodeInternal, Message: err.Error(), Data: json.RawMessage(`{"reason":"stateTooLarge"}`)}
}

func digestOf(b []byte) (d [sha256.Size]byte) {
	copy(d[:], b)
	return d
}

// openState opens a request state, and checks that it belongs to the request.
// The client learns no more than that it does not.
func (x *exchange) openState(text string) (*sealedRound, error) {
	digest, err := x.requestDigest()
	if err != nil {
		return nil, err
	}
	plain, ok := x.conn.server.keys.Open(statePurpose, text)
	s := new(sealedRound)
	switch {
	case !ok:
		return nil, x.refuseState("it was not sealed with a key of this server, or has been changed")
	case json.Unmarshal(plain, s) != nil:
		return nil, x.refuseState("it was sealed by another version of this server")
	case s.Principal != x.call.principal.ID:
		return nil, x.refuseState("it is another principal's")
	case string(s.Request) != string(digest[:]):
		return nil, x.refuseState("it is another request's")
	case time.Now().Unix() >= s.Expires:
		x.logRefusal("it has expired")
		return nil, wrongParams("params.requestState has expired")
	}
	return s, nil
}

// refuseState logs why a state is refused, and returns the error.
func (x *exchange) refuseState(why string) error {
	x.logRefusal(why)
	return wrongParams("params.requestState is not valid for this request")
}

func (x *exchange) logRefusal(why string) {
	x.conn.server.log.Client(&x.ctx, slog.LevelWarn, "request state refused",
		slog.String("method", x.call.method), slog.String("name", x.call.feature), slog.String("reason", why))
}

// sealState seals what the next round needs.
func (x *exchange) sealState() (string, error) {
	digest, err := x.requestDigest()
	if err != nil {
		return "", err
	}
	c := &x.talk
	s := sealedRound{
		ID:        rand.Text(),
		Expires:   time.Now().Add(x.conn.server.limits.QuestionTime).Unix(),
		Principal: x.call.principal.ID,
		Request:   digest[:],
		Asked:     map[string][]byte{},
		Answers:   map[string]sealedAnswer{},
		Tries:     c.tries,
		Once:      c.once,
		State:     c.state,
	}
	for i := range c.pending {
		s.Asked[c.pending[i].key] = c.pending[i].digest[:]
	}
	for key, a := range c.answers {
		if !a.free {
			s.Answers[key] = sealedAnswer{a.digest[:], a.value}
		}
	}
	plain, err := json.Marshal(&s)
	if err != nil {
		return "", fmt.Errorf("seal request state: %w", err)
	}
	return x.conn.server.keys.Seal(statePurpose, plain), nil
}

// conclude returns the reply that puts the open questions, nil where none is
// open. It is called on the goroutine of the request.
func (x *exchange) conclude() (*InputRequired, error) {
	c := &x.talk
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.pending) == 0 || c.concluded != nil {
		return c.concluded, nil
	}
	return x.concludeLocked()
}

// concluded returns the reply that puts the questions of the request, nil where none
// has been put.
func (x *exchange) concluded() *InputRequired {
	x.talk.mu.Lock()
	defer x.talk.mu.Unlock()
	return x.talk.concluded
}

func (x *exchange) concludeLocked() (*InputRequired, error) {
	c := &x.talk
	state, err := x.sealState()
	if err != nil {
		return nil, err
	}
	if !x.hold(len(state) + len(c.state)) {
		return nil, protocolError(errOverloaded)
	}
	slices.SortFunc(c.pending, func(a, b pendingQuestion) int { return strings.Compare(a.key, b.key) })
	c.concluded = &InputRequired{open: c.pending, sealed: state}
	return c.concluded, nil
}

// consume uses up the state of the round, before a tool runs on it that must not repeat it.
func (x *exchange) consume(ctx context.Context) error {
	r := x.talk.round
	if r == nil || r.consumed {
		return nil
	}
	first, err := x.conn.server.store.Consume(ctx, r.id, r.expires)
	if err != nil {
		return fmt.Errorf("consume request state: %w", err)
	}
	if !first {
		return x.refuseState("it has been used")
	}
	r.consumed = true
	return nil
}

// admit checks what must hold before a feature is called.
func (x *exchange) admit(ctx context.Context, requires []Capability, once bool) error {
	if err := x.requires(requires...); err != nil {
		return err
	}
	if once {
		return x.consume(ctx)
	}
	return nil
}

// converse answers a request whose handler may ask the client.
func (s *Server) converse(ctx context.Context, req *Request) (Reply, error) {
	x := req.x
	if err := x.talk.refused; err != nil {
		return nil, err
	}
	x.talk.setOver(false)
	defer x.talk.setOver(true)
	for rounds := 1; ; rounds++ {
		reply, err := s.dispatch(ctx, req)
		x.talk.setOver(true)
		if asked, failure := x.conclude(); asked != nil || failure != nil {
			return asked.reply(), failure
		}
		required, ok := errors.AsType[*InputRequired](err)
		if !ok {
			return reply, err
		}
		if x.revision.ServerRequests.Rounds {
			asked, err := x.put(required)
			return asked.reply(), err
		}
		if rounds == maxRounds {
			return nil, fmt.Errorf("the handler still needs input after %d rounds", rounds)
		}
		x.talk.setOver(false)
		if err := x.putBlocking(ctx, required); err != nil {
			return nil, err
		}
	}
}

// requestDigest identifies what a request asks for: its method, the name or URI
// of the feature, and the arguments, whatever the order of members, the spelling
// of numbers and strings, and the white space. The rest makes no difference.
func (x *exchange) requestDigest() (digest [sha256.Size]byte, err error) {
	p := &x.buffers.msg.Params
	arguments := p.Get("arguments")
	if arguments == nil {
		arguments = emptyObject
	}
	if err := wire.Valid(arguments, max(1, x.conn.server.limits.Depth-2)); err != nil {
		return digest, err
	}
	h := jsonhash.New()
	h.Text('m', []byte(x.call.method))
	for _, name := range []string{"name", "uri"} {
		if value := p.Get(name); value != nil {
			h.Text('p', []byte(name))
			h.Value(value)
		}
	}
	h.Value(arguments)
	return h.Sum(), nil
}
