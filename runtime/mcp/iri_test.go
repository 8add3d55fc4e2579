package mcp_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// TestURIsOutsideASCII: resources and templates with other scripts are listed in one form,
// percent-encoded, and found as clients write them: raw, and percent-encoded with digits of either
// case. Contents always contain a URI.
func TestURIsOutsideASCII(t *testing.T) {
	const encoded, lower = "doc:///gr%C3%B6%C3%9Fe", "doc:///gr%c3%b6%c3%9fe"
	for _, revision := range []string{"2025-06-18", "2025-11-25", "2026-07-28"} {
		synctest.Test(t, func(t *testing.T) {
			c, s := clientIn(t, revision)
			var handled []string
			s.Register(mcp.NewResource(mcp.ResourceInfo{URI: "doc:///größe", Name: "size"}, func(_ context.Context, uri string) (*mcp.ResourceResult, error) {
				handled = append(handled, uri)
				return mcp.TextContents("size"), nil
			}))
			s.Register(mcp.NewTemplate(mcp.TemplateInfo{
				URITemplate: "doc:///größe/{name}", Name: "sizes",
				Variables: []mcp.TemplateVariable{{Name: "name", Values: []string{"日本"}}},
			}, func(_ context.Context, uri string, variables map[string]string) (*mcp.ResourceResult, error) {
				handled = append(handled, uri)
				return mcp.TextContents("of " + variables["name"]), nil
			}))
			c.dial(t, s)
			defer c.hangUp()
			says := func(method, members string, want ...string) {
				t.Helper()
				said := c.ask(method, members)
				for _, text := range want {
					if len(said) != 1 || !strings.Contains(said[0], text) {
						t.Errorf("%s %s: %q, want %s", method, members, said, text)
					}
				}
			}
			says("resources/list", "", `"uri":"`+encoded+`"`)
			says("resources/templates/list", "", `"uriTemplate":"`+encoded+`/{name}"`)
			for _, uri := range []string{encoded, lower, "doc:///größe"} {
				answered := uri
				if uri == "doc:///größe" {
					answered = encoded
				}
				says("resources/read", `"uri":"`+uri+`"`, `"uri":"`+answered+`"`, `"text":"size"`)
				says("resources/read", `"uri":"`+uri+`/x"`, `"uri":"`+answered+`/x"`, `"text":"of x"`)
				says("resources/read", `"uri":"`+uri+`/日本"`, `"uri":"`+answered+`/%E6%97%A5%E6%9C%AC"`, `"text":"of 日本"`)
				says("completion/complete", `"ref":{"type":"ref/resource","uri":"`+strings.ReplaceAll(uri, lower, encoded)+`/{name}"},"argument":{"name":"name","value":""}`, "日本")
			}
			says("resources/read", `"uri":"doc:///grosse"`, "resource not found")
			says("resources/read", `"uri":"doc:///gr%C3%B6%C3%9Fe%2Fx"`, "resource not found") // encoding a reserved character changes the URI
			for _, uri := range handled {
				if strings.ContainsFunc(uri, func(r rune) bool { return r >= 0x80 }) {
					t.Errorf("a function gets the URI %q", uri)
				}
			}
			if !s.Unregister(mcp.KindResource, "doc:///größe") || !s.Unregister(mcp.KindTemplate, encoded+"/{name}") {
				t.Error("the features are not found by their URIs")
			}
		})
	}
}

// TestUpdatesOutsideASCII: all spellings of a URI are one subscription.
func TestUpdatesOutsideASCII(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, s := clientIn(t, "2025-11-25")
		s.Register(mcp.NewResource(mcp.ResourceInfo{URI: "doc:///é", Name: "e"}, func(context.Context, string) (*mcp.ResourceResult, error) {
			return mcp.TextContents("e"), nil
		}))
		c.dial(t, s)
		defer c.hangUp()
		for _, subscribed := range []string{"doc:///é", "doc:///%c3%a9", "doc:///%C3%A9"} {
			c.ask("resources/subscribe", `"uri":"`+subscribed+`"`)
			s.ResourceUpdated("doc:///é")
			said := c.ask("resources/unsubscribe", `"uri":"doc:///%C3%A9"`)
			if !strings.Contains(strings.Join(said, "\n"), `"uri":"doc:///%C3%A9"`) {
				t.Errorf("subscribed to %s: %q", subscribed, said)
			}
			s.ResourceUpdated("doc:///é")
			if said := c.ask("ping", ""); len(said) != 1 || strings.Contains(said[0], "doc:") {
				t.Errorf("after unsubscribing: %q", said)
			}
		}
	})
}

// TestSpellingsRegisteredTwice: two spellings of one URI are one resource.
func TestSpellingsRegisteredTwice(t *testing.T) {
	for _, pair := range [][2]string{{"doc:///é", "doc:///%C3%A9"}, {"doc:///é", "doc:///%c3%a9"}, {"doc:///a%2fb", "doc:///a%2Fb"}} {
		_, s := clientIn(t, "2025-11-25")
		for i, uri := range pair {
			said := panicOf(func() {
				s.Register(mcp.NewResource(mcp.ResourceInfo{URI: uri, Name: "e"}, func(context.Context, string) (*mcp.ResourceResult, error) { return nil, nil }))
			})
			if want := i == 1; want != strings.Contains(said, "registered twice") {
				t.Errorf("%v: panic %q", pair, said)
			}
		}
	}
}
