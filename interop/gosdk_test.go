package interop

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpgen/mcpgen/internal/proof/spec"
)

// revisions are all revisions that the SDK's client can request. For the last one, it begins with
// server/discover and sends _meta with each request; for the others, with initialize.
var revisions = []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"}

// deadline exceeds the time of any test by far.
const deadline = time.Minute

// start connects the SDK's client to a program that serves only this test. At the end of the test
// the program must exit by itself, without errors and warnings.
func start(t *testing.T, w way, program string, options *mcp.ClientOptions, prepare ...func(*mcp.Client)) (context.Context, *mcp.ClientSession) {
	t.Helper()
	ctx, session, _ := connect(t, w, program, options, prepare...)
	return ctx, session
}

// connect is like start, and also returns a function that waits until a message has been sent: the
// SDK sends a cancellation asynchronously, and not at all if the session is closed before.
func connect(t *testing.T, w way, program string, options *mcp.ClientOptions, prepare ...func(*mcp.Client)) (ctx context.Context, session *mcp.ClientSession, sent func(message string)) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), deadline)
	t.Cleanup(cancel)
	client := mcp.NewClient(&mcp.Implementation{Name: "interop", Version: "1"}, options)
	for _, p := range prepare {
		p(client)
	}
	transport, sent := transport(t, ctx, w, program)
	session, err := client.Connect(ctx, transport, &mcp.ClientSessionOptions{ProtocolVersion: w.revision})
	if err != nil {
		t.Fatalf("connect: %v", err)
	}
	t.Cleanup(func() {
		if err := session.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	hello := session.InitializeResult()
	if hello.ProtocolVersion != w.revision {
		t.Errorf("revision %s, want %s", hello.ProtocolVersion, w.revision)
	}
	if hello.ServerInfo == nil || hello.ServerInfo.Name != name(program) || hello.ServerInfo.Version == "" {
		t.Errorf("server %+v", hello.ServerInfo)
	}
	return ctx, session, sent
}

// transport starts a program, or returns a transport that starts it.
func transport(t *testing.T, ctx context.Context, w way, program string) (transport mcp.Transport, sent func(message string)) {
	t.Helper()
	if w.transport != stdio {
		url := serve(t, program, w.transport).url
		client, wire := httpClient(t)
		sent = func(message string) {
			wire.wait(t, ctx, func() bool {
				return len(wire.all(func(e *exchange) bool { return e.request == "POST "+message })) > 0
			})
		}
		if w.transport == sse {
			return &mcp.SSEClientTransport{Endpoint: url, HTTPClient: client}, sent
		}
		return &mcp.StreamableClientTransport{Endpoint: url, HTTPClient: client}, sent
	}
	var stderr bytes.Buffer
	command := exec.Command(program)
	command.Stderr = &stderr
	t.Cleanup(func() {
		if state := command.ProcessState; state == nil || !state.Success() {
			t.Errorf("the program ended with %v", state)
		}
		checkStderr(t, program, stderr.String())
	})
	telling := &notifyingTransport{&mcp.CommandTransport{Command: command, TerminateDuration: deadline}, newReceived(), spec.NewTap(t).OfServers().Conversation()}
	return telling, func(message string) {
		for n := 1; ; n++ {
			if slices.Contains(telling.sent.wait(t, ctx, n), message) {
				return
			}
		}
	}
}

// notifyingTransport reports sent messages.
type notifyingTransport struct {
	mcp.Transport
	sent *received
	tap  *spec.Conversation
}

func (t *notifyingTransport) Connect(ctx context.Context) (mcp.Connection, error) {
	conn, err := t.Transport.Connect(ctx)
	return &tellingConn{conn, t.sent, t.tap}, err
}

type tellingConn struct {
	mcp.Connection
	sent *received
	tap  *spec.Conversation
}

func (c *tellingConn) Read(ctx context.Context) (jsonrpc.Message, error) {
	message, err := c.Connection.Read(ctx)
	if err == nil {
		if text, err := jsonrpc.EncodeMessage(message); err == nil {
			c.tap.Server(string(text))
		}
	}
	return message, err
}

func (c *tellingConn) Write(ctx context.Context, message jsonrpc.Message) error {
	if text, err := jsonrpc.EncodeMessage(message); err == nil {
		c.tap.Client(string(text))
	}
	err := c.Connection.Write(ctx, message)
	c.sent.add("%s", called(message))
	return err
}

// everyShop runs a test once for each transport and revision of the bookstore.
func everyShop(t *testing.T, test func(*testing.T, context.Context, *mcp.ClientSession)) {
	t.Helper()
	everyWay(t, func(t *testing.T, w way) {
		ctx, session := start(t, w, bookstore, nil)
		test(t, ctx, session)
	})
}

// arguments contains a call for every tool but import_list, which clients without tasks cannot
// call, in an order in which all succeed.
var arguments = []struct {
	tool string
	args map[string]any
	text string // part of the result's text
}{
	{"search_books", map[string]any{"query": "sea", "limit": 3, "sort": "year"}, "Robinson Crusoe"},
	{"search_books", map[string]any{"query": "moon", "language": "fr", "maxPriceCents": 100000, "offset": 0}, "From the Earth to the Moon"},
	{"get_book", map[string]any{"id": 2701}, "Herman Melville"},
	{"describe_book", map[string]any{"id": 2701}, "by Herman Melville"},
	{"similar_books", map[string]any{"id": 2701, "limit": 2}, "Kidnapped"},
	{"list_subjects", map[string]any{"language": "ru"}, "Russia"},
	{"report_by_decade", map[string]any{"from": 1800}, "1850s"},
	{"update_price", map[string]any{"id": 2701, "priceCents": 1250}, "1195"},
	{"restock_book", map[string]any{"id": 2701, "copies": 1}, `"available":5`},
	{"reserve_copies", map[string]any{"id": 2701, "copies": 2, "note": "until Friday"}, "until Friday"},
	{"list_reservations", map[string]any{}, "Moby-Dick"},
	{"cancel_reservation", map[string]any{"reservation": 1}, "done"},
	{"wait_for_copies", map[string]any{"id": 2701, "copies": 5, "patience": "1s"}, `"available":5`},
	{"add_book", map[string]any{
		"title": "Nightmare Abbey", "authors": []any{"Thomas Love Peacock"}, "year": 1818,
		"subjects": []any{"satire"}, "format": "hardback", "priceCents": 900,
	}, "Nightmare Abbey"},
	{"remove_book", map[string]any{"id": 1000000}, "done"},
	{"import_books", map[string]any{"books": []any{
		map[string]any{"title": "Crotchet Castle", "authors": []any{"Thomas Love Peacock"}, "year": 1831, "priceCents": 800},
		map[string]any{"title": "Headlong Hall", "authors": []any{"Thomas Love Peacock"}, "year": 1815, "priceCents": 700},
	}}, "[1000001,1000002]"},
	{"take_stock", map[string]any{}, `"titles":277`},
}

func TestListAndCall(t *testing.T) {
	everyShop(t, func(t *testing.T, ctx context.Context, session *mcp.ClientSession) {
		tools := make(map[string]*mcp.Tool)
		for tool, err := range session.Tools(ctx, nil) {
			if err != nil {
				t.Fatal(err)
			}
			tools[tool.Name] = tool
		}
		uncalled := maps.Clone(tools)
		for _, call := range arguments {
			tool, ok := tools[call.tool]
			if !ok {
				t.Errorf("%s is not listed", call.tool)
				continue
			}
			delete(uncalled, call.tool)
			validate(t, call.tool+" arguments", tool.InputSchema, roundTrip(t, call.args))
			result, err := session.CallTool(ctx, &mcp.CallToolParams{Name: call.tool, Arguments: call.args})
			if err != nil {
				t.Errorf("%s: %v", call.tool, err)
				continue
			}
			if got := text(t, result); result.IsError || !strings.Contains(got, call.text) {
				t.Errorf("%s: %q, want %q", call.tool, got, call.text)
			}
			if (result.StructuredContent != nil) != (tool.OutputSchema != nil) {
				t.Errorf("%s: structured content %v for output schema %v", call.tool, result.StructuredContent, tool.OutputSchema)
			}
			if tool.OutputSchema != nil {
				validate(t, call.tool+" result", tool.OutputSchema, result.StructuredContent)
			}
		}
		delete(uncalled, "import_list")
		if len(uncalled) > 0 {
			t.Errorf("these tools were not called: %q", slices.Sorted(maps.Keys(uncalled)))
		}
	})
}

// mistakes are calls for which tools return an error.
var mistakes = []struct {
	tool string
	args map[string]any
	text string // part of the error's text
}{
	{"get_book", map[string]any{"id": 999999}, "no such book"},
	{"get_book", map[string]any{"id": "2701"}, "id: must be an integer"},
	{"get_book", map[string]any{}, "id"},
	{"search_books", map[string]any{"query": "sea", "sort": "yeer"}, `did you mean "year"?`},
	{"reserve_copies", map[string]any{"id": 2701, "copies": 9}, "not enough copies available"},
	{"reserve_copies", map[string]any{"id": 2701, "caller": map[string]any{"Name": "bob"}}, "caller: unknown argument"},
}

func TestErrors(t *testing.T) {
	everyShop(t, func(t *testing.T, ctx context.Context, session *mcp.ClientSession) {
		for _, call := range mistakes {
			result, err := session.CallTool(ctx, &mcp.CallToolParams{Name: call.tool, Arguments: call.args})
			if err != nil {
				t.Errorf("%s %v: %v", call.tool, call.args, err)
				continue
			}
			if got := text(t, result); !result.IsError || !strings.Contains(got, call.text) {
				t.Errorf("%s %v: %q, want %q", call.tool, call.args, got, call.text)
			}
		}
		_, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "burn_book"})
		var wire *jsonrpc.Error
		if !errors.As(err, &wire) || wire.Code != jsonrpc.CodeInvalidParams {
			t.Errorf("unknown tool: %v, want code %d", err, jsonrpc.CodeInvalidParams)
		}
	})
}

// Cancelling a call also ends it in the server: otherwise the program would not exit before the
// tool's five minutes are over.
func TestCancel(t *testing.T) {
	everyWay(t, func(t *testing.T, w way) {
		ctx, session, sent := connect(t, w, bookstore, nil)
		given, giveUp := context.WithCancel(ctx)
		ended := make(chan error, 1)
		go func() {
			_, err := session.CallTool(given, &mcp.CallToolParams{
				Name:      "wait_for_copies",
				Arguments: map[string]any{"id": 2701, "copies": 10, "patience": "5m"},
			})
			ended <- err
		}()
		if _, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "get_book", Arguments: map[string]any{"id": 2701}}); err != nil {
			t.Errorf("beside a call that waits: %v", err)
		}
		sent("wait_for_copies")
		giveUp()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("%v, want context.Canceled", err)
		}
		if w != (way{http, modern}) { // there, the end of the response is the cancellation
			sent("notifications/cancelled")
		}
		if _, err := session.ListTools(ctx, nil); err != nil {
			t.Errorf("after a call that was given up: %v", err)
		}
	})
}

// text returns the only content block of a result.
func text(t *testing.T, result *mcp.CallToolResult) string {
	t.Helper()
	if len(result.Content) == 1 {
		if block, ok := result.Content[0].(*mcp.TextContent); ok {
			return block.Text
		}
	}
	t.Errorf("not one text: %v", result.Content)
	return ""
}

// validate checks a value against a schema as the client received it.
func validate(t *testing.T, what string, schema, value any) {
	t.Helper()
	data, err := json.Marshal(schema)
	if err != nil {
		t.Fatal(err)
	}
	var s jsonschema.Schema
	if err := json.Unmarshal(data, &s); err != nil {
		t.Errorf("%s: %v in schema %s", what, err, data)
		return
	}
	resolved, err := s.Resolve(nil)
	if err != nil {
		t.Errorf("%s: %v in schema %s", what, err, data)
		return
	}
	if err := resolved.Validate(value); err != nil {
		t.Errorf("%s: %v\nschema %s", what, err, data)
	}
}

// roundTrip returns v as the other side reads it.
func roundTrip(t *testing.T, v any) any {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	var read any
	if err := json.Unmarshal(data, &read); err != nil {
		t.Fatal(err)
	}
	return read
}
