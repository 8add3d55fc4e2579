package mcp

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Access decides which requests may use a feature. The server calls it once for each request and
// feature: for lists, calls, reads, prompts, completions, subscriptions and listens, whichever name
// of the feature the request uses; and again for each skill that needs the feature. Authorize may
// be called by many goroutines at once; [CallFrom] works with its context.
type Access interface {
	// Authorize returns nil if the request may use the feature. With an [*AccessError] that has
	// StepUp set, the feature is listed, and its use is refused with that error. With any other
	// error the request is answered as if the feature did not exist.
	Authorize(ctx context.Context, f FeatureInfo) error
}

// AccessFunc is a function that implements [Access].
type AccessFunc func(ctx context.Context, f FeatureInfo) error

// Authorize calls the function.
func (f AccessFunc) Authorize(ctx context.Context, info FeatureInfo) error { return f(ctx, info) }

// Visible returns an [Access] that hides a feature from a request if visible returns false: the
// feature is then neither listed nor found. visible is called by many goroutines at once. The
// Access does not grant scopes: over networks, features with scopes need another Access.
func Visible(visible func(ctx context.Context, f FeatureInfo) bool) Access {
	return visibleAccess(visible)
}

type visibleAccess func(context.Context, FeatureInfo) bool

func (visible visibleAccess) Authorize(ctx context.Context, f FeatureInfo) error {
	if visible(ctx, f) {
		return nil
	}
	return errNotVisible
}

var errNotVisible = errors.New("the caller does not see it")

// guards reports whether an [Access] can know the scopes of a caller. [Visible] cannot.
func guards(a Access) bool {
	_, only := a.(visibleAccess)
	return !only
}

// AccessError is the error for a feature that a request may not use.
//
// A client gets it as the error -32603 with the data {"reason":"insufficient
// scope","scopes":[...]}; over streamable HTTP the status is 403, unless the response has begun,
// with the header of mcphttp.WithChallenge (RFC 6750, section 3.1).
type AccessError struct {
	Scopes []string // scopes that the request needs
	// StepUp means that the client can obtain these scopes. The feature is then listed.
	StepUp bool
	// Text is the message for the client. "" means a text that names the scopes.
	Text string
}

// Error returns Text.
func (e *AccessError) Error() string {
	switch {
	case e.Text != "":
		return e.Text
	case len(e.Scopes) == 0:
		return "the caller may not use this"
	}
	return "this needs the scope " + strings.Join(e.Scopes, " ")
}

// response returns the error that the client gets.
func (e *AccessError) response() *ProtocolError {
	data := []byte(`{"reason":"insufficient scope","scopes":[`)
	for i, scope := range e.Scopes {
		if i > 0 {
			data = append(data, ',')
		}
		data = wire.AppendString(data, scope)
	}
	return &ProtocolError{Code: jsonrpc.CodeInternal, Message: e.Error(), Data: append(data, "]}"...)}
}

// merge adds the decision of an Access to a refusal: a client gets all missing scopes at once.
func merge(refusal *AccessError, err error) (_ *AccessError, exists bool) {
	if err == nil {
		return refusal, true
	}
	e, ok := errors.AsType[*AccessError](err)
	if !ok || !e.StepUp {
		return nil, false
	}
	if refusal == nil {
		return e, true
	}
	both := *refusal
	both.Scopes = slices.Clone(both.Scopes)
	for _, scope := range e.Scopes {
		if !slices.Contains(both.Scopes, scope) {
			both.Scopes = append(both.Scopes, scope)
		}
	}
	return &both, true
}
