package mcpclient

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/dial"
	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// codeRefused is the code of a request that the user rejected (client/sampling, errors).
const codeRefused = -1

// question handles a request of the server. A separate goroutine answers it, except for a ping.
func (x *connection) question(m *jsonrpc.Message, over *pending, data []byte) {
	method := string(m.Method)
	revision := x.revision.Load()
	fail := func(code int, text string) {
		x.reply(jsonrpc.AppendError(nil, m.ID, &jsonrpc.Error{Code: code, Message: text}))
	}
	switch {
	case revision != nil && revision.ServerRequests.Rounds:
		x.violation(nil, "a request, which the revision does not have", data)
		return
	case method == protocol.Ping.String():
		x.reply(jsonrpc.AppendResult(nil, m.ID, json.RawMessage("{}")))
		return
	case !x.initialized.Load():
		x.violation(nil, "a request before the client has sent notifications/initialized", data)
		fail(jsonrpc.CodeInvalidRequest, "the session is not initialized")
		return
	case !x.client.answers(revision, method):
		x.violation(nil, "the server asks for "+method+", which the client does not support", data)
		fail(jsonrpc.CodeMethodNotFound, "method not found: "+method)
		return
	}
	c := x.client
	if !c.tryQuestion() {
		fail(jsonrpc.CodeInternal, "overloaded: the client answers as many requests as it can")
		return
	}
	ctx, cancel := context.WithTimeoutCause(x.ctx, c.limits.QuestionTime, errQuestionTime)
	key, id := m.ID.Key(), m.ID.Clone()
	x.mu.Lock()
	_, twice := x.asked[key]
	if x.failure != nil || twice {
		x.mu.Unlock()
		cancel()
		c.leaveQuestion()
		if twice {
			x.violation(nil, "a request with the id of another one in flight", data)
		}
		return
	}
	q := &askedQuestion{cancel}
	x.asked[key] = q
	x.mu.Unlock()
	params := bytes.Clone(m.Params.Raw)
	resume := sync.OnceFunc(x.startAnswer(over))
	// finish sends one reply, unless the server has cancelled the question or the connection is
	// closed: another client may answer the question of a task then. The server may also have
	// reused the id for another question.
	finish := func(result json.RawMessage, err error) {
		resume()
		x.mu.Lock()
		waits := x.asked[key] == q
		if waits {
			delete(x.asked, key)
		}
		x.mu.Unlock()
		switch {
		case !waits || x.ctx.Err() != nil:
		case err != nil:
			x.reply(jsonrpc.AppendError(nil, id, answerError(err)))
		default:
			x.reply(jsonrpc.AppendResult(nil, id, result))
		}
	}
	// A function that does not return when its context is done must not keep the server waiting.
	context.AfterFunc(ctx, func() { finish(nil, context.Cause(ctx)) })
	go func() {
		defer cancel()
		defer c.leaveQuestion()
		finish(c.answer(ctx, revision, method, params))
	}()
}

// askedQuestion is a request of the server that is being answered.
type askedQuestion struct{ cancel context.CancelFunc }

// startAnswer stops the clocks of waiting requests while a question is answered: of the request
// whose response contained the question, or of all.
func (x *connection) startAnswer(over *pending) (done func()) {
	if over != nil {
		return over.clock.stop()
	}
	x.answering.Add(1)
	return func() {
		x.answered.Store(time.Now().UnixNano())
		x.answering.Add(-1)
	}
}

// cancelled ends a question that the server has cancelled. In a revision without server requests,
// it ends a listen.
func (x *connection) cancelled(params *jsonrpc.Params, data []byte) {
	id, ok := jsonrpc.RawID(params.Get("requestId"))
	if !ok {
		x.violation(nil, "a cancellation without requestId", data)
		return
	}
	if r := x.revision.Load(); r != nil && r.ServerRequests.Rounds {
		x.listenCancelled(idOf(id), data)
		return
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if q := x.asked[id.Key()]; q != nil {
		q.cancel()
		delete(x.asked, id.Key())
	}
}

// tryQuestion counts a question that is answered. It reports whether the limit allows it.
func (c *Client) tryQuestion() bool {
	select {
	case c.questions <- struct{}{}:
		return true
	default:
		return false
	}
}

// enterQuestion is like tryQuestion, but waits until the limit allows it or ctx is done.
func (c *Client) enterQuestion(ctx context.Context) bool {
	select {
	case c.questions <- struct{}{}:
		return true
	case <-ctx.Done():
		return false
	}
}

func (c *Client) leaveQuestion() { <-c.questions }

// answers reports whether the client answers requests of a method: it must have declared the
// capability in the revision.
func (c *Client) answers(r *protocol.Revision, method string) bool {
	switch method {
	case protocol.CreateElicitation:
		return c.opensForms(r) || c.opensLinks(r)
	case protocol.CreateMessage:
		return c.options.Sample != nil
	case protocol.ListRoots:
		return c.options.Roots != nil
	}
	return false
}

func (c *Client) opensForms(r *protocol.Revision) bool {
	return c.options.Elicit != nil && hasCapability(r, "elicitation")
}

func (c *Client) opensLinks(r *protocol.Revision) bool {
	return c.options.OpenURL != nil && hasCapability(r, "elicitation.url")
}

// hasCapability reports whether clients can declare a capability in a revision.
func hasCapability(r *protocol.Revision, name string) bool {
	_, ok := r.ServerRequests.Capabilities[name]
	return ok
}

// answerError returns the error of a reply to a question.
func answerError(err error) *jsonrpc.Error {
	if e, ok := errors.AsType[*jsonrpc.Error](err); ok {
		return e
	}
	return &jsonrpc.Error{Code: jsonrpc.CodeInternal, Message: err.Error()}
}

// answer answers a question. The error is a *jsonrpc.Error if the question is invalid or refused;
// otherwise it is the error of the user's function or its answer.
func (c *Client) answer(ctx context.Context, revision *protocol.Revision, method string, params json.RawMessage) (json.RawMessage, error) {
	switch method {
	case protocol.CreateElicitation:
		return c.answerElicitation(ctx, revision, params)
	case protocol.CreateMessage:
		return c.answerSampling(ctx, revision, params)
	case protocol.ListRoots:
		return c.answerRoots(ctx)
	}
	return nil, &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: "method not found: " + method}
}

func invalidQuestion(method string, err error) error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "invalid params of " + method + ": " + err.Error()}
}

func (c *Client) answerElicitation(ctx context.Context, revision *protocol.Revision, params json.RawMessage) (json.RawMessage, error) {
	e, err := readElicitation(params)
	if err != nil {
		return nil, invalidQuestion(protocol.CreateElicitation, err)
	}
	if e.Mode == "url" {
		return c.answerLink(ctx, revision, e)
	}
	if !c.opensForms(revision) {
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "the client does not support forms"}
	}
	form, err := e.form()
	if err != nil {
		return nil, invalidQuestion(protocol.CreateElicitation, err)
	}
	answer, err := c.options.Elicit(ctx, e)
	if err != nil {
		return nil, err
	}
	if c.testing != nil {
		return marshal(answer)
	}
	return appendElicitAnswer(nil, form, answer)
}

func (c *Client) answerLink(ctx context.Context, revision *protocol.Revision, e *Elicitation) (json.RawMessage, error) {
	if !c.opensLinks(revision) {
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "the client does not open links"}
	}
	action := mcp.ActionDecline
	if isSafeLink(e.URL) || c.testing != nil {
		var err error
		if action, err = c.openLink(ctx, e); err != nil {
			return nil, err
		}
	}
	return appendElicitAnswer(nil, nil, ElicitAnswer{Action: action})
}

// isSafeLink reports whether a link of a server may be shown to a user: https, or http to this
// machine.
func isSafeLink(link string) bool {
	u, err := url.Parse(link)
	if err != nil || u.Host == "" || u.User != nil {
		return false
	}
	switch u.Scheme {
	case "https":
		return true
	case "http":
		host := u.Hostname()
		return strings.EqualFold(host, "localhost") || isLoopback(host)
	}
	return false
}

func (c *Client) answerSampling(ctx context.Context, revision *protocol.Revision, params json.RawMessage) (json.RawMessage, error) {
	r, err := readSampleRequest(params, &c.limits)
	if err != nil {
		return nil, invalidQuestion(protocol.CreateMessage, err)
	}
	if (len(r.Tools) > 0 || r.ToolChoice != "") && !(c.options.SampleTools && hasCapability(revision, "sampling.tools")) {
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "the client does not declare sampling.tools"}
	}
	answer, err := c.options.Sample(ctx, r)
	switch {
	case err != nil:
		if _, ok := errors.AsType[*jsonrpc.Error](err); ok {
			return nil, err
		}
		return nil, &jsonrpc.Error{Code: codeRefused, Message: err.Error()}
	case answer == nil:
		return nil, &jsonrpc.Error{Code: codeRefused, Message: "no message"}
	}
	if err := checkSample(answer, &revision.ServerRequests); err != nil && c.testing == nil {
		return nil, err
	}
	return sampleAnswer(*answer, c.info.Name).MarshalJSON()
}

func (c *Client) answerRoots(ctx context.Context) (json.RawMessage, error) {
	roots, err := c.options.Roots(ctx)
	if err != nil {
		return nil, err
	}
	return appendRoots(nil, roots), nil
}

// inputRequests is an input_required result (basic/patterns/mrtr).
type inputRequests struct {
	keys      []string
	questions []inputRequest
	state     json.RawMessage // nil if absent
}

type inputRequest struct {
	method string
	params json.RawMessage
}

// readInputRequired reads a result that requires input. It returns nil for any other result.
func readInputRequired(result json.RawMessage) (*inputRequests, error) {
	if !bytes.Contains(result, []byte(inputRequired)) {
		return nil, nil
	}
	var in inputRequests
	var kind string
	var wrong error
	jsonrpc.Members(result, func(name, value []byte) bool {
		switch string(name) {
		case "resultType":
			kind, _ = jsonrpc.String(value)
		case "inputRequests":
			if value[0] != '{' {
				wrong = errors.New("inputRequests is not an object")
				return false
			}
			jsonrpc.Members(value, func(key, question []byte) bool {
				q, err := readInputRequest(question)
				if err != nil {
					wrong = fmt.Errorf("input request %q %w", key, err)
					return false
				}
				in.keys = append(in.keys, string(key))
				in.questions = append(in.questions, q)
				return true
			})
		case "requestState":
			if value[0] != '"' {
				wrong = errors.New("requestState is not a string")
			}
			in.state = value
		}
		return true
	})
	switch {
	case kind != inputRequired:
		return nil, nil
	case wrong != nil:
		return nil, &dial.Violation{Text: wrong.Error(), Bytes: clip(result)}
	case in.keys == nil && in.state == nil:
		return nil, &dial.Violation{Text: "a result that requires input, without inputRequests and requestState", Bytes: clip(result)}
	}
	return &in, nil
}

const inputRequired = "input_required"

func readInputRequest(data []byte) (q inputRequest, err error) {
	if len(data) == 0 || data[0] != '{' {
		return q, errors.New("is not an object")
	}
	jsonrpc.Members(data, func(name, value []byte) bool {
		switch string(name) {
		case "method":
			q.method, _ = jsonrpc.String(value)
		case "params":
			q.params = value
		}
		return true
	})
	if q.method == "" {
		return q, errors.New("has no method")
	}
	return q, nil
}
