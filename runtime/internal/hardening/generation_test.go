package hardening_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/generator"
	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// The generator refuses texts that models read and people do not see before a server exists, and
// also names that would hide one another. No transport is involved.

// generate runs the generator on a package of one file, and returns what it reports.
func generate(t *testing.T, source string) string {
	t.Helper()
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	sums, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module example.com/shop\n\ngo 1.26\n\nrequire github.com/mcpgen/mcpgen v0.0.0\n\nreplace github.com/mcpgen/mcpgen => " + root + "\n",
		"go.sum": string(sums), "shop.go": source,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	res, err := generator.Generate(t.Context(), generator.Config{
		Dir: dir, Env: append(os.Environ(), "GOPROXY=off", "GOWORK=off", "GOFLAGS=-mod=mod", "PWD="+dir), Patterns: []string{"./..."},
	})
	if err != nil {
		t.Fatal(err)
	}
	if written, err := res.Write(); res.HasErrors() && (err == nil || len(written) > 0) {
		t.Errorf("with errors %v is written: %v", written, err)
	}
	var b strings.Builder
	if err := res.PrintDiagnostics(&b, dir); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestHiddenCharacters(t *testing.T) {
	hidden := []rune{
		0x200B, 0x200C, 0x200D, 0x200E, 0x200F, // zero width, and marks of direction
		0x202A, 0x202B, 0x202C, 0x202D, 0x202E, 0x2066, 0x2067, 0x2068, 0x2069, // embeddings, overrides, isolates
		0x2060, 0x2062, 0x00AD, 0x061C, 0x180E, // joiners and marks
		0xE0001, 0xE0041, 0xE007F, 0xE0100, // tags, and variation selectors that carry bytes
	}
	var b strings.Builder
	b.WriteString("// Package shop is a shop.\n//\n//mcp:server\npackage shop\n")
	for i, r := range hidden {
		fmt.Fprintf(&b, "\n// Tool%d buys%sbooks.\n//\n//mcp:tool\nfunc Tool%d() {}\n", i, string(r), i)
	}
	fmt.Fprintf(&b, `
// Args are arguments.
type Args struct {
	// What is%[1]s bought.
	What string
}

// Buy buys.
//
//mcp:tool
func Buy(args Args) {}

// Titled has a title.
//
//mcp:tool title="Ti%[1]stle"
func Titled() {}

// Greet greets%[1]s.
//
//mcp:prompt
func Greet(who string) string { return who }

// Motto is a%[1]s motto.
//
//mcp:resource shop://motto
func Motto() string { return "" }

// Ordinary text is let through: 👩%[2]s💻 and क्%[2]sष and ﷺ, naïve café, עברית.
//
//mcp:tool
func Ordinary() {}
`, "\u202e", "\u200d")
	got := generate(t, b.String())
	for i, r := range hidden {
		if want := fmt.Sprintf("tool Tool%d: the description contains the hidden character U+%04X", i, r); !strings.Contains(got, want) {
			t.Errorf("%q is not reported:\n%s", want, got)
		}
	}
	for _, feature := range []string{"What", "Titled", "Greet", "Motto"} {
		found := false
		for line := range strings.Lines(got) {
			found = found || strings.Contains(line, feature) && strings.Contains(line, "U+202E")
		}
		if !found {
			t.Errorf("%s is not reported:\n%s", feature, got)
		}
	}
	if strings.Contains(got, "Ordinary") {
		t.Errorf("ordinary text is reported:\n%s", got)
	}
}

func TestDuplicateNamesGenerated(t *testing.T) {
	got := generate(t, `// Package shop is a shop.
//
//mcp:server
package shop

// Find finds.
//
//mcp:tool
func Find() {}

// Again finds, too.
//
//mcp:tool name=find
func Again() {}

// Other has the name as an alias.
//
//mcp:tool alias=find
func Other() {}

// One is a prompt.
//
//mcp:prompt name=p
func One() string { return "" }

// Two is another one.
//
//mcp:prompt name=p
func Two() string { return "" }

// A is a resource.
//
//mcp:resource shop://a
func A() string { return "" }

// B is another one.
//
//mcp:resource shop://a
func B() string { return "" }
`)
	for _, name := range []string{"Again", "Other", "Two", "B"} {
		found := false
		for line := range strings.Lines(got) {
			found = found || strings.Contains(line, " "+name+": ") && strings.Contains(line, "already")
		}
		if !found {
			t.Errorf("%s is not reported:\n%s", name, got)
		}
	}
}

func TestDuplicateNamesRegistered(t *testing.T) {
	tool := func(name string, aliases ...string) mcp.Feature {
		return mcp.NewTool(mcp.ToolInfo{Name: name, Aliases: aliases}, func(context.Context, json.RawMessage) (*mcp.ToolResult, error) { return nil, nil })
	}
	prompt := mcp.NewPrompt(mcp.PromptInfo{Name: "a"}, func(context.Context, map[string]string) (*mcp.PromptResult, error) { return nil, nil })
	resource := mcp.TextResource(&mcp.ResourceInfo{URI: "test://a", Name: "a"}, "")
	template := mcp.NewTemplate(mcp.TemplateInfo{URITemplate: "test://{a}", Name: "a"},
		func(context.Context, string, map[string]string) (*mcp.ResourceResult, error) { return nil, nil })
	for name, twice := range map[string][2]mcp.Feature{
		"tools": {tool("a"), tool("a")}, "alias of another": {tool("a"), tool("b", "a")}, "alias, then a name": {tool("a", "b"), tool("b")},
		"prompts": {prompt, prompt}, "resources": {resource, resource}, "templates": {template, template},
	} {
		s := mcp.NewServer(mcp.ServerInfo{Name: "x", Version: "1"})
		s.Register(twice[0])
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: the second one is taken", name)
				}
			}()
			s.Register(twice[1])
		}()
		if n := len(s.Features()); n != 1 {
			t.Errorf("%s: %d features", name, n)
		}
	}
}
