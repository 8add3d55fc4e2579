package mcp

import (
	"context"
	"iter"

	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Stream returns the items of a sequence as one structured result, an array, and
// tells the client of each as soon as it is there: by a notification of progress
// with the item's JSON text as the message, where the client has asked for
// progress. Of items that come faster than [Limits.ProgressRate] allows, it is told
// of the newest. Generated code calls it.
//
// It ends with an error when the context does, when the result has become larger than
// the tool's results may be, and when the server has no room for it: what is there
// counts for [Limits.Memory] while the sequence goes on.
func Stream[T any](ctx context.Context, req *Request, items iter.Seq[T], put func(*wire.Encoder, *T)) (*ToolResult, error) {
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

// StreamErr is [Stream] for a sequence whose items may be errors. The first error
// ends it and is returned.
func StreamErr[T any](ctx context.Context, req *Request, items iter.Seq2[T, error], put func(*wire.Encoder, *T)) (*ToolResult, error) {
	s := newItemStream(req)
	e := req.Encoder()
	e.SetLimit(s.limit, (*streamStorage)(req.x))
	e.BeginArray()
	if items != nil {
		for item, err := range items {
			if err != nil {
				return nil, err
			}
			start := len(e.Bytes())
			put(e, &item)
			if err := s.sent(ctx, e, start); err != nil {
				return nil, err
			}
		}
	}
	e.EndArray()
	return req.Structured(e)
}

// itemStream is a sequence on its way.
type itemStream struct {
	x     *exchange
	token jsonrpc.ID
	wants bool
	limit int
	count int
}

func newItemStream(req *Request) *itemStream {
	s := &itemStream{x: req.x}
	s.token, s.wants = req.x.progressToken()
	s.limit = req.maxResult()
	return s
}

// maxResult is the size of results, in bytes.
func (r *Request) maxResult() int {
	if r.tool != nil && r.tool.info.MaxResult > 0 {
		return r.tool.info.MaxResult
	}
	return r.x.conn.server.limits.ResultBytes
}

// sent tells the client of the item that the encoder holds from start on.
func (s *itemStream) sent(ctx context.Context, e *wire.Encoder, start int) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err := e.Err(); err != nil {
		return s.x.req.encodingFailed(err)
	}
	s.count++
	if s.wants {
		item := e.Bytes()[start:]
		if len(item) > 0 && item[0] == ',' {
			item = item[1:]
		}
		s.x.reportProgress(s.token, float64(s.count), 0, string(item))
	}
	return nil
}
