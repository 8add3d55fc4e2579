package mcp_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/mcpgen/mcpgen/internal/proof/spec"
	"github.com/mcpgen/mcpgen/runtime/mcp"
)

const testPage = "<!doctype html><title>a</title>"

// uiTool returns a tool with an interface.
func uiTool(name string, ui *mcp.ToolUI) mcp.Feature {
	return mcp.NewTool(mcp.ToolInfo{Name: name, UI: ui, Meta: mcp.Meta{"com.example/a": json.RawMessage("1")}},
		func(context.Context, json.RawMessage) (*mcp.ToolResult, error) { return mcp.TextResult("done"), nil })
}

// uiPage returns a page.
func uiPage(uri string, ui *mcp.ResourceUI) mcp.Feature {
	return mcp.TextResource(&mcp.ResourceInfo{URI: uri, Name: uri, UI: ui, Meta: mcp.Meta{"com.example/a": json.RawMessage("1")}}, testPage)
}

var wholeUI = mcp.ResourceUI{
	ConnectDomains: []string{"https://api.example.com", "wss://*.example.com:8443"}, ResourceDomains: []string{"https://cdn.example.com"},
	FrameDomains: []string{"https://[::1]"}, BaseURIDomains: []string{"http://localhost:80"},
	Permissions: []mcp.UIPermission{mcp.PermissionCamera, mcp.PermissionMicrophone, mcp.PermissionGeolocation, mcp.PermissionClipboardWrite, mcp.PermissionCamera},
	Domain:      "a.example.com", PrefersBorder: new(false),
}

const wholeUIText = `"ui":{"csp":{"connectDomains":["https://api.example.com","wss://*.example.com:8443"],"resourceDomains":["https://cdn.example.com"],` +
	`"frameDomains":["https://[::1]"],"baseUriDomains":["http://localhost:80"]},` +
	`"permissions":{"camera":{},"microphone":{},"geolocation":{},"clipboardWrite":{}},"domain":"a.example.com","prefersBorder":false}`

// The metadata of tools and contents reaches clients of every revision, and other metadata does
// not.
func TestInterfacesInEveryRevision(t *testing.T) {
	spec.Holds(t, "S378", "S379", "S383", "S384")
	for _, revision := range everyRevision {
		synctest.Test(t, func(t *testing.T) {
			c, s := clientIn(t, revision)
			s.Register(uiTool("both", &mcp.ToolUI{ResourceURI: "ui://a/b"}))
			s.Register(uiTool("model", &mcp.ToolUI{ResourceURI: "ui://a/b", Visibility: mcp.VisibleToModel}))
			s.Register(uiTool("app", &mcp.ToolUI{Visibility: mcp.VisibleToApp}))
			s.Register(uiTool("none", &mcp.ToolUI{}))
			s.Register(uiPage("ui://a/b", &wholeUI))
			s.Register(uiPage("ui://a/c", &mcp.ResourceUI{PrefersBorder: new(true)}))
			s.Register(mcp.NewTemplate(mcp.TemplateInfo{URITemplate: "ui://t/{x}", Name: "t", UI: &mcp.ResourceUI{Domain: "d"},
				List: func(context.Context) ([]mcp.ResourceInfo, error) {
					return []mcp.ResourceInfo{{URI: "ui://t/1", UI: &mcp.ResourceUI{Domain: "e"}}}, nil
				}}, func(context.Context, string, map[string]string) (*mcp.ResourceResult, error) {
				return mcp.BlobContents([]byte(testPage)), nil
			}))
			c.dial(t, s)
			defer c.hangUp()
			meta := func(ui string) string {
				switch own := revision >= "2025-06-18"; {
				case ui == "" && !own:
					return ""
				case !own:
					return `,"_meta":{` + ui + `}`
				case ui == "":
					return `,"_meta":{"com.example/a":1}`
				}
				return `,"_meta":{` + ui + `,"com.example/a":1}`
			}
			tools := c.ask("tools/list", "")[0]
			for name, ui := range map[string]string{
				"both":  `"ui":{"resourceUri":"ui://a/b"},"ui/resourceUri":"ui://a/b"`,
				"model": `"ui":{"resourceUri":"ui://a/b","visibility":["model"]},"ui/resourceUri":"ui://a/b"`,
				"app":   `"ui":{"visibility":["app"]}`,
				"none":  "",
			} {
				_, entry, _ := strings.Cut(tools, `{"name":"`+name+`"`)
				entry, _, _ = strings.Cut(entry, `{"name":"`)
				entry = strings.TrimRight(strings.SplitAfter(entry, "}}")[0], ",")
				if want := meta(ui); !strings.Contains(tools, `{"name":"`+name+`"`) || !strings.Contains(entry+"}", want) || want == "" && strings.Contains(entry, "_meta") {
					t.Errorf("%s: tool %s: %s, want %s", revision, name, entry, want)
				}
			}
			contents := func(uri, data, ui string) string {
				return `"contents":[{"uri":"` + uri + `","mimeType":"text/html;profile=mcp-app",` + data + `,"_meta":{` + ui + `}}]`
			}
			text, err := json.Marshal(testPage)
			if err != nil {
				t.Fatal(err)
			}
			page := `"text":` + strings.NewReplacer(`\u003c`, "<", `\u003e`, ">").Replace(string(text))
			for uri, want := range map[string]string{
				"ui://a/b": contents("ui://a/b", page, wholeUIText),
				"ui://a/c": contents("ui://a/c", page, `"ui":{"prefersBorder":true}`),
				"ui://t/1": contents("ui://t/1", `"blob":"PCFkb2N0eXBlIGh0bWw+PHRpdGxlPmE8L3RpdGxlPg=="`, `"ui":{"domain":"d"}`),
			} {
				if got := c.ask("resources/read", `"uri":"`+uri+`"`)[0]; !strings.Contains(got, want) {
					t.Errorf("%s: got %s, want %s", revision, got, want)
				}
			}
			for method, want := range map[string][]string{
				"resources/list":           {wholeUIText + `,"com.example/a":1`, `"_meta":{"ui":{"domain":"e"}}`},
				"resources/templates/list": {`"_meta":{"ui":{"domain":"d"}}`},
			} {
				got := c.ask(method, "")[0]
				for _, want := range want {
					if strings.Contains(got, want) != (revision >= "2025-06-18") {
						t.Errorf("%s: %s: %s", revision, method, got)
					}
				}
				if !strings.Contains(got, `"mimeType":"text/html;profile=mcp-app"`) {
					t.Errorf("%s: no MIME type in %s", revision, got)
				}
			}
			if got := c.ask("tools/call", `"name":"both","arguments":{}`)[0]; !strings.Contains(got, `"content":[{"type":"text","text":"done"}]`) {
				t.Errorf("%s: got %s", revision, got)
			}
		})
	}
}

// A description that hosts could not use is refused when the feature is registered.
func TestInterfacesRefused(t *testing.T) {
	spec.Holds(t, "S377", "S378")
	page := func(change func(*mcp.ResourceUI)) mcp.Feature {
		ui := new(mcp.ResourceUI)
		change(ui)
		return uiPage("ui://a", ui)
	}
	resource := func(info mcp.ResourceInfo) mcp.Feature {
		info.Name = "a"
		return mcp.NewResource(info, func(context.Context, string) (*mcp.ResourceResult, error) { return nil, nil })
	}
	for want, feature := range map[string]mcp.Feature{
		`does not begin with ui://`:                         uiTool("a", &mcp.ToolUI{ResourceURI: "https://example.com"}),
		`not an absolute URI`:                               uiTool("a", &mcp.ToolUI{ResourceURI: "ui://a b"}),
		`there is no visibility "user"`:                     uiTool("a", &mcp.ToolUI{Visibility: "user"}),
		`the _meta key "ui" describes`:                      mcp.NewTool(mcp.ToolInfo{Name: "a", Meta: mcp.Meta{"ui": json.RawMessage("{}")}}, nil),
		`the _meta key "ui/resourceUri" describes`:          resource(mcp.ResourceInfo{URI: "a:b", Meta: mcp.Meta{"ui/resourceUri": json.RawMessage("1")}}),
		`has the MIME type "text/html"`:                     resource(mcp.ResourceInfo{URI: "ui://a", MIMEType: "text/html"}),
		`its URI does not begin with ui://`:                 resource(mcp.ResourceInfo{URI: "books://a", UI: &mcp.ResourceUI{}}),
		`"example.com" is not an origin`:                    page(func(ui *mcp.ResourceUI) { ui.ConnectDomains = []string{"example.com"} }),
		`"https://a.example/b" is not an origin`:            page(func(ui *mcp.ResourceUI) { ui.ResourceDomains = []string{"https://a.example/b"} }),
		`"wss://a.example" is the origin of a WebSocket`:    page(func(ui *mcp.ResourceUI) { ui.FrameDomains = []string{"wss://a.example"} }),
		`"https://a.example;script-src *" is not an origin`: page(func(ui *mcp.ResourceUI) { ui.BaseURIDomains = []string{"https://a.example;script-src *"} }),
		`there is no permission "bluetooth"`:                page(func(ui *mcp.ResourceUI) { ui.Permissions = []mcp.UIPermission{"bluetooth"} }),
		`ui://{x} has the MIME type "text/plain"`:           mcp.NewTemplate(mcp.TemplateInfo{URITemplate: "ui://{x}", Name: "a", MIMEType: "text/plain"}, nil),
	} {
		if got := panicOf(func() { mcp.NewServer(fixtureInfo()).Register(feature) }); !strings.Contains(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// Functions describe a page when it is read, and cannot return anything but pages.
func TestPageContents(t *testing.T) {
	spec.Holds(t, "S378")
	pages := map[string]mcp.ResourceContents{
		"own":    {Text: testPage, UI: &mcp.ResourceUI{Domain: "own"}, Meta: mcp.Meta{"ui": json.RawMessage("{}"), "com.example/b": json.RawMessage("2")}},
		"meta":   {Text: testPage, Meta: mcp.Meta{"com.example/b": json.RawMessage("2")}},
		"part":   {URI: "ui://other", Text: testPage},
		"plain":  {Text: testPage, MIMEType: "text/html"},
		"origin": {Text: testPage, UI: &mcp.ResourceUI{ConnectDomains: []string{"x"}}},
		"no ui":  {URI: "books://a", MIMEType: "text/html", Text: testPage, UI: &mcp.ResourceUI{Domain: "own"}},
	}
	synctest.Test(t, func(t *testing.T) {
		c, s := clientIn(t, "2025-11-25")
		s.Register(mcp.NewTemplate(mcp.TemplateInfo{URITemplate: "ui://{page}", Name: "a", UI: &mcp.ResourceUI{Domain: "info"}},
			func(_ context.Context, _ string, values map[string]string) (*mcp.ResourceResult, error) {
				return &mcp.ResourceResult{Contents: []mcp.ResourceContents{pages[values["page"]]}}, nil
			}))
		c.dial(t, s)
		defer c.hangUp()
		for page, want := range map[string]string{
			"own":     `"_meta":{"ui":{"domain":"own"},"com.example/b":2}`,
			"meta":    `"_meta":{"ui":{"domain":"info"},"com.example/b":2}`,
			"part":    `</title>"}]`,
			"plain":   `"code":-32603`,
			"origin":  `"code":-32603`,
			"no%20ui": `"code":-32603`,
		} {
			if got := c.ask("resources/read", `"uri":"ui://`+page+`"`)[0]; !strings.Contains(got, want) {
				t.Errorf("%s: got %s, want %s", page, got, want)
			}
		}
	})
}

// A server declares the extension once a page shows the results of a tool.
func TestInterfaceExtension(t *testing.T) {
	const declared = `"io.modelcontextprotocol/ui":{"mimeTypes":["text/html;profile=mcp-app"]}`
	for _, revision := range everyRevision {
		for _, ui := range []*mcp.ToolUI{nil, {Visibility: mcp.VisibleToModel}, {ResourceURI: "ui://a"}} {
			synctest.Test(t, func(t *testing.T) {
				c, s := clientIn(t, revision)
				s.Register(uiTool("a", ui))
				s.Register(uiPage("ui://a", nil))
				c.peer = dial(t, s, "memory")
				defer c.hangUp()
				got := c.declares()
				if want := ui != nil && ui.ResourceURI != "" && revision >= "2025-11-25"; strings.Contains(got, declared) != want {
					t.Errorf("%s with %+v: %s", revision, ui, got)
				}
			})
		}
	}
	synctest.Test(t, func(t *testing.T) {
		c, s := clientIn(t, "2026-07-28", mcp.WithExtension(mcp.Extension{Name: "io.modelcontextprotocol/ui", Settings: json.RawMessage(`{"own":1}`)}))
		s.Register(uiTool("a", &mcp.ToolUI{ResourceURI: "ui://a"}))
		c.peer = dial(t, s, "memory")
		defer c.hangUp()
		if got := c.declares(); !strings.Contains(got, `"io.modelcontextprotocol/ui":{"own":1}`) {
			t.Errorf("the program's own settings are replaced: %s", got)
		}
	})
}

// declares returns the reply in which the server declares its capabilities.
func (c *inRevision) declares() string {
	if c.revision >= "2026" {
		return c.ask("server/discover", "")[0]
	}
	return c.ask("initialize", `"protocolVersion":"`+c.revision+`","capabilities":{},"clientInfo":{"name":"c","version":"1"}`)[0]
}

// A handler asks whether the client shows pages.
func TestShowsUI(t *testing.T) {
	var none *mcp.Call
	if none.ShowsUI() {
		t.Error("a call outside of a request shows pages")
	}
	for _, revision := range everyRevision {
		for settings, want := range map[string]bool{
			`{"mimeTypes":["text/html;profile=mcp-app"]}`:           true,
			`{"mimeTypes":["text/x","text\/html;profile=mcp-app"]}`: true,
			`{"mimeTypes":["text/html"]}`:                           false,
			`{"mimeTypes":"text/html;profile=mcp-app"}`:             false,
			`{"mimeTypes":[["text/html;profile=mcp-app"],1,{}]}`:    false,
			`{}`: false,
		} {
			synctest.Test(t, func(t *testing.T) {
				c, s := clientIn(t, revision)
				s.Register(mcp.NewTool(mcp.ToolInfo{Name: "a"}, func(ctx context.Context, _ json.RawMessage) (*mcp.ToolResult, error) {
					return mcp.TextResult(fmt.Sprint("shows: ", mcp.CallFrom(ctx).ShowsUI())), nil
				}))
				c.peer = dial(t, s, "memory")
				defer c.hangUp()
				capabilities := `{"extensions":{"io.modelcontextprotocol/ui":` + settings + `}}`
				params := `{"name":"a","arguments":{}}`
				if revision >= "2026" {
					params = `{"name":"a","arguments":{},"_meta":{"io.modelcontextprotocol/protocolVersion":"` + revision + `","io.modelcontextprotocol/clientCapabilities":` + capabilities + `}}`
				} else {
					c.send(request(1, "initialize", `{"protocolVersion":"`+revision+`","capabilities":`+capabilities+`,"clientInfo":{"name":"c","version":"1"}}`) + "\n" + initialized + "\n")
					synctest.Wait()
					c.received()
				}
				c.send(request(2, "tools/call", params) + "\n")
				synctest.Wait()
				if got := strings.Join(c.received(), ""); !strings.Contains(got, fmt.Sprint("shows: ", want)) {
					t.Errorf("%s with %s: %s", revision, settings, got)
				}
			})
		}
	}
}

// A tool whose page does not exist is reported once, when the first client connects.
func TestMissingPages(t *testing.T) {
	spec.Holds(t, "S382")
	synctest.Test(t, func(t *testing.T) {
		c, s := clientIn(t, "2025-11-25")
		for i, uri := range []string{"ui://static", "ui://static/%c3%a9", "ui://template/1", "ui://missing"} {
			s.Register(uiTool(fmt.Sprint("tool", i), &mcp.ToolUI{ResourceURI: uri}))
		}
		s.Register(uiPage("ui://static", nil))
		s.Register(uiPage("ui://static/é", nil))
		s.Register(mcp.NewTemplate(mcp.TemplateInfo{URITemplate: "ui://template/{x}", Name: "t"}, func(context.Context, string, map[string]string) (*mcp.ResourceResult, error) {
			return nil, errors.New("not read")
		}))
		c.dial(t, s)
		c.hangUp()
		c.dial(t, s)
		c.hangUp()
		logged := c.logged.String()
		if strings.Count(logged, "the page of a tool does not exist") != 1 || !strings.Contains(logged, "tool=tool3 uri=ui://missing") {
			t.Errorf("logged: %s", logged)
		}
	})
}

// Override changes the description of a page, for hosts and deployments that need another one, and
// leaves the program's own as it is.
func TestOverridePages(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, s := clientIn(t, "2025-11-25")
		info := mcp.ResourceInfo{URI: "ui://a", Name: "a", UI: &mcp.ResourceUI{ConnectDomains: []string{"https://a.example"}}}
		over := mcp.Override(s, mcp.Overrides{
			Tool: func(i *mcp.ToolInfo) { i.Title = "A" },
			Resource: func(i *mcp.ResourceInfo) {
				i.UI.ConnectDomains[0], i.UI.Domain = "https://b.example", "b"
			},
			Template: func(i *mcp.TemplateInfo) { i.UI = &mcp.ResourceUI{Domain: "c"} },
		})
		over.Register(uiTool("a", &mcp.ToolUI{ResourceURI: "ui://a"}))
		over.Register(mcp.TextResource(&info, testPage))
		over.Register(mcp.NewTemplate(mcp.TemplateInfo{URITemplate: "ui://t/{x}", Name: "t"}, func(context.Context, string, map[string]string) (*mcp.ResourceResult, error) {
			return mcp.TextContents(testPage), nil
		}))
		c.dial(t, s)
		defer c.hangUp()
		for uri, want := range map[string]string{
			"ui://a":   `"_meta":{"ui":{"csp":{"connectDomains":["https://b.example"]},"domain":"b"}}`,
			"ui://t/1": `"_meta":{"ui":{"domain":"c"}}`,
		} {
			if got := c.ask("resources/read", `"uri":"`+uri+`"`)[0]; !strings.Contains(got, want) {
				t.Errorf("got %s, want %s", got, want)
			}
		}
		if info.UI.ConnectDomains[0] != "https://a.example" || info.UI.Domain != "" {
			t.Errorf("the program's description became %+v", info.UI)
		}
	})
	hidden := func(i *mcp.ResourceInfo) { i.UI = &mcp.ResourceUI{Domain: "a\u200bb"} }
	if got := panicOf(func() {
		mcp.Override(mcp.NewServer(fixtureInfo()), mcp.Overrides{Resource: hidden}).Register(uiPage("ui://a", nil))
	}); !strings.Contains(got, "hidden character U+200B in its domain") {
		t.Errorf("got %q", got)
	}
}
