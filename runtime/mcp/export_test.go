package mcp

// MessageBytes is the limit of a server, for tests that bring their own framing.
func MessageBytes(s *Server) int { return s.limits.MessageBytes }

// VersionOf reads the version out of build info.
var VersionOf = versionOf

// WrapSchema returns an output schema as it is published where the root must be
// an object.
func WrapSchema(schema string) string {
	return string(appendSchema(nil, schema, schemaForm{wrap: true}))
}

// DropMirrors returns an input schema without x-mcp-header.
func DropMirrors(schema string) string {
	return string(appendSchema(nil, schema, schemaForm{dropMirrors: true}))
}

// Revisions is the size of the tables by revision.
const Revisions = revisions
