package gosdk

import (
	"context"
	encoding "encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// held returns the number of URIs to which the SDK's server has subscriptions.
func held(s *sdk.Server) (n int) {
	all := reflect.ValueOf(s).Elem().FieldByName("resourceSubscriptions")
	for _, key := range all.MapKeys() {
		n += all.MapIndex(key).Len()
	}
	return n
}

// ownResources adds a resource and a template of the SDK's server.
func ownResources(s *sdk.Server) {
	read := func(context.Context, *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
		return &sdk.ReadResourceResult{}, nil
	}
	s.AddResource(&sdk.Resource{URI: "own:///a", Name: "a"}, read)
	s.AddResourceTemplate(&sdk.ResourceTemplate{URITemplate: "own:///t/{+rest}", Name: "t"}, read)
}

// listened returns the acknowledged URIs of a listen, or its error.
func listened(t *testing.T, s *sdk.Server, uris ...string) string {
	t.Helper()
	text, err := encoding.Marshal(uris)
	if err != nil {
		t.Fatal(err)
	}
	r := newRaw(t, s)
	line := r.ask("subscriptions/listen", `"notifications":{"toolsListChanged":true,"resourceSubscriptions":`+string(text)+`},`+modernMeta)
	var m struct {
		Params struct {
			Notifications struct{ ResourceSubscriptions []string }
		}
		Error struct{ Message string }
	}
	if err := encoding.Unmarshal([]byte(line), &m); err != nil {
		t.Fatal(err)
	}
	if m.Error.Message != "" {
		return "error: " + m.Error.Message
	}
	return strings.Join(m.Params.Notifications.ResourceSubscriptions, " ")
}

// Clients can subscribe to existing resources that they may see, on the SDK's server or in a mount.
func TestSubscribeToWhatThereIs(t *testing.T) {
	hidden := mcp.WithAccess(mcp.AccessFunc(func(_ context.Context, f mcp.FeatureInfo) error {
		if f.URI == "x:///one" {
			return errors.New("hidden")
		}
		return nil
	}))
	s := newServer()
	ownResources(s)
	old := connect(t, s, "2025-11-25", nil)
	if err := old.Subscribe(t.Context(), &sdk.SubscribeParams{URI: "own:///a"}); err == nil || !strings.Contains(err.Error(), "no package is mounted") {
		t.Errorf("before a package is mounted: %v", err)
	}
	unmount, err := Mount(s, registering(everything()...), hidden)
	if err != nil {
		t.Fatal(err)
	}
	good := []string{"own:///a", "own:///t/x/y", "x:///by/1", "x:///by/unknown"}
	bad := []string{"x:///one", "own:///b", "own:///", "other:///x", "", "x:///by/1/2", "OWN:///a", "x:///by/" + strings.Repeat("a", 9000)}
	for _, uri := range append(slices.Clone(good), bad...) {
		err := old.Subscribe(t.Context(), &sdk.SubscribeParams{URI: uri})
		if ok := slices.Contains(good, uri); (err == nil) != ok {
			t.Errorf("%.40q: %v", uri, err)
		}
	}
	same(t, "subscriptions", held(s), len(good))
	for _, uri := range append(slices.Clone(good), bad...) {
		if err := old.Unsubscribe(t.Context(), &sdk.UnsubscribeParams{URI: uri}); err != nil {
			t.Errorf("%.40q: %v", uri, err)
		}
	}
	same(t, "subscriptions", held(s), 0)
	bad = bad[:len(bad)-1] // a listen with a URI that is too long is refused
	same(t, "listen", listened(t, s, append(slices.Clone(bad), good...)...), strings.Join(good, " "))
	same(t, "listen to nothing", listened(t, s, bad...), "")
	same(t, "listen to a part", listened(t, s, "own:///t/1", "x:///nothing", "x:///by/2"), "own:///t/1 x:///by/2")
	unmount()
	if err := old.Subscribe(t.Context(), &sdk.SubscribeParams{URI: "own:///a"}); err != nil {
		t.Errorf("after unmount: %v", err)
	}
	if err := old.Subscribe(t.Context(), &sdk.SubscribeParams{URI: "x:///by/1"}); err == nil {
		t.Error("a resource that was unmounted")
	}
}

// A session has a limited number of subscriptions, and of bytes in their URIs.
func TestSubscriptionsAreBounded(t *testing.T) {
	for name, test := range map[string]struct {
		limits mcp.Limits
		size   int // of a URI
		most   int
	}{
		"number": {mcp.Limits{Subscriptions: 5}, 20, 5},
		"bytes":  {mcp.Limits{Subscriptions: 40}, 1000, 9}, // 64 bytes for each entry
		"usual":  {mcp.Limits{}, 4000, 64},
	} {
		for _, prefix := range []string{"x:///by/", "own:///t/"} {
			s := newServer()
			ownResources(s)
			unmount, err := Mount(s, registering(everything()...), mcp.WithLimits(test.limits))
			if err != nil {
				t.Fatal(err)
			}
			uri := func(i int) string { return prefix + fmt.Sprintf("%0*d", test.size-len(prefix), i) }
			fill := func(c *sdk.ClientSession) (n int) {
				for i := range test.most + 3 {
					if err := c.Subscribe(t.Context(), &sdk.SubscribeParams{URI: uri(i)}); err == nil {
						n++
					} else if !strings.Contains(err.Error(), "subscriptions") {
						t.Errorf("%s: %v", name, err)
					}
				}
				return n
			}
			first, second := connect(t, s, "2025-11-25", nil), connect(t, s, "2025-06-18", nil)
			same(t, name+" of a session", fill(first), test.most)
			same(t, name+" of a session again", fill(first), test.most) // already subscribed
			same(t, name+" of another one", fill(second), test.most)
			same(t, name+" held", held(s), 2*test.most)
			if err := first.Unsubscribe(t.Context(), &sdk.UnsubscribeParams{URI: uri(0)}); err != nil {
				t.Error(err)
			}
			if err := first.Subscribe(t.Context(), &sdk.SubscribeParams{URI: uri(test.most + 7)}); err != nil {
				t.Errorf("%s: after another one has ended: %v", name, err)
			}
			var uris []string
			for i := range test.most + 1 {
				uris = append(uris, uri(i))
			}
			if got := listened(t, s, uris[1:]...); got != strings.Join(uris[1:], " ") {
				t.Errorf("%s: listen to as many as may be: %.200s", name, got)
			}
			if got := listened(t, s, uris...); !strings.Contains(got, "error: ") || !strings.Contains(got, "subscriptions") {
				t.Errorf("%s: listen to one more: %.200s", name, got)
			}
			unmount()
		}
	}
}

// Functions of the program are called too, and decide alone about URIs that no mount has.
func TestSubscribableKeepsFunctions(t *testing.T) {
	var asked []string
	s := sdk.NewServer(&sdk.Implementation{Name: "host", Version: "3"}, Subscribable(&sdk.ServerOptions{
		SubscribeHandler: func(_ context.Context, r *sdk.SubscribeRequest) error {
			asked = append(asked, "subscribe "+r.Params.URI)
			if strings.Contains(r.Params.URI, "forbidden") {
				return errors.New("the program refuses")
			}
			return nil
		},
		UnsubscribeHandler: func(_ context.Context, r *sdk.UnsubscribeRequest) error {
			asked = append(asked, "unsubscribe "+r.Params.URI)
			return nil
		},
		CompletionHandler: func(_ context.Context, r *sdk.CompleteRequest) (*sdk.CompleteResult, error) {
			return &sdk.CompleteResult{Completion: sdk.CompletionResultDetails{Values: []string{"of the program for " + r.Params.Ref.Name}}}, nil
		},
		SetCacheable: func(_ context.Context, _ sdk.Request, c *sdk.Cacheable) { c.TTLMs = 7 },
	}))
	unmount, err := Mount(s, registering(everything()...))
	if err != nil {
		t.Fatal(err)
	}
	defer unmount()
	c := connect(t, s, "2025-11-25", nil)
	for uri, ok := range map[string]bool{"x:///by/1": true, "part:///of/own": true, "x:///by/forbidden": false, "forbidden:///": false} {
		asked = nil
		if err := c.Subscribe(t.Context(), &sdk.SubscribeParams{URI: uri}); (err == nil) != ok {
			t.Errorf("%s: %v", uri, err)
		}
		sameList(t, uri, asked, "subscribe "+uri)
	}
	same(t, "subscriptions", held(s), 2)
	same(t, "listen", listened(t, s, "x:///by/2", "part:///x"), "x:///by/2 part:///x")
	for ref, want := range map[string]string{"greet": "secret customer", "theirs": "of the program for theirs"} {
		r, err := c.Complete(t.Context(), &sdk.CompleteParams{Ref: &sdk.CompleteReference{Type: "ref/prompt", Name: ref}, Argument: sdk.CompleteParamsArgument{Name: "who"}})
		if err != nil || r.Completion.Values[0] != want {
			t.Errorf("%s: %v, %v", ref, r, err)
		}
	}
}

// The completion capability is declared if something can be completed, and the log lists the
// restrictions of a server whose options were not created by Subscribable.
func TestCapabilitiesOfOptions(t *testing.T) {
	complete := func(context.Context, *sdk.CompleteRequest) (*sdk.CompleteResult, error) {
		return nil, errors.New("nothing")
	}
	subscribe := func(context.Context, *sdk.SubscribeRequest) error { return nil }
	unsubscribe := func(context.Context, *sdk.UnsubscribeRequest) error { return nil }
	for name, test := range map[string]struct {
		options  *sdk.ServerOptions
		features []mcp.Feature
		declared bool
		warnings int
	}{
		"nothing to complete":          {Subscribable(nil), []mcp.Feature{echo("a")}, false, 0},
		"something":                    {Subscribable(nil), everything(), true, 0},
		"a function of the program":    {Subscribable(&sdk.ServerOptions{CompletionHandler: complete}), []mcp.Feature{echo("a")}, true, 0},
		"a capability of the program":  {Subscribable(&sdk.ServerOptions{Capabilities: &sdk.ServerCapabilities{Completions: &sdk.CompletionCapabilities{}}}), []mcp.Feature{echo("a")}, true, 0},
		"other options":                {nil, everything(), false, 1},
		"other options, no completion": {nil, []mcp.Feature{echo("a")}, false, 0},
		"functions alone":              {&sdk.ServerOptions{CompletionHandler: complete, SubscribeHandler: subscribe, UnsubscribeHandler: unsubscribe}, everything(), true, 2},
	} {
		t.Run(name, func(t *testing.T) {
			var log strings.Builder
			s := sdk.NewServer(&sdk.Implementation{Name: "host", Version: "3"}, test.options)
			unmount, err := Mount(s, registering(test.features...), logTo(&log))
			if err != nil {
				t.Fatal(err)
			}
			defer unmount()
			for _, revision := range []string{"2025-11-25", modern} {
				c := connect(t, s, revision, nil)
				same(t, "declared", c.InitializeResult().Capabilities.Completions != nil, test.declared)
				_, err := c.Complete(t.Context(), &sdk.CompleteParams{Ref: &sdk.CompleteReference{Type: "ref/prompt", Name: "unknown"}, Argument: sdk.CompleteParamsArgument{Name: "who"}})
				if err == nil {
					t.Error("an unknown prompt is completed")
				}
			}
			same(t, "warnings", strings.Count(log.String(), "gosdk.Subscribable"), test.warnings)
		})
	}
}

// Features that a policy's function excludes cannot be used by any name or method.
func TestSelected(t *testing.T) {
	s := mounted(t, []mcp.Option{mcp.WithPolicy(mcp.Policy{Select: func(f mcp.FeatureInfo) bool { return f.Name == "safe" || f.Kind == mcp.KindTemplate }})},
		append(everything(), echo("safe"))...)
	for _, revision := range []string{"2025-11-25", modern} {
		c := connect(t, s, revision, nil)
		sameList(t, "tools", toolNames(t, c), "own", "safe")
		for _, name := range []string{"delete_all", "remove_all"} {
			if _, err := c.CallTool(t.Context(), &sdk.CallToolParams{Name: name}); err == nil {
				t.Errorf("%s is called", name)
			}
		}
		if _, err := c.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: "x:///one"}); err == nil {
			t.Error("the resource is read")
		}
		if _, err := c.GetPrompt(t.Context(), &sdk.GetPromptParams{Name: "greet"}); err == nil {
			t.Error("the prompt is got")
		}
		if _, err := c.Complete(t.Context(), &sdk.CompleteParams{Ref: &sdk.CompleteReference{Type: "ref/prompt", Name: "greet"}, Argument: sdk.CompleteParamsArgument{Name: "who"}}); err == nil {
			t.Error("the prompt is completed")
		}
		r, err := c.ListResources(t.Context(), nil)
		if err != nil || len(r.Resources) != 5 {
			t.Errorf("resources that the template lists: %v, %v", r, err)
		}
	}
	same(t, "listen", listened(t, s, "x:///one", "x:///by/1"), "x:///by/1")
}
