package main

import (
	"fmt"
	"math"
	"strings"
)

// The plot shows the cost of calls on a logarithmic scale: a group of bars for each call, a bar for
// each server.
const (
	plotWidth  = 960
	labelWidth = 250
	barHeight  = 11
	groupGap   = 12
	topMargin  = 64
)

// Colours that people with colour blindness can distinguish (Okabe and Ito).
var colours = map[string]string{
	"mcpgen": "#d55e00", "limit": "#000000", "mcpgo": "#0072b2", "gosdk": "#56b4e9",
}

// plot draws the CPU time of calls, 64 at a time, as SVG.
func (r *results) plot() string {
	var rows []*cell
	low, high := math.Inf(1), 0.0
	for _, c := range r.Cells {
		if c.At != 64 || c.Over != "stdio" && c.Over != "http-session" {
			continue
		}
		rows = append(rows, c)
		for _, server := range servers {
			if v := median(c.of(server, cpuOf)); v > 0 {
				low, high = min(low, v), max(high, v)
			}
		}
	}
	if len(rows) == 0 {
		return ""
	}
	first, last := math.Floor(math.Log10(low)), math.Ceil(math.Log10(high))
	x := func(v float64) float64 {
		return labelWidth + (math.Log10(v)-first)/(last-first)*(plotWidth-labelWidth-60)
	}
	groupHeight := len(servers)*barHeight + groupGap
	height := topMargin + len(rows)*groupHeight + 30
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" font-size="12" role="img">`+"\n", plotWidth, height)
	fmt.Fprintf(&b, "<title>CPU seconds of the server per 100,000 calls, 64 at a time</title>\n")
	fmt.Fprintf(&b, `<rect width="%d" height="%d" fill="#ffffff"/>`+"\n", plotWidth, height)
	fmt.Fprintf(&b, `<text x="10" y="20" font-size="15">CPU seconds of the server per 100,000 calls, 64 at a time, on a logarithmic scale (%s)</text>`+"\n", r.Date.Format("2006-01-02"))
	for i, server := range servers {
		at := 10 + i*180
		fmt.Fprintf(&b, `<rect x="%d" y="32" width="12" height="12" fill="%s"/><text x="%d" y="42">%s</text>`+"\n", at, colours[server], at+17, titleOf(server))
	}
	for power := first; power <= last; power++ {
		v := math.Pow(10, power)
		fmt.Fprintf(&b, `<path d="M%.1f %dV%d" stroke="#dddddd"/><text x="%.1f" y="%d" text-anchor="middle" fill="#555555">%s</text>`+"\n",
			x(v), topMargin-8, height-26, x(v), height-10, plain(v))
	}
	for i, c := range rows {
		top := topMargin + i*groupHeight
		fmt.Fprintf(&b, `<text x="%d" y="%d" text-anchor="end">%s</text>`+"\n", labelWidth-10, top+groupHeight/2-2,
			escape(overTitle(c.Over)+": "+scenarioTitle(c.Scenario)))
		for j, server := range servers {
			y := top + j*barHeight
			v := median(c.of(server, cpuOf))
			if !(v > 0) {
				fmt.Fprintf(&b, `<text x="%d" y="%d" font-size="9" fill="#555555">%s: not served</text>`+"\n", labelWidth+4, y+9, titleOf(server))
				continue
			}
			fmt.Fprintf(&b, `<rect x="%d" y="%d" width="%.1f" height="%d" fill="%s"/><text x="%.1f" y="%d" font-size="9">%s</text>`+"\n",
				labelWidth, y, max(1, x(v)-labelWidth), barHeight-1, colours[server], max(labelWidth+1, x(v))+4, y+9, figure(v))
		}
	}
	b.WriteString("</svg>\n")
	return b.String()
}

func plain(v float64) string {
	if v >= 1 {
		return group(int64(math.Round(v)))
	}
	return fmt.Sprintf("%g", v)
}

func escape(s string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(s)
}
