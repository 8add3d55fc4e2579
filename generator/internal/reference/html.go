package reference

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html"
	"strings"

	"github.com/mcpgen/mcpgen/internal/visible"
)

//go:embed page.css
var pageStyle string

//go:embed page.js
var pageScript string

// The policy forbids the page to load anything, and to run other scripts than its own, even if a
// text were not escaped.
const htmlHead = `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src '%s'; script-src '%s'; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="generator" content="mcpgen docs">
<title>%s</title>
<style>%s</style>
</head>
<body>
<a class="skip" href="#main">Skip the list</a>
`

// hashOf returns a source expression for a Content-Security-Policy that allows one text.
func hashOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

func (d *document) html() []byte {
	var b strings.Builder
	fmt.Fprintf(&b, htmlHead, hashOf(pageStyle), hashOf(pageScript), escapeHTML(d.title), pageStyle)
	d.sideList(&b)
	b.WriteString("<main id=\"main\">\n")
	open := 0
	for i := range d.blocks {
		k := &d.blocks[i]
		if k.kind == headingBlock && k.level > 1 {
			open = section(&b, open, k.level)
		}
		k.html(&b)
	}
	section(&b, open, 1)
	b.WriteString("</main>\n<script>" + pageScript + "</script>\n</body>\n</html>\n")
	return []byte(b.String())
}

// section closes the sections that end before a heading, and opens the heading's own unless it is
// the title. open contains a bit for the level of each open section. A feature has level 4.
func section(b *strings.Builder, open, level int) int {
	for l := 4; l >= level; l-- {
		if open&(1<<l) != 0 {
			b.WriteString("</section>\n")
			open &^= 1 << l
		}
	}
	switch level {
	case 1:
		return open
	case 4:
		b.WriteString("<section class=\"feature\">\n")
	default:
		b.WriteString("<section>\n")
	}
	return open | 1<<level
}

// sideList writes the search and the list of all features under the headings of their parts.
func (d *document) sideList(b *strings.Builder) {
	b.WriteString("<nav aria-label=\"Contents\">\n" +
		"<div hidden><input type=\"search\" id=\"search\" placeholder=\"Search, or press /\" aria-label=\"Search\" aria-keyshortcuts=\"/\" autocomplete=\"off\" spellcheck=\"false\">" +
		"<p id=\"found\" role=\"status\"></p></div>\n<details open>\n<summary>Contents</summary>\n")
	open, listed := 0, false
	for _, k := range d.blocks {
		if k.kind != headingBlock || k.level == 1 {
			continue
		}
		if listed && k.level < 4 {
			b.WriteString("</ul>\n")
			listed = false
		}
		link := `<a href="#` + k.anchor + `">` + escapeHTML(plainText(k.inline)) + "</a>"
		if k.level == 4 {
			if !listed {
				b.WriteString("<ul>\n")
				listed = true
			}
			b.WriteString("<li>" + link + "</li>\n")
			continue
		}
		for l := 3; l >= k.level; l-- {
			if open&(1<<l) != 0 {
				b.WriteString("</div>\n")
				open &^= 1 << l
			}
		}
		open |= 1 << k.level
		fmt.Fprintf(b, "<div class=\"part\">\n<h%d>%s</h%[1]d>\n", k.level, link)
	}
	if listed {
		b.WriteString("</ul>\n")
	}
	for l := 3; l >= 2; l-- {
		if open&(1<<l) != 0 {
			b.WriteString("</div>\n")
		}
	}
	b.WriteString("</details>\n</nav>\n")
}

func plainText(line []inline) string {
	var b strings.Builder
	for _, i := range line {
		b.WriteString(i.text)
	}
	return b.String()
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
	case labelBlock:
		b.WriteString("<p class=\"label\">" + htmlLine(k.inline) + "</p>\n")
	case codeBlock:
		b.WriteString("<pre tabindex=\"0\"><code>" + escapeHTML(k.code) + "</code></pre>\n")
	case listBlock:
		b.WriteString("<ul>\n")
		for _, item := range k.items {
			b.WriteString("<li>" + htmlLine(item) + "</li>\n")
		}
		b.WriteString("</ul>\n")
	case tableBlock:
		b.WriteString("<table>\n<thead><tr>")
		for _, h := range k.head {
			b.WriteString("<th>" + escapeHTML(h) + "</th>")
		}
		b.WriteString("</tr></thead>\n<tbody>\n")
		for _, row := range k.rows {
			b.WriteString("<tr>")
			for i, cell := range row {
				short := ""
				if len(cell) == 1 && cell[0].code && len(cell[0].text) <= 24 {
					short = ` class="short"` // it does not break, but a longer one must
				}
				b.WriteString(`<td data-label="` + escapeHTML(k.head[i]) + `"` + short + ">" + htmlLine(cell) + "</td>")
			}
			b.WriteString("</tr>\n")
		}
		b.WriteString("</tbody>\n</table>\n")
	}
}

func htmlLine(line []inline) string {
	var b strings.Builder
	for _, i := range line {
		text := strings.ReplaceAll(escapeHTML(i.text), "\n", "<br>\n")
		switch {
		case i.anchor != "":
			b.WriteString(`<a href="#` + i.anchor + `">` + text + "</a>")
		case i.web:
			b.WriteString(`<a href="` + escapeHTML(i.text) + `" rel="noopener noreferrer">` + text + "</a>")
		case i.code && text != "":
			b.WriteString("<code>" + text + "</code>")
		default:
			b.WriteString(text)
		}
	}
	return b.String()
}

func escapeHTML(text string) string { return html.EscapeString(visible.Escape(text)) }
