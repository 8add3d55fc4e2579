package mcp

import (
	"context"
	"errors"
	"log/slog"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/internal/engine"
	"github.com/mcpgen/mcpgen/runtime/internal/logs"
	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// This file turns the values that handlers have returned into the reply of a request.

// unwritable returns the reply that replaces a reply that cannot be written.
func (x *exchange) unwritable(ctx context.Context, err error) (Reply, *jsonrpc.Error) {
	var narrow []string
	if x.req.tool() != nil {
		narrow = x.req.tool().info.Narrow
	}
	if large, ok := errors.AsType[*tooLarge](err); ok {
		if !x.req.isCall() {
			return nil, tooLargeError(large)
		}
		return failedResult(large.text(narrow)), nil
	}
	text := x.req.hide(ctx, "reply cannot be written", err)
	if x.req.isCall() {
		return failedResult(text), nil
	}
	return nil, &jsonrpc.Error{Code: jsonrpc.CodeInternal, Message: text}
}

// rendering returns the state of writing the reply of the request.
func (x *exchange) rendering() rendering {
	s := x.conn.server
	r := rendering{by: &s.published, revision: x.Revision, id: x.ID, decided: s.decides(&x.From)}
	if t := x.req.traits; t != nil {
		r.output, r.description = t.output, t.description
	}
	if x.req.resource != nil {
		r.resource, r.resumed = *x.req.resource, x.questions.resumed()
	}
	return r
}

// hide logs an error, and returns the text that the client gets instead. If the client or the task
// has cancelled the context of the handler, the error is logged at level debug: no client reads the
// text.
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

// isEnd reports whether err is the cancellation of ctx, and not a timeout.
func isEnd(ctx context.Context, err error) bool {
	cause := context.Cause(ctx)
	if cause == nil || errors.Is(cause, ErrTimeout) || errors.Is(cause, context.DeadlineExceeded) {
		return false
	}
	return errors.Is(err, cause) || errors.Is(cause, err) || errors.Is(err, context.Canceled)
}

// outcome turns the values that the handlers have returned into the reply. An error of tools/call
// becomes a failed result, which the model reads; an error of another method becomes a JSON-RPC
// error.
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
		e = r.explained(e)
		text := e.Text(r.Name)
		if r.x.through != "" && r.tool() != nil { // the client has called use_tool, so it may not have listed the tool
			text += "\nInput schema of " + r.Name + ":\n" + r.tool().info.InputSchema
		}
		result := failedResult(text)
		result.Meta = problemsMeta(e)
		return result, nil
	}
	return failedResult(r.failure(ctx, err)), nil
}

// notAsking returns the reply that replaces an [InputRequired] of an interceptor: only handlers of
// tools, prompts and resources may ask (basic/patterns/mrtr).
func (r *Request) notAsking(ctx context.Context) (Reply, *jsonrpc.Error) {
	text := r.hide(ctx, "reply cannot be sent",
		errors.New("an interceptor has returned *mcp.InputRequired: only functions of tools, prompts and resources can return it"))
	if r.isCall() {
		return failedResult(text), nil
	}
	return nil, &jsonrpc.Error{Code: jsonrpc.CodeInternal, Message: text}
}

// failure returns the message of an error for the model.
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
	t := r.tool()
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
		e = r.explained(e)
		if r.prompt() != nil {
			return engine.InvalidParams("prompt " + r.Name + ": " + problemsText(e))
		}
		return r.resourceNotFound(problemsText(e)) // no resource matches these values of the variables
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

// featureFailure returns the error message of a prompt or a resource for the client. Errors of
// other methods are hidden.
func (r *Request) featureFailure(ctx context.Context, err error) string {
	var declared func(error) (string, bool)
	hide := true
	switch {
	case r.prompt() != nil:
		declared, hide = r.prompt().info.Errors, r.prompt().info.HideErrors
	case r.foundResource() != nil:
		declared, hide = r.foundResource().info.Errors, r.foundResource().info.HideErrors
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

func nonEmpty(text string) string {
	if text == "" {
		return "failed with an empty error message"
	}
	return text
}

// engineError returns the error that handlers get for an error of the engine.
func engineError(err error) error {
	if e, ok := err.(*jsonrpc.Error); ok {
		return protocolError(e)
	}
	return err
}

// oversize returns an error for a reply whose parts alone are too large. It returns nil if the
// reply fits, or its size is known only after it is written.
func (r *Request) oversize(reply Reply) *tooLarge {
	limit := r.x.conn.server.limits.ResultBytes
	switch reply.(type) {
	case *ToolResult:
		limit = r.maxResult()
	case *ResourceResult:
		limit = r.resourceLimit()
	}
	if reply.least() <= limit {
		return nil
	}
	return &tooLarge{limit: limit}
}
