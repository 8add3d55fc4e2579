package mcp

import (
	"encoding/json"
	"strconv"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// This file writes replies. [exchange.render] gives every [Reply] a rendering, which knows the
// revision, the limits and the first error. It belongs to the goroutine that writes: that of the
// request, or the one that reads if the reply needs no handler.

// publisher is what replies say of the server, and how long they may be. It does not change once the
// server serves.
type publisher struct {
	info          *ServerInfo
	identity      [revisions][]byte          // name and version, in the form of each revision
	declared      map[string]json.RawMessage // extensions, whose prefixes keys of _meta may have
	resultBytes   int
	resourceBytes int
}

// rendering is the state of writing one reply.
type rendering struct {
	by       *publisher // nil for the description of a feature, which is checked when that is registered
	revision *protocol.Revision
	id       jsonrpc.ID

	output      outputForm   // of the tool that is called
	resource    resourceForm // that is read
	description string       // of the prompt that is got
	tools       toolBlocks   // of the sampling message that is written

	resumed   bool // the request came with answers or with a request state
	decided   bool // what the request sees depends on who has sent it
	unlimited bool // for an error instead of a result
	most      int  // bytes that the reply may have; 0 without a limit
	allowed   int  // bytes that may follow those at the last call of bound
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

// appendCacheHints writes how long a result may be cached, and whether for all clients
// (server/utilities/caching).
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

// revisions is how many revisions there are, for tables.
const revisions = 5
