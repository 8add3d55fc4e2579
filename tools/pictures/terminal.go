package main

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf8"
)

// Measures of the recording: pixels, and the speed of typing and answers.
const (
	fontSize   = 14.0
	lineHeight = 20.0
	advance    = 0.62 * fontSize
	margin     = 20.0
	perKey     = 40 * time.Millisecond
	beforeRun  = 350 * time.Millisecond
)

// Without animations, everything is visible: the picture is the last frame.
const terminalStyle = `
text{font:14px ` + monoFonts + `;fill:#e6edf3;white-space:pre}
.p{fill:#7ee787}
.b{font-weight:700}
.c{fill:#ffffff;font-weight:600}
.c tspan,.o{animation:show 1ms linear both}
@keyframes show{from{fill-opacity:0}to{fill-opacity:1}}
@media (prefers-reduced-motion:reduce){.c tspan,.o{animation:none}}
`

// drawTerminal draws a recording. It ends with the last frame and does not repeat, so that a reader
// has time for it.
func drawTerminal(t *tape, frames []frame) []byte {
	rows := 0
	for _, f := range frames {
		if f.command != "" {
			rows += 1 + len(f.output)
		}
	}
	commands := 0
	for _, f := range frames {
		if f.command != "" {
			commands++
		}
	}
	const bar = 36.0
	gaps := float64(commands-1) * lineHeight / 2
	width := int(2*margin + float64(t.columns)*advance)
	height := int(bar + float64(rows)*lineHeight + gaps + margin)
	var p picture
	p.begin(width, height, t.title, terminalStyle)
	fmt.Fprintf(&p, `<rect x=".5" y=".5" width="%d" height="%d" rx="8" fill="#0d1117" stroke="#30363d"/>`+"\n", width-1, height-1)
	for i := range 3 {
		fmt.Fprintf(&p, `<circle cx="%d" cy="18" r="5" fill="#30363d"/>`+"\n", 22+18*i)
	}
	y, now := bar+fontSize, time.Duration(0)
	for i, f := range frames {
		if f.command == "" {
			now += f.pause
			continue
		}
		if i > 0 && y > bar+fontSize {
			y += lineHeight / 2
		}
		now = p.typed(y, f.command, now)
		y += lineHeight
		now += beforeRun
		if len(f.output) == 0 {
			continue
		}
		fmt.Fprintf(&p, `<g class="o" style="animation-delay:%s">`+"\n", seconds(now))
		for _, l := range f.output {
			if len(l) > 0 {
				p.line(margin, y, "", spansOf(l)...)
			}
			y += lineHeight
		}
		p.WriteString("</g>\n")
	}
	return p.end()
}

// typed writes a prompt and a command character by character, and returns the time at its end.
func (p *picture) typed(y float64, command string, now time.Duration) time.Duration {
	fmt.Fprintf(p, `<g class="o" style="animation-delay:%s"><text x="%g" y="%g" class="p">$</text></g>`+"\n", seconds(now), margin, y)
	now += 300 * time.Millisecond
	fmt.Fprintf(p, `<text x="%g" y="%g" class="c">`, margin+2*advance, y)
	for len(command) > 0 {
		// A space is drawn with the next character: some viewers would lose a single one.
		size := len(command) - len(strings.TrimLeft(command, " "))
		_, next := utf8.DecodeRuneInString(command[size:])
		fmt.Fprintf(p, `<tspan style="animation-delay:%s">%s</tspan>`, seconds(now), escape(command[:size+next]))
		command = command[size+next:]
		now += perKey
	}
	p.WriteString("</text>\n")
	return now
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.2fs", d.Seconds()) }

// spansOf joins the cells of a line that look the same.
func spansOf(l line) (spans []span) {
	for _, c := range l {
		class := ""
		if c.bold {
			class = "b"
		}
		if last := len(spans) - 1; last >= 0 && spans[last].class == class {
			spans[last].text += string(c.char)
			continue
		}
		spans = append(spans, span{class, string(c.char)})
	}
	return spans
}
