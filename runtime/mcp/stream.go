package mcp

import (
	"context"

	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// itemStream is the array of the items of a sequence while the function of the user runs.
type itemStream struct {
	x     *exchange
	e     *wire.Encoder
	token jsonrpc.ID
	wants bool // the request has a progress token
	count int
}

// newItemStream returns the encoder of the array, whose storage is charged to [Limits.Memory].
func newItemStream(req *Request) *itemStream {
	s := &itemStream{x: req.x, e: req.encoder()}
	s.token, s.wants = req.x.progressToken()
	s.e.SetLimit(req.maxResult(), (*streamStorage)(req.x))
	return s
}

// report sends an item as progress: the bytes of the encoder from start on.
func (s *itemStream) report(ctx context.Context, start int) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err := s.e.Err(); err != nil {
		return s.x.req.encodingFailed(err)
	}
	s.count++
	if s.wants {
		item := s.e.Bytes()[start:]
		if len(item) > 0 && item[0] == ',' {
			item = item[1:]
		}
		s.x.reportProgress(s.token, float64(s.count), 0, string(item))
	}
	return nil
}
