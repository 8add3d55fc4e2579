package mcp

import (
	"strconv"
	"sync"

	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// batch collects the replies to an array of requests and sends them as one
// array when all are there, or nothing where there is none (JSON-RPC 2.0,
// section 6).
type batch struct {
	out sink

	mu      sync.Mutex
	open    int // requests without a reply, and one while the array is read
	replies []byte
}

func (b *batch) expect() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.open++
}

func (b *batch) reply(message []byte) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(message) > 0 {
		if len(b.replies) == 0 {
			b.replies = append(b.replies, '[')
		} else {
			b.replies = append(b.replies, ',')
		}
		b.replies = append(b.replies, message...)
	}
	if b.open--; b.open == 0 && len(b.replies) > 0 {
		b.out.reply(append(b.replies, ']'))
		b.replies = nil
	}
}

// notify sends a message by itself: what belongs to a request of a batch need
// not wait for the replies of the others.
func (b *batch) notify(message []byte) { b.out.notify(message) }

func (b *batch) kick()      { b.out.kick() }
func (b *batch) wait()      { b.out.wait() }
func (b *batch) flush()     { b.out.flush() }
func (b *batch) full() bool { return b.out.full() }

// batch takes an array apart.
func (c *conn) batch(m *jsonrpc.Message, out sink) {
	rev := c.negotiated()
	count := 0
	jsonrpc.Elements(m.Batch, func([]byte) bool { count++; return true })
	switch most := c.server.limits.InFlight; {
	case rev == nil || !rev.Fields.Batches:
		c.refuse(m, invalidRequest("batches are not part of this protocol revision"), out)
		return
	case count == 0:
		c.refuse(m, invalidRequest("empty batch"), out)
		return
	case count > most:
		c.refuse(m, invalidRequest("a batch of more than "+strconv.Itoa(most)+" messages"), out)
		return
	}
	b := &batch{out: out, open: 1}
	jsonrpc.Elements(m.Batch, func(element []byte) bool {
		c.receive(element, b, true)
		return true
	})
	b.reply(nil)
}
