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
	"testing"
)

// manyTools is how many tools the server of [TestManyTools] has, and manyPackages where they are from.
// The last package is cut off there.
const manyTools = 500

var manyPackages = append(
	whole("html", "mime", "net/url", "path", "strconv", "strings", "time", "github.com/dustin/go-humanize",
		"github.com/Masterminds/semver/v3", "github.com/robfig/cron/v3", "github.com/google/uuid"),
	source{"github.com/google/go-github/v84/github", []string{
		"GistsService", "IssuesService", "LicensesService", "MarkdownService", "ReactionsService", "SearchService",
	}, makeGitHub},
	source{path: "golang.org/x/net/publicsuffix"}, source{path: "unicode/utf8"})

// manySource is a program that serves the first tools of all packages, each package a group. With the
// argument find it does so by mcpfind.
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

// asked is a request in plain words.
type asked struct {
	text, tool string
	named      bool // it has a word of the name of the tool
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

// search returns the names of the tools that a search shows, the number of those that it shows whole,
// and the text.
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

// TestManyTools searches among 500 tools of real functions, by requests in plain words.
func TestManyTools(t *testing.T) {
	program := buildMany(t)
	c, err := start(program, t.TempDir(), "find")
	if err != nil {
		t.Fatal(err)
	}
	defer c.stop()
	type result struct{ requests, whole, shown int }
	var all, named result
	var sizes []int
	for _, q := range readRequests(t) {
		names, whole, text, err := c.search(q.text)
		if err != nil {
			t.Fatal(err)
		}
		sizes = append(sizes, tokens(text))
		at := slices.Index(names, q.tool)
		if at < 0 || at >= whole {
			t.Logf("%d %s: %s, %v", at, q.tool, q.text, names[:min(len(names), 5)])
		}
		for _, r := range []*result{&all, &named} {
			if r == &named && !q.named {
				continue
			}
			r.requests++
			if at >= 0 {
				r.shown++
				if at < whole {
					r.whole++
				}
			}
		}
	}
	slices.Sort(sizes)
	percent := func(n, of int) float64 { return 100 * float64(n) / float64(of) }
	t.Logf("all: %d requests, %.1f %% whole, %.1f %% shown", all.requests, percent(all.whole, all.requests), percent(all.shown, all.requests))
	t.Logf("with a word of the name: %d requests, %.1f %% whole, %.1f %% shown", named.requests, percent(named.whole, named.requests), percent(named.shown, named.requests))
	t.Logf("a search: median %d tokens, at most %d", sizes[len(sizes)/2], sizes[len(sizes)-1])
}

// tokens counts as mcpgen list does.
func tokens(text string) int { return (len(text) + 3) / 4 }
