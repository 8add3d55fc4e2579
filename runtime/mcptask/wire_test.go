package mcptask_test

import (
	"bufio"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/internal/proof/spec"
	"github.com/mcpgen/mcpgen/runtime/internal/testbed"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcphttp"
	"github.com/mcpgen/mcpgen/runtime/mcptask"
	"github.com/mcpgen/mcpgen/runtime/mcpws"
)

const (
	extension = "2026-07-28" // the revisions with tasks
	session25 = "2025-11-25"
)

// transport is a transport of these tests, with its revisions.
type transport struct {
	name      string
	revisions []string
	dial      func(w *peer, s *mcp.Server, principal string)
}

var transports = []transport{
	{"memory", []string{extension, session25}, dialMemory},
	{"stdio", []string{extension, session25}, dialStdio},
	{"websocket", []string{extension, session25}, dialWebSocket},
	{"http", []string{extension}, dialHTTP},
	{"http session", []string{session25}, dialHTTP},
	{"sse", []string{session25}, dialSSE},
}

// onEachTransport runs a test on each transport, in each of its revisions.
func onEachTransport(t *testing.T, test func(t *testing.T, open func(s *mcp.Server, principal string) *peer)) {
	for _, transport := range transports {
		for _, revision := range transport.revisions {
			t.Run(transport.name+"/"+revision, func(t *testing.T) {
				test(t, func(s *mcp.Server, principal string) *peer { return transport.open(t, revision, s, principal) })
			})
		}
	}
}

// open connects a client, until the test ends.
func (tr *transport) open(t *testing.T, revision string, s *mcp.Server, principal string) *peer {
	w := &peer{t: t, revision: revision, transport: tr.name, messages: make(chan string, 100), tap: spec.NewTap(t).Conversation()}
	tr.dial(w, s, principal)
	if revision == session25 {
		w.ask("initialize", `"protocolVersion":"2025-11-25","clientInfo":{"name":"c","version":"1"},"capabilities":{"elicitation":{}}`)
		w.put(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	}
	return w
}

// peer is a client that sends messages unchanged.
type peer struct {
	t                   *testing.T
	transport, revision string
	last                int
	messages            chan string
	before              []string // that arrived before a reply
	tap                 *spec.Conversation
	measured            bool // only the transport is measured

	// post sends a message. If the message has its own response, head is called with its status and
	// header.
	post    func(text string, head func(string))
	session string
	url     string
	as      string
}

func (w *peer) put(text string) {
	w.t.Helper()
	w.tap.Client(text)
	w.post(text, func(string) {})
}

// request returns a request as text.
func (w *peer) request(method, params string) string {
	w.last++
	return w.requestAs(w.last, method, params)
}

func (w *peer) requestAs(id int, method, params string) string {
	if w.revision == extension {
		meta := `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":` + withTasks + `}`
		if params != "" {
			params += ","
		}
		params += meta
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"%s","params":{%s}}`, id, method, params)
}

// ask sends a request and returns its reply.
func (w *peer) ask(method, params string) string {
	w.t.Helper()
	text := w.request(method, params)
	w.put(text)
	return w.reply(w.last)
}

// exchange is like ask with the head of the response, for a request with this id.
func (w *peer) exchange(id int, method, params string) string {
	w.t.Helper()
	text := w.requestAs(id, method, params)
	w.tap.Client(text)
	head := make(chan string, 1)
	w.post(text, func(text string) { head <- text })
	reply := w.reply(id)
	if strings.HasPrefix(w.transport, "http") || w.transport == "sse" {
		return testbed.Await(w.t, head, "the head of the response") + "\n" + reply
	}
	return reply
}

func (w *peer) reply(id int) string {
	w.t.Helper()
	for i, message := range w.before {
		if isReply(message, id) {
			w.before = slices.Delete(w.before, i, i+1)
			return message
		}
	}
	for {
		message := w.receive()
		if isReply(message, id) {
			return message
		}
		w.before = append(w.before, message)
	}
}

func isReply(message string, id int) bool {
	var m struct {
		ID     *int
		Method string
	}
	err := json.Unmarshal([]byte(message), &m)
	return err == nil && m.Method == "" && m.ID != nil && *m.ID == id
}

func (w *peer) receive() string {
	w.t.Helper()
	return testbed.Await(w.t, w.messages, "a message on "+w.transport)
}

// find returns the first message that contains a text, received or to come.
func (w *peer) find(text string) string {
	w.t.Helper()
	for i, message := range w.before {
		if strings.Contains(message, text) {
			w.before = slices.Delete(w.before, i, i+1)
			return message
		}
	}
	for {
		if message := w.receive(); strings.Contains(message, text) {
			return message
		} else {
			w.before = append(w.before, message)
		}
	}
}

func (w *peer) deliver(message string) {
	if !w.measured {
		w.tap.Server(message)
	}
	w.messages <- message
}

// begin calls a tool, whose call becomes a task.
func (w *peer) begin(tool string) string {
	w.t.Helper()
	params := `"name":"` + tool + `"`
	if w.revision == session25 {
		params += `,"task":{}`
	}
	return between(w.t, w.ask("tools/call", params), `"taskId":"`, `"`)
}

// stream is a connection with messages in both directions.
func (w *peer) stream(write func(text string) error) {
	w.post = func(text string, head func(string)) {
		if err := write(text); err != nil {
			w.t.Error(err)
		}
	}
}

func callerContext(principal string) context.Context {
	if principal == "" {
		return context.Background()
	}
	return mcp.CallerContext(context.Background(), mcp.Principal{ID: principal}, nil)
}

func dialMemory(w *peer, s *mcp.Server, principal string) {
	conn, wait := s.Connect(callerContext(principal))
	w.stream(func(text string) error { return conn.Write([]byte(text + "\n")) })
	w.readAll(conn)
	w.t.Cleanup(func() { conn.Close(); _ = wait() })
}

func dialStdio(w *peer, s *mcp.Server, principal string) {
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = s.Serve(callerContext(principal), jsonrpc.NewLineConn(in, out, 1<<20))
	}()
	w.stream(func(text string) error { _, err := io.WriteString(toServer, text+"\n"); return err })
	w.readAll(jsonrpc.NewLineConn(fromServer, nil, 1<<20))
	w.t.Cleanup(func() { toServer.Close(); fromServer.Close(); <-done })
}

func (w *peer) readAll(conn interface{ Read() ([]byte, error) }) {
	go func() {
		for {
			message, err := conn.Read()
			if err != nil {
				return
			}
			w.deliver(string(message))
		}
	}()
}

// principalOf finds the principal of a request over HTTP.
func principalOf(r *http.Request) (mcp.Principal, error) {
	who := r.Header.Get("Authorization")
	if who == "" {
		return mcp.Principal{}, errors.New("who?")
	}
	return mcp.Principal{ID: who}, nil
}

// servers are the HTTP servers of servers, so that two clients share one.
var servers sync.Map

// serve returns the URL of an HTTP server, which stops with the test.
func serve(t *testing.T, key any, handler func() http.Handler) string {
	t.Helper()
	if url, ok := servers.Load(key); ok {
		return url.(string)
	}
	server := httptest.NewServer(handler())
	servers.Store(key, server.URL)
	t.Cleanup(func() {
		servers.Delete(key)
		server.CloseClientConnections()
		server.Close()
	})
	return server.URL
}

func dialHTTP(w *peer, s *mcp.Server, principal string) {
	w.as = principal
	w.url = serve(w.t, s, func() http.Handler { return mcphttp.NewHandler(s, mcphttp.WithPrincipal(principalOf)) })
	w.post = func(text string, head func(string)) {
		w.do(http.MethodPost, w.url, text, head)
	}
}

// do sends a request, and reads its response in the background.
func (w *peer) do(method, url, text string, head func(string)) {
	var m struct {
		Method string
		Params struct {
			Name   string
			TaskID string
		}
	}
	_ = json.Unmarshal([]byte(text), &m)
	ctx, cancel := context.WithCancel(context.Background())
	r, err := http.NewRequestWithContext(ctx, method, url, strings.NewReader(text))
	if method == http.MethodGet {
		r, err = http.NewRequestWithContext(ctx, method, url, nil)
	}
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(cancel)
	h := r.Header
	h.Set("Accept", "application/json, text/event-stream")
	h.Set("Content-Type", "application/json")
	h.Set("Authorization", either(w.as, "anyone"))
	if w.transport != "sse" && m.Method != "initialize" {
		h.Set("MCP-Protocol-Version", w.revision)
	}
	if w.session != "" {
		h.Set("Mcp-Session-Id", w.session)
	}
	if w.revision == extension {
		h.Set("Mcp-Method", m.Method)
		if name := m.Params.Name + m.Params.TaskID; name != "" {
			h.Set("Mcp-Name", name)
		}
	}
	done := make(chan struct{})
	go func() {
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			if ctx.Err() == nil {
				w.messages <- err.Error()
			}
			close(done)
			return
		}
		defer resp.Body.Close()
		if id := resp.Header.Get("Mcp-Session-Id"); m.Method == "initialize" {
			w.session = id
		}
		close(done)
		head(headOf(resp))
		if strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream") {
			w.events(resp.Body)
			return
		}
		if body, err := io.ReadAll(resp.Body); err == nil && len(body) > 0 {
			w.deliver(strings.TrimSpace(string(body)))
		}
	}()
	if m.Method == "initialize" || strings.HasPrefix(m.Method, "notifications/") {
		<-done
	}
}

func either(one, other string) string {
	if one != "" {
		return one
	}
	return other
}

// headOf returns the status and the header of a response, without its date.
func headOf(resp *http.Response) string {
	resp.Header.Del("Date")
	var b strings.Builder
	b.WriteString(resp.Status + "\n")
	_ = resp.Header.Write(&b)
	return b.String()
}

// events reads an event stream.
func (w *peer) events(body io.Reader) {
	lines := bufio.NewScanner(body)
	lines.Buffer(nil, 1<<20)
	event := ""
	for lines.Scan() {
		name, value, _ := strings.Cut(lines.Text(), ":")
		value = strings.TrimPrefix(value, " ")
		switch {
		case name == "event":
			event = value
		case name == "data" && event == "endpoint":
			w.messages <- value
		case name == "data" && value != "":
			w.deliver(value)
		case name == "":
			event = ""
		}
	}
}

func dialSSE(w *peer, s *mcp.Server, principal string) {
	w.as = principal
	url := serve(w.t, s, func() http.Handler { return mcphttp.NewSSEHandler(s, mcphttp.WithPrincipal(principalOf)) })
	w.do(http.MethodGet, url, "", func(string) {})
	endpoint := w.receive()
	w.post = func(text string, head func(string)) { w.do(http.MethodPost, url+endpoint, text, head) }
}

func dialWebSocket(w *peer, s *mcp.Server, principal string) {
	url := serve(w.t, s, func() http.Handler { return mcpws.NewHandler(s, mcpws.WithPrincipal(principalOf)) })
	address := strings.TrimPrefix(url, "http://")
	conn, err := net.Dial("tcp", address)
	if err != nil {
		w.t.Fatal(err)
	}
	_, err = io.WriteString(conn, "GET / HTTP/1.1\r\nHost: "+address+"\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"+
		"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: mcp\r\nAuthorization: "+either(principal, "anyone")+"\r\n\r\n")
	r := bufio.NewReader(conn)
	resp, failed := http.ReadResponse(r, nil)
	if err := errors.Join(err, failed); err != nil || resp.StatusCode != http.StatusSwitchingProtocols {
		w.t.Fatal(err, resp)
	}
	w.stream(func(text string) error { _, err := conn.Write(testbed.MaskedFrame(0x81, text)); return err })
	w.t.Cleanup(func() { conn.Close() })
	go func() {
		for {
			kind, payload, err := readFrame(r)
			if err != nil {
				return
			}
			if kind == 0x81 {
				w.deliver(string(payload))
			}
		}
	}()
}

// readFrame reads a frame of a server, which is not masked and not split.
func readFrame(r io.Reader) (kind byte, payload []byte, err error) {
	var head [2]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return 0, nil, err
	}
	size := int(head[1])
	if size == 126 {
		var more [2]byte
		if _, err := io.ReadFull(r, more[:]); err != nil {
			return 0, nil, err
		}
		size = int(binary.BigEndian.Uint16(more[:]))
	}
	payload = make([]byte, size)
	_, err = io.ReadFull(r, payload)
	return head[0], payload, err
}

// settled waits until a condition holds.
func settled(holds func() bool) {
	for !holds() {
		time.Sleep(5 * time.Millisecond)
	}
}

// Over HTTP a request for a task gets status 503 while the store fails, so that clients send it
// again.
func TestStatusOfFailingStore(t *testing.T) {
	p := newProcess(t, mcptask.NewMemory())
	add(p.Server, "now", mcptask.Support{}, func(context.Context) (string, error) { return "done", nil })
	id := connect(t, p.Server).begin("now")
	h := mcphttp.NewHandler(p.Server)
	defer h.Close()
	ask := func(method, more string) *httptest.ResponseRecorder {
		body := `{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",` +
			`"io.modelcontextprotocol/clientCapabilities":{"extensions":{"io.modelcontextprotocol/tasks":{}}}},"taskId":"` + id + `"` + more + `}}`
		r := httptest.NewRequest(http.MethodPost, "http://localhost/mcp", strings.NewReader(body))
		for name, value := range map[string]string{
			"Content-Type": "application/json", "Accept": "application/json, text/event-stream",
			"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": method, "Mcp-Name": id,
		} {
			r.Header.Set(name, value)
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return w
	}
	for _, method := range []string{"tasks/get", "tasks/update", "tasks/cancel"} {
		more := ""
		if method == "tasks/update" {
			more = `,"inputResponses":{"a":{"action":"decline"}}`
		}
		p.store.failing("get", true)
		w := ask(method, more)
		if w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") != "1" || !strings.Contains(w.Body.String(), `"reason":"task store"`) {
			t.Errorf("%s: status %d, header %v, %s", method, w.Code, w.Header(), w.Body)
		}
		p.store.failing("get", false)
		if w := ask(method, more); w.Code == http.StatusServiceUnavailable {
			t.Errorf("%s afterwards: status %d, %s", method, w.Code, w.Body)
		}
	}
}
