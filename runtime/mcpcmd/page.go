package mcpcmd

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"html"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

// This file writes the page for people who open the endpoint in a browser. It formats HTML itself,
// since package html/template keeps the linker from removing unused methods.

// pageFor answers browsers at the endpoint and at /, and passes all other requests on to next. It
// gets the tool names by a tools/list request to the endpoint for the same caller, so that every
// check of a request applies: hosts, origins, guards, policies and limits.
type pageFor struct {
	endpoint http.Handler // of streamable HTTP
	next     http.Handler
	name     string
	title    string
	about    string
	url      string // of the endpoint, for clients on this machine; may be ""
}

func (p *pageFor) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !isBrowser(r) {
		p.next.ServeHTTP(w, r)
		return
	}
	listed := &reply{header: http.Header{}}
	p.endpoint.ServeHTTP(listed, listRequest(r))
	if listed.status != http.StatusOK && listed.status != http.StatusUnauthorized {
		p.next.ServeHTTP(w, r) // a host that is not allowed, too many requests ...
		return
	}
	text := p.page(r, listed)
	h := w.Header()
	for _, field := range listed.header["Www-Authenticate"] {
		h.Add("Www-Authenticate", field)
	}
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Length", strconv.Itoa(len(text)))
	h.Set("Content-Security-Policy", pagePolicy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cache-Control", "no-store")
	h.Set("Vary", "Accept")
	w.WriteHeader(listed.status)
	if r.Method != http.MethodHead {
		_, _ = io.WriteString(w, text) // the browser may be gone
	}
}

// isBrowser reports whether a person opened an address in a browser: protocol clients do not accept
// HTML, and send header fields of their own.
func isBrowser(r *http.Request) bool {
	if r.Method != http.MethodGet && r.Method != http.MethodHead || r.ContentLength != 0 {
		return false
	}
	for name := range r.Header {
		if strings.HasPrefix(name, "Mcp-") || name == "Last-Event-Id" || name == "Upgrade" {
			return false
		}
	}
	page := false
	for kind := range strings.SplitSeq(strings.Join(r.Header["Accept"], ","), ",") {
		kind, weight, _ := strings.Cut(kind, ";")
		switch strings.ToLower(strings.TrimSpace(kind)) {
		case "text/html":
			_, q, _ := strings.Cut(weight, "q=")
			n, err := strconv.ParseFloat(strings.TrimSpace(q), 64)
			page = page || err != nil || n > 0
		case "text/event-stream", "application/json":
			return false
		}
	}
	return page
}

// pageRevision is a revision without sessions.
const pageRevision = "2026-07-28"

// listRequest returns a tools/list request by the same caller.
func listRequest(r *http.Request) *http.Request {
	const body = `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"` + pageRevision +
		`","io.modelcontextprotocol/clientInfo":{"name":"browser","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}}}`
	list := r.Clone(r.Context())
	list.Method, list.Body, list.ContentLength = http.MethodPost, io.NopCloser(strings.NewReader(body)), int64(len(body))
	h := list.Header
	h.Del("Accept-Encoding")
	h.Set("Content-Type", "application/json")
	h.Set("Accept", "application/json, text/event-stream")
	h.Set("Mcp-Protocol-Version", pageRevision)
	h.Set("Mcp-Method", "tools/list")
	return list
}

// reply stores a response.
type reply struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (w *reply) Header() http.Header { return w.header }

func (w *reply) WriteHeader(status int) {
	if w.status == 0 {
		w.status = status
	}
}

func (w *reply) Write(b []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	return w.body.Write(b)
}

// pageStyle is for light and dark.
const pageStyle = `:root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;max-width:44rem;margin:3rem auto;padding:0 1rem}` +
	`h1{font-size:1.5rem}h2{font-size:1.1rem;margin-top:2rem}code,pre{font:14px/1.5 ui-monospace,monospace}` +
	`pre{padding:.75rem 1rem;overflow-x:auto;border:1px solid #8886;border-radius:6px}li code{font-weight:600}`

var pagePolicy = func() string {
	sum := sha256.Sum256([]byte(pageStyle))
	return "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
}()

// page returns the HTML of the page.
func (p *pageFor) page(r *http.Request, listed *reply) string {
	at, name := p.address(r), quoted(p.name)
	var b strings.Builder
	put := func(texts ...string) {
		for i, text := range texts {
			if i%2 == 1 {
				text = html.EscapeString(text)
			}
			b.WriteString(text)
		}
		b.WriteString("\n")
	}
	title := p.title
	if title == "" {
		title = p.name
	}
	put(`<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">`)
	put(`<title>`, title, `</title><style>`+pageStyle+`</style>`)
	put(`<h1>`, title, `</h1>`)
	if p.about != "" {
		put(`<p>`, p.about, `</p>`)
	}
	put(`<p>This is a server of the <a href="https://modelcontextprotocol.io">Model Context Protocol</a>: programs with a language model call it, not browsers. Its endpoint is <code>`, at, `</code>.</p>`)
	put(`<h2>Add it to a client</h2>`)
	put(`<p>Claude Code:</p><pre>claude mcp add --transport http `, name+" "+quoted(at), `</pre>`)
	put(`<p>Cursor, in <code>.cursor/mcp.json</code>:</p><pre>`, entry("mcpServers", p.name, map[string]string{"url": at}), `</pre>`)
	put(`<p>VS Code, in <code>.vscode/mcp.json</code>:</p><pre>`, entry("servers", p.name, map[string]string{"type": "http", "url": at}), `</pre>`)
	put(`<p>From a shell:</p><pre>mcpgen list `, quoted(at), `</pre>`)
	if listed.status == http.StatusUnauthorized {
		put(`<p>Callers need credentials: clients log in when they connect, or are given a key.</p>`)
		return b.String()
	}
	names, more := toolsOf(listed.body.Bytes())
	put(`<h2>Tools</h2>`)
	if len(names) == 0 {
		put(`<p>It lists no tools.</p>`)
	}
	if len(names) > 0 {
		put(`<ul>`)
		for _, name := range names {
			put(`<li><code>`, name, `</code></li>`)
		}
		put(`</ul>`)
	}
	if more {
		put(`<p>There are more.</p>`)
	}
	return b.String()
}

// address returns the URL of the endpoint as the browser sees it.
func (p *pageFor) address(r *http.Request) string {
	own, err := url.Parse(p.url)
	if err != nil || own.Host == "" || r.Host == "" || strings.EqualFold(own.Host, r.Host) {
		return p.url
	}
	u := url.URL{Scheme: "https", Host: r.Host, Path: endpoint}
	if u.Port() == own.Port() { // the browser is connected to this program, and not to a proxy
		u.Scheme = own.Scheme
	}
	return u.String()
}

// entry returns an entry for the configuration file of a client.
func entry(list, name string, server map[string]string) string {
	text, err := json.MarshalIndent(map[string]any{list: map[string]any{name: server}}, "", "  ")
	if err != nil {
		return ""
	}
	return string(text)
}

// toolsOf returns the names in a reply to tools/list, and reports whether more follow.
func toolsOf(body []byte) (names []string, more bool) {
	var m struct {
		Result struct {
			Tools []struct{ Name string }
			Next  string `json:"nextCursor"`
		}
	}
	if json.Unmarshal(body, &m) != nil {
		return nil, false
	}
	for _, t := range m.Result.Tools {
		names = append(names, t.Name)
	}
	return names, m.Result.Next != ""
}
