package main

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"strings"
)

// Fonts that systems have. A character of the monospaced ones is at most 0.62 em wide.
const (
	monoFonts = `ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace`
	textFonts = `-apple-system,BlinkMacSystemFont,'Segoe UI','Noto Sans',Helvetica,Arial,'DejaVu Sans',sans-serif`
)

// theme contains the colours of a picture.
type theme struct {
	page, panel, edge                        string
	text, muted, word, text2, directive, tag string
}

var (
	light = theme{
		page: "#ffffff", panel: "#f6f8fa", edge: "#d0d7de",
		text: "#1f2328", muted: "#59636e", word: "#cf222e", text2: "#0a3069", directive: "#0550ae", tag: "#ddf4ff",
	}
	dark = theme{
		page: "#0d1117", panel: "#161b22", edge: "#30363d",
		text: "#e6edf3", muted: "#9198a1", word: "#ff7b72", text2: "#a5d6ff", directive: "#79c0ff", tag: "#152a45",
	}
)

// picture is an SVG that is being written.
type picture struct{ bytes.Buffer }

// begin writes the head of a picture. Screen readers read the title.
func (p *picture) begin(width, height int, title, style string) {
	fmt.Fprintf(p, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%[1]d" height="%[2]d" role="img" aria-labelledby="title">`+"\n", width, height)
	fmt.Fprintf(p, `<title id="title">%s</title>`+"\n<style>%s</style>\n", escape(title), style)
}

func (p *picture) end() []byte {
	p.WriteString("</svg>\n")
	return p.Bytes()
}

// span is a piece of a line of text with a class.
type span struct{ class, text string }

// line writes a line of text at its starting point on the base line.
func (p *picture) line(x, y float64, class string, spans ...span) {
	fmt.Fprintf(p, `<text x="%g" y="%g"`, x, y)
	if class != "" {
		fmt.Fprintf(p, ` class="%s"`, class)
	}
	p.WriteString(">")
	for _, r := range spans {
		if r.class == "" {
			p.WriteString(escape(r.text))
			continue
		}
		fmt.Fprintf(p, `<tspan class="%s">%s</tspan>`, r.class, escape(r.text))
	}
	p.WriteString("</text>\n")
}

// escape escapes a text for XML, and preserves repeated spaces.
func escape(text string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(text)) // a strings.Builder never fails
	return strings.ReplaceAll(b.String(), "  ", "\u00a0\u00a0")
}

// wrapped wraps a text at spaces into lines of at most a number of characters.
func wrapped(text string, most int) (lines []string) {
	last := ""
	for word := range strings.FieldsSeq(text) {
		switch {
		case last == "":
			last = word
		case len([]rune(last))+1+len([]rune(word)) > most:
			lines, last = append(lines, last), word
		default:
			last += " " + word
		}
	}
	if last != "" {
		lines = append(lines, last)
	}
	return lines
}
