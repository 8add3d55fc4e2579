package hardening_test

import (
	"bufio"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"regexp"
	"strings"
	"sync"
)

// httpLink is a client of streamable HTTP, or of HTTP+SSE.
type httpLink struct {
	s      *site
	in     *inbox
	era    era
	who    string
	client *http.Client

	session  string // id of its session
	endpoint string // for HTTP+SSE
	stream   *delivery

	mu      sync.Mutex
	conns   []net.Conn
	cancels []func()
}

func dialHTTP(s *site, in *inbox, who string) (link, error) {
	return newHTTPLink(s, in, who), nil
}

func newHTTPLink(s *site, in *inbox, who string) *httpLink {
	l := &httpLink{s: s, in: in, era: s.target.era, who: who, endpoint: "/mcp"}
	l.client = &http.Client{Transport: &http.Transport{
		DisableCompression: true, MaxIdleConnsPerHost: 4,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			c, err := s.net.Dial(ctx)
			if err == nil {
				l.mu.Lock()
				defer l.mu.Unlock()
				l.conns = append(l.conns, c)
			}
			return c, err
		},
	}}
	return l
}

// dialSSE opens the stream of HTTP+SSE, whose first event contains the URL for POST.
func dialSSE(s *site, in *inbox, who string) (link, error) {
	l := newHTTPLink(s, in, who)
	l.stream = l.get()
	in.running.Go(func() {
		<-l.stream.done
		in.end()
	})
	m, ok := in.find(patience, func(m message) bool { return m.event == "endpoint" })
	if !ok {
		l.vanish()
		<-l.stream.done
		return nil, fmt.Errorf("no endpoint: status %d, %w", l.stream.status, l.stream.err)
	}
	l.endpoint += m.raw
	return l, nil
}

func (l *httpLink) send(p parcel) *delivery {
	body := p.body
	if body == nil {
		body = strings.NewReader(p.text)
	}
	head := l.head("application/json, text/event-stream")
	head.Set("Content-Type", "application/json")
	if l.era == modern {
		mirror(head, p.text)
	}
	setFields(head, p.fields)
	return l.do(http.MethodPost, body, head)
}

// get opens the standalone stream, or resumes one.
func (l *httpLink) get(fields ...string) *delivery {
	head := l.head("text/event-stream")
	setFields(head, fields)
	return l.do(http.MethodGet, nil, head)
}

// delete closes the session.
func (l *httpLink) delete(fields ...string) *delivery {
	head := l.head("*/*")
	setFields(head, fields)
	return l.do(http.MethodDelete, nil, head)
}

func (l *httpLink) head(accept string) http.Header {
	head := http.Header{"Accept": {accept}, "Authorization": {l.s.credential(l.who)}, "X-Test": {l.s.marked(l.who)}, "X-Client": {l.s.stated}}
	switch {
	case l.s.target.name == httpSSE:
	case l.era == modern:
		head.Set("Mcp-Protocol-Version", "2026-07-28")
	case l.session != "":
		head.Set("Mcp-Session-Id", l.session)
		head.Set("Mcp-Protocol-Version", "2025-11-25")
	}
	return head
}

// do sends a request, and reads the answer as it arrives.
func (l *httpLink) do(method string, body io.Reader, head http.Header) *delivery {
	ctx, cancel := context.WithCancel(l.s.ctx)
	l.mu.Lock()
	l.cancels = append(l.cancels, cancel)
	l.mu.Unlock()
	d := newDelivery(cancel)
	req, err := http.NewRequestWithContext(ctx, method, "http://"+l.s.addr+l.endpoint, body)
	if err != nil {
		return delivered(err)
	}
	if req.Host = head.Get("Host"); req.Host != "" {
		delete(head, "Host")
	}
	req.Header = head
	l.in.running.Go(func() {
		defer cancel()
		defer close(d.done)
		l.read(req, d)
	})
	if head.Get("Mcp-Session-Id") == "" && l.endpoint == "/mcp" && l.era == legacy && method == http.MethodPost {
		<-d.answered // the response may contain the session id
	}
	return d
}

// read reads an answer.
func (l *httpLink) read(req *http.Request, d *delivery) {
	resp, err := l.client.Do(req)
	if err != nil {
		d.refused, d.err = err, err
		close(d.answered)
		return
	}
	defer resp.Body.Close()
	if id := resp.Header.Get("Mcp-Session-Id"); id != "" {
		l.session = id
	}
	d.status, d.kind = resp.StatusCode, resp.Header.Get("Content-Type")
	close(d.answered)
	if strings.HasPrefix(d.kind, "text/event-stream") {
		d.err = readEvents(resp.Body, l.in)
		return
	}
	l.in.listen()
	text, err := io.ReadAll(resp.Body)
	if d.err = err; err == nil && len(text) > 0 {
		l.in.add(parse(string(text)))
	}
}

func (l *httpLink) vanish() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, cancel := range l.cancels {
		cancel()
	}
	for _, c := range l.conns {
		_ = c.Close()
	}
	l.client.CloseIdleConnections()
}

// readEvents reads an event stream until it ends (HTML standard, server-sent events).
func readEvents(r io.Reader, in *inbox) error {
	lines := bufio.NewReader(r)
	kind, data, id := "", "", ""
	for {
		in.listen()
		line, err := lines.ReadString('\n')
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ":")
		value = strings.TrimPrefix(value, " ")
		switch name {
		case "event":
			kind = value
		case "data":
			data += value
		case "id":
			id = value
		}
		if line != "\n" {
			continue
		}
		switch {
		case kind == "endpoint":
			in.add(message{raw: data, event: kind, Method: kind, signal: true})
		case data != "":
			m := parse(data)
			m.event = id
			in.add(m)
		case id != "":
			in.add(message{event: id, Method: "priming", signal: true})
		}
		kind, data = "", ""
	}
}

// setFields sets header fields: "Name: value" sets one, "-Name" removes one.
func setFields(head http.Header, fields []string) {
	seen := map[string]bool{}
	for _, f := range fields {
		name, value, _ := strings.Cut(f, ":")
		name = http.CanonicalHeaderKey(name)
		value = strings.TrimPrefix(value, " ")
		switch {
		case strings.HasPrefix(f, "-"):
			head.Del(f[1:])
		case seen[name]:
			head.Add(name, value)
		default:
			head.Set(name, value)
		}
		seen[name] = true
	}
}

var (
	methodOf = regexp.MustCompile(`"method":("(?:[^"\\]|\\.)*")`)
	nameOf   = regexp.MustCompile(`"name":("(?:[^"\\]|\\.)*")`)
	uriOf    = regexp.MustCompile(`"uri":("(?:[^"\\]|\\.)*")`)
)

// mirror sets the header fields that a client of the revision sends with a message. It reads only
// these parts of the message, so that errors in other parts get through.
func mirror(head http.Header, text string) {
	method := first(methodOf, text)
	name := ""
	switch method {
	case "":
		return
	case "tools/call", "prompts/get":
		name = first(nameOf, text)
	case "resources/read":
		name = first(uriOf, text)
	}
	head.Set("Mcp-Method", headerValue(method))
	if name != "" {
		head.Set("Mcp-Name", headerValue(name))
	}
}

func first(pattern *regexp.Regexp, text string) (value string) {
	if found := pattern.FindStringSubmatch(text); found != nil {
		_ = json.Unmarshal([]byte(found[1]), &value)
	}
	return value
}

// headerValue encodes a value for a header field.
func headerValue(text string) string {
	for _, r := range text {
		if r < ' ' || r > '~' {
			return "=?base64?" + base64.StdEncoding.EncodeToString([]byte(text)) + "?="
		}
	}
	return text
}
