package main

import (
	"fmt"
	"math"
	"strings"
)

// claim is an upper bound of a ratio.
type claim struct {
	what string
	have float64
	most float64
}

// claims writes the bounds, and whether they hold.
func (r *results) claims(b *strings.Builder) {
	var all []claim
	add := func(what string, have, most float64) {
		if !math.IsNaN(have) {
			all = append(all, claim{what, have, most})
		}
	}
	relative := func(over, scenario string, at int, by string, most float64) {
		for _, c := range r.Cells {
			if c.Over == over && c.Scenario == scenario && c.At == at {
				add(fmt.Sprintf("CPU, %s, %s, %s, by %s", overTitle(over), scenarioTitle(scenario), times(at), titleOf(by)),
					c.ratio("mcpgen", by, cpuOf), most)
			}
		}
	}
	relative("stdio", "search", 64, "limit", 1.3)
	relative("stdio", "search", 64, "gosdk", 1.0/15)
	relative("stdio", "search", 64, "mcpgo", 1.0/6)
	for _, over := range []string{"http-session", "http-sessionless", "http-modern"} {
		relative(over, "search", 64, "limit", 1.3)
		relative(over, "search", 64, "gosdk", 1.0/10)
		relative(over, "search", 64, "mcpgo", 1.0/5)
	}
	relative("stdio", "list", 64, "gosdk", 1.0/100)
	relative("stdio", "records", 64, "gosdk", 1.0/15)
	relative("stdio", "text", 64, "gosdk", 1.0/15)
	relative("stdio", "search", 1, "gosdk", 1.0/10)
	relative("stdio", "search", 1, "mcpgo", 1.0/4)
	for i := range r.Starts {
		if s := &r.Starts[i]; s.Tools == 1000 {
			add("start with 1,000 tools by hand-written codec", s.median("mcpgen", wallOf)/s.median("limit", wallOf), 1.5)
			add("start with 1,000 tools by go-sdk", s.median("mcpgen", wallOf)/s.median("gosdk", wallOf), 1.0/40)
			add("memory at the start with 1,000 tools by go-sdk", s.median("mcpgen", startPeakOf)/s.median("gosdk", startPeakOf), 0.25)
		}
	}
	if size := r.Sizes["mcpgen"]["stdio"]; size > 0 {
		add("size of the stdio program, MB", float64(size)/1e6, 4.5)
	}
	r.heldClaims(add)
	if len(all) == 0 {
		return
	}
	b.WriteString("\n### What must hold\n\n| | at most | is | |\n|---|--:|--:|---|\n")
	for _, c := range all {
		verdict := "holds"
		if c.have > c.most {
			verdict = "does not hold"
		}
		fmt.Fprintf(b, "| %s | %s | %s | %s |\n", c.what, fraction(c.most), fraction(c.have), verdict)
	}
}

func (r *results) heldClaims(add func(what string, have, most float64)) {
	bare := math.NaN()
	for _, h := range r.Held {
		if h.What == holdBare && h.Failed == "" {
			bare = float64(h.RSS)
		}
	}
	for _, h := range r.Held {
		switch {
		case h.Server != "mcpgen" || h.Failed != "":
		case h.What == holdSessions:
			add("memory of an idle session, KB", float64(h.RSS)/1e3, 10)
		case h.What == holdListens:
			add("memory of an open listen above a bare stream, KB", (float64(h.RSS)-bare)/1e3, 10)
		}
	}
}

// fraction formats small ratios as 1/n.
func fraction(v float64) string {
	if v > 0 && v < 0.5 {
		return fmt.Sprintf("1/%.1f", 1/v)
	}
	return figure(v)
}
