package bookstore

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// legacyRevisions are the revisions that begin with an initialize request.
var legacyRevisions = []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"}

// modernRevision is the revision without sessions.
const modernRevision = "2026-07-28"

// meta is the _meta of requests of modernRevision.
const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"` + modernRevision + `",` +
	`"io.modelcontextprotocol/clientInfo":{"name":"test","version":"1"},` +
	`"io.modelcontextprotocol/clientCapabilities":%s}`

// client speaks JSON-RPC to a bookstore in memory, one raw line at a time.
type client struct {
	t        *testing.T
	conn     jsonrpc.Conn
	revision string
	id       int
	// capabilities of the client, a JSON object.
	capabilities string
}

// connect serves s and returns a client of the given revision. The calls get the values of ctx.
func connect(t *testing.T, ctx context.Context, s *Store, revision string, opts ...mcp.Option) *client {
	t.Helper()
	return connectWith(t, ctx, s, revision, "{}", opts...)
}

// connectWith is like connect, for a client with the given capabilities.
func connectWith(t *testing.T, ctx context.Context, s *Store, revision, capabilities string, opts ...mcp.Option) *client {
	t.Helper()
	near, far := jsonrpc.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- NewServer(s, opts...).Serve(context.WithoutCancel(ctx), far) }()
	t.Cleanup(func() {
		if err := near.Close(); err != nil {
			t.Error(err)
		}
		if err := <-ended; err != nil {
			t.Errorf("serve: %v", err)
		}
	})
	c := &client{t: t, conn: near, revision: revision, capabilities: capabilities}
	if revision == modernRevision {
		return c
	}
	reply := c.ask("initialize", `"protocolVersion":"`+revision+`","capabilities":`+capabilities+`,"clientInfo":{"name":"test","version":"1"}`)
	var hello struct {
		ProtocolVersion string
		ServerInfo      struct{ Name string }
	}
	reply.into(t, &hello)
	if hello.ProtocolVersion != revision || hello.ServerInfo.Name != "bookstore" {
		t.Fatalf("initialize: %s", reply.Result)
	}
	c.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return c
}

type reply struct {
	ID     int
	Result json.RawMessage
	Error  *struct {
		Code    int
		Message string
	}
}

func (r reply) into(t *testing.T, v any) {
	t.Helper()
	if r.Error != nil {
		t.Fatalf("error %d: %s", r.Error.Code, r.Error.Message)
	}
	if err := json.Unmarshal(r.Result, v); err != nil {
		t.Fatalf("%v in %s", err, r.Result)
	}
}

func (c *client) send(line string) {
	c.t.Helper()
	if err := c.conn.Write([]byte(line + "\n")); err != nil {
		c.t.Fatal(err)
	}
}

func (c *client) receive() reply {
	c.t.Helper()
	line, err := c.conn.Read()
	if err != nil {
		c.t.Fatal(err)
	}
	var r reply
	if err := json.Unmarshal(line, &r); err != nil {
		c.t.Fatalf("%v in %s", err, line)
	}
	return r
}

// begin sends a request with the given members of params and returns its id.
func (c *client) begin(method, params string) int {
	c.t.Helper()
	c.id++
	if c.revision == modernRevision {
		params = strings.TrimSuffix(fmt.Sprintf(meta, c.capabilities)+","+params, ",")
	}
	c.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":{%s}}`, c.id, method, params))
	return c.id
}

// ask sends a request and returns the response, which must be the next message.
func (c *client) ask(method, params string) reply {
	c.t.Helper()
	id := c.begin(method, params)
	r := c.receive()
	if r.ID != id {
		c.t.Fatalf("%s: the next message answers %d, want %d", method, r.ID, id)
	}
	return r
}

type toolResult struct {
	Content           []struct{ Type, Text string }
	StructuredContent json.RawMessage
	IsError           bool
}

// text returns the only content block.
func (r toolResult) text() string {
	if len(r.Content) != 1 || r.Content[0].Type != "text" {
		return fmt.Sprintf("not one text: %+v", r.Content)
	}
	return r.Content[0].Text
}

func (c *client) call(tool, arguments string) toolResult {
	c.t.Helper()
	var r toolResult
	c.ask("tools/call", fmt.Sprintf(`"name":%q,"arguments":%s`, tool, arguments)).into(c.t, &r)
	return r
}

// everyRevision runs a test with a shop and a client of each revision.
func everyRevision(t *testing.T, test func(*testing.T, *client)) {
	for _, revision := range append(slices.Clone(legacyRevisions), modernRevision) {
		t.Run(revision, func(t *testing.T) {
			test(t, connect(t, t.Context(), open(t), revision))
		})
	}
}

func TestServerListsTools(t *testing.T) {
	type hints struct{ ReadOnlyHint, DestructiveHint, IdempotentHint, OpenWorldHint bool }
	read := hints{ReadOnlyHint: true, IdempotentHint: true}
	want := map[string]hints{
		"add_book":           {},
		"cancel_reservation": {DestructiveHint: true},
		"describe_book":      read,
		"get_book":           read,
		"import_books":       {},
		"list_reservations":  read,
		"list_subjects":      read,
		"remove_book":        {DestructiveHint: true},
		"report_by_decade":   read,
		"reserve_copies":     {},
		"restock_book":       {},
		"search_books":       read,
		"similar_books":      read,
		"take_stock":         {IdempotentHint: true},
		"update_price":       {DestructiveHint: true, IdempotentHint: true},
		"wait_for_copies":    read,
	}
	everyRevision(t, func(t *testing.T, c *client) {
		var list struct {
			Tools []struct {
				Name, Description string
				InputSchema       struct {
					Type       string
					Properties map[string]struct{ Description string }
				}
				OutputSchema json.RawMessage
				Annotations  *hints
			}
			ResultType string
		}
		c.ask("tools/list", "").into(t, &list)
		want := maps.Clone(want)
		if c.revision >= "2025-11-25" { // the first revision with tasks
			want["import_list"] = hints{IdempotentHint: true}
		}
		if len(list.Tools) != len(want) {
			t.Errorf("%d tools, want %d", len(list.Tools), len(want))
		}
		for _, tool := range list.Tools {
			hints, known := want[tool.Name]
			switch {
			case !known:
				t.Errorf("%s: nobody asked for it", tool.Name)
			case tool.Description == "" || tool.InputSchema.Type != "object":
				t.Errorf("%s: %+v", tool.Name, tool)
			case (tool.Annotations != nil) != (c.revision >= "2025-03-26"):
				t.Errorf("%s: annotations are %v", tool.Name, tool.Annotations)
			case tool.Annotations != nil && *tool.Annotations != hints:
				t.Errorf("%s: hints are %+v, want %+v", tool.Name, *tool.Annotations, hints)
			case c.revision < "2025-06-18" && tool.OutputSchema != nil:
				t.Errorf("%s: an output schema before there was one", tool.Name)
			}
			if _, ok := tool.InputSchema.Properties["caller"]; ok {
				t.Errorf("%s: the caller is the client's to choose", tool.Name)
			}
		}
		if (list.ResultType == "complete") != (c.revision == modernRevision) {
			t.Errorf("result type %q", list.ResultType)
		}
	})
}

// A conversation that calls every tool, in every revision.
func TestServerCallsTools(t *testing.T) {
	everyRevision(t, func(t *testing.T, c *client) {
		// value is the structured result; older revisions contain it only as text, and some wrap it
		// unless it is an object.
		value := func(tool, arguments string, v any) {
			t.Helper()
			r := c.call(tool, arguments)
			data := []byte(r.text())
			if c.revision >= "2025-06-18" {
				data = r.StructuredContent
			} else if r.StructuredContent != nil {
				t.Errorf("%s: structured content before there was any", tool)
			}
			if c.revision != modernRevision {
				var wrapped struct{ Result json.RawMessage }
				if json.Unmarshal(data, &wrapped) == nil && wrapped.Result != nil {
					data = wrapped.Result
				}
			}
			if err := json.Unmarshal(data, v); err != nil || r.IsError {
				t.Fatalf("%s: %v in %+v", tool, err, r)
			}
		}
		text := func(tool, arguments, want string) {
			t.Helper()
			if r := c.call(tool, arguments); r.IsError || !strings.Contains(r.text(), want) {
				t.Errorf("%s: %q, want %q", tool, r.text(), want)
			}
		}

		var found struct {
			Books []Book
			Total int
		}
		value("search_books", `{"query":"sea","sort":"year","limit":3}`, &found)
		if len(found.Books) != 3 || found.Total < 10 || found.Books[0].Title != "Robinson Crusoe" {
			t.Errorf("found %q of %d", titles(found.Books), found.Total)
		}
		value("search_books", `{"query":"sea","language":"fr","maxPriceCents":5000}`, &found)
		if len(found.Books) == 0 || found.Books[0].Language != French {
			t.Errorf("found %q", titles(found.Books))
		}

		var book Book
		value("get_book", `{"id":2701}`, &book)
		if book.ID != mobyDick || book.Year != 1851 || book.AddedAt.IsZero() {
			t.Errorf("%+v", book)
		}
		text("describe_book", `{"id":2701}`, "by Herman Melville")

		var prices struct{ OldCents, NewCents int }
		value("update_price", `{"id":2701,"priceCents":1250}`, &prices)
		if prices.OldCents != 1195 || prices.NewCents != 1250 {
			t.Errorf("%+v", prices)
		}
		value("restock_book", `{"id":2701,"copies":2}`, &book)
		if book.Available != 6 || book.RepricedAt == nil {
			t.Errorf("%+v", book)
		}

		var reservation Reservation
		value("reserve_copies", `{"id":2701,"note":"until Friday"}`, &reservation)
		if reservation.Copies != 1 || reservation.TotalCents != 1250 || reservation.Note == nil {
			t.Errorf("%+v", reservation)
		}
		var own []Reservation
		value("list_reservations", `{}`, &own)
		if len(own) != 1 || own[0].ID != reservation.ID {
			t.Errorf("%+v", own)
		}
		text("cancel_reservation", fmt.Sprintf(`{"reservation":%d}`, reservation.ID), "done")
		value("wait_for_copies", `{"id":2701,"copies":6,"patience":"1s"}`, &book)
		if book.Available != 6 {
			t.Errorf("%+v", book)
		}

		var decades map[string]Decade
		value("report_by_decade", `{"from":1850,"to":1859}`, &decades)
		if len(decades) != 1 || decades["1850s"].Languages[English] == 0 {
			t.Errorf("%+v", decades)
		}
		var subjects []Subject
		value("list_subjects", `{"limit":2}`, &subjects)
		if len(subjects) != 2 {
			t.Errorf("%+v", subjects)
		}
		var similar []SimilarBook
		value("similar_books", `{"id":2701}`, &similar)
		if len(similar) != 5 || len(similar[0].Shared) == 0 || similar[0].Title == "" {
			t.Errorf("%+v", similar)
		}

		value("add_book", `{"title":"Nightmare Abbey","authors":["Thomas Love Peacock"],"year":1818,"priceCents":900}`, &book)
		if book.ID < 1000000 || book.Language != English || book.Format != Paperback || book.Available != 1 || book.Subjects == nil {
			t.Errorf("%+v", book)
		}
		text("remove_book", fmt.Sprintf(`{"id":%d}`, book.ID), "done")
	})
}

func TestServerRefuses(t *testing.T) {
	everyRevision(t, func(t *testing.T, c *client) {
		for _, test := range []struct{ tool, arguments, want string }{
			{"get_book", `{"id":999999}`, "no such book"},
			{"get_book", `{"id":0}`, "id: must be at least 1, got 0"},
			{"get_book", `{}`, "id"},
			{"search_books", `{"query":"!"}`, "the query has no words in it"},
			{"search_books", `{"query":"sea","sort":"yeer"}`, `did you mean "year"?`},
			{"search_books", `{"query":"sea","limit":5000}`, "limit: must be at most 100, got 5000"},
			{"search_books", `{"qeury":"sea"}`, `did you mean "query"?`},
			{"reserve_copies", `{"id":2701,"copies":10}`, "not enough copies available"},
			{"reserve_copies", `{"id":2701,"caller":{"Name":"bob"}}`, "unknown argument"},
			{"reserve_copies", `{"id":2701,"Caller":"bob"}`, "unknown argument"},
			{"cancel_reservation", `{"reservation":7}`, "you have no such reservation"},
			{"add_book", `{"title":"","authors":[],"year":1200,"priceCents":1}`, "3 problems with the arguments of add_book"},
			{"wait_for_copies", `{"id":2701,"copies":9,"patience":"1ms"}`, "not enough copies available"},
		} {
			if r := c.call(test.tool, test.arguments); !r.IsError || !strings.Contains(r.text(), test.want) {
				t.Errorf("%s %s: %q, want %q", test.tool, test.arguments, r.text(), test.want)
			}
		}
		if r := c.ask("tools/call", `"name":"burn_book","arguments":{}`); r.Error == nil || r.Error.Code != -32602 {
			t.Errorf("unknown tool: %+v", r)
		}
	})
}

// An undeclared error is only logged.
func TestServerHidesOtherErrors(t *testing.T) {
	everyRevision(t, func(t *testing.T, c *client) {
		var log bytes.Buffer
		s := open(t)
		c = connect(t, t.Context(), s, c.revision, mcp.WithLogger(slog.New(slog.NewTextHandler(&log, nil))))
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		r := c.call("get_book", `{"id":2701}`)
		text, ref, ok := strings.Cut(r.text(), "internal error, reference ")
		if !r.IsError || !ok || text != "" || strings.Contains(r.text(), "database") {
			t.Errorf("%q", r.text())
		}
		if !strings.Contains(log.String(), ref) || !strings.Contains(log.String(), "database is closed") {
			t.Errorf("reference %s is not in the log:\n%s", ref, &log)
		}
	})
}

// The caller comes from the connection's context and from nowhere else.
func TestServerInjectsCaller(t *testing.T) {
	s := open(t)
	ann := connect(t, WithCaller(t.Context(), Caller{"ann"}), s, modernRevision)
	bob := connect(t, WithCaller(t.Context(), Caller{"bob"}), s, modernRevision)
	if r := ann.call("reserve_copies", `{"id":2701}`); r.IsError {
		t.Fatal(r.text())
	}
	for c, want := range map[*client]int{ann: 1, bob: 0} {
		var own []Reservation
		if r := c.call("list_reservations", `{}`); json.Unmarshal(r.StructuredContent, &own) != nil || len(own) != want {
			t.Errorf("%d reservations, want %d: %s", len(own), want, r.StructuredContent)
		}
	}
	nameless := connect(t, WithCaller(t.Context(), Caller{}), s, modernRevision)
	if r := nameless.call("list_reservations", `{}`); !r.IsError || !strings.HasPrefix(r.text(), "internal error, reference ") {
		t.Errorf("%q", r.text())
	}
}

// A cancelled call stops at once and gets no response.
func TestServerCancels(t *testing.T) {
	everyRevision(t, func(t *testing.T, c *client) {
		id := c.begin("tools/call", `"name":"wait_for_copies","arguments":{"id":2701,"copies":9,"patience":"5m"}`)
		c.send(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d}}`, id))
		for range 2 { // the first call would wake the other one if it were still running
			if r := c.call("restock_book", `{"id":2701,"copies":9}`); r.IsError {
				t.Error(r.text())
			}
		}
	})
}
