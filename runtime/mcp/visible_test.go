package mcp_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/mcpgen/mcpgen/internal/proof/spec"
	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// A client is not notified of a resource that Visible hides from it, whatever it has subscribed to,
// in a session and by a listen.
func TestVisibleHoldsForUpdates(t *testing.T) {
	spec.Holds(t, "S228")
	for _, way := range []string{"session", "listen"} {
		t.Run(way, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				hidden := true
				var s *mcp.Server
				visible := func(ctx context.Context, f mcp.FeatureInfo) bool {
					if mcp.CallFrom(ctx) == nil {
						t.Error("there is no call in the context")
					}
					if f.Name == "poison" {
						panic("poison")
					}
					s.Features() // the filter may call the server
					return !hidden || !slices.Contains(f.Groups, "hr")
				}
				s = mcp.NewServer(fixtureInfo(), quiet, mcp.WithAccess(mcp.Visible(visible)))
				read := func(context.Context, string, map[string]string) (*mcp.ResourceResult, error) {
					return mcp.TextContents("x"), nil
				}
				hr := []string{"hr"}
				s.Register(mcp.NewResource(mcp.ResourceInfo{URI: "doc:///", Name: "root"}, nil))
				s.Register(mcp.NewTemplate(mcp.TemplateInfo{URITemplate: "doc:///payroll/{name}", Name: "payroll", Groups: hr}, read))
				s.Register(mcp.NewTemplate(mcp.TemplateInfo{URITemplate: "doc:///public/{name}", Name: "public"}, read))
				s.Register(mcp.NewResource(mcp.ResourceInfo{URI: "doc:///board", Name: "board", Groups: hr}, nil))
				s.Register(mcp.NewResource(mcp.ResourceInfo{URI: "doc:///minutes/", Name: "minutes", Groups: hr}, nil))
				s.Register(mcp.NewResource(mcp.ResourceInfo{URI: "doc:///poison", Name: "poison"}, nil))
				p := ready(t, s)
				if way == "session" {
					p.send(lines(request(1, "resources/subscribe", `{"uri":"doc:///"}`)))
				} else {
					p.send(lines(request(1, "subscriptions/listen", `{`+modernMeta+`,"notifications":{"resourceSubscriptions":["doc:///"]}}`)))
				}
				synctest.Wait()
				p.received()
				updates := func() (uris []string) {
					for _, uri := range []string{
						"doc:///payroll/ada-fired-2026", "doc:///payroll/ada/letter", "doc:///board", "doc:///board/2026", "doc:///minutes/1", "doc:///poison",
						"doc:///public/a", "doc:///public/a/part", "doc:///elsewhere", "doc:///", "other:///",
					} {
						s.ResourceUpdated(uri)
					}
					synctest.Wait()
					for _, line := range p.received() {
						_, uri, _ := strings.Cut(line, `"uri":"`)
						uri, _, _ = strings.Cut(uri, `"`)
						uris = append(uris, uri)
					}
					return uris
				}
				visibleOnes := []string{"doc:///public/a", "doc:///public/a/part", "doc:///elsewhere", "doc:///"}
				if got := updates(); !slices.Equal(got, visibleOnes) {
					t.Errorf("notified of %q", got)
				}
				hidden = false
				if got := updates(); len(got) != len(visibleOnes)+5 {
					t.Errorf("notified of %q once they are visible", got)
				}
				p.hangUp()
			})
		})
	}
}

// A URI without slashes that no feature has is not a part of another one, and its subscribers are
// notified of it.
func TestVisibleUpdateOfUnknownURI(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := mcp.NewServer(fixtureInfo(), quiet, mcp.WithAccess(mcp.Visible(func(context.Context, mcp.FeatureInfo) bool { return true })))
		s.Register(mcp.NewResource(mcp.ResourceInfo{URI: "urn:a", Name: "a"}, nil))
		p := ready(t, s)
		p.send(lines(request(1, "resources/subscribe", `{"uri":"urn:a"}`)))
		synctest.Wait()
		p.received()
		s.Unregister(mcp.KindResource, "urn:a")
		synctest.Wait()
		p.received()
		s.ResourceUpdated("urn:a")
		synctest.Wait()
		if got := p.received(); len(got) != 1 || !strings.Contains(got[0], "urn:a") {
			t.Errorf("notified of %q", got)
		}
		p.hangUp()
	})
}

// Outside of a call there is no client to ask.
func TestNoCall(t *testing.T) {
	c := mcp.CallFrom(t.Context())
	if c != nil || c.Principal().ID != "" || c.Principal().Value != nil || c.Header() != nil {
		t.Errorf("%+v, %+v, %v", c, c.Principal(), c.Header())
	}
}
