package main

import (
	"fmt"
	"os"
	"slices"
	"strings"
)

// line is the reason why waiting under a lock does not block other clients.
type line struct {
	number int
	lock   string
	waits  []string
	reason string
}

// readLines reads a file. Each line contains a lock, blanks, the waits under it, a colon and the
// reason. The wait * means anything, for locks that others cannot request. PATH.* means all locks
// of a package and the packages in its folder, and needs no waits. Lines that begin with # are
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
		l := line{number: i + 1}
		l.lock, s, _ = strings.Cut(s, " ")
		waits, reason, _ := strings.Cut(strings.TrimSpace(s), ": ")
		for w := range strings.SplitSeq(waits, ",") {
			l.waits = append(l.waits, strings.TrimSpace(w))
		}
		l.reason = strings.TrimSpace(reason)
		lines = append(lines, l)
	}
	return lines, nil
}

// compare returns the errors in the lines of a file.
func compare(file string, found []lock, lines []line) []string {
	var problems []string
	listed := map[string]line{}
	for _, l := range lines {
		at := fmt.Sprintf("%s:%d: %s", file, l.number, l.lock)
		all, group := strings.CutSuffix(l.lock, ".*")
		matched := slices.ContainsFunc(found, func(f lock) bool {
			return f.name == l.lock || group && inside(f.name, all)
		})
		_, twice := listed[l.lock]
		switch {
		case twice:
			problems = append(problems, at+" has two lines")
		case !matched:
			problems = append(problems, at+": nothing waits under it any more: delete the line")
		case l.reason == "" && !group || strings.Join(l.waits, "") == "":
			problems = append(problems, at+": write what waits, a colon, and why that holds up no other client")
		}
		listed[l.lock] = l
	}
	for _, f := range found {
		l, ok := listed[f.name]
		if !ok {
			if !slices.ContainsFunc(lines, func(l line) bool {
				all, group := strings.CutSuffix(l.lock, ".*")
				return group && inside(f.name, all)
			}) {
				problems = append(problems, fmt.Sprintf("%s: %s: %s may wait under it: add a line to %s that says why that holds up no other client",
					f.waits[0].path[0], f.name, strings.Join(f.names(), ", "), file))
			}
			continue
		}
		for _, w := range f.waits {
			if !slices.Contains(l.waits, w.what) && !slices.Contains(l.waits, "*") {
				problems = append(problems, fmt.Sprintf("%s:%d: %s: %s may wait under it too, at %s", file, l.number, f.name, w.what, w.path[0]))
			}
		}
		for _, w := range l.waits {
			if w != "" && w != "*" && !slices.Contains(f.names(), w) {
				problems = append(problems, fmt.Sprintf("%s:%d: %s: %s does not wait under it any more: delete it from the line", file, l.number, f.name, w))
			}
		}
	}
	return problems
}

func inside(name, group string) bool {
	return strings.HasPrefix(name, group+".") || strings.HasPrefix(name, group+"/")
}
