package mcptest_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpclient"
	"github.com/mcpgen/mcpgen/runtime/mcptest"
)

// everywhere runs a test in every revision, each in a bubble.
func everywhere(t *testing.T, test func(t *testing.T, revision string)) {
	for _, revision := range mcptest.Revisions() {
		t.Run(revision, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { test(t, revision) })
		})
	}
}

const newest = "2026-07-28"

func equal(t *testing.T, what string, got, want any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

func TestCall(t *testing.T) {
	everywhere(t, func(t *testing.T, revision string) {
		c := dial(t, newLibrary(nil), mcptest.Options{Revision: revision})
		equal(t, "revision", c.Revision(), revision)
		equal(t, "by a struct", mcptest.Call[found](c, "search", searchArguments{Query: "E"}), found{titles[:2], 2})
		equal(t, "by a map", mcptest.Call[*found](c, "search", map[string]any{"query": "E", "limit": 1}), &found{titles[:1], 1})
		equal(t, "as a map", mcptest.Call[map[string]any](c, "search", searchArguments{Query: "?"}),
			map[string]any{"titles": []any{}, "total": 0.0})
		equal(t, "an array", mcptest.Call[[]string](c, "titles", nil), titles)
		equal(t, "anything", mcptest.Call[any](c, "titles", nil), any([]any{"Emma", "Evelina", "Persuasion"}))
		if revision >= "2025-06-18" {
			equal(t, "with a text of its own", mcptest.Call[int](c, "count", nil), 3)
		}
		equal(t, "a text", c.Call("count", nil).Text(), "three books")
		equal(t, "a text as a string", mcptest.Call[string](c, "import", nil), "imported")
		equal(t, "a failure", c.CallError("fail", nil), "the library is closed")
		_, err := c.Start("refuse", nil).Result()
		e, ok := errors.AsType[*jsonrpc.Error](err)
		if !ok || e.Code != 7 || e.Message != "quota" || string(e.Data) != `{"left":0}` {
			t.Errorf("a protocol error: %v", err)
		}
	})
}

func TestWhoCalls(t *testing.T) {
	everywhere(t, func(t *testing.T, revision string) {
		c := dial(t, newLibrary(nil), mcptest.Options{
			Revision: revision, Client: mcp.ClientInfo{Name: "reader", Title: "Reader", Version: "2"},
			Context: context.WithValue(context.Background(), contextKey{}, "value"),
		})
		equal(t, "the call", c.Call("whoami", nil, mcptest.WithMeta("com.example/k", 5)).Text(), "reader "+revision+" false 5 value")
	})
}

func TestServer(t *testing.T) {
	everywhere(t, func(t *testing.T, revision string) {
		c := dial(t, newLibrary(nil), mcptest.Options{Revision: revision})
		s := c.Server()
		equal(t, "name", s.Name+" "+s.Version, "library 1.2.3")
		equal(t, "instructions", s.Instructions, "Search first.")
		if s.Capabilities["tools"] == nil || (s.Capabilities["completions"] != nil) != (revision > "2024-11-05") {
			t.Errorf("capabilities %s", s.Capabilities)
		}
		equal(t, "versions", s.Versions != nil, revision == newest)
	})
}

func TestLists(t *testing.T) {
	everywhere(t, func(t *testing.T, revision string) {
		c := dial(t, newLibrary(nil, mcp.WithLimits(mcp.Limits{PageSize: 2})), mcptest.Options{Revision: revision})
		tools := c.Tools()
		equal(t, "tools", len(tools), 13)
		equal(t, "a tool", tools[0].Name, "search")
		equal(t, "its title", tools[0].Title != "", revision >= "2025-03-26")
		equal(t, "its hints", tools[0].Hints != nil && tools[0].Hints.ReadOnly, revision >= "2025-03-26")
		equal(t, "resources", c.Resources(), []mcpclient.Resource{{URI: "library://rules", Name: "rules", MIMEType: "text/markdown"}})
		equal(t, "templates", c.Templates(), []mcpclient.Template{{URITemplate: "library://covers/{title}", Name: "cover", MIMEType: "image/png"}})
		equal(t, "prompts", c.Prompts(), []mcpclient.Prompt{{
			Name: "review", Description: "Asks for a review.",
			Arguments: []mcp.PromptArgument{{Name: "title", Required: true}, {Name: "author"}},
		}})
	})
}

func TestReadGetComplete(t *testing.T) {
	everywhere(t, func(t *testing.T, revision string) {
		c := dial(t, newLibrary(nil), mcptest.Options{Revision: revision})
		equal(t, "text", c.Read("library://rules").Text(), "# Silence, please")
		cover := c.Read("library://covers/Emma")
		equal(t, "blob", string(cover.Blob()), "Emma")
		equal(t, "type", cover.Contents[0].MIMEType, "image/png")
		_, err := c.StartRead("library://covers/Ulysses").Result()
		want := -32002
		if revision == newest {
			want = -32602
		}
		if e, ok := errors.AsType[*jsonrpc.Error](err); !ok || e.Code != want {
			t.Errorf("an unknown resource: %v, want code %d", err, want)
		}
		prompt := c.Prompt("review", map[string]string{"title": "Emma"})
		equal(t, "prompt", prompt.Text(), "user: Review Emma\nassistant: Gladly.")
		if _, err := c.StartPrompt("review", nil).Result(); err == nil {
			t.Error("a required argument is not required")
		}
		equal(t, "argument", c.CompletePrompt("review", "title", "E", nil).Values, titles[:2])
		given := c.CompletePrompt("review", "title", "E", map[string]string{"author": "Austen"})
		equal(t, "argument beside another", len(given.Values) == 1, revision >= "2025-06-18")
		equal(t, "variable", c.CompleteTemplate("library://covers/{title}", "title", "Per", nil),
			mcp.Completion{Values: titles[2:], Total: 1})
	})
}

func TestProgressAndLogs(t *testing.T) {
	everywhere(t, func(t *testing.T, revision string) {
		var received []string
		c := dial(t, newLibrary(nil), mcptest.Options{
			Revision: revision, LogLevel: "info", OnLog: func(m mcpclient.LogMessage) { received = append(received, m.Level) },
		})
		var steps []mcpclient.Progress
		c.Call("import", nil, mcptest.WithProgress(func(p mcpclient.Progress) { steps = append(steps, p) }))
		message := "a shelf"
		if revision == "2024-11-05" {
			message = ""
		}
		equal(t, "progress", steps, []mcpclient.Progress{
			{Done: 1, Total: 3, Message: message}, {Done: 2, Total: 3, Message: message}, {Done: 3, Total: 3, Message: message},
		})
		logs := c.Logs()
		equal(t, "messages", len(logs), 3)
		equal(t, "a message", logs[0].String(), `info import: {"message":"shelf imported","number":1}`)
		equal(t, "received", received, []string{"info", "info", "info"})
		equal(t, "taken", len(c.Logs()), 0)
		c.SetLogLevel("debug")
		c.Call("import", nil)
		equal(t, "messages of all levels", len(c.Logs()), 4)
	})
}

// isSession reports whether a revision has sessions, in which the server sends requests.
func isSession(revision string) bool { return revision != newest }

func TestAnswers(t *testing.T) {
	everywhere(t, func(t *testing.T, revision string) {
		o := mcptest.Options{
			Revision: revision,
			Sample: func(_ context.Context, r *mcp.SampleRequest) (*mcp.SampleResult, error) {
				return mcpclient.TextAnswer("The model answers: " + r.Text()), nil
			},
			Roots: func() []mcp.Root { return []mcp.Root{{URI: "file:///a", Name: "a"}} },
		}
		if revision >= "2025-06-18" {
			o.Elicit = func(_ context.Context, e *mcpclient.Elicitation) mcpclient.ElicitAnswer {
				if e.Mode == "url" {
					return mcpclient.Accept(nil)
				}
				if e.Message != "Burn the books?" || !strings.Contains(string(e.Schema), "yes") {
					t.Errorf("asked %+v", e)
				}
				return mcpclient.Accept(map[string]any{"yes": true})
			}
		}
		c := dial(t, newLibrary(nil), o)
		equal(t, "model", c.Call("summarize", nil).Text(), "The model answers: Summarize Emma.")
		equal(t, "roots", c.Call("roots", nil).Text(), "[{file:///a a}]")
		c.RootsChanged()
		equal(t, "roots again", c.Call("roots", nil).Text(), "[{file:///a a}]")
		if revision >= "2025-06-18" {
			equal(t, "form", c.Call("burn", nil).Text(), "true")
		}
		if revision >= "2025-11-25" {
			equal(t, "link", c.Call("pay", nil).Text(), "accept")
		}
	})
}

func TestNoAnswers(t *testing.T) {
	everywhere(t, func(t *testing.T, revision string) {
		if revision < "2025-06-18" {
			return
		}
		answers := []mcpclient.ElicitAnswer{mcpclient.Decline(), mcpclient.Cancel()}
		c := dial(t, newLibrary(nil), mcptest.Options{
			Revision: revision,
			Elicit: func(context.Context, *mcpclient.Elicitation) mcpclient.ElicitAnswer {
				a := answers[0]
				answers = answers[1:]
				return a
			},
			Sample: func(context.Context, *mcp.SampleRequest) (*mcp.SampleResult, error) {
				return nil, errors.New("no, thanks")
			},
		})
		equal(t, "declined", c.Call("burn", nil).Text(), "decline")
		equal(t, "cancelled", c.Call("burn", nil).Text(), "cancel")
		if isSession(revision) {
			if got := c.CallError("summarize", nil); !strings.Contains(got, "no, thanks (-1)") {
				t.Errorf("a refusal: %q", got)
			}
		} else if _, err := c.Start("summarize", nil).Result(); !errors.Is(err, mcptest.ErrRefused) {
			t.Errorf("a refusal: %v", err)
		}
	})
}

// The server does not ask a client without the capability.
func TestCapabilities(t *testing.T) {
	everywhere(t, func(t *testing.T, revision string) {
		c := dial(t, newLibrary(nil), mcptest.Options{
			Revision: revision, Capabilities: map[string]any{"roots": nil},
			Roots: func() []mcp.Root { t.Error("asked"); return nil },
		})
		if isSession(revision) {
			equal(t, "roots", c.CallError("roots", nil), "the client lacks the capability roots")
		} else if _, err := c.Start("roots", nil).Result(); !errors.Is(err, &jsonrpc.Error{Code: -32021}) {
			t.Errorf("roots: %v", err)
		}
	})
}

// The server cancels its request if the client takes too long.
func TestServerGivesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := dial(t, newLibrary(nil, mcp.WithLimits(mcp.Limits{QuestionTime: time.Second})), mcptest.Options{
			Revision: "2025-11-25",
			Elicit: func(ctx context.Context, _ *mcpclient.Elicitation) mcpclient.ElicitAnswer {
				<-ctx.Done()
				return mcpclient.Cancel()
			},
		})
		equal(t, "text", c.Call("patience", nil).Text(), "nobody is there")
	})
}

func TestCancel(t *testing.T) {
	everywhere(t, func(t *testing.T, revision string) {
		blocked := make(chan string, 2)
		c := dial(t, newLibrary(blocked), mcptest.Options{Revision: revision})
		r := c.Start("block", nil)
		equal(t, "the tool", <-blocked, "block")
		r.Cancel("changed my mind")
		if _, err := r.Result(); !errors.Is(err, mcptest.ErrCancelled) {
			t.Errorf("%v, want ErrCancelled", err)
		}
		equal(t, "the cause", <-blocked, mcp.ErrCancelled.Error()+": changed my mind")
		equal(t, "afterwards", mcptest.Call[[]string](c, "titles", nil), titles)
		r.Cancel("twice")
	})
}

// A client may be closed during a request.
func TestCloseEarly(t *testing.T) {
	everywhere(t, func(t *testing.T, revision string) {
		blocked := make(chan string, 2)
		c := dial(t, newLibrary(blocked), mcptest.Options{Revision: revision})
		r := c.Start("block", nil)
		<-blocked
		c.Close()
		equal(t, "the cause", <-blocked, "the test is over: connection closed")
		// The result that the handler returned after its cancellation may still arrive.
		if result, err := r.Result(); err == nil && !result.IsError {
			t.Errorf("a result after the end: %+v", result)
		}
	})
}

func TestWatch(t *testing.T) {
	everywhere(t, func(t *testing.T, revision string) {
		s := newLibrary(nil)
		c := dial(t, s, mcptest.Options{Revision: revision})
		tools := c.Watch(mcpclient.Filter{Tools: true})
		all := c.Watch(mcpclient.Filter{Tools: true, Prompts: true, Resources: true, URIs: []string{"library://rules"}})
		rules := c.Watch(mcpclient.Filter{URIs: []string{"library://rules"}})

		s.ResourceUpdated("library://rules")
		updated := mcpclient.Change{Method: mcpclient.ResourceUpdated, URI: "library://rules"}
		equal(t, "next", all.Next(), updated)
		equal(t, "next of another", rules.Next(), updated)
		s.Unregister(mcp.KindTool, "fail")
		s.Unregister(mcp.KindPrompt, "review")
		s.Unregister(mcp.KindTemplate, "library://covers/{title}")
		equal(t, "changes", all.Changes(), []mcpclient.Change{
			{Method: mcpclient.ToolsChanged}, {Method: mcpclient.PromptsChanged}, {Method: mcpclient.ResourcesChanged},
		})
		equal(t, "changes of tools", tools.Changes(), []mcpclient.Change{{Method: mcpclient.ToolsChanged}})
		equal(t, "no changes", len(rules.Changes()), 0)

		all.Close()
		s.ResourceUpdated("library://rules")
		equal(t, "after another was closed", rules.Next(), updated)
		rules.Close()
		s.ResourceUpdated("library://rules")
		s.ResourceUpdated("library://other")
		equal(t, "after it was closed", len(rules.Changes())+len(all.Changes())+len(tools.Changes()), 0)
	})
}

func TestRequest(t *testing.T) {
	everywhere(t, func(t *testing.T, revision string) {
		c := dial(t, newLibrary(nil), mcptest.Options{
			Revision: revision, Capabilities: map[string]any{"elicitation": map[string]any{}},
		})
		_, err := c.Request("no/such", nil)
		if e, ok := errors.AsType[*jsonrpc.Error](err); !ok || e.Code != jsonrpc.CodeMethodNotFound {
			t.Errorf("an unknown method: %v", err)
		}
		if revision != newest {
			return
		}
		// Request does not answer input requests.
		raw, err := c.Request("tools/call", map[string]any{"name": "burn"})
		if err != nil || !strings.Contains(string(raw), `"resultType":"input_required"`) {
			t.Errorf("%s, %v", raw, err)
		}
	})
}

func TestOnNotification(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var received []string
		s := newLibrary(nil)
		c := dial(t, s, mcptest.Options{
			Revision: "2025-11-25",
			OnNotification: func(method string, params json.RawMessage) {
				received = append(received, fmt.Sprintf("%s %s", method, string(params)))
			},
		})
		s.Unregister(mcp.KindTool, "fail")
		c.Tools() // its reply arrives after the notification
		if !slices.Contains(received, "notifications/tools/list_changed ") {
			t.Errorf("got %q", received)
		}
	})
}

func TestClientsSideBySide(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newLibrary(nil)
		for _, revision := range mcptest.Revisions() {
			c := dial(t, s, mcptest.Options{Revision: revision})
			defer equal(t, "titles", mcptest.Call[[]string](c, "titles", nil), titles)
		}
	})
}

func TestPrincipal(t *testing.T) {
	server := func() *mcp.Server {
		s := newLibrary(nil)
		s.Register(mcp.NewTool(mcp.ToolInfo{Name: "lend", Scopes: []string{"books:lend"}}, func(ctx context.Context, _ json.RawMessage) (*mcp.ToolResult, error) {
			return mcp.TextResult(mcp.CallFrom(ctx).Principal().ID), nil
		}))
		return s
	}
	// granted returns an Access that allows the scopes.
	granted := func(scopes ...string) mcp.Access {
		return mcp.AccessFunc(func(_ context.Context, f mcp.FeatureInfo) error {
			for _, s := range f.Scopes {
				if !slices.Contains(scopes, s) {
					return &mcp.AccessError{Scopes: []string{s}, StepUp: true}
				}
			}
			return nil
		})
	}
	everywhere(t, func(t *testing.T, revision string) {
		ada := mcp.Principal{ID: "ada", Access: granted("books:lend"), Expires: time.Now().Add(time.Hour)}
		c := dial(t, server(), mcptest.Options{Revision: revision, Principal: ada})
		equal(t, "with the scope", c.Call("lend", nil).Text(), "ada")

		c = dial(t, server(), mcptest.Options{Revision: revision, Principal: mcp.Principal{ID: "bob", Access: granted()}})
		_, err := c.Start("lend", nil).Result()
		if e, ok := errors.AsType[*jsonrpc.Error](err); !ok || e.Code != jsonrpc.CodeInternal || string(e.Data) != `{"reason":"insufficient scope","scopes":["books:lend"]}` {
			t.Errorf("without the scope: %v", err)
		}

		c = dial(t, server(), mcptest.Options{Revision: revision})
		equal(t, "without a principal", c.Call("lend", nil).Text(), "")

		c = dial(t, server(), mcptest.Options{Revision: revision, Context: mcp.CallerContext(context.Background(), ada, nil)})
		equal(t, "a principal of the context", c.Call("lend", nil).Text(), "ada")
	})
}
