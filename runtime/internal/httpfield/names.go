// Package httpfield defines the header fields and media types of streamable HTTP that servers and
// clients share: their names, the encoding of values, and the fields that repeat parts of a
// message.
package httpfield

import (
	"mime"
	"strings"
)

// Header fields of the transport, in canonical form.
const (
	SessionID       = "Mcp-Session-Id"
	ProtocolVersion = "Mcp-Protocol-Version"
	LastEventID     = "Last-Event-Id"
)

// Header fields that repeat parts of the body, for proxies that route requests without reading
// bodies (2026-07-28, streamable HTTP, request metadata). Keys are canonical.
const (
	Method = "Mcp-Method"
	Name   = "Mcp-Name"
	Param  = "Mcp-Param-" // followed by the name that the tool's schema gives
)

// Media types of the bodies.
const (
	JSON        = "application/json"
	EventStream = "text/event-stream"
)

// IsJSON reports whether a Content-Type is JSON. JSON is always UTF-8 (RFC 8259, section 8.1), so
// another charset is refused.
func IsJSON(contentType string) bool {
	if contentType == JSON {
		return true
	}
	mediaType, parameters, err := mime.ParseMediaType(contentType)
	if err != nil || mediaType != JSON {
		return false
	}
	charset, ok := parameters["charset"]
	return !ok || strings.EqualFold(charset, "utf-8")
}
