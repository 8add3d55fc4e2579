package mcpclient

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/mcpgen/mcpgen/runtime/internal/dial"
	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// mayRequireInput reports whether results of a method may require input.
func mayRequireInput(method string) bool { return protocol.MethodOf(method).MayAskClient() }

// codeURLRequired is the code of a request that needs a link to be opened first (2025-11-25,
// client/elicitation).
const codeURLRequired = -32042

// rounds sends a request, and sends it again with the input that the server requires: with answers,
// or after links have been completed.
func (c *Client) rounds(ctx context.Context, r *Request) (json.RawMessage, error) {
	result, _, err := c.roundsOf(ctx, r)
	return result, err
}

// roundsOf is rounds, and also returns the number of repetitions with input.
func (c *Client) roundsOf(ctx context.Context, r *Request) (json.RawMessage, int, error) {
	result, rounds, err := c.answerRounds(ctx, r)
	e, ok := err.(*jsonrpc.Error)
	if !ok || e.Code != codeURLRequired || c.options.OpenURL == nil || !mayRequireInput(r.Method) || !c.revision.Load().ServerRequests.ElicitationID {
		return result, rounds, err
	}
	bounded, cancel := r.options.within(ctx)
	err = c.openLinks(bounded, e)
	cancel()
	if err != nil {
		return nil, 0, c.wrap(r.Method, err)
	}
	result, rounds, err = c.answerRounds(ctx, r)
	return result, rounds + 1, err
}

// answerRounds sends a request, and sends it again with answers as long as the result requires
// input (basic/patterns/mrtr).
func (c *Client) answerRounds(ctx context.Context, r *Request) (json.RawMessage, int, error) {
	params := r.Params
	for {
		result, err := c.sender(ctx, r)
		if err != nil || !c.revision.Load().ServerRequests.Rounds {
			return result, r.Round, err
		}
		required, err := readInputRequired(result)
		switch {
		case err != nil:
			return nil, 0, c.wrap(r.Method, err)
		case required == nil:
			return result, r.Round, nil
		case !mayRequireInput(r.Method):
			return nil, 0, c.wrap(r.Method, &dial.Violation{Text: "a result of " + r.Method + " that requires input", Bytes: clip(result)})
		case r.Round+1 >= c.limits.Rounds:
			return nil, 0, c.wrap(r.Method, &LimitError{What: "rounds", Limit: "Rounds", Value: c.limits.Rounds})
		}
		bounded, cancel := r.options.within(ctx)
		answers, err := c.answerInputs(bounded, c.revision.Load(), required)
		cancel()
		if err != nil {
			return nil, 0, c.wrap(r.Method, err)
		}
		next := *r
		next.Round++
		next.Params = withAnswers(params, required, answers)
		r = &next
	}
}

// objectHas reports whether an object contains a member.
func objectHas(object []byte, name string) (has bool) {
	jsonrpc.Members(object, func(n, _ []byte) bool {
		has = string(n) == name
		return !has
	})
	return has
}

// withAnswers adds the answers and the state to the params of a request.
func withAnswers(params json.RawMessage, required *inputRequests, answers []json.RawMessage) json.RawMessage {
	b := []byte{'{'}
	jsonrpc.Members(params, func(name, value []byte) bool {
		if n := string(name); n != "inputResponses" && n != "requestState" {
			b = addMember(b, n, value)
		}
		return true
	})
	if len(required.keys) > 0 {
		responses := []byte{'{'}
		for i, key := range required.keys {
			responses = addMember(responses, key, answers[i])
		}
		b = addMember(b, "inputResponses", append(responses, '}'))
	}
	if required.state != nil {
		b = addMember(b, "requestState", required.state)
	}
	return append(b, '}')
}

// addMember appends a member to an object whose closing brace is missing.
func addMember(b []byte, name string, value []byte) []byte {
	if b[len(b)-1] != '{' {
		b = append(b, ',')
	}
	b = wire.AppendString(b, name)
	b = append(b, ':')
	return append(b, value...)
}

// answerInputs answers the questions of a round concurrently. The first error cancels the others.
func (c *Client) answerInputs(ctx context.Context, revision *protocol.Revision, in *inputRequests) ([]json.RawMessage, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, c.limits.QuestionTime, errQuestionTime)
	defer cancel()
	answers := make([]json.RawMessage, len(in.keys))
	var first error
	var mu sync.Mutex
	var group sync.WaitGroup
	for i, q := range in.questions {
		if !c.answers(revision, q.method) {
			return nil, &dial.Violation{Text: fmt.Sprintf("the server asks for %s as input request %q, which the client does not support", q.method, in.keys[i])}
		}
	}
	for i, q := range in.questions {
		if !c.enterQuestion(ctx) {
			break
		}
		group.Go(func() {
			defer c.leaveQuestion()
			answer, err := c.answer(ctx, revision, q.method, slices.Clone(q.params))
			if err != nil {
				mu.Lock()
				defer mu.Unlock()
				if ctx.Err() == nil { // otherwise ctx has the reason
					first = inputError(q.method, in.keys[i], err)
					cancel()
				}
				return
			}
			answers[i] = answer
		})
		if c.testing != nil {
			group.Wait()
		}
	}
	done := make(chan struct{})
	go func() {
		group.Wait()
		close(done)
	}()
	select {
	case <-done:
	case <-ctx.Done():
		// A function that ignores its context is not waited for.
		mu.Lock()
		defer mu.Unlock()
		if first == nil {
			return nil, context.Cause(ctx)
		}
		return nil, first
	}
	if first != nil {
		return nil, first
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	for i, answer := range answers {
		if answer == nil { // runtime.Goexit
			return nil, fmt.Errorf("%s %q: the function of Options has not returned", in.questions[i].method, in.keys[i])
		}
	}
	return answers, nil
}

// inputError returns the error of a request whose input was refused or failed.
func inputError(method, key string, err error) error {
	if e, ok := errors.AsType[*jsonrpc.Error](err); ok && e.Code == jsonrpc.CodeInvalidParams {
		return &dial.Violation{Text: fmt.Sprintf("input request %q cannot be answered: %s", key, e.Message)}
	}
	if method == protocol.CreateMessage {
		return fmt.Errorf("%w: %s %q: %w", ErrRefused, method, key, err)
	}
	return fmt.Errorf("%s %q: %w", method, key, err)
}
