package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/internal/engine"
	"github.com/mcpgen/mcpgen/runtime/internal/logs"
	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Causes with which the context of a handler is cancelled; see [context.Cause].
var (
	// ErrCancelled means that the client has cancelled the request, which gets no reply.
	ErrCancelled = engine.ErrCancelled
	// ErrConnectionClosed means that the connection has ended, or that the server ends.
	ErrConnectionClosed = engine.ErrConnectionClosed
	// ErrTimeout means that the handler has taken longer than its timeout, that of
	// [WithTimeout], or [Limits.CallTime].
	ErrTimeout = engine.ErrTimeout
)

// ToolError is an error whose text is sent to the model, also if other errors are hidden.
type ToolError struct {
	text string
	err  error
}

// Errorf returns a *[ToolError]. The format is that of [fmt.Errorf], %w included.
func Errorf(format string, args ...any) *ToolError {
	err := fmt.Errorf(format, args...)
	return &ToolError{text: err.Error(), err: err}
}

// Error returns the text.
func (e *ToolError) Error() string { return e.text }

// Unwrap returns the error that was formatted with %w.
func (e *ToolError) Unwrap() error { return errors.Unwrap(e.err) }

// ProtocolError becomes a JSON-RPC error reply. The client program reads that; in most clients
// the model does not. For failures of a tool return any other error. Your own codes are outside
// of -32768 to -32000. Within that range, -32600 to -32603 are sent as they are, -32002 becomes
// the code of the revision for a resource that is not found, and others become -32603.
type ProtocolError struct {
	Code    int
	Message string
	Data    json.RawMessage // JSON, or nil
}

// Error returns the message.
func (e *ProtocolError) Error() string { return e.Message }

// newReference returns a reference for a hidden error, which the client gets instead of its text.
func newReference() string {
	const digits = "0123456789abcdef"
	var b [6]byte
	n := rand.Uint32()
	for i := range b {
		b[i] = digits[n&15]
		n >>= 4
	}
	return string(b[:])
}

// hide logs an error, and returns the text that the client gets instead. An error of a handler whose context has ended, by the client or
// the task that it belongs to, is logged at level debug: no client reads the text.
func (r *Request) hide(ctx context.Context, message string, err error) string {
	ref, level := newReference(), slog.LevelError
	if isEnd(ctx, err) {
		level = slog.LevelDebug
	}
	attrs := make([]slog.Attr, 0, 4)
	attrs = append(attrs, slog.String("reference", ref), logs.Text("method", r.Method))
	if feature := r.loggedFeature(); feature != "" {
		attrs = append(attrs, slog.String("feature", feature))
	}
	r.log().Program(ctx, level, message, append(attrs, slog.Any("error", err))...)
	return "internal error, reference " + ref
}

// isEnd reports whether an error says that a context has ended, and not by a timeout.
func isEnd(ctx context.Context, err error) bool {
	cause := context.Cause(ctx)
	if cause == nil || errors.Is(cause, ErrTimeout) || errors.Is(cause, context.DeadlineExceeded) {
		return false
	}
	return errors.Is(err, cause) || errors.Is(cause, err) || errors.Is(err, context.Canceled)
}

// outcome turns what the handlers have returned into the reply. An error of tools/call becomes a
// failed result, which the model reads; one of another method becomes a JSON-RPC error.
func (r *Request) outcome(ctx context.Context, reply Reply, err error) (Reply, *jsonrpc.Error) {
	if err == nil {
		if asked, ok := reply.(*InputRequired); ok {
			if asked == nil || asked != r.x.questions.roundReply() {
				return r.notAsking(ctx)
			}
			return reply, nil
		}
		if result, ok := reply.(*ToolResult); reply == nil || (ok && result == nil) {
			if !r.isCall() {
				return nil, &jsonrpc.Error{Code: jsonrpc.CodeInternal,
					Message: r.hide(ctx, "handler returned no reply", errors.New("nil reply"))}
			}
			reply = nothingFound()
		}
		return reply, nil
	}
	if e, ok := errors.AsType[*ProtocolError](err); ok {
		return nil, r.protocolError(ctx, e)
	}
	if e, ok := errors.AsType[*CapabilityError](err); ok {
		if code := r.x.Revision.Errors.MissingCapability; code != 0 {
			return nil, &jsonrpc.Error{Code: code, Message: e.Error(), Data: e.data()}
		}
	}
	if e, ok := err.(*wire.SyntaxError); ok {
		return nil, jsonrpc.DeferredError(e)
	}
	if _, wrong := err.(*wire.ArgumentsError); !wrong {
		if _, ok := errors.AsType[*InputRequired](err); ok {
			return r.notAsking(ctx)
		}
	}
	if !r.isCall() {
		return nil, r.refusal(ctx, err)
	}
	if e, ok := err.(*wire.ArgumentsError); ok {
		text := e.Text(r.Name)
		if r.x.through != "" && r.tool != nil { // the client has not listed the tool
			text += "\nInput schema of " + r.Name + ":\n" + r.tool.info.InputSchema
		}
		result := failedResult(text)
		result.Meta = problemsMeta(e)
		return result, nil
	}
	return failedResult(r.failure(ctx, err)), nil
}

// notAsking is the reply that replaces [InputRequired] of an interceptor: only handlers of tools,
// prompts and resources may ask (basic/patterns/mrtr).
func (r *Request) notAsking(ctx context.Context) (Reply, *jsonrpc.Error) {
	text := r.hide(ctx, "reply cannot be sent",
		errors.New("an interceptor has returned *mcp.InputRequired: only functions of tools, prompts and resources can return it"))
	if r.isCall() {
		return failedResult(text), nil
	}
	return nil, &jsonrpc.Error{Code: jsonrpc.CodeInternal, Message: text}
}

// failure returns the text of an error for the model.
func (r *Request) failure(ctx context.Context, err error) string {
	if e, ok := errors.AsType[*ToolError](err); ok {
		return nonEmpty(e.text)
	}
	if p, ok := errors.AsType[*panicError](err); ok {
		return p.text()
	}
	if e, ok := errors.AsType[*CapabilityError](err); ok {
		return e.Error()
	}
	if e, ok := errors.AsType[*engine.TimeoutError](err); ok {
		return e.Error()
	}
	t := r.tool
	if t == nil { // an interceptor has replied
		t, _ = r.x.conn.server.lookUp(toolSet, r.Name).(*tool)
	}
	if e, ok := errors.AsType[*tooLarge](err); ok {
		var narrow []string
		if t != nil {
			narrow = t.info.Narrow
		}
		return e.text(narrow)
	}
	if t != nil {
		if t.info.Errors != nil {
			if text, ok := t.info.Errors(err); ok {
				return nonEmpty(text)
			}
		}
		if t.info.HideErrors {
			return r.hide(ctx, "tool failed", err)
		}
	}
	return nonEmpty(err.Error())
}

// refusal returns the JSON-RPC error for an error of any method but tools/call.
func (r *Request) refusal(ctx context.Context, err error) *jsonrpc.Error {
	if r.x.Method == protocol.ResourcesRead && errors.Is(err, ErrNotFound) {
		return r.resourceNotFound("")
	}
	if e, ok := errors.AsType[*tooLarge](err); ok {
		return tooLargeError(e)
	}
	if e, ok := errors.AsType[*engine.TimeoutError](err); ok {
		return e.Response()
	}
	if e, ok := err.(*wire.ArgumentsError); ok {
		if r.prompt != nil {
			return engine.InvalidParams("prompt " + r.Name + ": " + problemsText(e))
		}
		return r.resourceNotFound(problemsText(e)) // its variables do not have such values
	}
	var text string
	if e, ok := errors.AsType[*ToolError](err); ok {
		text = nonEmpty(e.text)
	} else if p, ok := errors.AsType[*panicError](err); ok {
		text = p.text()
	} else if e, ok := errors.AsType[*CapabilityError](err); ok {
		text = e.Error()
	} else {
		text = r.featureFailure(ctx, err)
	}
	return &jsonrpc.Error{Code: jsonrpc.CodeInternal, Message: text}
}

// problemsText returns the problems of arguments on one line.
func problemsText(e *wire.ArgumentsError) string {
	var problems []string
	for _, p := range e.Problems {
		problems = append(problems, strings.TrimSpace(p.Path+" "+p.Message))
	}
	if e.More {
		problems = append(problems, "and more")
	}
	return strings.Join(problems, "; ")
}

// featureFailure returns the text of an error of a prompt or a resource for the client. Errors of
// other methods are hidden.
func (r *Request) featureFailure(ctx context.Context, err error) string {
	var declared func(error) (string, bool)
	hide := true
	switch {
	case r.prompt != nil:
		declared, hide = r.prompt.info.Errors, r.prompt.info.HideErrors
	case r.resource != nil:
		declared, hide = r.resource.info.Errors, r.resource.info.HideErrors
	}
	if declared != nil {
		if text, ok := declared(err); ok {
			return nonEmpty(text)
		}
	}
	if hide {
		return r.hide(ctx, "request failed", err)
	}
	return nonEmpty(err.Error())
}

func nonEmpty(text string) string {
	if text == "" {
		return "failed with an empty error message"
	}
	return text
}

func (r *Request) protocolError(ctx context.Context, e *ProtocolError) *jsonrpc.Error {
	out := &jsonrpc.Error{Code: r.x.Revision.AuthorCode(e.Code), Message: e.Message}
	if len(e.Data) > 0 {
		data, err := compact(e.Data)
		if err != nil {
			r.log().Program(ctx, slog.LevelError, "data of a protocol error left out", slog.Any("error", err))
		}
		out.Data = data
	}
	return out
}

func protocolError(e *jsonrpc.Error) *ProtocolError {
	return &ProtocolError{Code: e.Code, Message: e.Message, Data: e.Data}
}

func wrongParams(message string) *ProtocolError {
	return protocolError(engine.InvalidParams(message))
}

// engineError returns an error of the engine as handlers get it.
func engineError(err error) error {
	if e, ok := err.(*jsonrpc.Error); ok {
		return protocolError(e)
	}
	return err
}
