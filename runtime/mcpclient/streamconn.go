package mcpclient

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"strconv"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// readStream reads messages until the stream ends.
func (x *connection) readStream() {
	for {
		data, err := x.stream.Read()
		x.received.Add(1)
		if frame, ok := errors.AsType[*jsonrpc.FrameError](err); ok {
			x.skipped(frame)
			continue
		}
		if err != nil {
			if errors.Is(err, io.EOF) {
				err = errEnded
			}
			x.out.settle()
			x.fail(err)
			return
		}
		x.receive(data, nil)
	}
}

// skipped fails the request whose reply is too long, if its id is known, or the only request:
// before the end of the message, which may never arrive. It refuses a question that is too long.
func (x *connection) skipped(frame *jsonrpc.FrameError) {
	limit := &LimitError{What: "message of the server", Limit: "MessageBytes", Value: x.client.limits.MessageBytes}
	x.mu.Lock()
	var p *pending
	if frame.Kind == jsonrpc.Response || frame.Kind == jsonrpc.Invalid {
		p = x.waiting[idOf(frame.ID)]
		if p == nil && frame.ID.IsZero() && !x.failedEarly && len(x.waiting) == 1 {
			for _, p = range x.waiting {
			}
		}
	}
	unknown := p == nil && !frame.Early && !x.failedEarly
	x.failedEarly = frame.Early && p != nil
	if p != nil {
		delete(x.waiting, p.id)
		p.finish(nil, limit)
	}
	x.mu.Unlock()
	if unknown {
		x.report(limit)
	}
	if frame.Kind == jsonrpc.Request && !frame.ID.IsZero() {
		x.reply(jsonrpc.AppendError(nil, frame.ID, &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: frame.Error()}))
	}
}

// await waits for the reply to a queued request.
func (x *connection) await(ctx context.Context, p *pending) (json.RawMessage, error) {
	timer := time.NewTimer(p.clock.left(x))
	defer timer.Stop()
	for {
		var err error
		select {
		case <-p.arrived:
			newest, done := x.take(p)
			if newest != nil && p.progress != nil {
				p.progress(*newest)
			}
			if done {
				return p.result, p.err
			}
			continue
		case <-ctx.Done():
			err = context.Cause(ctx)
		case <-timer.C:
			if left := p.clock.left(x); left > 0 {
				timer.Reset(left)
				continue
			}
			err = p.clock.over()
		}
		if !x.leave(p) { // the reply has just arrived
			return p.result, p.err
		}
		x.cancel(p, err)
		if errors.Is(err, ErrTimeout) {
			x.doubt(p.received)
		}
		return nil, err
	}
}

// cancel notifies the server that the request was given up. initialize is not cancelled
// (basic/utilities/cancellation).
func (x *connection) cancel(p *pending, why error) {
	if p.method == protocol.Initialize.String() || x.isGone() {
		return
	}
	x.out.add(jsonrpc.AppendNotification(nil, protocol.Cancelled, cancelParams(p, why)), nil)
}

// cancelParams returns the params of the notification.
func cancelParams(p *pending, why error) json.RawMessage {
	reason := "cancelled"
	if errors.Is(why, ErrTimeout) {
		reason = "timeout"
	}
	if e, ok := errors.AsType[*CancelError](why); ok {
		reason = e.Reason
	}
	params := strconv.AppendInt([]byte(`{"requestId":`), p.id, 10)
	if reason != "" {
		params = addMember(params, "reason", wire.AppendString(nil, reason))
	}
	return append(params, '}')
}
