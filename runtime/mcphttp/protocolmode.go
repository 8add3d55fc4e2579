package mcphttp

import (
	"net/http"

	"github.com/mcpgen/mcpgen/runtime/internal/httpfield"
	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// protocolMode tells how a message is handled: with or without a session. It is determined for each
// message separately: one client may mix the modes.
type protocolMode int

const (
	modePerRequest  protocolMode = iota + 1 // the request names its revision (2026-07-28 and later)
	modeInitialize                          // initialize, which opens a session
	modeSession                             // a message of a session
	modeSessionless                         // a revision with sessions, on a server without them
)

// decision is the mode of a message, or the error to answer with.
type decision struct {
	mode     protocolMode
	session  string             // for modeSession
	revision *protocol.Revision // for modeSessionless; nil for initialize
	status   int                // 0 without an error
	err      *jsonrpc.Error
}

// decide determines the mode of a message from its content and its header fields (versioning,
// backward compatibility; streamable HTTP).
func decide(header http.Header, m *jsonrpc.Message, sessionless bool) decision {
	named, ok := field(header, httpfield.ProtocolVersion)
	if !ok {
		return badRequest(mismatch("the header " + httpfield.ProtocolVersion + " must occur once"))
	}
	if meta := m.Params.Get("_meta"); meta != nil && m.Kind == jsonrpc.Request {
		if version := metaVersion(meta); version != nil {
			return decidePerRequest(version, named)
		}
	}
	byHeader := revisionOf(named)
	switch {
	case named != "" && byHeader == nil:
		return badRequest(unsupported(named, protocol.Versions))
	case byHeader != nil && byHeader.PerRequest:
		if m.Kind == jsonrpc.Request && string(m.Method) == protocol.Initialize.String() {
			break
		}
		return decideHeaderOnly(m)
	}
	return decideSession(header, m, byHeader, sessionless)
}

// decidePerRequest handles a request that names its revision in _meta.
func decidePerRequest(version []byte, named string) decision {
	switch text, ok := jsonrpc.String(version); {
	case named == "":
		return badRequest(mismatch("the header " + httpfield.ProtocolVersion + " is missing"))
	case !ok:
		return badRequest(&jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "invalid params: " + protocol.MetaVersion + " must be a string"})
	case text != named:
		return badRequest(mismatch("the header " + httpfield.ProtocolVersion + " differs from " + protocol.MetaVersion + " in params._meta"))
	case protocol.PerRequest([]byte(text)) == nil:
		return badRequest(unsupported(text, protocol.Versions))
	}
	return decision{mode: modePerRequest}
}

// decideHeaderOnly handles a message that names a revision of modePerRequest in the header only.
func decideHeaderOnly(m *jsonrpc.Message) decision {
	switch m.Kind {
	case jsonrpc.Notification:
		return decision{mode: modePerRequest}
	case jsonrpc.Request:
		return badRequest(&jsonrpc.Error{Code: jsonrpc.CodeInvalidParams,
			Message: "invalid params: " + protocol.MetaVersion + " and " + protocol.MetaCapabilities + " are missing in params._meta"})
	case jsonrpc.Response:
		return badRequest(invalid("in this protocol revision the server sends no requests, so there can be no response"))
	}
	return badRequest(invalid("batches are not part of this protocol revision"))
}

// decideSession handles messages of the revisions with sessions.
func decideSession(header http.Header, m *jsonrpc.Message, byHeader *protocol.Revision, sessionless bool) decision {
	id, ok := field(header, httpfield.SessionID)
	if !ok {
		return badRequest(invalid("the header " + httpfield.SessionID + " must occur once"))
	}
	initialize := m.Kind == jsonrpc.Request && string(m.Method) == protocol.Initialize.String()
	switch {
	case initialize && id != "":
		return badRequest(invalid("initialize opens a session, and cannot be part of one"))
	case sessionless:
		return decideSessionless(m, byHeader, initialize)
	case initialize:
		return decision{mode: modeInitialize}
	case id != "":
		return decision{mode: modeSession, session: id}
	case m.Kind == jsonrpc.Batch:
		return badRequest(invalid("batches need a session of a protocol revision that has them"))
	}
	return badRequest(errNeedsID)
}

// decideSessionless is like decideSession for a server without sessions. The header determines the
// revision; without the header it is defaultVersion.
func decideSessionless(m *jsonrpc.Message, byHeader *protocol.Revision, initialize bool) decision {
	d := decision{mode: modeSessionless, revision: byHeader}
	switch {
	case initialize:
		d.revision = nil
	case byHeader == nil:
		d.revision = revisionOf(defaultVersion)
	}
	if m.Kind == jsonrpc.Response {
		return badRequest(invalid("this server has no sessions and sends no requests, so there can be no response"))
	}
	return d
}

// defaultVersion is the revision of clients that do not send the version header.
const defaultVersion = "2025-03-26"

func badRequest(err *jsonrpc.Error) decision {
	return decision{status: http.StatusBadRequest, err: err}
}

// metaVersion returns the revision that the _meta of a request names, or nil.
func metaVersion(meta []byte) (version []byte) {
	jsonrpc.Members(meta, func(name, value []byte) bool {
		if string(name) == protocol.MetaVersion && string(value) != "null" {
			version = value
		}
		return version == nil
	})
	return version
}

func revisionOf(version string) *protocol.Revision {
	for _, rev := range protocol.All {
		if rev.Version == version {
			return rev
		}
	}
	return nil
}
