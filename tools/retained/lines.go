package main

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
)

// line contains the limit of a place.
type line struct {
	number int
	place  string
	bound  string
}

// readLines reads a file. Each line contains a place, blanks, and the limit of the place. PATH.*
// means all places of a package and the packages in its folder. Lines that begin with # are
// comments.
func readLines(file string) ([]line, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var lines []line
	for i, s := range strings.Split(string(text), "\n") {
		if s == "" || strings.HasPrefix(s, "#") {
			continue
		}
		name, bound, _ := strings.Cut(s, " ")
		lines = append(lines, line{number: i + 1, place: name, bound: strings.TrimSpace(bound)})
	}
	return lines, nil
}

// compare returns the errors in the lines of a file.
func compare(file string, found map[string]place, lines []line, page string) []string {
	var problems []string
	listed := map[string]bool{}
	for _, l := range lines {
		at := fmt.Sprintf("%s:%d: %s", file, l.number, l.place)
		kind, what, _ := strings.Cut(l.bound, " ")
		what = strings.TrimSpace(what)
		_, ok := found[l.place]
		if all, yes := strings.CutSuffix(l.place, ".*"); yes {
			ok = false
			for name := range found {
				if strings.HasPrefix(name, all+".") || strings.HasPrefix(name, all+"/") {
					listed[name], ok = true, true
				}
			}
		}
		switch {
		case listed[l.place]:
			problems = append(problems, at+" has two lines")
		case !ok:
			problems = append(problems, at+" does not grow any more: delete the line")
		case kind == "row" && !strings.Contains(page, "\n| "+what):
			problems = append(problems, fmt.Sprintf("%s: the table of what is kept has no row %q", at, what))
		case kind == "message" && what == "", kind != "message" && what == "", kind != "row" && kind != "bound" && kind != "message" && kind != "program":
			problems = append(problems, at+": write row, bound, message or program, and what bounds it")
		}
		listed[l.place] = true
	}
	for _, name := range slices.Sorted(maps.Keys(found)) {
		if !listed[name] {
			problems = append(problems, fmt.Sprintf("%s: %s grows: add a line to %s that says what bounds it", found[name].at, name, file))
		}
	}
	return problems
}
