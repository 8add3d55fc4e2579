package engine

import (
	"strconv"

	"github.com/mcpgen/mcpgen/runtime/internal/jsonobject"
	"github.com/mcpgen/mcpgen/runtime/internal/logs"
	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// This file reads the _meta of requests, in which clients from revision 2026-07-28 on send
// revision, client and capabilities. [Conn.metaOrigin] runs on the goroutine that reads.

// requestMeta contains the members that the protocol defines in the _meta of a request. The values
// are JSON, nil if they are missing.
type requestMeta struct {
	version, client, capabilities, level, progressToken []byte
	more                                                bool // handlers may need the _meta
}

// readMeta reads the _meta of a request. A member that is null counts as missing.
func readMeta(meta []byte) (r requestMeta) {
	jsonrpc.Members(meta, func(name, value []byte) bool {
		if jsonobject.IsNull(value) {
			r.more = true // a handler may know the member
			return true
		}
		switch string(name) {
		case protocol.MetaVersion:
			r.version = value
		case protocol.MetaClientInfo:
			r.client = value
		case protocol.MetaCapabilities:
			r.capabilities = value
		case protocol.MetaLogLevel:
			r.level, r.more = value, true
		case ProgressTokenKey:
			r.progressToken, r.more = value, true
		default:
			r.more = true
		}
		return true
	})
	return r
}

// ProgressTokenKey is the key of _meta under which a request asks for progress
// (basic/utilities/progress).
const ProgressTokenKey = "progressToken"

// maxMeta limits the _meta of a request, in bytes: it is stored as long as the request runs, and
// for a subscriptions/listen until the client ends it.
const maxMeta = 32 << 10

// check returns an error if a member is too long to be stored.
func (r *requestMeta) check(meta []byte) *jsonrpc.Error {
	switch {
	case jsonrpc.IsLongID(r.progressToken):
		return invalidRequest("params._meta.progressToken must have at most " + strconv.Itoa(jsonrpc.MaxID) + " bytes")
	case len(r.client)+len(r.capabilities) > maxClient:
		return clientTooLong(protocol.MetaClientInfo + " and " + protocol.MetaCapabilities)
	case len(meta) > maxMeta:
		return InvalidParams("params._meta must have at most " + strconv.Itoa(maxMeta) + " bytes")
	}
	return nil
}

// metaOrigin determines the revision of a request with _meta. A revision in it takes precedence
// over the one that the connection has negotiated (versioning, backward compatibility).
func (c *Conn) metaOrigin(m *jsonrpc.Message, meta []byte, inBatch bool) (Origin, *jsonrpc.Error) {
	if !jsonobject.Is(meta) {
		return Origin{}, InvalidParams("params._meta must be an object")
	}
	r := readMeta(meta)
	if e := r.check(meta); e != nil {
		return Origin{}, e
	}
	if !r.more {
		meta = nil
	}
	if r.version == nil {
		from, err := c.sessionOrigin(m, inBatch)
		from.meta = meta
		return from, err
	}
	if inBatch {
		return Origin{}, invalidRequest("a request with " + protocol.MetaVersion + " must not be part of a batch")
	}
	version, ok := jsonrpc.Bytes(r.version)
	if !ok {
		return Origin{}, InvalidParams(protocol.MetaVersion + " must be a string")
	}
	rev := protocol.PerRequest(version)
	if rev == nil {
		return Origin{}, unsupportedVersion(version)
	}
	if !jsonobject.Is(r.capabilities) {
		return Origin{}, InvalidParams(protocol.MetaCapabilities + " must be an object")
	}
	if r.client != nil && !jsonobject.Is(r.client) {
		return Origin{}, InvalidParams(protocol.MetaClientInfo + " must be an object")
	}
	level := int8(noLevel)
	if r.level != nil {
		if level, ok = ReadLevel(r.level); !ok {
			return Origin{}, UnknownLevel(protocol.MetaLogLevel)
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.latest = rev
	if !c.recent.is(r.client, r.capabilities) {
		c.recent = NewClient(r.client, r.capabilities)
	}
	return Origin{Revision: rev, client: c.recent, meta: meta, level: level}, nil
}

// maxVersion limits the part of an unknown version that the error repeats, in bytes.
const maxVersion = 64

func unsupportedVersion(requested []byte) *jsonrpc.Error {
	data := append([]byte(nil), `{"supported":`...)
	data = AppendVersions(data)
	data = append(data, `,"requested":`...)
	data = wire.AppendString(data, logs.Cut(string(requested), maxVersion))
	return &jsonrpc.Error{
		Code:    protocol.CodeUnsupportedVersion,
		Message: "unsupported protocol version",
		Data:    append(data, '}'),
	}
}
