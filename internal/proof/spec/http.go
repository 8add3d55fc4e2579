package spec

import (
	"bufio"
	"bytes"
	"io"
	"net/http"
	"strings"
	"sync"
)

// InvalidField is the header field of a request whose message deliberately violates the schema. It
// is removed before the handler.
const InvalidField = "Test-Invalid: true"

// PerhapsField is InvalidField for a message that may violate the schema.
const PerhapsField = "Test-Invalid: perhaps"

// Handler returns middleware that validates the messages which a handler of streamable HTTP or of
// HTTP with SSE reads and writes. It ignores metadata, which a guard serves beside the endpoint.
func (p *Tap) Handler(h http.Handler) http.Handler {
	if p.all == nil {
		return h
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/.well-known/") {
			h.ServeHTTP(w, r)
			return
		}
		x := &exchange{conversation: p.conversationOf(r), ResponseWriter: w, said: map[string]mark{"true": marked, "perhaps": perhaps}[r.Header.Get("Test-Invalid")]}
		r.Header.Del("Test-Invalid")
		if r.Body != nil && r.Body != http.NoBody && r.Method == http.MethodPost {
			r.Body = &teeBody{ReadCloser: r.Body, length: r.ContentLength, whole: x.asked, drop: x.conversation.lose}
		}
		h.ServeHTTP(x, r)
		x.begin(x.Header())
		x.end() // a message that a panic has cut is not validated
	})
}

// exchange is one HTTP request and its response.
type exchange struct {
	http.ResponseWriter
	conversation *Conversation
	said         mark // of the request

	mu     sync.Mutex
	began  bool
	events bool
	skip   bool // the response is not a message
	failed bool // the client does not get the whole response
	rest   []byte
}

// Unwrap is for http.ResponseController.
func (x *exchange) Unwrap() http.ResponseWriter { return x.ResponseWriter }

func (x *exchange) WriteHeader(status int) {
	if status >= 200 {
		x.begin(x.Header())
	}
	x.ResponseWriter.WriteHeader(status)
}

func (x *exchange) Write(b []byte) (int, error) {
	x.begin(x.Header())
	n, err := x.ResponseWriter.Write(b)
	x.written(b[:n], err)
	return n, err
}

// conversationOf returns the conversation of a request: of its session, or a new one.
func (p *Tap) conversationOf(r *http.Request) *Conversation {
	p.mu.Lock()
	defer p.mu.Unlock()
	version := r.Header.Get("Mcp-Protocol-Version")
	for _, key := range []string{r.Header.Get("Mcp-Session-Id"), r.URL.RawQuery} {
		if c := p.scopes[key]; c != nil && version != newest {
			return c
		}
	}
	c := p.Conversation()
	c.http = true
	if p.all[version] != nil {
		c.hint = version
	}
	return c
}

// asked validates the body of the request. A body that arrives after the response belongs to a
// request that was refused before it was read.
func (x *exchange) asked(text []byte) {
	x.mu.Lock()
	refused := x.began
	x.mu.Unlock()
	if !refused {
		x.conversation.take(client, text, x.said)
	}
}

// begin checks the header of the response.
func (x *exchange) begin(header http.Header) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.began {
		return
	}
	x.began = true
	kind := header.Get("Content-Type")
	x.events = strings.HasPrefix(kind, "text/event-stream")
	x.skip = header.Get("Content-Encoding") != "" || (!x.events && !strings.HasPrefix(kind, "application/json"))
	if session := header.Get("Mcp-Session-Id"); session != "" {
		x.name(session)
	}
}

// name assigns later requests of a session to the same conversation.
func (x *exchange) name(session string) {
	p := x.conversation.tap
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.scopes[session] == nil {
		p.scopes[session] = x.conversation
	}
}

func (x *exchange) written(b []byte, err error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.failed = x.failed || err != nil
	if x.skip {
		return
	}
	if len(x.rest)+len(b) > longestBody {
		x.skip, x.rest = true, nil
		return
	}
	x.rest = append(x.rest, b...)
	for x.events {
		event, rest, ok := bytes.Cut(x.rest, []byte("\n\n"))
		if !ok {
			return
		}
		x.rest = rest
		x.event(event)
	}
}

// event validates an event of a stream.
func (x *exchange) event(text []byte) {
	var kind string
	var data []string
	lines := bufio.NewScanner(bytes.NewReader(text))
	lines.Buffer(nil, len(text)+1)
	for lines.Scan() {
		name, value, _ := strings.Cut(lines.Text(), ":")
		value = strings.TrimPrefix(value, " ")
		switch name {
		case "event":
			kind = value
		case "data":
			data = append(data, value)
		}
	}
	message := strings.Join(data, "\n")
	switch {
	case kind == "endpoint":
		if _, query, ok := strings.Cut(message, "?"); ok {
			x.conversation.hint = revisions[0]
			x.name(query)
		}
	case message != "":
		x.conversation.take(server, []byte(message), unmarked)
	}
}

// end validates the rest of the response.
func (x *exchange) end() {
	x.mu.Lock()
	defer x.mu.Unlock()
	if !x.skip && !x.events && !x.failed && len(bytes.TrimSpace(x.rest)) > 0 {
		x.conversation.take(server, x.rest, unmarked)
	}
}

// longestBody limits the stored bytes of a message, so that tests that measure memory can use a
// tap.
const longestBody = 1 << 20

// teeBody stores the bytes that are read from a body, and passes them on at the end.
type teeBody struct {
	io.ReadCloser
	length int64 // -1 if unknown
	whole  func(text []byte)
	drop   func() // called if it is too long to store

	read []byte
	done bool
}

func (b *teeBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if b.length > longestBody || len(b.read)+n > longestBody {
		b.read, b.done = nil, true
		b.drop()
	}
	if b.done {
		return n, err
	}
	b.read = append(b.read, p[:n]...)
	if err == io.EOF || int64(len(b.read)) == b.length {
		b.done = true
		b.whole(b.read)
	}
	return n, err
}
