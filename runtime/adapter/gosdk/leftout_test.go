package gosdk

import (
	"context"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcptask"
)

// An omitted feature does not end a list.
func TestLeftOutInPages(t *testing.T) {
	resource := func(uri string) mcp.Feature {
		return mcp.NewResource(mcp.ResourceInfo{URI: uri, Name: "n"}, func(context.Context, string) (*mcp.ResourceResult, error) { return mcp.TextContents("x"), nil })
	}
	s := newServer()
	var inner *mcp.Server
	unmount, err := Mount(s, func(r mcp.Registrar) {
		inner = r.(*mcp.Server)
		r.Register(echo("a"))
		r.Register(mcptask.Tool(echo("must"), mcptask.Support{Required: true}))
		r.Register(echo("z"))
		r.Register(resource("x://a"))
		r.Register(mcp.NewTemplate(mcp.TemplateInfo{URITemplate: "x://t/{id}", Name: "t", List: func(context.Context) ([]mcp.ResourceInfo, error) {
			return []mcp.ResourceInfo{{URI: "x://t/1", Name: "1"}}, nil
		}}, func(context.Context, string, map[string]string) (*mcp.ResourceResult, error) {
			return mcp.TextContents(""), nil
		}))
	}, mcp.WithLimits(mcp.Limits{PageSize: 1}))
	if err != nil {
		t.Fatal(err)
	}
	defer unmount()
	everyRevision(t, func(t *testing.T, revision string) {
		sameList(t, "tools", toolNames(t, connect(t, s, revision, nil)), "a", "own", "z")
	})
	s.AddResource(&sdk.Resource{URI: "x://own", Name: "own"}, func(context.Context, *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
		return &sdk.ReadResourceResult{}, nil
	})
	inner.Register(resource("x://own")) // the SDK's server already has it
	inner.Register(resource("x://z"))
	for _, revision := range []string{"2025-11-25", modern} {
		c := connect(t, s, revision, nil)
		const want = "x://a x://own x://z x://t/1"
		waitFor(func() bool {
			var uris []string
			for r, err := range c.Resources(t.Context(), nil) {
				if err != nil {
					t.Fatal(err)
				}
				uris = append(uris, r.URI)
			}
			return strings.Join(uris, " ") == want
		})
	}
}

// The SDK's server never has a feature that its mount does not know.
func TestKnownWhileItChanges(t *testing.T) {
	s := newServer()
	unmount, err := Mount(s, registering(echo("a")))
	if err != nil {
		t.Fatal(err)
	}
	m := hostOf(s).mounted()[0]
	listed := func(when string) {
		t.Helper()
		e, err := m.host.existing()
		if err != nil {
			t.Fatal(err)
		}
		for name, item := range e.tools {
			if name != "own" && !m.tools.has(item) {
				t.Errorf("%s: %q is no feature of the mount", when, name)
			}
		}
	}
	kind := *m.tools.kind
	kind.add = func(m *mount, item *sdk.Tool) {
		listed("before it is added")
		toolKind.add(m, item)
		listed("when it is added")
	}
	kind.remove = func(server *sdk.Server, names ...string) {
		listed("before it is removed")
		toolKind.remove(server, names...)
		listed("when it is removed")
	}
	m.tools.kind = &kind
	for _, name := range []string{"a", "b"} { // replaced, and new
		r := registered[sdk.Tool]{item: &sdk.Tool{Name: name, InputSchema: map[string]any{"type": "object"}}, text: "changed"}
		addAll(m, &m.tools, map[string]registered[sdk.Tool]{name: r})
		listed("afterwards")
	}
	unmount()
	sameList(t, "tools", toolNames(t, connect(t, s, modern, nil)), "own")
}
