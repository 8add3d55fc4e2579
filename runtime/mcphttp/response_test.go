package mcphttp_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/internal/testbed"
)

// response is the part of an HTTP response that has arrived.
type response struct {
	t       *testing.T
	request request
	cancel  context.CancelFunc
	done    chan struct{} // closed when reading is done

	mu       sync.Mutex
	status   int // 0 until the header arrives
	header   http.Header
	proto    string
	body     bytes.Buffer
	err      error // nil after a regular end
	ended    bool
	returned int // events that next has returned
}

// read reads the response.
func (a *response) read(client *http.Client, req *http.Request) {
	defer close(a.done)
	defer func() {
		a.mu.Lock()
		a.ended = true
		a.mu.Unlock()
	}()
	resp, err := client.Do(req)
	if err != nil {
		a.mu.Lock()
		a.err = err
		a.mu.Unlock()
		return
	}
	a.consume(resp)
}

func (a *response) consume(resp *http.Response) {
	defer resp.Body.Close()
	a.mu.Lock()
	a.status, a.header, a.proto = resp.StatusCode, resp.Header, resp.Proto
	a.mu.Unlock()
	chunk := make([]byte, 4096)
	for {
		n, err := resp.Body.Read(chunk)
		a.mu.Lock()
		a.body.Write(chunk[:n])
		if err != nil && err != io.EOF {
			a.err = err
		}
		a.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// wait waits for the end.
func (a *response) wait() {
	a.t.Helper()
	testbed.Await(a.t, a.done, "the end of the answer to "+a.describeRequest())
}

// disconnect cancels the request.
func (a *response) disconnect() {
	a.cancel()
	<-a.done
}

// describeRequest describes the request.
func (a *response) describeRequest() string {
	r := a.request
	if r.method == "" {
		r.method = "POST"
	}
	if len(r.body) > 400 {
		r.body = r.body[:400] + "..."
	}
	return fmt.Sprintf("%s %q %s", r.method, r.fields, r.body)
}

// describe describes the response.
func (a *response) describe() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.status == 0 {
		return fmt.Sprintf("no answer, error %v", a.err)
	}
	body := a.body.String()
	if len(body) > 2000 {
		body = body[:2000] + "..."
	}
	return fmt.Sprintf("status %d, header %v, ended %t, error %v, body:\n%s", a.status, a.header, a.ended, a.err, body)
}

// fail reports an error together with the request and the response.
func (a *response) fail(format string, args ...any) {
	a.t.Helper()
	a.t.Errorf("%s\n\tasked:    %s\n\tanswered: %s", fmt.Sprintf(format, args...), a.describeRequest(), a.describe())
}

func (a *response) fatal(format string, args ...any) {
	a.t.Helper()
	a.fail(format, args...)
	a.t.FailNow()
}

func (a *response) text() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.body.String()
}

func (a *response) field(name string) string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.header.Get(name)
}

func (a *response) hasEnded() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.ended
}

// code returns the status, or 0 before the header arrives.
func (a *response) code() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.status
}

// mediaType returns the Content-Type without parameters.
func (a *response) mediaType() string {
	m, _, _ := mime.ParseMediaType(a.field("Content-Type"))
	return m
}

// wantStatus checks the status.
func (a *response) wantStatus(status int) *response {
	a.t.Helper()
	if got := a.code(); got != status {
		a.fatal("the status is %d, want %d", got, status)
	}
	return a
}

// message is a JSON-RPC message.
type message struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Method  string          `json:"method"`
	Params  json.RawMessage `json:"params"`
	Result  json.RawMessage `json:"result"`
	Error   *rpcError       `json:"error"`
}

type rpcError struct {
	Code    int             `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data"`
}

// kind returns the method, or the kind of reply and its id.
func (m *message) kind() string {
	switch {
	case m.Method != "":
		return m.Method
	case m.Error != nil:
		return fmt.Sprintf("error %s", m.ID)
	}
	return fmt.Sprintf("result %s", m.ID)
}

func parse(t *testing.T, text string) *message {
	t.Helper()
	m := new(message)
	d := json.NewDecoder(strings.NewReader(text))
	if err := d.Decode(m); err != nil {
		t.Fatalf("no JSON-RPC message: %v: %s", err, text)
	}
	if _, err := d.Token(); err != io.EOF {
		t.Fatalf("something after the message: %s", text)
	}
	if m.Version != "2.0" {
		t.Errorf("jsonrpc is %q: %s", m.Version, text)
	}
	return m
}

// wantJSON checks that the response is one JSON message, and returns it.
func (a *response) wantJSON() *message {
	a.t.Helper()
	if m := a.mediaType(); m != "application/json" {
		a.fatal("Content-Type is %q, want application/json", m)
	}
	return parse(a.t, a.text())
}

// wantError checks a JSON-RPC error: its status, its code, and its id as JSON text, or "".
func (a *response) wantError(status, code int, id string) *rpcError {
	a.t.Helper()
	a.wantStatus(status)
	m := a.wantJSON()
	if m.Error == nil {
		a.fatal("no error in the reply")
	}
	if m.Error.Code != code {
		a.fail("the code is %d, want %d", m.Error.Code, code)
	}
	if string(m.ID) != id {
		a.fail("the id is %s, want %s", m.ID, id)
	}
	if m.Error.Message == "" {
		a.fail("the error has no message")
	}
	if a.field("Mcp-Session-Id") != "" {
		a.fail("a refusal names a session")
	}
	return m.Error
}

// wantRefusal checks a refusal of the HTTP request: whatever the body was, it has no id.
func (a *response) wantRefusal(status int) *response {
	a.t.Helper()
	a.wantStatus(status)
	if a.mediaType() == "text/event-stream" {
		a.fail("a refusal is an event stream")
	}
	if a.mediaType() == "application/json" && a.text() != "" {
		if m := parse(a.t, a.text()); m.ID != nil {
			a.fail("a refusal has the id %s", m.ID)
		}
	}
	return a
}

// wantLimitRefusal checks a refusal because of a limit.
func (a *response) wantLimitRefusal(status int) {
	a.t.Helper()
	a.wantStatus(status)
	if a.mediaType() == "text/event-stream" || a.field("Mcp-Session-Id") != "" {
		a.fail("a refusal is an event stream, or names a session")
	}
}

// wantResult checks a JSON result, and returns it.
func (a *response) wantResult(id string) json.RawMessage {
	a.t.Helper()
	a.wantStatus(http.StatusOK)
	m := a.wantJSON()
	if m.Result == nil || string(m.ID) != id {
		a.fatal("want a result with the id %s", id)
	}
	return m.Result
}

// wantSuccess checks that the status is 2xx.
func (a *response) wantSuccess() *response {
	a.t.Helper()
	if code := a.code(); code < 200 || code > 299 {
		a.fatal("the status is %d", code)
	}
	return a
}

// wantAccepted checks the response to a notification or a response.
func (a *response) wantAccepted() *response {
	a.t.Helper()
	a.wantStatus(http.StatusAccepted)
	if a.text() != "" {
		a.fail("the answer has a body")
	}
	if a.field("Content-Type") != "" {
		a.fail("an answer without a body has the type %q", a.field("Content-Type"))
	}
	return a
}

// wantAllow checks the field Allow of a 405: it contains the methods, and does not contain the
// methods after "-".
func (a *response) wantAllow(methods ...string) {
	a.t.Helper()
	a.wantRefusal(http.StatusMethodNotAllowed)
	has := map[string]bool{}
	for m := range strings.SplitSeq(a.field("Allow"), ",") {
		has[strings.TrimSpace(m)] = true
	}
	for _, m := range methods {
		if name := strings.TrimPrefix(m, "-"); has[name] == (name != m) {
			a.fail("Allow is %q, want %s", a.field("Allow"), m)
		}
	}
}
