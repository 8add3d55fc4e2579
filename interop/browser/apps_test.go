package browser

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcphttp"
)

//go:embed sandbox.js
var sandboxJS string

// hostScript returns the script of the host of MCP Apps, with the packages that it imports.
var hostScript = sync.OnceValues(func() ([]byte, error) {
	esbuild := exec.Command(filepath.Join("node_modules", ".bin", "esbuild"),
		"apphost.mjs", "--bundle", "--format=esm", "--target=chrome120", "--log-level=error")
	esbuild.Dir = filepath.Join("..", "clients")
	return esbuild.Output()
})

// appHost is a host of MCP Apps: the page of the host on one origin, and on another one the sandbox
// with the interfaces that were given to it.
type appHost struct {
	host, sandbox *httptest.Server

	mu    sync.Mutex
	views []*view
}

// view is the page of an interface.
type view struct {
	HTML string
	CSP  *sources
}

// sources are the origins that a page may load from, as the member csp of _meta.ui in the contents
// of its resource names them (MCP Apps 2026-01-26, UI resource format).
type sources struct {
	ConnectDomains, ResourceDomains, FrameDomains, BaseURIDomains []string
}

// policy returns the Content-Security-Policy of a page, which allows nothing else.
func (s *sources) policy() string {
	connect := "'self'"
	if s == nil {
		s, connect = &sources{}, "'none'"
	}
	list := func(first string, origins []string) string {
		return strings.TrimSpace(first + " " + strings.Join(origins, " "))
	}
	orElse := func(origins []string, otherwise string) string {
		if len(origins) == 0 {
			return otherwise
		}
		return strings.Join(origins, " ")
	}
	return strings.Join([]string{
		"default-src 'none'",
		"script-src " + list("'self' 'unsafe-inline'", s.ResourceDomains),
		"style-src " + list("'self' 'unsafe-inline'", s.ResourceDomains),
		"connect-src " + list(connect, s.ConnectDomains),
		"img-src " + list("'self' data:", s.ResourceDomains),
		"font-src " + list("'self'", s.ResourceDomains),
		"media-src " + list("'self' data:", s.ResourceDomains),
		"frame-src " + orElse(s.FrameDomains, "'none'"),
		"object-src 'none'",
		"base-uri " + orElse(s.BaseURIDomains, "'self'"),
	}, "; ")
}

// newAppHost starts a host. It skips the test if the packages of the host are not installed, or
// fails it in CI (CI=true).
func newAppHost(t *testing.T) *appHost {
	t.Helper()
	script, err := hostScript()
	if err != nil {
		complain := t.Skipf
		if os.Getenv("CI") == "true" {
			complain = t.Fatalf
		}
		complain("the host cannot be built, install its packages with \"npm ci\" in interop/clients: %v", err)
	}
	h := &appHost{}
	page := func(script string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprintf(w, "<!doctype html><html lang=en><title>Host</title><link rel=icon href=data:,><body>%s", script)
		}
	}
	text := func(script []byte) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/javascript")
			_, _ = w.Write(script)
		}
	}
	host, sandbox := http.NewServeMux(), http.NewServeMux()
	host.Handle("GET /{$}", page(`<script type="module" src="/host.js"></script>`))
	host.Handle("GET /host.js", text(script))
	sandbox.Handle("GET /{$}", page(`<script src="/sandbox.js"></script>`))
	sandbox.Handle("GET /sandbox.js", text([]byte(sandboxJS)))
	sandbox.HandleFunc("POST /views", h.add)
	sandbox.HandleFunc("GET /views/{number}", h.show)
	h.host, h.sandbox = httptest.NewServer(host), httptest.NewServer(sandbox)
	t.Cleanup(h.host.Close)
	t.Cleanup(h.sandbox.Close)
	return h
}

// add stores a page, and answers with its path.
func (h *appHost) add(w http.ResponseWriter, r *http.Request) {
	v := &view{}
	if err := json.NewDecoder(r.Body).Decode(v); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	fmt.Fprintf(w, "/views/%d", len(h.views))
	h.views = append(h.views, v)
}

// show serves a page with its policy.
func (h *appHost) show(w http.ResponseWriter, r *http.Request) {
	h.mu.Lock()
	defer h.mu.Unlock()
	var number int
	if _, err := fmt.Sscan(r.PathValue("number"), &number); err != nil || number >= len(h.views) {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Security-Policy", h.views[number].CSP.policy())
	_, _ = io.WriteString(w, h.views[number].HTML)
}

// call is a call of a tool that the host makes.
type call struct {
	server, revision, tool, arguments string
}

// open calls a tool in a new tab, and returns the tab of the host and the frame of the interface,
// which has the result.
func (h *appHost) open(d *devtools, c call, l look) (host, view *tab) {
	d.t.Helper()
	theme := "light"
	if l.dark {
		theme = "dark"
	}
	host = d.show(h.host.URL+"/?"+url.Values{
		"server": {c.server}, "sandbox": {h.sandbox.URL}, "revision": {c.revision}, "tool": {c.tool}, "arguments": {c.arguments}, "theme": {theme},
	}.Encode(), l)
	host.until("seen.delivered")
	return host, host.interior()
}

// until waits until a condition on the actions of the host holds.
func (p *tab) until(condition string) {
	p.t.Helper()
	var held bool
	p.eval("until(seen => "+condition+")", &held)
}

// becomes waits until an expression is true in the page.
func (p *tab) becomes(expression string) {
	p.t.Helper()
	var held bool
	p.eval("new Promise(done => { const look = () => ("+expression+") ? done(true) : requestAnimationFrame(look); look(); })", &held)
}

// interior returns the frame of an interface.
func (p *tab) interior() *tab {
	p.t.Helper()
	p.mu.Lock()
	contexts := slices.Clone(p.contexts)
	p.mu.Unlock()
	for _, context := range contexts {
		frame := &tab{devtools: p.devtools, session: p.session, frame: context}
		var path string
		if frame.eval("location.pathname", &path); strings.HasPrefix(path, "/views/") {
			return frame
		}
	}
	p.t.Fatalf("none of the %d frames is the interface", len(contexts))
	return nil
}

// activate presses Enter at a button or link in the frame of an interface. A click at a position
// would miss it if the page moves in between.
func (p *tab) activate(view *tab, element string) {
	p.t.Helper()
	view.eval(element+`.focus(), []`, &[]string{})
	view.is(`document.hasFocus() && document.activeElement === ` + element)
	p.press("Enter", "\r")
}

// takeFaults returns the errors so far, which then are none of the test.
func (p *tab) takeFaults() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	faults := strings.Join(p.faults, "\n")
	p.faults = nil
	return faults
}

// handmade is a tool with an interface, written by hand.
type handmade struct {
	tool, page string
	ui         *mcp.ResourceUI
	result     *mcp.ToolResult
}

// serve serves the tool to pages of an origin, and returns the endpoint.
func (m *handmade) serve(t *testing.T, origin string) string {
	t.Helper()
	s := mcp.NewServer(mcp.ServerInfo{Name: "handmade", Version: "1.0.0"}, mcp.WithLogger(slog.New(slog.DiscardHandler)))
	const uri = "ui://handmade/page"
	s.Register(mcp.NewTool(mcp.ToolInfo{
		Name: m.tool, Description: "Has an interface.", InputSchema: `{"type":"object"}`,
		UI: &mcp.ToolUI{ResourceURI: uri},
	}, func(context.Context, json.RawMessage) (*mcp.ToolResult, error) { return m.result, nil }))
	s.Register(mcp.TextResource(&mcp.ResourceInfo{URI: uri, Name: "page", UI: m.ui}, m.page))
	handler := mcphttp.NewHandler(s, mcphttp.WithAllowedOrigins(origin))
	serving := httptest.NewServer(handler)
	t.Cleanup(func() {
		if err := handler.Close(); err != nil {
			t.Error(err)
		}
		serving.CloseClientConnections()
		serving.Close()
	})
	return serving.URL
}

// needy is a page that needs an image of another origin, and reports whether it is there.
const needy = `<!doctype html><html lang="en"><title>Needy</title><img alt="" src="ORIGIN/dot.svg"><script>
const send = message => parent.postMessage({ jsonrpc: "2.0", ...message }, "*");
const tell = data => send({ method: "notifications/message", params: { level: "info", data } });
const image = document.querySelector("img");
addEventListener("message", ({ data }) => {
	if (data.id === 1) {
		send({ method: "ui/notifications/initialized", params: {} });
	} else if (data.method === "ui/notifications/tool-result") {
		image.decode().then(() => tell("loaded"), () => tell("blocked"));
	}
});
send({ id: 1, method: "ui/initialize", params: { protocolVersion: "2026-01-26", appInfo: { name: "needy", version: "1" }, appCapabilities: {} } });
</script>`

// The host blocks what the metadata of a page does not name, and the browser reports it to the test
// as a fault. What the metadata names is loaded.
func TestAppPolicy(t *testing.T) {
	d := control(t)
	h := newAppHost(t)
	elsewhere := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "image/svg+xml")
		_, _ = io.WriteString(w, `<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"/>`)
	}))
	t.Cleanup(elsewhere.Close)
	for _, test := range []struct {
		name string
		ui   *mcp.ResourceUI
		want string
	}{
		{"without metadata", nil, "blocked"},
		{"undeclared", &mcp.ResourceUI{ConnectDomains: []string{elsewhere.URL}}, "blocked"},
		{"declared", &mcp.ResourceUI{ResourceDomains: []string{elsewhere.URL}}, "loaded"},
	} {
		m := &handmade{tool: "look", page: strings.Replace(needy, "ORIGIN", elsewhere.URL, 1), ui: test.ui, result: mcp.TextResult("seen")}
		host, _ := h.open(d, call{server: m.serve(t, h.host.URL), revision: "2026-07-28", tool: "look", arguments: "{}"}, views[0])
		host.until("seen.logs.length > 0")
		host.until(`seen.logs[0].data === "` + test.want + `"`)
		faults := host.takeFaults()
		if blocked := strings.Contains(faults, `"blockedReason":"csp"`) && strings.Contains(faults, "Content Security Policy"); blocked != (test.want == "blocked") {
			t.Errorf("%s: the browser has reported %q", test.name, faults)
		}
	}
}

// rows are the rows of the report.
const rows = `[...document.querySelectorAll("tbody tr")]`

// The report of the bookstore shows the result of its tool, calls the tool again, and follows the
// host, in a sandbox without any permission.
func TestReportApp(t *testing.T) {
	d := control(t)
	h := newAppHost(t)
	endpoint := serve(t, "bookstore", "-allow-origin", h.host.URL)
	for revision, l := range map[string]look{
		"2024-11-05": {width: 700, height: 500}, "2025-03-26": {width: 700, height: 500, dark: true},
		"2025-11-25": {width: 400, height: 700}, "2026-07-28": {width: 400, height: 700, dark: true},
	} {
		host, view := h.open(d, call{server: endpoint, revision: revision, tool: "report_by_decade", arguments: `{"from":1850,"to":1899}`}, l)
		view.becomes(rows + `.length === 5`)
		view.is(`document.querySelector("#from").value === "1850" && document.querySelector("#to").value === "1899"`)
		view.is(`/^\d+ books$/.test(document.querySelector("#status").textContent)`)
		view.is(`!document.querySelector("tbody").textContent.includes("undefined")`)
		view.is(rows + `[0].textContent.includes("€") && ` + rows + `[0].textContent.includes("English")`)
		view.is(`getComputedStyle(document.body).fontFamily === "serif"`)    // the host's
		view.becomes(`document.documentElement.scrollHeight <= innerHeight`) // the host has made room
		view.fits("report-" + l.String())
		host.screenshot("report-" + l.String())

		host.activate(view, rows+`[0].querySelector("button")`)
		host.until(`seen.calls.length === 1 && seen.calls[0].arguments.from === 1850 && seen.calls[0].arguments.to === 1859`)
		view.becomes(rows + `.length === 1 && document.querySelector("#to").value === "1859"`)
		host.until(`seen.sizes.at(-1) < Math.max(...seen.sizes)`)
		view.eval(`document.querySelector("#to").value = 1869, document.querySelector("#to").focus(), []`, &[]string{})
		host.press("Enter", "\r")
		view.becomes(rows + `.length === 2`)

		host.activate(view, `document.querySelector("#source button")`)
		host.until(`seen.links.length === 1 && new URL(seen.links[0]).protocol === "https:"`)
		other := "dark"
		if l.dark {
			other = "light"
		}
		host.eval(`changeTheme("`+other+`"), []`, &[]string{})
		view.becomes(`getComputedStyle(document.documentElement).colorScheme === "` + other + `"`)
		host.eval("teardown().then(() => [])", &[]string{})
	}
}

// Texts of the server never become markup, and its errors are visible.
func TestReportAppOfOthers(t *testing.T) {
	d := control(t)
	h := newAppHost(t)
	page, err := os.ReadFile("../../examples/bookstore/report.html")
	if err != nil {
		t.Fatal(err)
	}
	const hostile = `<img src=x onerror="window.ran = true"><script>window.ran = true</script>`
	m := &handmade{tool: "report_by_decade", page: string(page), result: &mcp.ToolResult{Structured: mustMarshal(t, map[string]any{
		hostile: map[string]any{"books": 1, "available": hostile, "meanPriceCents": 1, "languages": map[string]any{hostile: hostile}},
	})}}
	_, view := h.open(d, call{server: m.serve(t, h.host.URL), revision: "2026-07-28", tool: m.tool, arguments: "{}"}, views[0])
	view.becomes(rows + `.length === 1`)
	view.is(`window.ran === undefined && document.scripts.length === 1 && !document.querySelector("img")`)
	view.is(rows + `[0].textContent.includes("<script>")`)

	failing := &handmade{tool: "report_by_decade", page: string(page), result: &mcp.ToolResult{Content: []mcp.Content{mcp.Text{Text: hostile}}, IsError: true}}
	_, view = h.open(d, call{server: failing.serve(t, h.host.URL), revision: "2026-07-28", tool: m.tool, arguments: "{}"}, views[0])
	view.becomes(`document.querySelector("#status.failed")?.textContent.includes("<script>")`)
	view.is(`window.ran === undefined && document.querySelector("#report").hidden`)
}

func mustMarshal(t *testing.T, v any) json.RawMessage {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return text
}
