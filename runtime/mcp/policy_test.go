package mcp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/mcpgen/mcpgen/internal/proof/spec"
	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// offered returns the names and URIs that a server with the policies offers, from a fixed set.
func offered(options ...mcp.Option) []string {
	s := mcp.NewServer(fixtureInfo(), append(options, quiet)...)
	tool := func(name string, groups, aliases []string) {
		s.Register(mcp.NewTool(mcp.ToolInfo{Name: name, Groups: groups, Aliases: aliases}, nil))
	}
	tool("search", []string{"public"}, nil)
	tool("delete_book", []string{"public", "admin"}, []string{"remove"})
	tool("delete_all", []string{"Admin"}, nil)
	s.Register(mcp.NewPrompt(mcp.PromptInfo{Name: "summary", Groups: []string{"public"}}, nil))
	for _, uri := range []string{"file:///docs/a.txt", "file:///secret/key.pem", "book://1"} {
		s.Register(mcp.NewResource(mcp.ResourceInfo{URI: uri, Name: uri, Groups: []string{"r"}}, nil))
	}
	for _, uri := range []string{"file:///docs/{+path}", "file:///secret/{+path}", "file:///{+path}", "book://{id}{?lang}"} {
		s.Register(mcp.NewTemplate(mcp.TemplateInfo{URITemplate: uri, Name: uri, Groups: []string{"t"}}, nil))
	}
	var names []string
	for _, f := range s.Features() {
		names = append(names, strings.TrimPrefix(orElse(f.URI, f.Name), "file:///"))
	}
	return names
}

func orElse(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}

func TestPolicyOffers(t *testing.T) {
	all := []string{
		"search", "delete_book", "delete_all",
		"docs/a.txt", "secret/key.pem", "book://1",
		"docs/{+path}", "secret/{+path}", "{+path}", "book://{id}{?lang}",
		"summary",
	}
	but := func(less ...string) []string {
		return slices.DeleteFunc(slices.Clone(all), func(s string) bool { return slices.Contains(less, s) })
	}
	for _, test := range []struct {
		name        string
		allow, deny []string
		want        []string
	}{
		{"nothing said", nil, nil, all},
		{"exact tool", nil, []string{"search"}, but("search")},
		{"stars", nil, []string{"delete_*"}, but("delete_book", "delete_all")},
		{"star in the middle", nil, []string{"d*l*_*a*l"}, but("delete_all")},
		{"alias", nil, []string{"remove"}, but("delete_book")},
		{"other case", nil, []string{"SEARCH"}, but("search")},
		{"group", nil, []string{"group:admin"}, but("delete_book", "delete_all")},
		{"any group", nil, []string{"group:*"}, nil},
		{"prompt", nil, []string{"summ*"}, but("summary")},
		{"resources below", nil, []string{"file:///secret/*"}, but("secret/key.pem", "secret/{+path}")},
		{"resources of a scheme", nil, []string{"book:*"}, but("book://1", "book://{id}{?lang}")},
		{"one resource", nil, []string{"book://1"}, but("book://1")},
		{"a template by its text", nil, []string{"book://{id}{?lang}"}, but("book://{id}{?lang}")},
		{"a letter of an expression", nil, []string{"*://*lang*"}, all},
		{"everything", nil, []string{"*"}, nil},
		{"names do not concern resources", nil, []string{"*e*"}, but("search", "delete_book", "delete_all")},
		{"allow tools only", []string{"search", "delete_*"}, nil, []string{"search", "delete_book", "delete_all"}},
		{"allow an alias", []string{"remove"}, nil, nil},
		{"allow in another case", []string{"Search", "group:PUBLIC"}, nil, nil},
		{"allow a group", []string{"group:public"}, nil, []string{"search", "delete_book", "summary"}},
		{"allow resources below", []string{"file:///docs/*"}, nil, []string{"docs/a.txt", "docs/{+path}", "{+path}"}},
		{"allow one resource", []string{"file:///docs/a.txt"}, nil, []string{"docs/a.txt", "docs/{+path}", "{+path}"}},
		{"allow a template by its text", []string{"file:///docs/{+path}"}, nil, []string{"docs/{+path}", "{+path}"}},
		{"allow all", []string{"*"}, nil, all},
		{"deny wins", []string{"*"}, []string{"group:public"}, but("search", "delete_book", "summary")},
		{"deny wins for resources", []string{"file:*"}, []string{"file:///secret*"}, []string{"docs/a.txt", "docs/{+path}", "{+path}"}},
	} {
		if got := offered(mcp.WithPolicy(mcp.Policy{Allow: test.allow, Deny: test.deny})); !slices.Equal(got, test.want) {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
	got := offered(mcp.WithPolicy(mcp.Policy{Allow: []string{"group:public"}}), mcp.WithPolicy(mcp.Policy{Allow: []string{"s*"}}),
		mcp.WithPolicy(mcp.Policy{Deny: []string{"summary"}}))
	if want := []string{"search"}; !slices.Equal(got, want) {
		t.Errorf("several policies: %q, want %q", got, want)
	}
}

// The function of a policy hides features like a policy, including features that are registered
// later.
func TestSelected(t *testing.T) {
	var asked []string
	options := []mcp.Option{mcp.WithPolicy(mcp.Policy{Deny: []string{"delete_all"}, Select: func(f mcp.FeatureInfo) bool {
		asked = append(asked, string(f.Kind)+" "+orElse(f.URI, f.Name))
		return !slices.Contains(f.Groups, "admin") && f.URI != "file:///secret/key.pem" && f.URI != "book://{id}{?lang}" && f.Name != "summary"
	}}), mcp.WithPolicy(mcp.Policy{Select: func(f mcp.FeatureInfo) bool { return f.Name != "delete_some" }})}
	want := []string{"search", "docs/a.txt", "book://1", "docs/{+path}", "secret/{+path}", "{+path}"}
	if got := offered(options...); !slices.Equal(got, want) {
		t.Errorf("offers %q", got)
	}
	if len(asked) != 10 { // not called for features that another policy denies
		t.Errorf("asked about %q", asked)
	}

	s := mcp.NewServer(fixtureInfo(), append(options, quiet)...)
	text := func(context.Context, json.RawMessage) (*mcp.ToolResult, error) { return mcp.TextResult("ran"), nil }
	read := func(_ context.Context, uri string) (*mcp.ResourceResult, error) {
		return mcp.TextContents("of " + uri), nil
	}
	parent := func(_ context.Context, uri string, _ map[string]string) (*mcp.ResourceResult, error) {
		return mcp.TextContents("of the template"), nil
	}
	ask := asker(t, s)
	s.Register(mcp.NewTool(mcp.ToolInfo{Name: "search", Aliases: []string{"find"}}, text))
	s.Register(mcp.NewTool(mcp.ToolInfo{Name: "drop", Aliases: []string{"remove"}, Groups: []string{"admin"}}, text))
	s.Register(mcp.NewPrompt(mcp.PromptInfo{Name: "summary", Arguments: []mcp.PromptArgument{{Name: "a", Values: []string{"x"}}}}, nil))
	s.Register(mcp.NewResource(mcp.ResourceInfo{URI: "file:///secret/key.pem", Name: "key"}, read))
	s.Register(mcp.NewTemplate(mcp.TemplateInfo{URITemplate: "file:///{+path}", Name: "files"}, parent))
	s.Register(mcp.NewTemplate(mcp.TemplateInfo{URITemplate: "book://{id}{?lang}", Name: "book"}, parent))
	s.Register(mcp.NewResource(mcp.ResourceInfo{URI: "book://1", Name: "one"}, read))
	const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`
	for n, test := range []struct{ method, params, want string }{
		{"tools/call", `"name":"search"`, `"text":"ran"`},
		{"tools/call", `"name":"find"`, `"text":"ran"`},
		{"tools/call", `"name":"drop"`, `unknown tool: drop`},
		{"tools/call", `"name":"remove"`, `unknown tool: remove`},
		{"prompts/get", `"name":"summary"`, `"error"`},
		{"completion/complete", `"ref":{"type":"ref/prompt","name":"summary"},"argument":{"name":"a","value":""}`, `"error"`},
		{"resources/read", `"uri":"file:///public"`, `of the template`},
		{"resources/read", `"uri":"file:///secret/key.pem"`, `"error"`},
		{"resources/read", `"uri":"file:///secret/./key%2epem"`, `"error"`},
		{"resources/read", `"uri":"book://1"`, `of book://1`},
		{"resources/read", `"uri":"book://2"`, `"error"`},
	} {
		if got := ask(request(n, test.method, "{"+test.params+","+meta+"}")); !strings.Contains(got, test.want) {
			t.Errorf("%s %s: %s, want %s", test.method, test.params, got, test.want)
		}
	}
}

func TestPolicyPatternsThatSayNothing(t *testing.T) {
	for _, pattern := range []string{"", "group:", "group: ", " ", "file:///a/../b/*", "file:///a/%2e%2E/*", "file:./x", "file:///%252e/x"} {
		for _, p := range []mcp.Policy{{Allow: []string{pattern}}, {Deny: []string{pattern}}} {
			if text := panics(func() { mcp.WithPolicy(p) }); !strings.Contains(text, fmt.Sprintf("pattern %q of a policy", pattern)) {
				t.Errorf("%q: %q", pattern, text)
			}
		}
	}
}

// A feature that is not offered is answered like one that does not exist.
func TestPolicyRequests(t *testing.T) {
	spec.Holds(t, "S002", "S212", "S259")
	policy := mcp.WithPolicy(mcp.Policy{Deny: []string{"add", "greet", "book:*", "test://motto", "group:none"}})
	for _, test := range []struct{ there, never string }{
		{call(1, "add", `{"a":1,"b":2}`), call(1, "adder", `{"a":1,"b":2}`)},
		{call(1, "plus", `{"a":1,"b":2}`), call(1, "plusser", `{"a":1,"b":2}`)},
		{request(1, "prompts/get", `{"name":"greet"}`), request(1, "prompts/get", `{"name":"greeter"}`)},
		{request(1, "resources/read", `{"uri":"test://motto"}`), request(1, "resources/read", `{"uri":"test://mottoer"}`)},
		{request(1, "resources/read", `{"uri":"book://1"}`), request(1, "resources/read", `{"uri":"booker://1"}`)},
		{request(1, "resources/subscribe", `{"uri":"book://1"}`), request(1, "resources/subscribe", `{"uri":"booker://1"}`)},
		{
			request(1, "completion/complete", `{"ref":{"type":"ref/resource","uri":"book://{isbn}{?lang}"},"argument":{"name":"lang","value":""}}`),
			request(1, "completion/complete", `{"ref":{"type":"ref/resource","uri":"booker://{isbn}{?lang}"},"argument":{"name":"lang","value":""}}`),
		},
		{
			request(1, "completion/complete", `{"ref":{"type":"ref/prompt","name":"greet"},"argument":{"name":"style","value":""}}`),
			request(1, "completion/complete", `{"ref":{"type":"ref/prompt","name":"greeter"},"argument":{"name":"style","value":""}}`),
		},
	} {
		s := newLibrary(quiet, policy)
		register(s)
		client := connect(t, s)
		never := client(test.never)
		for _, name := range []string{"adder", "plusser", "greeter", "mottoer", "booker"} {
			never = strings.ReplaceAll(never, name, strings.TrimSuffix(name, "er"))
		}
		never = strings.ReplaceAll(never, "pluss", "plus")
		if got := client(test.there); got != never || !strings.Contains(got, `"error"`) {
			t.Errorf("%s\nanswered %s\nand not   %s", test.there, got, never)
		}
	}
	// A server does not declare a kind if the policy hides all features of that kind.
	client := connect(t, small(quiet, mcp.WithPolicy(mcp.Policy{Deny: []string{"*"}})))
	if got := client(request(1, "tools/list", "{}")); !strings.Contains(got, "-32601") {
		t.Errorf("tools/list: %s", got)
	}
}

// No other feature answers for the URIs of a denied one.
func TestPolicyBarsURIs(t *testing.T) {
	spec.Holds(t, "S230")
	for _, deny := range []string{"group:admin", "x://{name}/keys"} {
		s := mcp.NewServer(fixtureInfo(), quiet, mcp.WithPolicy(mcp.Policy{Deny: []string{deny, "x://b/k*s"}}))
		read := func(_ context.Context, uri string, _ map[string]string) (*mcp.ResourceResult, error) {
			return mcp.TextContents("read " + uri), nil
		}
		if deny == "group:admin" {
			s.Register(mcp.NewResource(mcp.ResourceInfo{URI: "x://a/Keys", Name: "keys", Groups: []string{"admin"}}, nil))
		} else {
			s.Register(mcp.NewTemplate(mcp.TemplateInfo{URITemplate: deny, Name: "keys"}, read))
		}
		s.Register(mcp.NewTemplate(mcp.TemplateInfo{URITemplate: "x://{+all}", Name: "all"}, read))
		client := connect(t, s)
		for uri, want := range map[string]bool{
			"x://a/keys": false, "x://a/k%65ys": false, "x://a/./keys": false, "x://a/keyss": true, "x://b/kings": false, "x://b/kin": true,
		} {
			if got := client(request(1, "resources/read", fmt.Sprintf(`{"uri":%q}`, uri))); strings.Contains(got, `"result"`) != want {
				t.Errorf("%s, %s: %s", deny, uri, got)
			}
		}
		s.Unregister(mcp.KindResource, "x://a/Keys")
		s.Unregister(mcp.KindTemplate, deny)
		if got := client(request(1, "resources/read", `{"uri":"x://a/keys"}`)); !strings.Contains(got, `"result"`) {
			t.Errorf("%s, once nothing bars it: %s", deny, got)
		}
	}
}

// careless returns a server whose template makes all possible mistakes with paths. opened are the
// paths that it would have opened.
func careless(opened *[]string, p mcp.Policy) *mcp.Server {
	s := mcp.NewServer(fixtureInfo(), quiet, mcp.WithPolicy(p))
	open := func(names ...string) {
		for _, name := range names {
			for range 10 {
				*opened = append(*opened, path.Clean("/"+name), path.Clean("/"+strings.ReplaceAll(name, `\`, "/")))
				decoded, err := url.PathUnescape(name)
				if err != nil || decoded == name {
					break
				}
				name = decoded
			}
		}
	}
	read := func(_ context.Context, uri string, v map[string]string) (*mcp.ResourceResult, error) {
		name := v["path"]
		if one, ok := v["one"]; ok {
			name = "one/" + one
		}
		open(name)
		if u, err := url.Parse(uri); err == nil {
			if u.Scheme == "file" {
				open(u.Path)
			}
		}
		before, _, _ := strings.Cut(name, "?")
		open(before)
		before, _, _ = strings.Cut(before, "#")
		open(before)
		return mcp.TextContents("x"), nil
	}
	for i, template := range []string{"file:///{+path}", "file://localhost/{+path}", "file:/{+path}", "file:{+path}", "file:///one/{one}", "FILE:///{+path}", "docs://{+path}"} {
		s.Register(mcp.NewTemplate(mcp.TemplateInfo{URITemplate: template, Name: fmt.Sprint("t", i)}, read))
	}
	return s
}

func quoted(s string) string {
	b, _ := json.Marshal(s)
	return string(b)
}

// secretWay returns a random spelling of a URI below /secret.
func secretWay(r *rand.Rand) string {
	pick := func(all ...string) string { return all[r.IntN(len(all))] }
	segments := []string{"secret"}
	for range 1 + r.IntN(3) {
		segments = append(segments, pick("key.pem", "a b", "ü", "x", "100%"))
	}
	for range r.IntN(4) {
		i := r.IntN(len(segments) + 1)
		segments = slices.Insert(segments, i, pick(".", "", "public/..", "a/b/../.."))
	}
	p := strings.Join(segments, "/")
	encode := func(s string, share int) string {
		var b strings.Builder
		for i := 0; i < len(s); i++ {
			c := s[i]
			switch {
			case c == '%' || c <= ' ' || c >= 0x7f || r.IntN(100) < share:
				fmt.Fprintf(&b, pick("%%%02x", "%%%02X"), c)
			default:
				b.WriteByte(c)
			}
		}
		return b.String()
	}
	p = encode(p, pick2(r, 0, 5, 50))
	for range r.IntN(3) {
		p = encode(strings.ReplaceAll(p, "%", "\x01"), pick2(r, 0, 5))
		p = strings.ReplaceAll(strings.ReplaceAll(p, "\x01", "%25"), "%01", "%25")
	}
	if r.IntN(4) == 0 {
		p = strings.ReplaceAll(p, "/", pick("%5c", "%5C", "%2f"))
	}
	if r.IntN(4) == 0 {
		p = strings.ReplaceAll(p, "secret", pick("Secret", "SECRET", "secreT"))
	}
	return pick("file:///", "file:////", "file://localhost/", "file:/", "FILE:///", "file:///./", "file:///public/../", "file:///%2e/") + p + pick("", "", "?", "?x=/../../..", "#a", "/", "/.")
}

func pick2(r *rand.Rand, all ...int) int { return all[r.IntN(len(all))] }

// A denied URI is not read, however it is written.
func TestPolicyDenyCannotBePassed(t *testing.T) {
	spec.Holds(t, "S228")
	var opened []string
	client := connect(t, careless(&opened, mcp.Policy{Deny: []string{"file:///secret/*"}}))
	allowing := connect(t, careless(&opened, mcp.Policy{Allow: []string{"file:///public/*", "file:///one/*", "docs:*"}}))
	free := connect(t, careless(&opened, mcp.Policy{}))
	reached := 0
	r := rand.New(rand.NewPCG(1, 2))
	for i := range 5_000 {
		uri := secretWay(r)
		for _, client := range []func(string) string{client, allowing} {
			opened = nil
			got := client(request(1, "resources/read", `{"uri":`+quoted(uri)+`}`))
			if strings.Contains(got, `"result"`) {
				t.Fatalf("%s was read: %s", uri, got)
			}
		}
		if i < 1_000 && strings.Contains(free(request(1, "resources/read", `{"uri":`+quoted(uri)+`}`)), `"result"`) {
			reached++
		}
	}
	if reached < 500 {
		t.Errorf("only %d of 1000 URIs mean anything without the policy", reached)
	}
}

// URIs that do not resemble denied ones can be read, and allowed ones, too.
func TestPolicyLeavesTheRest(t *testing.T) {
	for _, test := range []struct {
		allow, deny, uri string
		want             bool
	}{
		{"", "file:///secret/*", "file:///public/key", true},
		{"", "file:///secret/*", "file:///secrets/key", true},
		{"", "file:///secret/*", "file:///public/secret/key", true},
		{"", "file:///secret/*", "file:///a/b%20c/%C3%BC?x=1", true},
		{"", "file:///secret/*", "file:///secret", true},
		{"", "file:///secret/key", "file:///secret/keys", true},
		{"", "file:///secret/key", "file:///secret/key?x", false},
		{"", "file:///secret/key", "file:///secret/key#x", false},
		{"", "file:///secret/key", "file:///secret/key/", false},
		{"", "file:///secret/key", "file:///secret/key/.", false},
		{"", "file:///secret/key", "file:///secret/./key", false},
		{"", "file:///se%63ret/%6bey", "file:///secret/key", false},
		{"", "file:///a b/*", "file:///a%20b/c", false},
		{"", "file:///a%20b/*", "file:///a%20b/c", false},
		{"", "file:///ü/*", "file:///%C3%9C/c", false},
		{"", "*:*secret*", "docs://the/secret", false},
		{"", "file://localhost/secret/*", "file:///secret/x", false},
		{"", "file:*.pem", "file:///x/key.pem", false},
		{"", "file:*.pem", "file:///x/key.pem?y", false},
		{"", "file:*.pem", "file:///x/key.pem.txt", true},
		{"", "docs://a/*", "docs://b/../a/x", false},
		{"", "docs://a/*", "docs:///a/x", false},
		{"file:///docs/*", "", "file:///docs/a", true},
		{"file:///docs/*", "", "file:///docs/", true},
		{"file:///docs/*", "", "file:///docs/a%20b/%C3%BC", true},
		{"file:///docs/*", "", "file:///docs/a/../b", true},
		{"file:///docs/*", "", "file:///docs/../b", false},
		{"file:///docs/*", "", "file:///docs/%2e%2e/b", false},
		{"file:///docs/*", "", "file:///docs/..%2fb", false},
		{"file:///docs/*", "", "file:///docs/%252e%252e/b", false},
		{"file:///docs/*", "", "file:///docs/..%5cb", false},
		{"file:///docs/*", "", "file:///Docs/a", false},
		{"file:///docs/*", "", "file:///a/../docs/b", false},
		{"file:///docs/*", "", "file://localhost/docs/b", false},
		{"file:///docs/100%25", "", "file:///docs/100%25", true},
		{"file:///docs/a%2525", "", "file:///docs/a%2525", true},
		{"file:///docs/a%2Fb", "", "file:///docs/a%2fb", true},
		{"file:///docs/a%2Fb", "", "file:///docs/a/b", false},
		{"file:///docs/a/b", "", "file:///docs/a%2fb", false},
		{"file:///docs/%2A", "", "file:///docs/abc", false},
		{"file:///docs/%2A", "", "file:///docs/*", false},
		{"file:///docs/%2A", "", "file:///docs/%2a", true},
		{"docs:*", "", "docs://x?y=a%2Fb#z", true},
		{"docs:*", "", "docs://" + strings.Repeat("%25", 9) + "41", true},
		{"docs:*", "", "docs://%" + strings.Repeat("25", 9) + "41", false},
		{"", "docs:x*", "docs://%" + strings.Repeat("25", 9) + "41", false},
	} {
		p := mcp.Policy{}
		if test.allow != "" {
			p.Allow = []string{test.allow}
		}
		if test.deny != "" {
			p.Deny = []string{test.deny}
		}
		var opened []string
		client := connect(t, careless(&opened, p))
		got := client(request(1, "resources/read", `{"uri":`+quoted(test.uri)+`}`))
		if strings.Contains(got, `"result"`) != test.want {
			t.Errorf("allow %q, deny %q: %s: %s", test.allow, test.deny, test.uri, got)
		}
	}
}

// FuzzPolicyURI searches for a URI that reads something denied, or something that is not allowed.
func FuzzPolicyURI(f *testing.F) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 20 {
		f.Add(secretWay(r))
	}
	for _, uri := range []string{"file:///public/x", "docs://a/../b", "file:///public/..%2fsecret/x", "file:///%73ecret/x", `file:\\secret\x`, "file:///one/..%2Fsecret%2Fx", "file:///public/%252e%252e%252fsecret/x",
		"file://%252F0/%73e%63%72et%252F00"} {
		f.Add(uri)
	}
	var opened []string
	deny := connect(f, careless(&opened, mcp.Policy{Deny: []string{"file:///secret/*", "docs://secret/*"}}))
	allow := connect(f, careless(&opened, mcp.Policy{Allow: []string{"file:///public/*", "docs://public/*"}}))
	f.Fuzz(func(t *testing.T, uri string) {
		text := request(1, "resources/read", `{"uri":`+quoted(uri)+`}`)
		opened = nil
		deny(text)
		for _, name := range opened {
			if strings.HasPrefix(strings.ToLower(name), "/secret/") {
				t.Errorf("%q opens %s", uri, name)
			}
		}
		opened = nil
		allow(text)
		for _, name := range opened {
			if name != "/public" && !strings.HasPrefix(name, "/public/") {
				t.Errorf("%q opens %s", uri, name)
			}
		}
	})
}

// Denied files are not listed, read, subscribed to or notified of.
func TestPolicyOfFiles(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		for _, name := range []string{"a.txt", "secret/key.txt", "secret/deep/key.txt", "docs/b.txt"} {
			os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755)
			os.WriteFile(filepath.Join(dir, name), []byte(name), 0o600)
		}
		root, err := os.OpenRoot(dir)
		if err != nil {
			t.Fatal(err)
		}
		defer root.Close()
		s := mcp.NewServer(fixtureInfo(), quiet, mcp.WithPolicy(mcp.Policy{Deny: []string{"file:///secret/*"}}))
		s.Register(mcp.NewFiles(mcp.FilesInfo{Prefix: "file:///"}, root))
		p := ready(t, s)
		ask := func(text string) string {
			p.send(text + "\n")
			synctest.Wait()
			return strings.Join(p.received(), "\n")
		}
		if got := ask(request(1, "resources/list", "{}")); strings.Contains(got, "secret") || !strings.Contains(got, "file:///docs/b.txt") || !strings.Contains(got, "file:///a.txt") {
			t.Errorf("list: %s", got)
		}
		if got := ask(request(2, "resources/read", `{"uri":"file:///docs/b.txt"}`)); !strings.Contains(got, `"text":"docs/b.txt"`) {
			t.Errorf("read: %s", got)
		}
		for _, uri := range []string{"file:///secret/key.txt", "file:///%73ecret/key.txt", "file:///secret%2Fdeep/key.txt"} {
			for _, method := range []string{"resources/read", "resources/subscribe"} {
				if got := ask(request(3, method, `{"uri":`+quoted(uri)+`}`)); !strings.Contains(got, "not found") {
					t.Errorf("%s of %s: %s", method, uri, got)
				}
			}
		}
		ask(request(4, "resources/subscribe", `{"uri":"file:///docs/b.txt"}`))
		ack := ask(request(5, "subscriptions/listen", `{`+modernMeta+`,"notifications":{"resourceSubscriptions":["file:///a.txt","file:///secret/key.txt"]}}`))
		if !strings.Contains(ack, "a.txt") || strings.Contains(ack, "secret") {
			t.Errorf("acknowledged %s", ack)
		}
		for _, uri := range []string{"file:///secret/key.txt", "file:///docs/b.txt", "file:///a.txt/secret", "file:///a.txt"} {
			s.ResourceUpdated(uri)
		}
		synctest.Wait()
		if got := strings.Join(p.received(), "\n"); strings.Contains(got, "key") || strings.Count(got, "resources/updated") != 3 {
			t.Errorf("notified of %s", got)
		}
		p.hangUp()
	})
}

// With an allow list, clients are notified only of resources on it.
func TestPolicyTells(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := mcp.NewServer(fixtureInfo(), quiet, mcp.WithPolicy(mcp.Policy{Allow: []string{"x://open/*", "z://a/open/*", "group:g"}}))
		read := func(context.Context, string, map[string]string) (*mcp.ResourceResult, error) {
			return mcp.TextContents("x"), nil
		}
		s.Register(mcp.NewTemplate(mcp.TemplateInfo{URITemplate: "x://{+path}", Name: "x"}, read))
		s.Register(mcp.NewTemplate(mcp.TemplateInfo{URITemplate: "y://{+path}", Name: "y", Groups: []string{"g"}}, read))
		s.Register(mcp.NewResource(mcp.ResourceInfo{URI: "x://", Name: "root", Groups: []string{"g"}}, nil))
		s.Register(mcp.NewResource(mcp.ResourceInfo{URI: "z://a/", Name: "a", Groups: []string{"g"}}, nil))
		p := ready(t, s)
		p.send(lines(request(1, "resources/subscribe", `{"uri":"x://open/"}`), request(2, "resources/subscribe", `{"uri":"y://a"}`),
			request(3, "resources/subscribe", `{"uri":"x://shut"}`), request(4, "resources/subscribe", `{"uri":"z://a/"}`)))
		synctest.Wait()
		if got := p.received(); len(got) != 4 || strings.Count(strings.Join(got, ""), `"result":{}`) != 3 {
			t.Errorf("got %v", got)
		}
		// The last two are parts that cannot be read by themselves.
		for _, uri := range []string{"x://open/../shut", "x://open/a", "x://shut/a", "y://a/b", "z://a/open/b", "z://a/shut/b"} {
			s.ResourceUpdated(uri)
		}
		synctest.Wait()
		if got := p.received(); len(got) != 3 || !strings.Contains(got[0], "x://open/a") || !strings.Contains(got[1], "y://a/b") || !strings.Contains(got[2], "z://a/open/b") {
			t.Errorf("got %v", got)
		}
		p.hangUp()
	})
}

// A template that the allow list names by its own text may be read, but no other template with the
// same URIs.
func TestPolicyAllowsTemplateByItsText(t *testing.T) {
	s := mcp.NewServer(fixtureInfo(), quiet, mcp.WithPolicy(mcp.Policy{Allow: []string{"x://{id}"}}))
	read := func(_ context.Context, uri string, _ map[string]string) (*mcp.ResourceResult, error) {
		return mcp.TextContents("read " + uri), nil
	}
	s.Register(mcp.NewTemplate(mcp.TemplateInfo{URITemplate: "x://{id}", Name: "one"}, read))
	s.Register(mcp.NewTemplate(mcp.TemplateInfo{URITemplate: "x://{+all}", Name: "all"}, read))
	client := connect(t, s)
	for uri, want := range map[string]bool{"x://7": true, "x://7/8": false} {
		if got := client(request(1, "resources/read", fmt.Sprintf(`{"uri":%q}`, uri))); strings.Contains(got, `"result"`) != want {
			t.Errorf("%s: %s", uri, got)
		}
	}
}

// A URI that is percent-encoded too often to be compared is not read under any policy.
func TestPolicyOfURIsThatAreEncodedTooOften(t *testing.T) {
	uri := "x://%" + strings.Repeat("25", 20) + "41"
	for _, options := range [][]mcp.Option{nil, {mcp.WithPolicy(mcp.Policy{Deny: []string{"delete_*"}})}} {
		s := mcp.NewServer(fixtureInfo(), append(options, quiet)...)
		s.Register(mcp.NewTemplate(mcp.TemplateInfo{URITemplate: "x://{+all}", Name: "all"}, func(context.Context, string, map[string]string) (*mcp.ResourceResult, error) {
			return mcp.TextContents("x"), nil
		}))
		got := connect(t, s)(request(1, "resources/read", fmt.Sprintf(`{"uri":%q}`, uri)))
		if strings.Contains(got, `"result"`) != (options == nil) {
			t.Errorf("%d policies: %s", len(options), got)
		}
	}
}
