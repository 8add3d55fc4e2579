package main

import (
	"bufio"
	"fmt"
	"os"
	"slices"
	"strings"
)

// readTargets reads the files to change, one per line.
func readTargets(name string) ([]string, error) {
	lines, err := readLines(name)
	for i, line := range lines {
		lines[i] = strings.TrimSpace(line)
	}
	return lines, err
}

// reasons explains for each mutant why no test can fail.
type reasons map[string]string

// readReasons reads the key of a mutant on one line, and indented below it the reason why it has no
// effect.
func readReasons(name string) (reasons, error) {
	lines, err := readLines(name)
	if err != nil {
		return nil, err
	}
	all, key := reasons{}, ""
	for _, line := range lines {
		text := strings.TrimSpace(line)
		if line == text {
			key = text
			all[key] = ""
			continue
		}
		all[key] = strings.TrimSpace(all[key] + " " + text)
	}
	for key, why := range all {
		if why == "" {
			return nil, fmt.Errorf("%s: no reason below %q", name, key)
		}
	}
	return all, nil
}

// readLines reads a file without its blank lines and comments.
func readLines(name string) (lines []string, err error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	for scanner := bufio.NewScanner(f); scanner.Scan(); {
		if line := scanner.Text(); strings.TrimSpace(line) != "" && !strings.HasPrefix(line, "#") {
			lines = append(lines, line)
		}
	}
	return lines, nil
}

// without returns the reasons whose mutants no longer exist.
func (r reasons) without(all []*mutant) (stale []string) {
	there := map[string]bool{}
	for _, m := range all {
		there[m.key()] = true
	}
	for key := range r {
		if !there[key] {
			stale = append(stale, key)
		}
	}
	slices.Sort(stale)
	return stale
}

// report contains the outcome of all mutants.
type report struct {
	reasons  reasons
	stale    []string
	count    map[verdict]int
	open     []string // survivors without a reason
	excused  []string
	needless []string // dead mutants with a reason
	leftOut  []string // tests that fail without a mutant
}

func (r *report) add(m *mutant, v verdict) {
	if r.count == nil {
		r.count = map[verdict]int{}
	}
	r.count[v]++
	why, known := r.reasons[m.key()]
	lives := v == survived || v == unreached
	switch {
	case lives && known:
		r.excused = append(r.excused, m.key()+"\n  "+why)
	case lives:
		r.open = append(r.open, m.key())
	case known:
		r.needless = append(r.needless, m.key())
	}
}

func (r *report) failed() bool { return len(r.open)+len(r.stale)+len(r.needless)+len(r.leftOut) > 0 }

func (r *report) text() string {
	var b strings.Builder
	for _, v := range []verdict{killedByOwn, killedByOther, endless, survived, unreached} {
		fmt.Fprintf(&b, "%s: %d\n", v, r.count[v])
	}
	for _, part := range []struct {
		title string
		keys  []string
	}{
		{"survivors without a reason", r.open},
		{"survivors with a reason", r.excused},
		{"reasons of mutants that are dead", r.needless},
		{"reasons of mutants that do not exist", r.stale},
		{"tests left out, which fail without a mutant", r.leftOut},
	} {
		if len(part.keys) > 0 {
			fmt.Fprintf(&b, "\n%s:\n%s\n", part.title, strings.Join(part.keys, "\n"))
		}
	}
	return b.String()
}
