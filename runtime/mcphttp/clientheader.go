package mcphttp

import (
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/internal/dial"
	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
	"github.com/mcpgen/mcpgen/runtime/internal/toolschema"
)

// clientFields are the header fields that messages of a revision, in a session, have in
// common. They are made once for many messages.
type clientFields struct {
	revision *protocol.Revision
	session  *string
	header   http.Header
}

var (
	acceptBoth   = []string{jsonType + ", " + streamType}
	acceptEvents = []string{streamType}
	contentJSON  = []string{jsonType}
)

// header returns the fields of a message of a revision, nil before it is known. The caller
// may add to them.
func (c *clientConn) header(revision *protocol.Revision) http.Header {
	session := c.session.Load()
	if revision != nil && revision.PerRequest {
		session = nil
	}
	f := c.fields.Load()
	if f == nil || f.revision != revision || f.session != session {
		f = &clientFields{revision, session, http.Header{"Accept": acceptBoth, "Content-Type": contentJSON}}
		for name, values := range c.endpoint.Header {
			name = http.CanonicalHeaderKey(name)
			f.header[name] = slices.Clip(append(f.header[name], values...)) // an Authorizer may append
		}
		if revision != nil && revision.ClientMessages.VersionHeader {
			f.header[versionHeader] = []string{revision.Version}
		}
		if session != nil {
			f.header[sessionHeader] = []string{*session}
		}
		c.fields.Store(f)
	}
	return maps.Clone(f.header)
}

// eventHeader returns the fields of a GET, or of a DELETE.
func (c *clientConn) eventHeader(lastID string) http.Header {
	h := c.header(c.revision.Load())
	delete(h, "Content-Type")
	h["Accept"] = acceptEvents
	if lastID != "" {
		h[lastEventField] = []string{lastID}
	}
	return h
}

// mirror adds the fields that repeat parts of the message (2026-07-28, streamable HTTP,
// request metadata).
func mirror(h http.Header, m *dial.Message) {
	if m.Method == "" {
		return
	}
	h[methodHeader] = []string{encodeHeader(m.Method)}
	if nameMember(m.Method) != "" && m.Name != "" {
		h[nameHeader] = []string{encodeHeader(m.Name)}
	}
	if len(m.Params) > 0 {
		mirrorParams(h, m.Arguments, m.Params)
	}
}

// mirrorParams adds the fields of arguments. Those that are absent or null have none.
func mirrorParams(h http.Header, arguments []byte, params []toolschema.HeaderParam) {
	for i, value := range paramValues(arguments, params) {
		c := headerCheck{}
		c.read(value)
		switch c.kind {
		case noValue, otherValue: // the server says what is wrong with an object or an array
			continue
		case numberValue:
			c.text = integerText(c.text)
		}
		h[params[i].Header] = []string{encodeHeader(c.text)}
	}
}

// maxIntegerDigits bounds the zeros that are written for an exponent.
const maxIntegerDigits = 64

// integerText returns a JSON number without fraction and exponent, if it is an integer.
// Digits are exact.
func integerText(s string) string {
	if isDigits(strings.TrimPrefix(s, "-")) && s != "-0" {
		return s
	}
	d, ok := parseDecimal(s)
	switch {
	case !ok, d.exponent < 0, d.exponent > maxIntegerDigits:
		return s
	case d.digits == "":
		return "0"
	}
	sign := ""
	if d.negative {
		sign = "-"
	}
	return sign + d.digits + strings.Repeat("0", int(d.exponent))
}
