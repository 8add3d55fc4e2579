package mcpimpl

import (
	"io"

	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Decoder returns a decoder of the arguments, in lenient mode if the tool is lenient. Without
// arguments, it reads an empty object. The arguments of a prompt, and the variables of a resource
// template, are strings: the decoder then accepts "5" for 5.
func Decoder(req *mcp.Request) *wire.Decoder { return funcs.Decoder(req) }

// NoArguments checks that the client sent no argument to a tool that takes none.
func NoArguments(req *mcp.Request) error {
	if req.Arguments == nil {
		return nil
	}
	d := funcs.Decoder(req)
	for o := d.Object(nil); o.Next(); {
	}
	return d.Finish()
}

// Encoder returns an encoder for the structured result, with the size limit of the result. It
// belongs to the request, and is reused for other requests once the handler returns.
func Encoder(req *mcp.Request) *wire.Encoder { return funcs.Encoder(req) }

// Structured returns the result in e, which is from [Encoder] of the same request. Its JSON aliases
// e.
func Structured(req *mcp.Request, e *wire.Encoder) (*mcp.ToolResult, error) {
	return funcs.Structured(req, e)
}

// StructuredWith is like [Structured], for an [mcp.Result]: a text that is not empty replaces the
// JSON text, and further blocks follow.
func StructuredWith(req *mcp.Request, e *wire.Encoder, text string, content ...mcp.Content) (*mcp.ToolResult, error) {
	return funcs.StructuredWith(req, e, text, content...)
}

// JSONContents returns the value in e as JSON text, for structured resources.
func JSONContents(req *mcp.Request, e *wire.Encoder) (*mcp.ResourceResult, error) {
	return funcs.JSONContents(req, e)
}

// ReadBlob reads a resource from a reader, up to its size limit, and closes the reader if it
// implements io.Closer.
func ReadBlob(req *mcp.Request, from io.Reader) (*mcp.ResourceResult, error) {
	return funcs.ReadBlob(req, from)
}
