package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// progress prints the results for one module.
func (r *row) progress(w io.Writer, verbose bool) {
	for _, s := range r.packages {
		fmt.Fprintf(w, "%s: %d functions, %d tools, %d bytes generated in %v, %d warnings, %d cannot be written as a wrapper\n",
			s.source.path, len(s.all.wrappers), len(s.works), s.bytes, s.took.Round(1e6), len(s.warned), len(s.all.unwritable))
		for _, u := range s.all.unwritable {
			fmt.Fprintf(w, "  not written: %s\n", u)
		}
		if !verbose {
			continue
		}
		for _, wr := range s.all.wrappers {
			for _, d := range s.refused[wr] {
				fmt.Fprintf(w, "  refused: %s: %s:%d:%d: %s\n\thint: %s\n", wr.symbol, filepath.Base(d.Pos.Filename), d.Pos.Line, d.Pos.Column, d.Text(), d.Hint)
			}
		}
		for _, d := range s.warned {
			fmt.Fprintf(w, "  warning: %s\n\thint: %s\n", d.Text(), d.Hint)
		}
	}
	o := r.outcome
	fmt.Fprintf(w, "  %d tools: %d answered, %d by errors alone, %d by caught panics alone, %d whose types take none of the texts tried; %d results valid\n",
		o.tools, o.answered, o.failed, o.panicked, o.refused, o.checked)
	for _, line := range o.errors {
		if verbose {
			fmt.Fprintf(w, "  error: %s\n", line)
		}
	}
	for _, list := range []struct {
		what  string
		lines []string
	}{{"no answer", o.silent}, {"killed the server", o.killed}, {"WRONG", o.wrong}} {
		for _, line := range list.lines {
			fmt.Fprintf(w, "  %s: %s\n", list.what, line)
		}
	}
}

// report prints the tables, and the reasons for failures.
func report(w io.Writer, rows []*row) error {
	var counted, beside []*row
	wrong := 0
	for _, r := range rows {
		if r.module.beside {
			beside = append(beside, r)
		} else {
			counted = append(counted, r)
		}
		wrong += len(r.outcome.wrong)
	}
	table(w, counted)
	if len(beside) > 0 {
		fmt.Fprintf(w, "\nBeside them:\n")
		table(w, beside)
	}
	if wrong > 0 {
		return fmt.Errorf("%d answers are wrong", wrong)
	}
	return nil
}

// table prints how many functions of some modules work, and the reasons for the rest.
func table(w io.Writer, rows []*row) {
	fmt.Fprintf(w, "\n| module | version | packages | functions | work as they are | with //mcp:result | share of both | of which say nothing |\n|---|---|---|--:|--:|--:|--:|--:|\n")
	functions, works, empty, fixed := 0, 0, 0, 0
	reasons := map[string]int{}
	for _, r := range rows {
		n, ok, mute, more := 0, 0, 0, 0
		var names []string
		for _, s := range r.packages {
			n += len(s.all.wrappers)
			ok += len(s.works) - len(s.fixed)
			more += len(s.fixed)
			mute += len(s.empty)
			name := strings.TrimPrefix(strings.TrimPrefix(strings.TrimPrefix(s.source.path, own), r.module.path), "/")
			if len(s.source.types) > 0 {
				name = strings.TrimPrefix(name+": ", ": ") + strings.Join(s.source.types, ", ")
			}
			if name != "" {
				names = append(names, name)
			}
			for _, diags := range s.refused {
				reasons[reason(diags[0].Message)]++
			}
		}
		functions += n
		works += ok
		empty += mute
		fixed += more
		fmt.Fprintf(w, "| %s | %s | %s | %d | %d | %d | %s | %d |\n", r.module.path, r.version, cmp.Or(strings.Join(names, ", "), "the root"), n, ok, more, share(ok+more, n), mute)
	}
	fmt.Fprintf(w, "| all | | | %d | %d | %d | %s | %d |\n\n| functions | reason |\n|--:|---|\n", functions, works, fixed, share(works+fixed, functions), empty)
	sorted := slices.SortedFunc(maps.Keys(reasons), func(x, y string) int {
		return cmp.Or(cmp.Compare(reasons[y], reasons[x]), cmp.Compare(x, y))
	})
	for _, name := range sorted {
		fmt.Fprintf(w, "| %d | %s |\n", reasons[name], name)
	}
}

func share(part, all int) string {
	if all == 0 {
		return ""
	}
	return fmt.Sprintf("%.0f %%", 100*float64(part)/float64(all))
}

var (
	aType   = regexp.MustCompile(`type (.*?) (cannot be|is an interface|is an error|has |is )`)
	ordinal = regexp.MustCompile(`\d+ of \d+`)
)

// reason returns a message without the parts that differ between functions.
func reason(message string) string {
	message = ordinal.ReplaceAllString(message, "n of m")
	if i := strings.LastIndex(message, ": type "); i >= 0 {
		message = message[i+2:]
	}
	return aType.ReplaceAllStringFunc(message, func(s string) string {
		m := aType.FindStringSubmatch(s)
		switch t := m[1]; {
		case strings.HasPrefix(t, "func("):
			return "type func " + m[2]
		case strings.Contains(t, "chan "):
			return "type chan " + m[2]
		case strings.HasSuffix(t, "Option"):
			return "type …Option " + m[2]
		default:
			return "type T " + m[2]
		}
	})
}
