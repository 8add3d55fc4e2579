package mcp

import (
	"context"
	"errors"

	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// This file writes replies. [exchange.render] gives every [Reply] a rendering, which knows the
// revision, the limits and the first error. It belongs to the goroutine that writes: that of the
// request, or the one that reads if the reply needs no handler.

// rendering is the state of writing one reply.
type rendering struct {
	server   *Server
	revision *protocol.Revision
	id       jsonrpc.ID
	tool     *tool          // of tools/call; nil if it is not known
	prompt   *prompt        // of prompts/get; nil if it is not known
	resource *foundResource // of resources/read; nil if it is not known
	tools    toolBlocks     // of the sampling message that is written

	questions *questions // of the request; nil outside of one
	decided   bool       // what the request sees depends on who has sent it
	unlimited bool       // for an error instead of a result
	most      int        // bytes that the reply may have; 0 without a limit
	allowed   int        // bytes that may follow those at the last call of bound
	err       error
}

// fail records an error, unless there is one already.
func (r *rendering) fail(err error) {
	if r.err == nil {
		r.err = err
	}
}

// check is fail for an error that may be nil.
func (r *rendering) check(err error) {
	if err != nil {
		r.fail(err)
	}
}

// render writes a reply, and returns the code of its error, 0 for a result. If a reply cannot
// be written, it writes an error or a failed result instead.
func (x *exchange) render(ctx context.Context, r *rendering, b []byte, reply Reply, e *jsonrpc.Error) ([]byte, int) {
	start := len(b)
	*r = rendering{
		server: x.conn.server, revision: x.Revision, id: x.ID,
		tool: x.req.tool, prompt: x.req.prompt, resource: x.req.resource, questions: &x.questions,
		decided: x.conn.server.decides(&x.From),
	}
	for e == nil {
		b = jsonrpc.AppendResultPrefix(b, x.ID)
		b = append(reply.appendTo(b, r), '}')
		if r.err == nil {
			return b, 0
		}
		b = b[:start]
		reply, e = x.unwritable(ctx, r.err)
		*r = rendering{server: r.server, revision: r.revision, unlimited: true}
	}
	return jsonrpc.AppendError(b, x.ID, e), e.Code
}

// unwritable returns the reply that replaces one that cannot be written.
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

// closeResult writes the members that the revision requires in every result, and the closing
// brace. With full, the server is described in full (server/discover), otherwise by its name
// and version.
func (r *rendering) closeResult(b []byte, m Meta, full bool) []byte {
	if r.revision.Fields.ResultType {
		b = append(b, `,"resultType":"complete"`...)
	}
	return r.closeMeta(b, m, full)
}

// closeMeta is closeResult without resultType.
func (r *rendering) closeMeta(b []byte, m Meta, full bool) []byte {
	f := &r.revision.Fields
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
