package mcpimpl

import (
	"context"
	"io"
	"iter"

	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// DoneResult is the result of a function that returns nothing.
func DoneResult() *mcp.ToolResult { return mcp.TextResult("done") }

// NothingFound is the result of a function that found nothing: a failed one, so that the model does
// not take it for an empty value.
func NothingFound() *mcp.ToolResult { return funcs.NothingFound() }

// BlobResult returns bytes of a MIME type as a result: an [mcp.Image], an [mcp.Audio], or else an
// [mcp.EmbeddedResource], with text where the type is one of text. Nil means that nothing was
// found.
func BlobResult(req *mcp.Request, mime string, data []byte) *mcp.ToolResult {
	return funcs.BlobResult(req, mime, data)
}

// ReaderResult is [BlobResult] for bytes that are yet to be read. It reads no more than a result
// may have, and closes r where it can be closed.
func ReaderResult(req *mcp.Request, mime string, r io.Reader) (*mcp.ToolResult, error) {
	return funcs.ReaderResult(req, mime, r)
}

// Stream returns the items of a sequence as one structured result, an array, and reports each to
// the client as soon as it is there: by a notification of progress with the item's JSON text as the
// message, where the client has asked for progress. Of items that come faster than
// [mcp.Limits.ProgressRate] allows, the newest are reported.
//
// It ends with an error when the context does, when the result has become larger than the tool's
// results may be, and when the server has no room for it: what is there counts for
// [mcp.Limits.Memory] while the sequence goes on.
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

// StreamErr is [Stream] for a sequence whose items may be errors. The first error ends it and is
// returned.
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
