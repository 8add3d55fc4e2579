package mcpskillclient_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"strings"
	"sync"
	"testing"

	"github.com/mcpgen/mcpgen/internal/skill"
	"github.com/mcpgen/mcpgen/runtime/internal/faulty"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/mcpclient"
	"github.com/mcpgen/mcpgen/runtime/mcpskillclient"
)

const (
	main      = "skill://acme/refunds/SKILL.md"
	reference = "skill://acme/refunds/references/RETURNS.md"
	nested    = "skill://acme/refunds/eu/SKILL.md"
	mainText  = "---\nname: refunds\ndescription: Give money back\nmetadata:\n  version: 1.10\n---\n\n# Refunds\n"
	// mainFields is the frontmatter of mainText, with a number in another notation.
	mainFields = `{"name":"refunds","description":"Give money back","metadata":{"version":1.1}}`
	nestedText = "---\nname: eu\ndescription: Refunds in the EU\nallowed-tools: Bash\n---\n"
)

// server has skills as JSON. Tests change its fields between requests.
type server struct {
	mu        sync.Mutex
	extension string // capability; "" for none
	legacy    bool
	list      []string // result of skills/list, by page
	get       map[string]string
	contents  map[string]string // contents of resources/read, by URI
	requests  []string          // "METHOD URI"
}

// newServer returns a server with one skill, and a skill in it that is not listed.
func newServer() *server {
	s := &server{extension: "{}", get: map[string]string{}, contents: map[string]string{}}
	s.serve(main, mainText)
	s.serve(reference, "Return it.\n")
	s.serve(nested, nestedText)
	entry := entryOf(main, mainFields, file(main, mainText), file(reference, "Return it.\n"), file(nested, nestedText))
	s.list = []string{`"skills":[` + entry + `]`}
	s.get[main] = entry
	s.get[nested] = entryOf(nested, `{"name":"eu","description":"Refunds in the EU","allowed-tools":"Bash"}`, file(nested, nestedText))
	return s
}

// serve sets the text of a resource.
func (s *server) serve(uri, text string) {
	s.contents[uri] = fmt.Sprintf(`{"uri":%s,"mimeType":"text/markdown","text":%s}`, quote(uri), quote(text))
}

func quote(text string) string {
	b, err := json.Marshal(text)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// file returns the element of resources for a file.
func file(uri, text string) string {
	return fmt.Sprintf(`{"uri":%s,"digest":%q,"size":%d}`, quote(uri), skill.Digest([]byte(text)), len(text))
}

func entryOf(uri, frontmatter string, files ...string) string {
	return fmt.Sprintf(`{"uri":%s,"frontmatter":%s,"resources":[%s]}`, quote(uri), frontmatter, strings.Join(files, ","))
}

// script answers what package faulty does not.
func (s *server) script(f *faulty.Server, m *faulty.Message) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	var p struct {
		URI    string
		Cursor string
	}
	_ = json.Unmarshal(m.Params, &p) // the client has sent it
	switch m.Method {
	case "server/discover", "initialize":
		if s.extension != "" && s.legacy == (m.Method == "initialize") {
			_ = m.Reply(strings.Replace(discovery[m.Method], "{", `{"capabilities":{"resources":{},"extensions":{"io.modelcontextprotocol/skills":`+s.extension+`}},`, 1))
			return true
		}
		return false
	case "skills/list":
		page := 0
		if p.Cursor != "" {
			_, _ = fmt.Sscan(p.Cursor, &page)
		}
		_ = m.Reply(f.Complete(s.list[page%len(s.list)], true))
	case "skills/get":
		if entry, ok := s.get[p.URI]; ok {
			_ = m.Reply(f.Complete(`"skill":`+entry, true))
		} else {
			_ = m.Fail(-32602, "no such skill")
		}
	case "resources/read":
		if content, ok := s.contents[p.URI]; ok {
			_ = m.Reply(f.Complete(`"contents":[`+content+`]`, true))
		} else {
			_ = m.Fail(-32602, "no such resource")
		}
	default:
		return false
	}
	s.requests = append(s.requests, strings.TrimSpace(m.Method+" "+p.URI))
	return true
}

// discovery contains replies by method, whose first member is put in place by script.
var discovery = map[string]string{
	"server/discover": `{"resultType":"complete","supportedVersions":["2026-07-28"],"ttlMs":0,"cacheScope":"private"}`,
	"initialize":      `{"protocolVersion":"2025-11-25","serverInfo":{"name":"faulty","version":"1"}}`,
}

// change runs f while no request is answered.
func (s *server) change(f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f()
}

// count returns the number of requests so far that begin with a text.
func (s *server) count(prefix string) (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.requests {
		if strings.HasPrefix(r, prefix) {
			n++
		}
	}
	return n
}

// client returns a client of the server, whose name is shop.
func (s *server) client(t *testing.T, o mcpskillclient.Options) *mcpskillclient.Client {
	t.Helper()
	return s.named(t, "shop", o)
}

// named returns a client of the server under a name.
func (s *server) named(t *testing.T, name string, o mcpskillclient.Options) *mcpskillclient.Client {
	t.Helper()
	f := &faulty.Server{Modern: !s.legacy}
	f.Script = func(m *faulty.Message) bool { return s.script(f, m) }
	c, err := mcpclient.Connect(t.Context(), mcpclient.Dialer("memory", func(context.Context) (jsonrpc.Conn, error) {
		here, there := net.Pipe()
		go f.ServeStream(there)
		return jsonrpc.NewLineConn(here, here, 64<<20), nil
	}), mcpclient.Options{Eras: noEras{}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	skills, err := mcpskillclient.New(c, name, o)
	if err != nil {
		t.Fatal(err)
	}
	return skills
}

// noEras stores nothing.
type noEras struct{}

func (noEras) Get(string) (mcpclient.Era, bool) { return mcpclient.Era{}, false }
func (noEras) Put(string, mcpclient.Era)        {}
func (noEras) Drop(string)                      {}

// load gets and loads the skill of a URI.
func load(t *testing.T, c *mcpskillclient.Client, uri string) (*mcpskillclient.Skill, error) {
	t.Helper()
	e, err := c.Get(t.Context(), uri)
	if err != nil {
		t.Fatal(err)
	}
	return c.Load(t.Context(), e)
}
