package mcp

import (
	"context"
	"errors"

	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// rendering is the writing of one reply.
type rendering struct {
	server   *Server
	revision *protocol.Revision
	id       jsonrpc.ID
	tool     *tool          // of a call, if it is known
	prompt   *prompt        // that is got, if it is known
	resource *foundResource // that is read, if it is known
	tools    toolBlocks     // of the message to the model that is written
	retried  bool           // the client has come back with answers
	// unlimited is set for an error in the place of a result.
	unlimited bool
	// most is how many bytes of b there may be, 0 for any number: so many more than
	// when that was set.
	most, allowed int
	err           error
}

func (r *rendering) fields() *protocol.Fields { return &r.revision.Fields }

func (r *rendering) fail(err error) {
	if r.err == nil {
		r.err = err
	}
}

// check notes what is wrong with a part of the reply, if anything is.
func (r *rendering) check(err error) {
	if err != nil {
		r.fail(err)
	}
}

// render writes a reply, and returns the code of its error, 0 for a result. In the
// place of a reply that cannot be written stands an error.
func (x *exchange) render(ctx context.Context, r *rendering, b []byte, reply Reply, e *jsonrpc.Error) ([]byte, int) {
	start := len(b)
	*r = rendering{
		server: x.conn.server, revision: x.revision, id: x.call.id,
		tool: x.req.tool, prompt: x.req.prompt, resource: x.req.resource, retried: x.retried(),
	}
	for e == nil {
		b = jsonrpc.AppendResultPrefix(b, x.call.id)
		b = append(reply.appendTo(b, r), '}')
		if r.err == nil {
			return b, 0
		}
		b = b[:start]
		reply, e = x.unwritable(ctx, r.err)
		*r = rendering{server: r.server, revision: r.revision, unlimited: true}
	}
	return jsonrpc.AppendError(b, x.call.id, e), e.Code
}

// unwritable is the reply in the place of one that cannot be written.
func (x *exchange) unwritable(ctx context.Context, err error) (Reply, *jsonrpc.Error) {
	var narrow []string
	if x.req.tool != nil {
		narrow = x.req.tool.info.Narrow
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

// closeResult writes what the revision wants in every result, and the brace.
// Discover tells all about the server, other results only what it is called.
func (r *rendering) closeResult(b []byte, m Meta, full bool) []byte {
	if r.fields().ResultType {
		b = append(b, `,"resultType":"complete"`...)
	}
	return r.closeMeta(b, m, full)
}

// closeMeta writes the _meta of a result, and its brace.
func (r *rendering) closeMeta(b []byte, m Meta, full bool) []byte {
	f := r.fields()
	switch {
	case f.ServerMeta:
		b = append(b, `,"_meta":{"`+protocol.MetaServerInfo+`":`...)
		if full {
			b = r.server.info.appendImplementation(b, f, true)
		} else {
			b = append(b, r.server.identity[r.revision.Index()]...)
		}
		b = r.appendMeta(b, m, true)
		b = append(b, '}')
	case len(m) > 0:
		b = append(b, `,"_meta":{`...)
		b = r.appendMeta(b, m, false)
		b = append(b, '}')
	}
	return append(b, '}')
}

// retried reports whether the client has come back with answers.
func (x *exchange) retried() bool {
	x.questions.mu.Lock()
	defer x.questions.mu.Unlock()
	return x.questions.round != nil || len(x.questions.answers) > 0
}
