package gosdk

import (
	"context"
	"slices"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcptask"
)

// A feature that is left out ends no list.
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
	inner.Register(resource("x://own")) // which the SDK's server has
	inner.Register(resource("x://z"))
	for _, revision := range []string{"2025-11-25", modern} {
		c := connect(t, s, revision, nil)
		var uris []string
		waitFor(t, func() bool {
			uris = nil
			for r, err := range c.Resources(t.Context(), nil) {
				if err != nil {
					t.Fatal(err)
				}
				uris = append(uris, r.URI)
			}
			return slices.Contains(uris, "x://z")
		})
		same(t, revision, strings.Join(uris, " "), "x://a x://own x://z x://t/1")
	}
}
