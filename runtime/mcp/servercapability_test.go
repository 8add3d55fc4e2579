package mcp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// newLister returns a server with a tool, a resource and a prompt.
func newLister(options ...mcp.Option) *mcp.Server {
	s := mcp.NewServer(fixtureInfo(), append([]mcp.Option{quiet}, options...)...)
	s.Register(named("one", "One"))
	s.Register(motto)
	s.Register(mcp.NewPrompt(mcp.PromptInfo{Name: "greet"}, func(context.Context, map[string]string) (*mcp.PromptResult, error) {
		return nil, nil
	}))
	return s
}

// requestIn returns a request in a revision, with the members of its params.
func requestIn(rev *protocol.Revision, id int, method, members string) string {
	if rev.PerRequest {
		members = strings.TrimSuffix(modernMeta+","+members, ",")
	}
	return request(id, method, "{"+members+"}")
}

func open(p *peer, rev *protocol.Revision) {
	if !rev.PerRequest {
		p.send(lines(initialize(rev.Version), initialized))
		synctest.Wait()
		p.received()
	}
}

const (
	unknownMethod    = `"code":-32601`
	allNotifications = `"notifications":{"toolsListChanged":true,"promptsListChanged":true,"resourcesListChanged":true,"resourceSubscriptions":["test://motto"]}`
)

// The server declares the capabilities that it has not left out, and requests for the others fail.
func TestWithoutCapabilities(t *testing.T) {
	const subscribe, unsubscribe, setLevel = "resources/subscribe", "resources/unsubscribe", "logging/setLevel"
	for _, test := range []struct {
		without      []mcp.ServerCapability
		declared     string
		unknown      []string // methods of sessions
		acknowledged string   // "" if a listen is not found
	}{
		{
			nil, `{"logging":{},"tools":{"listChanged":true},"resources":{"subscribe":true,"listChanged":true},"prompts":{"listChanged":true}}`,
			nil, `{"toolsListChanged":true,"promptsListChanged":true,"resourcesListChanged":true,"resourceSubscriptions":["test://motto"]}`,
		},
		{
			[]mcp.ServerCapability{mcp.ServerLogging},
			`{"tools":{"listChanged":true},"resources":{"subscribe":true,"listChanged":true},"prompts":{"listChanged":true}}`,
			[]string{setLevel}, `{"toolsListChanged":true,"promptsListChanged":true,"resourcesListChanged":true,"resourceSubscriptions":["test://motto"]}`,
		},
		{
			[]mcp.ServerCapability{mcp.ServerToolsListChanged},
			`{"logging":{},"tools":{},"resources":{"subscribe":true,"listChanged":true},"prompts":{"listChanged":true}}`,
			nil, `{"promptsListChanged":true,"resourcesListChanged":true,"resourceSubscriptions":["test://motto"]}`,
		},
		{
			[]mcp.ServerCapability{mcp.ServerPromptsListChanged, mcp.ServerResourcesListChanged},
			`{"logging":{},"tools":{"listChanged":true},"resources":{"subscribe":true},"prompts":{}}`,
			nil, `{"toolsListChanged":true,"resourceSubscriptions":["test://motto"]}`,
		},
		{
			[]mcp.ServerCapability{mcp.ServerListChanged},
			`{"logging":{},"tools":{},"resources":{"subscribe":true},"prompts":{}}`,
			nil, `{"resourceSubscriptions":["test://motto"]}`,
		},
		{
			[]mcp.ServerCapability{mcp.ServerSubscribe},
			`{"logging":{},"tools":{"listChanged":true},"resources":{"listChanged":true},"prompts":{"listChanged":true}}`,
			[]string{subscribe, unsubscribe}, `{"toolsListChanged":true,"promptsListChanged":true,"resourcesListChanged":true}`,
		},
		{
			[]mcp.ServerCapability{mcp.ServerLogging, mcp.ServerListChanged, mcp.ServerSubscribe},
			`{"tools":{},"resources":{},"prompts":{}}`,
			[]string{subscribe, unsubscribe, setLevel}, "",
		},
	} {
		for _, rev := range protocol.All {
			for _, intercepted := range []bool{false, true} { // then the server prepares no reply
				t.Run(fmt.Sprint(test.without, rev.Version, intercepted), func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) {
						options := []mcp.Option{mcp.WithoutCapabilities(test.without...)}
						if intercepted {
							options = append(options, mcp.WithInterceptors(func(next mcp.Handler) mcp.Handler { return next }))
						}
						p := dial(t, newLister(options...), "memory")
						defer p.hangUp()
						if rev.PerRequest {
							p.send(requestIn(rev, 1, "server/discover", "") + "\n")
						} else {
							p.send(lines(initialize(rev.Version), initialized))
						}
						synctest.Wait()
						var reply struct {
							Result struct{ Capabilities json.RawMessage }
						}
						if err := json.Unmarshal([]byte(p.received()[0]), &reply); err != nil || string(reply.Result.Capabilities) != test.declared {
							t.Errorf("declared %s %v\nwant     %s", reply.Result.Capabilities, err, test.declared)
						}
						if rev.PerRequest {
							want := unknownMethod
							if test.acknowledged != "" {
								want = `"notifications":` + test.acknowledged + "}}"
							}
							p.expect(requestIn(rev, 2, "subscriptions/listen", allNotifications), want)
							return
						}
						for i, m := range []struct{ method, members string }{
							{subscribe, `"uri":"test://motto"`}, {unsubscribe, `"uri":"test://motto"`}, {setLevel, `"level":"error"`},
						} {
							want := `"result":{}`
							for _, unknown := range test.unknown {
								if m.method == unknown {
									want = unknownMethod
								}
							}
							p.expect(requestIn(rev, 2+i, m.method, m.members), want)
						}
					})
				})
			}
		}
	}
}

// Using a capability that is left out panics, in every revision; the others still work.
func TestUsesOfWhatIsLeftOut(t *testing.T) {
	register := func(kind mcp.FeatureKind) mcp.Feature {
		switch kind {
		case mcp.KindTool:
			return named("two", "Two")
		case mcp.KindPrompt:
			return mcp.NewPrompt(mcp.PromptInfo{Name: "two"}, nil)
		case mcp.KindResource:
			return mcp.TextResource(&mcp.ResourceInfo{URI: "test://two", Name: "two"}, "Read.")
		}
		return mcp.NewTemplate(mcp.TemplateInfo{URITemplate: "test://two/{x}", Name: "two"}, nil)
	}
	features := map[mcp.FeatureKind]string{mcp.KindTool: "one", mcp.KindPrompt: "greet", mcp.KindResource: "test://motto"}
	lists := map[mcp.FeatureKind]mcp.ServerCapability{
		mcp.KindTool: mcp.ServerToolsListChanged, mcp.KindPrompt: mcp.ServerPromptsListChanged,
		mcp.KindResource: mcp.ServerResourcesListChanged, mcp.KindTemplate: mcp.ServerResourcesListChanged,
	}
	for _, rev := range protocol.All {
		for kind, capability := range lists {
			for _, without := range []mcp.ServerCapability{"", capability, mcp.ServerListChanged} {
				t.Run(fmt.Sprint(rev.Version, kind, without), func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) {
						s := newLister()
						if without != "" {
							s = newLister(mcp.WithoutCapabilities(without))
						}
						before := len(s.Features())
						p := dial(t, s, "memory")
						defer p.hangUp()
						open(p, rev)
						p.send(requestIn(rev, 1, "tools/list", "") + "\n")
						synctest.Wait()
						p.received()
						said := panics(func() { s.Register(register(kind)) })
						if without == "" {
							if said != "<nil>" || len(s.Features()) != before+1 {
								t.Errorf("%d features, panic %q", len(s.Features()), said)
							}
							return
						}
						if !strings.Contains(said, string(capability)) || !strings.Contains(said, "two") || len(s.Features()) != before {
							t.Errorf("%d features, panic %q", len(s.Features()), said)
						}
						if s.Unregister(kind, "nothing") {
							t.Error("what is not there is unregistered")
						}
						if name := features[kind]; name != "" {
							said = panics(func() { s.Unregister(kind, name) })
							if !strings.Contains(said, string(capability)) || len(s.Features()) != before {
								t.Errorf("%d features, panic %q", len(s.Features()), said)
							}
						}
						synctest.Wait()
						if got := p.received(); len(got) != 0 {
							t.Errorf("received %q", got)
						}
					})
				})
			}
		}
	}
}

// Lists may change until the first client connects.
func TestRegisterBeforeClients(t *testing.T) {
	s := newLister(mcp.WithoutCapabilities(mcp.ServerListChanged))
	s.Transport() // as an HTTP handler does before features are registered
	s.Register(named("two", "Two"))
	if !s.Unregister(mcp.KindTool, "two") {
		t.Error("not unregistered")
	}
}

func TestUpdatesThatAreLeftOut(t *testing.T) {
	s := newLister(mcp.WithoutCapabilities(mcp.ServerSubscribe))
	for _, uri := range []string{"test://motto", "test://unknown"} {
		if said := panics(func() { s.ResourceUpdated(uri) }); !strings.Contains(said, "resources.subscribe") {
			t.Errorf("panic %q", said)
		}
	}
	newLister(mcp.WithoutCapabilities(mcp.ServerListChanged, mcp.ServerLogging)).ResourceUpdated("test://motto")
}

// A call that logs to the client fails, and the log of the server contains the reason.
func TestLogThatIsLeftOut(t *testing.T) {
	for _, rev := range protocol.All {
		synctest.Test(t, func(t *testing.T) {
			var log strings.Builder
			s := newLister(mcp.WithoutCapabilities(mcp.ServerLogging), mcp.WithLogger(slog.New(slog.NewTextHandler(&log, nil))))
			s.Register(mcp.NewTool(mcp.ToolInfo{Name: "log"}, func(ctx context.Context, _ json.RawMessage) (*mcp.ToolResult, error) {
				mcp.Logger(ctx).Info("text")
				return nil, nil
			}))
			p := dial(t, s, "memory")
			defer p.hangUp()
			open(p, rev)
			p.expect(requestIn(rev, 1, "tools/call", `"name":"log"`), "internal error, reference")
			if !strings.Contains(log.String(), "WithoutCapabilities") {
				t.Errorf("log %s", log.String())
			}
		})
	}
	if mcp.Logger(t.Context()) != slog.Default() {
		t.Error("outside of a call, Logger returns another logger")
	}
}

func TestWithoutUnknownCapability(t *testing.T) {
	for _, name := range []mcp.ServerCapability{"", "tools", "Logging", "prompts.subscribe"} {
		if said := panics(func() { mcp.WithoutCapabilities(mcp.ServerLogging, name) }); !strings.Contains(said, fmt.Sprintf("%q", string(name))) {
			t.Errorf("%q: panic %q", name, said)
		}
	}
}
