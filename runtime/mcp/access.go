package mcp

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Access decides who may use a feature. Lists, calls, reads, prompts, completions, subscriptions
// and listens, by any name of the feature, ask it, once for each request and feature. Its method
// may be called by many goroutines at once; [CallFrom] works with the context.
type Access interface {
	// Authorize returns nil if the request may use the feature. With an [*AccessError] that has
	// StepUp set, the feature is listed, and its use is refused with that error. With any other
	// error the feature does not exist for the request.
	Authorize(ctx context.Context, f FeatureInfo) error
}

// AccessFunc is an [Access] that consists of a function.
type AccessFunc func(ctx context.Context, f FeatureInfo) error

// Authorize calls the function.
func (f AccessFunc) Authorize(ctx context.Context, info FeatureInfo) error { return f(ctx, info) }

// Visible returns an [Access] for which a feature exists only if visible reports true for the request:
// otherwise it is neither listed nor found. visible is called by many goroutines at once. It gives no
// scopes: features with scopes need another Access over networks.
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

// guards reports whether an [Access] can know the scopes of a caller.
func guards(a Access) bool {
	_, only := a.(visibleAccess)
	return !only
}

// AccessError is the error for a feature that a request may not use.
//
// A client gets it as the error -32603 with the data {"reason":"insufficient scope","scopes":[...]};
// over streamable HTTP the status is 403, unless the response has begun, with the header of
// mcphttp.WithChallenge (RFC 6750, section 3.1).
type AccessError struct {
	Scopes []string // that the request needs
	// StepUp says that the client can get these scopes. The feature is then listed.
	StepUp bool
	// Text is for the client. "" is a text with the scopes.
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

// response is the error that the client gets.
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
