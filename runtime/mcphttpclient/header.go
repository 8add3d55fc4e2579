package mcphttpclient

import (
	"maps"
	"net/http"
	"slices"

	"github.com/mcpgen/mcpgen/runtime/internal/dial"
	"github.com/mcpgen/mcpgen/runtime/internal/httpfield"
	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
	"github.com/mcpgen/mcpgen/runtime/internal/toolschema"
)

// fields are the header fields that all messages of a revision, in a session, share. They are made
// once for many messages.
type fields struct {
	revision *protocol.Revision
	session  *string
	header   http.Header
}

var (
	acceptBoth   = []string{httpfield.JSON + ", " + httpfield.EventStream}
	acceptEvents = []string{httpfield.EventStream}
	contentJSON  = []string{httpfield.JSON}
)

// header returns the fields of a message of a revision, which is nil before it is known. The caller
// may add to them.
func (c *conn) header(revision *protocol.Revision) http.Header {
	session := c.session.Load()
	if revision != nil && revision.PerRequest {
		session = nil
	}
	f := c.fields.Load()
	if f == nil || f.revision != revision || f.session != session {
		f = &fields{revision, session, http.Header{"Accept": acceptBoth, "Content-Type": contentJSON}}
		for name, values := range c.endpoint.Header {
			name = http.CanonicalHeaderKey(name)
			f.header[name] = slices.Clip(append(f.header[name], values...)) // an Authorizer may append
		}
		if revision != nil && revision.ClientMessages.VersionHeader {
			f.header[httpfield.ProtocolVersion] = []string{revision.Version}
		}
		if session != nil {
			f.header[httpfield.SessionID] = []string{*session}
		}
		c.fields.Store(f)
	}
	return maps.Clone(f.header)
}

// eventHeader returns the fields of a GET, or of a DELETE.
func (c *conn) eventHeader(lastID string) http.Header {
	h := c.header(c.revision.Load())
	delete(h, "Content-Type")
	h["Accept"] = acceptEvents
	if lastID != "" {
		h[httpfield.LastEventID] = []string{lastID}
	}
	return h
}

// mirror adds the fields that repeat parts of the message (2026-07-28, streamable HTTP, request
// metadata).
func mirror(h http.Header, m *dial.Message) {
	if m.Method == "" {
		return
	}
	h[httpfield.Method] = []string{httpfield.Encode(m.Method)}
	if httpfield.NameMember(m.Method) != "" && m.Name != "" {
		h[httpfield.Name] = []string{httpfield.Encode(m.Name)}
	}
	if len(m.Params) > 0 {
		mirrorParams(h, m.Arguments, m.Params)
	}
}

// HeaderParams implements [dial.Requester].
func (*conn) HeaderParams(schema string) ([]toolschema.HeaderParam, error) {
	return toolschema.HeaderParams(schema)
}

// mirrorParams adds the fields of arguments. Arguments that are absent or null have no field.
func mirrorParams(h http.Header, arguments []byte, params []toolschema.HeaderParam) {
	for i, value := range httpfield.ParamValues(arguments, params) {
		v := httpfield.ValueOf(value)
		switch v.Kind {
		case httpfield.Absent, httpfield.Other: // the server reports an object or an array as an error
			continue
		case httpfield.Literal:
			v.Text = httpfield.Integer(v.Text)
		}
		h[params[i].Header] = []string{httpfield.Encode(v.Text)}
	}
}
