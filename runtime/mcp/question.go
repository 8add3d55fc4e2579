package mcp

import (
	"context"
	"crypto/sha256"
	"encoding/json"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// This file defines questions and their rendering.

// AskOption changes how a question is asked.
type AskOption func(*askOptions)

type askOptions struct {
	key string
}

// WithKey sets the name of a question. Without a name, its number among the questions of the call
// identifies it, which must then be the same in every run of the handler: questions of several
// goroutines need keys. A name is used for one question of a call.
func WithKey(name string) AskOption { return func(o *askOptions) { o.key = name } }

// Question is a question to the client: the result of [FormQuestion], [FieldsQuestion],
// [URLQuestion] or [RootsQuestion], or a [*SampleRequest].
type Question interface {
	// question renders the question for the revision and the client of x.
	question(x *exchange, o *askOptions) (*question, error)
}

// question is a rendered question.
type question struct {
	method string
	// digest identifies the question: an answer belongs only to the question with the same digest.
	digest [sha256.Size]byte
	// params renders the question. complaint is the problem of the answer before, or "" for the
	// first attempt.
	params func(complaint string) []byte
	// read reads an answer. It returns an error if the answer is not valid.
	read func(result json.RawMessage) error
}

// newQuestion returns a question without a complaint.
func newQuestion(method string, params []byte, read func(json.RawMessage) error) *question {
	return &question{
		method: method, digest: questionDigest(method, params), read: read,
		params: func(string) []byte { return params },
	}
}

func questionDigest(method string, params []byte) [sha256.Size]byte {
	b := make([]byte, 0, len(method)+1+len(params))
	b = append(append(append(b, method...), '\n'), params...)
	return sha256.Sum256(b)
}

// asker sends questions to the client.
type asker interface {
	// ask asks a question without an answer. It returns the answer, or ErrPending.
	ask(ctx context.Context, x *exchange, key string, q *question, complaint string) (json.RawMessage, error)
}

// InputRequired is the error that a handler returns to ask several questions at once, or to run
// again. In every revision the handler then runs again from its beginning, after the client has
// answered: in a new call of the client, or, if the server sends the questions as requests, in the
// same call. Clients stop after about ten rounds, and so does the server.
//
// In the next run the handler asks each question by itself, with [WithKey] and its key in
// Questions: [Elicit], [ElicitFields], [ElicitURL], [Sample] and [Roots] then return the answer at
// once. [Answered] reports whether a question is answered.
//
// An interceptor gets it as the [Reply], for questions of every kind. It cannot return an
// InputRequired of its own: the server replies with an error and logs it.
type InputRequired struct {
	// Questions are the questions, by their keys.
	Questions map[string]Question
	// State is JSON that the next run gets from [RequestState]. The client can neither read nor
	// change it.
	State json.RawMessage

	open   []pendingQuestion
	sealed string
}

// Error returns a fixed message.
func (e *InputRequired) Error() string { return "input of the client is required" }

func (e *InputRequired) weight() int {
	size := len(e.sealed)
	for i := range e.open {
		size += len(e.open[i].params)
	}
	return size
}

func (e *InputRequired) least() int { return 0 }

func (e *InputRequired) appendTo(b []byte, r *rendering) []byte {
	b = append(b, '{')
	if len(e.open) > 0 {
		b = append(b, `"inputRequests":{`...)
		for i, q := range e.open {
			if i > 0 {
				b = append(b, ',')
			}
			b = wire.AppendString(b, q.key)
			b = append(b, `:{"method":`...)
			b = wire.AppendString(b, q.method)
			b = append(b, `,"params":`...)
			b = append(b, q.params...)
			b = append(b, '}')
		}
		b = append(b, `},`...)
	}
	b = append(b, `"requestState":`...)
	b = wire.AppendString(b, e.sealed)
	b = append(b, `,"resultType":"input_required"`...)
	return r.closeMeta(b, nil, false)
}
