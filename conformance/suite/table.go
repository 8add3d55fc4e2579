package main

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// printTable prints the result of each scenario in each revision: the passed checks and the number
// of checks.
func printTable(out io.Writer, all []outcome) {
	var rows [][]string
	row := func(title string, cell func(*outcome) string) {
		cells := []string{title}
		for i := range all {
			cells = append(cells, cell(&all[i]))
		}
		rows = append(rows, cells)
	}
	row("scenario", func(o *outcome) string { return o.revision })
	for _, name := range names(all) {
		row(name, func(o *outcome) string { return o.find(name).cell() })
	}
	row("", func(*outcome) string { return "" })
	row("scenarios passed", func(o *outcome) string {
		passed := 0
		for i := range o.scenarios {
			if o.scenarios[i].passed() {
				passed++
			}
		}
		return fmt.Sprintf("%d/%d", passed, len(o.scenarios))
	})
	for _, line := range []struct {
		title  string
		status status
	}{
		{"checks passed", success}, {"checks failed", failure}, {"warnings", warning},
		{"information", information}, {"skipped", skipped},
	} {
		row(line.title, func(o *outcome) string { return fmt.Sprint(o.count(line.status)) })
	}
	row("seconds", func(o *outcome) string { return fmt.Sprintf("%.1f", o.took.Seconds()) })
	align(out, rows)
}

// align prints rows with columns as wide as their widest cell.
func align(out io.Writer, rows [][]string) {
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	for _, row := range rows {
		var line strings.Builder
		for i, cell := range row {
			fmt.Fprintf(&line, "%-*s", widths[i]+2, cell)
		}
		fmt.Fprintln(out, strings.TrimRight(line.String(), " "))
	}
}

// names returns the names of the scenarios of all revisions, each once.
func names(all []outcome) []string {
	var names []string
	seen := map[string]bool{}
	for _, o := range all {
		for _, s := range o.scenarios {
			if !seen[s.name] {
				seen[s.name] = true
				names = append(names, s.name)
			}
		}
	}
	return names
}

// find returns a scenario, or nil if the revision does not contain it.
func (o *outcome) find(name string) *scenario {
	for i := range o.scenarios {
		if o.scenarios[i].name == name {
			return &o.scenarios[i]
		}
	}
	return nil
}

// cell returns the scenario's cell in the table.
func (s *scenario) cell() string {
	switch {
	case s == nil:
		return "-"
	case s.checks == nil:
		return "no result"
	}
	text := fmt.Sprintf("%d/%d", s.count(success), len(s.checks)-s.count(information)-s.count(skipped))
	if !s.passed() {
		text += " FAILED"
	}
	return text
}

// printProblems prints why scenarios did not pass, and returns their number.
func printProblems(out io.Writer, all []outcome) (bad int) {
	for _, o := range all {
		for _, s := range o.scenarios {
			if s.passed() {
				continue
			}
			bad++
			fmt.Fprintf(out, "\n%s in revision %s", s.name, o.revision)
			if s.count(success) == len(s.checks)-s.count(information)-s.count(skipped) {
				fmt.Fprint(out, " has checked nothing")
			}
			fmt.Fprintln(out)
			for _, c := range s.checks {
				switch c.Status {
				case success, information, skipped:
				default:
					fmt.Fprintf(out, "  %s %s: %s\n", c.Status, c.ID, c.text())
				}
			}
		}
	}
	return bad
}

// text returns the failure, or else the description of the check.
func (c *check) text() string {
	if c.Message != "" {
		return c.Message
	}
	return c.Description
}
