// Widths checks that comments of Go files end by column 100 and pages by column 120. A tab counts
// as four columns.
//
//	go run ./widths ..
//
// A line is reported if it can be broken. Generated files, files below testdata, and the following
// are exempt:
//
//   - in Go files: directives, comments beside code, indented code, the output of examples, and
//     definitions of links
//   - in pages: tables, code, HTML, headings, definitions of links, and the parts that tests write,
//     which are between two HTML comments or follow one with "generated" or "overwritten"
package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

const (
	commentWidth = 100
	pageWidth    = 120
)

// A finding is a line that is too long.
type finding struct {
	line, columns int
}

// writtenPages are the pages that tests write as a whole.
var writtenPages = map[string]bool{"docs/write/directives.md": true}

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: widths FOLDER")
		os.Exit(2)
	}
	n, err := checkTree(os.Stdout, os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, "widths:", err)
		os.Exit(2)
	}
	if n > 0 {
		fmt.Printf("%d lines are too long: comments end by column %d, pages by column %d, and a tab counts as four\n",
			n, commentWidth, pageWidth)
		os.Exit(1)
	}
}

// checkTree prints the lines of a git work tree that are too long, and returns their number. It
// reads the files that git tracks, and new ones that git does not ignore.
func checkTree(w io.Writer, root string) (int, error) {
	list := exec.Command("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", "*.go", "*.md")
	list.Dir = root
	list.Stderr = os.Stderr
	out, err := list.Output()
	if err != nil {
		return 0, fmt.Errorf("listing the files of %s: %w", root, err)
	}
	n := 0
	for name := range strings.SplitSeq(string(out), "\x00") {
		if name == "" || strings.HasPrefix(name, "testdata/") || strings.Contains(name, "/testdata/") || writtenPages[name] {
			continue
		}
		src, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
		if os.IsNotExist(err) {
			continue // removed, but not from the index
		}
		if err != nil {
			return 0, err
		}
		check, kind := checkComments, "comment"
		if strings.HasSuffix(name, ".md") {
			check, kind = checkPage, "line"
		}
		for _, f := range check(src) {
			fmt.Fprintf(w, "%s:%d: %s ends in column %d\n", name, f.line, kind, f.columns)
			n++
		}
	}
	return n, nil
}

// columns returns the width of a string.
func columns(s string) int {
	n := 0
	for _, r := range s {
		if r == '\t' {
			n += 4 - n%4
		} else {
			n++
		}
	}
	return n
}
