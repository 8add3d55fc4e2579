package mcphttp

import (
	"net/http"

	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// era is the kind of protocol that a message belongs to. It belongs to the message
// alone: the same client may mix them.
type era int

const (
	modern  era = iota + 1 // says everything itself
	opening                // initialize
	within                 // a session
	alone                  // a revision with sessions, on a server without
)

// decision is to which era a message belongs, or why to none.
type decision struct {
	era      era
	session  string             // within
	revision *protocol.Revision // alone; nil for initialize
	status   int                // 0 where there is no error
	err      *jsonrpc.Error
}

// decide looks at what a message and its header fields say of the revision
// (versioning, backward compatibility; streamable HTTP).
func decide(header http.Header, m *jsonrpc.Message, sessionless bool) decision {
	named, ok := field(header, versionHeader)
	if !ok {
		return bad(mismatch("the header " + versionHeader + " must be there once"))
	}
	if m.Kind == jsonrpc.Request {
		if version := metaVersion(m); version != nil {
			return decideModern(version, named)
		}
	}
	byHeader := revisionOf(named)
	switch {
	case named != "" && byHeader == nil:
		return bad(unsupported(named, protocol.Versions))
	case byHeader != nil && byHeader.PerRequest:
		if m.Kind == jsonrpc.Request && string(m.Method) == protocol.Initialize.String() {
			break
		}
		return decideUnmarked(m)
	}
	return decideSession(header, m, byHeader, sessionless)
}

// decideModern decides on a request that names its revision.
func decideModern(version []byte, named string) decision {
	switch text, ok := jsonrpc.String(version); {
	case named == "":
		return bad(mismatch("the header " + versionHeader + " is missing"))
	case !ok:
		return bad(&jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "invalid params: " + protocol.MetaVersion + " must be a string"})
	case text != named:
		return bad(mismatch("the header " + versionHeader + " is not what " + protocol.MetaVersion + " in params._meta says"))
	case protocol.PerRequest([]byte(text)) == nil:
		return bad(unsupported(text, protocol.Versions))
	}
	return decision{era: modern}
}

// decideUnmarked decides on what has only a header to say that it is modern.
func decideUnmarked(m *jsonrpc.Message) decision {
	switch m.Kind {
	case jsonrpc.Notification:
		return decision{era: modern}
	case jsonrpc.Request:
		return bad(&jsonrpc.Error{Code: jsonrpc.CodeInvalidParams,
			Message: "invalid params: " + protocol.MetaVersion + " and " + protocol.MetaCapabilities + " are missing in params._meta"})
	case jsonrpc.Response:
		return bad(invalid("there are no requests of the server to respond to in this protocol revision"))
	}
	return bad(invalid("batches are not part of this protocol revision"))
}

// decideSession decides on messages of the revisions with sessions.
func decideSession(header http.Header, m *jsonrpc.Message, byHeader *protocol.Revision, sessionless bool) decision {
	id, ok := field(header, sessionHeader)
	if !ok {
		return bad(invalid("the header " + sessionHeader + " must be there once"))
	}
	initialize := m.Kind == jsonrpc.Request && string(m.Method) == protocol.Initialize.String()
	switch {
	case initialize && id != "":
		return bad(invalid("initialize opens a session, and cannot be part of one"))
	case sessionless:
		return decideAlone(m, byHeader, initialize)
	case initialize:
		return decision{era: opening}
	case id != "":
		return decision{era: within, session: id}
	case m.Kind == jsonrpc.Batch:
		return bad(invalid("batches are only part of sessions of a protocol revision that has them"))
	}
	return bad(errNeedsID)
}

// decideAlone decides on them for a server without sessions. The revision is that
// of the header, without one the revision that had none.
func decideAlone(m *jsonrpc.Message, byHeader *protocol.Revision, initialize bool) decision {
	d := decision{era: alone, revision: byHeader}
	switch {
	case initialize:
		d.revision = nil
	case byHeader == nil:
		d.revision = revisionOf(unnamedVersion)
	}
	switch {
	case m.Kind == jsonrpc.Response:
		return bad(invalid("this server has no sessions, and so no requests to respond to"))
	case m.Kind == jsonrpc.Batch && !d.revision.Fields.Batches:
		return bad(invalid("batches are not part of this protocol revision"))
	}
	return d
}

// unnamedVersion is that of clients that do not send the header with the version.
const unnamedVersion = "2025-03-26"

func bad(err *jsonrpc.Error) decision {
	return decision{status: http.StatusBadRequest, err: err}
}

// metaVersion returns what a request says of its revision, nil if it says nothing.
func metaVersion(m *jsonrpc.Message) (version []byte) {
	meta := m.Params.Get("_meta")
	if len(meta) == 0 || meta[0] != '{' {
		return nil
	}
	jsonrpc.Members(meta, func(name, value []byte) bool {
		if string(name) == protocol.MetaVersion {
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
