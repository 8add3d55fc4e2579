package mcp

import (
	"github.com/mcpgen/mcpgen/runtime/internal/membudget"
	"github.com/mcpgen/mcpgen/runtime/internal/transport"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// This file is the messages of transports that give each request a channel of its own. Their goroutines
// call it, one for each message.

// transportMessage implements [transport.Message] by the buffers of the message.
type transportMessage buffers

func (in *transportMessage) Buffer() []byte { return in.data[:0] }

func (in *transportMessage) Room(capacity int) bool {
	in.data = in.data[:0:0] // the caller uses its storage
	size := (*buffers)(in).size()
	if capacity > membudget.Free {
		size += capacity
	}
	return in.account.Take(size)
}

func (in *transportMessage) Parse(text []byte) *jsonrpc.Error {
	in.data = text
	return in.settings.parser.Parse(text, &in.msg)
}

func (in *transportMessage) Text() []byte { return in.data }

func (in *transportMessage) Message() *jsonrpc.Message { return &in.msg }

func (in *transportMessage) Drop() {
	(*buffers)(in).release()
}

// newMessage returns storage for one message.
func (s *engineSettings) newMessage() transport.Message { return (*transportMessage)(s.newBuffers()) }

// take handles a message of a transport, whose replies go to the sink. It reports whether the sink can
// expect a reply, which may be empty.
func (c *engineConn) take(in transport.Message, from *caller, out sink) (expect bool) {
	c.received.Store(true)
	return c.handle((*buffers)(in.(*transportMessage)), nil, from, out, false)
}
