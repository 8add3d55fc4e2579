package gosdk

import (
	"context"
	encoding "encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpfind"
)

// journal records the events that middleware and mounts have received, in order.
type journal struct {
	mu     sync.Mutex
	events []string
	refuse string // an event that middleware refuses
}

// note records an event, and returns an error if it should be refused.
func (j *journal) note(event string) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.events = append(j.events, event)
	if event == j.refuse {
		return errors.New("the host refuses " + event)
	}
	return nil
}

// calls returns the calls of tools since the last call.
func (j *journal) calls() []string {
	return slices.DeleteFunc(j.take(), func(event string) bool { return !strings.Contains(event, " tools/call ") })
}

// take returns the events since the last call.
func (j *journal) take() []string {
	j.mu.Lock()
	defer j.mu.Unlock()
	events := j.events
	j.events = nil
	return events
}

// middleware records each request with its method, and its name or cursor.
func (j *journal) middleware(name string) sdk.Middleware {
	return func(next sdk.MethodHandler) sdk.MethodHandler {
		return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
			event := name + " " + method
			if call, ok := req.(*sdk.CallToolRequest); ok {
				event += " " + call.Params.Name
			}
			if err := j.note(event); err != nil {
				return nil, err
			}
			return next(ctx, method, req)
		}
	}
}

// interceptor records the requests that reach a mount.
func (j *journal) interceptor(next mcp.Handler) mcp.Handler {
	return func(ctx context.Context, req *mcp.Request) (mcp.Reply, error) {
		_ = j.note("mount " + req.Method)
		return next(ctx, req)
	}
}

// everything returns features of every kind, so that a mount answers every method.
func everything() []mcp.Feature {
	completed := func(context.Context, string, map[string]string) (mcp.Completion, error) {
		return mcp.Completion{Values: []string{"secret customer"}}, nil
	}
	return []mcp.Feature{
		mcp.NewTool(mcp.ToolInfo{Name: "delete_all", Aliases: []string{"remove_all"}}, func(_ context.Context, arguments encoding.RawMessage) (*mcp.ToolResult, error) {
			return mcp.TextResult("deleted " + string(arguments)), nil
		}),
		mcp.NewResource(mcp.ResourceInfo{URI: "x:///one", Name: "one"}, func(context.Context, string) (*mcp.ResourceResult, error) { return mcp.TextContents("1"), nil }),
		mcp.NewTemplate(mcp.TemplateInfo{URITemplate: "x:///by/{id}", Name: "by", Variables: []mcp.TemplateVariable{{Name: "id", Complete: completed}},
			List: func(context.Context) (all []mcp.ResourceInfo, err error) {
				for i := range 5 {
					all = append(all, mcp.ResourceInfo{URI: fmt.Sprintf("x:///by/%d", i), Name: fmt.Sprint(i)})
				}
				return all, nil
			}}, func(context.Context, string, map[string]string) (*mcp.ResourceResult, error) {
			return mcp.TextContents("by"), nil
		}),
		mcp.NewPrompt(mcp.PromptInfo{Name: "greet", Arguments: []mcp.PromptArgument{{Name: "who", Complete: completed}}}, func(context.Context, map[string]string) (*mcp.PromptResult, error) {
			return mcp.PromptText("Hello"), nil
		}),
	}
}

const modernMeta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`

// ask sends a request, and returns the reply.
func (r *raw) ask(method, params string) string {
	r.t.Helper()
	r.last++
	r.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":{%s}}`, r.last, method, params))
	return r.reply()
}

// reply returns the reply to the last request, or the acknowledgement of a listen.
func (r *raw) reply() string {
	r.t.Helper()
	for {
		line := r.receive()
		if strings.Contains(line, fmt.Sprintf(`"id":%d,`, r.last)) || strings.Contains(line, "subscriptions/acknowledged") {
			return line
		}
	}
}

// open begins a session.
func (r *raw) open() {
	r.t.Helper()
	r.ask("initialize", `"protocolVersion":"2025-11-25","capabilities":{"roots":{"listChanged":true}},"clientInfo":{"name":"raw","version":"1"}`)
	r.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
}

// For every method of the SDK's server: middleware is called before a mount, whether it was added
// before the mount or after, and a request that it refuses does not reach a mount.
func TestMiddlewareBeforeMounts(t *testing.T) {
	const cursor, list = "CURSOR", "resources/list"
	requests := map[string][]string{ // the params of requests, and of those that begin with * in the revision without sessions
		"completion/complete": {
			`"ref":{"type":"ref/prompt","name":"greet"},"argument":{"name":"who","value":""}`,
			`*"ref":{"type":"ref/resource","uri":"x:///by/{id}"},"argument":{"name":"id","value":""}`,
		},
		"server/discover":                  {"*"},
		"initialize":                       {`"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"raw","version":"1"}`},
		"ping":                             {``},
		"prompts/list":                     {``, `*`},
		"prompts/get":                      {`"name":"greet"`, `*"name":"greet","arguments":{"who":"Ann"}`},
		"tools/list":                       {``, `*`},
		"tools/call":                       {`"name":"delete_all"`, `"name":"remove_all","arguments":{"a":1}`, `*"name":"remove_all"`},
		list:                               {``, `*`, `"cursor":"` + cursor + `"`, `*"cursor":"` + cursor + `"`, `"cursor":"mcpgen.1.AAAA"`},
		"resources/templates/list":         {``, `*`},
		"resources/read":                   {`"uri":"x:///one"`, `*"uri":"x:///by/7"`},
		"logging/setLevel":                 {`"level":"debug"`},
		"resources/subscribe":              {`"uri":"x:///one"`, `"uri":"x:///by/8"`, `"uri":"x:///unknown"`},
		"resources/unsubscribe":            {`"uri":"x:///one"`},
		"subscriptions/listen":             {`*"notifications":{"resourceSubscriptions":["x:///one","x:///unknown","x:///by/9"]}`, `*"notifications":{"toolsListChanged":true}`},
		"notifications/cancelled":          {`"requestId":77`},
		"notifications/initialized":        {``},
		"notifications/roots/list_changed": {``},
		"notifications/progress":           {`"progressToken":1,"progress":1`},
	}
	methods := reflect.ValueOf(newServer()).Elem().FieldByName("receiveMethods")
	if methods.Len() != len(requests) {
		t.Errorf("the SDK's server has %d methods, and the test %d", methods.Len(), len(requests))
	}
	for _, key := range methods.MapKeys() {
		method := key.String()
		if requests[method] == nil {
			t.Errorf("the test has no request for %s, which the SDK's server has", method)
		}
		for _, params := range requests[method] {
			event := method
			if method == "tools/call" {
				event += " delete_all"
			}
			for _, refusing := range []string{"", "before " + event, "after " + event} {
				t.Run(method+params+" "+refusing, func(t *testing.T) {
					j := new(journal)
					s := newServer()
					s.AddReceivingMiddleware(j.middleware("before"))
					unmount, err := Mount(s, registering(everything()...), mcp.WithInterceptors(j.interceptor), mcp.WithLimits(mcp.Limits{PageSize: 3}),
						mcp.WithLogger(slog.New(slog.DiscardHandler)))
					if err != nil {
						t.Fatal(err)
					}
					t.Cleanup(unmount)
					s.AddReceivingMiddleware(j.middleware("after"))
					r := newRaw(t, s)
					params, modern := strings.CutPrefix(params, "*")
					meta := ""
					if modern {
						meta = modernMeta
					} else if method != "initialize" {
						r.open()
						r.ask("tools/list", "") // opens a session of the mount
					}
					if strings.Contains(params, cursor) {
						var first struct{ Result struct{ NextCursor string } }
						if err := encoding.Unmarshal([]byte(r.ask(list, meta)), &first); err != nil || first.Result.NextCursor == "" {
							t.Fatal("no second page", err)
						}
						params = strings.Replace(params, cursor, first.Result.NextCursor, 1)
					}
					if params != "" && meta != "" {
						meta = "," + meta
					}
					j.take()
					j.refuse = refusing
					var reply string
					if strings.HasPrefix(method, "notifications/") {
						r.send(fmt.Sprintf(`{"jsonrpc":"2.0","method":%q,"params":{%s}}`, method, params))
						r.ask("ping", "") // notifications are handled in order
					} else {
						reply = r.ask(method, params+meta)
					}
					events := j.take()
					mount := slices.IndexFunc(events, func(e string) bool { return strings.HasPrefix(e, "mount ") })
					if refusing != "" && method != "notifications/cancelled" { // the SDK does not pass it to middleware
						if mount >= 0 || reply != "" && !strings.Contains(reply, "the host refuses "+refusing) {
							t.Errorf("the mount was asked: %q; reply %s", events, reply)
						}
						return
					}
					before, after := slices.Index(events, "before "+event), slices.Index(events, "after "+event)
					if method != "notifications/cancelled" && (before < 0 || after < 0) || mount >= 0 && mount < max(before, after) {
						t.Errorf("events %q", events)
					}
					answers := !strings.HasPrefix(method, "notifications/") && method != "ping" && method != "initialize" && method != "server/discover"
					if refusing == "" && answers && mount < 0 && !strings.Contains(params, "AAAA") && !strings.Contains(params, "toolsListChanged") && method != "resources/subscribe" && method != "resources/unsubscribe" {
						t.Errorf("no mount was asked: %q, reply %s", events, reply)
					}
				})
			}
		}
	}
}

// Middleware receives a call as a call of the tool that runs, whatever name the client has used.
func TestMiddlewareSeesNames(t *testing.T) {
	readOnly := mcp.NewTool(mcp.ToolInfo{Name: "look", Aliases: []string{"peek"}, Hints: mcp.ToolHints{ReadOnly: true}}, func(_ context.Context, arguments encoding.RawMessage) (*mcp.ToolResult, error) {
		return mcp.TextResult("looked " + string(arguments)), nil
	})
	j := new(journal)
	s := newServer()
	s.AddReceivingMiddleware(j.middleware("before"))
	var inner *mcp.Server
	unmount, err := Mount(s, func(r mcp.Registrar) {
		inner = r.(*mcp.Server)
		registering(append(everything(), readOnly)...)(r)
	}, mcpfind.New(mcpfind.WithThreshold(1)), mcp.WithLogger(slog.New(slog.DiscardHandler)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(unmount)
	s.AddTool(&sdk.Tool{Name: "left_out", InputSchema: encoding.RawMessage(`{"type":"object"}`)}, func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: "the host's own"}}}, nil
	})
	inner.Register(mcp.NewTool(mcp.ToolInfo{Name: "left_out", Aliases: []string{"out"}}, func(context.Context, encoding.RawMessage) (*mcp.ToolResult, error) {
		return mcp.TextResult("the mount's"), nil
	}))
	waitFor(func() bool { m := hostOf(s).mounted()[0]; return m.tools.knows("left_out") })
	s.AddReceivingMiddleware(j.middleware("after"))
	for _, revision := range []string{"2025-11-25", modern} {
		c := connect(t, s, revision, nil)
		for _, test := range []struct {
			name, arguments string
			seen, want      string // the name that middleware receives, and a part of the result or error
		}{
			{"delete_all", `{"a":1}`, "delete_all", `deleted {"a":1}`},
			{"remove_all", `{"a":1}`, "delete_all", `deleted {"a":1}`},
			{"use_tool", `{"name":"delete_all","arguments":{"a":1}}`, "delete_all", `deleted {"a":1}`},
			{"use_tool", `{"name":"remove_all","arguments":"{\"a\":1}"}`, "delete_all", `deleted {"a":1}`},
			{"use_tool", `{"arguments":{"a":1},"name":"delete\u005fall"}`, "delete_all", `deleted {"a":1}`},
			{"use_tool", `{"name":"remove_all"}`, "delete_all", `deleted {}`},
			{"use_readonly_tool", `{"name":"peek","arguments":{"b":[2]}}`, "look", `looked {"b":[2]}`},
			{"use_readonly_tool", `{"name":"remove_all"}`, "delete_all", `may change something`},
			{"use_tool", `{"name":"use_tool","arguments":{"name":"delete_all"}}`, "use_tool", `is called by itself`},
			{"use_tool", `{"name":"own"}`, "use_tool", `no tool`},
			{"use_tool", `{"name":"delete_al"}`, "use_tool", `no tool`},
			{"use_tool", `{"name":"left_out"}`, "use_tool", `unknown tool`},
			{"use_tool", `{"name":"out"}`, "use_tool", `unknown tool`},
			{"out", `{}`, "out", `unknown tool`},
			{"left_out", `{}`, "left_out", `the host's own`},
			{"use_tool", `{"name":"delete_all","name":"look"}`, "use_tool", ``},
			{"use_tool", `{"name":"delete_all","more":1}`, "use_tool", ``},
		} {
			j.take()
			r, err := c.CallTool(t.Context(), &sdk.CallToolParams{Name: test.name, Arguments: encoding.RawMessage(test.arguments)})
			got := fmt.Sprint(err)
			if err == nil {
				got = textOf(r)
			}
			if !strings.Contains(got, test.want) || strings.Contains(got, "the mount's") || test.want == "" && (strings.Contains(got, "deleted") || strings.Contains(got, "looked")) {
				t.Errorf("%s %s: %s, want %s", test.name, test.arguments, got, test.want)
			}
			sameList(t, test.name+test.arguments, j.calls(), "after tools/call "+test.seen, "before tools/call "+test.seen)
		}
	}
}

// Middleware that was just added receives the first call by another name twice, and can refuse it.
func TestMiddlewareAddedLater(t *testing.T) {
	for _, refuse := range []string{"", "after tools/call remove_all", "after tools/call delete_all", "last tools/call delete_all", "before tools/call delete_all"} {
		j := new(journal)
		s := newServer()
		s.AddReceivingMiddleware(j.middleware("before"))
		unmount, err := Mount(s, registering(everything()...))
		if err != nil {
			t.Fatal(err)
		}
		c := connect(t, s, modern, nil)
		same(t, "first", call(t, c, "remove_all", map[string]any{}), "deleted {}")
		s.AddReceivingMiddleware(j.middleware("after"), j.middleware("last"))
		j.take()
		j.refuse = refuse
		for i := range 3 {
			r, err := c.CallTool(t.Context(), &sdk.CallToolParams{Name: "remove_all"})
			if ran := err == nil && textOf(r) == "deleted {}"; ran != (refuse == "") {
				t.Errorf("call %d, refusing %q: %v, %v", i, refuse, r, err)
			}
			events := j.calls()
			if refuse == "" {
				want := []string{"after tools/call delete_all", "last tools/call delete_all", "before tools/call delete_all"}
				if i == 0 {
					want = append([]string{"after tools/call remove_all", "last tools/call remove_all"}, want...)
				}
				sameList(t, fmt.Sprint("call ", i), events, want...)
			}
		}
		unmount()
	}
}

// Middleware that refuses requests without a token prevents neither mounting a package nor removing
// its features.
func TestMountPastMiddleware(t *testing.T) {
	s := newServer()
	s.AddReceivingMiddleware(func(sdk.MethodHandler) sdk.MethodHandler {
		return func(context.Context, string, sdk.Request) (sdk.Result, error) { return nil, errors.New("no token") }
	})
	if _, err := Mount(s, registering(echo("own"))); err == nil || !strings.Contains(err.Error(), `a tool "own" already`) {
		t.Errorf("a tool that the server has: %v", err)
	}
	unmount, err := Mount(s, registering(everything()...))
	if err != nil {
		t.Fatal(err)
	}
	tools := func() int {
		e, _, err := existingOf(s)
		if err != nil {
			t.Fatal(err)
		}
		return len(e.tools)
	}
	same(t, "tools", tools(), 2)
	unmount()
	same(t, "tools after unmount", tools(), 1)
}
