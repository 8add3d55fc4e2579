package engine

import (
	"strconv"
	"sync"

	"github.com/mcpgen/mcpgen/runtime/internal/jsonobject"
	"github.com/mcpgen/mcpgen/runtime/internal/membudget"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// This file handles batches (JSON-RPC 2.0, section 6), in the one revision that allows them. The
// goroutine that reads splits the array ([Conn.batch]); the request goroutines add their replies,
// under the lock of the batch.

// batch is the sink of the requests of an array. It sends their replies as one array when all are
// complete, or an empty reply if no request has one.
type batch struct {
	out Sink

	mu      sync.Mutex
	open    int  // requests without a reply, plus one while the array is read
	asked   bool // the array contains a request
	replies []byte
	limit   int // limit of the bytes of replies; replies beyond it are replaced by short errors
	account membudget.Account
}

func (b *batch) expect() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.open++
	b.asked = true
}

func (b *batch) Answer(message []byte, code int) { b.Reply(message, code) }
func (b *batch) Refuse(message []byte, code int) { b.Reply(message, code) }

func (b *batch) Reply(message []byte, _ int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(message) > 0 {
		if len(b.replies) == 0 {
			b.replies = append(b.replies, '[')
		} else {
			b.replies = append(b.replies, ',')
		}
		if len(b.replies)+len(message) > b.limit {
			message = withoutRoom(message, tooLongTogether(b.limit))
		} else if !b.grow(len(message) + 1) {
			message = withoutRoom(message, ErrOverloaded)
		}
		b.replies = append(b.replies, message...)
		b.account.Set(cap(b.replies))
	}
	switch b.open--; {
	case b.open > 0:
	case len(b.replies) > 0:
		b.out.Reply(append(b.replies, ']'), 0)
		b.replies = nil
		b.account.Set(0)
	case b.asked:
		b.out.Reply(nil, 0)
	}
}

// grow makes room for that many more bytes. It returns false if the budget does not allow them. A
// reply with a place beyond the budget is charged here like others: it must not keep its place
// while the array waits for other replies.
func (b *batch) grow(more int) bool {
	size := len(b.replies) + more
	if size <= cap(b.replies) {
		return true
	}
	size = min(max(size, 2*cap(b.replies)), b.limit+more)
	if !b.account.Take(size + cap(b.replies)) { // old and new array exist at the same time for a moment
		return false
	}
	b.replies = append(make([]byte, 0, size), b.replies...)
	return true
}

func tooLongTogether(limit int) *jsonrpc.Error {
	return &jsonrpc.Error{
		Code:    jsonrpc.CodeInternal,
		Message: "the replies to the batch have more than the " + strconv.Itoa(limit) + " bytes that are allowed together",
		Data:    []byte(`{"reason":"too large"}`),
	}
}

// withoutRoom returns the error that replaces a reply for which memory is lacking.
func withoutRoom(reply []byte, err *jsonrpc.Error) []byte {
	id, _ := jsonrpc.RawID(jsonobject.Member(reply, "id"))
	if id.IsZero() {
		id = jsonrpc.Null
	}
	return jsonrpc.AppendError(nil, id, err)
}

// Notify sends a notification at once, outside of the array.
func (b *batch) Notify(message []byte) { b.out.Notify(message) }

func (b *batch) FlushAsync() { b.out.FlushAsync() }
func (b *batch) Wait()       { b.out.Wait() }
func (b *batch) Flush()      { b.out.Flush() }
func (b *batch) Full() bool  { return b.out.Full() }

// batch handles the messages of an array. It reports whether one of them is a request.
func (c *Conn) batch(m *jsonrpc.Message, from *Caller, out Sink) (asked bool) {
	rev := c.Negotiated()
	count := 0
	jsonrpc.Elements(m.Batch, func([]byte) bool { count++; return true })
	switch most := c.Settings.Limits.InFlight; {
	case rev == nil || !rev.Fields.Batches:
		c.refuse(m, invalidRequest("batches are not part of this protocol revision"), out)
		return true
	case count == 0:
		c.refuse(m, invalidRequest("empty batch"), out)
		return true
	case count > most:
		c.refuse(m, invalidRequest("a batch of more than "+strconv.Itoa(most)+" messages"), out)
		return true
	}
	b := &batch{out: out, open: 1, limit: c.Settings.Limits.ResultBytes}
	b.account.Of(c.Settings.Memory)
	jsonrpc.Elements(m.Batch, func(element []byte) bool {
		c.handleText(element, from, b, true)
		return true
	})
	b.mu.Lock()
	asked = b.asked
	b.mu.Unlock()
	b.Reply(nil, 0)
	return asked
}
