package mcpclient

import (
	"bytes"
	"encoding/json"
	"strconv"
	"sync"

	"github.com/mcpgen/mcpgen/runtime/internal/dial"
	"github.com/mcpgen/mcpgen/runtime/internal/discarded"
	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// messages pools the storage of parsed messages.
var messages = sync.Pool{New: func() any { return new(jsonrpc.Message) }}

// receive handles a message of the server. Over HTTP, over is the request whose response contains
// it; on a stream it is nil. receive calls no function of users, and does not block. data is valid
// until it returns.
func (x *connection) receive(data []byte, over *pending) {
	m := messages.Get().(*jsonrpc.Message)
	defer func() {
		m.Reset()
		messages.Put(m)
	}()
	parser := jsonrpc.Parser{MaxDepth: x.client.limits.Depth}
	if err := parser.Parse(data, m); err != nil {
		x.unreadable(m, over, err, data)
		return
	}
	switch m.Kind {
	case jsonrpc.Response:
		x.replied(m, over, data)
	case jsonrpc.Request:
		x.question(m, over, data)
	case jsonrpc.Notification:
		x.notified(m, over, data)
	case jsonrpc.Batch:
		if r := x.revision.Load(); r == nil || !r.Fields.Batches {
			x.violation(over, "an array of messages, which the revision does not have", data)
			return
		}
		jsonrpc.Elements(m.Batch, func(element []byte) bool {
			if len(element) > 0 && element[0] == '[' {
				x.violation(over, "an array inside an array of messages", element)
				return true
			}
			x.receive(element, over)
			return true
		})
	}
}

// unreadable handles text that is not a message, or nests too deep. It fails the request that the
// text replies to, if that is known. It refuses a question, like one that is too long.
func (x *connection) unreadable(m *jsonrpc.Message, over *pending, err *jsonrpc.Error, data []byte) {
	p, id, isResponse := over, m.ID, m.Kind == jsonrpc.Response
	if err.Code == jsonrpc.CodeParse {
		// Text that is not JSON usually still shows which request it replies to.
		var d discarded.Message
		d.Write(data)
		if isResponse = jsonrpc.MessageKind(d.Kind()) == jsonrpc.Response; isResponse {
			id, _ = jsonrpc.RawID(d.ID())
		}
	}
	switch isReply := m.Result != nil || m.Error != nil; {
	case len(m.Method) > 0 && !isReply:
		p = nil
		if r := x.revision.Load(); !m.ID.IsZero() && (r == nil || !r.ServerRequests.Rounds) {
			x.reply(jsonrpc.AppendError(nil, m.ID, err))
		}
	case isResponse || !id.IsZero():
		x.mu.Lock()
		if byID := x.waiting[idOf(id)]; byID != nil {
			p = byID
		}
		x.mu.Unlock()
	}
	if m.TooDeep {
		x.refuse(p, &LimitError{What: "message of the server", Limit: "Depth", Value: x.client.limits.Depth})
		return
	}
	x.violation(p, err.Message, data)
}

// idOf returns the number of an identifier that this client created, or 0 for any other.
func idOf(id jsonrpc.ID) int64 {
	raw := id.Raw()
	if len(raw) == 0 || raw[0] == '"' || raw[0] == '-' {
		return 0
	}
	n, err := strconv.ParseInt(string(raw), 10, 64)
	if err != nil {
		return 0
	}
	return n
}

// replied completes the request that a reply is for.
func (x *connection) replied(m *jsonrpc.Message, over *pending, data []byte) {
	x.mu.Lock()
	p := x.waiting[idOf(m.ID)]
	if m.ID.IsZero() {
		// An error without an id belongs to the only request in flight (JSON-RPC, section 5).
		if p = over; p == nil && len(x.waiting) == 1 {
			for _, p = range x.waiting {
			}
		}
	}
	if p == nil || over != nil && p != over {
		id := idOf(m.ID)
		_, left := x.left[id]
		delete(x.left, id)
		left = left || x.failure != nil
		x.mu.Unlock()
		if left {
			return // the reply has crossed the cancellation, or the end of the connection
		}
		x.violation(nil, "a reply to a request that does not wait for one", data)
		return
	}
	delete(x.waiting, p.id)
	switch {
	case m.Error != nil:
		if e := readError(m.Error); e != nil {
			p.finish(nil, e)
		} else {
			p.finish(nil, &dial.Violation{Text: "an error without code and message", Bytes: clip(data)})
		}
	case m.Result[0] != '{':
		p.finish(nil, &dial.Violation{Text: "a result that is not an object", Bytes: clip(data)})
	default:
		p.finish(bytes.Clone(m.Result), nil)
	}
	x.mu.Unlock()
}

// readError reads the error of a reply, or returns nil if it is invalid.
func readError(data []byte) *jsonrpc.Error {
	e := new(jsonrpc.Error)
	var code, message bool
	jsonrpc.Members(data, func(name, value []byte) bool {
		switch string(name) {
		case "code":
			n, err := strconv.Atoi(string(value))
			e.Code, code = n, err == nil
		case "message":
			e.Message, message = jsonrpc.String(value)
		case "data":
			e.Data = bytes.Clone(value)
		}
		return true
	})
	if !code || !message {
		return nil
	}
	return e
}

// maxClip limits the bytes of a message that an error quotes.
const maxClip = 256

func clip(data []byte) []byte { return bytes.Clone(data[:min(len(data), maxClip)]) }

// violation fails the request p because of a message of the server, or reports the message if p is
// nil.
func (x *connection) violation(p *pending, text string, data []byte) {
	x.refuse(p, &dial.Violation{Text: text, Bytes: clip(data)})
}

// refuse fails the request p with an error, or reports the error if p is nil or no longer waits.
func (x *connection) refuse(p *pending, err error) {
	if p != nil {
		x.mu.Lock()
		waits := x.waiting[p.id] == p
		if waits {
			delete(x.waiting, p.id)
			p.finish(nil, err)
		}
		x.mu.Unlock()
		if waits {
			return
		}
	}
	x.report(err)
}

// maxReported limits the reported violations of one connection, so that a server cannot fill the
// log.
const maxReported = 1000

// report passes a violation to OnProtocolError.
func (x *connection) report(err error) {
	x.mu.Lock()
	x.reported++
	n := x.reported
	x.mu.Unlock()
	if n <= maxReported {
		x.client.reportViolation(err)
	}
}

// notified handles a notification.
func (x *connection) notified(m *jsonrpc.Message, over *pending, data []byte) {
	method := string(m.Method)
	params := &m.Params
	if !params.IsObject() {
		x.violation(nil, "params of a notification that are not an object", data)
		return
	}
	switch method {
	case protocol.Progress:
		x.progressed(params, over, data)
		return
	case protocol.Cancelled:
		x.cancelled(params, data)
		return
	case protocol.LogMessage:
		l, err := readLogMessage(params.Raw)
		if err != nil {
			x.violation(nil, "a log message that cannot be read: "+err.Error(), data)
			return
		}
		x.client.events.log(*l)
		return
	case protocol.ElicitationComplete:
		if id, ok := jsonrpc.String(params.Get("elicitationId")); ok {
			x.client.links.completed(id)
			return
		}
		x.violation(nil, "a notification without elicitationId", data)
		return
	case protocol.ToolsListChanged, protocol.PromptsListChanged, protocol.ResourcesListChanged, protocol.ResourceUpdated, protocol.Acknowledged:
		x.changed(method, params, data)
		return
	}
	x.client.events.notification(method, json.RawMessage(bytes.Clone(params.Raw)))
}

// progressed passes progress to its request. Over HTTP, over is the request whose response
// contained it, which may be another one.
func (x *connection) progressed(params *jsonrpc.Params, over *pending, data []byte) {
	step, err := readProgress(params.Raw)
	if err != nil {
		x.violation(nil, "progress that cannot be read: "+err.Error(), data)
		return
	}
	id, ok := jsonrpc.RawID(params.Get("progressToken"))
	x.mu.Lock()
	p := x.waiting[idOf(id)]
	switch id, last := idOf(id), x.last; {
	case !ok || p == nil:
		x.mu.Unlock()
		if id <= 0 || id > last { // otherwise its request is over
			x.violation(nil, "progress of a request that is not in flight", data)
		}
		return
	case p.progress == nil:
		x.mu.Unlock()
		x.violation(nil, "progress of a request that has no progressToken", data)
		return
	}
	if p.step != nil && step.Done <= *p.step {
		x.mu.Unlock()
		x.violation(nil, "progress that does not increase", data)
		return
	}
	p.step = &step.Done
	p.clock.sign()
	if x.client.testing != nil {
		x.mu.Unlock()
		p.progress(*step)
		return
	}
	elsewhere := x.requester != nil && over != p
	queued := p.newest != nil
	p.newest = step
	p.wake()
	x.mu.Unlock()
	if elsewhere && !queued {
		// The request goroutine waits for its own response.
		x.client.events.add(0, false, nil, func() { x.deliver(p) })
	}
}
