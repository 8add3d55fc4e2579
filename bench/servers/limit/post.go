package limit

import (
	"context"
	"io"
)

// Client is one client of a transport with a separate response for each request.
type Client struct{ client }

// NewClient returns a client without calls in flight.
func NewClient() *Client { return &Client{client{calls: map[string]*call{}}} }

// Post is one message of such a transport.
type Post struct{ call }

// Receive reads a message to the end of r. failed is "" for a valid message, or an error text. The
// caller must call End.
func Receive(r io.Reader, size int64) (p *Post, failed string) {
	b := pool.Get().(*buffers)
	p = &Post{call{b: b}}
	if size > maxLine {
		return p, "message too long"
	}
	in := b.in[:0]
	for {
		if len(in) == cap(in) {
			in = append(in, 0)[:len(in)]
		}
		n, err := r.Read(in[len(in):cap(in)])
		in = in[:len(in)+n]
		b.in = in
		switch {
		case len(in) > maxLine:
			return p, "message too long"
		case err == io.EOF:
			return p, b.parse(&p.m)
		case err != nil:
			return p, "message cannot be read"
		}
	}
}

// End releases the buffers of the post.
func (p *Post) End() {
	b := p.b
	p.b, p.m = nil, message{}
	b.drop()
}

// ID returns the unchanged id of a request, or nil for a notification. It is valid until End, like
// the other parts.
func (p *Post) ID() []byte { return p.m.id }

// Method returns the method.
func (p *Post) Method() []byte { return p.m.method }

// Version returns the revision that the message itself names.
func (p *Post) Version() []byte { return p.m.version }

// Modern reports whether _meta of the message contains revision and capabilities.
func (p *Post) Modern() bool { return p.m.modern }

// Name returns the name of the tool or the URI of the resource of the request.
func (p *Post) Name() []byte {
	if p.m.uri != nil {
		return p.m.uri
	}
	return p.m.name
}

// Notify handles a notification.
func (cl *Client) Notify(p *Post) {
	if string(p.m.method) == "notifications/cancelled" {
		cl.cancel(p.m.cancel)
	}
}

// Answer returns the reply, valid until the end of the post, or nil if the client has cancelled the
// call. It passes earlier notifications to notify. The call also ends with ctx, unless that is nil.
func (s *Server) Answer(ctx context.Context, cl *Client, p *Post, notify func([]byte)) []byte {
	c, b := &p.call, p.b
	if quick(c.m.method) {
		b.out = s.answer(b.out[:0], c)
		return b.out
	}
	c.tell = func(_ context.Context, done, total float64, message string) {
		if c.m.token != nil {
			b.value = appendProgress(b.value[:0], c.m.token, done, total, message)
			notify(b.value)
		}
	}
	if failed := cl.enter(c); failed != "" {
		return appendError(b.out[:0], c.m.id, -32600, failed)
	}
	if ctx != nil {
		defer context.AfterFunc(ctx, c.cancel)()
	}
	b.out = s.answer(b.out[:0], c)
	if !cl.leave(c) {
		return nil
	}
	return b.out
}
