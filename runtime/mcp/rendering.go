package mcp

import (
	"encoding/json"
	"strconv"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// This file writes replies. [replyWriter.Append] gives every [Reply] a rendering, which knows the
// revision, the limits and the first error. It is used by the goroutine that writes only: the
// request goroutine, or the goroutine that reads if the reply needs no handler.

// publisher contains the parts of replies that describe the server, and their limits. It does not
// change once the server serves.
type publisher struct {
	info          *ServerInfo
	identity      [revisions][]byte          // name and version, in the form of each revision
	declared      map[string]json.RawMessage // declared extensions, whose prefixes keys of _meta may begin with
	resultBytes   int
	resourceBytes int
}

// rendering is the state of writing one reply.
type rendering struct {
	by       *publisher // nil for the description of a feature, which is checked when the feature is registered
	revision *protocol.Revision
	id       jsonrpc.ID

	output      outputForm   // of the called tool
	resource    resourceForm // of the resource that is read
	description string       // of the prompt
	tools       toolBlocks   // of the sampling message

	resumed   bool // the request came with answers or with a request state
	decided   bool // the part of the server that the request sees depends on its sender
	unlimited bool // an error is written instead of a result
	most      int  // limit of the reply in bytes; 0 without a limit
	allowed   int  // bytes that may follow the text at the last call of bound
	err       error
}

// fail records an error, unless one is recorded already.
func (r *rendering) fail(err error) {
	if r.err == nil {
		r.err = err
	}
}

// check is like fail for an error that may be nil.
func (r *rendering) check(err error) {
	if err != nil {
		r.fail(err)
	}
}

// closeResult writes the members that the revision requires in every result, and the closing brace.
// With full, the server is described in full (server/discover), otherwise by its name and version.
func (r *rendering) closeResult(b []byte, m Meta, full bool) []byte {
	if r.revision.Fields.ResultType {
		b = append(b, `,"resultType":"complete"`...)
	}
	return r.closeMeta(b, m, full)
}

// closeMeta is like closeResult without resultType.
func (r *rendering) closeMeta(b []byte, m Meta, full bool) []byte {
	f := &r.revision.Fields
	switch {
	case f.ServerMeta:
		b = append(b, `,"_meta":{"`+protocol.MetaServerInfo+`":`...)
		if full {
			b = r.by.info.appendImplementation(b, f, true)
		} else {
			b = append(b, r.by.identity[r.revision.Index()]...)
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

// appendCacheHints writes the time for which a result may be cached, and whether a shared cache may
// return it to other clients (server/utilities/caching).
func appendCacheHints(b []byte, rev *protocol.Revision, ttl time.Duration, private bool) []byte {
	if !rev.Fields.CacheHints {
		return b
	}
	b = append(b, `,"ttlMs":`...)
	b = strconv.AppendInt(b, max(0, ttl.Milliseconds()), 10)
	if private {
		return append(b, `,"cacheScope":"private"`...)
	}
	return append(b, `,"cacheScope":"public"`...)
}

// revisions is the number of protocol revisions, for tables.
const revisions = 5
