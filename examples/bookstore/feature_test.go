package bookstore

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/mcp"
)

type contents struct {
	Contents []struct{ URI, MIMEType, Text, Blob string }
}

// read reads a resource.
func (c *client) read(uri string) contents {
	c.t.Helper()
	var r contents
	c.ask("resources/read", fmt.Sprintf(`"uri":%q`, uri)).into(c.t, &r)
	if len(r.Contents) != 1 || r.Contents[0].URI != uri {
		c.t.Fatalf("%s: %+v", uri, r)
	}
	return r
}

func TestServerReadsResources(t *testing.T) {
	everyRevision(t, func(t *testing.T, c *client) {
		var book Book
		page := c.read("books://2701").Contents[0]
		if err := json.Unmarshal([]byte(page.Text), &book); err != nil || !strings.HasPrefix(book.Title, "Moby") || page.MIMEType != "application/json" {
			t.Errorf("the page is %+v: %v", page, err)
		}
		if cover := c.read("books://2701/cover").Contents[0]; !strings.Contains(cover.Text, "Herman Melville") || cover.MIMEType != "image/svg+xml" {
			t.Errorf("the cover is %+v", cover)
		}
		if tables := c.read("books://schema").Contents[0]; tables.Text != schema {
			t.Errorf("the schema is %+v", tables)
		}
		code := -32002
		if c.revision == modernRevision {
			code = -32602
		}
		for _, uri := range []string{"books://1", "books://moby", "books://1/cover", "books://2701/back", "books://"} {
			if r := c.ask("resources/read", fmt.Sprintf(`"uri":%q`, uri)); r.Error == nil || r.Error.Code != code {
				t.Errorf("%s: %+v, want error %d", uri, r.Error, code)
			}
		}
	})
}

func TestServerGetsPrompts(t *testing.T) {
	everyRevision(t, func(t *testing.T, c *client) {
		get := func(name, arguments string) (texts []string) {
			t.Helper()
			var r struct {
				Messages []struct {
					Role    string
					Content struct {
						Text     string
						Resource struct{ URI, Text string }
					}
				}
			}
			c.ask("prompts/get", fmt.Sprintf(`"name":%q,"arguments":%s`, name, arguments)).into(t, &r)
			for _, m := range r.Messages {
				texts = append(texts, m.Content.Text+m.Content.Resource.URI)
			}
			return texts
		}
		if got := get("recommend_books", `{"subject":"whales","language":"fr","count":"5"}`); len(got) != 1 ||
			!strings.HasPrefix(got[0], "Recommend me 5 books about whales, first written in French.") {
			t.Errorf("recommend_books: %q", got)
		}
		if got := get("discuss_book", `{"title":"Middlemarch"}`); len(got) != 2 || got[0] != "books://145" {
			t.Errorf("discuss_book: %q", got)
		}
		for arguments, want := range map[string]string{
			`{"subject":"whales","count":"11"}`:    "must be at most 10",
			`{"subject":"whales","language":"xx"}`: "must be one of",
			`{}`:                                   "subject",
		} {
			if r := c.ask("prompts/get", `"name":"recommend_books","arguments":`+arguments); r.Error == nil ||
				r.Error.Code != -32602 || !strings.Contains(r.Error.Message, want) {
				t.Errorf("%s: %+v, want %q", arguments, r.Error, want)
			}
		}
		if r := c.ask("prompts/get", `"name":"discuss_book","arguments":{"title":"None"}`); r.Error == nil || r.Error.Message != ErrNotFound.Error() {
			t.Errorf("a book that is not there: %+v", r.Error)
		}
	})
}

func TestServerCompletes(t *testing.T) {
	everyRevision(t, func(t *testing.T, c *client) {
		for _, q := range []struct{ ref, argument, value, want string }{
			{`"type":"ref/prompt","name":"recommend_books"`, "subject", "sea", "sea stories"},
			{`"type":"ref/prompt","name":"recommend_books"`, "language", "f", "fr"},
			{`"type":"ref/prompt","name":"discuss_book"`, "title", "Middle", "Middlemarch"},
			{`"type":"ref/resource","uri":"books://{id}/cover"`, "id", "270", "2701"},
		} {
			var r struct{ Completion struct{ Values []string } }
			c.ask("completion/complete", fmt.Sprintf(`"ref":{%s},"argument":{"name":%q,"value":%q}`, q.ref, q.argument, q.value)).into(t, &r)
			if !slices.Contains(r.Completion.Values, q.want) {
				t.Errorf("%s %q: %q, want %q among them", q.argument, q.value, r.Completion.Values, q.want)
			}
		}
		var r struct{ Completion struct{ Values []string } }
		c.ask("completion/complete", `"ref":{"type":"ref/prompt","name":"discuss_book"},"argument":{"name":"title","value":"%"}`).into(t, &r)
		if len(r.Completion.Values) > 0 {
			t.Errorf("%% completes to %q", r.Completion.Values)
		}
	})
}

// An import reports its progress, and a failed one changes nothing.
func TestServerImports(t *testing.T) {
	everyRevision(t, func(t *testing.T, c *client) {
		const book = `{"title":"%s","authors":["A. Nobody"],"year":2001,"priceCents":100}`
		books := func(titles ...string) string {
			var all []string
			for _, title := range titles {
				all = append(all, fmt.Sprintf(book, title))
			}
			return `{"books":[` + strings.Join(all, ",") + `]}`
		}
		if r := c.call("import_books", books("One", "Two", "One")); !r.IsError || r.text() != ErrDuplicate.Error() {
			t.Errorf("a book twice: %+v", r)
		}
		var id int
		params := `"name":"import_books","arguments":` + books("One", "Two", "Three")
		token := `"progressToken":"import"`
		if c.revision == modernRevision {
			c.id++
			id = c.id
			m := strings.Replace(fmt.Sprintf(meta, c.capabilities), `{`, `{`+token+`,`, 1)
			c.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{%s,%s}}`, id, m, params))
		} else {
			id = c.begin("tools/call", `"_meta":{`+token+`},`+params)
		}
		for i := 1; i <= 3; i++ {
			var n struct {
				Method string
				Params struct{ Progress, Total float64 }
			}
			line, err := c.conn.Read()
			if err != nil {
				t.Fatal(err)
			}
			if err := json.Unmarshal(line, &n); err != nil || n.Method != "notifications/progress" || n.Params.Progress != float64(i) || n.Params.Total != 3 {
				t.Errorf("got %s: %v", line, err)
			}
		}
		if r := c.receive(); r.ID != id || r.Error != nil || strings.Contains(string(r.Result), `"isError":true`) {
			t.Errorf("got %+v", r)
		}
	})
}

const removalForm = `{"elicitation":{"form":{}}}`

// The user must confirm before a book is removed, with sessions and without.
func TestServerAsksBeforeRemoval(t *testing.T) {
	for _, c := range []struct {
		name, answer, want string
		gone               bool
	}{
		{"confirmed", `{"action":"accept","content":{"confirm":true,"reason":"damaged"}}`, "done", true},
		{"not confirmed", `{"action":"accept","content":{"confirm":false}}`, ErrKept.Error(), false},
		{"declined", `{"action":"decline"}`, ErrKept.Error(), false},
		{"cancelled", `{"action":"cancel"}`, ErrKept.Error(), false},
	} {
		for _, revision := range []string{"2025-06-18", "2025-11-25", modernRevision} {
			t.Run(c.name+" "+revision, func(t *testing.T) {
				store := open(t)
				client := connectWith(t, t.Context(), store, revision, removalForm)
				r := client.removal(c.answer)
				if r.text() != c.want || r.IsError == c.gone {
					t.Errorf("got %+v, want %q", r, c.want)
				}
				if _, err := store.Book(t.Context(), 2701); (err != nil) != c.gone {
					t.Errorf("afterwards: %v", err)
				}
			})
		}
	}
}

// removal requests the removal of a book and answers the question.
func (c *client) removal(answer string) (result toolResult) {
	c.t.Helper()
	const params = `"name":"remove_book","arguments":{"id":2701}`
	var asked struct {
		ID     int
		Method string
		Params struct{ Message string }
	}
	if c.revision == modernRevision {
		var round struct {
			ResultType    string
			RequestState  string
			InputRequests map[string]json.RawMessage
		}
		c.ask("tools/call", params).into(c.t, &round)
		if round.ResultType != "input_required" || len(round.InputRequests) != 1 {
			c.t.Fatalf("the first round is %+v", round)
		}
		for key, request := range round.InputRequests {
			if err := json.Unmarshal(request, &asked); err != nil {
				c.t.Fatal(err)
			}
			c.ask("tools/call", fmt.Sprintf(`%s,"requestState":%q,"inputResponses":{%q:%s}`, params, round.RequestState, key, answer)).into(c.t, &result)
		}
	} else {
		id := c.begin("tools/call", params)
		line, err := c.conn.Read()
		if err != nil {
			c.t.Fatal(err)
		}
		if err := json.Unmarshal(line, &asked); err != nil {
			c.t.Fatal(err)
		}
		c.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":%s}`, asked.ID, answer))
		for {
			r := c.receive()
			if r.ID == id && (r.Result != nil || r.Error != nil) {
				r.into(c.t, &result)
				break
			}
		}
	}
	if asked.Method != "elicitation/create" || !strings.Contains(asked.Params.Message, "Moby") {
		c.t.Errorf("asked %+v", asked)
	}
	return result
}

// A client that subscribed to a book is notified when a copy is reserved.
func TestServerTellsOfChanges(t *testing.T) {
	store := open(t)
	c := connect(t, t.Context(), store, "2025-11-25")
	if r := c.ask("resources/subscribe", `"uri":"books://2701"`); r.Error != nil {
		t.Fatalf("subscribe: %+v", r.Error)
	}
	caller := Caller{Name: "somebody"}
	reservation, err := store.ReserveCopies(t.Context(), caller, 2701, 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	c.receives("books://2701")
	if err := store.CancelReservation(t.Context(), caller, reservation.ID); err != nil {
		t.Fatal(err)
	}
	c.receives("books://2701")
	if _, err := store.RestockBook(t.Context(), 145, 1); err != nil { // of another book
		t.Fatal(err)
	}
	if _, _, err := store.UpdatePrice(t.Context(), 2701, 1234); err != nil {
		t.Fatal(err)
	}
	c.receives("books://2701")
}

func (c *client) receives(uri string) {
	c.t.Helper()
	line, err := c.conn.Read()
	if err != nil {
		c.t.Fatal(err)
	}
	var n struct {
		Method string
		Params struct{ URI string }
	}
	if err := json.Unmarshal(line, &n); err != nil || n.Method != "notifications/resources/updated" || n.Params.URI != uri {
		c.t.Fatalf("got %s, %v, want an update of %s", line, err, uri)
	}
}

func TestCover(t *testing.T) {
	got := drawCover(Book{ID: 7, Title: "A & B <c> " + strings.Repeat("word ", 50), Authors: []string{"X", "Y", "Z"}})
	for _, want := range []string{"A &amp; B &lt;c&gt; word", "…</text>", ">X<", ">Y<", "hsl(329 "} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in %s", want, got)
		}
	}
	if strings.Contains(got, ">Z<") || strings.Count(got, `font-size="19"`) != 5 {
		t.Errorf("too much on %s", got)
	}
}

// A Go program that removes a book is not asked: it has no client.
func TestRemovalWithoutCall(t *testing.T) {
	store := open(t)
	if err := store.RemoveBook(context.Background(), 2701); err != nil {
		t.Fatal(err)
	}
}

var _ mcp.Form = (*Removal)(nil)
