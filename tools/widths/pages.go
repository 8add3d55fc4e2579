package main

import (
	"regexp"
	"strings"
)

var (
	htmlComment = regexp.MustCompile(`^ *<!-- *(.*?) *--> *$`)
	codeFence   = regexp.MustCompile("^[ \t]*(`{3,}|~{3,})")
	heading     = regexp.MustCompile(`^ *#{1,6}( |$)`)
	definition  = regexp.MustCompile(`^ *\[[^\]]+\]: `)
	pageItem    = regexp.MustCompile(`^( *)(?:[-*+]|[0-9]{1,9}[.)]) +`)
	delimiters  = regexp.MustCompile(`^ *\|?[ :-]*-[ :-]*(\|[ :-]*-[ :-]*)+\|? *$`)
	unbroken    = regexp.MustCompile("`[^`]*`|\\[[^\\][]*\\]\\([^() ]*\\)")
)

// checkPage returns the lines of a Markdown page that are too long.
func checkPage(src []byte) []finding {
	lines := strings.Split(string(src), "\n")
	var found []finding
	var items []int // the columns at which the texts of the surrounding lists begin
	for i := 0; i < len(lines); i++ {
		line := strings.TrimRight(lines[i], " \r")
		if line == "" {
			continue
		}
		own := len(line) - len(strings.TrimLeft(line, " "))
		for len(items) > 0 && own < items[len(items)-1] {
			items = items[:len(items)-1]
		}
		begin := 0
		if len(items) > 0 {
			begin = items[len(items)-1]
		}
		switch {
		case codeFence.MatchString(line):
			i = endOfFence(lines, i)
		case htmlComment.MatchString(line):
			i = endOfWritten(lines, i)
		case line[own] == '<' || isTable(lines, i):
			i = endOfParagraph(lines, i)
		case own >= begin+4 && (i == 0 || strings.TrimSpace(lines[i-1]) == "") && !pageItem.MatchString(line):
			for i+1 < len(lines) && strings.HasPrefix(lines[i+1], strings.Repeat(" ", begin+4)) {
				i++ // indented code
			}
		case heading.MatchString(line) || definition.MatchString(line):
		default:
			before := line[:own]
			if mark := pageItem.FindString(line); mark != "" {
				before = mark
				items = append(items, len(mark))
			}
			// Code and links stay on one line.
			text := unbroken.ReplaceAllStringFunc(line[len(before):], func(s string) string {
				return strings.ReplaceAll(s, " ", "_")
			})
			if breakable(before, text, pageWidth) {
				found = append(found, finding{i + 1, columns(line)})
			}
		}
	}
	return found
}

// endOfFence returns the index of the line that closes the code which lines[i] opens.
func endOfFence(lines []string, i int) int {
	mark := strings.TrimSpace(codeFence.FindString(lines[i]))
	for i++; i < len(lines); i++ {
		if t := strings.TrimSpace(lines[i]); strings.HasPrefix(t, mark) && strings.Trim(t, mark[:1]) == "" {
			break
		}
	}
	return i
}

// endOfWritten returns the index of the last line of the part that a test writes if the HTML
// comment in lines[i] begins one, or i. Such a part ends before a comment that is "end" or begins
// with "end of"; a comment with "generated" or "overwritten" is about the rest of the page.
func endOfWritten(lines []string, i int) int {
	text := htmlComment.FindStringSubmatch(lines[i])[1]
	if strings.Contains(text, "generated") || strings.Contains(text, "overwritten") {
		return len(lines)
	}
	for j := i + 1; j < len(lines); j++ {
		if m := htmlComment.FindStringSubmatch(lines[j]); m != nil {
			if m[1] == "end" || strings.HasPrefix(m[1], "end of ") {
				return j
			}
			break
		}
	}
	return i
}

// endOfParagraph returns the index of the last line before an empty one.
func endOfParagraph(lines []string, i int) int {
	for i+1 < len(lines) && strings.TrimSpace(lines[i+1]) != "" {
		i++
	}
	return i
}

// isTable reports whether a table begins in lines[i].
func isTable(lines []string, i int) bool {
	return strings.HasPrefix(strings.TrimSpace(lines[i]), "|") ||
		i+1 < len(lines) && strings.Contains(lines[i], "|") && delimiters.MatchString(lines[i+1])
}
