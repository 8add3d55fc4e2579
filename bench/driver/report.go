package main

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

func median(values []float64) float64 {
	if len(values) == 0 {
		return math.NaN()
	}
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

// of returns one figure of all samples of a server.
func (c *cell) of(server string, figure func(sample) float64) (values []float64) {
	for _, s := range c.Samples[server] {
		values = append(values, figure(s))
	}
	return values
}

func cpuOf(s sample) float64  { return s.CPU }
func rateOf(s sample) float64 { return s.PerSecond }
func p50Of(s sample) float64  { return s.P50 }
func p99Of(s sample) float64  { return s.P99 }
func peakOf(s sample) float64 { return float64(s.Peak) / 1e6 }

// ratio returns the median of the ratios of two servers in the same repetition.
func (c *cell) ratio(server, by string, figure func(sample) float64) float64 {
	a, b := c.of(server, figure), c.of(by, figure)
	var all []float64
	for i := range min(len(a), len(b)) {
		all = append(all, a[i]/b[i])
	}
	return median(all)
}

// figure formats a number with three significant digits.
func figure(v float64) string {
	switch {
	case math.IsNaN(v):
		return "-"
	case v >= 100:
		return group(int64(math.Round(v)))
	case v >= 10:
		return strconv.FormatFloat(v, 'f', 1, 64)
	}
	return strconv.FormatFloat(v, 'f', 2, 64)
}

// group formats an integer with commas.
func group(n int64) string {
	s := strconv.FormatInt(n, 10)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// markdown writes all tables.
func (r *results) markdown() string {
	var b strings.Builder
	m := r.Machine
	fmt.Fprintf(&b, "%s, %s. %d cores of %s, %s, %s, %s; load at the start: %s. The run took %s.\n",
		r.Date.Format("2006-01-02 15:04 MST"), r.Effort, m.Cores, m.CPU, m.Memory, m.System, m.Go, m.Load, r.Took)
	for _, at := range []int{64, 1, 512} {
		r.section(&b, fmt.Sprintf("CPU seconds of the server per 100,000 calls, %s", times(at)), at, cpuOf, true)
	}
	r.section(&b, "Calls per second, 64 at a time", 64, rateOf, false)
	r.section(&b, "Calls per second, one at a time", 1, rateOf, false)
	r.latency(&b)
	r.section(&b, "Most memory of the process, MB, 64 at a time", 64, peakOf, false)
	r.startTable(&b)
	r.sizeTable(&b)
	r.heldTable(&b)
	r.claims(&b)
	return b.String()
}

func times(at int) string {
	if at == 1 {
		return "one at a time"
	}
	return strconv.Itoa(at) + " at a time"
}

// header writes the header of a table with a column for each server.
func header(b *strings.Builder, title, first string, more ...string) {
	fmt.Fprintf(b, "\n### %s\n\n| %s |", title, first)
	rule := "|---|"
	for _, server := range servers {
		fmt.Fprintf(b, " %s |", titleOf(server))
		rule += "--:|"
	}
	for _, column := range more {
		fmt.Fprintf(b, " %s |", column)
		rule += "--:|"
	}
	b.WriteString("\n" + rule + "\n")
}

func (r *results) section(b *strings.Builder, title string, at int, what func(sample) float64, compared bool) {
	var rows []*cell
	for _, c := range r.Cells {
		if c.At == at {
			rows = append(rows, c)
		}
	}
	if len(rows) == 0 {
		return
	}
	var more []string
	if compared {
		more = []string{"to hand-written", "least and most"}
	}
	header(b, title, "call", more...)
	for _, c := range rows {
		fmt.Fprintf(b, "| %s: %s |", overTitle(c.Over), scenarioTitle(c.Scenario))
		for _, server := range servers {
			fmt.Fprintf(b, " %s |", figure(median(c.of(server, what))))
		}
		if compared {
			own := c.of("mcpgen", what)
			fmt.Fprintf(b, " %s |", figure(c.ratio("mcpgen", "limit", what)))
			if len(own) > 0 {
				fmt.Fprintf(b, " %s to %s |", figure(slices.Min(own)), figure(slices.Max(own)))
			} else {
				b.WriteString(" - |")
			}
		}
		b.WriteString("\n")
	}
}

func overTitle(name string) string {
	for _, t := range transports {
		if t.name == name {
			return t.title
		}
	}
	return name
}

func scenarioTitle(name string) string {
	for _, s := range scenarios {
		if s.name == name {
			return s.title
		}
	}
	return name
}

// latency writes the median and the 99th percentile of the duration of calls.
func (r *results) latency(b *strings.Builder) {
	for _, at := range []int{1, 64, 512} {
		if !slices.ContainsFunc(r.Cells, func(c *cell) bool { return c.At == at }) {
			continue
		}
		header(b, fmt.Sprintf("Time of a call in milliseconds, p50 / p99, %s", times(at)), "call")
		for _, c := range r.Cells {
			if c.At != at {
				continue
			}
			fmt.Fprintf(b, "| %s: %s |", overTitle(c.Over), scenarioTitle(c.Scenario))
			for _, server := range servers {
				fmt.Fprintf(b, " %s / %s |", figure(median(c.of(server, p50Of))/1000), figure(median(c.of(server, p99Of))/1000))
			}
			b.WriteString("\n")
		}
	}
}

func (r *results) startTable(b *strings.Builder) {
	if len(r.Starts) == 0 {
		return
	}
	header(b, "From the start of a stdio program to its first tools/list: ms / CPU ms / MB", "tools")
	for _, s := range r.Starts {
		fmt.Fprintf(b, "| %s |", group(int64(s.Tools)))
		for _, server := range servers {
			fmt.Fprintf(b, " %s / %s / %s |", figure(s.median(server, wallOf)), figure(s.median(server, startCPUOf)), figure(s.median(server, startPeakOf)))
		}
		b.WriteString("\n")
	}
}

func wallOf(s startSample) float64      { return s.Wall }
func startCPUOf(s startSample) float64  { return s.CPU }
func startPeakOf(s startSample) float64 { return float64(s.Peak) / 1e6 }

func (s *starts) median(server string, what func(startSample) float64) float64 {
	var all []float64
	for _, one := range s.Samples[server] {
		all = append(all, what(one))
	}
	return median(all)
}

func (r *results) sizeTable(b *strings.Builder) {
	header(b, "Size of the program without what debuggers need, MB", "program")
	for _, kind := range []string{"stdio", "http"} {
		fmt.Fprintf(b, "| %s |", kind)
		for _, server := range servers {
			fmt.Fprintf(b, " %s |", figure(float64(r.Sizes[server][kind])/1e6))
		}
		b.WriteString("\n")
	}
}

func (r *results) heldTable(b *strings.Builder) {
	if len(r.Held) == 0 {
		return
	}
	fmt.Fprintf(b, "\n### Memory for each of %s that are held and do nothing, KB: of the process / on heap and stacks\n\n", group(int64(r.Held[0].Count)))
	b.WriteString("| | server | KB |\n|---|---|--:|\n")
	for _, h := range r.Held {
		if h.Failed != "" {
			fmt.Fprintf(b, "| %s | %s | not served |\n", h.What, titleOf(h.Server))
			continue
		}
		fmt.Fprintf(b, "| %s | %s | %.1f / %.1f |\n", h.What, titleOf(h.Server), float64(h.RSS)/1e3, float64(h.Heap)/1e3)
	}
}

// writeDocs writes the tables between the marks in performance.md, and the plot beside it.
func (r *results) writeDocs(dir string) error {
	name := filepath.Join(dir, "performance.md")
	text, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	const begin, end = "<!-- bench -->\n", "<!-- end of bench -->\n"
	before, rest, found := strings.Cut(string(text), begin)
	_, after, closed := strings.Cut(rest, end)
	if !found || !closed {
		return fmt.Errorf("write %s: the lines %q and %q must be there", name, begin, end)
	}
	if err := os.WriteFile(name, []byte(before+begin+r.markdown()+end+after), 0o644); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "performance.svg"), []byte(r.plot()), 0o644)
}
