package interop

import (
	"slices"
	"strings"
	"testing"
)

func TestTypeScriptBookstore(t *testing.T) {
	p := plan{Walk: "bookstore"}
	var texts, failures []string
	for _, call := range arguments {
		p.Calls = append(p.Calls, toolCall{call.tool, call.args})
		texts = append(texts, call.text)
	}
	for _, call := range mistakes {
		p.Errors = append(p.Errors, toolCall{call.tool, call.args})
		failures = append(failures, call.text)
	}
	everyScript(t, func(t *testing.T, sdk string, w way) {
		f := follow(t, sdk, bookstore, w, p)
		var further []string
		count := 16
		switch w.revision { // revisions with tasks have one tool more
		case links:
			further, count = []string{"extensions", "tasks"}, 17
		case modern:
			further, count = []string{"extensions"}, 17
		}
		f.hello(map[string]any{
			"name": "bookstore", "title": "Bookstore", "version": "devel", "websiteUrl": "https://github.com/mcpgen/mcpgen",
		}, "", further...)
		var tools []string
		f.into("tools", &tools)
		if !slices.Contains(tools, "search_books") || len(tools) != count {
			t.Errorf("tools: %q", tools)
		}
		checkResults(f, "calls", p.Calls, texts, false)
		checkResults(f, "errors", p.Errors, failures, true)
		checkPages(f)

		code := -32602
		f.same("prompts", []string{"discuss_book", "recommend_books"})
		f.same("prompt", []string{"books://145", "Let us talk about this book. What makes it worth reading today?"})
		f.failed("wrong argument", code, "count must be at most 10")
		f.same("completion", map[string]any{"values": []string{"Middlemarch"}, "total": 1, "hasMore": false})

		if w.revision >= forms {
			f.same("remove", "done")
			f.same("keep", "failed: the user wants to keep the book")
			f.same("log", `info remove_book {"message":"removal confirmed","id":145,"reason":"damaged"}`)
		} else { // no user can be asked
			f.same("remove", "done")
			f.same("keep", "done")
		}

		if w.revision == modern {
			f.same("watch", map[string]any{
				"toolsListChanged": true, "promptsListChanged": true, "resourcesListChanged": true,
				"resourceSubscriptions": []string{"books://2701"},
			})
			f.same("unwatch", "local")
		} else {
			f.same("watch", nil)
			f.same("unwatch", nil)
		}
		f.contains("reprice", `"newCents":999`)
		f.same("updates", []string{"books://2701"})
		f.contains("beside a call that waits", "by Herman Melville")
		f.abandoned("waiting")

		f.same("complaints", []string{})
		f.answered()
		f.same("compressed", w.transport == http)
		f.end(bookstore)
	})
}

// checkResults checks the results of tools. The SDK has already checked that structured content
// matches the output schema.
func checkResults(f *facts, name string, calls []toolCall, texts []string, failed bool) {
	f.t.Helper()
	var got []struct {
		Text               string
		Failed, Structured bool
	}
	f.into(name, &got)
	if len(got) != len(calls) {
		f.t.Errorf("%s: %d results, want %d", name, len(got), len(calls))
		return
	}
	for i, r := range got {
		what := calls[i].Tool
		if r.Failed != failed || !strings.Contains(r.Text, texts[i]) {
			f.t.Errorf("%s: %q, failed %v, want %q", what, r.Text, r.Failed, texts[i])
		}
		structured := !failed && f.way.revision >= forms && !slices.Contains(unstructured, what)
		if r.Structured != structured {
			f.t.Errorf("%s: structured content %v, want %v", what, r.Structured, structured)
		}
	}
}

// unstructured are the tools that return only a text.
var unstructured = []string{"cancel_reservation", "describe_book", "remove_book"}

func checkPages(f *facts) {
	f.t.Helper()
	f.same("resources", []string{"books://schema", "ui://bookstore/report"})
	f.same("templates", []string{"books://{id}", "books://{id}/cover"})
	for name, want := range map[string]struct{ uri, kind, text string }{
		"book":  {"books://2701", "application/json", "Moby-Dick"},
		"cover": {"books://2701/cover", "image/svg+xml", "Herman Melville"},
	} {
		var got []struct{ URI, Type, Text string }
		f.into(name, &got)
		if len(got) != 1 || got[0].URI != want.uri || got[0].Type != want.kind || !strings.Contains(got[0].Text, want.text) {
			f.t.Errorf("%s: %+v, want %+v", name, got, want)
		}
	}
	code := -32002
	if f.way.revision == modern {
		code = -32602
	}
	f.failed("no book", code, "resource not found: books://1")
}
