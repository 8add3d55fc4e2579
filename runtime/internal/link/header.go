package link

// HeaderParam is an argument of a tool that clients mirror in a header field
// (x-mcp-header; streamable HTTP, request metadata).
type HeaderParam struct {
	Header string   // canonical: Mcp-Param-X
	Path   []string // names of properties, from the arguments down
	Kind   byte     // of its values
}

// Kinds of mirrored values.
const (
	StringParam byte = iota
	IntegerParam
	BooleanParam
)
