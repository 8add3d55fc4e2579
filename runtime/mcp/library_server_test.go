package mcp_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/internal/proof/spec"
	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpimpl"
)

// pages walks through a list and returns the URIs or names on each page.
func pages(t *testing.T, client func(string) string, method, extra string) [][]string {
	t.Helper()
	var all [][]string
	cursor := ""
	for range 50 {
		params := extra
		if cursor != "" {
			params += fmt.Sprintf(`,"cursor":%q`, cursor)
		}
		var reply struct {
			Result struct {
				Resources, Prompts, Tools, ResourceTemplates []struct{ URI, Name string }

				NextCursor *string
				CacheScope string
			}
			Error any
		}
		text := client(request(1, method, "{"+strings.TrimPrefix(params, ",")+"}"))
		if err := json.Unmarshal([]byte(text), &reply); err != nil || reply.Error != nil {
			t.Fatalf("%s: %s", method, text)
		}
		r := reply.Result
		var page []string
		for _, f := range slices.Concat(r.Resources, r.Prompts, r.Tools, r.ResourceTemplates) {
			page = append(page, f.URI+f.Name)
		}
		all = append(all, page)
		if r.NextCursor == nil {
			return all
		}
		cursor = *r.NextCursor
	}
	t.Fatalf("%s: no end", method)
	return nil
}

func TestPages(t *testing.T) {
	visible := mcp.WithAccess(mcp.Visible(func(_ context.Context, f mcp.FeatureInfo) bool { return len(f.Name)%2 == 0 }))
	withTools := func(options ...mcp.Option) *mcp.Server {
		s := newLibrary(append(options, quiet)...)
		for i := range 7 {
			s.Register(mcp.NewTool(mcp.ToolInfo{Name: fmt.Sprint("t", i*i)}, nil))
		}
		return s
	}
	for _, option := range []mcp.Option{quiet, visible} {
		whole := connect(t, withTools(option))
		for _, size := range []int{1, 2, 3, 5, 7, 100} {
			client := connect(t, withTools(option, mcp.WithLimits(mcp.Limits{PageSize: size})))
			for _, method := range []string{"tools/list", "resources/list", "resources/templates/list", "prompts/list"} {
				for _, extra := range []string{"", "," + modernMeta} {
					want := slices.Concat(pages(t, whole, method, extra)...)
					got := pages(t, client, method, extra)
					for i, page := range got {
						if i < len(got)-1 && len(page) != size || len(page) > size || len(page) == 0 {
							t.Errorf("%s: page %d of size %d has %d", method, i, size, len(page))
						}
					}
					if !reflect.DeepEqual(slices.Concat(got...), want) {
						t.Errorf("%s: pages of %d are %v, want %v", method, size, got, want)
					}
				}
			}
		}
	}
}

// Pages continue at their position while features are added and removed.
func TestPagesWhileFeaturesChange(t *testing.T) {
	spec.Holds(t, "S275")
	s := mcp.NewServer(fixtureInfo(), quiet, mcp.WithLimits(mcp.Limits{PageSize: 2}))
	add := func(name string) {
		s.Register(mcp.NewPrompt(mcp.PromptInfo{Name: name}, func(context.Context, map[string]string) (*mcp.PromptResult, error) {
			return nil, nil
		}))
	}
	for _, name := range []string{"a", "b", "c", "d"} {
		add(name)
	}
	client := connect(t, s)
	first := client(request(1, "prompts/list", "{}"))
	cursor := between(t, first, `"nextCursor":"`, `"`)
	s.Unregister(mcp.KindPrompt, "a")
	s.Unregister(mcp.KindPrompt, "b")
	add("a")
	second := client(request(2, "prompts/list", `{"cursor":"`+cursor+`"}`))
	if !strings.Contains(second, `[{"name":"c"},{"name":"d"}]`) {
		t.Errorf("the second page is %s", second)
	}
	third := client(request(3, "prompts/list", `{"cursor":"`+between(t, second, `"nextCursor":"`, `"`)+`"}`))
	if !strings.Contains(third, `{"prompts":[{"name":"a"}]}`) {
		t.Errorf("the third page is %s", third)
	}
}

func between(t *testing.T, s, before, after string) string {
	t.Helper()
	_, s, ok := strings.Cut(s, before)
	s, _, ok2 := strings.Cut(s, after)
	if !ok || !ok2 {
		t.Fatalf("nothing between %s and %s in %s", before, after, s)
	}
	return s
}

// A cursor that was changed, made for another list, or by a server with another key is refused. A
// cursor of a server with the same key, or an older one, is accepted.
func TestCursorsAreTamperEvident(t *testing.T) {
	spec.Holds(t, "S275", "S276", "S277")
	old, key := []byte("0123456789abcdef"), []byte("fedcba9876543210")
	small := mcp.WithLimits(mcp.Limits{PageSize: 2})
	client := connect(t, newLibrary(quiet, small, mcp.WithStateKeys(old)))
	cursor := between(t, client(request(1, "prompts/list", "{}")), `"nextCursor":"`, `"`)
	if again := between(t, client(request(1, "prompts/list", "{}")), `"nextCursor":"`, `"`); again != cursor {
		t.Errorf("two cursors for one position: %s and %s", cursor, again)
	}
	ask := func(client func(string) string, method, cursor string) bool {
		got := client(request(2, method, fmt.Sprintf(`{"cursor":%q}`, cursor)))
		if !strings.Contains(got, `"result"`) && !strings.Contains(got, `{"code":-32602,"message":"invalid params: unknown cursor`) {
			t.Errorf("%s with %s: %s", method, cursor, got)
		}
		return strings.Contains(got, `"result"`)
	}
	if !ask(client, "prompts/list", cursor) {
		t.Error("the cursor is not taken back")
	}
	if !ask(connect(t, newLibrary(quiet, small, mcp.WithStateKeys(key, old))), "prompts/list", cursor) {
		t.Error("a cursor of the old key is not taken")
	}
	if ask(connect(t, newLibrary(quiet, small, mcp.WithStateKeys(key))), "prompts/list", cursor) ||
		ask(connect(t, newLibrary(quiet, small)), "prompts/list", cursor) {
		t.Error("a cursor of another key is taken")
	}
	if ask(client, "resources/list", cursor) || ask(client, "resources/templates/list", cursor) {
		t.Error("a cursor of another list is taken")
	}
	raw, err := base64.RawURLEncoding.DecodeString(cursor)
	if err != nil {
		t.Fatal(err)
	}
	for range 200 {
		forged := slices.Clone(raw)
		switch rand.IntN(3) {
		case 0:
			forged[rand.IntN(len(forged))] ^= 1 << rand.IntN(8)
		case 1:
			forged = forged[:rand.IntN(len(forged))]
		case 2:
			forged = append(forged, byte(rand.IntN(256)))
		}
		if ask(client, "prompts/list", base64.RawURLEncoding.EncodeToString(forged)) {
			t.Fatalf("%x is taken for %x", forged, raw)
		}
	}
	for _, bad := range []string{"", "=", cursor + "=", cursor + "\n", "ü"} {
		if ask(client, "prompts/list", bad) {
			t.Errorf("%q is taken", bad)
		}
	}
	for _, bad := range []string{"7", "false", "{}", `["x"]`} {
		if got := client(spec.Invalid(request(3, "prompts/list", `{"cursor":`+bad+`}`))); !strings.Contains(got, "unknown cursor") {
			t.Errorf("cursor %s: %s", bad, got)
		}
	}
}

// The list has every file that can be read, and no other. TestHardening/Files has the paths that
// are refused.
func TestListedFiles(t *testing.T) {
	base := t.TempDir()
	dir := filepath.Join(base, "docs")
	write := func(name, text string) {
		t.Helper()
		name = filepath.Join(base, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("outside.txt", "secret")
	write("docs/a.txt", "inside")
	odd, escaped := "ü b%20?#.md", "%C3%BC%20b%2520%3F%23.md"
	if runtime.GOOS == "windows" { // which does not allow question marks in names
		odd, escaped = "ü b%20#.md", "%C3%BC%20b%2520%23.md"
	}
	write("docs/sub/"+odd, "# Title")
	write("docs/.git/config", "secret")
	write("docs/sub/.env", "secret")
	write("docs/data.bin", "\x00\xff")
	write("docs/odd.txt", "\xff")
	write("docs/noext", "plain")
	links := map[string]string{
		"out.txt": "../outside.txt", "abs.txt": filepath.Join(base, "outside.txt"), "in.txt": "a.txt", "up": "..", "loop": "loop",
	}
	for name, target := range links {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Skipf("no symbolic links here: %v", err)
		}
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	s := mcp.NewServer(fixtureInfo(), quiet)
	s.Register(mcp.NewFiles(mcp.FilesInfo{Prefix: "file:///docs/", ReadInfo: mcp.ReadInfo{MaxBytes: 50}}, root))
	client := connect(t, s)

	var list struct {
		Result struct {
			Resources []struct{ URI, MIMEType string }
		}
	}
	if err := json.Unmarshal([]byte(client(request(1, "resources/list", "{}"))), &list); err != nil {
		t.Fatal(err)
	}
	var uris []string
	for _, r := range list.Result.Resources {
		uris = append(uris, r.URI)
		if got := client(request(2, "resources/read", fmt.Sprintf(`{"uri":%q}`, r.URI))); !strings.Contains(got, `"contents":[{"uri":"`+r.URI) {
			t.Errorf("%s is listed: %s", r.URI, got)
		}
	}
	want := []string{"a.txt", "data.bin", "noext", "odd.txt", "sub/" + escaped}
	for i := range want {
		want[i] = "file:///docs/" + want[i]
	}
	if !slices.Equal(uris, want) {
		t.Errorf("listed are %v, want %v", uris, want)
	}
	for uri, want := range map[string]string{
		"a.txt": `"mimeType":"text/plain","text":"inside"`, "in.txt": `"text":"inside"`, "noext": `"mimeType":"text/plain","text":"plain"`,
		"data.bin": `"mimeType":"application/octet-stream","blob":"AP8="`, "odd.txt": `"blob":"/w=="`,
	} {
		if got := client(request(3, "resources/read", `{"uri":"file:///docs/`+uri+`"}`)); !strings.Contains(got, want) {
			t.Errorf("%s: %s", uri, got)
		}
	}
	write("docs/large.txt", strings.Repeat("x", 51))
	if got := client(request(5, "resources/read", `{"uri":"file:///docs/large.txt"}`)); !strings.Contains(got, `"reason":"too large"`) {
		t.Errorf("a large file: %s", got)
	}
}

func TestFilesOptions(t *testing.T) {
	files := fstest.MapFS{"a/.b": {Data: []byte("x")}, "c.x": {Data: []byte("y")}, "d": {Data: []byte("z")}, "e": {Mode: fs.ModeNamedPipe}}
	s := mcp.NewServer(fixtureInfo(), quiet)
	s.Register(mcp.NewFS(mcp.FilesInfo{Prefix: "all:///", Hidden: true, MaxFiles: 2, MIMEType: func(name string) string {
		if name == "c.x" {
			return "text/x-x"
		}
		return ""
	}}, files))
	s.Register(mcp.NewFS(mcp.FilesInfo{Prefix: "un:///", Unlisted: true}, files))
	client := connect(t, s)
	got := client(request(1, "resources/list", "{}"))
	if !strings.Contains(got, `"all:///a/.b"`) || !strings.Contains(got, `"mimeType":"text/x-x"`) || strings.Contains(got, "all:///d") || strings.Contains(got, "un:") {
		t.Errorf("listed are %s", got)
	}
	for uri, want := range map[string]string{"all:///a/.b": `"text":"x"`, "un:///c.x": `"text":"y"`, "all:///e": "-32002"} {
		if got := client(request(2, "resources/read", fmt.Sprintf(`{"uri":%q}`, uri))); !strings.Contains(got, want) {
			t.Errorf("%s: %s", uri, got)
		}
	}
}

func TestRegisteringWhatCannotBe(t *testing.T) {
	spec.Holds(t, "S226")
	none := func(context.Context, string) (*mcp.ResourceResult, error) { return nil, nil }
	noneT := func(context.Context, string, map[string]string) (*mcp.ResourceResult, error) { return nil, nil }
	noneP := func(context.Context, map[string]string) (*mcp.PromptResult, error) { return nil, nil }
	s := mcp.NewServer(fixtureInfo(), quiet)
	s.Register(mcp.NewResource(mcp.ResourceInfo{URI: "x:a", Name: "a", Symbol: "A"}, none))
	s.Register(mcp.NewTemplate(mcp.TemplateInfo{URITemplate: "x:{a}", Name: "t"}, noneT))
	s.Register(mcp.NewPrompt(mcp.PromptInfo{Name: "p"}, noneP))
	for want, f := range map[string]func(){
		`mcp: resource "x:a" registered twice: A and B`: func() {
			s.Register(mcp.NewResource(mcp.ResourceInfo{URI: "x:a", Name: "b", Symbol: "B"}, none))
		},
		`mcp: resource template "x:{a}" registered twice: a function without a symbol and a function without a symbol`: func() {
			s.Register(mcp.NewTemplate(mcp.TemplateInfo{URITemplate: "x:{a}", Name: "u"}, noneT))
		},
		`mcp: prompt "p" registered twice: a function without a symbol and a function without a symbol`: func() {
			s.Register(mcp.NewPrompt(mcp.PromptInfo{Name: "p"}, noneP))
		},
		`mcp: resource x:b has no name`: func() { s.Register(mcp.NewResource(mcp.ResourceInfo{URI: "x:b"}, none)) },
		`mcp: resource "b" has the URI "motto", which is not an absolute URI (RFC 3986): it begins with a scheme and a colon, and what a URI cannot have is percent-encoded`: func() {
			s.Register(mcp.NewResource(mcp.ResourceInfo{URI: "motto", Name: "b"}, none))
		},
		`mcp: resource "b" has the URI "x:a b", which is not an absolute URI (RFC 3986): it begins with a scheme and a colon, and what a URI cannot have is percent-encoded`: func() {
			s.Register(mcp.NewResource(mcp.ResourceInfo{URI: "x:a b", Name: "b"}, none))
		},
		`mcp: resource "b" has the URI "x:%2", which is not an absolute URI (RFC 3986): it begins with a scheme and a colon, and what a URI cannot have is percent-encoded`: func() {
			s.Register(mcp.NewResource(mcp.ResourceInfo{URI: "x:%2", Name: "b"}, none))
		},
		`mcp: URI template "x:{a" of "t": expression {a has no end`: func() {
			s.Register(mcp.NewTemplate(mcp.TemplateInfo{URITemplate: "x:{a", Name: "t"}, noneT))
		},
		`mcp: resource template "t" has the URI template "{a}", which has no scheme: begin it with a scheme of your own, such as books://`: func() {
			s.Register(mcp.NewTemplate(mcp.TemplateInfo{URITemplate: "{a}", Name: "t"}, noneT))
		},
		`mcp: URI template "y:{a}" of "t" has no variable b`: func() {
			s.Register(mcp.NewTemplate(mcp.TemplateInfo{URITemplate: "y:{a}", Name: "t", Variables: []mcp.TemplateVariable{{Name: "b"}}}, noneT))
		},
		`mcp: URI template "z:{a}" of "t" has no variable c`: func() {
			s.Register(mcpimpl.FuncTemplate(&mcp.TemplateInfo{URITemplate: "z:{a}", Name: "t"}, nil, mcpimpl.WithCompletion("c", completeISBN)))
		},
		`mcp: prompt "q" has the argument "a" twice`: func() {
			s.Register(mcp.NewPrompt(mcp.PromptInfo{Name: "q", Arguments: []mcp.PromptArgument{{Name: "a"}, {Name: "a"}}}, noneP))
		},
		`mcp: prompt "q" has no argument "b"`: func() {
			s.Register(mcpimpl.FuncPrompt(&mcp.PromptInfo{Name: "q"}, nil, mcpimpl.WithCompletion("b", completeISBN)))
		},
		`mcp: an argument of prompt "q" has no name`: func() {
			s.Register(mcp.NewPrompt(mcp.PromptInfo{Name: "q", Arguments: []mcp.PromptArgument{{}}}, noneP))
		},
		`mcp: os.DirFS does not keep links inside of the directory; use NewFiles with os.OpenRoot`: func() {
			mcp.NewFS(mcp.FilesInfo{Prefix: "x:///"}, os.DirFS("."))
		},
		`mcp: files have the prefix "docs": it must be the begin of a URI, with a slash at its end`: func() {
			mcp.NewFS(mcp.FilesInfo{Prefix: "docs"}, fstest.MapFS{})
		},
		`mcp: name "search" of an extension must have a prefix and a slash`: func() { mcp.WithExtension(mcp.Extension{Name: "search"}) },
		`mcp: settings of extension a/b must be an object`: func() {
			mcp.WithExtension(mcp.Extension{Name: "a/b", Settings: json.RawMessage("[]")})
		},
		`mcp: method tools/call of extension a/b is taken`: func() {
			mcp.NewServer(fixtureInfo(), mcp.WithExtension(mcp.Extension{Name: "a/b", Methods: map[string]mcp.ExtensionFunc{"tools/call": nil}}))
		},
		`mcp: notification notifications/cancelled of extension a/b is taken`: func() {
			mcp.NewServer(fixtureInfo(), mcp.WithExtension(mcp.Extension{
				Name: "a/b", Notifications: map[string]func(context.Context, json.RawMessage){"notifications/cancelled": nil},
			}))
		},
		`mcp: experimental capability "a" must have a name, and must not be Required`: func() {
			mcp.WithExtension(mcp.Extension{Name: "a", Experimental: true, Required: true})
		},
		`mcp: experimental capability "" must have a name, and must not be Required`: func() {
			mcp.WithExtension(mcp.Extension{Experimental: true})
		},
		`mcp: settings of experimental capability a must be an object`: func() {
			mcp.WithExtension(mcp.Extension{Name: "a", Experimental: true, Settings: json.RawMessage("[]")})
		},
		`mcp: extension a declared twice`: func() {
			mcp.NewServer(fixtureInfo(), mcp.WithExtension(mcp.Extension{Name: "a", Experimental: true}), mcp.WithExtension(mcp.Extension{Name: "a", Experimental: true}))
		},
		`mcp: extension a/b declared twice`: func() {
			mcp.NewServer(fixtureInfo(), mcp.WithExtension(mcp.Extension{Name: "a/b"}), mcp.WithExtension(mcp.Extension{Name: "a/b"}))
		},
	} {
		func() {
			defer func() {
				if got := recover(); got != want {
					t.Errorf("panic %v, want %s", got, want)
				}
			}()
			f()
		}()
	}
	if len(s.Features()) != 3 {
		t.Errorf("features are %v", s.Features())
	}
}

func TestPrefixOfResourcesAndPrompts(t *testing.T) {
	s := mcp.NewServer(fixtureInfo(), quiet)
	addLibrary(mcp.Prefix(mcp.Select(s, func(f mcp.FeatureInfo) bool {
		return strings.HasSuffix(f.Name, "_greet") || strings.HasSuffix(f.Name, "_motto") || strings.HasSuffix(f.Name, "_book")
	}), "lib"))
	var names []string
	for _, f := range s.Features() {
		names = append(names, fmt.Sprint(f.Kind, " ", f.Name, " ", f.URI))
	}
	want := []string{"resource lib_motto test://motto", "resource template lib_book book://{isbn}{?lang}", "prompt lib_greet "}
	if !slices.Equal(names, want) {
		t.Errorf("features are %q", names)
	}
	client := connect(t, s)
	for method, params := range map[string]string{
		"prompts/get":         `{"name":"lib_greet","arguments":{"name":"Ann"}}`,
		"resources/read":      `{"uri":"book://7"}`,
		"completion/complete": `{"ref":{"type":"ref/resource","uri":"book://{isbn}{?lang}"},"argument":{"name":"isbn","value":"1"}}`,
	} {
		if got := client(request(1, method, params)); !strings.Contains(got, `"result"`) {
			t.Errorf("%s: %s", method, got)
		}
	}
}

// A client that does not read gets one notification for many changes, and delays no other client.
func TestChangesForSlowReaders(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newCircle(quiet, mcp.WithLimits(mcp.Limits{QueueBytes: 200, WriteTime: time.Hour, Subscriptions: 5}))
		gate := &gatedConn{in: make(chan string), open: make(chan struct{})}
		served := make(chan error, 1)
		go func() { served <- s.Serve(t.Context(), gate) }()
		gate.in <- initialize("2025-06-18")
		gate.in <- `{"jsonrpc":"2.0","method":"notifications/initialized"}`
		gate.in <- request(1, "resources/subscribe", `{"uri":"test://motto"}`)
		gate.in <- request(2, "resources/subscribe", `{"uri":"book://1"}`)
		synctest.Wait()
		for i := range 10_000 {
			s.ResourceUpdated("test://motto")
			s.ResourceUpdated(fmt.Sprintf("book://1/%d", i))
			s.Register(promptOf("other", func() (*mcp.PromptResult, error) { return nil, nil }))
			s.Unregister(mcp.KindPrompt, "other")
		}
		close(gate.open)
		synctest.Wait()
		received := gate.received()
		for what, most := range map[string]int{
			`"method":"notifications/resources/updated","params":{"uri":"test://motto"}`: 6,
			`"method":"notifications/resources/updated","params":{"uri":"book://1`:       12,
			`"method":"notifications/prompts/list_changed"`:                              6,
		} {
			if n := strings.Count(received, what); n < 1 || n > most {
				t.Errorf("%s was said %d times", what, n)
			}
		}
		if !strings.Contains(received, `"uri":"book://1"}`) {
			t.Error("the notice has not the whole number of dropped messages")
		}
		close(gate.in)
		if err := <-served; err != nil {
			t.Error(err)
		}
	})
}

// gatedConn is a client that does not read until the gate is open.
type gatedConn struct {
	in   chan string
	open chan struct{}

	mu  sync.Mutex
	out strings.Builder
}

func (c *gatedConn) Read() ([]byte, error) {
	line, ok := <-c.in
	if !ok {
		return nil, io.EOF
	}
	return []byte(line), nil
}

func (c *gatedConn) Write(b []byte) error {
	<-c.open
	c.mu.Lock()
	defer c.mu.Unlock()
	c.out.Write(b)
	return nil
}

func (c *gatedConn) Close() error { return nil }

func (c *gatedConn) received() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.out.String()
}

// When the server shuts down, listens get a reply.
func TestListensEndWithTheServer(t *testing.T) {
	spec.Holds(t, "S167", "S168", "S169")
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		p := dialContext(t, ctx, newCircle(quiet), "memory")
		p.send(request(5, "subscriptions/listen", `{`+modernMeta+`,"notifications":{"toolsListChanged":true}}`) + "\n")
		synctest.Wait()
		p.received()
		cancel()
		synctest.Wait()
		received := p.received()
		if len(received) != 2 || !strings.Contains(received[0], `"id":5,"result":{"resultType":"complete"`) ||
			received[1] != `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5}}` {
			t.Errorf("got %v", received)
		}
		p.hangUp()
	})
}

// Concurrent listens, subscriptions and changes leave nothing behind.
func TestChangesUnderLoad(t *testing.T) {
	s := newCircle(quiet)
	var work sync.WaitGroup
	stop := make(chan struct{})
	for range 2 {
		work.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
					s.ResourceUpdated("test://motto")
					runtime.Gosched()
				}
			}
		})
	}
	work.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
				s.Register(promptOf("other", func() (*mcp.PromptResult, error) { return nil, nil }))
				s.Unregister(mcp.KindPrompt, "other")
			}
		}
	})
	var clients sync.WaitGroup
	for n := range 8 {
		clients.Go(func() {
			for range 10 {
				conn, wait := s.Connect(t.Context())
				conn = spec.NewConn(t, conn)
				var lines []string
				if n%2 == 0 {
					lines = append(lines, initialize("2025-11-25"), `{"jsonrpc":"2.0","method":"notifications/initialized"}`,
						request(1, "resources/subscribe", `{"uri":"test://motto"}`))
				} else {
					lines = append(lines, request(1, "subscriptions/listen",
						`{`+modernMeta+`,"notifications":{"promptsListChanged":true,"resourceSubscriptions":["test://motto"]}}`))
				}
				for _, line := range lines {
					if err := conn.Write([]byte(line + "\n")); err != nil {
						t.Error(err)
					}
				}
				acknowledged := false
				for range 20 {
					m, err := conn.Read()
					if err != nil {
						t.Error(err)
						break
					}
					switch {
					case n%2 == 0:
					case strings.Contains(string(m), "acknowledged"):
						acknowledged = true
					case !acknowledged:
						t.Errorf("before the acknowledgement: %s", m)
					}
				}
				conn.Close()
				_ = wait()
			}
		})
	}
	clients.Wait()
	close(stop)
	work.Wait()
	if n := mcp.Subscribers(s); n != 0 {
		t.Errorf("%d are still subscribed", n)
	}
}

// A session that an interceptor refuses does not stay subscribed.
func TestRefusedSessionsAreRemoved(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newCircle(quiet, mcp.WithInterceptors(func(next mcp.Handler) mcp.Handler {
			return func(ctx context.Context, req *mcp.Request) (mcp.Reply, error) {
				if req.Method == "initialize" {
					time.Sleep(time.Second)
					return nil, mcp.Errorf("no")
				}
				return next(ctx, req)
			}
		}))
		p := dial(t, s, "memory")
		p.send(lines(initialize("2025-11-25"), `{"jsonrpc":"2.0","method":"notifications/initialized"}`))
		synctest.Wait()
		if mcp.Subscribers(s) != 1 {
			t.Error("the session is not there")
		}
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if mcp.Subscribers(s) != 0 {
			t.Error("the session is still there")
		}
		p.hangUp()
	})
}

// Interceptors see the result of each kind, and may answer themselves.
func TestInterceptedFeatures(t *testing.T) {
	seen := map[string]string{}
	s := newCircle(quiet, mcp.WithInterceptors(func(next mcp.Handler) mcp.Handler {
		return func(ctx context.Context, req *mcp.Request) (mcp.Reply, error) {
			reply, err := next(ctx, req)
			seen[req.Method+" "+req.Name] = fmt.Sprintf("%T %v", reply, err)
			if req.Name == "book://9" {
				return mcp.TextContents("nine"), nil
			}
			return reply, err
		}
	}))
	client := connect(t, s)
	for _, r := range [][2]string{
		{"resources/read", `{"uri":"book://7"}`}, {"resources/read", `{"uri":"book://0"}`}, {"prompts/get", `{"name":"greet","arguments":{"name":"x"}}`},
		{"completion/complete", `{"ref":{"type":"ref/prompt","name":"greet"},"argument":{"name":"style","value":""}}`},
		{"resources/list", `{}`}, {"resources/subscribe", `{"uri":"book://7"}`},
	} {
		client(request(1, r[0], r[1]))
	}
	if got := client(request(2, "resources/read", `{"uri":"book://9"}`)); !strings.Contains(got, `"uri":"book://9","mimeType":"application/json","text":"nine"`) {
		t.Errorf("%s", got)
	}
	for what, want := range map[string]string{
		"resources/read book://7": "*mcp.ResourceResult <nil>", "resources/read book://0": "<nil> resource not found",
		"prompts/get greet": "*mcp.PromptResult <nil>", "completion/complete ": "*mcp.Completion <nil>",
		"resources/list ": "*mcp.RawReply <nil>", "resources/subscribe book://7": "*mcp.RawReply <nil>",
	} {
		if seen[what] != want {
			t.Errorf("%s: %s, want %s", what, seen[what], want)
		}
	}
}
