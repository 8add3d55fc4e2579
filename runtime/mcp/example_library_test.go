package mcp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing/fstest"
	"time"

	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// A resource whose content is read anew each time.
func ExampleNewResource() {
	s := mcp.NewServer(mcp.ServerInfo{Name: "x"})
	s.Register(mcp.NewResource(
		mcp.ResourceInfo{URI: "status://now", Name: "status", MIMEType: "text/plain"},
		func(context.Context, string) (*mcp.ResourceResult, error) {
			return mcp.TextContents("all is well"), nil
		}))
	talk(s, request(1, "resources/list", `{}`), request(2, "resources/read", `{"uri":"status://now"}`))
	// Output:
	// {"jsonrpc":"2.0","id":1,"result":{"resources":[{"uri":"status://now","name":"status","mimeType":"text/plain"}]}}
	// {"jsonrpc":"2.0","id":2,"result":{"contents":[{"uri":"status://now","mimeType":"text/plain","text":"all is well"}]}}
}

// Resources whose URIs match a template, listed by a function.
func ExampleNewTemplate() {
	titles := map[string]string{"1": "Emma", "2": "Persuasion"}
	s := mcp.NewServer(mcp.ServerInfo{Name: "x"})
	list := func(context.Context) ([]mcp.ResourceInfo, error) {
		var all []mcp.ResourceInfo
		for id, title := range titles {
			all = append(all, mcp.ResourceInfo{URI: mcp.ExpandURI("book://{id}", "id", id), Name: title})
		}
		return all, nil
	}
	s.Register(mcp.NewTemplate(
		mcp.TemplateInfo{URITemplate: "book://{id}", Name: "book", List: list},
		func(_ context.Context, _ string, variables map[string]string) (*mcp.ResourceResult, error) {
			title, ok := titles[variables["id"]]
			if !ok {
				return nil, mcp.ErrNotFound
			}
			return mcp.TextContents(title), nil
		}))
	talk(s, request(1, "resources/list", `{}`),
		request(2, "resources/read", `{"uri":"book://2"}`), request(3, "resources/read", `{"uri":"book://3"}`))
	// Output:
	// {"jsonrpc":"2.0","id":1,"result":{"resources":[{"uri":"book://1","name":"Emma"},{"uri":"book://2","name":"Persuasion"}]}}
	// {"jsonrpc":"2.0","id":2,"result":{"contents":[{"uri":"book://2","mimeType":"text/plain","text":"Persuasion"}]}}
	// {"jsonrpc":"2.0","id":3,"error":{"code":-32002,"message":"resource not found: book://3","data":{"uri":"book://3"}}}
}

func ExampleExpandURI() {
	fmt.Println(mcp.ExpandURI("book://{isbn}{?lang}", "isbn", "978 3/16"))
	fmt.Println(mcp.ExpandURI("docs://x{/path*}", "path", "a", "path", "b c"))
	// Output:
	// book://978%203%2F16
	// docs://x/a/b%20c
}

// For the files of a directory, use NewFiles with os.OpenRoot.
func ExampleNewFS() {
	s := mcp.NewServer(mcp.ServerInfo{Name: "x"})
	s.Register(mcp.NewFS(mcp.FilesInfo{Prefix: "docs:///"}, fstest.MapFS{"guide/start.md": {Data: []byte("# Start")}}))
	talk(s, request(1, "resources/read", `{"uri":"docs:///guide/start.md"}`),
		request(2, "resources/read", `{"uri":"docs:///guide/../../etc/passwd"}`))
	// Output:
	// {"jsonrpc":"2.0","id":1,"result":{"contents":[{"uri":"docs:///guide/start.md","mimeType":"text/markdown","text":"# Start"}]}}
	// {"jsonrpc":"2.0","id":2,"error":{"code":-32002,"message":"resource not found: docs:///guide/../../etc/passwd","data":{"uri":"docs:///guide/../../etc/passwd"}}}
}

// A prompt with arguments; one of them is completed from its values.
func ExampleNewPrompt() {
	s := mcp.NewServer(mcp.ServerInfo{Name: "x"})
	s.Register(mcp.NewPrompt(
		mcp.PromptInfo{Name: "review", Description: "Asks for a review.", Arguments: []mcp.PromptArgument{
			{Name: "code", Required: true}, {Name: "tone", Values: []string{"kind", "terse"}},
		}},
		func(_ context.Context, arguments map[string]string) (*mcp.PromptResult, error) {
			return mcp.PromptMessages(
				mcp.FromUser(mcp.Text{Text: "Review this code."}),
				mcp.FromUser(mcp.EmbeddedResource{URI: "code://input", MIMEType: "text/plain", Text: arguments["code"]}),
			), nil
		}))
	talk(s, request(1, "prompts/get", `{"name":"review","arguments":{"code":"x = 1"}}`),
		request(2, "completion/complete", `{"ref":{"type":"ref/prompt","name":"review"},"argument":{"name":"tone","value":"t"}}`))
	// Output:
	// {"jsonrpc":"2.0","id":1,"result":{"messages":[{"role":"user","content":{"type":"text","text":"Review this code."}},{"role":"user","content":{"type":"resource","resource":{"uri":"code://input","mimeType":"text/plain","text":"x = 1"}}}],"description":"Asks for a review."}}
	// {"jsonrpc":"2.0","id":2,"result":{"completion":{"values":["terse"],"total":1,"hasMore":false}}}
}

// Completion by a function, which gets the arguments that are filled in already.
func ExampleNewPrompt_completion() {
	cities := map[string][]string{"fr": {"Lille", "Lyon", "Paris"}, "de": {"Leipzig"}}
	s := mcp.NewServer(mcp.ServerInfo{Name: "x"})
	complete := func(_ context.Context, typed string, given map[string]string) (mcp.Completion, error) {
		found := slices.DeleteFunc(slices.Clone(cities[given["country"]]), func(city string) bool {
			return !strings.HasPrefix(city, typed)
		})
		return mcp.Candidates(found), nil
	}
	s.Register(mcp.NewPrompt(
		mcp.PromptInfo{Name: "visit", Arguments: []mcp.PromptArgument{{Name: "country"}, {Name: "city", Complete: complete}}},
		func(_ context.Context, arguments map[string]string) (*mcp.PromptResult, error) {
			return mcp.PromptText("What is there to see in " + arguments["city"] + "?"), nil
		}))
	talk(s, request(1, "completion/complete",
		`{"ref":{"type":"ref/prompt","name":"visit"},"argument":{"name":"city","value":"L"},"context":{"arguments":{"country":"fr"}}}`))
	// Output:
	// {"jsonrpc":"2.0","id":1,"result":{"completion":{"values":["Lille","Lyon"],"total":2,"hasMore":false}}}
}

// Clients that have subscribed to a resource are notified of its changes.
func ExampleServer_ResourceUpdated() {
	s := mcp.NewServer(mcp.ServerInfo{Name: "x"})
	s.Register(mcp.TextResource(&mcp.ResourceInfo{URI: "status://now", Name: "status"}, "all is well"))
	s.Register(maker("work", func(context.Context) (string, error) {
		s.ResourceUpdated("status://now")
		return "done", nil
	}))
	talk(s, request(1, "resources/subscribe", `{"uri":"status://now"}`), call(2, "work", `{}`))
	// Output:
	// {"jsonrpc":"2.0","id":1,"result":{}}
	// {"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"status://now"}}
	// {"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"done"}]}}
}

// Features can be registered and removed while the server serves.
func ExampleServer_Unregister() {
	s := mcp.NewServer(mcp.ServerInfo{Name: "x"})
	s.Register(maker("once", func(context.Context) (string, error) {
		s.Unregister(mcp.KindTool, "once")
		return "never again", nil
	}))
	talk(s, call(1, "once", `{}`), call(2, "once", `{}`))
	// Output:
	// {"jsonrpc":"2.0","method":"notifications/tools/list_changed"}
	// {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"never again"}]}}
	// {"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"unknown tool: once"}}
}

func ExampleWithExtension() {
	s := mcp.NewServer(mcp.ServerInfo{Name: "x"}, mcp.WithExtension(mcp.Extension{
		Name:     "com.example/clock",
		Settings: json.RawMessage(`{"zone":"UTC"}`),
		Methods: map[string]mcp.ExtensionFunc{
			"clock/read": func(context.Context, *mcp.Request) (json.RawMessage, error) {
				return json.Marshal(map[string]any{"now": time.Unix(0, 0).UTC()})
			},
		},
	}))
	talk(s, request(1, "clock/read", `{}`))
	// Output:
	// {"jsonrpc":"2.0","id":1,"result":{"now":"1970-01-01T00:00:00Z"}}
}
