package mcpimpl

import (
	"io"

	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Decoder returns a decoder of the arguments, as lenient as the tool is. Where the client sent
// none, it reads an empty object. Those of a prompt, and the variables of a resource template, are
// strings: there it takes "5" for 5.
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

// Encoder returns an encoder for the structured result, which has the limit of the result. It
// belongs to the request and is used again for others once the handler has returned.
func Encoder(req *mcp.Request) *wire.Encoder { return funcs.Encoder(req) }

// Structured returns the result that e holds, from [Encoder] of the same request. Its JSON aliases
// e.
func Structured(req *mcp.Request, e *wire.Encoder) (*mcp.ToolResult, error) {
	return funcs.Structured(req, e)
}

// StructuredWith is [Structured] for an [mcp.Result]: with a text instead of the JSON text, unless
// it is empty, and with further blocks.
func StructuredWith(req *mcp.Request, e *wire.Encoder, text string, content ...mcp.Content) (*mcp.ToolResult, error) {
	return funcs.StructuredWith(req, e, text, content...)
}

// JSONContents returns the value that e holds as a text of JSON, for resources that are structured.
func JSONContents(req *mcp.Request, e *wire.Encoder) (*mcp.ResourceResult, error) {
	return funcs.JSONContents(req, e)
}

// ReadBlob reads a resource from a reader, up to the size that it may have, and closes the reader
// where it can be closed.
func ReadBlob(req *mcp.Request, from io.Reader) (*mcp.ResourceResult, error) {
	return funcs.ReadBlob(req, from)
}
