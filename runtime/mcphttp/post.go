package mcphttp

import (
	"errors"
	"io"
	"net/http"
	"os"
	"strconv"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/lend"
	"github.com/mcpgen/mcpgen/runtime/internal/link"
	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

var noID jsonrpc.ID

// post answers a message.
func (h *Handler) post(w http.ResponseWriter, r *http.Request, who visitor) {
	if !understood(w, r) || !h.enter(w, &who) {
		return
	}
	defer h.leave(&who)
	p := h.receive(w, r, who)
	if p == nil {
		return
	}
	switch p.era {
	case modern:
		p.modern()
	case opening:
		p.open()
	case alone:
		p.once(p.revision, false)
	default:
		p.session(p.decision.session)
	}
}

// understood reports whether a request is in the form that the transport has, and its
// answer may be. Where not, it answers.
func understood(w http.ResponseWriter, r *http.Request) bool {
	if !isJSON(r.Header.Get("Content-Type")) {
		refuse(w, http.StatusUnsupportedMediaType, "Content-Type must be application/json")
		return false
	}
	if plain, events := acceptable(r.Header); !plain || !events {
		refuse(w, http.StatusNotAcceptable, "Accept must list application/json and text/event-stream")
		return false
	}
	return true
}

// receive reads a message. Where it cannot be answered it says so, and returns nil.
//
// It is apart from what answers, as are others here that prepare for that: an answer
// may be a stream that is held for long, one of thousands, and what is only needed
// before would double its stack.
func (h *Handler) receive(w http.ResponseWriter, r *http.Request, who visitor) *posted {
	control := http.NewResponseController(w)
	in, ok := h.parse(w, r, control)
	if !ok {
		return nil
	}
	d := decide(r.Header, in.Message(), h.sessionless)
	if d.status != 0 {
		fail(w, d.status, idOf(in.Message()), d.err)
		in.Drop()
		return nil
	}
	p := &posted{
		Handler: h, decision: d, who: who, w: w, r: r, control: control, in: in,
		from: link.Caller{Values: r.Context(), Header: r.Header, Client: who.client},
	}
	if h.principal != nil {
		p.from.Principal = who.Principal
	}
	return p
}

// idOf returns the id of a request. That of a response is not one to reply to.
func idOf(m *jsonrpc.Message) jsonrpc.ID {
	if m.Kind == jsonrpc.Response {
		return noID
	}
	return m.ID
}

// parse reads a message. Where it cannot, it answers and reports false.
func (h *core) parse(w http.ResponseWriter, r *http.Request, control *http.ResponseController) (link.Inbound, bool) {
	in := h.host.Inbound()
	text, ok := h.read(w, r, control, in)
	if ok {
		err := in.Parse(text)
		if err == nil {
			return in, true
		}
		fail(w, http.StatusBadRequest, idOf(in.Message()), err)
	}
	in.Drop()
	return nil, false
}

// read reads the body of a request. Where it cannot, it answers and reports false.
func (h *core) read(w http.ResponseWriter, r *http.Request, control *http.ResponseController, in link.Inbound) ([]byte, bool) {
	limit := h.host.Limits().MessageBytes
	if r.ContentLength > int64(limit) {
		tooLarge(w, limit)
		return nil, false
	}
	// What is said to come is made room for at once, if it is not much.
	b, ok := roomFor(in, in.Buffer(), int(min(max(r.ContentLength, 0), keptBuffer))+1)
	if !ok {
		overloaded(w, noID, errNoRoom)
		return nil, false
	}
	_ = control.SetReadDeadline(time.Now().Add(h.limits.ReadTime))
	for {
		if len(b) == cap(b) {
			if b, ok = roomFor(in, b, min(2*len(b), limit+1)); !ok {
				overloaded(w, noID, errNoRoom)
				return nil, false
			}
		}
		n, err := r.Body.Read(b[len(b):cap(b)])
		b = b[:len(b)+n]
		switch {
		case len(b) > limit:
			tooLarge(w, limit)
			return nil, false
		case err == io.EOF:
			// The deadline stays until somebody has to wait: see response.write. An
			// http.Server sets it anew for the next request.
			return b, true
		case errors.Is(err, os.ErrDeadlineExceeded):
			if r.ProtoMajor == 1 { // of HTTP/2 it would end all other requests
				w.Header().Set("Connection", "close")
			}
			refuse(w, http.StatusRequestTimeout, "the body did not arrive within "+h.limits.ReadTime.String())
			return nil, false
		case err != nil:
			if e, ok := errors.AsType[*http.MaxBytesError](err); ok { // of middleware
				tooLarge(w, int(e.Limit))
				return nil, false
			}
			refuse(w, http.StatusBadRequest, "the body could not be read")
			return nil, false
		}
	}
}

// roomFor moves a body to storage of at least that size, unless it is in such. It
// reports false if the server has no room for that.
func roomFor(in link.Inbound, b []byte, size int) ([]byte, bool) {
	grown := b
	if size > cap(b) {
		if size = lend.Size(size); !in.Room(size) {
			return b, false
		}
		grown = append(lend.Get(size), b...)
		lend.Put(b)
	}
	return grown, in.Room(cap(grown))
}

func tooLarge(w http.ResponseWriter, limit int) {
	refuse(w, http.StatusRequestEntityTooLarge, "the message has more than "+strconv.Itoa(limit)+" bytes")
}

// posted is a message that was posted.
type posted struct {
	*Handler
	decision
	who     visitor
	w       http.ResponseWriter
	r       *http.Request
	control *http.ResponseController
	in      link.Inbound
	from    link.Caller
}

// modern answers a message of a revision without sessions.
func (p *posted) modern() {
	m := p.in.Message()
	if m.Kind != jsonrpc.Request {
		p.once(nil, true)
		return
	}
	var params []link.HeaderParam
	if string(m.Method) == protocol.ToolsCall.String() {
		if name, ok := jsonrpc.String(m.Params.Get("name")); ok {
			params = p.host.HeaderParams(name)
		}
	}
	if err := checkMirrors(p.r.Header, m, params); err != nil {
		fail(p.w, http.StatusBadRequest, m.ID, err)
		p.in.Drop()
		return
	}
	if string(m.Method) == protocol.Listen.String() {
		if !canFlush(p.w) {
			fail(p.w, http.StatusInternalServerError, m.ID, &jsonrpc.Error{Code: jsonrpc.CodeInternal, Message: errNoFlush})
			p.in.Drop()
			return
		}
		if !p.stand(&p.who) {
			overloaded(p.w, m.ID, "overloaded: too many standing streams")
			p.in.Drop()
			return
		}
		defer p.sit(&p.who)
	}
	p.once(nil, true)
}

// once answers a message that belongs to no session. The revision is that of a
// request that does not name it itself.
func (p *posted) once(rev *protocol.Revision, modern bool) {
	conn := p.host.Open(p.r.Context(), link.Options{Once: true, Revision: rev, Ended: p.ended})
	answer, reader := p.hand(conn, modern)
	if answer == nil {
		empty(p.w, http.StatusAccepted)
		return
	}
	if answer.write(reader) {
		return
	}
	select {
	case <-p.closed:
		conn.Close()
	default:
		conn.Cancel() // by which the client has cancelled it
	}
}

// hand hands the message to a connection that has no session. The answer is nil where
// there will be none.
func (p *posted) hand(conn link.Conn, modern bool) (*response, *reader) {
	s := newStream(nil, p.host.Limits().QueueBytes, p.memory)
	reader := s.attach()
	p.from.Values = nil // they are the connection's
	if !conn.Take(p.in, p.from, s) {
		return nil, nil
	}
	return &response{h: &p.core, w: p.w, r: p.r, control: p.control, s: s, modern: modern}, reader
}

// open answers initialize, which opens a session.
func (p *posted) open() {
	m := p.in.Message()
	se := p.sessions.open(p.host, &p.who, true)
	if se == nil {
		overloaded(p.w, m.ID, "overloaded: too many sessions")
		p.in.Drop()
		return
	}
	se.begin()
	defer se.end()
	if known := p.exchange(se, se); !known || se.conn.Negotiated() == nil {
		p.sessions.end(se)
	}
}

// session answers a message of a session.
func (p *posted) session(id string) {
	m := p.in.Message()
	se := p.sessions.find(id, p.who.ID)
	if se == nil || !se.begin() {
		fail(p.w, http.StatusNotFound, idOf(m), errNoSession)
		p.in.Drop()
		return
	}
	defer se.end()
	if rev := se.conn.Negotiated(); m.Kind == jsonrpc.Batch && (rev == nil || !rev.Fields.Batches) {
		refuse(p.w, http.StatusBadRequest, "batches are not part of this protocol revision")
		p.in.Drop()
		return
	}
	p.exchange(se, nil)
}

// exchange hands a message to a session and writes the answer. The handler goes on
// where the client does not wait for it. It reports false if the client cannot have
// seen anything of the answer.
func (p *posted) exchange(se, opened *session) (seen bool) {
	s := newStream(se, p.host.Limits().QueueBytes, p.memory)
	reader := s.attach()
	if !se.conn.Take(p.in, p.from, s) {
		empty(p.w, http.StatusAccepted)
		return true
	}
	rev := se.conn.Negotiated()
	answer := response{
		h: &p.core, w: p.w, r: p.r, control: p.control, s: s, opened: opened, over: se.done,
		identified: true, priming: rev != nil && rev.Fields.Polling,
	}
	return answer.write(reader) || answer.started
}
