// Package pages_test follows the instructions of the documents, and checks what holds for every
// file of the repository.
package pages_test

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
)

// root is the directory of the module.
func root(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func read(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(root(t), name))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// block returns the first fenced block of a language after a text.
func block(t *testing.T, document, after, language string) string {
	t.Helper()
	_, rest, ok := strings.Cut(document, after)
	if !ok {
		t.Fatalf("the document does not say %q", after)
	}
	_, rest, ok = strings.Cut(rest, "```"+language+"\n")
	if !ok {
		t.Fatalf("no %s block after %q", language, after)
	}
	text, _, _ := strings.Cut(rest, "```")
	return text
}

// shell runs command lines of a page in a directory, without the network.
type shell struct {
	t   *testing.T
	dir string
	// tool is the program that go tool mcpgen runs, "" to find and check it each time like go tool.
	tool string
}

// newShell returns a shell with a new directory.
func newShell(t *testing.T) *shell {
	t.Helper()
	return &shell{t: t, dir: t.TempDir()}
}

// environment returns the environment of the commands. Their programs link faster without debug
// information. New modules have no checksums yet, and a cache that was filled by way of go.sum does
// not know the answers of the checksum database.
func (s *shell) environment() []string {
	return append(os.Environ(), "GOPROXY=off", "GONOSUMDB=*", "GOWORK=off", "GOFLAGS=-ldflags=-s", "GOGC=400", "PWD="+s.dir)
}

// line returns a line of a page as it is run.
func (s *shell) line(line string) string {
	if s.tool == "" {
		return line
	}
	return strings.ReplaceAll(line, "go tool mcpgen", "'"+s.tool+"'")
}

func (s *shell) run(stdin, line string) (stdout, stderr string, err error) {
	s.t.Helper()
	if _, err := exec.LookPath("sh"); err != nil {
		s.t.Skip("the commands of the documents are for a POSIX shell:", err)
	}
	cmd := exec.CommandContext(context.WithoutCancel(s.t.Context()), "sh", "-c", s.line(line))
	cmd.Dir, cmd.Env = s.dir, s.environment()
	cmd.Stdin = strings.NewReader(stdin)
	var out, errs strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &errs
	err = cmd.Run()
	return out.String(), errs.String(), err
}

func (s *shell) must(stdin, line string) string {
	s.t.Helper()
	out, errs, err := s.run(stdin, line)
	if err != nil {
		s.t.Fatalf("%s: %v\n%s%s", line, err, out, errs)
	}
	return out
}

// requirement is a line of a require block in go.mod.
var requirement = regexp.MustCompile(`(?m)^\t(\S+) (v\S+)`)

// install replaces go get -tool, which would fetch a published version: it requires this module and
// its requirements. Later lines run the program of go tool mcpgen.
func (s *shell) install(root string) {
	s.t.Helper()
	const module = "github.com/mcpgen/mcpgen"
	edit := "go mod edit -require=" + module + "@v0.0.0 -replace=" + module + "='" + root + "' -tool=" + module + "/cmd/mcpgen"
	for _, m := range requirement.FindAllStringSubmatch(read(s.t, "go.mod"), -1) {
		edit += " -require=" + m[1] + "@" + m[2]
	}
	s.must("", edit+" && cp '"+root+"/go.sum' .")
	s.tool = strings.TrimSpace(s.must("", "go tool -n mcpgen"))
}

// apart gives a line of commands its own home directory, for the files of clients.
func (s *shell) apart(line string) string {
	s.t.Helper()
	home := filepath.Join(s.dir, "home")
	if err := os.MkdirAll(home, 0o700); err != nil {
		s.t.Fatal(err)
	}
	set := "export XDG_CONFIG_HOME= XDG_CACHE_HOME="
	for _, name := range []string{"GOCACHE", "GOMODCACHE", "GOPATH"} {
		set += " " + name + "='" + strings.TrimSpace(s.must("", "go env "+name)) + "'"
	}
	return set + " HOME='" + home + "'; " + line
}

// twice contains the arguments of greet, and greeting its result.
const twice = `{"name":"Ada","times":2}`

var greeting = regexp.MustCompile(`"text":"Hello, Ada! Hello, Ada! "`)

// TestREADME copies the smallest complete example literally.
func TestREADME(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the commands of the README are for a POSIX shell")
	}
	readme := read(t, "README.md")
	s := newShell(t)
	source := func(name string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(s.dir, name), []byte(block(t, readme, "`"+name+"`", "go")), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	// A tool is called without a main function, and before anything is generated.
	source("greet.go")
	out := ""
	for line := range strings.Lines(block(t, readme, "and three commands there:", "sh")) {
		line, _, _ = strings.Cut(strings.TrimSpace(line), "  #")
		if strings.HasPrefix(line, "go get -tool ") {
			s.install(root(t))
			s.tool = "" // this page alone is followed to the letter
			continue
		}
		out = s.must("", line)
	}
	if !strings.Contains(out, "Hello, Ada! Hello, Ada!") {
		t.Errorf("the tool answered\n%s", out)
	}
	_, wrong, _ := strings.Cut(readme, "For a wrong call, such as `")
	wrong, _, _ = strings.Cut(wrong, "`")
	says := block(t, readme, "For a wrong call", "text")
	if out, errs, err := s.run("", wrong); err == nil || !strings.Contains(errs, says) {
		t.Errorf("%s printed\n%s%s\nand the README has\n%s", wrong, out, errs, says)
	}

	source("main.go")
	for line := range strings.Lines(block(t, readme, "and in a shell:", "sh")) {
		line, _, _ = strings.Cut(strings.TrimSpace(line), "  #")
		switch {
		case strings.Contains(line, " install "):
			// A client would start the program; the next lines are its messages.
			if out := s.must("", s.apart(line)); !strings.HasPrefix(out, "added greet to Cursor: "+s.dir) {
				t.Errorf("%s printed\n%s", line, out)
			}
		case strings.Contains(line, " -http "):
			if out := s.callOverHTTP(line, "greet", twice); !greeting.MatchString(out) {
				t.Errorf("%s answered\n%s", line, out)
			}
		default:
			s.must("", line)
		}
	}
	out = s.must(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"greet","arguments":{"name":"Ada","times":2}}}
`, "./greet")
	if !greeting.MatchString(out) {
		t.Errorf("the program answered\n%s", out)
	}

	without := block(t, readme, "## Without a server", "sh")
	for _, want := range []struct{ line, out string }{
		{"go tool mcpgen list .", "greet"},
		{"go tool mcpgen call . greet name=Ada times=2", "Hello, Ada! Hello, Ada!"},
	} {
		if !strings.Contains(without, want.line) {
			t.Errorf("the README does not say %q", want.line)
		}
		if out := s.must("", want.line); !strings.Contains(out, want.out) {
			t.Errorf("%s printed\n%s", want.line, out)
		}
	}
	// vet fails if it has findings.
	if says := "`go tool mcpgen vet .` finds nothing"; !strings.Contains(readme, says) {
		t.Errorf("the README does not say %q", says)
	}
	if out := s.must("", "go tool mcpgen vet ."); out != "" {
		t.Errorf("vet found\n%s", out)
	}
	const overHTTP = "go tool mcpgen run -http 8080 ."
	if !strings.Contains(without, overHTTP) {
		t.Errorf("the README does not say %q", overHTTP)
	}
	if out := s.callOverHTTP(overHTTP, "greet", twice); !greeting.MatchString(out) {
		t.Errorf("%s answered\n%s", overHTTP, out)
	}
}

// TestREADMEComparison: the table of the README has the versions and figures of the page about
// other libraries, whose tables say how they were measured.
func TestREADMEComparison(t *testing.T) {
	_, table, _ := strings.Cut(read(t, "README.md"), "## Beside the Go SDK and mcp-go\n\n")
	table, _, _ = strings.Cut(table, "\n\n")
	page := read(t, "docs/decide/comparison.md")
	cells := regexp.MustCompile(`[\w-]+(?: SDK)? \d+\.\d+\.\d+|\d+\.\d+ |none yet`).FindAllString(table, -1)
	if len(cells) != 6 {
		t.Errorf("the table has the versions and figures %q", cells)
	}
	for _, cell := range cells {
		if !strings.Contains(page, cell) {
			t.Errorf("docs/decide/comparison.md has no %q", cell)
		}
	}
}

// queries contains code in the form that sqlc generates.
const queries = `package db

import "context"

type Queries struct{}

type Book struct {
	ID    int64  ` + "`json:\"id\"`" + `
	Title string ` + "`json:\"title\"`" + `
}

// GetBook returns a book.
func (q *Queries) GetBook(ctx context.Context, id int64) (Book, error) { return Book{ID: id}, nil }

// ListBooks returns the books of an author.
func (q *Queries) ListBooks(ctx context.Context, author string) ([]Book, error) { return nil, nil }

func New() *Queries { return nil }
`

// TestREADMEVariables generates code for the README's section about functions that cannot be
// edited, and for the variables that init writes.
func TestREADMEVariables(t *testing.T) {
	const heading = "## Functions that cannot be edited"
	readme := read(t, "README.md")
	s := newShell(t)
	for name, text := range map[string]string{
		"db/query.sql.go": queries, "tools/tools.go": block(t, readme, heading, "go"), "more/more.go": "package more\n",
	} {
		file := filepath.Join(s.dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	s.must("", "go mod init example.com/shop")
	s.install(root(t))
	const expose = "go tool mcpgen init -expose example.com/shop/db ./tools"
	if !strings.Contains(readme, expose) {
		t.Errorf("the README does not say %q", expose)
	}
	s.must("", strings.Replace(expose, "./tools", "./more", 1))
	s.must("", "go tool mcpgen ./... && go vet ./...")
	for _, dir := range []string{"./tools", "./more"} {
		out := s.must("", "go tool mcpgen list "+dir)
		for _, tool := range []string{"get_book", "list_books"} {
			if !strings.Contains(out, tool) {
				t.Errorf("mcpgen list %s has no %s:\n%s", dir, tool, out)
			}
		}
	}
}

var endpoint = regexp.MustCompile(`http://127\.0\.0\.1:\d+/mcp`)

// callOverHTTP runs a line that serves over HTTP, calls a tool of it, and interrupts it. It
// replaces the port in the line with a free one.
func (s *shell) callOverHTTP(line, tool, arguments string) string {
	s.t.Helper()
	url, _ := s.serve(line)
	call := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + tool + `","arguments":` + arguments + `,` +
		`"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`
	req, err := http.NewRequestWithContext(s.t.Context(), http.MethodPost, url, strings.NewReader(call))
	if err != nil {
		s.t.Fatal(err)
	}
	for name, value := range map[string]string{
		"Content-Type": "application/json", "Accept": "application/json, text/event-stream",
		"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": tool,
	} {
		req.Header.Set(name, value)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return string(body)
}

// serve runs a line that serves over HTTP until the test ends. It replaces the port in the line
// with a free one, and returns the URL of the endpoint and the output of the program at its start.
func (s *shell) serve(line string) (url, said string) {
	s.t.Helper()
	cmd := exec.CommandContext(context.WithoutCancel(s.t.Context()), "sh", "-c", "exec "+s.line(strings.Replace(line, "-http 8080", "-http 0", 1)))
	cmd.Dir, cmd.Env = s.dir, s.environment()
	stderr, err := cmd.StderrPipe()
	if err != nil {
		s.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	lines, read := bufio.NewScanner(stderr), make(chan struct{})
	s.t.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt)
		<-read
		_ = cmd.Wait()
	})
	for url == "" || strings.Contains(line, "-dev-login") && !strings.Contains(said, "callers need") {
		if !lines.Scan() {
			close(read)
			s.t.Fatalf("%s printed no URL", line)
		}
		said += lines.Text() + "\n"
		if url == "" {
			url = endpoint.FindString(lines.Text())
		}
	}
	go func() {
		_, _ = io.Copy(io.Discard, stderr)
		close(read)
	}()
	return url, said
}

// TestToolsModfile follows the page about versions: the command is in a separate file, and go.mod
// requires only the runtime. The module of this repository replaces the one that go get would
// download.
func TestToolsModfile(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the commands of the page are for a POSIX shell")
	}
	const source = `package shop

// Greet says hello.
//
//mcp:tool readonly closedworld
func Greet(name string) string { return name }
`
	s := newShell(t)
	if err := os.WriteFile(filepath.Join(s.dir, "shop.go"), []byte(source), 0o644); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(block(t, read(t, "docs/decide/versioning.md"), "in a file of its own:", "sh")) {
		switch line = strings.TrimSpace(line); {
		case strings.HasPrefix(line, "go get -tool -modfile=tools.mod "):
			s.must("", "cp tools.mod go.mod")
			s.install(root(t))
			s.must("", "mv go.mod tools.mod && mv go.sum tools.sum")
		case strings.HasPrefix(line, "go get "):
			s.must("", "go mod init example.com/shop && go mod edit -require=github.com/mcpgen/mcpgen@v0.0.0 -replace=github.com/mcpgen/mcpgen='"+root(t)+"'")
		default:
			s.must("", line)
		}
	}
	s.must("", "go build . && test -f mcp_gen.go")
	if out := s.must("", "go mod edit -json | grep -c Version"); strings.TrimSpace(out) != "1" {
		t.Errorf("go.mod has %s requirements", out)
	}
}
