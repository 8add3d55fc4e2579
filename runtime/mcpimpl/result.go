package mcpimpl

import (
	"context"
	"io"
	"iter"

	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// DoneResult returns the result of a function that returns nothing.
func DoneResult() *mcp.ToolResult { return mcp.TextResult("done") }

// NothingFound returns the result of a function that found nothing: an error result, so that the
// model does not take it for an empty value.
func NothingFound() *mcp.ToolResult { return funcs.NothingFound() }

// Found returns the structured result that put writes, or the error of the function that returned
// it. A nil pointer means that nothing was found. P is a pointer, so that all types share the code.
func Found[P comparable](req *mcp.Request, result P, err error, put func(*wire.Encoder, P)) (*mcp.ToolResult, error) {
	var none P
	switch {
	case err != nil:
		return nil, err
	case result == none:
		return NothingFound(), nil
	}
	e := Encoder(req)
	put(e, result)
	return Structured(req, e)
}

// Items returns the structured result of a list, whose items put writes, or the error of the
// function that returned it. Nil is an empty list.
func Items[T any](req *mcp.Request, list []T, err error, put func(*wire.Encoder, *T)) (*mcp.ToolResult, error) {
	if err != nil {
		return nil, err
	}
	e := Encoder(req)
	wire.PutSlice(e, list, put)
	return Structured(req, e)
}

// BlobResult returns bytes of a MIME type as a result: an [mcp.Image], an [mcp.Audio], or else an
// [mcp.EmbeddedResource], with text for a text type. Nil means that nothing was found.
func BlobResult(req *mcp.Request, mime string, data []byte) *mcp.ToolResult {
	return funcs.BlobResult(req, mime, data)
}

// ReaderResult is like [BlobResult], for a reader. It reads at most the size limit of a result, and
// closes r if it implements io.Closer.
func ReaderResult(req *mcp.Request, mime string, r io.Reader) (*mcp.ToolResult, error) {
	return funcs.ReaderResult(req, mime, r)
}

// Stream returns the items of a sequence as one structured result, an array, and reports each item
// as it comes: by a progress notification with the item's JSON as the message, if the client
// requested progress. If items come faster than [mcp.Limits.ProgressRate], the newest are reported.
//
// It returns an error if the context is cancelled, if the result exceeds the tool's size limit, and
// if the server has no memory for it: the items so far count towards [mcp.Limits.Memory].
func Stream[T any](ctx context.Context, req *mcp.Request, items iter.Seq[T], put func(*wire.Encoder, *T)) (*mcp.ToolResult, error) {
	return StreamErr(ctx, req, func(yield func(T, error) bool) {
		if items == nil {
			return
		}
		for item := range items {
			if !yield(item, nil) {
				return
			}
		}
	}, put)
}

// StreamErr is like [Stream], for a sequence whose items may be errors. The first error ends it and
// is returned.
func StreamErr[T any](ctx context.Context, req *mcp.Request, items iter.Seq2[T, error], put func(*wire.Encoder, *T)) (*mcp.ToolResult, error) {
	e, report := funcs.Stream(req)
	e.BeginArray()
	if items != nil {
		for item, err := range items {
			if err != nil {
				return nil, err
			}
			start := len(e.Bytes())
			put(e, &item)
			if err := report(ctx, start); err != nil {
				return nil, err
			}
		}
	}
	e.EndArray()
	return funcs.Structured(req, e)
}
