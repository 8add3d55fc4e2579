package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"go/format"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/tiktoken-go/tokenizer"
)

// manyTools is the number of tools of the server of [TestManyTools], whose functions come from
// manyPackages. The last package is cut there.
const manyTools = 500

var manyPackages = append(
	whole("html", "mime", "net/url", "path", "strconv", "strings", "time", "github.com/dustin/go-humanize",
		"github.com/Masterminds/semver/v3", "github.com/robfig/cron/v3", "github.com/google/uuid"),
	source{"github.com/google/go-github/v84/github", []string{
		"GistsService", "IssuesService", "LicensesService", "MarkdownService", "ReactionsService", "SearchService",
	}, makeGitHub},
	source{path: "golang.org/x/net/publicsuffix"}, source{path: "unicode/utf8"})

// manySource is a program that serves the first tools of all packages, each package a group. With
// the argument find it serves them through mcpfind.
const manySource = `// Server serves many functions.
package main

import (
	"context"
	"io"
	"log"
	"net/http"
	"os"
	"strings"

%s
	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpfind"
)
%s
// first registers so many features.
type first struct {
	server *mcp.Server
	left   int
}

func (f *first) Register(feature mcp.Feature) {
	if f.left > 0 {
		f.left--
		f.server.Register(feature)
	}
}

// group registers with r, in a group.
func group(r mcp.Registrar, name string) mcp.Registrar {
	return mcp.Prefix(mcp.Override(r, mcp.Overrides{Tool: func(t *mcp.ToolInfo) { t.Groups = append(t.Groups, name) }}), name)
}

func main() {
	http.DefaultTransport = transport{}
	var options []mcp.Option
	if len(os.Args) > 1 && os.Args[1] == "find" {
		options = append(options, mcpfind.New())
	}
	s := mcp.NewServer(mcp.ServerInfo{Name: "many", Version: "1"}, options...)
	f := &first{s, %d}
%s
	if err := s.ServeStdio(context.Background()); err != nil {
		log.Fatal(err)
	}
}
`

// buildMany builds that program.
func buildMany(t *testing.T) string {
	t.Chdir("..")
	dir := filepath.Join("out", "functions", "many")
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	var imports, registers strings.Builder
	for i, src := range manyPackages {
		s, err := settle(src, dir)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&imports, "\tpkg%d %q\n", i, "github.com/mcpgen/mcpgen/corpus/"+filepath.ToSlash(s.dir))
		fmt.Fprintf(&registers, "\tpkg%d.RegisterMCP(group(f, %q)", i, s.name)
		for _, r := range s.receivers {
			fmt.Fprintf(&registers, ", pkg%d.New%s()", i, r)
		}
		registers.WriteString(")\n")
	}
	text, err := format.Source(fmt.Appendf(nil, manySource, &imports, transport, manyTools, &registers))
	if err != nil {
		t.Fatal(err)
	}
	main := filepath.Join(dir, "server", "main.go")
	if err := os.MkdirAll(filepath.Dir(main), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(main, text, 0o644); err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(t.TempDir(), "many")
	if out, err := exec.Command("go", "build", "-o", program, "./"+filepath.Dir(main)).CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	return program
}

// asked is a request in everyday words.
type asked struct {
	text, tool string
	named      bool // it contains a word of the tool name
}

func readRequests(t *testing.T) []asked {
	file, err := os.Open("functions/testdata/requests.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var all []asked
	named := false
	for lines := bufio.NewScanner(file); lines.Scan(); {
		line := lines.Text()
		if strings.HasPrefix(line, "#") || line == "" {
			named = named || strings.HasPrefix(line, "# With a word")
			continue
		}
		text, tool, ok := strings.Cut(line, "\t")
		if !ok {
			t.Fatalf("%q has no tool", line)
		}
		all = append(all, asked{text, tool, named})
	}
	return all
}

// search returns the names of the tools in a search result, the number of tools with their
// definitions, and the text.
func (c *client) search(query string) (names []string, whole int, text string, err error) {
	arguments, err := json.Marshal(map[string]string{"query": query})
	if err != nil {
		return nil, 0, "", err
	}
	a, err := c.ask("tools/call", `{"name":"search_tools","arguments":`+string(arguments)+`}`)
	if err != nil {
		return nil, 0, "", err
	}
	var r called
	if err := json.Unmarshal(a.Result, &r); err != nil {
		return nil, 0, "", err
	}
	brief := false
	for line := range strings.Lines(r.text()) {
		name, _, _ := strings.Cut(strings.TrimSpace(line), ":")
		switch {
		case strings.HasPrefix(line, "Further tools"):
			brief = true
		case brief && !strings.Contains(name, " "):
			names = append(names, name)
		case strings.HasSuffix(line, " (by use_tool)\n"):
			names = append(names, strings.Fields(line)[0])
			whole++
		}
	}
	return names, whole, r.text(), nil
}

// TestManyTools searches among 500 tools of real functions, with requests in everyday words that
// were written before the ranking, and counts the tokens that models read.
func TestManyTools(t *testing.T) {
	program := buildMany(t)
	all := openMany(t, program)
	found := openMany(t, program, "find")
	t.Run("requests", func(t *testing.T) { searchRequests(t, found) })
	t.Run("tokens", func(t *testing.T) { compareTokens(t, all, found) })
}

func openMany(t *testing.T, program string, args ...string) *client {
	c, err := start(program, t.TempDir(), args...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.stop() })
	return c
}

// ranks counts the positions of the intended tool in search results.
type ranks struct{ requests, whole, shown int }

func (r *ranks) percent() (whole, shown float64) {
	return 100 * float64(r.whole) / float64(r.requests), 100 * float64(r.shown) / float64(r.requests)
}

// searchRequests searches for all requests.
func searchRequests(t *testing.T, c *client) {
	var all, named ranks
	var sizes, exact []int
	for _, q := range readRequests(t) {
		names, whole, text, err := c.search(q.text)
		if err != nil {
			t.Fatal(err)
		}
		if len(names) > 25 || whole > 5 {
			t.Errorf("%s: %d tools, %d of them whole", q.text, len(names), whole)
		}
		sizes, exact = append(sizes, tokens(text)), append(exact, o200k(t, text))
		at := slices.Index(names, q.tool)
		if at < 0 || at >= whole {
			t.Logf("%s is at %d: %s", q.tool, at, q.text)
		}
		counted := []*ranks{&all}
		if q.named {
			counted = append(counted, &named)
		}
		for _, r := range counted {
			r.requests++
			if at >= 0 {
				r.shown++
			}
			if at >= 0 && at < whole {
				r.whole++
			}
		}
	}
	if all.requests != 150 || named.requests != 75 {
		t.Errorf("%d requests, %d with a word of the name", all.requests, named.requests)
	}
	whole, shown := all.percent()
	t.Logf("all requests: %.1f %% whole, %.1f %% shown", whole, shown)
	if whole < 72 || shown < 92 {
		t.Errorf("all requests: %.1f %% whole, %.1f %% shown", whole, shown)
	}
	whole, shown = named.percent()
	t.Logf("with a word of the name: %.1f %% whole, %.1f %% shown", whole, shown)
	if whole < 78 || shown < 97 {
		t.Errorf("with a word of the name: %.1f %% whole, %.1f %% shown", whole, shown)
	}
	slices.Sort(sizes)
	slices.Sort(exact)
	t.Logf("tokens of a search: median %d, at most %d; by o200k_base %d and %d", sizes[75], sizes[149], exact[75], exact[149])
	if sizes[75] > 1100 {
		t.Errorf("a search takes %d tokens", sizes[75])
	}
}

// taken contains the tokens of a text by both counts.
type taken struct{ tokens, o200k int }

func (k *taken) add(t *testing.T, text string) {
	k.tokens += tokens(text)
	k.o200k += o200k(t, text)
}

// compareTokens compares the tool lists, and three calls from beginning to end.
func compareTokens(t *testing.T, all, found *client) {
	var full, short taken
	for _, side := range []struct {
		c     *client
		count int
		to    *taken
	}{{all, manyTools, &full}, {found, 3, &short}} {
		tools, err := side.c.tools()
		if err != nil {
			t.Fatal(err)
		}
		if len(tools) != side.count {
			t.Fatalf("%d tools are listed", len(tools))
		}
		for _, tool := range tools {
			side.to.add(t, definition(t, tool))
		}
	}
	instructions := found.instructions
	if !strings.Contains(instructions, "github (123)") || tokens(instructions) > 300 {
		t.Errorf("instructions: %d tokens: %s", tokens(instructions), instructions)
	}
	short.add(t, instructions)
	t.Logf("all tools: %d tokens, %d by o200k_base; with mcpfind %d and %d, with instructions", full.tokens, full.o200k, short.tokens, short.o200k)
	if short.tokens > 1000 {
		t.Errorf("the list with mcpfind takes %d tokens", short.tokens)
	}
	direct, by := full, short
	for _, call := range []struct{ request, tool, arguments string }{
		{"split a text after each separator and keep it", "strings_split_after", `{"s":"a,b","sep":","}`},
		{"next major version after 1.4.2", "semver_version_inc_major", `{"v":"1.4.2"}`},
		{"put a comma into large numbers", "humanize_comma", `{"v":1234567}`},
	} {
		plain := callText(t, all, call.tool, call.arguments)
		direct.add(t, call.tool+call.arguments+plain)
		_, _, text, err := found.search(call.request)
		if err != nil {
			t.Fatal(err)
		}
		through := fmt.Sprintf(`{"name":%q,"arguments":%s}`, call.tool, call.arguments)
		same := callText(t, found, "use_tool", through)
		by.add(t, `search_tools{"query":"`+call.request+`"}`+text)
		by.add(t, "use_tool"+through+same)
		if plain != same {
			t.Errorf("%s: %s, and by use_tool %s", call.tool, plain, same)
		}
	}
	t.Logf("three calls: %d tokens, %d by o200k_base; with mcpfind %d and %d", direct.tokens, direct.o200k, by.tokens, by.o200k)
	if by.tokens*10 > direct.tokens {
		t.Errorf("three calls take %d tokens, and with mcpfind %d", direct.tokens, by.tokens)
	}
}

// callText calls a tool that must succeed, and returns its text.
func callText(t *testing.T, c *client, tool, arguments string) string {
	a, err := c.ask("tools/call", fmt.Sprintf(`{"name":%q,"arguments":%s}`, tool, arguments))
	if err != nil {
		t.Fatal(err)
	}
	var r called
	if err := json.Unmarshal(a.Result, &r); err != nil || r.IsError {
		t.Fatalf("%s: %v: %s", tool, err, a.Result)
	}
	return r.text()
}

// definition returns the text that a client puts before a model for a tool.
func definition(t *testing.T, tool listed) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(struct {
		Name        string          `json:"name"`
		Description string          `json:"description,omitempty"`
		InputSchema json.RawMessage `json:"inputSchema"`
	}{tool.Name, tool.Description, tool.InputSchema})
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(b.String())
}

// tokens counts tokens like mcpgen list.
func tokens(text string) int { return (len(text) + 3) / 4 }

var encoding = sync.OnceValues(func() (tokenizer.Codec, error) { return tokenizer.Get(tokenizer.O200kBase) })

// o200k counts tokens of the encoding o200k.
func o200k(t *testing.T, text string) int {
	codec, err := encoding()
	if err != nil {
		t.Fatal(err)
	}
	n, err := codec.Count(text)
	if err != nil {
		t.Fatal(err)
	}
	return n
}
