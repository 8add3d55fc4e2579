package mcp

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/mcpgen/mcpgen/runtime/internal/jsonobject"
	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// ElicitAction is the user's reaction to a question (client/elicitation, response actions).
type ElicitAction string

// The actions.
const (
	ActionAccept  ElicitAction = "accept"  // the user has answered, or agreed to open a link
	ActionDecline ElicitAction = "decline" // the user has refused
	ActionCancel  ElicitAction = "cancel"  // the user has closed the question without a choice
)

// Answer is the answer to a form.
type Answer[T any] struct {
	Action ElicitAction
	Value  T // the zero value unless the user has accepted
}

// Accepted reports whether the user has answered.
func (a Answer[T]) Accepted() bool { return a.Action == ActionAccept }

// Form is a struct whose fields the user can be asked for. Its method is generated for a struct
// type with the directive //mcp:form.
type Form interface {
	// MCPFormNeedsDirective describes the form and returns the function that decodes the content of
	// an answer into the receiver.
	MCPFormNeedsDirective() (*FormInfo, func(*wire.Decoder))
}

// Elicit asks the user to fill in a form, and waits for the answer (client/elicitation, form mode):
//
//	answer, err := mcp.Elicit[Confirmation](ctx, "Delete all books?")
//
// The answer is checked as strictly as arguments are. If it is not valid, the question is asked
// again, three times at most.
//
// The errors are a *[CapabilityError] if the client does not support forms, a *[ClientError] if it
// answers with one, an *[AnswerError] after invalid answers, [ErrNoAnswer], [ErrNoCall], the cause
// of ctx if ctx is cancelled, and from revision 2026-07-28 on [ErrPending], after which the handler
// must return: it runs again, from its beginning, when there is an answer; see [Once]. Most
// handlers return any error.
func Elicit[T any, P interface {
	*T
	Form
}](ctx context.Context, message string, options ...AskOption) (Answer[T], error) {
	var a Answer[T]
	err := ask(ctx, typedForm[T, P](message, &a), options)
	if err != nil {
		return Answer[T]{}, err
	}
	return a, nil
}

// FormQuestion is the question of [Elicit], for [InputRequired].
func FormQuestion[T any, P interface {
	*T
	Form
}](message string) Question {
	return typedForm[T, P](message, new(Answer[T]))
}

func typedForm[T any, P interface {
	*T
	Form
}](message string, a *Answer[T]) Question {
	info, _ := P(new(T)).MCPFormNeedsDirective()
	return &formQuestion{message: message, info: info, read: func(x *exchange, result json.RawMessage) error {
		action, content, err := readElicitation(result)
		if err != nil {
			return err
		}
		*a = Answer[T]{Action: action}
		if action != ActionAccept {
			return nil
		}
		_, decode := P(&a.Value).MCPFormNeedsDirective()
		d := wire.NewDecoder(content, wire.Options{Help: wire.Advice()})
		decode(d)
		return d.Finish()
	}}
}

// ElicitFields is [Elicit] for a form that is composed by hand.
func ElicitFields(ctx context.Context, message string, form *FormInfo, options ...AskOption) (Answer[FieldValues], error) {
	var a Answer[FieldValues]
	if err := ask(ctx, fieldsForm(message, form, &a), options); err != nil {
		return Answer[FieldValues]{}, err
	}
	return a, nil
}

// FieldsQuestion is the question of [ElicitFields], for [InputRequired].
func FieldsQuestion(message string, form *FormInfo) Question {
	return fieldsForm(message, form, new(Answer[FieldValues]))
}

func fieldsForm(message string, form *FormInfo, a *Answer[FieldValues]) Question {
	return &formQuestion{message: message, info: form, read: func(x *exchange, result json.RawMessage) error {
		action, content, err := readElicitation(result)
		if err != nil {
			return err
		}
		*a = Answer[FieldValues]{Action: action}
		if action == ActionAccept {
			a.Value, err = form.decode(content)
		}
		return err
	}}
}

type formQuestion struct {
	message string
	info    *FormInfo
	read    func(x *exchange, result json.RawMessage) error
}

func (f *formQuestion) question(x *exchange, _ *askOptions) (*question, error) {
	if f.info == nil {
		return nil, errors.New("ask for a form: it is nil")
	}
	if err := x.requires(CapabilityElicitation); err != nil {
		return nil, err
	}
	schema, err := f.info.schema(x.Revision.ServerRequests.RichForms)
	if err != nil {
		return nil, err
	}
	params := func(complaint string) []byte {
		message := f.message
		if complaint != "" {
			message += "\n\nThe answer before was not valid: " + complaint
		}
		b := append(make([]byte, 0, 64+len(message)+len(schema)), `{"message":`...)
		b = wire.AppendString(b, message)
		b = append(b, `,"requestedSchema":`...)
		b = append(b, schema...)
		return append(b, '}')
	}
	return &question{
		method: protocol.CreateElicitation,
		digest: questionDigest(protocol.CreateElicitation, params("")),
		params: params,
		read:   func(result json.RawMessage) error { return f.read(x, result) },
	}, nil
}

// readElicitation reads an ElicitResult.
func readElicitation(result json.RawMessage) (action ElicitAction, content json.RawMessage, err error) {
	if err := isObjectText(result); err != nil {
		return "", nil, err
	}
	text, err := memberText(result, "action")
	if err != nil {
		return "", nil, err
	}
	switch action = ElicitAction(text); action {
	case ActionAccept:
	case ActionDecline, ActionCancel:
		return action, nil, nil
	default:
		return "", nil, fmt.Errorf("action must be accept, decline or cancel, got %q", text)
	}
	content = jsonobject.Member(result, "content")
	if content == nil {
		content = emptyObject
	}
	return action, content, nil
}

// LinkAnswer is the answer to a link.
type LinkAnswer struct {
	// Action is [ActionAccept] if the user has agreed to open the link. It does not tell whether
	// the user has finished the interaction there.
	Action ElicitAction

	id string
}

// ElicitURL asks the user to open a link, for data that must not pass through the client, such as a
// password or a payment (client/elicitation, url mode). The URL has the scheme https, or http if
// its host is the user's own machine; for other URLs ElicitURL returns an error and does not ask.
// It also returns the errors of [Elicit].
func ElicitURL(ctx context.Context, message, url string, options ...AskOption) (LinkAnswer, error) {
	q := &linkQuestion{message: message, url: url}
	if err := ask(ctx, q, options); err != nil {
		return LinkAnswer{}, err
	}
	return q.answer, nil
}

// URLQuestion is the question of [ElicitURL], for [InputRequired].
func URLQuestion(message, url string) Question { return &linkQuestion{message: message, url: url} }

type linkQuestion struct {
	message, url string
	answer       LinkAnswer
}

// newElicitationID returns the elicitationId of a link in revision 2025-11-25. Tests replace it.
var newElicitationID = rand.Text

func (l *linkQuestion) question(x *exchange, _ *askOptions) (*question, error) {
	if err := x.requires(CapabilityElicitationURL); err != nil {
		return nil, err
	}
	if err := checkLink(l.url); err != nil {
		return nil, fmt.Errorf("ask to open a link: %w", err)
	}
	b := append([]byte(nil), `{"mode":"url","message":`...)
	b = wire.AppendString(b, l.message)
	b = jsonobject.AppendText(b, "url", l.url)
	q := newQuestion(protocol.CreateElicitation, append(b[:len(b):len(b)], '}'), func(result json.RawMessage) error {
		action, _, err := readElicitation(result)
		l.answer.Action = action
		return err
	})
	if x.Revision.ServerRequests.ElicitationID {
		l.answer.id = newElicitationID()
		b = append(jsonobject.AppendText(b, "elicitationId", l.answer.id), '}')
		q.params = func(string) []byte { return b }
	}
	return q, nil
}

// Complete notifies the client that the interaction behind the link is complete, if the revision
// has a notification for it. It may be called after the handler returns.
func (a LinkAnswer) Complete(ctx context.Context) {
	x := exchangeFrom(ctx)
	if x == nil || a.id == "" {
		return
	}
	b := append([]byte(nil), `{"elicitationId":`...)
	b = append(wire.AppendString(b, a.id), '}')
	x.conn.Send(jsonrpc.AppendNotification(nil, protocol.ElicitationComplete, b))
}
