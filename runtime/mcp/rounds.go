package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// Rounds of a request (basic/patterns/mrtr): what comes with the request is opened by
// [exchange.openRound] before the handler runs, [Server.converse] runs the handler, and
// [exchange.conclude] seals what the next round needs into the reply. All of it runs on the
// goroutine of the request; only replay.open may run on other goroutines of a handler.

// round is one that the client has come back for, with a state.
type round struct {
	id       string
	expires  time.Time
	consumed bool
}

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
		x.questions = questions{rejected: err}
	} else if !x.charge(x.questions.size + len(x.questions.state)) {
		x.questions = questions{rejected: protocolError(errOverloaded)}
	}
}

func (x *exchange) readRound(answers, state json.RawMessage) error {
	if answers != nil && !isObject(answers) {
		return wrongParams("params.inputResponses must be an object")
	}
	if state == nil {
		return x.readUnasked(answers)
	}
	text, ok := jsonrpc.String(state)
	if !ok {
		return wrongParams("params.requestState must be a string")
	}
	s, err := x.openState(text)
	if err != nil {
		return err
	}
	c := &x.questions
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
	return x.readAnswers(answers, func(key string) *answer {
		if digest := s.Asked[key]; digest != nil {
			return &answer{digest: digestOf(digest)}
		}
		return nil // nobody has asked
	})
}

// takeFree takes answers to questions that have not been asked: by their names
// alone, and not where they may do harm.
func (x *exchange) readUnasked(answers json.RawMessage) error {
	if x.method == protocol.ToolsCall {
		if t, _ := x.conn.server.lookUp(toolSet, x.req.Name).(*tool); t == nil || t.destructive() {
			return nil
		}
	}
	return x.readAnswers(answers, func(key string) *answer {
		if strings.HasPrefix(key, "#") {
			return nil
		}
		return &answer{free: true}
	})
}

func (x *exchange) readAnswers(answers json.RawMessage, about func(key string) *answer) (err error) {
	jsonrpc.Members(answers, func(name, value []byte) bool {
		if a := about(string(name)); a != nil {
			a.value = append(json.RawMessage(nil), value...)
			err = x.questions.add(x, string(name), a)
		}
		return err == nil
	})
	if err != nil {
		return stateTooLarge(err)
	}
	return nil
}

// conclude returns the reply that puts the open questions, nil where none is
// open. It is called on the goroutine of the request.
func (x *exchange) endRound() (*InputRequired, error) {
	c := &x.questions
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.pending) == 0 || c.reply != nil {
		return c.reply, nil
	}
	return x.endRoundLocked()
}

// concluded returns the reply that puts the questions of the request, nil where none
// has been put.
func (x *exchange) roundReply() *InputRequired {
	x.questions.mu.Lock()
	defer x.questions.mu.Unlock()
	return x.questions.reply
}

func (x *exchange) endRoundLocked() (*InputRequired, error) {
	c := &x.questions
	state, err := x.sealState()
	if err != nil {
		return nil, err
	}
	if !x.charge(len(state) + len(c.state)) {
		return nil, protocolError(errOverloaded)
	}
	slices.SortFunc(c.pending, func(a, b pendingQuestion) int { return strings.Compare(a.key, b.key) })
	c.reply = &InputRequired{open: c.pending, sealed: state}
	return c.reply, nil
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
func (s *Server) runRounds(ctx context.Context, req *Request) (Reply, error) {
	x := req.x
	if err := x.questions.rejected; err != nil {
		return nil, err
	}
	x.questions.setReturned(false)
	defer x.questions.setReturned(true)
	for rounds := 1; ; rounds++ {
		reply, err := s.dispatch(ctx, req)
		x.questions.setReturned(true)
		if asked, failure := x.endRound(); asked != nil || failure != nil {
			return asked.reply(), failure
		}
		required, ok := errors.AsType[*InputRequired](err)
		if !ok {
			return reply, err
		}
		if x.revision.ServerRequests.Rounds {
			asked, err := x.endRoundWith(required)
			return asked.reply(), err
		}
		if rounds == maxRounds {
			return nil, fmt.Errorf("the handler still needs input after %d rounds", rounds)
		}
		x.questions.setReturned(false)
		if err := x.askAll(ctx, required); err != nil {
			return nil, err
		}
	}
}

// maxRounds is how often a handler is called that returns [*InputRequired] to a
// client that cannot call again itself.
const maxRounds = 10
