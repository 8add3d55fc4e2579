package engine

import (
	"github.com/mcpgen/mcpgen/runtime/internal/membudget"
	"github.com/mcpgen/mcpgen/runtime/internal/transport"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// This file handles the messages of transports that give each request a channel of its own. Their
// goroutines call it, one for each message.

// transportMessage implements [transport.Message] with the buffers of the message.
type transportMessage Buffers

func (in *transportMessage) Buffer() []byte { return in.data[:0] }

func (in *transportMessage) Room(capacity int) bool {
	in.data = in.data[:0:0] // the caller uses its storage
	size := (*Buffers)(in).size()
	if capacity > membudget.Free {
		size += capacity
	}
	return in.account.Take(size)
}

func (in *transportMessage) Parse(text []byte) *jsonrpc.Error {
	in.data = text
	return in.settings.Parser.Parse(text, &in.Msg)
}

func (in *transportMessage) Text() []byte { return in.data }

func (in *transportMessage) Message() *jsonrpc.Message { return &in.Msg }

func (in *transportMessage) Drop() {
	(*Buffers)(in).release()
}

// NewMessage returns storage for one message.
func (s *Settings) NewMessage() transport.Message { return (*transportMessage)(s.newBuffers()) }

// Take handles a message of a transport, whose replies go to the sink. It reports whether the sink
// can expect a reply, which may be empty.
func (c *Conn) Take(in transport.Message, from *Caller, out Sink) (expect bool) {
	c.received.Store(true)
	return c.handle((*Buffers)(in.(*transportMessage)), nil, from, out, false)
}
