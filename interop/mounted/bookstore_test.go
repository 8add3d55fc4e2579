//lint:file-ignore SA1019 Logging is deprecated from revision 2026-07-28 on, and still to be served.

//nolint:staticcheck // Logging is deprecated from revision 2026-07-28 on, and still to be served.
package mounted

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/examples/bookstore"
	wire "github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// features contains the tests of the bookstore that every server must pass.
var features = map[string]func(t check, s *shop){
	"calls of every tool":       callsTools,
	"structured results":        structures,
	"errors of tools":           refuses,
	"errors that are hidden":    hides,
	"hints and schemas":         describes,
	"resources":                 reads,
	"caching of resources":      caches,
	"prompts":                   prompts,
	"completion":                completes,
	"progress":                  progress,
	"log messages":              logs,
	"questions":                 asks,
	"cancellation":              cancels,
	"subscriptions":             subscribes,
	"the caller of a context":   injects,
	"identity of the bookstore": identifies,
	"tasks":                     tasks,
}

// cannot lists the features of a package that an SDK server does not support, with the reason.
var cannot = map[string]string{
	"identity of the bookstore": "name, title, website and instructions are those of the SDK's server",
	"tasks":                     "the SDK has no tasks: tools whose calls must become one are left out, and others are called without one",
}

func TestFeatures(t *testing.T) {
	for _, w := range ways {
		for _, revision := range revisions {
			if w.http && revision < "2025-11-25" {
				continue // they differ in messages, not in the transport
			}
			t.Run(w.name+"/"+revision, func(t *testing.T) {
				for _, name := range slices.Sorted(maps.Keys(features)) {
					t.Run(name, func(t *testing.T) {
						test := features[name]
						if reason := cannot[name]; w.mounted && reason != "" {
							failures := failing(t, func(c check) { test(c, w.open(c, revision)) })
							if len(failures) == 0 && !(name == "tasks" && revision < "2025-11-25") {
								t.Errorf("it can, though it is in the list of what it cannot do: %s", reason)
							}
							t.Logf("cannot: %s: %s (%q)", name, reason, failures)
							return
						}
						test(t, w.open(t, revision))
					})
				}
			})
		}
	}
}

// call calls a tool.
func call(t check, c *sdk.ClientSession, tool string, arguments map[string]any) *sdk.CallToolResult {
	t.Helper()
	r, err := c.CallTool(t.Context(), &sdk.CallToolParams{Name: tool, Arguments: arguments})
	if err != nil {
		t.Fatalf("%s: %v", tool, err)
	}
	return r
}

// text returns the only text in a result.
func text(t check, r *sdk.CallToolResult) string {
	t.Helper()
	if len(r.Content) == 1 {
		if block, ok := r.Content[0].(*sdk.TextContent); ok {
			return block.Text
		}
	}
	t.Errorf("not one text: %v", r.Content)
	return ""
}

func (s *shop) client(t check) *sdk.ClientSession {
	t.Helper()
	return s.connect(t, t.Context(), nil)
}

func callsTools(t check, s *shop) {
	c := s.client(t)
	for _, test := range []struct {
		tool      string
		arguments map[string]any
		want      string
	}{
		{"search_books", map[string]any{"query": "sea", "limit": 3, "sort": "year"}, "Robinson Crusoe"},
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
		{"add_book", map[string]any{"title": "Nightmare Abbey", "authors": []any{"Thomas Love Peacock"}, "year": 1818, "priceCents": 900}, "Nightmare Abbey"},
		{"remove_book", map[string]any{"id": 1000000}, "done"},
		{"import_books", map[string]any{"books": []any{map[string]any{"title": "Headlong Hall", "authors": []any{"Thomas Love Peacock"}, "year": 1815, "priceCents": 700}}}, "1000001"},
		{"take_stock", map[string]any{}, `"titles":276`},
	} {
		if r := call(t, c, test.tool, test.arguments); r.IsError || !strings.Contains(text(t, r), test.want) {
			t.Errorf("%s: %q, want %q", test.tool, text(t, r), test.want)
		}
	}
}

func structures(t check, s *shop) {
	c := s.client(t)
	structured := func(tool string, arguments map[string]any) string {
		data, err := json.Marshal(call(t, c, tool, arguments).StructuredContent)
		if err != nil {
			t.Fatalf("%v", err)
		}
		return string(data)
	}
	book, list := structured("get_book", map[string]any{"id": 2701}), structured("list_subjects", map[string]any{"limit": 1})
	prefix := `{"result":[`
	switch {
	case s.revision < "2025-06-18":
		if book != "null" || list != "null" {
			t.Errorf("structured content before there was any: %s %s", book, list)
		}
		return
	case s.revision == modern:
		prefix = `[`
	}
	if !strings.Contains(book, `"id":2701`) || !strings.HasPrefix(list, prefix) {
		t.Errorf("%s %s", book, list)
	}
}

func refuses(t check, s *shop) {
	c := s.client(t)
	for _, test := range []struct {
		tool      string
		arguments map[string]any
		want      string
	}{
		{"get_book", map[string]any{"id": 999999}, "no such book"},
		{"get_book", map[string]any{"id": "2701"}, "id: must be an integer"},
		{"get_book", map[string]any{}, "id"},
		{"search_books", map[string]any{"query": "sea", "sort": "yeer"}, `did you mean "year"?`},
		{"reserve_copies", map[string]any{"id": 2701, "copies": 10}, "not enough copies available"},
		{"reserve_copies", map[string]any{"id": 2701, "Caller": "bob"}, "unknown argument"},
		{"wait_for_copies", map[string]any{"id": 2701, "copies": 9, "patience": "1ms"}, "not enough copies available"},
	} {
		if r := call(t, c, test.tool, test.arguments); !r.IsError || !strings.Contains(text(t, r), test.want) {
			t.Errorf("%s %v: %q, want %q", test.tool, test.arguments, text(t, r), test.want)
		}
	}
	_, err := c.CallTool(t.Context(), &sdk.CallToolParams{Name: "burn_book"})
	if e, ok := errors.AsType[*wire.Error](err); !ok || e.Code != wire.CodeInvalidParams {
		t.Errorf("unknown tool: %v", err)
	}
}

func hides(t check, s *shop) {
	c := s.client(t)
	if err := s.store.Close(); err != nil {
		t.Fatalf("%v", err)
	}
	r := call(t, c, "get_book", map[string]any{"id": 2701})
	_, reference, ok := strings.Cut(text(t, r), "internal error, reference ")
	if !r.IsError || !ok || strings.Contains(text(t, r), "database") || !strings.Contains(s.log.String(), reference) {
		t.Errorf("%q, and in the log:\n%s", text(t, r), s.log)
	}
}

func describes(t check, s *shop) {
	all := map[string]*sdk.Tool{}
	for tool, err := range s.client(t).Tools(t.Context(), nil) {
		if err != nil {
			t.Fatalf("%v", err)
		}
		all[tool.Name] = tool
	}
	remove, list := all["remove_book"], all["list_subjects"]
	if remove == nil || list == nil || len(all) < 16 {
		t.Fatalf("%d tools", len(all))
	}
	if s.revision >= "2025-03-26" && (remove.Annotations.ReadOnlyHint || !*remove.Annotations.DestructiveHint || !list.Annotations.ReadOnlyHint || *list.Annotations.OpenWorldHint) {
		t.Errorf("hints: %+v, %+v", remove.Annotations, list.Annotations)
	}
	input, _ := remove.InputSchema.(map[string]any)
	if properties, _ := input["properties"].(map[string]any); len(properties) != 1 || properties["id"] == nil || remove.Description == "" {
		t.Errorf("remove_book: %+v", remove)
	}
	want := any("array")
	switch {
	case s.revision < "2025-06-18":
		if list.OutputSchema != nil {
			t.Errorf("an output schema before there was one")
		}
		return
	case s.revision < modern:
		want = "object"
	}
	if output, _ := list.OutputSchema.(map[string]any); output["type"] != want {
		t.Errorf("output schema of list_subjects: %v, want type %v", output, want)
	}
}

func reads(t check, s *shop) {
	c := s.client(t)
	read := func(uri string) *sdk.ResourceContents {
		t.Helper()
		r, err := c.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: uri})
		if err != nil || len(r.Contents) != 1 || r.Contents[0].URI != uri {
			t.Fatalf("%s: %v %+v", uri, err, r)
		}
		return r.Contents[0]
	}
	if page := read("books://2701"); !strings.Contains(page.Text, "Herman Melville") || page.MIMEType != "application/json" {
		t.Errorf("page: %+v", page)
	}
	if cover := read("books://2701/cover"); !strings.Contains(cover.Text, "<svg") || cover.MIMEType != "image/svg+xml" {
		t.Errorf("cover: %+v", cover)
	}
	if schema := read("books://schema"); !strings.Contains(schema.Text, "CREATE TABLE") {
		t.Errorf("schema: %+v", schema)
	}
	for _, uri := range []string{"books://1", "books://moby", "books://1/cover"} {
		_, err := c.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: uri})
		want := int64(-32002)
		if s.revision == modern {
			want = wire.CodeInvalidParams
		}
		if e, ok := errors.AsType[*wire.Error](err); !ok || e.Code != want {
			t.Errorf("%s: %v, want %d", uri, err, want)
		}
	}
	var templates []string
	for template, err := range c.ResourceTemplates(t.Context(), nil) {
		if err != nil {
			t.Fatalf("%v", err)
		}
		templates = append(templates, template.URITemplate+" "+template.MIMEType)
	}
	slices.Sort(templates)
	if want := []string{"books://{id} application/json", "books://{id}/cover image/svg+xml"}; !slices.Equal(templates, want) {
		t.Errorf("templates %q, want %q", templates, want)
	}
}

func caches(t check, s *shop) {
	c := s.client(t)
	for uri, want := range map[string]string{"books://2701": "60000 private", "books://2701/cover": "86400000 public"} {
		r, err := c.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: uri})
		if err != nil {
			t.Fatalf("%s: %v", uri, err)
		}
		if got := fmt.Sprint(r.TTLMs, " ", r.CacheScope); s.revision == modern && got != want {
			t.Errorf("%s: %s, want %s", uri, got, want)
		}
	}
}

func prompts(t check, s *shop) {
	c := s.client(t)
	r, err := c.GetPrompt(t.Context(), &sdk.GetPromptParams{Name: "recommend_books", Arguments: map[string]string{"subject": "whales", "language": "fr", "count": "5"}})
	if err != nil || len(r.Messages) != 1 || !strings.HasPrefix(r.Messages[0].Content.(*sdk.TextContent).Text, "Recommend me 5 books about whales") {
		t.Fatalf("recommend_books: %v %+v", err, r)
	}
	r, err = c.GetPrompt(t.Context(), &sdk.GetPromptParams{Name: "discuss_book", Arguments: map[string]string{"title": "Middlemarch"}})
	if err != nil || len(r.Messages) != 2 || r.Messages[0].Content.(*sdk.EmbeddedResource).Resource.URI != "books://145" {
		t.Fatalf("discuss_book: %v %+v", err, r)
	}
	for _, arguments := range []map[string]string{{"subject": "whales", "count": "11"}, {"subject": "whales", "language": "xx"}, {}} {
		_, err := c.GetPrompt(t.Context(), &sdk.GetPromptParams{Name: "recommend_books", Arguments: arguments})
		if e, ok := errors.AsType[*wire.Error](err); !ok || e.Code != wire.CodeInvalidParams {
			t.Errorf("%v: %v", arguments, err)
		}
	}
}

func completes(t check, s *shop) {
	c := s.client(t)
	if c.InitializeResult().Capabilities.Completions == nil && s.revision >= "2025-03-26" {
		t.Errorf("completion is not declared")
	}
	for _, q := range []struct {
		ref                   sdk.CompleteReference
		argument, value, want string
	}{
		{sdk.CompleteReference{Type: "ref/prompt", Name: "recommend_books"}, "subject", "sea", "sea stories"},
		{sdk.CompleteReference{Type: "ref/prompt", Name: "recommend_books"}, "language", "f", "fr"},
		{sdk.CompleteReference{Type: "ref/resource", URI: "books://{id}/cover"}, "id", "270", "2701"},
	} {
		r, err := c.Complete(t.Context(), &sdk.CompleteParams{Ref: &q.ref, Argument: sdk.CompleteParamsArgument{Name: q.argument, Value: q.value}})
		if err != nil || !slices.Contains(r.Completion.Values, q.want) {
			t.Errorf("%s %q: %v %+v, want %q", q.argument, q.value, err, r, q.want)
		}
	}
	r, err := c.Complete(t.Context(), &sdk.CompleteParams{Ref: &sdk.CompleteReference{Type: "ref/prompt", Name: "discuss_book"}, Argument: sdk.CompleteParamsArgument{Name: "title", Value: "%"}})
	if err != nil || len(r.Completion.Values) > 0 {
		t.Errorf("%% completes to %v %+v", err, r)
	}
}

func progress(t check, s *shop) {
	got := make(chan string, 9)
	c := s.connect(t, t.Context(), &sdk.ClientOptions{ProgressNotificationHandler: func(_ context.Context, r *sdk.ProgressNotificationClientRequest) {
		got <- fmt.Sprint(r.Params.ProgressToken, r.Params.Progress, r.Params.Total)
	}})
	var books []any
	for _, title := range []string{"One", "Two", "Three"} {
		books = append(books, map[string]any{"title": title, "authors": []any{"A. Nobody"}, "year": 2001, "priceCents": 100})
	}
	p := &sdk.CallToolParams{Name: "import_books", Arguments: map[string]any{"books": books}}
	p.SetProgressToken("import")
	if r, err := c.CallTool(t.Context(), p); err != nil || r.IsError {
		t.Fatalf("%v %+v", err, r)
	}
	var all []string
	for range 3 {
		all = append(all, receive(t, got))
	}
	slices.Sort(all)
	if want := []string{"import1 3", "import2 3", "import3 3"}; !slices.Equal(all, want) {
		t.Errorf("progress %q", all)
	}
}

// receive waits for a notification.
func receive(t check, from <-chan string) string {
	t.Helper()
	select {
	case text := <-from:
		return text
	case <-time.After(time.Minute):
		t.Fatalf("no notification comes")
		return ""
	}
}

// forms returns the options of a client that confirms, or refuses.
func forms(confirm bool, got chan<- string) *sdk.ClientOptions {
	return &sdk.ClientOptions{
		ElicitationHandler: func(_ context.Context, r *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
			if !strings.Contains(r.Params.Message, "Moby") {
				return nil, errors.New(r.Params.Message)
			}
			return &sdk.ElicitResult{Action: "accept", Content: map[string]any{"confirm": confirm, "reason": "damaged"}}, nil
		},
		LoggingMessageHandler: func(_ context.Context, r *sdk.LoggingMessageRequest) { got <- fmt.Sprint(r.Params.Data) },
	}
}

func logs(t check, s *shop) {
	if s.revision < "2025-06-18" {
		return // the only message follows after a question
	}
	got := make(chan string, 9)
	c := s.connect(t, t.Context(), forms(true, got))
	p := &sdk.CallToolParams{Name: "remove_book", Arguments: map[string]any{"id": 2701}}
	if s.revision == modern {
		p.Meta = sdk.Meta{"io.modelcontextprotocol/logLevel": "info"}
	} else if err := c.SetLoggingLevel(t.Context(), &sdk.SetLoggingLevelParams{Level: "info"}); err != nil {
		t.Fatalf("%v", err)
	}
	if r, err := c.CallTool(t.Context(), p); err != nil || r.IsError {
		t.Fatalf("%v %+v", err, r)
	}
	if message := receive(t, got); !strings.Contains(message, "removal confirmed") || !strings.Contains(message, "damaged") {
		t.Errorf("log message %s", message)
	}
}

func asks(t check, s *shop) {
	if s.revision < "2025-06-18" {
		return // forms did not exist yet
	}
	for _, confirm := range []bool{false, true} {
		c := s.connect(t, t.Context(), forms(confirm, make(chan string, 9)))
		r := call(t, c, "remove_book", map[string]any{"id": 2701})
		want := bookstore.ErrKept.Error()
		if confirm {
			want = "done"
		}
		if text(t, r) != want || r.IsError == confirm {
			t.Errorf("%+v, want %q", r, want)
		}
		if _, err := s.store.Book(t.Context(), 2701); (err != nil) != confirm {
			t.Errorf("afterwards: %v", err)
		}
	}
}

func cancels(t check, s *shop) {
	c := s.client(t)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		_, err := c.CallTool(ctx, &sdk.CallToolParams{Name: "wait_for_copies", Arguments: map[string]any{"id": 2701, "copies": 9, "patience": "5m"}})
		ended <- err
	}()
	call(t, c, "get_book", map[string]any{"id": 2701})
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	call(t, c, "get_book", map[string]any{"id": 2701})
}

func subscribes(t check, s *shop) {
	got := make(chan string, 9)
	c := s.connect(t, t.Context(), &sdk.ClientOptions{ResourceUpdatedHandler: func(_ context.Context, r *sdk.ResourceUpdatedNotificationRequest) { got <- r.Params.URI }})
	if err := c.Subscribe(t.Context(), &sdk.SubscribeParams{URI: "books://2701"}); err != nil {
		t.Fatalf("%v", err)
	}
	if s.revision == modern {
		time.Sleep(100 * time.Millisecond) // the SDK's client does not report when it listens
	}
	if _, err := s.store.RestockBook(t.Context(), 145, 1); err != nil {
		t.Fatalf("%v", err)
	}
	if _, _, err := s.store.UpdatePrice(t.Context(), 2701, 1234); err != nil {
		t.Fatalf("%v", err)
	}
	if uri := receive(t, got); uri != "books://2701" {
		t.Errorf("updated %s", uri)
	}
}

func injects(t check, s *shop) {
	ann := s.connect(t, bookstore.WithCaller(t.Context(), bookstore.Caller{Name: "ann"}), nil)
	bob := s.connect(t, bookstore.WithCaller(t.Context(), bookstore.Caller{Name: "bob"}), nil)
	call(t, ann, "reserve_copies", map[string]any{"id": 2701})
	if own := text(t, call(t, ann, "list_reservations", map[string]any{})); !strings.Contains(own, "Moby") {
		t.Errorf("ann has %s", own)
	}
	if own := text(t, call(t, bob, "list_reservations", map[string]any{})); strings.Contains(own, "Moby") {
		t.Errorf("bob has %s", own)
	}
}

func identifies(t check, s *shop) {
	info := s.client(t).InitializeResult().ServerInfo
	if info.Name != "bookstore" {
		t.Errorf("the name is %s", info.Name)
	}
}

func tasks(t check, s *shop) {
	if s.revision < "2025-11-25" {
		return // tasks did not exist yet
	}
	for tool, err := range s.client(t).Tools(t.Context(), nil) {
		if err != nil {
			t.Fatalf("%v", err)
		}
		if tool.Name == "import_list" {
			return
		}
	}
	t.Errorf("import_list is not listed")
}
