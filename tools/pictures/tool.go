package main

import (
	"fmt"
	"go/scanner"
	"go/token"
	"slices"
	"strings"
)

// Measures of the picture of a tool, in pixels.
const (
	toolWidth  = 960
	codeWidth  = 440.0
	cardLeft   = 472.0
	cardRight  = toolWidth - 24.0
	codeLine   = 20.0
	codeIndent = 24.0
)

func (t theme) style() string {
	return `
text{font:15px ` + textFonts + `;fill:` + t.text + `}
.m{font:13px ` + monoFonts + `;white-space:pre}
.n{font-weight:600}
.c{fill:` + t.muted + `}
.k{fill:` + t.word + `}
.s{fill:` + t.text2 + `}
.d{fill:` + t.directive + `;font-weight:600}
.h{font-size:20px;font-weight:600}
.l{font-size:12px;font-weight:600;fill:` + t.muted + `}
.y{font-size:14px;fill:` + t.muted + `}
.t{font-size:12px;font-weight:600;fill:` + t.directive + `}
`
}

// drawTool draws a function on the left, and its published form on the right.
func drawTool(s *shown, t theme) []byte {
	var body picture
	card := body.card(s, t)
	lines := highlighted(s.source)
	height := int(max(card, 52+float64(len(lines))*codeLine) + 20)
	var p picture
	p.begin(toolWidth, height, s.title(), t.style())
	fmt.Fprintf(&p, `<rect x=".5" y=".5" width="%d" height="%d" rx="8" fill="%s" stroke="%s"/>`+"\n", toolWidth-1, height-1, t.page, t.edge)
	fmt.Fprintf(&p, `<path d="M.5 8.5a8 8 0 0 1 8-8H%g V%g H8.5a8 8 0 0 1-8-8z" fill="%s" stroke="%s"/>`+"\n", codeWidth, float64(height)-.5, t.panel, t.edge)
	p.line(codeIndent, 32, "l", span{"", "The function: Go"})
	for i, l := range lines {
		if len(l) > 0 {
			p.line(codeIndent, 62+float64(i)*codeLine, "m", l...)
		}
	}
	_, _ = p.Write(body.Bytes()) // a bytes.Buffer never fails
	return p.end()
}

// title describes the picture for screen readers.
func (s *shown) title() string {
	return "At the left the Go function with its directives; at the right the tool " + s.Name + " as a client shows it: title, description, arguments with types, a call and its result"
}

// card writes the tool, and returns its lower end.
func (p *picture) card(s *shown, t theme) float64 {
	p.line(cardLeft, 32, "l", span{"", "The tool: what a client shows"})
	p.line(cardLeft, 66, "h", span{"", s.Title})
	if s.Annotations["readOnlyHint"] {
		const width = 84.0
		fmt.Fprintf(p, `<rect x="%g" y="48" width="%g" height="24" rx="12" fill="%s"/>`, cardRight-width, width, t.tag)
		fmt.Fprintf(p, `<text x="%g" y="64" text-anchor="middle" class="t">read-only</text>`+"\n", cardRight-width/2)
	}
	p.line(cardLeft, 89, "m", span{"c", s.Name})
	y := 118.0
	for _, l := range wrapped(s.Description, 62) {
		p.line(cardLeft, y, "", span{"", l})
		y += 22
	}
	y += 14
	p.line(cardLeft, y, "l", span{"", "Arguments"})
	properties, _ := s.properties() // they were read before
	for _, a := range properties {
		y += 26
		p.line(cardLeft, y, "m", span{"n", a.Name})
		p.line(cardLeft+72, y, "y", span{"", a.words(slices.Contains(s.InputSchema.Required, a.Name))})
		y += 20
		p.line(cardLeft+72, y, "", span{"", a.Description})
	}
	y += 38
	y = p.block(y, "Call", []string{s.call}, t)
	return p.block(y+28, "Result", strings.Split(s.result, "\n"), t)
}

// block writes JSON with a label, and returns its lower end.
func (p *picture) block(y float64, label string, lines []string, t theme) float64 {
	p.line(cardLeft, y, "l", span{"", label})
	height := float64(len(lines))*codeLine + 12
	fmt.Fprintf(p, `<rect x="%g" y="%g" width="%g" height="%g" rx="6" fill="%s" stroke="%s"/>`+"\n", cardLeft+.5, y+10.5, cardRight-cardLeft-1, height-1, t.panel, t.edge)
	for i, l := range lines {
		p.line(cardLeft+12, y+30+float64(i)*codeLine, "m", span{"", l})
	}
	return y + 10 + height
}

// words describes the type of an argument.
func (a property) words(required bool) string {
	text := a.Type
	if len(a.Enum) > 0 {
		text = `"` + strings.Join(a.Enum, `" or "`) + `"`
	}
	if a.Minimum != "" && a.Maximum != "" {
		text += ", " + a.Minimum.String() + " to " + a.Maximum.String()
	}
	if len(a.Default) > 0 {
		text += ", default " + string(a.Default)
	}
	if required {
		text += ", required"
	}
	return text
}

// highlighted returns the lines of Go source with the classes of their tokens.
func highlighted(source string) (lines [][]span) {
	set := token.NewFileSet()
	file := set.AddFile("", set.Base(), len(source))
	var s scanner.Scanner
	s.Init(file, []byte(source), nil, scanner.ScanComments)
	lines = [][]span{nil}
	add := func(class, text string) {
		for i, part := range strings.Split(strings.ReplaceAll(text, "\t", "    "), "\n") {
			if i > 0 {
				lines = append(lines, nil)
			}
			if part == "" {
				continue
			}
			last := &lines[len(lines)-1]
			if n := len(*last); n > 0 && (*last)[n-1].class == class {
				(*last)[n-1].text += part
				continue
			}
			*last = append(*last, span{class, part})
		}
	}
	end := 0
	for {
		pos, tok, literal := s.Scan()
		if tok == token.EOF {
			add("", source[end:])
			return lines
		}
		if tok == token.SEMICOLON && literal != ";" {
			continue // not in the source
		}
		at, text := file.Offset(pos), literal
		if text == "" {
			text = tok.String()
		}
		add("", source[end:at])
		end = at + len(text)
		switch {
		case tok == token.COMMENT && strings.HasPrefix(text, "//mcp:"):
			add("d", text)
		case tok == token.COMMENT:
			add("c", text)
		case tok.IsKeyword():
			add("k", text)
		case tok == token.STRING:
			add("s", text)
		default:
			add("", text)
		}
	}
}
