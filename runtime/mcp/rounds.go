package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/engine"
	"github.com/mcpgen/mcpgen/runtime/internal/jsonobject"
	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// This file runs a handler that may ask the client, round by round. In revisions with rounds
// (basic/patterns/mrtr), one request is one round: [exchange.openRound] reads the answers and the
// state of the request, before interceptors and handler run, and [exchange.endRound] makes the open
// questions the reply, with the state that the next request brings back (roundstate.go). In other
// revisions the server has asked by the time the handler returns, and rounds come from
// [InputRequired] only: the loop of [Server.runRounds] asks its questions and runs the handler
// again. All of this runs on the request goroutine; the record of questions and answers
// (questions.go) has a lock.

// maxRounds limits the times that the handler of one request may return [*InputRequired], if the
// server runs it again.
const maxRounds = 10

// openRound reads the answers and the state that came with a request of a revision with rounds. If
// they are not valid, the error is the reply, after the interceptors have run.
func (x *exchange) openRound() {
	if !x.Method.MayAskClient() {
		return
	}
	p := x.Params()
	answers, state := p.Get("inputResponses"), p.Get("requestState")
	if answers == nil && state == nil {
		return
	}
	if err := x.readRound(answers, state); err != nil {
		x.questions.set(&questionRecord{rejected: err})
	} else if err := x.questions.make().charge(x); err != nil {
		x.questions.set(&questionRecord{rejected: err})
	}
}

func (x *exchange) readRound(answers, state json.RawMessage) error {
	if answers != nil && !jsonobject.Is(answers) {
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
	c := x.questions.make()
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
		return nil // the state does not contain such a question
	})
}

// readUnasked reads answers without a request state. They are identified by their keys alone, so
// destructive tools ignore them.
func (x *exchange) readUnasked(answers json.RawMessage) error {
	if x.Method == protocol.ToolsCall {
		if t, _ := x.conn.server.lookUp(toolSet, x.req.Name).(*tool); t == nil || t.destructive() {
			return nil
		}
	}
	return x.readAnswers(answers, func(key string) *answer {
		if strings.HasPrefix(key, "#") {
			return nil
		}
		return &answer{unasked: true}
	})
}

// readAnswers adds the answers whose question about returns; about returns nil for other keys.
func (x *exchange) readAnswers(answers json.RawMessage, about func(key string) *answer) (err error) {
	jsonrpc.Members(answers, func(name, value []byte) bool {
		if a := about(string(name)); a != nil {
			a.value = append(json.RawMessage(nil), value...)
			err = x.questions.make().add(x, string(name), a)
		}
		return err == nil
	})
	if err != nil {
		return stateTooLarge(err)
	}
	return nil
}

// endRound returns the reply with the open questions. There is at least one.
func (x *exchange) endRound() (Reply, error) {
	c := &x.questions
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.made != nil && c.made.reply != nil {
		return c.made.reply, nil
	}
	return x.endRoundLocked()
}

// endRoundLocked makes the reply. The caller holds the lock of the questions.
func (x *exchange) endRoundLocked() (Reply, error) {
	c := x.questions.make()
	state, err := x.sealState()
	if err != nil {
		return nil, err
	}
	size := len(state)
	for i := range c.pending {
		size += len(c.pending[i].params)
	}
	if !x.Charge(size) {
		c.pending = nil // the reply is the error, so the questions must not be stored until it is sent
		return nil, protocolError(engine.ErrOverloaded)
	}
	slices.SortFunc(c.pending, func(a, b pendingQuestion) int { return strings.Compare(a.key, b.key) })
	c.reply = &InputRequired{open: c.pending, sealed: state}
	return c.reply, nil
}

// runRounds calls the handler of a request that may ask the client, until it returns a result or an
// error, or the questions are the reply.
func (s *Server) runRounds(ctx context.Context, req *Request) (Reply, error) {
	x := req.x
	q := &x.questions
	if q.used.Load() {
		if err := q.rejection(); err != nil {
			return nil, err
		}
	}
	q.returned.Store(false)      // by a run before: interceptors may call their next handler again
	defer q.returned.Store(true) // goroutines that the handler started can no longer ask
	for rounds := 1; ; rounds++ {
		reply, err := s.dispatch(ctx, req)
		q.returned.Store(true)
		if q.used.Load() && q.asked() {
			return x.endRound()
		}
		required, ok := errors.AsType[*InputRequired](err)
		if !ok {
			return reply, err
		}
		if x.Revision.ServerRequests.Rounds {
			return x.endRoundWith(required)
		}
		if rounds == maxRounds {
			return nil, fmt.Errorf("the handler still needs input after %d rounds", rounds)
		}
		q.returned.Store(false)
		if err := x.askAll(ctx, required); err != nil {
			return nil, err
		}
	}
}
