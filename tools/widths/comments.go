package main

import (
	"go/scanner"
	"go/token"
	"regexp"
	"strings"
)

var (
	generated     = regexp.MustCompile(`(?m)^// Code generated .* DO NOT EDIT\.$`)
	packageClause = regexp.MustCompile(`(?m)^package `)
	exampleOutput = regexp.MustCompile(`(?i)^ ?(unordered )?output:`)
	linkTarget    = regexp.MustCompile(`^ \[[^\]]+\]: `)
	commentItem   = regexp.MustCompile(`^([ \t]+)(?:[-*+•]|[0-9]+[.)])[ \t]+`)
)

// checkComments returns the comments of a Go file that are too long.
func checkComments(src []byte) []finding {
	if isGenerated(src) {
		return nil
	}
	fset := token.NewFileSet()
	file := fset.AddFile("", -1, len(src))
	var s scanner.Scanner
	s.Init(file, src, nil, scanner.ScanComments)
	var found []finding
	last := -1      // the line of the previous comment
	output := false // below the Output: of an example
	item := ""      // the indentation of the list item around the line
	for {
		pos, tok, text := s.Scan()
		if tok == token.EOF {
			return found
		}
		line := file.PositionFor(pos, false).Line
		indent := string(src[file.Offset(file.LineStart(line)):file.Offset(pos)])
		if tok != token.COMMENT || !strings.HasPrefix(text, "//") || strings.TrimSpace(indent) != "" {
			continue
		}
		body := strings.TrimRight(text[2:], " \t\r")
		if line != last+1 {
			output, item = false, ""
		}
		last = line
		output = output || exampleOutput.MatchString(body)
		prose := ""
		own := body[:len(body)-len(strings.TrimLeft(body, " \t"))]
		switch m := commentItem.FindStringSubmatch(body); {
		case output || own == "" || linkTarget.MatchString(body):
			item = "" // an empty line, a directive, a link definition or example output
		case m != nil:
			item, prose = m[1], body[len(m[0]):]
		case item != "" && len(own) > len(item) && strings.HasPrefix(own, item):
			prose = body[len(own):]
		case own == " ":
			item, prose = "", body[1:]
		default:
			item = "" // indented code
		}
		before := indent + text[:2] + strings.TrimSuffix(body, prose)
		if prose != "" && breakable(before, prose, commentWidth) {
			found = append(found, finding{line, columns(before + prose)})
		}
	}
}

// isGenerated reports whether a Go file is generated, according to a line above the package clause.
func isGenerated(src []byte) bool {
	mark, clause := generated.FindIndex(src), packageClause.FindIndex(src)
	return mark != nil && (clause == nil || mark[0] < clause[0])
}

// breakable reports whether a text after before ends beyond a column and contains a space up to it
// at which the line can be broken.
func breakable(before, text string, width int) bool {
	if columns(before+text) <= width {
		return false
	}
	n := columns(before)
	for _, r := range text {
		if r == ' ' && n <= width {
			return true
		}
		n++
	}
	return false
}
