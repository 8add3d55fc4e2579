package values

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/coder/websocket"

	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcphttp"
	"github.com/mcpgen/mcpgen/runtime/mcpnet"
	"github.com/mcpgen/mcpgen/runtime/mcpws"
)

// client calls a running server, one request at a time.
type client struct {
	name string
	// exchange sends a message and returns its response, nil for a notification.
	exchange func(message []byte) ([]byte, error)
	meta     string // a member of params, with a comma after it
	next     int64
}

const (
	legacy = "2025-11-25"
	modern = "2026-07-28"
)

const modernMeta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"` + modern + `","io.modelcontextprotocol/clientCapabilities":{}},`

// connect serves s over every transport, until the test ends.
func connect(t *testing.T, s *mcp.Server) []*client {
	t.Helper()
	handler := mcphttp.NewHandler(s)
	web := httptest.NewServer(handler)
	sse := httptest.NewServer(mcphttp.NewSSEHandler(s))
	socket := mcpws.NewHandler(s)
	ws := httptest.NewServer(socket)
	t.Cleanup(func() {
		_, _ = handler.Close(), socket.Close()
		for _, server := range []*httptest.Server{web, sse, ws} {
			server.CloseClientConnections()
			server.Close()
		}
	})
	clients := []*client{
		lineClient(t, s), tcpClient(t, s), socketClient(t, ws.URL), eventClient(t, sse.URL),
		{name: "HTTP, " + legacy, exchange: poster(web.URL, legacy)}, {name: "HTTP, " + modern, exchange: poster(web.URL, modern), meta: modernMeta},
	}
	for _, c := range clients {
		if c.meta != "" {
			continue
		}
		if _, err := c.ask("initialize", `"protocolVersion":"`+legacy+`","capabilities":{},"clientInfo":{"name":"corpus","version":"1"}`); err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if _, err := c.exchange([]byte(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)); err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
	}
	return clients
}

// ask sends a request and returns its result.
func (c *client) ask(method, params string) (json.RawMessage, error) {
	c.next++
	text := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":{%s%s}}`, c.next, method, c.meta, params)
	answer, err := c.exchange([]byte(strings.Replace(text, ",}}", "}}", 1)))
	if err != nil {
		return nil, err
	}
	var m struct {
		ID     int64
		Result json.RawMessage
		Error  *jsonrpc.Error
	}
	if err := json.Unmarshal(answer, &m); err != nil {
		return nil, fmt.Errorf("%w: %s", err, answer)
	}
	if m.Error != nil {
		return nil, m.Error
	}
	if m.ID != c.next || m.Result == nil {
		return nil, fmt.Errorf("answer %s to request %d", answer, c.next)
	}
	return m.Result, nil
}

// lines exchanges messages over a stream.
func lines(conn net.Conn) func([]byte) ([]byte, error) {
	in := bufio.NewReader(conn)
	return func(message []byte) ([]byte, error) {
		if _, err := conn.Write(append(message, '\n')); err != nil || !isRequest(message) {
			return nil, err
		}
		return in.ReadBytes('\n')
	}
}

func isRequest(message []byte) bool { return bytes.Contains(message, []byte(`"id":`)) }

func lineClient(t *testing.T, s *mcp.Server) *client {
	ours, theirs := net.Pipe()
	ended := make(chan error, 1)
	go func() {
		ended <- s.Serve(context.Background(), jsonrpc.NewLineConn(theirs, theirs, jsonrpc.DefaultLimit))
	}()
	t.Cleanup(func() {
		_ = ours.Close()
		if err := <-ended; err != nil {
			t.Errorf("lines: %v", err)
		}
	})
	return &client{name: "lines", exchange: lines(ours)}
}

func tcpClient(t *testing.T, s *mcp.Server) *client {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- mcpnet.Serve(ctx, s, l) }()
	conn, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = conn.Close()
		stop()
		if err := <-ended; err != nil && !errors.Is(err, context.Canceled) {
			t.Errorf("TCP: %v", err)
		}
	})
	return &client{name: "TCP", exchange: lines(conn)}
}

func socketClient(t *testing.T, url string) *client {
	conn, _, err := websocket.Dial(context.Background(), url, &websocket.DialOptions{Subprotocols: []string{"mcp"}})
	if err != nil {
		t.Fatal(err)
	}
	conn.SetReadLimit(64 << 20)
	// The reading goroutine answers pings, also while other connections are tested.
	answers, ended := make(chan []byte), make(chan error, 1)
	ctx, stop := context.WithCancel(context.Background())
	go func() {
		for {
			_, answer, err := conn.Read(ctx)
			if err != nil {
				ended <- err
				return
			}
			answers <- answer
		}
	}()
	t.Cleanup(func() {
		stop()
		_ = conn.CloseNow()
	})
	return &client{name: "WebSocket", exchange: func(message []byte) ([]byte, error) {
		if err := conn.Write(ctx, websocket.MessageText, message); err != nil || !isRequest(message) {
			return nil, err
		}
		select {
		case answer := <-answers:
			return answer, nil
		case err := <-ended:
			return nil, err
		}
	}}
}

// poster returns a function that posts messages, in a session if the revision has sessions.
func poster(url, revision string) func([]byte) ([]byte, error) {
	var session atomic.Value
	return func(message []byte) ([]byte, error) {
		r, err := http.NewRequest(http.MethodPost, url, bytes.NewReader(message))
		if err != nil {
			return nil, err
		}
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		if id, ok := session.Load().(string); ok {
			r.Header.Set("Mcp-Session-Id", id)
		}
		var m struct {
			Method string
			Params struct{ Name string }
		}
		if err := json.Unmarshal(message, &m); err == nil && revision == modern {
			r.Header.Set("Mcp-Method", m.Method)
			if m.Params.Name != "" {
				r.Header.Set("Mcp-Name", m.Params.Name)
			}
		}
		if m.Method != "initialize" {
			r.Header.Set("Mcp-Protocol-Version", revision)
		}
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			return nil, err
		}
		defer func() { _ = answer.Body.Close() }()
		if id := answer.Header.Get("Mcp-Session-Id"); id != "" {
			session.Store(id)
		}
		if answer.StatusCode == http.StatusAccepted {
			return nil, nil
		}
		body, err := io.ReadAll(answer.Body)
		if answer.Header.Get("Content-Type") != "text/event-stream" || err != nil {
			return body, err
		}
		return event(bufio.NewReader(bytes.NewReader(body)))
	}
}

// event returns the data of the next event with data.
func event(in *bufio.Reader) ([]byte, error) {
	for {
		line, err := in.ReadBytes('\n')
		if data, ok := bytes.CutPrefix(line, []byte("data: ")); ok && len(data) > 1 {
			return data, nil
		}
		if err != nil {
			return nil, errors.Join(errors.New("no event with data"), err)
		}
	}
}

func eventClient(t *testing.T, url string) *client {
	ctx, stop := context.WithCancel(context.Background())
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Accept", "text/event-stream")
	stream, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		stop()
		_ = stream.Body.Close()
	})
	in := bufio.NewReader(stream.Body)
	endpoint, err := event(in)
	if err != nil {
		t.Fatal(err)
	}
	to, err := r.URL.Parse(strings.TrimSpace(string(endpoint)))
	if err != nil {
		t.Fatal(err)
	}
	return &client{name: "HTTP with SSE", exchange: func(message []byte) ([]byte, error) {
		answer, err := http.Post(to.String(), "application/json", bytes.NewReader(message))
		if err != nil {
			return nil, err
		}
		_ = answer.Body.Close()
		if answer.StatusCode != http.StatusAccepted || !isRequest(message) {
			return nil, statusError(answer)
		}
		return event(in)
	}}
}

func statusError(answer *http.Response) error {
	if answer.StatusCode == http.StatusAccepted {
		return nil
	}
	return errors.New(answer.Status)
}
