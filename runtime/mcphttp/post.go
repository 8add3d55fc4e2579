package mcphttp

import (
	"errors"
	"io"
	"net/http"
	"os"
	"strconv"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/bufpool"
	"github.com/mcpgen/mcpgen/runtime/internal/httpfield"
	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
	"github.com/mcpgen/mcpgen/runtime/internal/toolschema"
	"github.com/mcpgen/mcpgen/runtime/internal/transport"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

var noID jsonrpc.ID

// post handles a POST.
func (h *Handler) post(w http.ResponseWriter, r *http.Request, who requester) {
	if !checkContentTypes(w, r) || !h.acquireRequest(w, &who) {
		return
	}
	defer h.releaseRequest(&who)
	p := h.receive(w, r, who)
	if p == nil {
		return
	}
	switch p.mode {
	case modePerRequest:
		p.perRequest()
	case modeInitialize:
		p.initialize()
	case modeSessionless:
		p.withoutSession(p.revision, false)
	default:
		p.inSession(p.decision.session)
	}
	p.free()
}

// checkContentTypes checks Content-Type and Accept. If it returns false, it has written the
// response.
func checkContentTypes(w http.ResponseWriter, r *http.Request) bool {
	if !httpfield.IsJSON(r.Header.Get("Content-Type")) {
		writeInvalid(w, http.StatusUnsupportedMediaType, "Content-Type must be application/json")
		return false
	}
	if plain, events := acceptable(r.Header); !plain || !events {
		writeInvalid(w, http.StatusNotAcceptable, "Accept must list application/json and text/event-stream: the response is one or the other")
		return false
	}
	return true
}

// receive reads the message. If it returns nil, it has written the response.
//
// It is a separate function, like others here that run before the response is written: thousands of
// responses may be streams that last long, and a frame with these variables would double the stack
// of each.
func (h *Handler) receive(w http.ResponseWriter, r *http.Request, who requester) *posted {
	in, ok := h.parse(w, r)
	if !ok {
		return nil
	}
	d := decide(r.Header, in.Message(), h.sessionless)
	if d.status != 0 {
		writeError(w, d.status, replyID(in.Message()), d.err)
		in.Drop()
		return nil
	}
	p := postedPool.Get().(*posted)
	p.Handler, p.decision, p.who, p.w, p.r, p.in = h, d, who, w, r, in
	p.from = transport.Caller{Values: r.Context(), Header: r.Header, Client: who.client, Address: who.address}
	if h.principal != nil {
		p.from.Principal = who.known()
	}
	p.answer.h, p.answer.w, p.answer.r = &h.core, w, r
	if h.groups && r.URL.RawQuery != "" && !h.narrow(w, r, &p.from) {
		p.free()
		return nil
	}
	return p
}

// replyID returns the id for an error reply: the id of a request. A response has an id, but gets no
// reply.
func replyID(m *jsonrpc.Message) jsonrpc.ID {
	if m.Kind == jsonrpc.Response {
		return noID
	}
	return m.ID
}

// parse reads and parses the message. If it returns false, it has written the response.
func (h *core) parse(w http.ResponseWriter, r *http.Request) (transport.Message, bool) {
	in := h.host.NewMessage()
	text, ok := h.read(w, r, in)
	if ok {
		err := in.Parse(text)
		if err == nil {
			return in, true
		}
		writeError(w, http.StatusBadRequest, replyID(in.Message()), err)
	}
	in.Drop()
	return nil, false
}

// read reads the body. If it returns false, it has written the response.
func (h *core) read(w http.ResponseWriter, r *http.Request, in transport.Message) ([]byte, bool) {
	limit := h.server.MessageBytes
	if r.ContentLength > int64(limit) {
		writeTooLarge(w, limit)
		return nil, false
	}
	// If Content-Length is small, the storage for the whole body is allocated at once.
	b, ok := growBody(in, in.Buffer(), int(min(max(r.ContentLength, 0), maxPooled))+1)
	if !ok {
		writeOverloaded(w, noID, errNoMemory)
		return nil, false
	}
	if h.principal != nil || h.address != nil { // the time that these functions took does not count
		_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(h.limits.ReadTime))
	}
	for {
		if len(b) == cap(b) {
			if b, ok = growBody(in, b, len(b)+min(len(b), limit-len(b)+1)); !ok {
				writeOverloaded(w, noID, errNoMemory)
				return nil, false
			}
		}
		n, err := r.Body.Read(b[len(b):cap(b)])
		b = b[:len(b)+n]
		switch {
		case len(b) > limit:
			writeTooLarge(w, limit)
			return nil, false
		case err == io.EOF:
			// The deadline stays until the response waits: see response.follow. An http.Server sets
			// it anew for the next request.
			return b, true
		case errors.Is(err, os.ErrDeadlineExceeded):
			if r.ProtoMajor == 1 { // with HTTP/2 it would end all other requests
				w.Header().Set("Connection", "close")
			}
			writeInvalid(w, http.StatusRequestTimeout, "the body did not arrive within "+h.limits.ReadTime.String())
			return nil, false
		case err != nil:
			if e, ok := errors.AsType[*http.MaxBytesError](err); ok { // an error of middleware
				writeTooLarge(w, int(e.Limit))
				return nil, false
			}
			writeInvalid(w, http.StatusBadRequest, "the body could not be read")
			return nil, false
		}
	}
}

// growBody moves a body to storage of at least that size, and charges it. It returns false if the
// memory limit of the server is reached.
func growBody(in transport.Message, b []byte, size int) ([]byte, bool) {
	grown := b
	if size > cap(b) {
		if size = bufpool.Size(size); !in.Room(size) {
			return b, false
		}
		grown = append(bufpool.Get(size), b...)
		bufpool.Put(b)
	}
	return grown, in.Room(cap(grown))
}

func writeTooLarge(w http.ResponseWriter, limit int) {
	writeInvalid(w, http.StatusRequestEntityTooLarge, "the message has more than "+strconv.Itoa(limit)+" bytes")
}

// posted is a POST whose message has been read. Only the request goroutine uses it, and nothing
// that outlives the request has a pointer to it: the connection copies from, and the stream refers
// to the attachment only. So it is reused ([posted.free]).
type posted struct {
	*Handler
	decision
	who    requester
	w      http.ResponseWriter
	r      *http.Request
	in     transport.Message
	from   transport.Caller
	answer response // a field, since the stack of each waiting response should be small
}

var postedPool = sync.Pool{New: func() any { return new(posted) }}

// take passes the message to a connection, with the stream for its replies. It reports whether a
// reply will come.
func (p *posted) take(conn transport.Conn, s *stream) (expect bool) {
	in := p.in
	p.in = nil
	return conn.Take(in, p.from, s)
}

// free returns the storage to the pool, at the normal end of the request, including a message that
// no connection has taken. After a panic it is left to the garbage collector.
func (p *posted) free() {
	if p.in != nil {
		p.in.Drop()
	}
	*p = posted{}
	postedPool.Put(p)
}

// perRequest handles a message of a revision without sessions.
func (p *posted) perRequest() {
	m := p.in.Message()
	if m.Kind != jsonrpc.Request {
		p.withoutSession(nil, true)
		return
	}
	var params []toolschema.HeaderParam
	if string(m.Method) == protocol.ToolsCall.String() {
		if name, ok := jsonrpc.String(m.Params.Get("name")); ok {
			params = p.host.HeaderParams(name)
		}
	}
	err := checkHeaders(p.r.Header, m, params)
	if err == nil && params == nil {
		tool, arguments, _ := p.host.Forwarded(&m.Params)
		// Clients that have not listed the tool cannot send its fields.
		err = checkForwardedHeaders(p.r.Header, m, p.host.HeaderParams(tool), arguments)
	}
	if err != nil {
		writeError(p.w, http.StatusBadRequest, m.ID, err)
		return
	}
	if string(m.Method) == protocol.Listen.String() {
		if !canFlush(p.w) {
			writeError(p.w, http.StatusInternalServerError, m.ID, &jsonrpc.Error{Code: jsonrpc.CodeInternal, Message: errNoFlush})
			return
		}
		if !p.acquireStream(&p.who) {
			writeOverloaded(p.w, m.ID, "overloaded: too many streams")
			return
		}
		defer p.releaseStream(&p.who)
	}
	p.withoutSession(nil, true)
}

// withoutSession handles a message that does not belong to a session. Revision rev applies to a
// request that does not name its own.
func (p *posted) withoutSession(rev *protocol.Revision, modern bool) {
	conn := p.host.Open(p.r.Context(), transport.Options{Transport: p.sessions.transport, Once: true, Revision: rev, Ended: p.stopping})
	answer, reader := p.submit(conn, modern)
	if answer == nil {
		writeStatus(p.w, http.StatusAccepted)
		return
	}
	if answer.write(reader) {
		return
	}
	select {
	case <-p.closed:
		conn.Close()
	default:
		conn.Cancel() // closing the connection means that the client cancelled the request
	}
}

// submit passes the message to a connection without a session. The response is nil if no reply will
// come.
func (p *posted) submit(conn transport.Conn, modern bool) (*response, *attachment) {
	s := newStream(nil, p.server.QueueBytes, p.memory)
	reader := s.attachLocked()
	p.from.Values = nil // the connection has copied them
	if !p.take(conn, s) {
		return nil, nil
	}
	a := &p.answer
	a.s, a.statusByCode = s, modern
	return a, reader
}

// initialize handles initialize, which opens a session.
func (p *posted) initialize() {
	se, err := p.openSession(p.r.Context(), &p.who)
	if err != nil {
		p.refuseStore(p.w, p.r, p.in.Message().ID, err)
		return
	}
	se.acquire()
	defer se.release()
	if known := p.respond(se, se); !known || se.conn.Negotiated() == nil || p.answer.failed {
		p.sessions.end(se)
	}
}

// inSession handles a message of a session.
func (p *posted) inSession(id string) {
	m := p.in.Message()
	se, err := p.acquireSession(p.r.Context(), id, &p.who)
	if err != nil {
		p.refuseStore(p.w, p.r, replyID(m), err)
		return
	}
	defer se.release()
	if m.Kind == jsonrpc.Batch {
		if rev := se.conn.Negotiated(); rev == nil || !rev.Fields.Batches {
			writeInvalid(p.w, http.StatusBadRequest, "batches are not part of this protocol revision")
			return
		}
	}
	if se.shared == nil || !p.forwarded(se) {
		p.respond(se, nil)
	}
}

// respond passes a message to a session and writes the response. The tool runs on if the client
// disconnects. It returns false if the client cannot have received anything.
func (p *posted) respond(se, opened *session) (seen bool) {
	s := newStream(se, p.server.QueueBytes, p.memory)
	reader := s.attachLocked()
	var commit func() error
	if se.shared != nil {
		if opened == nil {
			s.share(p.in.Message().ID.Clone())
		}
		commit = se.shared.Commit(p.r.Context(), p.in.Message(), opened != nil)
	}
	if !p.take(se.conn, s) {
		if commit != nil {
			if err := commit(); err != nil {
				p.refuseStore(p.w, p.r, noID, err)
				return true
			}
		}
		writeStatus(p.w, http.StatusAccepted)
		return true
	}
	a := &p.answer
	a.s, a.commit = s, commit
	a.newSession, a.sessionEnded = opened, se.done
	return a.write(reader) || a.started
}
