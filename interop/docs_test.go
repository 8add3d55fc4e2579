package interop

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	source "github.com/yuin/goldmark/text"
)

// hostileTexts have a meaning in Markdown if they are not escaped. Each is a line of a comment.
var hostileTexts = []string{
	"<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "[a](javascript:alert(1))", "![a](https://evil.example/x.png)",
	"# heading", "- item", "+ item", "1. item", "1) item", "> quote", "```fence", "~~~fence", "`code`", "a | b | c", "|---|---|",
	"*a* _b_ **c** ~~d~~ ***", "https://evil.example", "see www.evil.example", "write to a@evil.example", "&lt;b&gt; &copy; &#60;",
	"a \\ b \\* c", "ends with \\", "<!-- comment", "--> end", "[x]: https://evil.example", "===", "---", "<https://evil.example>",
	"[^1] and [x][y]", "<b onmouseover=x>", "``|``", "[ ] task", "</a><h1>x</h1>", "$a$ :tada: @someone #1", "![x]", "[docs]",
}

// Another Markdown renderer reads a package's texts in its reference as plain text.
func TestHostileDocs(t *testing.T) {
	s := newShell(t)
	var program strings.Builder
	program.WriteString("//mcp:server\npackage hostile\n")
	for i, text := range hostileTexts {
		// The text begins a paragraph, follows another line, and describes an argument, in a table.
		fmt.Fprintf(&program, "\n// Tool%02d is one.\n//\n// %s\n// %[2]s\n//\n//mcp:tool\n//mcp:arg a %q default=%[3]q\nfunc Tool%02[1]d(a string) string { return a }\n", i, text, text)
	}
	for name, content := range map[string]string{"go.mod": "module example.com/hostile\n\ngo 1.26\n", "hostile.go": program.String()} {
		if err := os.WriteFile(filepath.Join(s.dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	code, page, stderr := s.run("docs", ".")
	if code != 0 {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	tree := goldmark.New(goldmark.WithExtensions(extension.GFM, extension.Footnote, extension.DefinitionList)).Parser().Parse(source.NewReader([]byte(page)))
	sections := map[string]string{} // plain text by tool
	tool := ""
	err := ast.Walk(tree, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Heading:
			tool = strings.TrimSpace(plainText(n, []byte(page)))
		case *ast.Link:
			if !strings.HasPrefix(string(n.Destination), "#") {
				t.Errorf("%s: a link to %s", tool, n.Destination)
			}
		case *ast.Image, *ast.Emphasis, *ast.AutoLink, *ast.Blockquote, *ast.ThematicBreak, *ast.CodeBlock:
			t.Errorf("%s: %s", tool, n.Kind())
		case *ast.HTMLBlock:
			if tool != "" {
				t.Errorf("%s: a block of HTML", tool)
			}
		case *ast.RawHTML:
			raw := string(n.Segments.Value([]byte(page)))
			if raw != "<br>" && raw != "</a>" && !strings.HasPrefix(raw, `<a id="`) {
				t.Errorf("%s: HTML %s", tool, raw)
			}
		case *ast.Paragraph:
			sections[tool] += plainText(n, []byte(page)) + "\n"
		default:
			switch kind := n.Kind().String(); kind {
			case "Strikethrough", "FootnoteLink", "FootnoteList", "DefinitionList", "TaskCheckBox":
				t.Errorf("%s: %s", tool, kind)
			case "TableCell":
				sections[tool] += plainText(n, []byte(page)) + "\n"
			}
		}
		return ast.WalkContinue, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for i, hostile := range hostileTexts {
		name := fmt.Sprintf("tool%02d", i)
		want := 3
		if strings.Contains(hostile, "``") || strings.Contains(hostile, "]: ") {
			want = 2 // in a comment, Go gives these a meaning
		}
		if got := strings.Count(sections[name], hostile); got < want {
			t.Errorf("%s: %q is there %d times:\n%s", name, hostile, got, sections[name])
		}
	}
}

// plainText returns a node's text as a reader sees it.
func plainText(n ast.Node, page []byte) string {
	var b strings.Builder
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if t, ok := c.(*ast.Text); ok {
			b.Write(unescape(t.Segment.Value(page)))
			if t.SoftLineBreak() || t.HardLineBreak() {
				b.WriteByte('\n')
			}
			continue
		}
		b.WriteString(plainText(c, page))
	}
	return b.String()
}

// unescape removes the backslashes before punctuation, which a parser keeps in its segments.
func unescape(text []byte) []byte {
	var out []byte
	for i := 0; i < len(text); i++ {
		if text[i] == '\\' && i+1 < len(text) && strings.IndexByte("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~", text[i+1]) >= 0 {
			i++
		}
		out = append(out, text[i])
	}
	return out
}
