package mcpfind

import (
	"cmp"
	"slices"
	"strings"
)

// mostNearest limits the names that an error suggests, and leastSimilar is their minimum
// similarity, from 0 to 1.
const (
	mostNearest  = 3
	leastSimilar = 0.4
)

// longestCompared limits the compared bytes of a name.
const longestCompared = 128

// nearest returns the names that share the largest part of their pairs of adjacent letters with a
// name, regardless of case and punctuation.
func nearest(name string, names []string) []string {
	want := pairs(name)
	type candidate struct {
		name    string
		similar float64
	}
	var all []candidate
	for _, n := range names {
		if s := similarity(want, pairs(n)); s >= leastSimilar {
			all = append(all, candidate{n, s})
		}
	}
	slices.SortStableFunc(all, func(a, b candidate) int { return cmp.Compare(b.similar, a.similar) })
	var best []string
	for _, c := range all[:min(len(all), mostNearest)] {
		best = append(best, c.name)
	}
	return best
}

// pairs returns the pairs of adjacent letters and digits of a name, sorted.
func pairs(name string) []string {
	var b strings.Builder
	for _, r := range strings.ToLower(cut(name, longestCompared)) {
		if classOf(r) != other {
			b.WriteRune(r)
		}
	}
	letters := b.String()
	if len(letters) == 1 {
		return []string{letters}
	}
	var all []string
	for i := range len(letters) - 1 {
		all = append(all, letters[i:i+2])
	}
	slices.Sort(all)
	return all
}

// similarity returns the share of common pairs, from 0 to 1.
func similarity(a, b []string) float64 {
	if len(a)+len(b) == 0 {
		return 0
	}
	both, i, j := 0, 0, 0
	for i < len(a) && j < len(b) {
		switch c := cmp.Compare(a[i], b[j]); {
		case c == 0:
			both++
			i++
			j++
		case c < 0:
			i++
		default:
			j++
		}
	}
	return 2 * float64(both) / float64(len(a)+len(b))
}
