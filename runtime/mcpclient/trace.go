package mcpclient

import (
	"bytes"
	"context"

	"github.com/mcpgen/mcpgen/runtime/internal/dial"
)

// tracedStream passes the messages of a stream to Options.OnMessage.
type tracedStream struct {
	dial.Stream
	trace func(sent bool, message []byte)
}

func (s *tracedStream) Read() ([]byte, error) {
	message, err := s.Stream.Read()
	if err == nil {
		s.trace(false, bytes.TrimRight(message, "\r\n"))
	}
	return message, err
}

func (s *tracedStream) Write(batch []byte) error {
	for line := range bytes.Lines(batch) {
		s.trace(true, bytes.TrimRight(line, "\n"))
	}
	return s.Stream.Write(batch)
}

// tracedRequester passes the messages over HTTP to Options.OnMessage.
type tracedRequester struct {
	dial.Requester
	trace func(sent bool, message []byte)
}

func (r *tracedRequester) Send(ctx context.Context, m *dial.Message, receive func(data []byte) (done bool)) error {
	r.trace(true, m.Data)
	return r.Requester.Send(ctx, m, func(data []byte) bool {
		r.trace(false, data)
		return receive(data)
	})
}

func (r *tracedRequester) Listen(ctx context.Context, opened func(resumed bool), receive func(data []byte)) error {
	return r.Requester.Listen(ctx, opened, func(data []byte) {
		r.trace(false, data)
		receive(data)
	})
}
