package main

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// maxLines limits the output of one command: the picture shows all of it, and does not scroll.
const maxLines = 40

// cell is a character of the screen.
type cell struct {
	char rune
	bold bool
}

// line is a line of the screen, without spaces at its end.
type line []cell

// render returns the screen after a text, without scrolling. It supports the control characters
// that the command prints, and refuses all others, so that none is drawn wrongly.
func render(text string, columns int) ([]line, error) {
	s := screen{columns: columns, lines: []line{nil}}
	for len(text) > 0 {
		if rest, known := s.escape(text); known {
			text = rest
			continue
		}
		r, size := utf8.DecodeRuneInString(text)
		switch {
		case r == utf8.RuneError && size <= 1:
			return nil, fmt.Errorf("a terminal shows UTF-8, and %.20q is not", text)
		case r == '\r':
			s.x = 0
		case r == '\n':
			s.newline()
		case r == '\t':
			s.x = min((s.x/8+1)*8, columns-1)
		case r < ' ' || r >= 0x7f && r < 0xa0:
			return nil, fmt.Errorf("screen.go does not know the control characters at %.20q", text)
		case r > 0x24ff:
			return nil, fmt.Errorf("screen.go does not know the width of %q", r)
		default:
			s.put(r)
		}
		if len(s.lines) > maxLines {
			return nil, fmt.Errorf("more than %d lines do not fit the picture", maxLines)
		}
		text = text[size:]
	}
	if s.lines[len(s.lines)-1] == nil {
		s.lines = s.lines[:len(s.lines)-1]
	}
	for i, l := range s.lines {
		for len(l) > 0 && l[len(l)-1].char == ' ' {
			l = l[:len(l)-1]
		}
		s.lines[i] = l
	}
	return s.lines, nil
}

// screen is a terminal of any height, whose cursor is in the last line.
type screen struct {
	columns, x int
	bold       bool
	lines      []line
}

// escape executes the escape sequence at the beginning of a text.
func (s *screen) escape(text string) (rest string, known bool) {
	last := len(s.lines) - 1
	for sequence, do := range map[string]func(){
		"\x1b[K":  func() { s.lines[last] = s.lines[last][:min(s.x, len(s.lines[last]))] },
		"\x1b[1m": func() { s.bold = true },
		"\x1b[0m": func() { s.bold = false },
	} {
		if rest, ok := strings.CutPrefix(text, sequence); ok {
			do()
			return rest, true
		}
	}
	return text, false
}

func (s *screen) newline() {
	s.lines = append(s.lines, nil)
}

// put writes a character. One after the last column begins the next line.
func (s *screen) put(r rune) {
	if s.x == s.columns {
		s.x = 0
		s.newline()
	}
	at := &s.lines[len(s.lines)-1]
	for len(*at) <= s.x {
		*at = append(*at, cell{char: ' '})
	}
	(*at)[s.x] = cell{r, s.bold}
	s.x++
}
