package reference

import (
	"fmt"
	"html"
	"strings"

	"github.com/mcpgen/mcpgen/internal/visible"
)

// The policy forbids the page to load or run anything, even if a text were not escaped.
const htmlHead = `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="generator" content="mcpgen docs">
<title>%s</title>
<style>
:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
code, pre { font: 0.9em ui-monospace, monospace; }
pre { overflow: auto; padding: 0.75rem; border: 1px solid #8886; border-radius: 4px; }
table { border-collapse: collapse; display: block; overflow: auto; }
th, td { text-align: left; vertical-align: top; padding: 0.25rem 0.75rem 0.25rem 0; border-bottom: 1px solid #8886; }
</style>
</head>
<body>
`

func (d *document) html() []byte {
	var b strings.Builder
	fmt.Fprintf(&b, htmlHead, escapeHTML(d.title))
	for i := range d.blocks {
		d.blocks[i].html(&b)
	}
	b.WriteString("</body>\n</html>\n")
	return []byte(b.String())
}

func (k *block) html(b *strings.Builder) {
	switch k.kind {
	case headingBlock:
		id := ""
		if k.anchor != "" {
			id = ` id="` + k.anchor + `"`
		}
		fmt.Fprintf(b, "<h%d%s>%s</h%[1]d>\n", k.level, id, htmlLine(k.inline))
	case paragraphBlock:
		b.WriteString("<p>" + htmlLine(k.inline) + "</p>\n")
	case codeBlock:
		b.WriteString("<pre><code>" + escapeHTML(k.code) + "</code></pre>\n")
	case listBlock:
		b.WriteString("<ul>\n")
		for _, item := range k.items {
			b.WriteString("<li>" + htmlLine(item) + "</li>\n")
		}
		b.WriteString("</ul>\n")
	case tableBlock:
		b.WriteString("<table>\n<tr>")
		for _, h := range k.head {
			b.WriteString("<th>" + escapeHTML(h) + "</th>")
		}
		b.WriteString("</tr>\n")
		for _, row := range k.rows {
			b.WriteString("<tr>")
			for _, cell := range row {
				b.WriteString("<td>" + htmlLine(cell) + "</td>")
			}
			b.WriteString("</tr>\n")
		}
		b.WriteString("</table>\n")
	}
}

func htmlLine(line []inline) string {
	var b strings.Builder
	for _, i := range line {
		text := strings.ReplaceAll(escapeHTML(i.text), "\n", "<br>\n")
		switch {
		case i.anchor != "":
			b.WriteString(`<a href="#` + i.anchor + `">` + text + "</a>")
		case i.code && text != "":
			b.WriteString("<code>" + text + "</code>")
		default:
			b.WriteString(text)
		}
	}
	return b.String()
}

func escapeHTML(text string) string { return html.EscapeString(visible.Escape(text)) }
