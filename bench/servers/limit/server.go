// Package limit serves the catalogue with hand-written code: the lower limit of the cost of a
// server that is as strict as generated code and tracks the same state. It reads each message once,
// refuses duplicate keys, invalid UTF-8, unknown and missing members, and values that are out of
// bounds or not in an enumeration; it limits the size and the depth of messages and the calls in
// flight, cancels calls, and survives their panics. It supports only this catalogue: one message
// for the first problem, no resumable streams, no questions to clients.
package limit

import (
	"context"
	"math"
	"strconv"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/bench/catalog"
	"github.com/mcpgen/mcpgen/bench/contract"
)

// Server answers calls.
type Server struct {
	list, modernList []byte // the results
}

const (
	serverInfo = `{"name":"catalog","version":"1.0.0"}`
	modernTail = `,"resultType":"complete","_meta":{"io.modelcontextprotocol/serverInfo":` + serverInfo + `}`
	modernKeep = `,"ttlMs":0,"cacheScope":"public"`
)

// New returns a server that publishes a JSON array of tools.
func New(tools string) *Server {
	return &Server{
		list:       []byte(`{"tools":` + tools + `}`),
		modernList: []byte(`{"tools":` + tools + modernKeep + modernTail + `}`),
	}
}

// Default returns the server of the catalogue.
func Default() *Server { return New(contract.Text) }

// call is a request in flight. It is the context of its function, so it is not reused.
type call struct {
	client *client
	m      message
	b      *buffers
	tell   func(ctx context.Context, done, total float64, message string)

	mu   sync.Mutex
	done chan struct{} // created at the first call of Done
	err  error
}

// buffers contains the storage of a call, which is reused.
type buffers struct {
	in, out, value []byte
	r              reader
}

const keptBuffer = 64 << 10

var pool = sync.Pool{New: func() any { return new(buffers) }}

func (b *buffers) drop() {
	if cap(b.in) > keptBuffer {
		b.in = nil
	}
	if cap(b.out) > keptBuffer {
		b.out = nil
	}
	if cap(b.value) > 1<<20 {
		b.value = nil
	}
	b.r = reader{tmp: b.r.tmp[:0]}
	pool.Put(b)
}

// parse reads the message in b.in.
func (b *buffers) parse(m *message) string {
	b.r = reader{data: b.in, tmp: b.r.tmp[:0]}
	return m.read(&b.r)
}

// Deadline, Done, Err and Value implement context.Context.
func (c *call) Deadline() (time.Time, bool) { return time.Time{}, false }

func (c *call) Value(any) any { return nil }

func (c *call) Done() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.done == nil {
		c.done = make(chan struct{})
		if c.err != nil {
			close(c.done)
		}
	}
	return c.done
}

func (c *call) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

func (c *call) cancel() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err == nil {
		c.err = context.Canceled
		if c.done != nil {
			close(c.done)
		}
	}
}

// client contains the calls in flight of one client.
type client struct {
	mu    sync.Mutex
	calls map[string]*call
}

const mostCalls = 1024

// enter registers a call. It returns "" or an error text.
func (cl *client) enter(c *call) string {
	cl.mu.Lock()
	defer cl.mu.Unlock()
	if cl.calls[string(c.m.id)] != nil {
		return "id of a request in flight"
	}
	if len(cl.calls) >= mostCalls {
		return "too many requests in flight"
	}
	cl.calls[string(c.m.id)] = c
	return ""
}

// leave removes a call, and reports whether it still needs an answer.
func (cl *client) leave(c *call) bool {
	cl.mu.Lock()
	defer cl.mu.Unlock()
	if cl.calls[string(c.m.id)] != c {
		return false
	}
	delete(cl.calls, string(c.m.id))
	return true
}

func (cl *client) cancel(id []byte) {
	cl.mu.Lock()
	c := cl.calls[string(id)]
	delete(cl.calls, string(id))
	cl.mu.Unlock()
	if c != nil {
		c.cancel()
	}
}

// quick reports whether a method calls no function of the catalogue.
func quick(method []byte) bool {
	return string(method) != "tools/call" && string(method) != "resources/read"
}

// answer appends the reply.
func (s *Server) answer(b []byte, c *call) (out []byte) {
	start := len(b)
	defer func() {
		if recover() != nil {
			out = appendError(b[:start], c.m.id, -32603, "internal error")
		}
	}()
	m := &c.m
	b = append(append(append(b, `{"jsonrpc":"2.0","id":`...), m.id...), `,"result":`...)
	failed := ""
	switch string(m.method) {
	case "tools/call":
		b, failed = s.callTool(b, c)
	case "resources/read":
		b, failed = readBook(b, m)
	case "tools/list":
		if m.modern {
			return append(append(b, s.modernList...), '}')
		}
		return append(append(b, s.list...), '}')
	case "ping":
		return append(b, "{}}"...)
	case "initialize":
		b = append(b, `{"protocolVersion":"`...)
		b = append(b, negotiate(m.version)...)
		return append(b, `","capabilities":{"tools":{},"resources":{}},"serverInfo":`+serverInfo+`}}`...)
	case "server/discover":
		b = append(b, `{"supportedVersions":["2026-07-28","2025-11-25"],"capabilities":{"tools":{},"resources":{}}`...)
		b = append(b, modernKeep...)
	default:
		return appendError(b[:start], m.id, -32601, "method not found")
	}
	if failed != "" {
		return appendError(b[:start], m.id, -32602, failed)
	}
	if m.modern {
		b = append(b, modernTail...)
	}
	return append(b, "}}"...)
}

func negotiate(version []byte) string {
	switch string(version) {
	case "2025-06-18":
		return "2025-06-18"
	case "2025-03-26":
		return "2025-03-26"
	}
	return "2025-11-25"
}

var noArguments = []byte("{}")

// callTool appends the result of a call without the closing brace.
func (s *Server) callTool(b []byte, c *call) (out []byte, failed string) {
	m := &c.m
	r := &c.b.r
	*r = reader{data: m.args, depth: 2, tmp: r.tmp[:0]}
	if m.args == nil {
		r.data = noArguments
	}
	v := c.b.value[:0]
	switch string(m.name) {
	case "add":
		x, y := r.sum()
		if r.err == "" {
			sum := catalog.Add(x, y)
			v = append(strconv.AppendInt(append(v, `{"sum":`...), sum.Sum, 10), '}')
		}
	case "search":
		var q catalog.Query
		r.query(&q)
		if r.err == "" {
			hits := catalog.Search(&q)
			v = appendHits(v, &hits)
		}
	case "records":
		n := r.count()
		if r.err == "" {
			list := catalog.List(int(n))
			v = appendRecords(v, &list)
		}
	case "text":
		text := r.words()
		if r.err == "" {
			return appendText(b, catalog.Text(text)), ""
		}
	case "report":
		r.nothing()
		if r.err == "" {
			return appendText(b, catalog.Report(c, c.tell)), ""
		}
	default:
		return b, "unknown tool"
	}
	c.b.value = v
	if r.err != "" {
		return append(appendText(b, "wrong arguments: "+r.err), `,"isError":true`...), ""
	}
	b = append(b, `{"content":[{"type":"text","text":`...)
	b = appendString(b, v)
	b = append(b, `}],"structuredContent":`...)
	return append(b, v...), ""
}

func appendText(b []byte, text string) []byte {
	b = append(b, `{"content":[{"type":"text","text":`...)
	b = appendString(b, text)
	return append(b, `}]`...)
}

func readBook(b []byte, m *message) (out []byte, failed string) {
	id, err := catalog.BookID(string(m.uri))
	if err != nil {
		return b, "resource not found"
	}
	book, err := catalog.BookAt(id)
	if err != nil {
		return b, "resource not found"
	}
	var room [512]byte
	b = append(b, `{"contents":[{"uri":`...)
	b = appendString(b, m.uri)
	b = append(b, `,"mimeType":"application/json","text":`...)
	b = appendString(b, appendBook(room[:0], &book))
	b = append(b, `}]`...)
	if m.modern {
		b = append(b, modernKeep...)
	}
	return b, ""
}

// appendProgress appends a progress notification.
func appendProgress(b []byte, token []byte, done, total float64, message string) []byte {
	b = append(b, `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":`...)
	b = append(b, token...)
	b = append(b, `,"progress":`...)
	b = appendFloat(b, done)
	if total > 0 && !math.IsInf(total, 0) {
		b = appendFloat(append(b, `,"total":`...), total)
	}
	b = appendString(append(b, `,"message":`...), message)
	return append(b, "}}"...)
}

func appendError(b, id []byte, code int, text string) []byte {
	b = append(b, `{"jsonrpc":"2.0",`...)
	if len(id) > 0 {
		b = append(append(append(b, `"id":`...), id...), ',')
	}
	b = strconv.AppendInt(append(b, `"error":{"code":`...), int64(code), 10)
	b = appendString(append(b, `,"message":`...), text)
	return append(b, "}}"...)
}
